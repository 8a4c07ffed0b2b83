// SPDX-License-Identifier: Apache-2.0
//
// Capstone's handles, owned, and what an architecture says to have Capstone asked.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "disasm/decode/cross_check.h"

namespace trapline {

// Capstone for one kind of code. An architecture returns the same object for code of the same kind.
struct CapstoneSpec {
  cs_arch arch;
  cs_mode mode;
  // Flow and target of a decoded instruction, from Capstone's ids, groups and operands alone (never from our lifter,
  // and not from the bytes). InsnView::size is filled by the caller.
  InsnView (*view)(const cs_insn& insn);
  std::span<const ExplainedClass> explained;
};

// "Capstone 4.0.2", of the library that is linked.
std::string capstone_version();

class Capstone {
 public:
  // Throws Error when this library was built without the architecture.
  explicit Capstone(const CapstoneSpec& spec);

  const CapstoneSpec& spec() const { return *spec_; }
  // The instruction at the start of `bytes`, or null. Valid until the next call. Thumb: the instructions that an `it`
  // makes conditional must follow it without a gap, or `restart` is called.
  const cs_insn* decode(std::span<const std::uint8_t> bytes, std::uint64_t address);
  void restart();

 private:
  // csh is an integer.
  class Handle {
   public:
    explicit Handle(const CapstoneSpec& spec);
    ~Handle() { cs_close(&handle_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    csh get() const { return handle_; }

   private:
    csh handle_ = 0;
  };
  struct FreeInsn {
    void operator()(cs_insn* insn) const { cs_free(insn, 1); }
  };

  const CapstoneSpec* spec_;
  Handle handle_;
  std::unique_ptr<cs_insn, FreeInsn> insn_;
};

}  // namespace trapline
