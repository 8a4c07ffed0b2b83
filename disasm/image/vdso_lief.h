// SPDX-License-Identifier: Apache-2.0
//
// What LIEF reads of a vDSO. No other file knows LIEF.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trapline {

// A dynamic symbol that the vDSO defines, with the version it is exported at.
struct VdsoExport {
  std::string name;
  std::string version;  // "LINUX_2.6.15"; empty: the vDSO has no versions
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  std::uint8_t type = 0;      // STT_*
  std::uint8_t binding = 0;   // STB_*
  std::uint8_t other = 0;     // st_other
  std::uint16_t section = 0;  // ELF section number
  std::uint32_t index = 0;    // in the dynamic symbol table
};

struct VdsoSegment {
  std::uint32_t type = 0;  // PT_*
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
  std::uint64_t memory_size = 0;
};

struct VdsoView {
  std::uint64_t symbols = 0;  // entries of the dynamic symbol table, the null symbol counted
  std::vector<VdsoExport> exports;
  std::vector<VdsoSegment> segments;
  std::string build_id;  // hexadecimal, empty: none
};

// Reads a vDSO that fit_for_lief (vdso_check.h) approves: LIEF 0.9.0 checks little itself. Throws Error, with `name` as
// where, when LIEF cannot read it.
VdsoView read_vdso(const std::string& name, std::span<const std::uint8_t> bytes);

}  // namespace trapline
