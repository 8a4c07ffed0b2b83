// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyze.h"
#include "disasm/arch/facts.h"

namespace trapline {

// An entry routine as the analysis needs it: where, and what holds there.
struct Entry {
  EntryReport report;         // address as shown
  std::uint64_t address = 0;  // internal
  Contract contract;
  bool declared = false;  // the contract is the configuration's
};

using EntryRules = std::span<const Config::EntryRule>;

// As find_entries, with the contracts. `rules`, of the configuration, are applied to the architecture's table in turn:
// a rule whose pattern names a routine of the table changes its role and contract; any other adds the functions that it
// names, if the image has them.
std::vector<Entry> locate_entries(const Image& image, const std::vector<std::string>& wanted, EntryRules rules = {});

struct Located {
  std::vector<Entry> entries;
  std::vector<std::string> unknown;  // of the names wanted, those that the image does not have
};
// The same for an image that may have none of them. Throws Error when there are no symbols.
Located locate_entries_in(const Image& image, const std::vector<std::string>& wanted, EntryRules rules = {});

// The Error for a name that none of the images has, with the nearest names of all. The first image is blamed.
[[noreturn]] void throw_unknown_entry(std::span<const Image* const> images, std::string_view pattern);

bool is_glob(std::string_view pattern);
// Whether a name is the pattern, or fits it where it is a glob.
bool matches_name(std::string_view pattern, std::string_view name);

ImageHead image_head(const Image& image);

}  // namespace trapline
