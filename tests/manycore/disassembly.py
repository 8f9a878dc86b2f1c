#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random encodings, disassembled by Maniple and by capstone, must give the same text, but for the names of registers
and the way in which numbers are written.

Usage: disassembly.py A32_TEXT [WORDS [SEED [RECORD]]]. RECORD is a file that is written with some of what agreed; where
the module capstone is not installed, disassembly.txt, recorded so, is compared instead."""
import os
import random
import re
import struct
import subprocess
import sys

try:
    import capstone
except ImportError:
    capstone = None

NAMES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "apsr": "cpsr"}
FIELDS = {"apsr_nzcvq": "cpsr_f", "apsr_g": "cpsr_s", "apsr_nzcvqg": "cpsr_fs"}
LATER = re.compile(r"(msr|mrs)\S* .*_(usr|fiq|irq|svc|abt|und|mon|hyp)")  # banked registers of ARMv7
RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "disassembly.txt")


def number(match):
    return "#" + str(int(match.group(1), 0) & 0xFFFFFFFF)


def plain(text):
    text = re.sub(r"#(-?(?:0x)?[0-9a-f]+)", number, text.strip().lower().replace("\t", " "))
    text = re.sub(r"\bapsr_\w+", lambda m: FIELDS.get(m.group(0), m.group(0)), text)
    text = re.sub(r"^ldr(..)? (r\d+|lr), \[sp\], #4$", r"pop\1 {\2}", text)  # a pop of one register has two encodings
    text = re.sub(r"^ldm(..)? sp!, \{(r\d+|lr)\}$", r"pop\1 {\2}", text)
    text = re.sub(r"^hint(..)? #\d+$", r"nop\1", text)  # later processors', without effect on this one
    text = re.sub(r"\b[a-z]+\b", lambda m: NAMES.get(m.group(0), m.group(0)), text)
    text = re.sub(r"\bp15, #?", "p15, ", text)
    return re.sub(r"\s+", " ", text)


def disassemble(words):
    return subprocess.run([sys.argv[1]], input=struct.pack(f"<{len(words)}I", *words), capture_output=True,
                          check=True).stdout.decode().split("\n")


def compare_recorded():
    lines = [line.rstrip("\n").split(" ", 1) for line in open(RECORDED, encoding="ascii") if line[0] != "#"]
    bad = 0
    for (word, text), mine in zip(lines, disassemble([int(word, 16) for word, _ in lines])):
        if mine != text:
            bad += 1
            print(f"{word}: '{mine}', recorded '{text}'")
    print(f"{len(lines)} recorded encodings compared, {bad} differ")
    sys.exit(bad != 0 or len(lines) < 100)


def main():
    if capstone is None:
        compare_recorded()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    words = [rng.getrandbits(32) & (0xFFFFFFFF if i % 4 else 0x0FFFFFFF) | (0 if i % 4 else 0xE0000000)
             for i in range(count)]
    ours = disassemble(words)
    agreed = {}
    engine = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)
    compared, bad, refused = 0, 0, 0
    for word, mine in zip(words, ours):
        if mine == "undefined":
            continue
        theirs = next((f"{i.mnemonic} {i.op_str}" for i in engine.disasm(struct.pack("<I", word), 0x8000)), None)
        ones = word & 0x0F8000F0 != 0x01800090 or word & 0xF00 == 0xF00  # exclusives; otherwise they are ARMv8's
        if theirs is None or LATER.match(theirs) or not ones:  # it insists on fields that the manual calls 'should be zero', the processor does not
            refused += 1
            continue
        compared += 1
        if plain(mine) != plain(theirs):
            bad += 1
            if bad <= 40:
                print(f"{word:08x}: ours '{mine}', capstone '{theirs}'")
        else:
            agreed.setdefault(re.sub(r"(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?$", "", mine.split(" ")[0]), []).append(
                f"{word:08x} {mine}")
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", encoding="ascii") as out:
            out.write("# Encodings and their texts, on which Maniple and capstone agreed (disassembly.py).\n")
            out.writelines(line + "\n" for lines in agreed.values() for line in lines[:3])
    print(f"{compared} encodings compared, {bad} differ; {refused} that capstone refuses")
    sys.exit(bad != 0)


main()
