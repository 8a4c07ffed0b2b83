// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/samples.h"

#include <sstream>

namespace trapline {

ImageHead sample_head() {
  ImageHead head;
  head.path = "vmlinux";
  head.kind = "vmlinux";
  head.arch = "loongarch64";
  head.build_id = "0123456789abcdef0123456789abcdef01234567";
  return head;
}

PathReport sample_path(const std::string& label, PathEnd end, ReturnTo to, std::uint64_t instructions,
                       std::uint64_t loads, std::uint64_t stores) {
  PathReport path;
  path.id = "id-" + label;
  path.label = label;
  path.end = end;
  path.to = to;
  path.end_address = 0x9000000000221168;
  path.end_symbol = "handle_syscall+0x168";
  path.cost.instructions = instructions;
  path.cost.loads = loads;
  path.cost.stores = stores;
  return path;
}

RoutineReport sample_routine() {
  RoutineReport routine;
  routine.name = "handle_syscall";
  routine.role = Role::syscall_entry;
  routine.address = 0x9000000000221000;
  routine.nodes = 94;
  routine.instructions = 94;
  routine.paths_total = 2;
  routine.infeasible = 1;
  routine.loads = {35, 36};
  routine.stores = {29, 29};
  routine.instructions_range = {88, 90};
  for (const bool user : {true, false}) {
    PathReport path = user ? sample_path("user full", PathEnd::exception_return, ReturnTo::user, 90, 36, 29)
                           : sample_path("kernel full", PathEnd::exception_return, ReturnTo::kernel, 88, 35, 29);
    path.cost.branches_taken = 1;
    path.cost.branches_not_taken = user ? 1 : 2;
    path.cost.calls = 1;
    path.cost.system = 9;
    path.decisions.push_back({0x9000000000221020, "beqz $t0, 24", !user});
    path.calls.push_back({0x90000000002210a0, "do_syscall"});
    path.blocks.push_back({0x9000000000221000, 360});
    path.listing.push_back({0x9000000000221000, "handle_syscall", "csrrd\t$t0, 48", ""});
    path.listing.push_back({0x9000000000221020, "handle_syscall+0x20", "st.d\t$zero, $sp, 0", "PT_R0"});
    path.listing.push_back({0x90000000002220a0, "ret_to_user+0xa0", "ertn", ""});
    routine.paths.push_back(path);
  }
  LoopReport loop;
  loop.address = 0x9000000000221044;
  loop.symbol = "handle_syscall+0x44";
  loop.condition = "bnez $t1, -12";
  loop.instructions = 9;
  loop.loads = 1;
  routine.loops.push_back(loop);
  routine.remarks.push_back({0x9000000000221080, "handle_syscall+0x80", "undecoded word 0xffffffff"});
  return routine;
}

PathsReport sample_paths() {
  PathsReport report;
  report.images.push_back({sample_head(), {sample_routine()}});
  return report;
}

EntriesReport sample_entries() {
  EntriesReport report;
  EntriesReport::ImagePart part;
  part.head = sample_head();
  part.entries.push_back({"handle_syscall", {}, Role::syscall_entry, 0x9000000000221000, "", "symbol"});
  part.entries.push_back({"handle_tlb_load", {"tlb|load"}, Role::tlb_handler, 0x9000000000225000, "", "option"});
  report.images.push_back(part);
  return report;
}

CfgReport sample_cfg() {
  CfgReport report;
  report.head = sample_head();
  report.name = "handle_syscall";
  report.role = Role::syscall_entry;
  report.blocks.resize(3);
  report.blocks[0].address = 0x1000;
  report.blocks[0].where = "handle_syscall";
  report.blocks[0].size = 8;
  report.blocks[0].instructions = {{0x1000, "handle_syscall", "csrrd\t$t0, 48", ""},
                                   {0x1004, "handle_syscall+0x4", "beqz\t$t0, 8", ""}};
  report.blocks[1].address = 0x1008;
  report.blocks[1].where = "handle_syscall+0x8";
  report.blocks[1].size = 4;
  report.blocks[1].instructions = {{0x1008, "handle_syscall+0x8", "ertn", "\"user\""}};
  report.blocks[1].end = "exception-return";
  report.blocks[2].address = 0x100c;
  report.blocks[2].where = "handle_syscall+0xc";
  report.blocks[2].continuation = 0x1008;
  report.blocks[2].continuation_symbol = "handle_syscall+0x8";
  report.blocks[2].size = 4;
  report.blocks[2].instructions = {{0x100c, "handle_syscall+0xc", "ret", ""}};
  report.edges = {{0, 1, "not-taken"}, {0, 2, "taken"}, {2, 1, "return"}};
  return report;
}

FindingsReport sample_findings() {
  FindingReport leak;
  leak.rule = "slot-not-saved";
  leak.level = Level::warning;
  leak.message = "t0, t1 and s0 are loaded from slots that this path never stored";
  leak.fix = "store them where the frame is built, or leave out the loads";
  leak.routine = "handle_syscall";
  leak.routines = {"handle_syscall", "ret_from_fork"};
  leak.paths = {"handle_syscall:tn", "ret_from_fork:t"};
  leak.address = 0x9000000000221120;
  leak.where = "handle_syscall+0x120";
  leak.fingerprint = "c0ffee00c0ffee00";
  leak.steps = {{0x9000000000221020, "handle_syscall+0x20", "st.d\t$zero, $sp, 0", "the frame is built here"},
                {0x9000000000221120, "handle_syscall+0x120", "ld.d\t$t0, $sp, 96", "t0 <- PT_R12, not saved"},
                {0x90000000002220a0, "ret_to_user+0xa0", "ertn", ""}};
  leak.data = {{"registers", {"t0", "t1", "s0"}}, {"slots", {"PT_R12", "PT_R13", "PT_R23"}}};

  FindingReport accepted;
  accepted.rule = "unresolved-jump";
  accepted.level = Level::note;
  accepted.message = "the target of jr $t8 is not known";
  accepted.routine = "handle_tlb|x";
  accepted.routines = {"handle_tlb|x"};
  accepted.address = 0x9000000000225010;
  accepted.where = "handle_tlb|x+0x10";
  accepted.location = {"arch/loongarch/mm/tlbex.S", 38};
  accepted.suppressed = "filled in at boot, \"by design\"";

  FindingsReport report;
  report.config = "trapline.toml";
  report.remarks = {"trapline.toml:12: this suppression matches no finding; remove it"};
  FindingsReport::ImagePart part;
  part.head = sample_head();
  part.layouts = {"320 bytes (arch/loongarch/include/asm/ptrace.h)"};
  part.remarks = {"ret_to_user: 4096 of 5310 paths were examined (--max-paths)"};
  part.summary.routines = 57;
  part.summary.paths_examined = 1234;
  part.summary.paths_refused = 2;
  part.summary.infeasible = 17;
  part.summary.either = 1;
  part.summary.warnings = 1;
  part.summary.suppressed = 1;
  part.findings = {leak, accepted};
  report.images = {part};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string unfit_for_mail(const std::string& text) {
  if (text.empty() || text.back() != '\n' || text.ends_with("\n\n")) return "the end of the text";
  for (const std::string& line : lines_of(text)) {
    bool fit = line.size() <= 72 && !line.ends_with(' ');
    for (const char c : line) fit = fit && c >= 0x20 && c < 0x7f;
    if (!fit) return line;
  }
  return "";
}

}  // namespace trapline
