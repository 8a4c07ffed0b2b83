// SPDX-License-Identifier: Apache-2.0
//
// The text report on reports filled by hand. The expected text was laid out by hand, in the columns that the header of
// cli/table.h promises.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/formats.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

TEST_CASE("text_paths_table_loops_and_remarks") {
  CHECK(paths_text(sample_paths(), {}) ==
        "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "\n"
        "handle_syscall (syscall-entry): 2 paths, 1 infeasible\n"
        "  path         end        insns loads stores br calls sys\n"
        "  user full    to user       90    36     29  2     1   9\n"
        "  kernel full  to kernel     88    35     29  3     1   9\n"
        "  loop handle_syscall+0x44, each turn 9 insns, 1 load, 0 stores\n"
        "    branch: bnez $t1, -12\n"
        "  handle_syscall+0x80: undecoded word 0xffffffff\n");
}

TEST_CASE("text_paths_two_images_in_one_document") {
  PathsReport report = sample_paths();
  report.images.push_back(report.images[0]);
  report.images[1].head.path = "other.o";
  report.images[1].head.kind = "object";
  report.images[1].head.build_id.clear();
  report.images[1].head.variant_note = "as linked, 41 feature sections not resolved";
  const std::vector<std::string> lines = lines_of(paths_text(report, {}));
  REQUIRE(lines.size() == 9 + 1 + 10);
  CHECK(lines[9].empty());
  CHECK(lines[10] == "other.o: loongarch64 object");
  CHECK(lines[11] == "  as linked, 41 feature sections not resolved");
}

TEST_CASE("text_paths_listing_in_the_kernels_style") {
  PathsReport report = sample_paths();
  report.images[0].routines[0].paths.pop_back();
  TextOptions options;
  options.listing = true;
  const std::string text = paths_text(report, options);
  CHECK(
      text.ends_with("\n"
                     "\n"
                     "  user full, to user, 90 insns:\n"
                     "    +0x0:   csrrd $t0, 48\n"
                     "    +0x20:  st.d $zero, $sp, 0  ; PT_R0\n"
                     "   ret_to_user:\n"
                     "    +0xa0:  ertn\n"));
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("text_paths_verbose_says_what_tells_paths_apart") {
  PathsReport report = sample_paths();
  TextOptions options;
  options.verbose = true;
  const std::string text = paths_text(report, options);
  CHECK(
      text.starts_with("vmlinux: loongarch64 vmlinux, build-id\n"
                       "  0123456789abcdef0123456789abcdef01234567\n"));
  CHECK(
      text.ends_with("  kernel full, to kernel, 88 insns:\n"
                     "    id id-kernel full\n"
                     "    0x9000000000221020: beqz $t0, 24 ; taken\n"
                     "    0x90000000002210a0: calls do_syscall\n"));
}

// 30 paths in 15 pairs of equal cost.
PathsReport many_paths() {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  routine.paths.clear();
  routine.loops.clear();
  routine.remarks.clear();
  routine.paths_total = 30;
  routine.infeasible = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    routine.paths.push_back(sample_path("user", PathEnd::exception_return, ReturnTo::user, 100 + i / 2, 20, 10));
  }
  return report;
}

TEST_CASE("text_paths_equal_ones_share_a_line_and_twelve_lines_are_shown") {
  const std::vector<std::string> lines = lines_of(paths_text(many_paths(), {}));
  REQUIRE(lines.size() == 4 + 12 + 2);
  CHECK(lines[2] == "handle_syscall (syscall-entry): 30 paths");
  CHECK(lines[3] == "  path  end      paths insns loads stores br calls");
  CHECK(lines[4] == "  user  to user      2   100    20     10  0     0");
  CHECK(lines[15] == "  user  to user      2   111    20     10  0     0");
  CHECK(lines[16] == "  ... and 6 more paths (--all lists every one)");
  CHECK(lines[17] == "  all paths: 88..90 insns, 35..36 loads, 29 stores");
}

TEST_CASE("text_paths_all_lists_every_one") {
  TextOptions options;
  options.all = true;
  const std::vector<std::string> lines = lines_of(paths_text(many_paths(), options));
  REQUIRE(lines.size() == 4 + 30);
  CHECK(lines[4] == "  user  to user    100    20     10  0     0");
  CHECK(lines[5] == lines[4]);
  CHECK(lines[33] == "  user  to user    114    20     10  0     0");
}

