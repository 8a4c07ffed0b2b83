// SPDX-License-Identifier: Apache-2.0
#include "analyzer/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analyzer/cross_check.h"
#include "analyzer/entries.h"
#include "analyzer/hash.h"
#include "analyzer/image_set.h"
#include "analyzer/label.h"
#include "analyzer/parallel.h"
#include "analyzer/path_shape.h"
#include "analyzer/slot_notes.h"
#include "cfg/paths.h"
#include "disasm/arch/arch.h"
#include "disasm/error.h"

namespace trapline {

namespace {

// What is said of an address, remembered: routines share code, paths share it all the more, and to print an instruction
// or to find a symbol is slow. One per image and thread.
struct Words {
  explicit Words(Code& c) : code(c), marks(c.image()) {}

  const std::string& text(std::uint64_t address) {
    auto [it, fresh] = texts.try_emplace(address);
    if (fresh) it->second = code.decoder().text(address);
    return it->second;
  }
  const std::string& where(std::uint64_t address) {
    auto [it, fresh] = places.try_emplace(address);
    if (fresh) it->second = code.image().describe(address);
    return it->second;
  }
  const std::string& callee(std::uint64_t address) {
    auto [it, fresh] = callees.try_emplace(address);
    if (fresh) it->second = callee_name(code.image(), address);
    return it->second;
  }

  Code& code;
  LabelMarks marks;
  std::unordered_map<std::uint64_t, std::string> texts, places, callees;
};

class Reporter {
 public:
  Reporter(Words& words, const Entry& entry, const RoutinePaths& found, const AnalyzeOptions& options,
           const SlotNotes* notes = nullptr, PathTokens* tokens = nullptr)
      : code_(words.code),
        image_(code_.image()),
        words_(words),
        entry_(entry),
        notes_(notes),
        tokens_(tokens),
        found_(found),
        options_(options) {
    const Graph& g = found.routine.graph;
    const Blocks& blocks = found.blocks;
    nodes_.resize(boost::num_vertices(g));
    for (Vertex v = 0; v < nodes_.size(); ++v) {
      const bool starts = blocks.blocks[blocks.block_of[v]].nodes.front() == v;
      nodes_[v] = {image_.shown(g[v].key.address), blocks.block_of[v], g[v].size, starts};
    }
  }

  RoutineReport routine() {
    RoutineReport r;
    r.name = entry_.report.name;
    r.version = entry_.report.version;
    r.aliases = entry_.report.aliases;
    r.role = entry_.report.role;
    r.address = entry_.report.address;
    const Graph& g = found_.routine.graph;
    r.nodes = boost::num_vertices(g);
    std::vector<std::uint64_t> addresses;
    for (Vertex v = 0; v < r.nodes; ++v) addresses.push_back(g[v].key.address);
    std::sort(addresses.begin(), addresses.end());
    r.instructions = static_cast<std::uint64_t>(std::unique(addresses.begin(), addresses.end()) - addresses.begin());
    r.paths_total = found_.total;
    r.infeasible = found_.infeasible;
    r.bounded = found_.bounded;
    r.loads = {found_.least.loads, found_.most.loads};
    r.stores = {found_.least.stores, found_.most.stores};
    r.instructions_range = {found_.least.instructions, found_.most.instructions};
    const Labeler labeler(image_, entry_.contract, found_, words_.marks);
    if (tokens_ != nullptr) shapes_ = instruction_shapes(code_, found_);
    r.paths.reserve(found_.paths.size());
    for (const Path& p : found_.paths) r.paths.push_back(path(p, labeler));
    number_and_order(r.paths);
    for (const Loop& l : found_.loops) r.loops.push_back(loop(l));
    r.remarks = remarks();
    return r;
  }

