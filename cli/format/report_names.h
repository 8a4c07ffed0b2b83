// SPDX-License-Identifier: Apache-2.0
//
// Names of interface.md, for the formats that machines read.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/diff_report.h"
#include "analyzer/report.h"
#include "cfg/cost.h"

namespace trapline {

struct CostField {
  std::string_view name;
  std::uint64_t Cost::* value;
};

inline constexpr std::array cost_fields = {
    CostField{"instructions", &Cost::instructions},
    CostField{"loads", &Cost::loads},
    CostField{"stores", &Cost::stores},
    CostField{"registers_loaded", &Cost::registers_loaded},
    CostField{"registers_stored", &Cost::registers_stored},
    CostField{"bytes_loaded", &Cost::bytes_loaded},
    CostField{"bytes_stored", &Cost::bytes_stored},
    CostField{"frame_loads", &Cost::frame_loads},
    CostField{"frame_stores", &Cost::frame_stores},
    CostField{"branches_taken", &Cost::branches_taken},
    CostField{"branches_not_taken", &Cost::branches_not_taken},
    CostField{"calls", &Cost::calls},
    CostField{"indirect_calls", &Cost::indirect_calls},
    CostField{"system", &Cost::system},
    CostField{"barriers", &Cost::barriers},
    CostField{"atomics", &Cost::atomics},
    CostField{"nops", &Cost::nops},
};

// In the order of InsnClass.
inline constexpr std::array<std::string_view, insn_class_count> class_names = {
    "load", "store", "load_store", "branch", "call", "return", "system", "barrier", "nop", "other", "unknown"};

// "user", "kernel", "either"; empty for none.
inline std::string_view return_to_name(ReturnTo to) {
  switch (to) {
    case ReturnTo::user:
      return "user";
    case ReturnTo::kernel:
      return "kernel";
    case ReturnTo::either:
      return "either";
    case ReturnTo::none:
      return "";
  }
  return "";
}

inline std::string_view relation_name(PathDiff::Relation relation) {
  switch (relation) {
    case PathDiff::Relation::one:
      return "one";
    case PathDiff::Relation::split:
      return "split";
    case PathDiff::Relation::merged:
      break;
  }
  return "merged";
}

}  // namespace trapline
