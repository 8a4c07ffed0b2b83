#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of count.py. Every path and number here was written by hand from the disassembly; none comes from trapline.

Needs llvm-mc and llvm-objdump (LLVM_SUFFIX, default "-22"); the tests on a real kernel need TRAPLINE_KERNELS, the
folder that holds vmlinux-*.xz. What is absent is skipped, with the reason.
"""
import contextlib
import copy
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import count
import count_isa
import kernels

SUFFIX = os.environ.get("LLVM_SUFFIX", "-22")
MC, OBJDUMP = f"llvm-mc{SUFFIX}", f"llvm-objdump{SUFFIX}"


def path(blocks, end, decisions=(), called=(), classes=None, **cost):
    """A path of the JSON document; blocks are (address, size), decisions (address, taken), called addresses."""
    full = dict.fromkeys([*count.FIELDS, "frame_loads", "frame_stores"], 0) | cost
    classes = dict.fromkeys(count.CLASSES, 0) | (classes or {})
    classes["other"] = full["instructions"] - sum(n for name, n in classes.items() if name != "other")
    return {"id": "p0", "label": "user", "end": "exception-return", "to": "user", "end_address": hex(end),
            "end_symbol": "", "cost": full, "classes": classes, "loops": [],
            "decisions": [{"address": hex(address), "text": "", "taken": taken} for address, taken in decisions],
            "calls": [{"address": hex(address), "target": ""} for address in called],
            "blocks": [{"address": hex(address), "size": size} for address, size in blocks]}


def document(arch, kind, name, address, *paths):
    costs = [one["cost"] for one in paths]
    extent = {field: {"min": min(cost[field] for cost in costs), "max": max(cost[field] for cost in costs)}
              for field in ("loads", "stores", "instructions")}
    routine = {"name": name, "aliases": [], "role": "syscall-entry", "address": hex(address), "paths_total": len(paths),
               "paths_listed": len(paths), "infeasible": 0, "bounded": False, "range": extent, "paths": list(paths)}
    return {"schema": "trapline/paths/1", "tool": {}, "images": [
        {"path": "x", "kind": kind, "arch": arch, "build_id": None, "variant": "as-linked", "routines": [routine]}]}


class CountTest(unittest.TestCase):
    def setUp(self):
        for tool in (MC, OBJDUMP):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.image = self.folder / "image.o"

    def assemble(self, text, *flags):
        subprocess.run([MC, "-filetype=obj", *flags, "-o", self.image, "-"], input=text, text=True, check=True)

    def count(self, report, image=None):
        """(exit status, standard output, standard error) of count.py."""
        name = self.folder / "paths.json"
        name.write_text(report if isinstance(report, str) else json.dumps(report))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = count.main(["--objdump", OBJDUMP, str(image or self.image), str(name)])
        return status, out.getvalue(), err.getvalue()

    def agrees(self, report, image=None):
        status, out, err = self.count(report, image)
        self.assertEqual((status, err), (0, ""), out)
        self.assertTrue(out.endswith(" 0 mismatches\n"), out)

    def differs(self, report, *expected):
        """count.py fails with exactly these lines (each the part after the label), and the summary."""
        status, out, err = self.count(report)
        lines = [line.partition(" user: ")[2] or line for line in out.splitlines()[:-1]]
        self.assertEqual((status, err), (1, ""))
        self.assertEqual(lines, list(expected))


class LoongArchTest(CountTest):
    SOURCE = """
entry:
    csrrd   $t0, 0x31
    beqz    $t0, 2f
    ld.d    $a0, $sp, 8
    ldptr.w $a1, $sp, 16
    st.b    $a1, $sp, 4
    amadd.d $a2, $a3, $a4
1:  ll.w    $a5, $a4, 0
    sc.w    $a5, $a4, 0
    dbar    0
    nop
    jirl    $ra, $t0, 0
