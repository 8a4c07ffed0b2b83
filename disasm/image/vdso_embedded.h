// SPDX-License-Identifier: Apache-2.0
//
// The vDSOs that a kernel carries in its read-only data and maps into every process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disasm/image/image.h"

namespace trapline {

struct EmbeddedVdso {
  std::string name;                     // "vdso64", "vdso32", "vdsox32"; a second one of its kind gets "-2" behind it
  std::uint64_t address = 0;            // internal, in the kernel
  std::span<const std::uint8_t> bytes;  // of the kernel's image, which must outlive this
  bool by_symbols = false;              // found between two symbols of the kernel; else by its ELF header
};

// In address order. First by the symbols that surround them (vdso64_start and vdso64_end, and the like); in a linked
// kernel that has none (x86, MIPS), by ELF headers at page boundaries. Nothing for any other image.
std::vector<EmbeddedVdso> find_embedded_vdsos(const Image& kernel);

// Opens them as images of their own, named "<path of the kernel>!vdso64". What lies between the symbols and is no
// well-formed vDSO is an Error; what merely looks like one is left out.
std::vector<std::unique_ptr<Image>> open_embedded_vdsos(const Image& kernel);

}  // namespace trapline
