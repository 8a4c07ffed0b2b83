// SPDX-License-Identifier: Apache-2.0
//
// A path is a sequence of tokens: what it asks, with the answer, and what it calls. Paths are matched in stages, each
// among those that the stages before have left:
//
//   1. the same tokens and the same instructions
//   2. the same tokens
//   3. the same tokens, once those are left out that only one of the builds has at all: a question that is new, a call
//      that is gone. Where the new build has more such paths than the old one, a new question has split one; the
//      reverse is a merge.
//   4. the most similar tokens, from a threshold on
//
// Before stage 3, questions that only one build asks are paired: the same thing, tested in another way. Everything is
// done in the order of the reports, so that the same reports give the same matches.
#include "analyzer/path_match.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/hash.h"

namespace trapline {
namespace {

using Token = PathShape::Token;
using Sequence = std::vector<Hash>;
using Indices = std::vector<std::size_t>;

// Pairs that are compared one by one; where there would be more, paths are paired in their order.
constexpr std::size_t compared_pairs = std::size_t{1} << 20;
// Tokens in common, of those that the two paths have on average, from which on they are the same path.
constexpr double threshold = 0.6;

Hash mix_all(const Sequence& sequence) {
  Hash h = sequence.size();
  for (const Hash s : sequence) h = mix(h, s);
  return h;
}

// How a path ends, without names.
Hash end_of(const PathReport& p) { return mix(static_cast<Hash>(p.end), static_cast<Hash>(p.to)); }

// What a token stands for, whatever the answer.
Hash identity(const Token& t) { return mix(static_cast<Hash>(t.kind), t.what); }

// The jump at the end, as one more call.
Token end_token(const PathReport& p) {
  return {.kind = Token::Kind::call, .what = mix(hash_of(p.end_symbol), hash_of("end"))};
}

// One side of the comparison.
struct Side {
  const std::vector<PathReport>& paths;
  std::vector<std::vector<Token>> tokens;  // by path, the jump at the end included
  Indices left;                            // paths without a match

  explicit Side(const RoutineReport& routine) : paths(routine.paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      tokens.push_back(paths[i].shape.tokens);
      if (paths[i].end == PathEnd::jump) tokens.back().push_back(end_token(paths[i]));
      left.push_back(i);
    }
  }
};

// Questions that only one build asks, paired: how each is written, so that both sides read the same.
struct Renaming {
  std::unordered_map<Hash, Hash> names;  // by identity
  std::unordered_set<Hash> by_taken;     // of these, those whose answer is whether the branch is taken

  Hash name(const Token& t) const {
    const Hash own = identity(t);
    const auto it = names.find(own);
    return it == names.end() ? own : it->second;
  }
  Hash token(const Token& t) const {
    const bool answer = by_taken.contains(identity(t)) ? t.taken : t.holds;
    return mix(name(t), answer ? 1 : 0);
  }
};

// Distinct tokens of a routine in the order of their first appearance.
std::vector<Token> vocabulary(const Side& side) {
  std::vector<Token> out;
  std::unordered_set<Hash> seen;
  for (const std::vector<Token>& tokens : side.tokens)
    for (const Token& t : tokens)
      if (seen.insert(identity(t)).second) out.push_back(t);
  return out;
}

class Matcher {
 public:
  Matcher(const RoutineReport& before, const RoutineReport& after) : old_(before), new_(after) {}

  PathMatches match() {
    by_key([](const Side& s, std::size_t i) { return mix(plain_key(s, i), s.paths[i].shape.code); });
    by_key(plain_key);
    if (!old_.left.empty() || !new_.left.empty()) {
      find_renaming();
      by_group();
      by_similarity();
    }
    for (const std::size_t i : old_.left) out_.pairs.push_back({i, no_path});
    for (const std::size_t i : new_.left) out_.pairs.push_back({no_path, i});
    return std::move(out_);
  }

 private:
  static Hash plain_key(const Side& s, std::size_t i) {
    Hash h = end_of(s.paths[i]);
    for (const Token& t : s.tokens[i]) h = mix(h, mix(identity(t), t.holds ? 1 : 0));
    return h;
  }

  void pair(std::size_t before, std::size_t after) {
    out_.pairs.push_back({before, after});
    paired_old_[before] = after;
    paired_new_[after] = before;
  }
  void drop_paired() {
    std::erase_if(old_.left, [&](std::size_t i) { return paired_old_.contains(i); });
    std::erase_if(new_.left, [&](std::size_t i) { return paired_new_.contains(i); });
  }

  // Pairs what has one key: those of one label first, in their order.
  template <typename Key>
  void by_key(const Key& key) {
    std::unordered_map<Hash, Indices> old_with;
    for (const std::size_t i : old_.left) old_with[key(old_, i)].push_back(i);
    std::vector<std::pair<Indices*, Indices>> groups;
    std::unordered_map<Hash, std::size_t> group_of;
    for (const std::size_t i : new_.left) {
      const Hash k = key(new_, i);
      const auto found = old_with.find(k);
      if (found == old_with.end()) continue;
      const auto [it, fresh] = group_of.try_emplace(k, groups.size());
      if (fresh) groups.push_back({&found->second, {}});
      groups[it->second].second.push_back(i);
    }
    for (auto& [before, after] : groups) zip(*before, after);
    drop_paired();
  }

