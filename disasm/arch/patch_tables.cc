// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/patch_tables.h"

#include <algorithm>

#include "disasm/arch/arch.h"

namespace trapline {

namespace {

enum class Holds : std::uint8_t { yes, no, open };

Holds holds(const PatchSide& side, const Assignment& assignment) {
  Holds all = Holds::yes;
  for (const FeatureValue& wanted : side.when) {
    const std::optional<std::uint8_t>& value = assignment[wanted.feature];
    if (!value)
      all = Holds::open;
    else if (*value != wanted.value)
      return Holds::no;
  }
  return all;
}

}  // namespace

PatchTables Arch::patch_tables(const Image& image) const {
  (void)image;
  return {};
}

std::optional<std::uint32_t> PatchTables::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < features.size(); ++i)
    if (features[i].name == name || (!features[i].number.empty() && features[i].number == name)) return i;
  return std::nullopt;
}

std::optional<std::size_t> selected_side(const PatchSite& site, const Assignment& assignment) {
  for (std::size_t i = 0; i < site.sides.size(); ++i) {
    const Holds h = holds(site.sides[i], assignment);
    if (h == Holds::yes) return i;
    if (h == Holds::open) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> open_features(const PatchSite& site, const Assignment& assignment) {
  std::vector<std::uint32_t> open;
  for (const PatchSide& side : site.sides) {
    const Holds h = holds(side, assignment);
    if (h == Holds::yes) break;
    if (h == Holds::no) continue;
    for (const FeatureValue& wanted : side.when)
      if (!assignment[wanted.feature] && std::find(open.begin(), open.end(), wanted.feature) == open.end())
        open.push_back(wanted.feature);
  }
  return open;
}

bool is_possible(const PatchTables& tables, const Assignment& assignment) {
  if (tables.processors.empty()) return true;
  return std::any_of(tables.processors.begin(), tables.processors.end(), [&](const Processor& processor) {
    return std::all_of(processor.features.begin(), processor.features.end(), [&](const FeatureValue& has) {
      return !assignment[has.feature] || *assignment[has.feature] == has.value;
    });
  });
}

PatchedCode::PatchedCode(Image& image, const PatchTables& tables) : image_(image), tables_(tables) {
  sites_of_.resize(tables.features.size());
  for (std::uint32_t i = 0; i < tables.sites.size(); ++i) {
    const PatchSite& site = tables.sites[i];
    if (site.data) continue;
    bool depends = false;
    for (const PatchSide& side : site.sides)
      for (const FeatureValue& wanted : side.when) {
        depends = true;
        std::vector<std::uint32_t>& sites = sites_of_[wanted.feature];
        if (sites.empty() || sites.back() != i) sites.push_back(i);
      }
    if (!depends) unconditional_.push_back(i);
  }
}

void PatchedCode::undo() {
  for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved) image_.overwrite(saved->address, saved->bytes);
  saved_.clear();
  if (moved_relocations_) image_.set_relocations(relocations_);
  moved_relocations_ = false;
}

std::vector<std::size_t> PatchedCode::set(const Assignment& assignment) {
  undo();
  std::vector<std::uint32_t> sites = unconditional_;
  bool any = false;
  for (std::size_t f = 0; f < assignment.size(); ++f) {
    if (!assignment[f]) continue;
    any = true;
    sites.insert(sites.end(), sites_of_[f].begin(), sites_of_[f].end());
  }
  std::vector<std::size_t> refused;
  if (!any) return refused;
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  for (std::uint32_t i : sites) {
    const PatchSite& site = tables_.sites[i];
    const std::optional<std::size_t> side = selected_side(site, assignment);
    if (side && (site.too_long || !patch(site, site.sides[*side]))) refused.push_back(i);
  }
  return refused;
}

// Relocations of the code that was there are void; those of the code that was copied go along.
void PatchedCode::move_relocations(const PatchSite& site, const PatchSide& side) {
  if (image_.relocations().empty()) return;
  if (!moved_relocations_) relocations_.assign(image_.relocations().begin(), image_.relocations().end());
  moved_relocations_ = true;
  image_.drop_relocations(site.address, site.size);
  if (side.content == PatchSide::Content::copy) image_.copy_relocations(side.from, side.size, site.address);
}

// As the kernel does it: one instruction after the other, and nothing is taken back where one cannot be moved.
bool PatchedCode::patch(const PatchSite& site, const PatchSide& side) {
  if (side.content == PatchSide::Content::as_linked) return true;
  const std::span<const std::uint8_t> now = image_.bytes_at(site.address);
  if (now.size() < site.size) return false;
  saved_.push_back({site.address, {now.begin(), now.begin() + static_cast<std::ptrdiff_t>(site.size)}});
  if (side.content == PatchSide::Content::bytes) {
    image_.overwrite(site.address, side.bytes);
    move_relocations(site, side);
    return true;
  }
  std::vector<std::uint8_t> code;
  code.reserve(site.size);
  for (std::uint64_t at = 0; at < side.size; at += tables_.nop.size()) {
    const std::optional<std::uint64_t> word = image_.read(side.from + at, 4);
    if (!word) return false;
    std::optional<std::uint32_t> moved = static_cast<std::uint32_t>(*word);
    // What a relocation fills in is moved with its relocation.
    if (tables_.move != nullptr && image_.relocations_at(side.from + at, 4).empty())
      moved = tables_.move(*moved, side.from + at, site.address + at, side.from, side.from + side.size);
    if (!moved) {
      image_.overwrite(site.address, code);
      return false;
    }
    for (unsigned i = 0; i < 4; ++i)
      code.push_back(static_cast<std::uint8_t>(*moved >> 8 * (image_.elf().little_endian ? i : 3 - i)));
  }
  while (code.size() + tables_.nop.size() <= site.size) code.insert(code.end(), tables_.nop.begin(), tables_.nop.end());
  image_.overwrite(site.address, code);
  move_relocations(site, side);
  return true;
}

}  // namespace trapline
