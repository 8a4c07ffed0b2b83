#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the graphs of `trapline cfg` with the compiler's own account of the same functions.

  run.py --trapline PROGRAM --arch NAME [--keep FOLDER]

The C files of this folder are compiled with -basic-block-address-map, which makes llc write down every basic block and,
with -pgo-analysis-map=br-prob, its successors. For each function, in the object file and in the linked image:

- the instructions that trapline reaches are the blocks that the compiler's graph reaches, all and no others;
- a block's successors are the same set of addresses. Blocks that only fall through need no merging for that: inside
  a block trapline may only go on to the next instruction;
- a jump through a table may also be reported as unresolved; then what only the table leads to is not compared. So is a
  tail call through a pointer, which leads to no block.

What differs by right: the padding behind a block that falls through belongs to it, other padding to no block; an empty
block stands for what follows it; a jump to itself is an end for trapline, and a successor for the compiler. A call ends no
block on either side, but a call that does not return ends the path (panic, known by name, and callees that never return).

Exit status: 0 equal, 1 not, 77 a tool is missing.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77

# Relaxation would make block offsets unknown until the link; the PowerPC threshold for jump tables is lowered.
TARGETS = {
    "loongarch64": {"triple": "loongarch64-linux-gnu", "llc": ["-mattr=-relax"]},
    "powerpc64le": {"triple": "powerpc64le-linux-gnu", "llc": ["-ppc-min-jump-table-entries=4"]},
    "powerpc": {"triple": "powerpc-linux-gnu", "llc": ["-ppc-min-jump-table-entries=4"]},
    "aarch64": {"triple": "aarch64-linux-gnu", "llc": []},
    "riscv64": {"triple": "riscv64-linux-gnu", "llc": ["-mattr=+m,+a,+c,-relax"]},
    "x86_64": {"triple": "x86_64-linux-gnu", "llc": []},
}


class Missing(Exception):
    """A tool is not installed."""


class Broken(Exception):
    """A tool failed, or what it printed cannot be read."""


