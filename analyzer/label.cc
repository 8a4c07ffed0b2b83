// SPDX-License-Identifier: Apache-2.0
#include "analyzer/label.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
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

}  // namespace

std::uint8_t LabelMarks::at(std::uint64_t address) {
  auto [it, fresh] = known_.try_emplace(address, std::uint8_t{0});
  if (!fresh) return it->second;
  std::uint8_t& marks = it->second;
  for (const Symbol& symbol : image_.symbols_at(address)) {
    for (const LabelMark& mark : facts_of(image_).labels) {
      if (fnmatch(std::string(mark.symbol).c_str(), std::string(symbol.name).c_str(), 0) != 0) continue;
      for (std::size_t i = 0; i < std::size(mark_order); ++i)
        if (mark_order[i] == mark.word) marks = static_cast<std::uint8_t>(marks | 1u << i);
    }
  }
  return marks;
}

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

Labeler::Labeler(const Image& image, const Contract& contract, const RoutinePaths& routine, LabelMarks& marks)
    : image_(image), facts_(facts_of(image)), contract_(contract), known_marks_(marks) {
  if (facts_.labels.empty()) return;
  const Graph& g = routine.routine.graph;
  marks_.resize(boost::num_vertices(g));
  std::uint8_t any = 0;
  for (Vertex v = 0; v < marks_.size(); ++v) any |= marks_[v] = marks.at(g[v].key.address);
  if (any == 0) marks_.clear();
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
      add(restore_word(facts_, path, to));
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
  if (!marks_.empty())
    for (const Step& s : path.steps) marks |= marks_[s.node];
  if (!facts_.labels.empty())
    for (const CallOnPath& call : path.calls)
      if (call.site.target) marks |= known_marks_.at(*call.site.target);
  for (std::size_t i = 0; i < std::size(mark_order); ++i)
    if ((marks >> i & 1) != 0) add(mark_order[i]);
  return label;
}

void number_and_order(std::vector<PathReport>& paths) {
  struct Group {
    std::size_t paths = 0;  // with these words
    std::size_t place = 0;  // among all words
  };
  std::map<std::string_view, Group> groups;
  for (const PathReport& p : paths) ++groups[p.label].paths;
  std::vector<std::pair<const std::string_view, Group>*> sorted_groups;
  for (auto& group : groups) sorted_groups.push_back(&group);
  std::sort(sorted_groups.begin(), sorted_groups.end(), [](const auto* a, const auto* b) {
    if (a->second.paths != b->second.paths) return a->second.paths > b->second.paths;
    return std::pair(rank(a->first), a->first) < std::pair(rank(b->first), b->first);
  });
  for (std::size_t i = 0; i < sorted_groups.size(); ++i) sorted_groups[i]->second.place = i;

  std::vector<std::pair<std::size_t, std::size_t>> order;  // place of the words, path
  for (std::size_t i = 0; i < paths.size(); ++i) order.emplace_back(groups[paths[i].label].place, i);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const PathReport &pa = paths[a.second], &pb = paths[b.second];
    auto ka = cost_key(pa.cost), kb = cost_key(pb.cost);
    return ka != kb ? ka < kb : pa.id < pb.id;
  });

  std::vector<PathReport> sorted;
  sorted.reserve(paths.size());
  std::vector<std::size_t> numbers;  // of `sorted`: by cost, among those of the same words
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same_words = i != 0 && order[i].first == order[i - 1].first;
    sorted.push_back(std::move(paths[order[i].second]));
    const bool same_cost = same_words && sorted[i].cost == sorted[i - 1].cost;
    numbers.push_back(!same_words ? 1 : numbers.back() + (same_cost ? 0 : 1));
  }
  // Words that all their paths have at one cost need no number.
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && order[last].first == order[first].first) ++last;
    for (std::size_t i = first; numbers[last - 1] > 1 && i < last; ++i)
      sorted[i].label += fmt::format(" #{}", numbers[i]);
  }
  paths = std::move(sorted);
}

}  // namespace trapline
