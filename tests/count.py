#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recounts every path that `trapline paths --format json --all` lists, from the text of llvm-objdump alone.

    count.py [--objdump llvm-objdump-22] [--dump ROUTINE] IMAGE PATHS.json

For each path: the blocks are real code, each step is an edge of the disassembly, and instructions, loads, stores,
registers, bytes, branches, calls are what trapline says. What an instruction does comes from count_isa.py, which was
written without trapline's lifters. Where nothing is predicated (LoongArch, PowerPC), the number of all walks of a
routine must be that of its paths and infeasible walks, as far as the disassembly tells. frame_loads, frame_stores
and loops are not recounted.

Exit status: 0 all paths agree, 1 a mismatch or a mnemonic that no table holds, 2 input that cannot be used.
"""
import argparse
import collections
import dataclasses
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import count_isa

LINE = re.compile(r"\s*([0-9a-f]+):\s+((?:[0-9a-f]{2} )+|(?:[0-9a-f]{4,16} ?)+)\s*\t(.*)")
LABEL = re.compile(r"([0-9a-f]+) <(.*)>:$")
RELOCATION = re.compile(r"\s+([0-9a-f]+):\s+R_")
FIELDS = ["instructions", "loads", "stores", "registers_loaded", "registers_stored", "bytes_loaded", "bytes_stored",
          "branches_taken", "branches_not_taken", "calls", "indirect_calls", "system", "barriers", "atomics", "nops"]
CLASSES = ["load", "store", "load_store", "branch", "call", "return", "system", "barrier", "nop", "other", "unknown"]
MERGE_GAP = 1 << 20  # bytes: starting objdump on a kernel costs as much as disassembling this


MARGIN = 1 << 12  # bytes after the last block, to see where branches lead that no listed path takes
END = -1  # where a walk goes when it ends
MAX_STEPS = 1 << 22  # of the search for all walks of a routine


class BadInput(Exception):
    pass


# ------------------------------------------------------------------------------------------------------ disassembly
def ranges_of(routines):
    blocks = sorted({(int(block["address"], 16), block["size"])
                     for routine in routines for path in routine["paths"] for block in path["blocks"]})
    merged = []
    for start, size in blocks:
        if merged and start - merged[-1][1] < MERGE_GAP:
            merged[-1][1] = max(merged[-1][1], start + size)
        else:
            merged.append([start, start + size])
    return [(start, stop + MARGIN) for start, stop in merged]


def disassemble(objdump, isa, image, ranges, relocations):
    """{section: {address: Insn}} and {name: {section}} of the labels, from one objdump run a range."""
    code, labels = collections.defaultdict(dict), collections.defaultdict(set)
    for start, stop in ranges:
        command = [objdump, "-d", *isa.flags, *(["-r"] if relocations else []),
                   f"--start-address={start:#x}", f"--stop-address={stop:#x}", str(image)]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode:
            raise BadInput(f"{' '.join(command)}: {run.stderr.strip() or run.returncode}")
        section, last = "", None
        for line in run.stdout.splitlines():
            if line.startswith("Disassembly of section "):
                section = line.removeprefix("Disassembly of section ").rstrip(":")
            elif found := LABEL.match(line):
                labels[found.group(2), int(found.group(1), 16)].add(section)
            elif found := LINE.match(line):
                last = parse(isa, section, *found.groups())
                code[section][last.address] = last
            elif last and (found := RELOCATION.match(line)):
                if last.address <= int(found.group(1), 16) < last.address + last.size:
                    last.relocated = True
    return code, labels


def parse(isa, section, address, raw, text):
    groups = raw.split()
    if len(groups[0]) == 2 and isa.little_endian:
        groups.reverse()  # bytes in the order of memory; words are printed as numbers
    digits = "".join(groups)
    text = re.sub(r"\s+", " ", text.strip())
    bare = re.sub(r"\s*(<[^>]*>)?( (@|//) .*)?$", "", text) if text != "<unknown>" else text
    mnemonic, _, operands = bare.strip().partition(" ")
    return count_isa.Insn(int(address, 16), len(digits) // 2, int(digits, 16), mnemonic, operands, text, section)


# ---------------------------------------------------------------------------------------------------- walk of a path
class Flags:
    """What is known of ARM's N, Z, C, V: the set of values they may still have."""

    ANY = frozenset((n, z, c, v) for n in (0, 1) for z in (0, 1) for c in (0, 1) for v in (0, 1) if not (n and z))

    def __init__(self):
        self.possible = self.ANY

    def known(self, predicate):
        held = {bool(count_isa.CONDITIONS[predicate](*flags)) for flags in self.possible}
        return held.pop() if len(held) == 1 else None

    def assume(self, predicate, holds):
        test = count_isa.CONDITIONS[predicate]
        self.possible = frozenset(flags for flags in self.possible if bool(test(*flags)) == holds)


