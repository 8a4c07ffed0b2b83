// SPDX-License-Identifier: Apache-2.0
//
// Types of C that a kernel carries in its .BTF section: the layout of a struct, flattened to its scalar members.
//
// The format is that of the kernel's Documentation/bpf/btf.rst. LLVM's own reader insists on a .BTF.ext section, which
// a vmlinux does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trapline {

// A scalar member, or an array of scalars.
struct BtfMember {
  std::string_view name;     // of the innermost named member; into the section
  std::uint32_t offset = 0;  // bytes from the start of the struct
  std::uint32_t width = 0;   // bytes of one element
  std::uint32_t count = 1;   // elements
};

struct BtfStruct {
  std::uint32_t size = 0;  // bytes
  std::vector<BtfMember> members;
};

struct BtfResult {
  std::optional<BtfStruct> found;
  std::string problem;  // why the section is not usable; empty: it is well-formed as far as it was read
};

// The struct (not union) of that name. Members of embedded structs and unions are listed with the offsets that they
// have in the whole; bit fields are left out. Bad input gives a problem and never throws.
BtfResult read_btf_struct(std::span<const std::uint8_t> section, bool little_endian, std::string_view name);

}  // namespace trapline
