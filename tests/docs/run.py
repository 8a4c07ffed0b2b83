#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the output shown in README.md true.

  run.py test   --trapline PROGRAM    exit 0: every block is what the program prints, 1: not, 77: a tool is missing
  run.py rebase --trapline PROGRAM    rewrites the blocks

A block of README.md that starts with `$ trapline ...` is run and compared. `specimen` stands for the image of
corpus/loongarch64/syscall-full.s; `loongarch-*.o` are the seed cases, which take a kernel source. A block whose image is
a file that TRAPLINE_KERNELS does not hold, or a seed case without a source, is left alone. A block of TOML whose first
line is a comment with a file's name is that file.
"""
import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
SPECIMEN = ROOT / "corpus" / "loongarch64" / "syscall-full.s"
BLOCK = re.compile(r"^```(?:console|text)?\n\$ trapline (.*)\n((?:(?!```).*\n)*)```$", re.M)
FILE = re.compile(r"^```toml\n# (\S+\.toml)\n((?:(?!```).*\n)*)```$", re.M)
SKIPPED = 77


def build(folder):
    done = subprocess.run([sys.executable, ROOT / "corpus" / "run", "build", SPECIMEN, "-o", folder / "specimen"],
                          capture_output=True, text=True)
    if done.returncode == SKIPPED:
        print(done.stdout.strip())
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}")
    for name, text in FILE.findall(README.read_text()):
        (folder / name).write_text(f"# {name}\n{text}")
    if "loongarch-before.o" in README.read_text():
        done = subprocess.run([ROOT / "corpus" / "kernels" / "build-seed-cases", folder, "--only", "loongarch-*"],
                              capture_output=True, text=True)
        if done.returncode not in (0, SKIPPED):
            sys.exit(f"{done.stdout}{done.stderr}")
    kernels = os.environ.get("TRAPLINE_KERNELS")
    for kernel in Path(kernels).glob("vmlinux-*") if kernels else ():
        target = folder / kernel.name.removesuffix(".xz")
        if kernel.suffix == ".xz":
            if target.name in README.read_text():
                with target.open("wb") as file:
                    subprocess.run(["xz", "-dc", kernel], check=True, stdout=file)
        elif not target.exists():
            target.symlink_to(kernel.resolve())


def answer(trapline, words, folder):
    """What the command prints, or None when its image is not here."""
    if any(word.startswith(("vmlinux", "loongarch-")) and not (folder / word).exists() for word in words):
        return None
    done = subprocess.run([trapline, *words], capture_output=True, text=True, cwd=folder)
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("test", "rebase"))
    parser.add_argument("--trapline", required=True, type=Path)
    options = parser.parse_args()
    trapline, text = options.trapline.resolve(), README.read_text()
    compared = left = 0
    with tempfile.TemporaryDirectory() as scratch:
        build(Path(scratch))

        def fresh(block):
            nonlocal compared, left
            command, shown = block.groups()
            said = answer(trapline, shlex.split(command), Path(scratch))
            if said is None:
                left += 1
                return block[0]
            compared += 1
            return block[0].replace(f"{command}\n{shown}", f"{command}\n{said}")

        wanted = BLOCK.sub(fresh, text)
    print(f"README.md: {compared} blocks compared, {left} left alone (no such kernel here)")
    if not compared:
        print("no block was compared")
        return 1
    if options.verb == "rebase":
        README.write_text(wanted)
        return 0
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), wanted.splitlines(True), "README.md",
                                               "trapline prints"))
    return 0 if wanted == text else 1


if __name__ == "__main__":
    sys.exit(main())