class Walk:
    """One path, recounted. `problems` says what is wrong with it, `listing` what was counted where."""

    def __init__(self, isa, code, section, path):
        self.isa, self.code, self.section, self.path = isa, code, section, path
        self.low, self.high = collections.Counter(), collections.Counter()
        self.classes_low, self.classes_high = collections.Counter(), collections.Counter()
        self.problems, self.listing = [], []
        self.decisions = [(int(d["address"], 16), d["taken"]) for d in path["decisions"]]
        self.called = {int(call["address"], 16) for call in path["calls"]}
        self.flags = Flags()

    def run(self):
        steps = self.instructions()
        for insn, following in zip(steps, [*steps[1:], None]):
            self.step(insn, following.address if following else None)
        if self.decisions:
            self.problems.append(f"decision at {self.decisions[0][0]:#x} is not on the path, or out of order")
        if steps and int(self.path["end_address"], 16) != steps[-1].address:
            self.problems.append(f"end_address {self.path['end_address']}, last instruction {steps[-1].address:#x}")
        return self

    def instructions(self):
        """The instructions of all blocks in order; a block must be contiguous code."""
        steps = []
        for block in self.path["blocks"]:
            address, end = int(block["address"], 16), int(block["address"], 16) + block["size"]
            if address not in self.code[self.section]:
                self.section = next((name for name in self.code if address in self.code[name]), self.section)
            while address < end:
                insn = self.code[self.section].get(address)
                if insn is None:
                    self.problems.append(f"block {block['address']}: no instruction at {address:#x}")
                    break
                steps.append(insn)
                address += insn.size
            if address > end:
                self.problems.append(f"block {block['address']} ends inside an instruction")
        return steps

    def step(self, insn, following):
        effect = self.isa.effect(insn)
        after = insn.address + insn.size
        runs = self.executes(insn, effect, following, after)
        self.tally(1, {"instructions"}, set())
        became = ""  # what a transfer was: call, taken, return, ...
        if effect.flow == "next" or (effect.flow == "trap" and following is not None):
            if following not in (after, None):
                self.problems.append(f"{insn.text} at {insn.address:#x} does not lead to {following:#x}")
        elif runs:
            became = self.transfer(insn, effect, following, after)
            if effect.conditional and effect.flow != "branch":  # counts whichever way it goes
                self.tally(1, {"branches_taken"}, set())
        else:
            self.tally(1, {"branches_not_taken"}, set())
            became = "not taken"
            if following != after:
                self.problems.append(f"{insn.text} at {insn.address:#x} is not taken and yet does not fall through")
        classes = effect.classes | {"call": {"call"}, "taken": {"branch"}}.get(became, set())
        note = [became]
        if runs:
            for name, number in effect.counts.items():
                if name != "indirect_calls":  # counted with the transfer
                    self.tally(number, {name}, effect.loose)
            note += [f"{name} {n}" for name, n in effect.counts.items() if name not in effect.loose]
        elif effect.flow == "next":
            classes = {"other"}
            note.append("skipped")
        for name in classes:
            self.classes_high[name] += 1
        if len(classes) == 1:
            self.classes_low[next(iter(classes))] += 1
        if (effect.sets_flags and runs is not False) or effect.flow == "call" and runs or insn.address in self.called:
            self.flags = Flags()
        self.listing.append(f"{insn.address:#x}: {insn.text:48} {', '.join(filter(None, note))}".rstrip())

    def executes(self, insn, effect, following, after):
        """Whether a conditional instruction does its work: by known flags, the path's decision, the next block."""
        if not effect.conditional and effect.predicate is None:
            if effect.flow != "next" and effect.target is None and self.decisions[:1] == [(insn.address, True)]:
                self.decisions.pop(0)  # a choice among the targets of an indirect jump: the blocks tell which
            return True
        by_blocks = None
        if effect.flow != "next" and insn.address not in self.called:
            by_blocks = following != after if effect.target != after else None
        by_flags = self.flags.known(effect.predicate) if effect.predicate else None
        by_decision = None
        if self.decisions and self.decisions[0][0] == insn.address:
            by_decision = self.decisions.pop(0)[1]
        answers = {answer for answer in (by_blocks, by_flags, by_decision) if answer is not None}
        if len(answers) > 1:
            self.problems.append(f"{insn.text} at {insn.address:#x}: taken is {by_blocks} by the blocks, "
                                 f"{by_flags} by the flags, {by_decision} by the decision")
        runs = answers.pop() if answers else None
        if runs is None and (effect.flow != "next" or effect.counts.keys() & {"loads", "stores"}):
            if insn.address in self.called:
                return True
            self.problems.append(f"{insn.text} at {insn.address:#x}: nothing on the path decides it")
        if runs is not None and effect.predicate and by_flags is None:
            self.flags.assume(effect.predicate, runs)
        return True if runs is None and effect.flow == "next" and not effect.sets_flags else runs

    def transfer(self, insn, effect, following, after):
        """A transfer that happens: count it, and check that the next block is where it leads. Says what it was.

        A call that leads to the next instruction only sets the link register; a call walked into is a call where the
        path lists it among its calls. A jump whose target is elsewhere is a call that returns to a known continuation:
        it counts as a call and, since the same instruction counts when it is not taken, as a taken branch.
        """
        if effect.flow in ("return", "eret", "trap"):
            return effect.flow
        known = effect.target is not None
        if effect.flow == "call":
            stepped_over = following == after and effect.target != after
            call = following is None or stepped_over or insn.address in self.called
            fits = following in (None, after, effect.target) or not known
        else:
            call = insn.address in self.called
            fits = following in (None, effect.target) or not known or call
        if not fits:
            self.problems.append(f"{insn.text} at {insn.address:#x} does not lead to {following:#x}")
        if not call or effect.flow == "branch":
            self.tally(1, {"branches_taken"}, set())
        if call:
            self.tally(1, {"calls"}, set())
        if call and not known and not insn.relocated:
            self.tally(1, {"indirect_calls"}, set())
        return "call" if call else "taken"

    def tally(self, number, names, loose):
        for name in names:
            self.high[name] += number
            self.low[name] += 0 if name in loose else number

    def differences(self):
        """Problems of the walk, then every field that differs."""
        lines = list(self.problems)
        cost, classes = self.path["cost"], self.path["classes"]
        for name, low, high in ((name, self.low[name], self.high[name]) for name in FIELDS):
            if not low <= cost[name] <= high:
                lines.append(f"{name}: trapline {cost[name]}, counted {low if low == high else f'{low} to {high}'}")
        for name, low, high in ((name, self.classes_low[name], self.classes_high[name]) for name in CLASSES):
            if not low <= classes[name] <= high:
                counted = low if low == high else f"{low} to {high}"
                lines.append(f"class {name}: trapline {classes[name]}, counted {counted}")
        if sum(classes.values()) != cost["instructions"]:
            lines.append(f"classes add up to {sum(classes.values())}, not to {cost['instructions']} instructions")
        return lines