2:  ertn
"""

    def setUp(self):
        super().setUp()
        self.assemble(self.SOURCE, "--triple=loongarch64", "--mattr=-relax")
        self.long = path([(0, 8), (8, 36), (44, 4)], 44, [(4, False)], [40], instructions=12, loads=4, stores=3,
                         registers_loaded=4, registers_stored=3, bytes_loaded=8 + 4 + 8 + 4, bytes_stored=1 + 8 + 4,
                         branches_not_taken=1, calls=1, indirect_calls=1, system=1, barriers=1, atomics=3, nops=1,
                         classes={"load": 3, "store": 2, "load_store": 1, "branch": 1, "call": 1, "return": 1,
                                  "system": 1, "barrier": 1, "nop": 1})
        self.short = path([(0, 8), (44, 4)], 44, [(4, True)], instructions=3, branches_taken=1, system=1,
                          classes={"branch": 1, "return": 1, "system": 1})
        self.report = document("loongarch64", "object", "entry", 0, self.long, self.short)

    def test_agrees(self):
        self.agrees(self.report)

    def test_every_field_is_compared(self):
        for field in count.FIELDS:
            if field == "instructions":  # also breaks the sum of the classes and the range
                continue
            report = copy.deepcopy(self.report)
            routine = report["images"][0]["routines"][0]
            routine["paths"][0]["cost"][field] += 1
            status, out, _ = self.count(report)
            self.assertEqual(status, 1, field)
            self.assertIn(f"entry path p0 user: {field}: trapline {self.long['cost'][field] + 1}, ", out)

    def test_every_class_is_compared(self):
        for name in count.CLASSES:
            report = copy.deepcopy(self.report)
            report["images"][0]["routines"][0]["paths"][0]["classes"][name] += 1
            counted = self.long["classes"][name]
            self.differs(report, f"class {name}: trapline {counted + 1}, counted {counted}",
                         "classes add up to 13, not to 12 instructions")

    def test_range(self):
        self.report["images"][0]["routines"][0]["range"]["loads"]["max"] = 5
        self.differs(self.report, "entry: range of loads: trapline {'min': 0, 'max': 5}, counted {'min': 0, 'max': 4}")

    def test_path_that_is_not_listed(self):
        self.differs(document("loongarch64", "object", "entry", 0, self.long),
                     "entry: walks: trapline 1 paths and 0 infeasible, counted 2")

    def test_infeasible_walk_is_no_missing_path(self):
        report = document("loongarch64", "object", "entry", 0, self.long)
        report["images"][0]["routines"][0]["infeasible"] = 1
        self.agrees(report)

    def test_path_listed_twice(self):
        report = document("loongarch64", "object", "entry", 0, self.long, self.short, self.short | {"id": "p1"})
        self.differs(report, "is listed twice")

    def test_edge_that_does_not_exist(self):
        wrong = path([(0, 4), (44, 4)], 44, instructions=2, system=1, classes={"return": 1, "system": 1})
        self.differs(document("loongarch64", "object", "entry", 0, wrong), "csrrd $t0, 49 at 0x0 does not lead to 0x2c")

    def test_branch_that_contradicts_the_decision(self):
        self.short["decisions"][0]["taken"] = False
        status, out, _ = self.count(document("loongarch64", "object", "entry", 0, self.short))
        self.assertEqual(status, 1)
        self.assertIn("taken is True by the blocks, None by the flags, False by the decision", out)

    def test_decision_elsewhere(self):
        self.short["decisions"].append({"address": "0x8", "text": "", "taken": True})
        self.differs(document("loongarch64", "object", "entry", 0, self.short),
                     "decision at 0x8 is not on the path, or out of order")

    def test_block_that_ends_inside_an_instruction(self):
        self.short["blocks"][0]["size"] = 6
        self.differs(document("loongarch64", "object", "entry", 0, self.short),
                     "block 0x0 ends inside an instruction")

    def test_block_without_code(self):
        self.short["blocks"].append({"address": "0x30", "size": 4})
        self.differs(document("loongarch64", "object", "entry", 0, self.short), "block 0x30: no instruction at 0x30")

    def test_end_address(self):
        self.short["end_address"] = "0x8"
        self.differs(document("loongarch64", "object", "entry", 0, self.short),
                     "end_address 0x8, last instruction 0x2c")

    def test_unknown_mnemonic(self):
        self.assemble("entry: fadd.d $fa0, $fa1, $fa2\n ertn\n", "--triple=loongarch64", "--mattr=+d")
        report = document("loongarch64", "object", "entry", 0, path([(0, 8)], 4, instructions=2, classes={"return": 1}))
        self.differs(report, "classify me: fadd.d at 0x0 (fadd.d $fa0, $fa1, $fa2)")

    def test_counted_loop(self):
        self.assemble("entry: li.w $t0, 2\n1: addi.w $t0, $t0, -1\n bnez $t0, 1b\n ertn\n", "--triple=loongarch64",
                      "--mattr=-relax")
        twice = path([(0, 4), (4, 8), (4, 8), (12, 4)], 12, instructions=6, branches_taken=1, branches_not_taken=1,
                     classes={"branch": 2, "return": 1})
        self.agrees(document("loongarch64", "object", "entry", 0, twice))


class ArmTest(CountTest):
    SOURCE = """