  // Pairs two lists in their order, those of one label first.
  void zip(Indices before, Indices after) {
    for (const bool same_label : {true, false}) {
      std::map<std::string_view, Indices> old_by_label;
      for (const std::size_t i : before)
        old_by_label[same_label ? label_words(old_.paths[i].label) : std::string_view()].push_back(i);
      std::map<std::string_view, std::size_t> used;
      for (const std::size_t i : after) {
        const std::string_view label = same_label ? label_words(new_.paths[i].label) : std::string_view();
        const Indices& candidates = old_by_label[label];
        if (std::size_t& next = used[label]; next < candidates.size()) pair(candidates[next++], i);
      }
      std::erase_if(before, [&](std::size_t i) { return paired_old_.contains(i); });
      std::erase_if(after, [&](std::size_t i) { return paired_new_.contains(i); });
    }
  }

  // Decisions of one build alone that have a counterpart in the other: the same value tested for something else, else
  // the same instruction.
  void find_renaming() {
    std::vector<Token> only_old, only_new;
    std::unordered_set<Hash> known;
    const std::vector<Token> all_old = vocabulary(old_), all_new = vocabulary(new_);
    for (const Token& t : all_old) known.insert(identity(t));
    for (const Token& t : all_new) {
      if (known.contains(identity(t)))
        common_.insert(identity(t));
      else if (t.kind == Token::Kind::decision)
        only_new.push_back(t);
    }
    for (const Token& t : all_old)
      if (t.kind == Token::Kind::decision && !common_.contains(identity(t))) only_old.push_back(t);
    rename(only_old, only_new, [](const Token& t) { return t.subject; }, false);
    rename(only_old, only_new, [](const Token& t) { return t.site; }, true);
  }

  template <typename Key>
  void rename(std::vector<Token>& only_old, std::vector<Token>& only_new, const Key& key, bool by_taken) {
    std::map<Hash, std::pair<std::vector<Token>, std::vector<Token>>> groups;
    for (const Token& t : only_old) groups[key(t)].first.push_back(t);
    for (const Token& t : only_new) groups[key(t)].second.push_back(t);
    std::unordered_set<Hash> done;
    for (const auto& [k, group] : groups) {
      const auto& [before, after] = group;
      // Several that look alike are paired in their order if they are equally many; else nobody knows.
      if (before.size() != after.size() || (by_taken && before.size() != 1)) continue;
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Hash name = mix(identity(before[i]), identity(after[i]));
        for (const Token& t : {before[i], after[i]}) {
          renaming_.names[identity(t)] = name;
          if (by_taken) renaming_.by_taken.insert(identity(t));
          done.insert(identity(t));
        }
        common_.insert(name);
      }
    }
    std::erase_if(only_old, [&](const Token& t) { return done.contains(identity(t)); });
    std::erase_if(only_new, [&](const Token& t) { return done.contains(identity(t)); });
  }

  Sequence sequence(const Side& s, std::size_t i, bool common_only) const {
    Sequence out;
    for (const Token& t : s.tokens[i])
      if (!common_only || common_.contains(renaming_.name(t))) out.push_back(renaming_.token(t));
    return out;
  }

  // Stage 3.
  void by_group() {
    struct Group {
      Indices before, after;
    };
    std::vector<Group> groups;
    std::unordered_map<Hash, std::size_t> index;
    const auto group = [&](const Side& s, std::size_t i) -> Group& {
      const Hash key = mix(end_of(s.paths[i]), mix_all(sequence(s, i, true)));
      const auto [it, fresh] = index.try_emplace(key, groups.size());
      if (fresh) groups.emplace_back();
      return groups[it->second];
    };
    for (const std::size_t i : new_.left) group(new_, i).after.push_back(i);
    for (const std::size_t i : old_.left) group(old_, i).before.push_back(i);
    for (Group& g : groups) {
      if (g.before.empty() || g.after.empty()) continue;
      assign(g.before, g.after, 0);
      for (const std::size_t i : g.after)
        if (!paired_new_.contains(i)) out_.splits.push_back({most_similar(old_, g.before, new_, i), i});
      for (const std::size_t i : g.before)
        if (!paired_old_.contains(i)) out_.merges.push_back({i, most_similar(new_, g.after, old_, i)});
      for (const std::size_t i : g.after) split_.insert(i);
      for (const std::size_t i : g.before) merged_.insert(i);
    }
    drop_paired();
    std::erase_if(new_.left, [&](std::size_t i) { return split_.contains(i); });
    std::erase_if(old_.left, [&](std::size_t i) { return merged_.contains(i); });
  }

