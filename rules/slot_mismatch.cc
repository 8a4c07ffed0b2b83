// SPDX-License-Identifier: Apache-2.0
//
// slot-mismatch: a register is saved to the slot of another, or restored from it, or in another width.
//
// How it works: the last store of what the interrupted context had in a register, into a slot of pt_regs, must be into
// the register's own slot, as wide as the slot; at the return a register that was loaded from pt_regs must have been
// loaded from its own slot. Pairs that an instruction crosses on purpose (PowerPC scv: NIP in LR) are in the
// architecture's table.
// False positives: a slot that is used as scratch memory and never read as a slot.
// False negatives: values that passed through C.
// Real bug: x86 int $0x80 pushed zeros into the slots of r8-r11 ("x86/entry/64/compat: Preserve r8-r11 in int $0x80",
// 2018).
#include <fmt/format.h>

#include <algorithm>

#include "rules/rules.h"

namespace trapline {
namespace {

class SlotMismatch : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.lost() || !view.state().frame()) return;
    stores(view, findings);
    if (!view.exception_return()) return;
    for (const Holding& h : view.registers()) loaded(view, h, findings);
    for (const Holding& h : view.return_state()) loaded(view, h, findings);
  }

 private:
  // Is the slot stored again before C can see it, or the path ends?
  static bool overwritten(const PathView& view, const MemoryEvent& store) {
    std::size_t until = view.path().steps.size();
    for (const CallOnPath& c : view.path().calls)
      if (c.step > store.step) until = std::min(until, c.step);
    for (const MemoryEvent& e : view.state().memory())
      if (e.store && &e > &store && e.step <= until && e.at.base == store.at.base && e.at.offset <= store.at.offset &&
          e.at.offset + e.width >= store.at.offset + store.width)
        return true;
    return false;
  }

  static void stores(const PathView& view, Findings& findings) {
    const ValuePool& pool = view.state().setting().pool;
    const Facts& facts = view.facts();
    for (const MemoryEvent& e : view.state().memory()) {
      if (!e.store || e.value == no_value) continue;
      const Value& v = pool[e.value];
      if (v.kind != ValueKind::entry) continue;
      const Place place = static_cast<Place>(v.imm);
      const PlaceKind kind = facts.places[place].kind;
      if (kind != PlaceKind::general && kind != PlaceKind::link) continue;
      std::optional<SlotAccess> access = view.state().slot_at(e.at);
      if (!access || access->slot->kind == SlotKind::bookkeeping || access->slot->place == no_place) continue;
      const Slot& slot = *access->slot;
      const bool own = slot.place == place;
      const bool narrow = e.width != slot.width || access->within != 0;
      if (own ? !narrow : view.is_crossed(place, slot.place)) continue;
      if (overwritten(view, e)) continue;
      const std::string_view variety = own ? "store-width" : "store";
      Finding& f =
          findings.at(RuleId::slot_mismatch, Level::error, view.address_of(e.step), view.path().number, variety);
      f.add("registers", place, facts.places[place].name);
      f.add("slots", slot.offset, slot.name);
      if (own) f.add("width", e.width, fmt::format("{} of {} bytes", e.width, slot.width));
      if (f.steps.empty())
        f.steps.push_back({view.address_of(e.step), fmt::format("{} <- {}", slot.name, facts.places[place].name)});
    }
  }

  static void loaded(const PathView& view, const Holding& h, Findings& findings) {
    const Facts& facts = view.facts();
    std::string_view variety;
    std::string source;
    const Slot* from = h.slot;
    if (h.held == Held::other_slot) {
      if (from->place != no_place && view.is_crossed(h.place, from->place)) return;
      if (from->place == no_place && h.place == facts.result) return;  // a result that C left in a word of its own
      variety = "load";
    } else if (h.held == Held::other_entry) {
      from = view.loaded_slot(h);
      if (from == nullptr || view.is_crossed(h.place, h.other)) return;
      variety = "load";
    } else if ((h.held == Held::own_slot || h.held == Held::own_bits) && h.width != 0 &&
               h.width < facts.register_bytes && facts.places[h.place].kind == PlaceKind::general) {
      if (from == nullptr) from = view.loaded_slot_of(h.place);
      if (from == nullptr) return;
      variety = "load-width";
    } else {
      return;
    }
    source = from->name;
    std::optional<std::uint32_t> load =
        view.state().last_write(h.place, view.routine().code, view.state().end().routine);
    const std::uint64_t at = load ? view.address_of(*load) : view.end_address();
    // The program's own data in a register that need not be kept harms nobody.
    const Level level = view.may_change(h.place) != nullptr ? Level::note : Level::error;
    Finding& f = findings.at(RuleId::slot_mismatch, level, at, view.path().number, variety);
    f.add("registers", h.place, view.name(h.place));
    f.add("slots", from->offset, source);
    if (variety == "load-width") f.add("width", h.width, fmt::format("{} of {} bytes", h.width, from->width));
    if (!f.steps.empty()) return;
    f.steps.push_back({at, fmt::format("{} <- {}", view.name(h.place), source)});
    view.add_end(f);
  }
};

}  // namespace

std::unique_ptr<Rule> make_slot_mismatch() { return std::make_unique<SlotMismatch>(); }

void describe_slot_mismatch(const Facts&, Finding& f) {
  const std::string registers = f.joined("registers"), slots = f.joined("slots");
  if (f.variety == "store")
    f.message = registers + " is saved to " + slots + ", which belongs to another register";
  else if (f.variety == "store-width")
    f.message = f.joined("width") + " of " + registers + " are saved to " + slots;
  else if (f.variety == "load")
    f.message = registers + " is restored from " + slots + ", which is not its slot";
  else
    f.message = registers + " is restored from " + f.joined("width") + " of " + slots;
  f.fix = f.variety == "store-width" || f.variety == "load-width" ? "use an access as wide as the slot"
                                                                  : "use the register's own slot";
}

}  // namespace trapline
