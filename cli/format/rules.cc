// SPDX-License-Identifier: Apache-2.0
//
// The rules, as a list, one by one, and as the rule book: everything is made from rules.def, whose texts are plain
// Markdown: paragraphs separated by empty lines, code indented or in backticks.
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/formats.h"
#include "cli/format/json_parts.h"
#include "cli/table.h"

namespace trapline {
namespace {

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  return lines;
}

bool is_code(std::string_view line) { return line.starts_with("  "); }

// Paragraphs wrapped, indented lines as they are.
void print_prose(Page& page, std::string_view text, std::size_t indent) {
  std::string paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) page.paragraph(indent, indent, paragraph);
    paragraph.clear();
  };
  for (const std::string_view line : lines_in(text)) {
    if (line.empty() || is_code(line)) flush();
    if (line.empty()) {
      page.blank();
    } else if (is_code(line)) {
      page.line(fmt::format("{:{}}{}", "", indent, line));
    } else {
      if (!paragraph.empty()) paragraph += ' ';
      paragraph += line;
    }
  }
  flush();
}

void print_section(Page& page, std::string_view title, std::string_view text, bool as_it_is) {
  if (lines_in(text).empty()) return;
  page.blank();
  page.paragraph(0, 0, fmt::format("{}:", title), Style::heading);
  if (!as_it_is) return print_prose(page, text, 2);
  for (const std::string_view line : lines_in(text)) page.line(fmt::format("    {}", line));
}

std::string section_markdown(std::string_view title, std::string_view text, std::string_view prefix) {
  std::string result;
  for (const std::string_view line : lines_in(text))
    result += line.empty() ? "\n" : fmt::format("{}{}\n", prefix, line);
  return result.empty() ? result : fmt::format("\n**{}**\n\n{}", title, result);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::string rules_text(std::span<const RuleInfo> rules, const TextOptions& options) {
  Page page(options);
  std::size_t width = 0;
  for (const RuleInfo& rule : rules) width = std::max(width, rule.id.size());
  constexpr std::size_t level_width = 7;  // "warning"
  const std::size_t column = width + 2 + level_width + 2;
  for (const RuleInfo& rule : rules) {
    const std::vector<std::string> lines = wrap(rule.summary, options.width - column, options.width - column);
    page.line(fmt::format("{}{:{}}  {:<{}}  {}", paint(Style::heading, rule.id, options.color), "",
                          width - rule.id.size(), level_name(rule.level), level_width, lines.front()));
    for (std::size_t i = 1; i < lines.size(); ++i) page.line(fmt::format("{:{}}{}", "", column, lines[i]));
  }
  return page.take();
}

std::string rules_json(std::span<const RuleInfo> rules) {
  Json list = Json::array();
  for (const RuleInfo& rule : rules) {
    std::vector<std::string> references;
    for (const std::string_view line : lines_in(rule.references)) references.emplace_back(line);
    list.push_back({{"id", rule.id},
                    {"level", level_name(rule.level)},
                    {"precision", rule.precision},
                    {"tags", words_of(rule.tags)},
                    {"summary", rule.summary},
                    {"description", rule.description},
                    {"example", rule.example},
                    {"fix", rule.fix},
                    {"references", references}});
  }
  Json json = document("rules");
  json["rules"] = std::move(list);
  return dump(json);
}

std::string explain_text(const RuleInfo& rule, const TextOptions& options) {
  Page page(options);
  page.paragraph(0, 2, fmt::format("{} ({}): {}", rule.id, level_name(rule.level), rule.summary), Style::heading,
                 rule.id.size());
  page.blank();
  print_prose(page, rule.description, 0);
  print_section(page, "Example", rule.example, true);
  print_section(page, "Fix", rule.fix, false);
  if (!lines_in(rule.references).empty()) {
    page.blank();
    page.paragraph(0, 0, "References:", Style::heading);
    for (const std::string_view line : lines_in(rule.references)) page.paragraph(2, 4, line);
  }
  page.blank();
  page.paragraph(0, 2, fmt::format("Precision {}; tags: {}.", rule.precision, rule.tags), Style::faint);
  return page.take();
}

std::string explain_markdown(const RuleInfo& rule) {
  std::string text = fmt::format("## {}\n\n{}: {}.\n\n", rule.id, level_name(rule.level), rule.summary);
  for (const std::string_view line : lines_in(rule.description)) text += fmt::format("{}\n", line);
  text += section_markdown("Example", rule.example, "    ");
  text += section_markdown("Fix", rule.fix, "");
  text += section_markdown("References", rule.references, "- ");
  return text + fmt::format("\nPrecision {}; tags: {}.\n", rule.precision, rule.tags);
}

std::string rules_markdown(std::span<const RuleInfo> rules) {
  std::string text =
      "# Rules\n\n"
      "Made from rules/rules.def by `trapline rules --format markdown`; edit that file, not this one.\n\n"
      "| rule | level | finds |\n| :--- | :--- | :--- |\n";
  for (const RuleInfo& rule : rules)
    text += fmt::format("| [{0}](#{0}) | {1} | {2} |\n", rule.id, level_name(rule.level), rule.summary);
  for (const RuleInfo& rule : rules) text += fmt::format("\n{}", explain_markdown(rule));
  return text;
}

}  // namespace trapline
