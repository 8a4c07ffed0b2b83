// SPDX-License-Identifier: Apache-2.0
//
// Code that the kernel rewrites when it boots. An architecture reads its tables into PatchTables; nothing else knows
// what a table looks like.
//
// A *feature* is what decides: a bit of the processor's feature word, a static key, the kind of a mitigation. A *site*
// is a run of bytes whose content depends on features, by its *sides*: the first side whose conditions all hold is what
// runs. Two sites that depend on one feature can only switch together, since nobody assigns sites.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/image/image.h"

namespace trapline {

struct Feature {
  std::string name;    // as the kernel's source spells it: "CPU_FTR_HAS_PPR", "rfi-flush"
  std::string number;  // another name for it, "cpu:38", or the number of a capability
  std::vector<std::string> values = {"off", "on"};
  // The value whose code the file holds; nothing where the file holds the code of all values at once.
  std::optional<std::uint8_t> linked;
  // Boot chooses among kinds that cost alike (which way to flush): varied only when asked for by name.
  bool on_request = false;
  std::string what;  // half a line for people
};

struct FeatureValue {
  std::uint32_t feature = 0;  // index into PatchTables::features
  std::uint8_t value = 0;     // index into Feature::values
  friend auto operator<=>(const FeatureValue&, const FeatureValue&) = default;
};

// One value each, or nothing where it is left open; by index into PatchTables::features.
using Assignment = std::vector<std::optional<std::uint8_t>>;

struct PatchSide {
  enum class Content : std::uint8_t {
    as_linked,  // the bytes that are there
    bytes,      // PatchSide::bytes, from the site's first byte
    copy,       // the code at `from`, moved here, then the architecture's nop to the end of the site
  };
  std::vector<FeatureValue> when;  // all of them; none: whatever the features are
  Content content = Content::as_linked;
  std::vector<std::uint8_t> bytes = {};
  std::uint64_t from = 0;  // internal address
  std::uint64_t size = 0;  // bytes of code at `from`
};

struct PatchSite {
  std::string_view table;        // of the section, or of the symbol that names the site
  std::uint64_t record = 0;      // internal address of its record
  std::uint64_t address = 0;     // internal
  std::uint64_t size = 0;        // bytes
  std::vector<PatchSide> sides;  // never empty; the last has no condition, unless `always` holds
  bool too_long = false;         // a side is longer than the site: the kernel refuses to patch it
  bool data = false;             // an immediate that boot computes; what runs is the same instruction
};

// A processor that the kernel knows, with the features that it alone decides.
struct Processor {
  std::string name;
  std::vector<FeatureValue> features;
};

// A machine by name: what `--variant booted:NAME` means.
struct Profile {
  std::string name;
  std::string source;  // where the values are from
  std::vector<FeatureValue> features;
};

struct PatchTables {
  std::vector<Feature> features;
  std::vector<PatchSite> sites;  // in the order in which the kernel patches them
  // Tables and records that make no sense and were left out: "__ftr_fixup+0x30: the code at ... is not in the image".
  std::vector<std::string> problems;
  std::vector<Processor> processors;  // empty: any assignment may exist
  std::vector<Profile> profiles;
  std::vector<std::uint8_t> nop;  // one instruction
  // The instruction at `from`, as it must read at `to` when the code in [first, last) moves with it: a branch out of
  // that code keeps its target. Nothing where no instruction can say that; null: nothing needs it.
  std::optional<std::uint32_t> (*move)(std::uint32_t word, std::uint64_t from, std::uint64_t to, std::uint64_t first,
                                       std::uint64_t last) = nullptr;

  // Index of the feature of that name or number; nothing: there is none.
  std::optional<std::uint32_t> find(std::string_view name) const;
  Assignment nothing_assigned() const { return Assignment(features.size()); }
};

// Which side of the site an assignment selects. Nothing: what decides is left open.
std::optional<std::size_t> selected_side(const PatchSite& site, const Assignment& assignment);
// The features that a choice between the sides still waits for, in the order of the sides' conditions.
std::vector<std::uint32_t> open_features(const PatchSite& site, const Assignment& assignment);
// Does any processor have these features? True where none is known.
bool is_possible(const PatchTables& tables, const Assignment& assignment);

// Code of an image as it runs with some features assigned. Sites that are left open stay as they are in the file.
class PatchedCode {
 public:
  // Writes into `image`, which holds what the file holds. `tables` are those of the image, and outlive this object.
  PatchedCode(Image& image, const PatchTables& tables);
  // Sets the features; what another assignment wrote is undone. Returns the sites that the kernel could not patch: too
  // long, or with a branch that does not reach from its new place.
  std::vector<std::size_t> set(const Assignment& assignment);

 private:
  bool patch(const PatchSite& site, const PatchSide& side);
  void move_relocations(const PatchSite& site, const PatchSide& side);
  void undo();

  struct Saved {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  Image& image_;
  const PatchTables& tables_;
  std::vector<Saved> saved_;
  std::vector<Relocation> relocations_;  // as the file has them
  bool moved_relocations_ = false;
  std::vector<std::vector<std::uint32_t>> sites_of_;  // by feature
  std::vector<std::uint32_t> unconditional_;
};

}  // namespace trapline
