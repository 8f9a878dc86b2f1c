#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random A32 instructions, run by Maniple's interpreter and by unicorn, must leave the same registers, flags and memory.

Usage: oracle.py A32_RUN [INSTRUCTIONS [SEED [FOLDER]]]. With a folder, what was run and its results are kept there, for
the test that needs no unicorn. Ends with 77 (skipped) where the module unicorn is not installed."""
import random
import struct
import subprocess
import sys

from a32_random import DATA, PRIVATE, Maker, interesting

try:
    from unicorn import Uc, UcError, UC_ARCH_ARM, UC_MODE_ARM
    from unicorn import arm_const as arm
except ImportError:
    print("skipped: the Python module unicorn is not installed")
    sys.exit(77)

CODE = 0x8000
REGISTERS = [getattr(arm, f"UC_ARM_REG_R{i}") for i in range(13)] + [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
FLAGS = 0xF80F0000


def main():
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    maker = Maker(rng)
    uc = Uc(UC_ARCH_ARM, UC_MODE_ARM)
    uc.ctl_set_cpu_model(arm.UC_CPU_ARM_1136)
    uc.mem_map(0, PRIVATE)
    data = bytes(PRIVATE - DATA)
    ours = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    done, sent, came = 0, b"", b""
    while done < total:
        words = maker.words()
        registers = [interesting(rng) for _ in range(15)]
        status = interesting(rng) & FLAGS
        uc.reg_write(arm.UC_ARM_REG_CPSR, status | 0x10)  # first: the mode chooses r13 and r14
        for name, value in zip(REGISTERS, registers):
            uc.reg_write(name, value)
        code = struct.pack(f"<{len(words)}I", *words)
        uc.mem_write(CODE, code)
        uc.ctl_remove_cache(CODE, CODE + len(code))
        block = struct.pack("<17I", len(words), *registers, status) + code
        ours.stdin.write(block)
        ours.stdin.flush()
        try:
            uc.emu_start(CODE, CODE + len(code))
            theirs = [uc.reg_read(name) for name in REGISTERS] + [uc.reg_read(arm.UC_ARM_REG_CPSR) & FLAGS]
        except UcError as problem:
            theirs = [f"{problem} at {(uc.reg_read(arm.UC_ARM_REG_PC) - CODE) // 4}"]
        sum_ = 0
        answer = ours.stdout.read(76)
        result = struct.unpack("<19I", answer)
        sent, came = (sent + block, came + answer) if len(sys.argv) > 4 else (b"", b"")
        mine = list(result[2:18])
        if result[1] or mine != theirs:
            report(words, registers, status, result, theirs)
            sys.exit(1)
        done += len(words)
        if rng.random() < 0.02 or done >= total:
            for byte in uc.mem_read(DATA, PRIVATE - DATA):
                sum_ = (sum_ * 31 + byte) & 0xFFFFFFFF
            if sum_ != result[18]:
                report(words, registers, status, result, ["memory differs"])
                sys.exit(1)
    if len(sys.argv) > 4:
        for name, content in (("vectors.in", sent), ("vectors.out", came)):
            with open(f"{sys.argv[4]}/{name}", "wb") as out:
                out.write(content)
    print(f"{done} instructions, seed {seed}: no difference")


def report(words, registers, status, result, theirs):
    print("registers", [hex(r) for r in registers], "status", hex(status))
    print("pause, fault", result[:2])
    print("ours  ", [hex(r) for r in result[2:18]])
    print("theirs", [hex(r) if isinstance(r, int) else r for r in theirs])
    print("code", " ".join(f"{word:08x}" for word in words))


main()