  CfgReport cfg() {
    CfgReport r;
    r.name = entry_.report.name;
    r.aliases = entry_.report.aliases;
    r.role = entry_.report.role;
    const Graph& g = found_.routine.graph;
    for (const Block& block : found_.blocks.blocks) r.blocks.push_back(cfg_block(block));
    std::set<std::tuple<std::size_t, std::size_t, std::string>> edges;
    for (const Block& block : found_.blocks.blocks) {
      Vertex last = block.nodes.back();
      for (auto [e, end] = boost::out_edges(last, g); e != end; ++e) {
        std::size_t to = found_.blocks.block_of[boost::target(*e, g)];
        edges.emplace(found_.blocks.block_of[last], to, edge_name(g[*e].kind));
      }
    }
    for (const auto& [from, to, kind] : edges) r.edges.push_back({from, to, kind});
    for (const Loop& l : found_.loops) r.loops.push_back(loop(l));
    r.remarks = remarks();
    return r;
  }

 private:
  static std::string edge_name(EdgeKind kind) {
    switch (kind) {
      case EdgeKind::next:
      case EdgeKind::executed:
      case EdgeKind::skipped:
      case EdgeKind::after_call:
        return "next";
      case EdgeKind::taken:
        return "taken";
      case EdgeKind::not_taken:
        return "not-taken";
      case EdgeKind::jump:
        return "jump";
      case EdgeKind::call_return:
        return "call-return";
      case EdgeKind::returns:
        return "return";
    }
    return "next";
  }

  static PathEnd end_of(EndKind kind) {
    switch (kind) {
      case EndKind::exception_return:
        return PathEnd::exception_return;
      case EndKind::ret:
        return PathEnd::ret;
      case EndKind::jump:
        return PathEnd::jump;
      case EndKind::no_return:
        return PathEnd::no_return;
      case EndKind::trap:
        return PathEnd::trap;
      case EndKind::halt:
        return PathEnd::halt;
      default:
        return PathEnd::unknown;
    }
  }

  std::string call_name(const CallSite& site) const {
    if (!site.target) return {};
    return words_.callee(*site.target);
  }

  LoopReport loop(const Loop& l) const {
    LoopReport r;
    r.address = image_.shown(l.head.address);
    r.symbol = words_.where(l.head.address);
    r.turns = l.turns;
    if (l.deciding != 0) r.condition = text(l.deciding);
    r.instructions = l.turn.instructions;
    r.loads = l.turn.loads;
    r.stores = l.turn.stores;
    return r;
  }

  PathReport path(const Path& p, const Labeler& labeler) {
    PathReport r;
    const Graph& g = found_.routine.graph;
    r.id = path_id(entry_.report.name, p);
    if (options_.details) {
      r.decisions.reserve(p.decisions.size());
      for (const Decision& d : p.decisions) r.decisions.push_back({image_.shown(d.address), text(d.address), d.taken});
      r.blocks = blocks(p);
    }
    r.label = labeler.words(p);
    r.end = end_of(p.end);
    r.to = return_to(entry_.contract, p);
    std::uint64_t last = g[p.steps.back().node].key.address;
    r.end_address = image_.shown(last);
    r.end_symbol = p.end == EndKind::jump && p.target ? words_.callee(*p.target) : words_.where(last);
    r.cost = p.cost;
    for (const CallOnPath& c : p.calls)
      r.calls.push_back({image_.shown(g[p.steps[c.step].node].key.address), call_name(c.site)});
    for (const Loop& l : p.counted) r.loops.push_back(loop(l));
    if (options_.details)
      for (std::size_t i : p.loops) r.loops.push_back(loop(found_.loops[i]));
    if (options_.listing) r.listing = listing(p);
    if (tokens_ != nullptr) r.shape = shape(p);
    return r;
  }

  PathShape shape(const Path& p) const {
    PathShape out;
    out.tokens = tokens_->take(p.number);
    for (const Step& s : p.steps) {
      // What an instruction does on this path is part of it: executed or not, taken or not.
      const std::uint64_t step = shapes_[s.node] ^ (s.executed ? 1U : 0U) ^ (s.transferred ? 2U : 0U);
      out.code = mix(out.code, step);
      if (options_.listing) out.steps.push_back(shapes_[s.node]);
    }
    return out;
  }

