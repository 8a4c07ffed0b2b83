// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/arm/places.h"

#include <optional>
#include <string_view>

#include "disasm/arch/arm/bits.h"

namespace trapline::arm_arch {

Place banked(unsigned n, Mode mode) {
  const bool is_sp = n == 13;
  switch (mode) {
    case Mode::fiq:
      if (n >= 8 && n <= 12) return static_cast<Place>(r8_fiq + (n - 8));
      if (n >= 13) return is_sp ? sp_fiq : lr_fiq;
      break;
    case Mode::irq:
      if (n >= 13) return is_sp ? sp_irq : lr_irq;
      break;
    case Mode::abt:
      if (n >= 13) return is_sp ? sp_abt : lr_abt;
      break;
    case Mode::und:
      if (n >= 13) return is_sp ? sp_und : lr_und;
      break;
    case Mode::mon:
      if (n >= 13) return is_sp ? sp_mon : lr_mon;
      break;
    case Mode::hyp:  // lr is shared with user mode
      if (n >= 13) return is_sp ? sp_hyp : lr_usr;
      break;
    case Mode::usr:
    case Mode::sys:
      if (n >= 13) return is_sp ? sp_usr : lr_usr;
      break;
    case Mode::svc:
      break;
  }
  return static_cast<Place>(n);
}

Place saved_status(Mode mode) {
  switch (mode) {
    case Mode::fiq:
      return spsr_fiq;
    case Mode::irq:
      return spsr_irq;
    case Mode::abt:
      return spsr_abt;
    case Mode::und:
      return spsr_und;
    case Mode::mon:
      return spsr_mon;
    case Mode::hyp:
      return spsr_hyp;
    default:
      return spsr;
  }
}

bool in_stubs(const Image& image, std::uint64_t address) {
  const Section* section = image.section_at(address);
  return section != nullptr && section->name == ".stubs";
}

namespace {

// A stub runs in the mode of its exception; its symbol names it (vector_irq, vector_bhb_loop8_dabt).
Mode mode_of_stub(const Image& image, std::uint64_t address) {
  const Symbol* symbol = image.enclosing_symbol(address);
  if (symbol == nullptr) return Mode::svc;
  const std::string_view name = symbol->name;
  if (name.ends_with("_irq")) return Mode::irq;
  if (name.ends_with("abt")) return Mode::abt;
  if (name.ends_with("_und")) return Mode::und;
  if (name.ends_with("_fiq")) return Mode::fiq;
  return Mode::svc;
}

std::optional<Mode> mode_written(std::uint32_t w) {
  std::optional<std::uint32_t> mode;
  if ((w & 0xfff1f000) == 0xe321f000) mode = arm_immediate(bits(w, 11, 0)) & 0x1f;  // msr CPSR_c.., #imm
  if ((w & 0xfff20020) == 0xf1020000) mode = bits(w, 4, 0);                         // cps<ie|id> .., #mode
  if (!mode) return std::nullopt;
  switch (*mode) {
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x17:
    case 0x1a:
    case 0x1b:
    case 0x1f:
      return static_cast<Mode>(*mode);
    default:
      return std::nullopt;
  }
}

// Does control never come through this word to the one below, or with a mode that is not known?
bool ends_search(std::uint32_t w) {
  if ((w & 0xff000000) == 0xea000000) return true;  // b
  if ((w & 0xfffffff0) == 0xe12fff10) return true;  // bx
  if ((w & 0xfe108000) == 0xe8108000) return true;  // ldm with pc
  if ((w & 0xffeffff0) == 0xe1a0f000) return true;  // mov(s) pc, rN
  if ((w & 0xfff1fff0) == 0xe121f000) return true;  // msr CPSR_c, rN
  return false;
}

}  // namespace

Mode mode_at(const Image& image, std::uint64_t address) {
  if (in_stubs(image, address)) return mode_of_stub(image, address);
  const Section* section = image.section_at(address);
  if (section == nullptr) return Mode::svc;
  constexpr unsigned window = 16;  // the kernel's longest stretch in a foreign mode is seven instructions
  const bool little = image.elf().little_endian || (image.elf().flags & ef_arm_be8) != 0;
  const std::uint64_t start = address - section->address;
  for (unsigned i = 1; i <= window && start >= 4 * i; ++i) {
    const std::uint64_t at = start - 4 * i;
    if (at + 4 > section->bytes.size()) return Mode::svc;
    const std::uint8_t* p = section->bytes.data() + at;
    const std::uint32_t w = little ? word_of(p[3], p[2], p[1], p[0]) : word_of(p[0], p[1], p[2], p[3]);
    if (const std::optional<Mode> mode = mode_written(w)) return *mode;
    if (ends_search(w)) return Mode::svc;
  }
  return Mode::svc;
}

}  // namespace trapline::arm_arch
