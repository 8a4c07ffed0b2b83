// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kernel_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace trapline {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_bytes = 1 << 20;  // of a header; the largest thread_info.h has 10 KiB
constexpr std::size_t max_files = 16;          // headers read
constexpr int max_includes = 8;                // nested
constexpr std::size_t max_macros = 1 << 16;    // remembered
constexpr std::size_t max_bodies = 8;          // of one macro
constexpr std::size_t max_work = 1 << 20;      // tokens evaluated
constexpr int max_nesting = 64;                // of parentheses and macros in an expression

constexpr KernelHeaders::Value unknown{};
constexpr KernelHeaders::Value exactly(std::uint64_t v) { return {v, v}; }

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The word at the start, which is cut off.
std::string take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t length = 0;
  if (!text.empty() && is_word_start(text.front()))
    while (length < text.size() && is_word(text[length])) ++length;
  const std::string word(text.substr(0, length));
  text.remove_prefix(length);
  return word;
}

// Lines joined at backslashes, comments replaced by a blank.
std::vector<std::string> logical_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      i += c == '\\' && rest[1] == '\r' ? 2 : 1;
    } else if (c == '\n') {
      quote = 0;
      lines.emplace_back();
    } else if (quote != 0) {
      lines.back() += c;
      if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\n')
        lines.back() += text[++i];
      else if (c == quote)
        quote = 0;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      lines.back() += ' ';
    } else if (rest.starts_with("//")) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else {
      if (c == '"' || c == '\'') quote = c;
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

// A C expression of integers, by recursive descent. What it does not understand is unknown.
class KernelHeaders::Evaluator {
 public:
  Evaluator(const KernelHeaders& headers, std::string_view text, std::set<std::string>& open, int depth = 0)
      : headers_(headers), rest_(text), open_(open), depth_(depth) {}

  Value run() {
    const Value v = choice();
    skip();
    return failed_ || !rest_.empty() ? unknown : v;
  }

 private:
  void skip() { rest_ = trimmed(rest_); }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  // The operator, and no longer one that begins so.
  bool take_alone(std::string_view token, std::string_view not_before) {
    skip();
    if (!rest_.starts_with(token)) return false;
    const std::string_view behind = rest_.substr(token.size());
    if (!behind.empty() && not_before.find(behind.front()) != std::string_view::npos) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  Value fail() {
    failed_ = true;
    return unknown;
  }
  static Value truth(std::optional<bool> b) { return b ? exactly(*b ? 1 : 0) : Value{0, 1}; }
  static std::optional<bool> is_true(Value v) {
    if (v.set != 0) return true;
    if (v.may == 0) return false;
    return std::nullopt;
  }

  Value choice() {
    if (++depth_ > max_nesting) return fail();
    const Value v = choice_inside();
    --depth_;
    return v;
  }
  Value choice_inside() {
    const Value condition = any();
    if (!take("?")) return condition;
    const Value yes = choice();
    if (!take(":")) return fail();
    const Value no = choice();
    const std::optional<bool> known = is_true(condition);
    if (known) return *known ? yes : no;
    return {yes.set & no.set, yes.may | no.may};
  }
  Value any() {
    Value v = all();
    while (take("||")) {
      const std::optional<bool> a = is_true(v), b = is_true(all());
      v = truth(a == true || b == true ? std::optional(true) : a && b ? std::optional(false) : std::nullopt);
    }
    return v;
  }
  Value all() {
    Value v = bit_or();
    while (take("&&")) {
      const std::optional<bool> a = is_true(v), b = is_true(bit_or());
      v = truth(a == false || b == false ? std::optional(false) : a && b ? std::optional(true) : std::nullopt);
    }
    return v;
  }
  Value bit_or() {
    Value v = bit_xor();
    while (take_alone("|", "|")) {
      const Value w = bit_xor();
      v = {v.set | w.set, v.may | w.may};
    }
    return v;
  }
  Value bit_xor() {
    Value v = bit_and();
    while (take("^")) {
      const Value w = bit_and();
      v = {(v.set & ~w.may) | (w.set & ~v.may), (v.may | w.may) & ~(v.set & w.set)};
    }
    return v;
  }
  Value bit_and() {
    Value v = equality();
    while (take_alone("&", "&")) {
      const Value w = equality();
      v = {v.set & w.set, v.may & w.may};
    }
    return v;
  }
  template <typename Compute>
  static Value exact(Value a, Value b, const Compute& compute) {
    return a.is_exact() && b.is_exact() ? exactly(compute(a.set, b.set)) : unknown;
  }
  Value equality() {
    Value v = order();
    for (;;) {
      const bool equal = take("==");
      if (!equal && !take("!=")) return v;
      v = exact(v, order(), [equal](std::uint64_t a, std::uint64_t b) { return std::uint64_t{(a == b) == equal}; });
    }
  }
  Value order() {
    Value v = shift();
    for (;;) {
      if (take("<="))
        v = exact(v, shift(), [](std::uint64_t a, std::uint64_t b) { return std::uint64_t{a <= b}; });
      else if (take(">="))
        v = exact(v, shift(), [](std::uint64_t a, std::uint64_t b) { return std::uint64_t{a >= b}; });
      else if (take_alone("<", "<"))
        v = exact(v, shift(), [](std::uint64_t a, std::uint64_t b) { return std::uint64_t{a < b}; });
      else if (take_alone(">", ">"))
        v = exact(v, shift(), [](std::uint64_t a, std::uint64_t b) { return std::uint64_t{a > b}; });
      else
        return v;
    }
  }
  Value shift() {
    Value v = sum();
    for (;;) {
      const bool left = take("<<");
      if (!left && !take(">>")) return v;
      const Value by = sum();
      if (!by.is_exact() || by.set > 63)
        v = unknown;
      else
        v = left ? Value{v.set << by.set, v.may << by.set} : Value{v.set >> by.set, v.may >> by.set};
    }
  }
  Value sum() {
    Value v = product();
    for (;;) {
      if (take("+"))
        v = exact(v, product(), [](std::uint64_t a, std::uint64_t b) { return a + b; });
      else if (take("-"))
        v = exact(v, product(), [](std::uint64_t a, std::uint64_t b) { return a - b; });
      else
        return v;
    }
  }
  Value product() {
    Value v = unary();
    for (;;) {
      if (take("*")) {
        v = exact(v, unary(), [](std::uint64_t a, std::uint64_t b) { return a * b; });
      } else if (take("/") || take("%")) {
        (void)unary();  // no mask is made so
        v = unknown;
      } else {
        return v;
      }
    }
  }
  Value unary() {
    if (++headers_.work_ > max_work || ++depth_ > max_nesting) return fail();
    const Value v = unary_inside();
    --depth_;
    return v;
  }
  Value unary_inside() {
    skip();
    if (rest_.empty()) return fail();
    if (take("~")) {
      const Value v = unary();
      return {~v.may, ~v.set};
    }
    if (take_alone("!", "=")) {
      const std::optional<bool> v = is_true(unary());
      return truth(v ? std::optional(!*v) : std::nullopt);
    }
    if (take("-")) return exact(exactly(0), unary(), [](std::uint64_t a, std::uint64_t b) { return a - b; });
    if (take("+")) return unary();
    if (take("(")) {
      const Value v = choice();
      return take(")") ? v : fail();
    }
    if (is_digit(rest_.front())) return number();
    return name();
  }
  Value number() {
    const bool hex = rest_.starts_with("0x") || rest_.starts_with("0X");
    const int base = hex ? 16 : rest_.front() == '0' ? 8 : 10;
    const char* begin = rest_.data() + (hex ? 2 : 0);
    std::uint64_t value = 0;
    const std::from_chars_result read = std::from_chars(begin, rest_.data() + rest_.size(), value, base);
    if (read.ec != std::errc()) return fail();
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    while (!rest_.empty() && std::string_view("uUlL").find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
    return rest_.empty() || !is_word(rest_.front()) ? exactly(value) : fail();
  }
  Value name() {
    const std::string word = take_word(rest_);
    if (word.empty()) return fail();
    if (word == "defined") return defined();
    skip();
    if (rest_.starts_with("(")) return call(word);
    return word.starts_with("CONFIG_") ? unknown : headers_.macro_value(word, open_, depth_);
  }
  Value defined() {
    const bool in_parentheses = take("(");
    const std::string word = take_word(rest_);
    if (word.empty() || (in_parentheses && !take(")"))) return fail();
    const Sure sure = headers_.is_defined_now(word);
    return truth(sure == Sure::maybe ? std::nullopt : std::optional(sure == Sure::yes));
  }
  // What the kernel's headers call in masks: BIT(n) of vdso/bits.h, _AC(n, UL) of uapi/linux/const.h. Any other is
  // unknown, IS_ENABLED(CONFIG_X) included.
  Value call(const std::string& word) {
    take("(");
    if (word == "BIT" || word == "_BITUL" || word == "BIT_ULL" || word == "_BITULL") {
      const Value by = choice();
      if (!take(")")) return fail();
      return by.is_exact() && by.set < 64 ? exactly(std::uint64_t{1} << by.set) : unknown;
    }
    if (word == "UL" || word == "_UL" || word == "ULL" || word == "_AC") {
      const Value v = choice();
      if (word == "_AC" && take(",")) (void)take_word(rest_);
      return take(")") ? v : fail();
    }
    int open = 1;
    while (!rest_.empty() && open > 0) {
      open += rest_.front() == '(' ? 1 : rest_.front() == ')' ? -1 : 0;
      rest_.remove_prefix(1);
    }
    return open == 0 ? unknown : fail();
  }

  const KernelHeaders& headers_;
  std::string_view rest_;
  std::set<std::string>& open_;  // macros being expanded: one that contains itself stays a name
  int depth_;                    // of parentheses and macros
  bool failed_ = false;
};

KernelHeaders::KernelHeaders(std::string root, std::string arch, const std::string& header)
    : root_(std::move(root)), arch_(std::move(arch)) {
  for (const char* name : {"__KERNEL__", "__ASSEMBLY__", "__ASSEMBLER__"}) macros_[name] = {{"1"}, true};
  read(header, Sure::yes, 0);
  found_ = files_ != 0;
}

void KernelHeaders::read(const std::string& name, Sure sure, int depth) {
  if (depth > max_includes || files_ >= max_files) return;
  for (const std::string& folder : {fmt::format("arch/{}/include", arch_), std::string("include")}) {
    const std::string shown = folder + "/" + name;
    const fs::path path = fs::path(root_) / shown;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
        problems_.push_back(fmt::format("{}: {}; ignored", shown, error.message()));
      continue;
    }
    if (!fs::is_regular_file(status)) {
      problems_.push_back(fmt::format("{} is no file; ignored", shown));
      continue;
    }
    if (const std::uintmax_t size = fs::file_size(path, error); error || size > max_bytes) {
      problems_.push_back(fmt::format("{} is larger than {} bytes; ignored", shown, max_bytes));
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file.is_open()) text << file.rdbuf();
    if (!file.is_open() || file.bad()) {
      problems_.push_back(fmt::format("{} cannot be read; ignored", shown));
      continue;
    }
    ++files_;
    std::vector<Condition> open;
    for (const std::string& one : logical_lines(text.str())) line(one, sure, open, depth);
    if (!open.empty()) problems_.push_back(fmt::format("{} ends within an #if", shown));
    return;
  }
}

void KernelHeaders::line(std::string_view text, Sure outside, std::vector<Condition>& open, int depth) {
  text = trimmed(text);
  if (!text.starts_with('#')) return;
  text.remove_prefix(1);
  const std::string directive = take_word(text);
  const Sure now = open.empty() ? outside : open.back().now;
  const auto negated = [](Sure s) { return s == Sure::yes ? Sure::no : s == Sure::no ? Sure::yes : Sure::maybe; };
  if (directive == "if" || directive == "ifdef" || directive == "ifndef") {
    Sure holds = Sure::maybe;
    if (directive == "if") {
      holds = is_true(text);
    } else {
      holds = is_defined_now(take_word(text));
      if (directive == "ifndef") holds = negated(holds);
    }
    open.push_back({now, holds, std::min(now, holds)});
  } else if ((directive == "elif" || directive == "else") && !open.empty()) {
    Condition& c = open.back();
    const Sure holds = directive == "else" ? Sure::yes : is_true(text);
    c.now = std::min({c.outside, holds, negated(c.before)});
    c.before = std::max(c.before, holds);
  } else if (directive == "endif" && !open.empty()) {
    open.pop_back();
  } else if (now != Sure::no) {
    if (directive == "define") define(text, now);
    if (directive == "undef") undefine(text, now);
    if (directive == "include") include(text, now, depth);
  }
}

void KernelHeaders::define(std::string_view rest, Sure sure) {
  const std::string name = take_word(rest);
  if (name.empty() || rest.starts_with("(") || macros_.size() >= max_macros) return;
  const std::string body(trimmed(rest));
  known_.clear();
  Macro& macro = macros_[name];
  if (sure == Sure::yes) {
    macro = {{body}, true};
    return;
  }
  if (macro.bodies.size() < max_bodies &&
      std::find(macro.bodies.begin(), macro.bodies.end(), body) == macro.bodies.end())
    macro.bodies.push_back(body);
}

void KernelHeaders::undefine(std::string_view rest, Sure sure) {
  const std::string name = take_word(rest);
  known_.clear();
  if (sure == Sure::yes)
    macros_.erase(name);
  else if (auto it = macros_.find(name); it != macros_.end())
    it->second.certain = false;
}

void KernelHeaders::include(std::string_view rest, Sure sure, int depth) {
  rest = trimmed(rest);
  if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return;
  const std::size_t end = rest.find(rest.front() == '<' ? '>' : '"', 1);
  if (end == std::string_view::npos) return;
  const std::string_view name = rest.substr(1, end - 1);
  const std::string_view file = name.substr(name.rfind('/') + 1);
  // What else a header includes does not number flags.
  const bool wanted = file.starts_with("thread_info") && (name.starts_with("asm/") || name.starts_with("asm-generic/"));
  if (wanted && name.find("..") == std::string_view::npos) read(std::string(name), sure, depth + 1);
}

KernelHeaders::Sure KernelHeaders::is_defined_now(const std::string& name) const {
  if (name.starts_with("CONFIG_")) return Sure::maybe;
  const auto it = macros_.find(name);
  if (it == macros_.end()) return Sure::no;
  return it->second.certain ? Sure::yes : Sure::maybe;
}

KernelHeaders::Sure KernelHeaders::is_true(std::string_view condition) const {
  std::set<std::string> open;
  const Value v = Evaluator(*this, condition, open).run();
  return v.set != 0 ? Sure::yes : v.may == 0 ? Sure::no : Sure::maybe;
}

bool KernelHeaders::is_certain(const std::string& name) const {
  const auto it = macros_.find(name);
  return it != macros_.end() && it->second.certain && it->second.bodies.size() == 1;
}

std::vector<std::string> KernelHeaders::names(std::string_view prefix) const {
  std::vector<std::string> out;
  for (auto it = macros_.lower_bound(std::string(prefix)); it != macros_.end() && it->first.starts_with(prefix); ++it)
    out.push_back(it->first);
  return out;
}

KernelHeaders::Value KernelHeaders::value(const std::string& name) const {
  std::set<std::string> open;
  return macro_value(name, open, 0);
}

KernelHeaders::Value KernelHeaders::macro_value(const std::string& name, std::set<std::string>& open, int depth) const {
  const auto it = macros_.find(name);
  if (it == macros_.end() || it->second.bodies.empty() || open.size() >= max_nesting) return unknown;
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  if (!open.insert(name).second) return unknown;
  std::optional<Value> all;
  for (const std::string& body : it->second.bodies) {
    const Value v = Evaluator(*this, body, open, depth).run();
    all = all ? Value{all->set & v.set, all->may | v.may} : v;
  }
  open.erase(name);
  // Within a cycle the value depends on where it was entered.
  if (open.empty()) known_.emplace(name, *all);
  return *all;
}

std::vector<std::uint64_t> KernelHeaders::alternatives(const std::string& name) const {
  std::vector<std::uint64_t> out;
  const auto it = macros_.find(name);
  if (it == macros_.end()) return out;
  for (const std::string& body : it->second.bodies) {
    std::set<std::string> open = {name};
    if (const Value v = Evaluator(*this, body, open).run(); v.is_exact()) out.push_back(v.set);
  }
  return out;
}

}  // namespace trapline