  std::vector<BlockReport> blocks(const Path& p) {
    std::vector<BlockReport>& out = blocks_;
    out.clear();
    std::size_t block = nodes_.size();  // none: the first step starts one
    for (const Step& s : p.steps) {
      const Shown& node = nodes_[s.node];
      if (node.starts || node.block != block) out.push_back({node.address, 0});
      out.back().size += node.size;
      block = node.block;
    }
    return {out.begin(), out.end()};  // of the size that is needed
  }

  std::vector<ListingLine> listing(const Path& p) const {
    std::vector<ListingLine> out;
    static const SlotNotes::Notes none;
    const SlotNotes::Notes& slots = notes_ != nullptr ? notes_->of(p.number) : none;
    std::size_t call = 0;
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      const Step& s = p.steps[i];
      ListingLine line = instruction(found_.routine.graph[s.node].key.address);
      const Insn& insn = code_.insn(found_.routine.graph[s.node].key.address);
      line.cls = insn.cls;
      line.loads = insn.memory.loads && s.executed;
      line.stores = insn.memory.stores && s.executed;
      if (s.conditional) {
        bool transfer = insn.flow != Flow::next;
        line.note = transfer ? (s.transferred ? "taken" : "not taken") : (s.executed ? "executed" : "not executed");
        if (s.known) line.note += ", as decided before";
      }
      if (call < p.calls.size() && p.calls[call].step == i) {
        std::string name = call_name(p.calls[call].site);
        if (!line.note.empty()) line.note += ", ";
        line.note += "calls " + (name.empty() ? "a computed address" : name);
        ++call;
      }
      if (auto slot = slots.find(static_cast<std::uint32_t>(i)); slot != slots.end())
        line.note += (line.note.empty() ? "" : ", ") + slot->second;
      out.push_back(std::move(line));
    }
    return out;
  }

  ListingLine instruction(std::uint64_t address) const {
    ListingLine line;
    line.address = image_.shown(address);
    line.where = words_.where(address);
    line.text = text(address);
    return line;
  }

  CfgReport::Block cfg_block(const Block& block) const {
    const Graph& g = found_.routine.graph;
    CfgReport::Block b;
    const Node& head = g[block.nodes.front()];
    b.address = image_.shown(head.key.address);
    b.where = words_.where(head.key.address);
    if (head.key.continuation != 0) {
      b.continuation = image_.shown(head.key.continuation);
      b.continuation_symbol = words_.where(head.key.continuation);
    }
    for (Vertex v : block.nodes) {
      b.size += g[v].size;
      b.instructions.push_back(instruction(g[v].key.address));
    }
    const Node& last = g[block.nodes.back()];
    if (last.end) {
      b.end = std::string(path_end_name(end_of(*last.end)));
      if (last.target) b.end += " " + callee_name(image_, *last.target);
    }
    return b;
  }

  std::vector<Remark> remarks() const {
    std::vector<Remark> out;
    const Graph& g = found_.routine.graph;
    std::set<std::uint64_t> seen;
    for (Vertex v = 0; v < boost::num_vertices(g); ++v) {
      const Node& node = g[v];
      if (!node.end || !seen.insert(node.key.address).second) continue;
      Remark r{image_.shown(node.key.address), words_.where(node.key.address), {}};
      if (*node.end == EndKind::unresolved) {
        r.what = "the target of '" + text(node.key.address) + "' is not known";
      } else if (*node.end == EndKind::undecoded) {
        std::span<const std::uint8_t> bytes = image_.bytes_at(node.key.address);
        std::string hex;
        for (std::size_t i = 0; i < std::min<std::size_t>(node.size, bytes.size()); ++i)
          hex += fmt::format(" {:02x}", bytes[i]);
        r.what = "bytes" + hex + " are no instruction that is known";
      } else if (*node.end == EndKind::falls_off) {
        r.what = "control runs past the end of the code";
      } else {
        continue;
      }
      out.push_back(std::move(r));
    }
    std::sort(out.begin(), out.end(), [](const Remark& a, const Remark& b) { return a.address < b.address; });
    return out;
  }

  const std::string& text(std::uint64_t address) const { return words_.text(address); }

  struct Shown {
    std::uint64_t address = 0;
    std::size_t block = 0;
    std::uint8_t size = 0;
    bool starts = false;  // a block
  };

