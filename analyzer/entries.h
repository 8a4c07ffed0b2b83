// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyze.h"
#include "disasm/arch/facts.h"

namespace trapline {

// An entry routine as the analysis needs it: where, and what holds there.
struct Entry {
  EntryReport report;         // address as shown
  std::uint64_t address = 0;  // internal
  Contract contract;
};

// As find_entries, with the contracts.
std::vector<Entry> locate_entries(const Image& image, const std::vector<std::string>& wanted);

ImageHead image_head(const Image& image);

}  // namespace trapline