TEST_CASE("text_paths_bounded_routine_says_so") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  routine.bounded = true;
  routine.paths_total = 5000;
  routine.infeasible = 0;
  const std::string text = paths_text(report, {});
  CHECK(text.find("handle_syscall (syscall-entry): at least 5000 paths, 2 listed\n") != std::string::npos);
  CHECK(text.find("\n  all paths, bounds: 88..90 insns, 35..36 loads, 29 stores\n") != std::string::npos);
}

TEST_CASE("text_paths_ends") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  routine.paths.clear();
  const auto add = [&](PathEnd end, ReturnTo to) { routine.paths.push_back(sample_path("x", end, to, 1, 0, 0)); };
  add(PathEnd::exception_return, ReturnTo::either);
  add(PathEnd::ret, ReturnTo::none);
  add(PathEnd::jump, ReturnTo::none);
  add(PathEnd::no_return, ReturnTo::none);
  add(PathEnd::trap, ReturnTo::none);
  add(PathEnd::halt, ReturnTo::none);
  add(PathEnd::unknown, ReturnTo::none);
  routine.paths[2].end_symbol = "do_exit";
  routine.paths[3].calls.push_back({0x1000, "panic"});
  routine.paths.push_back(routine.paths[2]);
  routine.paths.back().label = "jump do_exit";
  const std::vector<std::string> lines = lines_of(paths_text(report, {}));
  CHECK(lines[11] == "  jump do_exit  jump                 1     0      0  0     0");
  const std::vector<std::string> ends = {"to either", "return", "jump do_exit", "no-return panic",
                                         "trap",      "halt",   "unknown"};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CHECK(lines[4 + i] == fmt::format("  x             {:<15}      1     0      0  0     0", ends[i]));
  }
}

TEST_CASE("text_paths_counted_loop_is_listed_once") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  LoopReport loop;
  loop.address = 0x9000000000221060;
  loop.symbol = "handle_syscall+0x60";
  loop.turns = 8;
  loop.instructions = 1;
  loop.loads = 1;
  loop.stores = 2;
  for (PathReport& path : routine.paths) path.loops.push_back(loop);
  const std::string text = paths_text(report, {});
  const std::string line = "  loop handle_syscall+0x60, 8 turns counted, each 1 insn, 1 load, 2\n    stores\n";
  REQUIRE(text.find(line) != std::string::npos);
  CHECK(text.find("handle_syscall+0x60", text.find(line) + line.size()) == std::string::npos);
}

TEST_CASE("text_paths_twelve_loops_are_shown") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  routine.loops.assign(14, routine.loops[0]);
  TextOptions options;
  std::vector<std::string> lines = lines_of(paths_text(report, options));
  REQUIRE(lines.size() == 6 + 2 * 12 + 1 + 1);
  CHECK(lines[30] == "  ... and 2 more loops (--all lists every one)");
  options.all = true;
  lines = lines_of(paths_text(report, options));
  CHECK(lines.size() == 6 + 2 * 14 + 1);
}

TEST_CASE("text_long_names_stay_within_72_columns") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  const std::string long_name = "a_symbol_name_that_is_longer_than_a_line_of_mail_may_be_because_it_goes_on_and_on";
  routine.name = long_name;
  routine.aliases = {long_name + "_alias", "short"};
  routine.paths[0].label = "user full work trace restart sigreturn #123 and more";
  routine.paths[0].end = PathEnd::jump;
  routine.paths[0].end_symbol = long_name;
  routine.paths[0].cost.barriers = routine.paths[0].cost.atomics = 12345;
  routine.paths[0].listing[1].text = "mcr p15, 0, r0, c7, c10, 5 with many more operands than any instruction has ever";
  routine.paths[0].listing[1].note = "a note that does not fit behind the instruction and is longer than a line itself";
  routine.loops[0].symbol = long_name + "+0x44";
  routine.loops[0].condition = std::string(100, 'x');
  routine.remarks[0].where = long_name + "+0x80";
  report.images[0].head.path = "/" + long_name + "/" + long_name;
  TextOptions options;
  options.listing = options.verbose = true;
  const std::string text = paths_text(report, options);
  CHECK(unfit_for_mail(text) == "");
  // A name cut at a word's joint is marked, so that nobody copies half of it unaware.
  CHECK(text.find("\na_symbol_name_that_is_longer_than_a_line_of_mail_may_be_because_it_\\\n    goes_on_and_on (") !=
        std::string::npos);
}

