// SPDX-License-Identifier: Apache-2.0
//
// Names of interface.md, for the formats that machines read.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/cost_names.h"
#include "analyzer/diff_report.h"
#include "analyzer/report.h"
#include "cfg/cost.h"

namespace trapline {

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
