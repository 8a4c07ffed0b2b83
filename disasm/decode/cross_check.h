// SPDX-License-Identifier: Apache-2.0
//
// The second opinion: the same bytes, decoded by Capstone. Where the decoders differ in the size of an instruction, in
// its flow or in its target is information for the reader. It is no finding: doc/cross-check.md says of each class of
// differences that is known which decoder is right, and often it is not Capstone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"

namespace trapline {

// Where control goes, in words that both decoders have. What the kernel makes of an instruction is left out: a jump to
// itself is a jump.
enum class FlowKind : std::uint8_t {
  next,
  jump,
  call,
  ret,
  indirect_jump,
  indirect_call,
  exception_return,
  syscall,
  trap
};
std::string_view flow_kind_name(FlowKind kind);  // "next", "indirect-jump", "exception-return"

// What one decoder says of an instruction.
struct InsnView {
  std::uint8_t size = 0;  // bytes; 0: it does not decode the bytes
  FlowKind flow = FlowKind::next;
  bool conditional = false;             // control may also go on with the next instruction; false for FlowKind::next
  std::optional<std::uint64_t> target;  // of a direct jump or call, internal address
};

enum class DifferenceKind : std::uint8_t { size, flow, target, undecoded_here, undecoded_there };
std::string_view difference_kind_name(DifferenceKind kind);  // "size", "undecoded-here"

// Where two decoders differ; nothing when they agree, be it that neither decodes the bytes. Targets are compared when
// `targets` says so.
std::optional<DifferenceKind> compare(const InsnView& ours, const InsnView& theirs, bool targets);

// Words of one kind: those that are `value` under `mask`. Of an instruction of eight bytes, the first four count.
struct WordPattern {
  std::uint32_t mask;
  std::uint32_t value;
};

// A class of differences that is understood. doc/cross-check.md lists them all, in these words.
struct ExplainedClass {
  std::string_view name;
  DifferenceKind kind;
  std::string_view right;   // "trapline", "Capstone" or "both"
  std::string_view reason;  // a sentence
  std::string_view manual;  // where one can read who is right
  std::span<const WordPattern> words;
};

// One instruction on which the decoders differ. Where they differ in several ways, `kind` is the first of: undecoded,
// size, flow, target.
struct Difference {
  std::uint64_t address = 0;  // internal
  DifferenceKind kind = DifferenceKind::flow;
  InsnView ours;
  InsnView theirs;
  std::string our_text;    // as Decoder::text has it
  std::string their_text;  // as Capstone prints it, empty when it does not decode the bytes
  const ExplainedClass* explained = nullptr;
};

struct CrossReport {
  std::string decoder;  // "Capstone 4.0.2"
  bool asked = false;   // false: it does not know the architecture, and nothing was compared
  std::uint64_t instructions = 0;
  std::uint64_t agreed = 0;             // agreed + differences.size() == instructions
  std::vector<Difference> differences;  // in the order of the ranges
};

// [begin, end), internal addresses.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Decodes all instructions in `ranges` twice. A range is read from its begin on, one instruction after the other as
// `decoder` sizes them; where neither decoder knows the bytes they agree. A target that the linker will fill in is not
// compared. Throws Error when Capstone cannot be started.
CrossReport cross_check(const Image& image, const Decoder& decoder, std::span<const CodeRange> ranges);

// All executable sections, without what the mapping symbols of ARM mark as data.
std::vector<CodeRange> code_ranges(const Image& image);

}  // namespace trapline
