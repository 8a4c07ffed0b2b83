#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `trapline lint`, or `trapline sweep`, says of real kernels with a ledger of verdicts.

    lint_ledger.py --trapline BINARY --work FOLDER [--command sweep] [--rebase] [KERNEL...]

tests/golden/KERNEL.lint, or KERNEL.sweep, holds the whole text output. Each finding above `note` is followed by lines that begin with
"verdict:": what a person found when looking at the disassembly. A finding without one fails, and so does any other
difference. --rebase rewrites a ledger and keeps the verdicts of findings whose first lines are as they were; the
verdicts of new ones are left to be written.

TRAPLINE_KERNELS names the folder of the kernels, as for kernels.py. Exit status as there.
"""
import argparse
import difflib
import re
import subprocess
import sys
from pathlib import Path

import kernels

VERDICT = "verdict:"
ABOVE_NOTE = re.compile(r"^\S+: (error|warning): trapline: ")


def findings(trapline, command, image):
    """The text, with the image called by its file name alone."""
    run = subprocess.run([Path(trapline).resolve(), command, "--all", image.name], capture_output=True, text=True,
                         cwd=image.parent)
    if run.returncode not in (0, 1):
        raise kernels.count.BadInput(f"trapline {command}: exit status {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def blocks(text):
    """The blocks of a text, each the lines up to a blank one."""
    return [block.split("\n") for block in text.rstrip("\n").split("\n\n") if block]


def heading(block):
    """What identifies a finding: its lines up to the rule's name in brackets."""
    end = next((i for i, line in enumerate(block) if line.endswith("]")), 0)
    return "\n".join(block[: end + 1])


def join(all_blocks):
    return "\n\n".join("\n".join(block) for block in all_blocks) + "\n"


def without_verdicts(block):
    return [line for line in block if not line.lstrip().startswith(VERDICT)]


def check(kernel, arguments):
    """True when the ledger has all that trapline says, and a verdict on each finding that needs one."""
    image = f"vdso/{kernel}" if kernel.startswith("vdso") else kernel  # a vDSO lies in a folder of its own there
    fresh = blocks(findings(arguments.trapline, arguments.command, kernels.unpacked(image, arguments.work)))
    golden = arguments.golden / f"{kernel}.{arguments.command}"
    old = blocks(golden.read_text()) if golden.exists() else []
    verdicts = {heading(b): [line for line in b if line.lstrip().startswith(VERDICT)] for b in old}
    good = True
    for block in fresh:
        if ABOVE_NOTE.match(block[0]) and not verdicts.get(heading(block)):
            print(f"{kernel}: no verdict on: {' '.join(heading(block).split())}")
            good = False
    if arguments.rebase:
        golden.write_text(join(block + verdicts.get(heading(block), []) for block in fresh))
        return good
    bare = join(without_verdicts(block) for block in old) if old else ""
    sys.stdout.writelines(difflib.unified_diff(bare.splitlines(True), join(fresh).splitlines(True),
                                               f"golden/{golden.name}", f"trapline {arguments.command}"))
    return good and bare == join(fresh)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trapline", required=True, help="the binary")
    parser.add_argument("--work", required=True, type=Path, help="folder for unpacked kernels")
    parser.add_argument("--command", choices=("lint", "sweep"), default="lint")
    parser.add_argument("--golden", type=Path, default=kernels.GOLDEN, help="folder of the ledgers")
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("kernels", metavar="KERNEL", nargs="*", help=f"default: {' '.join(kernels.KERNELS)}")
    arguments = parser.parse_args(argv)
    arguments.work.mkdir(parents=True, exist_ok=True)
    good, ran = True, False
    for kernel in arguments.kernels or kernels.KERNELS:
        try:
            good &= check(kernel, arguments)
            ran = True
        except kernels.Skip as reason:
            print(f"SKIP {kernel}: {reason}")
        except (kernels.count.BadInput, OSError) as error:
            print(f"{kernel}: {type(error).__name__}: {error}")
            good, ran = False, True
    return (0 if good else 1) if ran else kernels.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
