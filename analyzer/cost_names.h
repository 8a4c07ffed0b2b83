// SPDX-License-Identifier: Apache-2.0
//
// Names of the counts of a path: in reports, budgets and baselines.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

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

// The count of that name; null: there is none.
inline const CostField* find_cost_field(std::string_view name) {
  for (const CostField& field : cost_fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace trapline