TEST_CASE("text_label_that_does_not_fit_stands_above_its_numbers") {
  PathsReport report = sample_paths();
  RoutineReport& routine = report.images[0].routines[0];
  routine.paths[1].label = "kernel partial work trace restart sigreturn #12345";
  const std::vector<std::string> lines = lines_of(paths_text(report, {}));
  CHECK(lines[3] == "  path       end        insns loads stores br calls sys");
  CHECK(lines[4] == "  user full  to user       90    36     29  2     1   9");
  CHECK(lines[5] == "  kernel partial work trace restart sigreturn #12345");
  CHECK(lines[6] == "             to kernel     88    35     29  3     1   9");
}

TEST_CASE("text_bytes_of_the_image_cannot_drive_a_terminal") {
  PathsReport report = sample_paths();
  report.images[0].routines[0].name = "evil\x1b[2Jname\xff";
  for (const bool ascii : {true, false}) {
    TextOptions options;
    options.ascii = ascii;
    const std::string text = paths_text(report, options);
    CHECK(text.find("\nevil\\x1b[2Jname\\xff (syscall-entry)") != std::string::npos);
  }
}

TEST_CASE("text_names_beyond_ascii_are_kept_on_a_terminal_only") {
  PathsReport report = sample_paths();
  report.images[0].head.path = "/home/j\xc3\xb6rg/vmlinux";
  CHECK(paths_text(report, {}).starts_with("/home/j\\xc3\\xb6rg/vmlinux: "));
  TextOptions terminal;
  terminal.ascii = false;
  CHECK(paths_text(report, terminal).starts_with("/home/j\xc3\xb6rg/vmlinux: "));
}

TEST_CASE("text_colour_changes_no_column") {
  TextOptions options;
  options.color = options.listing = true;
  std::string text = paths_text(sample_paths(), options);
  CHECK(text.find("\x1b[1mhandle_syscall\x1b[0m (syscall-entry)") != std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  options.color = false;
  CHECK(text == paths_text(sample_paths(), options));
}

TEST_CASE("text_entries") {
  CHECK(entries_text(sample_entries(), {}) ==
        "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "\n"
        "  routine          role                      address  from\n"
        "  handle_syscall   syscall-entry  0x9000000000221000  symbol\n"
        "  handle_tlb_load  tlb-handler    0x9000000000225000  option\n"
        "    also tlb|load\n");
}

TEST_CASE("text_entries_long_name_stands_above_its_row") {
  EntriesReport report = sample_entries();
  report.images[0].entries[0].name = "handle_a_system_call_with_a_long_name";
  const std::string text = entries_text(report, {});
  CHECK(unfit_for_mail(text) == "");
  CHECK(text.find("\n  handle_a_system_call_with_a_long_name\n"
                  "                   syscall-entry  0x9000000000221000  symbol\n") != std::string::npos);
}

TEST_CASE("text_cfg") {
  TextOptions options;
  options.listing = true;
  CHECK(cfg_text(sample_cfg(), options) ==
        "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "\n"
        "handle_syscall (syscall-entry): 3 blocks, 3 edges\n"
        "  block insns  goes to           at\n"
        "      0     2  1, taken 2        handle_syscall\n"
        "      1     1  exception-return  handle_syscall+0x8\n"
        "      2     1  return 1          handle_syscall+0xc (returns to\n"
        "                                   handle_syscall+0x8)\n"
        "\n"
        "  block 0, handle_syscall:\n"
        "    +0x0:  csrrd $t0, 48\n"
        "    +0x4:  beqz $t0, 8\n"
        "\n"
        "  block 1, handle_syscall+0x8:\n"
        "    +0x8:  ertn  ; \"user\"\n"
        "\n"
        "  block 2, handle_syscall+0xc (returns to handle_syscall+0x8):\n"
        "    +0xc:  ret\n");
}

}  // namespace
}  // namespace trapline
