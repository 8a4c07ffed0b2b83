// SPDX-License-Identifier: Apache-2.0
//
// Text for people. In a pipe it is fit for a mail: plain ASCII, at most 72 columns, numbers right-aligned.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/format/budgets.h"
#include "cli/format/cross_check.h"
#include "cli/format/formats.h"
#include "cli/format/listing.h"
#include "cli/format/path_rows.h"
#include "cli/format/text_parts.h"
#include "cli/table.h"

namespace trapline {
namespace {

void print_title(Page& page, const std::string& routine, Role role, const std::vector<std::string>& aliases,
                 const std::string& what) {
  page.blank();
  const std::string name = printable(routine, page.options().ascii);
  page.paragraph(0, 4, fmt::format("{} ({}): {}", name, role_name(role), what), Style::heading, name.size());
  if (!aliases.empty()) {
    page.paragraph(2, 4, shown(fmt::format("also {}", fmt::join(aliases, ", ")), page), Style::faint);
  }
}

void print_loop(Page& page, const LoopReport& loop) {
  const std::string where = place_text(loop.symbol, loop.address);
  page.paragraph(2, 4, shown(fmt::format("loop {}, {}", where, loop_text(loop)), page));
  if (!loop.condition.empty()) page.paragraph(4, 6, shown("branch: " + loop.condition, page), Style::faint);
}

void print_remark(Page& page, const Remark& remark) {
  const std::string where = place_text(remark.where, remark.address);
  page.paragraph(2, 4, shown(fmt::format("{}: {}", where, remark.what), page), Style::warning);
}

// --verbose: what tells this path from its neighbours.
void print_details(Page& page, const PathReport& path) {
  page.paragraph(4, 6, shown("id " + path.id, page));
  for (const DecisionReport& decision : path.decisions) {
    const std::string_view taken = decision.taken ? "taken    " : "not taken";
    page.paragraph(4, 16,
                   fmt::format("{:#x}: ", decision.address) + shown(decision.text, page) + " ; " + shown(taken, page));
  }
  for (const CallReport& call : path.calls) {
    const std::string target = call.target.empty() ? "an address not known" : call.target;
    page.paragraph(4, 16, shown(fmt::format("{:#x}: calls {}", call.address, target), page));
  }
}

void print_path_details(Page& page, const RoutineReport& routine, const std::vector<PathRow>& rows, std::size_t count) {
  const TextOptions& options = page.options();
  if (!options.listing && !options.verbose) return;
  for (std::size_t i = 0; i < count; ++i) {
    const PathReport& path = *rows[i].path;
    page.blank();
    page.paragraph(
        2, 4,
        shown(fmt::format("{}, {}, {}:", path.label, end_text(path), counted(path.cost.instructions, "insn")), page),
        Style::heading);
    if (options.verbose) print_details(page, path);
    if (options.listing) print_listing(page, path.listing, routine.name, 4);
  }
}

void print_routine(Page& page, const RoutineReport& routine) {
  print_title(page, name_text(routine.name, routine.version), routine.role, routine.aliases, path_count_text(routine));
  const std::vector<PathRow> rows = path_rows(routine, page.options().all);
  const std::size_t count = page.options().all ? rows.size() : std::min(rows.size(), shown_rows);
  if (count != 0) path_table(rows, count, page.options().ascii).print(page, 2);

  std::size_t hidden = 0;
  for (std::size_t i = count; i < rows.size(); ++i) hidden += rows[i].count;
  if (hidden != 0) page.line(fmt::format("  ... and {} (--all lists every one)", counted(hidden, "more path")));
  if (const std::uint64_t left = unlisted(routine); left != 0)
    page.paragraph(2, 4, fmt::format("{}, at a higher cost, not listed (--max-paths)", counted(left, "more path")));
  if (hidden != 0 || unlisted(routine) != 0 || routine.bounded) {
    page.paragraph(2, 4, fmt::format("all paths{}: {}", routine.bounded ? ", bounds" : "", range_text(routine)));
  }
  const std::vector<const LoopReport*> loops = loops_to_list(routine);
  const std::size_t loop_count = page.options().all ? loops.size() : std::min(loops.size(), shown_rows);
  for (std::size_t i = 0; i < loop_count; ++i) print_loop(page, *loops[i]);
  if (loop_count < loops.size()) {
    page.line(fmt::format("  ... and {} (--all lists every one)", counted(loops.size() - loop_count, "more loop")));
  }
  for (const Remark& remark : routine.remarks) print_remark(page, remark);
  print_path_details(page, routine, rows, count);
}

void print_cross_check(Page& page, const CrossCheckReport& report) {
  page.blank();
  page.paragraph(0, 2, cross_check_summary(report), Style::heading, report.decoder.size());
  for (const std::string& item : cross_check_items(report, page.options().all)) page.paragraph(2, 4, shown(item, page));
}

void print_entries(Page& page, const std::vector<EntryReport>& entries) {
  page.blank();
  Table table({{"routine", Align::left}, {"role", Align::left}, {"address", Align::right}, {"from", Align::left}});
  for (const EntryReport& entry : entries) {
    table.add({printable(name_text(entry.name, entry.version), page.options().ascii),
               std::string(role_name(entry.role)), fmt::format("{:#x}", entry.address),
               printable(entry.source, page.options().ascii)});
    if (!entry.aliases.empty()) table.add({"  " + shown(fmt::format("also {}", fmt::join(entry.aliases, ", ")), page)});
  }
  table.print(page, 2);
}

// "4, taken 5" or how the block ends: what comes without a choice or without a jump needs no word.
std::string successors_text(const CfgReport& report, std::size_t block) {
  std::vector<std::string> plain;
  std::vector<std::string> named;
  if (!report.blocks[block].end.empty()) named.push_back(report.blocks[block].end);
  for (const CfgReport::Edge& edge : report.edges) {
    if (edge.from != block) continue;
    const bool is_plain = edge.kind == "next" || edge.kind == "not-taken" || edge.kind == "call-return";
    if (is_plain) {
      plain.push_back(fmt::format("{}", edge.to));
    } else {
      named.push_back(fmt::format("{} {}", edge.kind, edge.to));
    }
  }
  plain.insert(plain.end(), named.begin(), named.end());
  return fmt::format("{}", fmt::join(plain, ", "));
}

std::string block_name(const CfgReport::Block& block) {
  const std::string name = place_text(block.where, block.address);
  if (block.continuation == 0) return name;
  return fmt::format("{} (returns to {})", name, place_text(block.continuation_symbol, block.continuation));
}

void print_blocks(Page& page, const CfgReport& report) {
  Table table({{"block", Align::right}, {"insns", Align::right}, {"goes to", Align::left}, {"at", Align::left}});
  for (std::size_t i = 0; i < report.blocks.size(); ++i) {
    const CfgReport::Block& block = report.blocks[i];
    table.add({fmt::format("{}", i), fmt::format("{}", block.instructions.size()),
               shown(successors_text(report, i), page), shown(block_name(block), page)});
  }
  table.print(page, 2);
}

}  // namespace

std::string paths_text(const PathsReport& report, const TextOptions& options) {
  Page page(options);
  for (const PathsReport::ImagePart& part : report.images) {
    print_head(page, part.head);
    for (const RoutineReport& routine : part.routines) print_routine(page, routine);
    if (part.cross_check) print_cross_check(page, *part.cross_check);
  }
  print_budgets(page, report.budgets);
  return page.take();
}

std::string entries_text(const EntriesReport& report, const TextOptions& options) {
  Page page(options);
  for (const EntriesReport::ImagePart& part : report.images) {
    print_head(page, part.head);
    print_entries(page, part.entries);
  }
  return page.take();
}

std::string cfg_text(const CfgReport& report, const TextOptions& options) {
  Page page(options);
  print_head(page, report.head);
  print_title(page, report.name, report.role, report.aliases,
              counted(report.blocks.size(), "block") + ", " + counted(report.edges.size(), "edge"));
  print_blocks(page, report);
  for (const LoopReport& loop : report.loops) print_loop(page, loop);
  for (const Remark& remark : report.remarks) print_remark(page, remark);
  if (!options.listing) return page.take();
  for (std::size_t i = 0; i < report.blocks.size(); ++i) {
    page.blank();
    page.paragraph(2, 4, shown(fmt::format("block {}, {}:", i, block_name(report.blocks[i])), page), Style::heading);
    print_listing(page, report.blocks[i].instructions, report.name, 4);
  }
  return page.take();
}

}  // namespace trapline