  // Stage 4: among paths of one end.
  void by_similarity() {
    std::map<Hash, std::pair<Indices, Indices>> ends;
    for (const std::size_t i : old_.left) ends[end_of(old_.paths[i])].first.push_back(i);
    for (const std::size_t i : new_.left) ends[end_of(new_.paths[i])].second.push_back(i);
    for (auto& [end, sides] : ends) assign(sides.first, sides.second, threshold);
    drop_paired();
  }

  struct Candidate {
    bool same_label = false;
    double similarity = 0;
    std::uint64_t distance = 0;  // of the costs, instructions
    std::size_t before = 0, after = 0;
    // The best first.
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return std::tuple(!a.same_label, -a.similarity, a.distance, a.after, a.before) <
             std::tuple(!b.same_label, -b.similarity, b.distance, b.after, b.before);
    }
  };

  Candidate candidate(std::size_t before, std::size_t after, double similarity) const {
    const PathReport &p = old_.paths[before], &q = new_.paths[after];
    const std::uint64_t x = p.cost.instructions, y = q.cost.instructions;
    return {label_words(p.label) == label_words(q.label), similarity, std::max(x, y) - std::min(x, y), before, after};
  }

  // Pairs one to one, the most similar first; in a group too large for that, in order.
  void assign(const Indices& before, const Indices& after, double least) {
    if (before.size() * after.size() > compared_pairs) return zip(before, after);
    std::vector<Sequence> sequences;
    for (const std::size_t i : after) sequences.push_back(sequence(new_, i, false));
    std::vector<Candidate> candidates;
    for (const std::size_t i : before) {
      const Sequence own = sequence(old_, i, false);
      const CommonLength common(own);
      for (std::size_t k = 0; k < after.size(); ++k) {
        const double size = static_cast<double>(own.size() + sequences[k].size()) / 2;
        const double similarity = size == 0 ? 1.0 : static_cast<double>(common.with(sequences[k])) / size;
        if (similarity >= least) candidates.push_back(candidate(i, after[k], similarity));
      }
    }
    std::sort(candidates.begin(), candidates.end());
    for (const Candidate& c : candidates)
      if (!paired_old_.contains(c.before) && !paired_new_.contains(c.after)) pair(c.before, c.after);
  }

  // Of `others`, the one that `path` is most like. There are some.
  std::size_t most_similar(const Side& theirs, const Indices& others, const Side& ours, std::size_t path) const {
    const CommonLength common(sequence(ours, path, false));
    constexpr std::size_t looked_at = 64;  // they differ in little
    std::size_t best = others.front(), best_length = 0;
    std::uint64_t best_distance = ~std::uint64_t{0};
    for (std::size_t k = 0; k < std::min(looked_at, others.size()); ++k) {
      const std::size_t length = common.with(sequence(theirs, others[k], false));
      const std::uint64_t x = ours.paths[path].cost.instructions, y = theirs.paths[others[k]].cost.instructions;
      const std::uint64_t distance = std::max(x, y) - std::min(x, y);
      if (std::pair(length, ~distance) <= std::pair(best_length, ~best_distance)) continue;
      best = others[k];
      best_length = length;
      best_distance = distance;
    }
    return best;
  }

  Side old_, new_;
  PathMatches out_;
  std::unordered_map<std::size_t, std::size_t> paired_old_, paired_new_;
  std::unordered_set<std::size_t> split_, merged_;
  std::unordered_set<Hash> common_;  // identities, or names given by the renaming, that both builds have
  Renaming renaming_;
};

}  // namespace

PathMatches match_paths(const RoutineReport& before, const RoutineReport& after) {
  return Matcher(before, after).match();
}

std::string_view label_words(std::string_view label) {
  const std::size_t number = label.rfind(" #");
  return number == std::string_view::npos ? label : label.substr(0, number);
}

CommonLength::CommonLength(const std::vector<std::uint64_t>& a)
    : size_(a.size()), words_((a.size() + word_bits - 1) / word_bits) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::uint64_t>& bits = where_[a[i]];
    bits.resize(words_);
    bits[i / word_bits] |= std::uint64_t{1} << (i % word_bits);
  }
}

// Bit-parallel, after H. Hyyro, "Bit-parallel LCS-length computation revisited", 2004: a zero in `row` for each element
// of `a` at which the length grows.
std::size_t CommonLength::with(const std::vector<std::uint64_t>& b) const {
  std::vector<std::uint64_t> row(words_, ~std::uint64_t{0});
  for (const std::uint64_t element : b) {
    const auto it = where_.find(element);
    if (it == where_.end()) continue;
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t both = row[w] & it->second[w];
      const std::uint64_t sum = row[w] + both, with_carry = sum + carry;
      carry = (sum < row[w] || with_carry < sum) ? 1 : 0;
      row[w] = with_carry | (row[w] - both);
    }
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < size_; ++i) length += (row[i / word_bits] >> (i % word_bits) & 1) == 0 ? 1 : 0;
  return length;
}

}  // namespace trapline