entry:
    cmp     r0, #0              @ 00
    ldrne   r1, [r2]            @ 04 decides "ne"
    strbne  r1, [r3]            @ 08 follows it
    addeq   r4, r4, #1          @ 0c
    ldmeq   r1, {r4, r5}        @ 10 the opposite
    stmdb   sp!, {r4, r5, lr}   @ 14
    ands    r0, r0, #1          @ 18 new flags
    ldrdne  r6, r7, [r1]        @ 1c decides again
    mov     r8, pc              @ 20
    push    {r9}                @ 24
    beq     1f                  @ 28 follows it
    ldr     pc, [sp], #4        @ 2c a return
1:  movs    pc, lr              @ 30
"""

    def setUp(self):
        super().setUp()
        self.assemble(self.SOURCE, "--triple=armv7a")

    def test_predicate_holds_then_fails(self):
        one = path([(0, 0x2c), (0x30, 4)], 0x30, [(4, True), (0x1c, False)], instructions=12, loads=1, stores=3,
                   registers_loaded=1, registers_stored=1 + 3 + 1, bytes_loaded=4, bytes_stored=1 + 12 + 4,
                   branches_taken=1, classes={"load": 1, "store": 3, "branch": 1, "return": 1})
        self.agrees(document("arm", "object", "entry", 0, one))

    def test_predicate_fails_then_holds(self):
        one = path([(0, 0x2c), (0x2c, 4)], 0x2c, [(4, False), (0x1c, True)], instructions=12, loads=3, stores=2,
                   registers_loaded=2 + 2 + 1, registers_stored=3 + 1, bytes_loaded=8 + 8 + 4, bytes_stored=12 + 4,
                   branches_not_taken=1, classes={"load": 2, "store": 2, "branch": 1, "return": 1})
        self.agrees(document("arm", "object", "entry", 0, one))

    def test_branch_against_the_flags(self):
        one = path([(0, 0x2c), (0x30, 4)], 0x30, [(4, False), (0x1c, True)], instructions=12, loads=2, stores=2,
                   registers_loaded=4, registers_stored=4, bytes_loaded=16, bytes_stored=16, branches_taken=1)
        status, out, _ = self.count(document("arm", "object", "entry", 0, one))
        self.assertEqual(status, 1)
        self.assertIn("taken is True by the blocks, False by the flags, None by the decision", out)

    def test_nothing_decides(self):
        one = path([(0, 8)], 4, instructions=2)
        status, out, _ = self.count(document("arm", "object", "entry", 0, one))
        self.assertEqual(status, 1)
        self.assertIn("ldrne r1, [r2] at 0x4: nothing on the path decides it", out)

    def test_jump_that_leaves_with_the_link_register_set(self):
        """adr lr, 1f; ldrlo pc, [...]: a call that returns to 1f."""
        self.assemble("entry: cmp r7, #4\n adr lr, 1f\n ldrlo pc, [r8, r7, lsl #2]\n b 2f\n1: nop\n2: movs pc, lr\n",
                      "--triple=armv7a")
        called = path([(0, 12), (16, 4), (20, 4)], 20, [(8, True)], [8], instructions=5, loads=1, registers_loaded=1,
                      bytes_loaded=4, branches_taken=1, calls=1, indirect_calls=1, nops=1,
                      classes={"call": 1, "nop": 1, "return": 1})
        passed = path([(0, 12), (12, 4), (20, 4)], 20, [(8, False)], instructions=5, branches_taken=1,
                      branches_not_taken=1, classes={"branch": 2, "return": 1})
        self.agrees(document("arm", "object", "entry", 0, called, passed))

    def test_names(self):
        arm = count_isa.Arm()
        for mnemonic, expected in {"bls": ("b", "ls", False), "blt": ("b", "lt", False), "bleq": ("bl", "eq", False),
                                   "ble": ("b", "le", False), "bics": ("bic", None, True), "teq": ("teq", None, True),
                                   "muls": ("mul", None, True), "mulls": ("mul", "ls", False),
                                   "sbcslo": ("sbc", "lo", True), "lslls": ("lsl", "ls", False),
                                   "lsls": ("lsl", None, True), "tsthi": ("tst", "hi", True),
                                   "mls": ("mls", None, False), "bxls": ("bx", "ls", False),
                                   "ldrbhs": ("ldrb", "hs", False), "strexdeq": ("strexd", "eq", False),
                                   "movs": ("mov", None, True), "svcmi": ("svc", "mi", False)}.items():
            insn = count_isa.Insn(0, 4, 0, mnemonic, "", mnemonic)
            self.assertEqual(arm.split(insn), expected, mnemonic)


class PowerPcTest(CountTest):
    def test_64(self):
        self.assemble("""
