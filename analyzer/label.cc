// SPDX-License-Identifier: Apache-2.0
#include "analyzer/label.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "disasm/arch/arch.h"

namespace trapline {

namespace {

// The order of the words in a label.
constexpr std::string_view mark_order[] = {"work", "trace", "restart", "sigreturn"};

// full: every register that user mode sees was reloaded from the frame; partial: some were; empty: none.
std::string_view restore_word(const Facts& facts, const Path& path, ReturnTo to) {
  bool all = true, some = false;
  for (std::size_t i = 0; i < facts.places.size(); ++i) {
    const PlaceInfo& info = facts.places[i];
    if (!info.user_visible || info.kind != PlaceKind::general) continue;
    bool restored = path.restored.test(i);
    some = some || restored;
    // A register that the kernel owns keeps its value on the way back to kernel code.
    if (!restored && !(info.kernel_owned && to != ReturnTo::user)) all = false;
  }
  return !some ? "" : all ? "full" : "partial";
}

std::uint8_t marks_at(const Image& image, std::uint64_t address) {
  std::uint8_t marks = 0;
  for (const Symbol& symbol : image.symbols_at(address)) {
    for (const LabelMark& mark : image.arch().facts_for(image).labels) {
      if (fnmatch(std::string(mark.symbol).c_str(), std::string(symbol.name).c_str(), 0) != 0) continue;
      for (std::size_t i = 0; i < std::size(mark_order); ++i)
        if (mark_order[i] == mark.word) marks = static_cast<std::uint8_t>(marks | 1u << i);
    }
  }
  return marks;
}

std::string target_name(const Image& image, const Path& path) {
  return path.target ? fmt::format(" {}", callee_name(image, *path.target)) : std::string();
}

auto cost_key(const Cost& c) {
  return std::tie(c.instructions, c.loads, c.stores, c.registers_loaded, c.registers_stored, c.bytes_loaded,
                  c.bytes_stored, c.frame_loads, c.frame_stores, c.branches_taken, c.branches_not_taken, c.calls,
                  c.indirect_calls, c.system, c.barriers, c.atomics, c.nops, c.classes);
}

// What a reader wants to see first among labels that are equally common.
int rank(std::string_view words) {
  int n = 0;
  for (std::string_view first : {"user", "kernel", "either", "return"}) {
    if (words.starts_with(first)) return n;
    ++n;
  }
  return n;
}

struct ByCost {
  bool operator()(const Cost* a, const Cost* b) const { return cost_key(*a) < cost_key(*b); }
};

}  // namespace

std::string callee_name(const Image& image, std::uint64_t address) {
  const Symbol* symbol = image.enclosing_symbol(address);
  if (symbol != nullptr && image.arch().code_address(image, *symbol) == address) return std::string(symbol->name);
  return image.describe(address);
}

std::string path_id(const std::string& routine, const Path& path) {
  std::string id = routine + ":";
  for (const Decision& d : path.decisions) id += d.choice ? fmt::format("[{}]", *d.choice) : d.taken ? "t" : "n";
  return id;
}

ReturnTo return_to(const Contract& contract, const Path& path) {
  if (path.end != EndKind::exception_return || !path.to) return ReturnTo::none;
  if (*path.to == Machine::Privilege::user) return ReturnTo::user;
  if (*path.to == Machine::Privilege::kernel) return ReturnTo::kernel;
  switch (contract.from) {
    case Contract::From::user:
      return ReturnTo::user;
    case Contract::From::kernel:
      return ReturnTo::kernel;
    case Contract::From::either:
      break;
  }
  return ReturnTo::either;
}

Labeler::Labeler(const Image& image, const Contract& contract, const RoutinePaths& routine)
    : image_(image), contract_(contract) {
  const Graph& g = routine.routine.graph;
  marks_.resize(boost::num_vertices(g));
  if (image.arch().facts_for(image).labels.empty()) return;
  for (Vertex v = 0; v < marks_.size(); ++v) marks_[v] = marks_at(image, g[v].key.address);
}

std::string Labeler::words(const Path& path) const {
  std::string label;
  auto add = [&label](std::string_view word) {
    if (word.empty()) return;
    if (!label.empty()) label += ' ';
    label += word;
  };
  switch (path.end) {
    case EndKind::exception_return: {
      ReturnTo to = return_to(contract_, path);
      add(to == ReturnTo::user ? "user" : to == ReturnTo::kernel ? "kernel" : "either");
      add(restore_word(image_.arch().facts_for(image_), path, to));
      break;
    }
    case EndKind::ret:
      add("return");
      break;
    case EndKind::jump:
      add("jump" + target_name(image_, path));
      break;
    case EndKind::no_return:
      add("no-return" + target_name(image_, path));
      break;
    case EndKind::trap:
      add("trap");
      break;
    case EndKind::halt:
      add("halt");
      break;
    case EndKind::unresolved:
      add("unresolved");
      break;
    case EndKind::undecoded:
      add("undecoded");
      break;
    case EndKind::falls_off:
      add("falls-off");
      break;
  }
  std::uint8_t marks = 0;
  for (const Step& s : path.steps) marks |= marks_[s.node];
  if (!image_.arch().facts_for(image_).labels.empty())
    for (const CallOnPath& call : path.calls)
      if (call.site.target) marks |= marks_at(image_, *call.site.target);
  for (std::size_t i = 0; i < std::size(mark_order); ++i)
    if ((marks >> i & 1) != 0) add(mark_order[i]);
  return label;
}

void number_and_order(std::vector<PathReport>& paths) {
  std::map<std::string, std::set<const Cost*, ByCost>> costs;
  std::map<std::string, std::size_t> common;
  for (const PathReport& p : paths) {
    costs[p.label].insert(&p.cost);
    ++common[p.label];
  }
  std::vector<std::string> words(paths.size());
  std::vector<std::size_t> order(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    words[i] = paths[i].label;
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (words[a] != words[b]) {
      std::size_t na = common[words[a]], nb = common[words[b]];
      if (na != nb) return na > nb;
      return std::pair(rank(words[a]), words[a]) < std::pair(rank(words[b]), words[b]);
    }
    auto ka = cost_key(paths[a].cost), kb = cost_key(paths[b].cost);
    return ka != kb ? ka < kb : paths[a].id < paths[b].id;
  });
  std::vector<std::string> labels(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& equals = costs[words[i]];
    labels[i] = words[i];
    if (equals.size() > 1)
      labels[i] += fmt::format(" #{}", std::distance(equals.begin(), equals.find(&paths[i].cost)) + 1);
  }
  std::vector<PathReport> sorted;
  sorted.reserve(paths.size());
  for (std::size_t i : order) {
    paths[i].label = labels[i];
    sorted.push_back(std::move(paths[i]));
  }
  paths = std::move(sorted);
}

}  // namespace trapline
