#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/lab/ptx.md: which forms of PTX's opcodes are tested against a second implementation.

Usage: bench/opcodes.py BUILD [--write]
Runs BUILD/tests/frontend/ptx/ptx_opcodes_test, and prints a row for each opcode (--write: into the page and its CSV): its forms,
and whether the results must be equal or how far they may be off."""
import math
import os
import subprocess
import sys
import tempfile

from lab_page import cell_lines, keep_table


def power(bound):
    """A bound as a power of two."""
    return f"2^{math.log2(bound):.0f}" if bound else "0"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    with tempfile.NamedTemporaryFile("r") as table:
        program = os.path.join(sys.argv[1], "tests/frontend/ptx/ptx_opcodes_test")
        subprocess.run([program], check=True, env={**os.environ, "PTX_FORMS": table.name}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        lines = table.read().splitlines()
    opcodes = {}
    for line in lines:
        text, operands, relative, absolute = line.split()
        row = opcodes.setdefault(text.split(".")[0], {"forms": set(), "exact": set(), "relative": 0, "absolute": 0})
        row["forms"].add(text)
        if float.fromhex(relative) or float.fromhex(absolute):
            row["relative"] = max(row["relative"], float.fromhex(relative))
            row["absolute"] = max(row["absolute"], float.fromhex(absolute))
        else:
            row["exact"].add(text)
    cells = {}
    for opcode, row in sorted(opcodes.items()):
        rest = len(row["forms"]) > len(row["exact"])
        cells[f"`{opcode}`", "forms"], cells[f"`{opcode}`", "equal bits"] = len(row["forms"]), len(row["exact"])
        cells[f"`{opcode}`", "others: relative error at most"] = power(row["relative"]) if rest else ""
        cells[f"`{opcode}`", "absolute"] = power(row["absolute"]) if rest else ""
    cells[f"all {len(opcodes)}, {operands} sets of operands each", "forms"] = sum(len(row["forms"]) for row in opcodes.values())
    print("".join(cell_lines(cells, "opcode")), end="")
    if len(sys.argv) == 3:
        keep_table("ptx", "opcodes", "opcode", "bench/opcodes.py", cells, sys.argv[1])


main()
