// SPDX-License-Identifier: Apache-2.0
#include "disasm/decode/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "disasm/arch/arch.h"
#include "disasm/decode/capstone.h"

namespace trapline {
namespace {

FlowKind kind_of(Flow flow) {
  switch (flow) {
    case Flow::jump:
    case Flow::halt:
      return FlowKind::jump;
    case Flow::call:
      return FlowKind::call;
    case Flow::ret:
      return FlowKind::ret;
    case Flow::indirect_jump:
      return FlowKind::indirect_jump;
    case Flow::indirect_call:
      return FlowKind::indirect_call;
    case Flow::exception_return:
      return FlowKind::exception_return;
    case Flow::syscall:
      return FlowKind::syscall;
    case Flow::trap:
      return FlowKind::trap;
    case Flow::next:
    case Flow::unknown:
      break;
  }
  return FlowKind::next;
}

class CrossChecker {
 public:
  CrossChecker(const Image& image, const Decoder& decoder) : image_(image), decoder_(decoder) {
    report_.decoder = capstone_version();
  }

  void check(const CodeRange& range) {
    if (image_.arch().second_decoder(image_, range.begin) == nullptr) return;
    for (const std::unique_ptr<Capstone>& capstone : capstones_) capstone->restart();
    for (std::uint64_t at = range.begin; at < range.end;) {
      const Insn insn = decoder_.decode(at);
      if (insn.size == 0) break;
      check(insn);
      at += insn.size;
    }
  }

  CrossReport take() { return std::move(report_); }

 private:
  // The engine for code at `address`, or null.
  Capstone* engine(std::uint64_t address) {
    const CapstoneSpec* const spec = image_.arch().second_decoder(image_, address);
    if (spec == nullptr) return nullptr;
    for (const std::unique_ptr<Capstone>& capstone : capstones_)
      if (&capstone->spec() == spec) return capstone.get();
    return capstones_.emplace_back(std::make_unique<Capstone>(*spec)).get();
  }

  InsnView our_view(const Insn& insn) const {
    InsnView view;
    if (insn.flow == Flow::unknown) return view;
    view.size = insn.size;
    view.flow = kind_of(insn.flow);
    view.conditional = view.flow != FlowKind::next && insn.when.has_value();
    if (insn.target) view.target = image_.resolve(*insn.target, insn.address);
    return view;
  }

  InsnView their_view(const Capstone& engine, const cs_insn* decoded, std::uint64_t address) const {
    if (decoded == nullptr) return {};
    InsnView view = engine.spec().view(*decoded);
    view.size = static_cast<std::uint8_t>(decoded->size);
    if (view.flow == FlowKind::next) view.conditional = false;
    if (!view.target) return view;
    // Capstone computes with the 32 bits of a 32-bit machine; which of several sections at one address is meant is
    // above them.
    if (!image_.elf().is64) view.target = (address & ~std::uint64_t{0xffffffff}) | (*view.target & 0xffffffff);
    view.target = image_.resolve(*view.target, address);
    return view;
  }

  static const ExplainedClass* explain(const Capstone& engine, DifferenceKind kind, std::uint32_t word) {
    for (const ExplainedClass& row : engine.spec().explained) {
      if (row.kind != kind) continue;
      const auto fits = [&](const WordPattern& p) { return (word & p.mask) == p.value; };
      if (std::any_of(row.words.begin(), row.words.end(), fits)) return &row;
    }
    return nullptr;
  }

  void check(const Insn& insn) {
    Capstone* const capstone = engine(insn.address);
    if (capstone == nullptr) return;
    report_.asked = true;
    ++report_.instructions;
    const cs_insn* const decoded = capstone->decode(image_.bytes_at(insn.address), insn.address);
    const InsnView ours = our_view(insn);
    const InsnView theirs = their_view(*capstone, decoded, insn.address);
    const bool linked_later = !image_.relocations_at(insn.address, insn.size).empty();
    const std::optional<DifferenceKind> kind = compare(ours, theirs, !linked_later);
    if (!kind) {
      ++report_.agreed;
      return;
    }
    Difference d;
    d.address = insn.address;
    d.kind = *kind;
    d.ours = ours;
    d.theirs = theirs;
    d.our_text = decoder_.text(insn.address);
    if (decoded != nullptr) {
      d.their_text = decoded->mnemonic;
      if (decoded->op_str[0] != '\0') d.their_text += fmt::format(" {}", decoded->op_str);
    }
    d.explained = explain(*capstone, *kind, insn.word);
    report_.differences.push_back(std::move(d));
  }

  const Image& image_;
  const Decoder& decoder_;
  std::vector<std::unique_ptr<Capstone>> capstones_;
  CrossReport report_;
};

}  // namespace

std::string_view flow_kind_name(FlowKind kind) {
  static constexpr std::array<std::string_view, 9> names = {
      "next", "jump", "call", "return", "indirect-jump", "indirect-call", "exception-return", "syscall", "trap"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view difference_kind_name(DifferenceKind kind) {
  static constexpr std::array<std::string_view, 5> names = {"size", "flow", "target", "undecoded-here",
                                                            "undecoded-there"};
  return names.at(static_cast<std::size_t>(kind));
}

std::optional<DifferenceKind> compare(const InsnView& ours, const InsnView& theirs, bool targets) {
  if (ours.size == 0 && theirs.size == 0) return std::nullopt;
  if (ours.size == 0) return DifferenceKind::undecoded_here;
  if (theirs.size == 0) return DifferenceKind::undecoded_there;
  if (ours.size != theirs.size) return DifferenceKind::size;
  if (ours.flow != theirs.flow || ours.conditional != theirs.conditional) return DifferenceKind::flow;
  if (targets && ours.target != theirs.target) return DifferenceKind::target;
  return std::nullopt;
}

CrossReport cross_check(const Image& image, const Decoder& decoder, std::span<const CodeRange> ranges) {
  CrossChecker checker(image, decoder);
  for (const CodeRange& range : ranges) checker.check(range);
  return checker.take();
}

std::vector<CodeRange> code_ranges(const Image& image) {
  std::vector<CodeRange> ranges;
  const std::span<const Symbol> marks = image.mapping_symbols();
  for (const Section& section : image.sections()) {
    if (!section.executable || section.bytes.empty()) continue;
    const std::uint64_t end = section.address + section.bytes.size();
    CodeRange range{section.address, section.address};
    bool data = false;
    auto mark = std::lower_bound(marks.begin(), marks.end(), section.address,
                                 [](const Symbol& s, std::uint64_t a) { return s.address < a; });
    for (; mark != marks.end() && mark->address < end; ++mark) {
      const bool now_data = mark->name.starts_with("$d");
      if (now_data == data) continue;
      if (now_data && range.begin < mark->address) ranges.push_back({range.begin, mark->address});
      range.begin = mark->address;
      data = now_data;
    }
    if (!data && range.begin < end) ranges.push_back({range.begin, end});
  }
  return ranges;
}

}  // namespace trapline
