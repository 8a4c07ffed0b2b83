#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `trapline paths --cross-check` over a real kernel and holds it against doc/cross-check.md.

    entry_code.py --trapline BINARY --work FOLDER KERNEL

Every difference on entry code must be in a class of the table there, and words that Capstone 4 is known not to decode
must be among them: the rfscv and hrfid that GNU objdump finds in the entry code of 64-bit PowerPC. A kernel of
TRAPLINE_KERNELS that is packed is unpacked into FOLDER.

Exit status: 0 all is explained, 1 not, 77 there is no such kernel.
"""
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import kernels  # noqa: E402

# Part of the text of a difference that must be there, for a kernel whose name ends so.
WANTED = {"-ppc64el": {"rfscv", "hrfid"}}


def classes():
    """Name and kind of each class in the table."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", (ROOT / "doc" / "cross-check.md").read_text(), re.M)
    return {name: kind.strip() for name, kind in rows}


def check(image, table):
    """The complaints about one image of the report, and the first words of trapline's text of its differences."""
    complaints, seen, report = [], set(), image["cross_check"]
    if not report["known"]:
        return [f"{image['path']}: nothing was compared"], seen
    differences = report["differences"]
    print(f"{image['path']}: {report['decoder']}: {report['instructions']} instructions, {len(differences)} differ")
    if not report["instructions"] or report["agreed"] + len(differences) != report["instructions"]:
        complaints.append(f"{image['path']}: {report['agreed']} agree: the numbers do not add up")
    for one in differences:
        if one["trapline"]:
            seen.add(one["trapline"]["text"].split()[0])
        if table.get(one["class"]) != one["kind"]:
            complaints.append(f"{one['address']} {one['symbol']}: {one['kind']}, class {one['class']}: trapline "
                              f"{one['trapline']}, Capstone {one['other']}")
    return complaints, seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trapline", required=True)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("kernel")
    arguments = parser.parse_args()
    try:
        image = kernels.unpacked(arguments.kernel, arguments.work)
    except kernels.Skip as reason:
        print(f"SKIP {arguments.kernel}: {reason}")
        return kernels.SKIPPED
    run = subprocess.run([arguments.trapline, "paths", "--cross-check", "--max-paths", "1", "--format", "json", image],
                         capture_output=True, text=True)
    if run.returncode:
        print(f"{arguments.kernel}: exit status {run.returncode}: {run.stderr.strip()}")
        return 1
    table, complaints, seen = classes(), [], set()
    for part in json.loads(run.stdout)["images"]:
        found, words = check(part, table)
        complaints += found
        seen |= words
    for suffix, wanted in WANTED.items():
        if arguments.kernel.endswith(suffix) and not wanted <= seen:
            complaints.append(f"no difference on {', '.join(sorted(wanted - seen))}: was Capstone asked?")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
