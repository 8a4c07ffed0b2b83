// SPDX-License-Identifier: Apache-2.0
//
// Layouts of pt_regs that an image describes itself, in its BTF.
#include <algorithm>
#include <utility>

#include "disasm/arch/arch.h"
#include "disasm/image/btf.h"

namespace trapline {

namespace {

const BtfMember* find_member(const BtfStruct& type, const Slot& slot) {
  auto it = std::find_if(type.members.begin(), type.members.end(), [&](const BtfMember& m) {
    return m.name == slot.member && slot.element < m.count && m.width <= 8;
  });
  return it == type.members.end() ? nullptr : &*it;
}

// The slots where the image's struct has them, without bookkeeping that it does not have. False where it lacks a
// register or a part of the return state: it is another struct than the one that is known.
bool describe(FrameLayout& layout, const BtfStruct& type) {
  std::vector<Slot> slots;
  for (Slot slot : layout.slots) {
    const BtfMember* m = find_member(type, slot);
    if (m == nullptr && slot.kind == SlotKind::bookkeeping) continue;
    if (m == nullptr) return false;
    slot.offset = m->offset + slot.element * m->width;
    slot.width = static_cast<std::uint8_t>(m->width);
    slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(),
            [](const Slot& a, const Slot& b) { return std::pair(a.offset, a.place) < std::pair(b.offset, b.place); });
  layout.slots = std::move(slots);
  layout.size = type.size;
  layout.from_image = true;
  return true;
}

}  // namespace

const Facts& facts_of(const Image& image) {
  const Facts& known = image.arch().facts_for(image);
  std::call_once(image.own_facts_.once, [&] {
    const Section* section = image.section_named(".BTF");
    if (section == nullptr || section->bytes.empty()) return;
    Facts own = known;
    bool any = false;
    for (FrameLayout& layout : own.frames) {
      const BtfResult read = read_btf_struct(section->bytes, image.elf().little_endian, layout.struct_name);
      if (!read.problem.empty()) {
        image.own_facts_.problem = read.problem;
        return;
      }
      any = (read.found && describe(layout, *read.found)) || any;
    }
    // A thread_info of another architecture's shape has no such member, and the table's offset stays.
    const BtfResult info = read_btf_struct(section->bytes, image.elf().little_endian, "thread_info");
    if (info.found) {
      for (const BtfMember& m : info.found->members) {
        if (m.name != "flags" || m.count != 1 || m.width > 8) continue;
        own.thread_flags.offset = m.offset;
        own.thread_flags.width = static_cast<std::uint8_t>(m.width);
        any = true;
        break;
      }
    }
    if (any) image.own_facts_.facts = std::make_shared<const Facts>(std::move(own));
  });
  return image.own_facts_.facts ? *image.own_facts_.facts : known;
}

const std::string& layout_problem(const Image& image) {
  facts_of(image);
  return image.own_facts_.problem;
}

}  // namespace trapline
