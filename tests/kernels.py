#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs trapline over real kernels, recounts every path with count.py, and compares a short table with a golden one.

    kernels.py --trapline BINARY --work FOLDER [--rebase] [KERNEL...]

TRAPLINE_KERNELS names the folder that holds vmlinux-* or vmlinux-*.xz; what is packed is unpacked once into FOLDER.
tests/golden/KERNEL.paths has one line for each entry routine. Its instructions, loads and stores are those that
count.py counted; names, roles, the number of paths and of infeasible walks are trapline's own. --rebase rewrites a
table, and refuses to where count.py does not confirm every path.

Exit status: 0 all agree, 1 a mismatch or a difference from the golden table, 2 bad arguments, 77 nothing could be run.
"""
import argparse
import difflib
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import count

KERNELS = ["vmlinux-7.2.12-loong64", "vmlinux-6.1.176-armhf", "vmlinux-6.1.176-ppc64el"]
GOLDEN = Path(__file__).resolve().parent / "golden"
SKIPPED = 77
HEADER = """\
# Entry routines of {kernel}. Instructions, loads and stores (least..most over the paths)
# were counted by tests/count.py. Rewritten by tests/kernels.py --rebase.
"""


class Skip(Exception):
    pass


def unpacked(kernel, work):
    """The kernel's file: as it is in TRAPLINE_KERNELS, or unpacked into `work`."""
    folder = os.environ.get("TRAPLINE_KERNELS")
    if not folder:
        raise Skip("TRAPLINE_KERNELS is not set")
    plain, packed, cached = Path(folder) / kernel, Path(folder) / f"{kernel}.xz", work / kernel
    if plain.exists():
        return plain
    if not packed.exists():
        raise Skip(f"TRAPLINE_KERNELS holds no {kernel} and no {packed.name}")
    if not cached.exists() or cached.stat().st_mtime < packed.stat().st_mtime:
        work.mkdir(parents=True, exist_ok=True)
        part = cached.with_suffix(f".part{os.getpid()}")
        with lzma.open(packed) as source, part.open("wb") as target:
            shutil.copyfileobj(source, target)
        part.replace(cached)
    return cached


def analyze(trapline, image, work):
    """What `trapline paths --all --format json` says."""
    run = subprocess.run([trapline, "paths", "--all", "--format", "json", str(image)], capture_output=True, text=True)
    if run.returncode:
        raise count.BadInput(f"{trapline} paths: exit status {run.returncode}: {run.stderr.strip()}")
    (work / f"{image.name}.paths.json").write_text(run.stdout)  # for count.py --dump
    return json.loads(run.stdout)


def table(kernel, results):
    """The golden table: columns as wide as their widest cell."""
    def extent(result, field):
        if not result.walks:
            return "-"
        least_most = count.extent(result.walks, field)
        return f"{least_most['min']}..{least_most['max']}"

    rows = [("# routine", "role", "paths", "infeasible", "instructions", "loads", "stores")]
    for result in results:
        routine, inner = result.routine, result.image["path"].partition("!")[2]
        rows.append((f"{inner}!{routine['name']}" if inner else routine["name"], routine["role"],
                     str(routine["paths_total"]), str(routine["infeasible"]), extent(result, "instructions"),
                     extent(result, "loads"), extent(result, "stores")))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return HEADER.format(kernel=kernel) + "".join(line + "\n" for line in lines)


def check(kernel, arguments):
    """True when all is well with one kernel; prints what is not."""
    image = unpacked(kernel, arguments.work)
    results = list(count.recount(analyze(arguments.trapline, image, arguments.work), image, arguments.objdump))
    for line in (line for result in results for line in result.lines):
        print(f"{kernel}: {line}")
    paths, mismatches = sum(len(r.routine["paths"]) for r in results), sum(r.mismatches for r in results)
    print(f"{kernel}: {len(results)} routines, {paths} paths, {mismatches} mismatches")
    if not paths:
        print(f"{kernel}: no path was listed")
        return False
    golden, fresh = arguments.golden / f"{kernel}.paths", table(kernel, results)
    if arguments.rebase:
        if mismatches:
            print(f"{kernel}: {golden.name} was not rewritten: count.py does not confirm every path")
            return False
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(fresh)
        return True
    old = golden.read_text() if golden.exists() else ""
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), fresh.splitlines(True), f"golden/{golden.name}",
                                               "trapline, counted by count.py"))
    return not mismatches and old == fresh


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trapline", required=True, help="the binary")
    parser.add_argument("--work", required=True, type=Path, help="folder for unpacked kernels and reports")
    parser.add_argument("--objdump", default="llvm-objdump-22")
    parser.add_argument("--golden", type=Path, default=GOLDEN, help="folder of the golden tables")
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("kernels", metavar="KERNEL", nargs="*", help=f"default: {' '.join(KERNELS)}")
    arguments = parser.parse_args(argv)
    arguments.work.mkdir(parents=True, exist_ok=True)
    good, ran = True, False
    for kernel in arguments.kernels or KERNELS:
        try:
            if not shutil.which(arguments.objdump):
                raise Skip(f"{arguments.objdump} is not installed")
            good &= check(kernel, arguments)
            ran = True
        except Skip as reason:
            print(f"SKIP {kernel}: {reason}")
        except (count.BadInput, OSError, ValueError, KeyError, TypeError) as error:
            print(f"{kernel}: {type(error).__name__}: {error}")
            good, ran = False, True
    return (0 if good else 1) if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