# ------------------------------------------------------------------------------------------------------------ report
def count_path(isa, code, labels, routine, path):
    """The walk of a path. Sections may share addresses: the one that bears the routine's label first, then the rest."""
    entry = int(path["blocks"][0]["address"], 16) if path["blocks"] else None
    named = {section for name in (routine["name"], *routine["aliases"])
             for section in labels.get((name, int(routine["address"], 16)), ())}
    holding = [section for section in code if entry in code[section]]
    sections = [section for section in holding if section in named] or holding or [""]
    walks = []
    for section in sections:
        walks.append(Walk(isa, code, section, path).run())
        if not walks[-1].differences():
            return walks[-1]
    return walks[0]


@dataclasses.dataclass
class Recount:
    """One routine, recounted: the lines to be printed, the number of mismatches, the walks of its paths."""

    image: dict
    routine: dict
    lines: list
    mismatches: int
    walks: list


def check_routine(isa, code, labels, image, routine, dump):
    name = routine["name"]
    result = Recount(image, routine, [], 0, [])
    seen = set()
    for path in routine["paths"]:
        try:
            walk = count_path(isa, code, labels, routine, path)
            result.walks.append(walk)
            found = walk.differences()
            if dump:
                result.lines += [f"{name} path {path['id']} {path['label']}:", *walk.listing, ""]
        except count_isa.Unclassified as unknown:
            found = [f"classify me: {unknown}"]
        route = json.dumps([path["blocks"], path["decisions"], path["calls"]])
        if route in seen:
            found.append("is listed twice")
        seen.add(route)
        result.mismatches += bool(found)
        result.lines += [f"{name} path {path['id']} {path['label']}: {difference}" for difference in found]
    whole = whole_differences(isa, code, result)
    result.lines += [f"{name}: {difference}" for difference in whole]
    result.mismatches += len(whole)
    return result