entry:
    mfspr   13, 273        # 00 SPRG1: privileged
    mflr    12             # 04 user-level
    or      6, 6, 6        # 08 priority hint
    bcl     20, 31, .+4    # 0c only sets the link register
    std     3, 16(1)       # 10
    ldarx   4, 0, 1        # 14
    stdcx.  4, 0, 1        # 18
    stwcx.  4, 0, 1        # 1c
    lq      4, 0(1)        # 20
    bl      2f             # 24
    dcbz    0, 1           # 28
    cmpdi   3, 0           # 2c
    beqlr                  # 30
    lwsync                 # 34
    .long   0x4c0000a4     # 38 rfscv
2:  .long   0x7cc003e4     # 3c slbia 6
    blr
""", "--triple=powerpc64le", "--mcpu=pwr10")
        one = path([(0, 0x10), (0x10, 0x18), (0x28, 0x0c), (0x34, 8)], 0x38, [(0x30, False)], [0x24], instructions=15,
                   loads=2, stores=4, registers_loaded=1 + 2, registers_stored=3, bytes_loaded=8 + 16,
                   bytes_stored=8 + 8 + 4, branches_taken=1, branches_not_taken=1, calls=1, system=1, barriers=1,
                   atomics=3, nops=1, classes={"load": 2, "store": 4, "branch": 1, "call": 1, "return": 2, "system": 1,
                                               "barrier": 1, "nop": 1})
        back = path([(0, 0x10), (0x10, 0x18), (0x28, 0x0c)], 0x30, [(0x30, True)], [0x24], instructions=13,
                    loads=2, stores=4, registers_loaded=1 + 2, registers_stored=3, bytes_loaded=8 + 16,
                    bytes_stored=8 + 8 + 4, branches_taken=1 + 1, calls=1, system=1, atomics=3, nops=1,
                    classes={"load": 2, "store": 4, "branch": 1, "call": 1, "return": 1, "system": 1, "nop": 1})
        self.agrees(document("powerpc64le", "object", "entry", 0, one, back))

    def test_32(self):
        self.assemble("""
entry:
    stmw    13, 16(1)
    bdnz    1f
    lmw     30, 16(1)
1:  stwu    1, -16(1)
    mtsrr0  12
    rfi