def tool(name):
    for candidate in (f"{name}-22", f"/usr/lib/llvm-22/bin/{name}"):
        path = shutil.which(candidate)
        if path:
            return path
    raise Missing(f"{name}-22 is not installed")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Broken(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_object(source, target, folder):
    ir, output = folder / f"{source.stem}.ll", folder / f"{source.stem}.o"
    run(tool("clang"), f"--target={target['triple']}", "-O2", "-ffreestanding", "-fno-pic", "-Wall", "-Werror",
        "-S", "-emit-llvm", source, "-o", ir)
    run(tool("llc"), "-O2", *target["llc"], "-basic-block-address-map", "-pgo-analysis-map=br-prob",
        "-filetype=obj", ir, "-o", output)
    return output


def link(objects, output):
    run(tool("ld.lld"), "-e", "0", "--no-relax", "-Ttext=0x20000000", *objects,
        "-o", output)
    return output


def functions(image):
    """Defined functions by address: [(address, size, name)]."""
    found = []
    for line in run(tool("llvm-nm"), "--defined-only", "--print-size", image).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT" and int(fields[1], 16) > 0:  # LoongArch keeps .L labels, of size 0
            found.append((int(fields[0], 16), int(fields[1], 16), fields[3]))
    return sorted(found)


class Truth:
    """The compiler's graph of one function: {start: end} of its blocks and {start: successors}, by address."""

    def __init__(self, entry, base):
        blocks = [block for part in entry["Function"]["BB Ranges"] for block in part["BB Entries"]]
        analyses = entry["Function"]["PGO analyses"]["PGO BB entries"]
        if len(blocks) != len(analyses):
            raise Broken("blocks and successor lists differ in number")
        start_of = {block["ID"]: base + block["Offset"] for block in blocks}
        self.start = base
        self.ends, self.successors, self.indirect, self.tail_calls = {}, {}, set(), set()
        falling = None  # the block before, when it falls through
        for block, analysis in zip(blocks, analyses):
            if block["Size"] == 0:
                continue
            start = start_of[block["ID"]]
            self.ends[start] = start + block["Size"]
            if falling is not None:
                self.ends[falling] = start
            falling = start if block["CanFallThrough"] else None
            self.successors[start] = {start_of[successor["ID"]] for successor in analysis["Successors"]}
            if block["HasIndirectBranch"]:
                self.indirect.add(start)
            if block["HasTailCall"]:
                self.tail_calls.add(start)

    def reachable(self, without=()):
        """Starts of the blocks that are reached when the blocks of `without` lead nowhere."""
        seen, todo = set(), [self.start]
        while todo:
            start = todo.pop()
            if start in seen or start not in self.ends:
                continue
            seen.add(start)
            if start not in without:
                todo += self.successors[start]
        return seen


def truths(image, bases):
    document = json.loads(run(tool("llvm-readobj"), "--elf-output-style=JSON", "--bb-addr-map", image))
    entries = document[0]["BBAddrMap"]
    if len(entries) != len(bases):
        raise Broken(f"{image}: {len(entries)} block maps for {len(bases)} functions")
    # LoongArch's map in an object file has addresses that only a relocation knows, but the functions are in order.
    for entry, (address, _, _) in zip(entries, bases):
        if entry["Function"]["At"] not in (0, address):
            raise Broken(f"{image}: the block map of {entry['Function']['Name']} is not in order")
    return {name: Truth(entry, address) for entry, (address, _, name) in zip(entries, bases)}


class Graph:
    """What trapline says: reached instructions, edges between instructions, unresolved jumps."""

    def __init__(self, document):
        routine = document["routine"]
        self.reached, self.edges, self.unresolved = set(), set(), set()
        last = []
        for block in routine["blocks"]:
            addresses = [int(line["address"], 16) for line in block["instructions"]]
            if not addresses:
                raise Broken(f"an empty block at {block['address']}")
            self.reached.update(addresses)
            self.edges.update(zip(addresses, addresses[1:]))
            last.append(addresses[-1])
            if block["end"] == "halt":
                self.edges.add((addresses[-1], addresses[-1]))
        for edge in routine["edges"]:
            self.edges.add((last[edge["from"]], int(routine["blocks"][edge["to"]]["address"], 16)))
        for remark in routine["remarks"]:
            if not remark["text"].endswith("is not known"):
                raise Broken(f"unexpected remark at {remark['address']}: {remark['text']}")
            self.unresolved.add(int(remark["address"], 16))


def block_of(truth, address):
    """Start of the compiler's block that holds `address`, or None (padding, another function)."""
    return next((start for start, end in truth.ends.items() if start <= address < end), None)


def compare(truth, graph):
    """Differences, one line each."""
    unresolved = {block_of(truth, address) for address in graph.unresolved}
    for start in unresolved - truth.indirect - truth.tail_calls:
        where = "outside the function" if start is None else f"in block {start:#x}, which ends in no indirect branch"
        yield f"a jump is reported as unresolved {where}"
    reachable = truth.reachable(without=unresolved)
    reached = {block_of(truth, address) for address in graph.reached}
    if None in reached:
        outside = min(address for address in graph.reached if block_of(truth, address) is None)
        yield f"trapline reaches {outside:#x}, which is in no block"
        reached.discard(None)
    yield from (f"block {start:#x} is not reached" for start in sorted(reachable - reached))
    yield from (f"block {start:#x} is reached, but the compiler knows no way there" for start in
                sorted(reached - reachable))
    found = {start: set() for start in reached}
    for source, target in graph.edges:
        start = block_of(truth, source)
        if start is None:
            continue
        inside = source < target < truth.ends[start]
        if not inside:
            found[start].add(target)
        elif any(source < between < target for between in graph.reached):
            yield f"an edge inside block {start:#x} skips from {source:#x} to {target:#x}"
    for start in sorted((reachable & reached) - unresolved):
        if found[start] != truth.successors[start]:
            yield (f"block {start:#x}: successors {sorted(map(hex, found[start]))}, "
                   f"the compiler says {sorted(map(hex, truth.successors[start]))}")
    yield from (f"block {start:#x}: an unresolved jump has successors" for start in sorted(unresolved & reached)
                if found[start] - truth.successors[start])


def check_image(trapline, image, arch):
    bases = functions(image)
    good = True
    resolved = unresolved = 0
    for name, truth in truths(image, bases).items():
        document = json.loads(run(trapline, "cfg", image, "--entry", name, "--format", "json"))
        if document["image"]["arch"] != arch:
            raise Broken(f"{image}: trapline takes it for {document['image']['arch']}")
        graph = Graph(document)
        for difference in compare(truth, graph):
            print(f"{image.name}: {name}: {difference}")
            good = False
        given_up = {block_of(truth, address) for address in graph.unresolved}
        unresolved += len(truth.indirect & given_up)
        resolved += len(truth.indirect - given_up)
    print(f"{image.name}: {len(bases)} functions; jumps through tables: {resolved} resolved, {unresolved} reported as unresolved")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trapline", required=True, type=Path)
    parser.add_argument("--arch", required=True, choices=sorted(TARGETS))
    parser.add_argument("--keep", type=Path, help="leave objects and image in this folder")
    options = parser.parse_args()
    target = TARGETS[options.arch]
    trapline = options.trapline.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            objects = [compile_object(source, target, folder) for source in sorted(HERE.glob("*.c"))]
            results = [check_image(trapline, image, options.arch)
                       for image in [*objects, link(objects, folder / "linked")]]
        except Missing as missing:
            print(missing)
            return SKIPPED
        except (Broken, KeyError, json.JSONDecodeError) as broken:
            print(f"{type(broken).__name__}: {broken}")
            return 1
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
