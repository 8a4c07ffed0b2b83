// SPDX-License-Identifier: Apache-2.0
//
// Markdown for a pull request or a wiki: the rows of the text report, in tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/format/budgets.h"
#include "cli/format/cross_check.h"
#include "cli/format/formats.h"
#include "cli/format/markdown_parts.h"
#include "cli/format/path_rows.h"
#include "cli/table.h"

namespace trapline {
namespace {

std::string loop_markdown(const LoopReport& loop) {
  std::string text = fmt::format("- loop {}, {}", code(place_text(loop.symbol, loop.address), false), loop_text(loop));
  if (!loop.condition.empty()) text += fmt::format("; branch: {}", code(loop.condition, false));
  return text + "\n";
}

// Escapes the text cells of a table of words and numbers.
Table escaped_table(const Table& table) {
  Table result(table.columns());
  for (std::vector<std::string> row : table.rows()) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns()[i].align == Align::left) row[i] = escaped(row[i]);
    }
    result.add(std::move(row));
  }
  return result;
}

std::string listing_markdown(const RoutineReport& routine, const std::vector<PathRow>& rows, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const PathReport& path = *rows[i].path;
    if (path.listing.empty()) continue;
    text +=
        fmt::format("\n#### {}: {}, {}\n\n", code(routine.name, false), escaped(path.label), escaped(end_text(path)));
    // Indented code has no fence that an instruction could end.
    for (const ListingLine& line : path.listing) {
      const std::string where = place_text(line.where, line.address);
      text += fmt::format("    {}: {}", printable(where, false), printable(one_line(line.text), false));
      if (!line.note.empty()) text += " ; " + printable(one_line(line.note), false);
      text += "\n";
    }
  }
  return text;
}

std::string routine_markdown(const RoutineReport& routine, const TextOptions& options) {
  std::string text = fmt::format("\n### {} ({}): {}\n", code(name_text(routine.name, routine.version), false),
                                 role_name(routine.role), path_count_text(routine));
  if (!routine.aliases.empty()) {
    text += "\nAlso";
    for (const std::string& alias : routine.aliases) text += fmt::format(" {}", code(alias, false));
    text += "\n";
  }
  const std::vector<PathRow> rows = path_rows(routine, options.all);
  const std::size_t count = options.all ? rows.size() : std::min(rows.size(), shown_rows);
  if (count != 0) text += fmt::format("\n{}", table_text(escaped_table(path_table(rows, count, false))));

  std::size_t hidden = 0;
  for (std::size_t i = count; i < rows.size(); ++i) hidden += rows[i].count;
  if (hidden != 0) text += fmt::format("\n... and {} (--all lists every one)\n", counted(hidden, "more path"));
  if (const std::uint64_t left = unlisted(routine); left != 0)
    text += fmt::format("\n{}, at a higher cost, not listed (--max-paths)\n", counted(left, "more path"));
  if (hidden != 0 || unlisted(routine) != 0 || routine.bounded) {
    text += fmt::format("\nAll paths{}: {}\n", routine.bounded ? ", bounds" : "", range_text(routine));
  }
  std::string list;
  const std::vector<const LoopReport*> loops = loops_to_list(routine);
  const std::size_t loop_count = options.all ? loops.size() : std::min(loops.size(), shown_rows);
  for (std::size_t i = 0; i < loop_count; ++i) list += loop_markdown(*loops[i]);
  if (loop_count < loops.size()) list += fmt::format("- ... and {}\n", counted(loops.size() - loop_count, "more loop"));
  for (const Remark& remark : routine.remarks) {
    list += fmt::format("- {}: {}\n", code(place_text(remark.where, remark.address), false), escaped(remark.what));
  }
  if (!list.empty()) text += "\n" + list;
  return options.listing ? text + listing_markdown(routine, rows, count) : text;
}

std::string cross_check_markdown(const CrossCheckReport& report, bool all) {
  std::string text = fmt::format("\n### {}\n", escaped(cross_check_summary(report)));
  std::string list;
  for (const std::string& item : cross_check_items(report, all)) list += fmt::format("- {}\n", escaped(item));
  return list.empty() ? text : text + "\n" + list;
}

}  // namespace

std::string paths_markdown(const PathsReport& report, const TextOptions& options) {
  std::string text;
  for (const PathsReport::ImagePart& part : report.images) {
    if (!text.empty()) text += "\n";
    text += head_markdown(part.head, options.verbose);
    for (const RoutineReport& routine : part.routines) text += routine_markdown(routine, options);
    if (part.cross_check) text += cross_check_markdown(*part.cross_check, options.all);
  }
  text += budgets_markdown(report.budgets);
  return text;
}

std::string entries_markdown(const EntriesReport& report) {
  std::string text;
  for (const EntriesReport::ImagePart& part : report.images) {
    if (!text.empty()) text += "\n";
    text += head_markdown(part.head, true) + "\n";
    Table table({{"routine", Align::left},
                 {"also", Align::left},
                 {"role", Align::left},
                 {"address", Align::right},
                 {"from", Align::left}});
    for (const EntryReport& entry : part.entries) {
      std::vector<std::string> aliases;
      for (const std::string& alias : entry.aliases) aliases.push_back(code(alias, true));
      table.add({code(name_text(entry.name, entry.version), true), fmt::format("{}", fmt::join(aliases, " ")),
                 std::string(role_name(entry.role)), fmt::format("{:#x}", entry.address), escaped(entry.source)});
    }
    text += table_text(table);
  }
  return text;
}

}  // namespace trapline
