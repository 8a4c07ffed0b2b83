#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how trapline compares with llvm-objdump on the same routine: wall time and peak memory, as ratios.

  run.py --trapline PROGRAM KERNEL [--dwarf KERNEL] [--entry handle_syscall] [--runs 15]

Each round runs every command once, one after the other, so that a slow moment of the machine hits all alike; the medians
are compared. A kernel with DWARF beside the stripped one (--dwarf) shows whether debug sections are left alone.
It measures and asserts nothing: a number from one machine says little about another.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time


def measure(command):
    """(wall seconds, peak resident KiB) of one run; the output is thrown away."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit status {process.returncode}\n{errors.decode(errors='replace')}")
    return wall, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", metavar="KERNEL")
    parser.add_argument("--trapline", required=True, metavar="PROGRAM")
    parser.add_argument("--dwarf", metavar="KERNEL", help="the same kernel with its debug sections")
    parser.add_argument("--entry", default="handle_syscall", metavar="NAME")
    parser.add_argument("--runs", type=int, default=15, metavar="N")
    options = parser.parse_args()
    objdump = shutil.which("llvm-objdump-22")
    if not objdump:
        print("bench: llvm-objdump-22 is not installed")
        return 77

    commands = {}
    for name, kernel in (("stripped", options.kernel), ("with DWARF", options.dwarf)):
        if kernel:
            commands[f"trapline, {name}"] = [options.trapline, "paths", kernel, "--entry", options.entry]
            commands[f"llvm-objdump, {name}"] = [objdump, f"--disassemble-symbols={options.entry}", kernel]

    samples = {name: [] for name in commands}
    for command in commands.values():
        measure(command)  # the first round fills the page cache and is not counted
    for _ in range(options.runs):
        for name, command in commands.items():
            samples[name].append(measure(command))
    medians = {name: tuple(map(statistics.median, zip(*rows))) for name, rows in samples.items()}

    print(f"{options.entry}, median of {options.runs} interleaved runs")
    for name, (wall, peak) in medians.items():
        spread = max(row[0] for row in samples[name]) - min(row[0] for row in samples[name])
        print(f"  {name:<26} {wall * 1000:9.1f} ms (spread {spread * 1000:.1f})  {peak / 1024:8.1f} MiB")

    def ratio(title, above, below):
        wall, peak = (medians[above][i] / medians[below][i] for i in (0, 1))
        print(f"  {title:<40} time x{wall:.2f}  memory x{peak:.2f}")

    ratio("trapline / llvm-objdump, stripped", "trapline, stripped", "llvm-objdump, stripped")
    if options.dwarf:
        ratio("trapline / llvm-objdump, with DWARF", "trapline, with DWARF", "llvm-objdump, with DWARF")
        ratio("trapline, with DWARF / stripped", "trapline, with DWARF", "trapline, stripped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
