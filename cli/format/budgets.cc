// SPDX-License-Identifier: Apache-2.0
#include "cli/format/budgets.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/format/listing.h"
#include "cli/format/markdown_parts.h"
#include "cli/format/text_parts.h"

namespace trapline {
namespace {

constexpr std::size_t shown_instructions = 12;

std::string count_text(const std::vector<BudgetReport>& budgets) {
  const auto exceeded =
      std::count_if(budgets.begin(), budgets.end(), [](const BudgetReport& b) { return b.exceeded(); });
  return fmt::format("{} checked, {} exceeded", budgets.size(), exceeded);
}

// "handle_syscall, user full: 36 loads, limit 35, 1 too many".
std::string excess_text(const BudgetReport& b) {
  const std::string limit =
      b.base ? fmt::format("limit {} ({} in the baseline)", b.limit, *b.base) : fmt::format("limit {}", b.limit);
  return fmt::format("{}, {}: {} {}, {}, {} too many", b.routine, b.label, b.actual, b.count, limit,
                     b.actual - b.limit);
}

std::string_view instructions_text(const BudgetReport& b) {
  return b.only_new ? "instructions that count, and came" : "instructions that count";
}

}  // namespace

void print_budgets(Page& page, const std::vector<BudgetReport>& budgets) {
  if (budgets.empty()) return;
  page.blank();
  page.line(fmt::format("budgets: {}", count_text(budgets)));
  for (const BudgetReport& b : budgets) {
    if (!b.exceeded()) continue;
    page.blank();
    page.paragraph(0, 2, shown(fmt::format("budget exceeded: {}", excess_text(b)), page), Style::error, 16);
    page.paragraph(2, 4, shown(fmt::format("{}: {}", b.where, b.reason), page));
    if (b.instructions.empty()) continue;
    page.line(fmt::format("  {}:", instructions_text(b)));
    const std::size_t all = b.instructions.size();
    const std::size_t count = page.options().all || all <= shown_instructions + 1 ? all : shown_instructions;
    print_listing(page, {b.instructions.begin(), b.instructions.begin() + static_cast<std::ptrdiff_t>(count)},
                  b.routine, 4);
    if (count != all) page.line(fmt::format("    ... and {} more (--all lists every one)", all - count));
  }
}

std::string budgets_markdown(const std::vector<BudgetReport>& budgets) {
  if (budgets.empty()) return {};
  std::string text = fmt::format("\n### Budgets: {}\n", count_text(budgets));
  for (const BudgetReport& b : budgets) {
    if (!b.exceeded()) continue;
    text +=
        fmt::format("\n**exceeded** {}\n\n{}: {}\n", escaped(excess_text(b)), code(b.where, false), escaped(b.reason));
    if (b.instructions.empty()) continue;
    text += fmt::format("\n<details><summary>{}</summary>\n\n", instructions_text(b));
    // Indented code has no fence that an instruction could end.
    for (const ListingLine& line : b.instructions)
      text += fmt::format("    {}: {}\n", printable(line.where, false), printable(one_line(line.text), false));
    text += "\n</details>\n";
  }
  return text;
}

Json budgets_json(const std::vector<BudgetReport>& budgets) {
  Json json = Json::array();
  for (const BudgetReport& b : budgets) {
    json.push_back({{"where", b.where},
                    {"routine", b.routine},
                    {"label", b.label},
                    {"count", b.count},
                    {"baseline", b.base ? Json(*b.base) : Json(nullptr)},
                    {"limit", b.limit},
                    {"actual", b.actual},
                    {"exceeded", b.exceeded()},
                    {"reason", b.reason},
                    {"instructions", instructions_json(b.instructions)}});
  }
  return json;
}

}  // namespace trapline