""", "--triple=powerpc", "--mcpu=603")
        long = path([(0, 8), (8, 4), (12, 12)], 20, [(4, False)], instructions=6, loads=1, stores=2, registers_loaded=2,
                    registers_stored=19 + 1, bytes_loaded=8, bytes_stored=76 + 4, branches_not_taken=1, system=1,
                    classes={"load": 1, "store": 2, "branch": 1, "return": 1, "system": 1})
        short = path([(0, 8), (12, 12)], 20, [(4, True)], instructions=5, stores=2, registers_stored=20,
                     bytes_stored=80, branches_taken=1, system=1,
                     classes={"store": 2, "branch": 1, "return": 1, "system": 1})
        self.agrees(document("powerpc", "object", "entry", 0, long, short))


class BadInputTest(CountTest):
    def fails(self, report, expected, image=None):
        status, out, err = self.count(report, image)
        self.assertEqual((status, out), (2, ""))
        self.assertIn(expected, err)

    def test_not_json(self):
        self.fails("{", "JSONDecodeError")

    def test_wrong_schema(self):
        self.fails({"schema": "trapline/diff/1"}, "expected trapline/paths/1")

    def test_missing_key(self):
        self.fails({"schema": "trapline/paths/1"}, "KeyError: 'images'")

    def test_architecture_without_table(self):
        self.fails(document("vax", "object", "entry", 0, path([(0, 4)], 0)), "no instruction table for vax")

    def test_absent_image(self):
        self.fails(document("arm", "object", "entry", 0, path([(0, 4)], 0)), "No such file", self.folder / "absent")


class RealKernelTest(CountTest):
    """Paths of Debian's kernels, counted by hand from llvm-objdump."""

    def kernel(self, name):
        try:
            return kernels.unpacked(name, self.folder)
        except kernels.Skip as reason:
            self.skipTest(str(reason))

    def test_loongarch_handle_syscall(self):
        start = 0x9000000000236820
        branch, call, end = start + 0x11C, start + 0xC8, start + 0x164
        shared = {"stores": 29, "registers_stored": 29, "bytes_stored": 232, "calls": 1, "system": 9}
        classes = {"store": 29, "branch": 1, "call": 1, "return": 1, "system": 9}
        user = path([(start, 0x120), (branch + 4, 0x48)], end, [(branch, False)], [call], classes | {"load": 36},
                    instructions=90, loads=36, registers_loaded=36, bytes_loaded=288, branches_not_taken=1, **shared)
        kernel = path([(start, 0x120), (branch + 8, 0x44)], end, [(branch, True)], [call], classes | {"load": 35},
                      instructions=89, loads=35, registers_loaded=35, bytes_loaded=280, branches_taken=1, **shared)
        self.agrees(document("loongarch64", "vmlinux", "handle_syscall", start, user, kernel),
                    self.kernel("vmlinux-7.2.12-loong64"))

    def test_arm_ret_to_user_from_irq(self):
        """No work is pending, and the saved mode is user mode."""
        start, end = 0xC0300104, 0xC0300150
        one = path([(start, 12), (start + 12, 0x2C), (0xC030013C, 0x18)], end,
                   [(0xC030010C, False), (0xC0300138, False)], [0xC0300110], instructions=20, loads=5, stores=1,
                   registers_loaded=4 + 15, registers_stored=1, bytes_loaded=76, bytes_stored=4, branches_not_taken=2,
                   calls=1, system=4, atomics=1, nops=1,
                   classes={"load": 5, "store": 1, "branch": 2, "call": 1, "return": 1, "system": 4, "nop": 1})
        self.agrees(document("arm", "vmlinux", "ret_to_user_from_irq", start, one),
                    self.kernel("vmlinux-6.1.176-armhf"))


class InnerImageTest(CountTest):
    def test_vdso_inside_a_kernel(self):
        self.assemble("""
    .section .note.gnu.build-id, "a", @note
    .long 4, 4, 3
    .asciz "GNU"
    .long 0x04030201
    .text
    nop
f:  ld.d $a0, $sp, 0
    ret
""", "--triple=loongarch64")
        outer = self.folder / "outer"
        outer.write_bytes(b"\x7fELF but no more" + bytes(84) + self.image.read_bytes() + bytes(100))
        report = document("loongarch64", "vdso", "f", 4, path([(4, 8)], 8, instructions=2, loads=1, registers_loaded=1,
                                                              bytes_loaded=8, classes={"load": 1, "return": 1}))
        report["images"][0] |= {"path": "outer!vdso", "build_id": "01020304"}
        self.agrees(report, outer)
        report["images"][0]["build_id"] = "04030201"
        self.assertEqual(self.count(report, outer)[0], 2)