  Code& code_;
  const Image& image_;
  Words& words_;
  const Entry& entry_;
  const SlotNotes* notes_;
  PathTokens* tokens_;
  std::vector<std::uint64_t> shapes_;  // by vertex: instruction_shapes
  std::vector<Shown> nodes_;           // by vertex
  std::vector<BlockReport> blocks_;    // of one path
  const RoutinePaths& found_;
  const AnalyzeOptions& options_;
};

PathsReport::ImagePart paths_of(const Image& image, const std::vector<Entry>& entries, const AnalyzeOptions& options) {
  PathsReport::ImagePart part;
  part.head = image_head(image);
  part.routines.resize(entries.size());
  PathLimits limits;
  limits.listed = options.max_paths;
  std::vector<std::vector<CodeRange>> instructions(entries.size());  // of each routine, for --cross-check
  struct Worker {
    explicit Worker(const Image& image) : code(image), words(code) {}
    Code code;
    Words words;
  };
  for_each_job(
      entries.size(), options.jobs, [&] { return std::make_unique<Worker>(image); },
      [&](Worker& worker, std::size_t i) {
        SlotNotes notes(entries[i].contract);
        PathTokens tokens(entries[i].contract);
        Visitors visitors;
        if (options.listing) visitors.add(notes);
        if (options.shapes) visitors.add(tokens);
        RoutinePaths found = find_paths(worker.code, entries[i].address, entries[i].contract, limits,
                                        visitors.empty() ? nullptr : &visitors);
        part.routines[i] =
            Reporter(worker.words, entries[i], found, options, &notes, options.shapes ? &tokens : nullptr).routine();
        if (options.cross_check) instructions[i] = instructions_of(found.routine.graph);
      });
  if (options.cross_check) part.cross_check = cross_check_report(image, instructions);
  return part;
}

CfgReport cfg_of(const Image& image, const Entry& entry, const AnalyzeOptions& options) {
  Code code(image);
  PathLimits limits;
  limits.listed = 0;
  limits.walked = 1 << 12;
  limits.steps = 2'000'000;
  RoutinePaths found = find_paths(code, entry.address, entry.contract, limits);
  Words words(code);
  CfgReport report = Reporter(words, entry, found, options).cfg();
  report.head = image_head(image);
  return report;
}

// The one routine that --entry names.
CfgReport cfg_of_one(const Image& main, const std::vector<Selection>& selections, const AnalyzeOptions& options) {
  std::size_t count = 0;
  std::string names;
  for (const Selection& selection : selections) {
    for (const Entry& e : selection.entries) {
      if (!names.empty()) names += ", ";
      names += e.report.name;
      if (selections.size() > 1) names += " of " + selection.image->path();
      ++count;
    }
  }
  if (count != 1)
    throw Error(main.path(), fmt::format("cfg draws one routine, and --entry names {}: {}", count, names));
  return cfg_of(*selections.front().image, selections.front().entries.front(), options);
}

void require_entry(const Image& image, const AnalyzeOptions& options) {
  if (options.entries.empty()) throw Error(image.path(), "cfg draws one routine: name it with --entry");
}

}  // namespace

PathsReport::ImagePart analyze_paths(const Image& image, const AnalyzeOptions& options) {
  return paths_of(image, locate_entries(image, options.entries, options.entry_rules), options);
}

std::vector<PathsReport::ImagePart> analyze_paths(ImageSet& images, const AnalyzeOptions& options) {
  std::vector<PathsReport::ImagePart> parts;
  for (const Selection& selection : select_entries(images, options.entries, options.entry_rules))
    parts.push_back(paths_of(*selection.image, selection.entries, options));
  return parts;
}

CfgReport analyze_cfg(const Image& image, const AnalyzeOptions& options) {
  require_entry(image, options);
  return cfg_of_one(image, {{&image, locate_entries(image, options.entries, options.entry_rules)}}, options);
}

CfgReport analyze_cfg(ImageSet& images, const AnalyzeOptions& options) {
  require_entry(images.main(), options);
  return cfg_of_one(images.main(), select_entries(images, options.entries, options.entry_rules), options);
}

}  // namespace trapline