def whole_differences(isa, code, result):
    """What is wrong with a routine as a whole: its ranges and the number of its paths."""
    routine, walks, differences = result.routine, result.walks, []
    if routine["paths_listed"] != len(routine["paths"]):
        differences.append(f"paths_listed: trapline {routine['paths_listed']}, counted {len(routine['paths'])}")
    if not walks or len(walks) != routine["paths_total"]:
        return differences
    for field in ("loads", "stores", "instructions"):
        if routine["range"][field] != extent(walks, field):
            differences.append(f"range of {field}: trapline {routine['range'][field]}, counted {extent(walks, field)}")
    if isa.plain_walks and not result.mismatches:
        try:
            number = count_walks(isa, whole_code(code, walks[0].section), routine)
        except count_isa.Unclassified as unknown:
            return [*differences, f"classify me: {unknown}"]
        if number not in (None, routine["paths_total"] + routine["infeasible"]):
            listed = f"{routine['paths_total']} paths and {routine['infeasible']} infeasible"
            differences.append(f"walks: trapline {listed}, counted {number}")
    return differences


def whole_code(code, section):
    """All sections together, or `section` alone where sections share addresses."""
    together = {address: insn for instructions in code.values() for address, insn in instructions.items()}
    return together if len(together) == sum(map(len, code.values())) else code[section]


def count_walks(isa, code, routine):
    """The number of walks that enter no address twice: each is a path, or infeasible. None where it cannot be told.

    Edges come from the disassembly. The listed paths say only where an indirect jump leads, which jump leaves the
    routine, and which call or trap does not come back; so a walk that ends in code that no path lists tells nothing,
    unless nothing is infeasible: then it is a path that is missing.
    """
    nodes, leads = set(), collections.defaultdict(set)
    ends = {int(path["end_address"], 16) for path in routine["paths"]}
    for path in routine["paths"]:
        last = None
        entered = [(int(block["address"], 16), block["size"]) for block in path["blocks"]]
        if len(set(entered)) != len(entered) or not all(start in code for start, _ in entered):
            return None  # a counted loop, or sections that share addresses
        for start, size in entered:
            addresses = [address for address in range(start, start + size) if address in code]
            nodes.update(addresses)
            if last is not None:
                leads[last].add(start)
            last = addresses[-1]
    walks, open_ends = 0, [(int(routine["address"], 16), frozenset())]
    for _ in range(MAX_STEPS):
        if not open_ends:
            return walks
        address, seen = open_ends.pop()
        if address in seen:
            continue  # a restart
        following = successors(isa, code.get(address), nodes, leads[address], ends)
        unlisted = address not in nodes and routine["infeasible"]
        if following is None or (unlisted and (following == [END] or address not in code)):
            return None
        walks += following.count(END)
        open_ends += [(successor, seen | {address}) for successor in following if successor != END]
    return None


