// SPDX-License-Identifier: Apache-2.0
//
// What each instruction of a path saves to pt_regs, and restores from it: the notes of --listing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfg/end_state.h"

namespace trapline {

// Collects the notes of every path of a routine while it is enumerated.
class SlotNotes : public PathVisitor {
 public:
  using Notes = std::map<std::uint32_t, std::string>;  // by step: "t0 <- PT_R12, not saved on this path"

  explicit SlotNotes(const Contract& contract) : contract_(contract) {}
  void restart() override { notes_.clear(); }
  void path(const FinishedPath& end) override;
  void came_back(std::uint64_t, std::uint64_t, const State&, const State&, Machine&) override {}

  // Of the path with that number (Path::number); empty where it touches no slot.
  const Notes& of(std::uint64_t number) const;

 private:
  const Contract& contract_;
  std::map<std::uint64_t, Notes> notes_;
};

}  // namespace trapline