class KernelsTest(CountTest):
    """kernels.py with a made-up kernel, and a script in the place of trapline."""

    def setUp(self):
        super().setUp()
        self.assemble("entry: ld.d $a0, $sp, 0\n ertn\n", "--triple=loongarch64")
        (self.folder / "kernels").mkdir()
        (self.folder / "kernels" / "made-up.xz").write_bytes(lzma.compress(self.image.read_bytes()))
        self.report = document("loongarch64", "object", "entry", 0,
                               path([(0, 8)], 4, instructions=2, loads=1, registers_loaded=1, bytes_loaded=8,
                                    classes={"load": 1, "return": 1}))
        self.trapline = self.folder / "trapline"
        self.trapline.write_text(f"#!/bin/sh\ncat {self.folder}/report.json\n")
        self.trapline.chmod(0o755)

    def kernels(self, *more, folder="kernels", name="made-up"):
        (self.folder / "report.json").write_text(json.dumps(self.report))
        out = io.StringIO()
        environment = {"TRAPLINE_KERNELS": str(self.folder / folder)} if folder else {}
        with contextlib.redirect_stdout(out), mock.patch.dict(os.environ, environment):
            if not folder:
                os.environ.pop("TRAPLINE_KERNELS", None)
            status = kernels.main(["--trapline", str(self.trapline), "--work", str(self.folder / "work"), "--golden",
                                   str(self.folder / "golden"), "--objdump", OBJDUMP, *more, name])
        return status, out.getvalue()

    def test_rebase_then_compare(self):
        self.assertEqual(self.kernels()[0], 1)  # no golden table yet
        self.assertEqual(self.kernels("--rebase"), (0, "made-up: 1 routines, 1 paths, 0 mismatches\n"))
        row = (self.folder / "golden" / "made-up.paths").read_text().splitlines()[-1]
        self.assertEqual(row.split(), ["entry", "syscall-entry", "1", "0", "2..2", "1..1", "0..0"])
        self.assertEqual(self.kernels()[0], 0)

    def test_difference_from_golden(self):
        self.kernels("--rebase")
        self.report["images"][0]["routines"][0]["infeasible"] = 3
        status, out = self.kernels()
        self.assertEqual(status, 1)
        self.assertIn("\n+entry      syscall-entry  1      3 ", out)

    def test_rebase_refuses_what_is_not_confirmed(self):
        self.kernels("--rebase")
        before = (self.folder / "golden" / "made-up.paths").read_text()
        self.report["images"][0]["routines"][0]["paths"][0]["cost"]["stores"] = 1
        status, out = self.kernels("--rebase")
        self.assertEqual(status, 1)
        self.assertIn("stores: trapline 1, counted 0", out)
        self.assertIn("was not rewritten", out)
        self.assertEqual((self.folder / "golden" / "made-up.paths").read_text(), before)

    def test_no_path_is_no_success(self):
        self.report["images"][0]["routines"] = []
        self.assertEqual(self.kernels("--rebase")[0], 1)

    def test_skips(self):
        self.assertEqual(self.kernels(folder=None), (77, "SKIP made-up: TRAPLINE_KERNELS is not set\n"))
        status, out = self.kernels(name="absent")
        self.assertEqual((status, out), (77, "SKIP absent: TRAPLINE_KERNELS holds no absent and no absent.xz\n"))

    def test_trapline_fails(self):
        self.trapline.write_text("#!/bin/sh\necho broken >&2\nexit 2\n")
        status, out = self.kernels()
        self.assertEqual(status, 1)
        self.assertIn("exit status 2: broken", out)


def main():
    """Exit status 77 where no test could run: CTest reports it as skipped."""
    result = unittest.main(exit=False).result
    if result.testsRun and len(result.skipped) == result.testsRun:
        print(f"SKIP {result.skipped[0][1]}")
        return kernels.SKIPPED
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