def successors(isa, insn, nodes, leads, ends):
    """Where a walk goes after `insn`: addresses and END; None for a call or return that is walked through."""
    if insn is None:
        return [END]
    effect, after = isa.effect(insn), insn.address + insn.size
    past = [after] if effect.conditional else []
    if effect.flow == "branch":
        if effect.target is None:
            return past + (sorted(leads - {after}) or [END])
        leaves = effect.target not in nodes and (not effect.conditional or insn.address in ends)
        return past + [END if leaves or effect.target == insn.address else effect.target]
    if leads - {after}:
        return None
    if effect.flow in ("return", "eret"):
        return [*past, END]
    return [END] if effect.flow in ("trap", "call") and insn.address in ends else [after]


def extent(walks, field):
    return {"min": min(walk.low[field] for walk in walks), "max": max(walk.low[field] for walk in walks)}


def recount(report, image_file, objdump, dump=None):
    """A Recount for each routine of the document. Raises BadInput, KeyError, ValueError, OSError on unusable input."""
    if report["schema"] != "trapline/paths/1":
        raise BadInput(f"schema {report['schema']!r}, expected trapline/paths/1")
    with tempfile.TemporaryDirectory() as folder:
        for image in report["images"]:
            file = Path(image_file)
            if "!" in image["path"] and image["routines"]:
                file = Path(folder) / "inner"
                file.write_bytes(inner_image(Path(image_file).read_bytes(), image))
            isa = count_isa.isa_for(image["arch"])
            if isa is None:
                raise BadInput(f"no instruction table for {image['arch']} in count_isa.py")
            code, labels = disassemble(objdump, isa, file, ranges_of(image["routines"]),
                                       image["kind"] in ("object", "module"))
            for routine in image["routines"]:
                wanted = dump is not None and dump in (routine["name"], *routine["aliases"])
                yield check_routine(isa, code, labels, image, routine, wanted)


def inner_image(outer, image):
    """The ELF file inside another one (vmlinux!vdso64) that bears the build-id of `image`."""
    start = outer.find(b"\x7fELF", 1)
    while start >= 0:
        order = "<" if outer[start + 5 : start + 6] == b"\x01" else ">"
        wide = outer[start + 4 : start + 5] == b"\x02"
        header = struct.unpack_from(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), outer, start + 16)
        end = start + header[5] + header[10] * header[11]  # section headers come last
        real = header[2] == 1 and header[7] == (64 if wide else 52)  # e_version, e_ehsize: not just the four letters
        if real and image["build_id"] and bytes.fromhex(image["build_id"]) in outer[start:end]:
            return outer[start:end]
        start = outer.find(b"\x7fELF", start + 1)
    raise BadInput(f"{image['path']}: no ELF file with build-id {image['build_id']} inside the image")


def run(arguments):
    """Prints mismatches and a summary; the exit status."""
    paths = mismatches = 0
    try:
        report = json.loads(Path(arguments.paths).read_text())
        for result in recount(report, arguments.image, arguments.objdump, arguments.dump):
            print("".join(line + "\n" for line in result.lines), end="")
            paths += len(result.routine["paths"])
            mismatches += result.mismatches
    except (BadInput, OSError, ValueError, KeyError, TypeError) as error:
        print(f"count.py: error: {arguments.paths}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(f"{paths} paths, {mismatches} mismatches")
    return 1 if mismatches else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objdump", default="llvm-objdump-22")
    parser.add_argument("--dump", metavar="ROUTINE", help="print the walk of each path with the count beside it")
    parser.add_argument("image", metavar="IMAGE")
    parser.add_argument("paths", metavar="PATHS.json")
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
