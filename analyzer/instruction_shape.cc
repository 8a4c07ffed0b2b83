// SPDX-License-Identifier: Apache-2.0
//
// Instructions without addresses. Which numbers in an instruction are part of an address is found by following
// constants through each basic block: what an address in the image was computed from, or read through, is named by
// what lies there.
#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "analyzer/label.h"
#include "analyzer/path_shape.h"
#include "disasm/arch/arch.h"

namespace trapline {
namespace {

constexpr std::uint64_t least_address = 4096;  // smaller numbers are numbers
constexpr std::uint64_t get_pc_reach = 32;     // bytes: how far a branch goes that only asks where it is

// One blank where the decoder puts tabs.
std::string plain_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

std::string mnemonic(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string operand_text(const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::place:
      return fmt::format("p{}", o.index);
    case Operand::Kind::temp:
      return fmt::format("t{}", o.index);
    default:
      return "-";  // a number
  }
}

class Shaper {
 public:
  Shaper(Code& code, const RoutinePaths& routine)
      : code_(code), image_(code.image()), graph_(routine.routine.graph), named_(boost::num_vertices(graph_)) {
    for (Vertex v = 0; v < named_.size(); ++v) routine_.push_back(graph_[v].key.address);
    std::sort(routine_.begin(), routine_.end());
    for (const Block& block : routine.blocks.blocks) follow(block);
  }

  std::vector<std::uint64_t> shapes() const {
    std::vector<std::uint64_t> out;
    out.reserve(named_.size());
    for (Vertex v = 0; v < named_.size(); ++v) out.push_back(llvm::xxh3_64bits(text(v)));
    return out;
  }

 private:
  // A constant, and the instructions of the block that made it.
  struct Known {
    std::uint64_t value = 0;
    std::vector<Vertex> made_by;
  };
  using Constants = std::map<Place, Known>;
  using Temps = std::array<std::optional<Known>, 16>;

  void follow(const Block& block) {
    Constants constants;
    for (const Vertex v : block.nodes) {
      const Insn& insn = code_.insn(graph_[v].key.address);
      Temps temps;
      for (const MicroOp& op : insn.ops) {
        std::optional<Known> result = run(op, v, constants, temps);
        if (insn.when && insn.when->guards_effects) result.reset();
        if (op.dst.kind == Operand::Kind::temp && op.dst.index < temps.size()) temps[op.dst.index] = std::move(result);
        if (op.dst.kind != Operand::Kind::place) continue;
        if (result) name(*result);
        if (result)
          constants[op.dst.index] = std::move(*result);
        else
          constants.erase(op.dst.index);
      }
      if (insn.flow == Flow::indirect_jump || insn.flow == Flow::indirect_call)
        if (const std::optional<Known> target = value(insn.jump_to, constants, temps)) name(*target);
      if (insn.flow == Flow::call || insn.flow == Flow::indirect_call) constants.clear();
    }
  }

  static std::optional<Known> value(const Operand& o, const Constants& constants, const Temps& temps) {
    if (o.kind == Operand::Kind::imm) return Known{o.imm, {}};
    if (o.kind == Operand::Kind::temp && o.index < temps.size()) return temps[o.index];
    if (o.kind != Operand::Kind::place) return std::nullopt;
    const auto it = constants.find(o.index);
    return it == constants.end() ? std::nullopt : std::optional(it->second);
  }

  std::optional<Known> run(const MicroOp& op, Vertex v, const Constants& constants, const Temps& temps) {
    std::optional<Known> a = value(op.a, constants, temps);
    switch (op.op) {
      case Op::load:
      case Op::store:
        if (!a) return std::nullopt;
        a->made_by.push_back(v);
        if (op.op == Op::load && is_constant_memory(image_, a->value)) {
          // A literal: what it says, not where it lies.
          if (const std::optional<std::uint64_t> read = image_.read(a->value, op.width)) {
            const std::string what = address_name(*read);
            put(*a, what.empty() ? fmt::format("={:#x}", *read) : what);
            return Known{*read, a->made_by};
          }
        }
        name(*a);
        return std::nullopt;
      case Op::clobber:
      case Op::compare:
      case Op::compare_add:
      case Op::test:
        return std::nullopt;
      default:
        break;
    }
    std::optional<Known> b = value(op.b, constants, temps);
    if (!a || (op.b.kind != Operand::Kind::none && !b)) return std::nullopt;
    Known result{fold_constants(op, a->value, b ? b->value : 0, low_bits(facts_of(image_).register_bytes * 8)),
                 std::move(a->made_by)};
    if (b) result.made_by.insert(result.made_by.end(), b->made_by.begin(), b->made_by.end());
    if (std::find(result.made_by.begin(), result.made_by.end(), v) == result.made_by.end()) result.made_by.push_back(v);
    return result;
  }

  // What lies at an address, in words that another link of the same code has, too; empty: it is no address.
  std::string address_name(std::uint64_t address) const {
    if (address < least_address) return {};
    const Section* section = image_.section_at(address);
    const Symbol* symbol = image_.enclosing_symbol(address);
    if (section == nullptr || !section->allocated) {
      const Symbol* there = image_.symbol_at(address);
      return there != nullptr && there->undefined ? std::string(there->name) : std::string();
    }
    if (symbol == nullptr) return std::string(section->name);
    const std::uint64_t offset = address - image_.arch().code_address(image_, *symbol);
    if (offset == 0) return std::string(lasting_name(image_, *symbol));
    if (section->executable) return "code";
    return offset < symbol->size ? fmt::format("{}+{:#x}", lasting_name(image_, *symbol), offset)
                                 : std::string(section->name);
  }

  void name(const Known& known) {
    const std::string what = address_name(known.value);
    if (!what.empty()) put(known, what);
  }
  // The last name counts: the parts of an address may themselves look like addresses.
  void put(const Known& known, const std::string& what) {
    for (const Vertex v : known.made_by) named_[v] = what;
  }

  std::string text(Vertex v) const {
    const std::uint64_t address = graph_[v].key.address;
    const Insn& insn = code_.insn(address);
    const std::string full = plain_text(code_.decoder().text(address));
    if (insn.target) return branch_text(insn, full);
    if (named_[v].empty()) return full;
    std::string out = mnemonic(full);
    for (const MicroOp& op : insn.ops)
      out += fmt::format(" {}:{},{},{}", static_cast<unsigned>(op.op), operand_text(op.dst), operand_text(op.a),
                         operand_text(op.b));
    return out + " " + named_[v];
  }

  // Without the target, which stands last.
  std::string branch_text(const Insn& insn, const std::string& full) const {
    const std::size_t comma = full.rfind(',');
    std::string out = comma == std::string::npos ? mnemonic(full) : full.substr(0, comma);
    const bool inside = std::binary_search(routine_.begin(), routine_.end(), *insn.target);
    if (!inside) out += fmt::format(" {}", lasting_callee_name(image_, *insn.target));
    // The branch by which code learns its own address: the distance is its meaning.
    const std::uint64_t distance = *insn.target - insn.address;
    if (insn.sets_link && inside && distance <= get_pc_reach) out += fmt::format(" +{}", distance);
    return out;
  }

  Code& code_;
  const Image& image_;
  const Graph& graph_;
  std::vector<std::uint64_t> routine_;  // addresses of its instructions, sorted
  std::vector<std::string> named_;      // by vertex: what the address that it helps to make names
};

}  // namespace

std::vector<std::uint64_t> instruction_shapes(Code& code, const RoutinePaths& routine) {
  return Shaper(code, routine).shapes();
}

}  // namespace trapline
