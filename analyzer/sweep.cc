// SPDX-License-Identifier: Apache-2.0
//
// Rules over all executable code. First every aligned word is asked whether its encoding could be at fault; then the
// functions that have such instructions are walked like entry routines, and each of the instructions is judged on the
// paths that it is on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>

#include "analyzer/analyze.h"
#include "analyzer/image_set.h"
#include "analyzer/label.h"
#include "analyzer/lint.h"
#include "analyzer/parallel.h"
#include "disasm/arch/arch.h"
#include "rules/link_stack.h"
#include "rules/rules.h"

namespace trapline {
namespace {

using Candidates = FindingsReport::Candidates;

// A function has a few paths where such code is written by hand. What has more is compiled, and calls.
constexpr PathLimits limits{.listed = 64, .walked = 4096, .steps = 400'000};

struct Chunk {
  const Section* section = nullptr;
  std::size_t first = 0, last = 0;  // words of the section
};

std::vector<Chunk> chunks_of(const Image& image) {
  constexpr std::size_t words = 1 << 16;
  std::vector<Chunk> chunks;
  for (const Section& section : image.sections()) {
    if (!section.executable || !section.allocated) continue;
    const std::size_t count = section.bytes.size() / 4;
    for (std::size_t first = 0; first < count; first += words)
      chunks.push_back({&section, first, std::min(first + words, count)});
  }
  return chunks;
}

// The words [first, last) of a section in the bit order of the manual.
std::vector<std::uint32_t> words_of(const Section& section, std::size_t first, std::size_t last, bool little) {
  std::vector<std::uint32_t> words(last - first);
  if (!words.empty()) std::memcpy(words.data(), section.bytes.data() + 4 * first, 4 * words.size());
  if (little != (std::endian::native == std::endian::little))
    for (std::uint32_t& w : words) w = __builtin_bswap32(w);
  return words;
}

// Calls whose displacement a relocation holds (ARM: all of them) and that go a little forward.
void add_relocated(const Image& image, const LinkStack& stack, std::vector<std::uint64_t>& candidates) {
  constexpr std::uint64_t near = 256, bias = 16;  // bytes; a branch on ARM counts from 8 behind itself
  Code code(image);
  for (const Relocation& r : image.relocations()) {
    if (r.target - r.address + bias > near + 2 * bias || !image.is_code(r.address)) continue;
    const Insn& insn = code.insn(r.address);
    if (insn.flow == Flow::call && insn.target && *insn.target - r.address - 1 < near &&
        stack.effect(insn) == LinkEffect::push)
      candidates.push_back(r.address);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
}

// Where the instructions are that pass the cheap filter.
std::vector<std::uint64_t> find_candidates(const Image& image, const LinkStack& stack, unsigned jobs) {
  constexpr std::size_t around = 128;  // words before and behind a chunk that the filter may look at
  const bool little = image.elf().little_endian != image.arch().swapped_code(image.elf());
  const std::vector<Chunk> chunks = chunks_of(image);
  std::vector<std::vector<std::uint64_t>> found(chunks.size());
  for_each_job(
      chunks.size(), jobs, [] { return std::make_unique<int>(0); },
      [&](int&, std::size_t k) {
        const Chunk& c = chunks[k];
        const std::size_t begin = c.first - std::min(c.first, around);
        const std::size_t end = std::min(c.last + around, c.section->bytes.size() / 4);
        const std::vector<std::uint32_t> words = words_of(*c.section, begin, end, little);
        for (std::size_t i = c.first; i < c.last; ++i)
          if (stack.candidate(words, i - begin)) found[k].push_back(c.section->address + 4 * i);
      });
  std::vector<std::uint64_t> all;
  for (const std::vector<std::uint64_t>& part : found) all.insert(all.end(), part.begin(), part.end());
  if (!image.relocations().empty()) add_relocated(image, stack, all);
  return all;
}

// The candidates of one function, or of one symbol in assembly.
struct Function {
  const Symbol* symbol = nullptr;
  std::vector<std::uint64_t> candidates;
};

// Shows every path of one function to the rule, and keeps what became of each branch.
class SweepVisitor : public PathVisitor {
 public:
  explicit SweepVisitor(const RoutineInfo& info) : info_(info) { restart(); }

  void restart() override {
    findings_.clear();
    verdicts_.clear();
    rule_ = make_link_stack_imbalance();
    examined_ = 0;
  }

  void path(const FinishedPath& end) override {
    const EndState state(end, end.machine.setting(), info_.contract);
    const PathView view(info_, state);
    ++examined_;
    rule_->path(view, findings_);
    for (const LinkEvent& e : judge_.judge(view)) {
      LinkVerdict& worst = verdicts_.try_emplace(view.address_of(e.step), e.verdict).first->second;
      worst = std::max(worst, e.verdict);
    }
  }

  void came_back(std::uint64_t, std::uint64_t, const State&, const State&, Machine&) override {}

  // Nothing: no path has it, or it is a call that the paths step over.
  std::optional<LinkVerdict> verdict(std::uint64_t address) const {
    const auto found = verdicts_.find(address);
    return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
  }
  const Findings& findings() const { return findings_; }
  std::uint64_t examined() const { return examined_; }

 private:
  const RoutineInfo& info_;
  Findings findings_;
  std::map<std::uint64_t, LinkVerdict> verdicts_;
  std::unique_ptr<Rule> rule_;
  LinkStackJudge judge_;
  std::uint64_t examined_ = 0;
};

// What one function contributes.
struct Swept {
  Entry entry;
  RoutineResult result;
  Candidates counts;
  std::vector<std::uint64_t> undecided, unreached;
};

// Does the instruction call a function, by the look of its target?
bool calls_function(const Image& image, const Insn& insn) {
  if (insn.flow != Flow::call || !insn.target) return false;
  const std::uint64_t target = image.resolve(*insn.target, insn.address);
  if (!image.is_code(target)) {
    const Symbol* symbol = image.enclosing_symbol(target);
    return symbol != nullptr && symbol->undefined;
  }
  if (target == insn.address + insn.size) return false;
  const Symbol* there = image.enclosing_symbol(target);
  return there != nullptr && (there->address == target || image.arch().code_address(image, *there) == target);
}

bool reaches(const RoutineGraph& routine, std::uint64_t address) {
  for (auto [v, end] = boost::vertices(routine.graph); v != end; ++v)
    if (routine.graph[*v].key.address == address) return true;
  return false;
}

// What the encoding alone decides is counted; what is left is to be walked.
std::vector<std::uint64_t> count_by_encoding(Code& code, const LinkStack& stack, Swept& swept,
                                             const std::vector<std::uint64_t>& candidates) {
  std::vector<std::uint64_t> rest;
  for (std::uint64_t address : candidates) {
    const Insn& insn = code.insn(address);
    if (stack.effect(insn) == LinkEffect::exempt)
      ++swept.counts.exempt;
    else if (calls_function(code.image(), insn))
      ++swept.counts.calls;
    else
      rest.push_back(address);
  }
  return rest;
}

void count_verdict(Swept& swept, std::uint64_t address, std::optional<LinkVerdict> verdict, bool reached,
                   bool bounded) {
  if (!verdict && reached && !bounded) {
    ++swept.counts.calls;
  } else if (!verdict && !reached) {
    ++swept.counts.unreached;
    swept.unreached.push_back(address);
  } else if (verdict && is_fault(*verdict)) {
    ++swept.counts.found;
  } else if (!verdict || bounded || *verdict == LinkVerdict::undecided) {
    ++swept.counts.undecided;
    swept.undecided.push_back(address);
  } else {
    ++(*verdict == LinkVerdict::flush ? swept.counts.flush : swept.counts.balanced);
  }
}

Swept sweep_function(Code& code, const LinkStack& stack, const Function& function) {
  Swept swept;
  const Image& image = code.image();
  const std::uint64_t start =
      function.symbol != nullptr ? image.arch().code_address(image, *function.symbol) : function.candidates.front();
  swept.entry.report.name = function.symbol != nullptr ? std::string(function.symbol->name) : image.describe(start);
  swept.entry.address = start;
  swept.entry.contract.kind = ContractKind::function;
  const std::vector<std::uint64_t> rest = count_by_encoding(code, stack, swept, function.candidates);
  if (rest.empty()) return swept;
  const RoutineInfo info{code, swept.entry.report.name, Role::user_named, swept.entry.contract};
  SweepVisitor visitor(info);
  const RoutinePaths found = find_paths(code, start, swept.entry.contract, limits, &visitor);
  for (const auto& [key, finding] : visitor.findings().all()) swept.result.findings.push_back(finding);
  if (!swept.result.findings.empty())
    for (const Path& p : found.paths) swept.result.ids.emplace(p.number, path_id(swept.entry.report.name, p));
  swept.result.examined = visitor.examined();
  swept.result.infeasible = found.infeasible;
  for (std::uint64_t address : rest)
    count_verdict(swept, address, visitor.verdict(address), reaches(found.routine, address), found.bounded);
  return swept;
}

// The function that the address is in by its size, else the symbol before it: assembly has symbols within functions.
const Symbol* function_at(const Image& image, std::uint64_t address) {
  constexpr int most = 32;  // symbols looked at
  const std::span<const Symbol> symbols = image.symbols();
  auto it = std::upper_bound(symbols.begin(), symbols.end(), address,
                             [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  for (int i = 0; i < most && it != symbols.begin(); ++i) {
    --it;
    if (it->type == SymbolType::func && !it->undefined && address - it->address < it->size) return &*it;
  }
  return image.enclosing_symbol(address);
}

std::vector<Function> functions_of(const Image& image, const std::vector<std::uint64_t>& candidates) {
  std::vector<Function> functions;
  for (std::uint64_t address : candidates) {
    if (image.arch().unit(image, address) != 4) continue;
    const Symbol* symbol = function_at(image, address);
    if (functions.empty() || symbol == nullptr || functions.back().symbol != symbol) functions.push_back({symbol, {}});
    functions.back().candidates.push_back(address);
  }
  return functions;
}

// "not decided: longjmp+0x74, ... and 3 more".
void add_places(FindingsReport::ImagePart& part, const Image& image, std::string_view what,
                const std::vector<std::uint64_t>& places) {
  constexpr std::size_t most = 12;
  if (places.empty()) return;
  std::string text = std::string(what) + ": ";
  const std::size_t count = places.size() <= most + 1 ? places.size() : most;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + image.describe(places[i]);
  if (count != places.size()) text += fmt::format(" and {} more", places.size() - count);
  part.remarks.push_back(std::move(text));
}

void add(Candidates& to, const Candidates& c) {
  to.found += c.found, to.exempt += c.exempt, to.flush += c.flush, to.calls += c.calls, to.balanced += c.balanced;
  to.undecided += c.undecided, to.unreached += c.unreached;
}

}  // namespace

FindingsReport::ImagePart analyze_sweep(const Image& image, const AnalyzeOptions& options, const Config& config) {
  FindingsReport::ImagePart part;
  part.head = image_head(image);
  part.candidates.emplace();
  const std::optional<LinkStack>& stack = facts_of(image).link_stack;
  if (!stack) {
    part.remarks.push_back(
        fmt::format("{}: not applicable: {}", rule_info(RuleId::link_stack_imbalance).id, no_link_stack));
    return part;
  }
  const std::vector<Function> functions = functions_of(image, find_candidates(image, *stack, options.jobs));
  std::vector<Swept> swept(functions.size());
  for_each_job(
      functions.size(), options.jobs, [&] { return std::make_unique<Code>(image); },
      [&](Code& code, std::size_t i) { swept[i] = sweep_function(code, *stack, functions[i]); });
  std::vector<Entry> entries;
  std::vector<RoutineResult> results;
  std::vector<std::uint64_t> undecided, unreached;
  for (Swept& s : swept) {
    add(*part.candidates, s.counts);
    undecided.insert(undecided.end(), s.undecided.begin(), s.undecided.end());
    unreached.insert(unreached.end(), s.unreached.begin(), s.unreached.end());
    if (s.result.examined == 0) continue;
    entries.push_back(std::move(s.entry));
    results.push_back(std::move(s.result));
  }
  report_findings(part, image, entries, results, config);
  add_places(part, image, "not decided, the address comes from memory or from the caller", undecided);
  add_places(part, image, "on no path from a symbol: data, or code that only a jump leads to", unreached);
  const std::span<const Symbol> marks = image.mapping_symbols();
  if (std::any_of(marks.begin(), marks.end(), [](const Symbol& s) { return s.name.starts_with("$t"); }))
    part.remarks.push_back("Thumb code was not swept");
  return part;
}

bool is_swept(std::string_view rule) { return rule == rule_info(RuleId::link_stack_imbalance).id; }

std::vector<FindingsReport::ImagePart> analyze_sweep(ImageSet& images, const AnalyzeOptions& options,
                                                     const Config& config) {
  std::vector<FindingsReport::ImagePart> parts{analyze_sweep(images.main(), options, config)};
  for (const std::unique_ptr<Image>& vdso : images.embedded()) parts.push_back(analyze_sweep(*vdso, options, config));
  return parts;
}

}  // namespace trapline
