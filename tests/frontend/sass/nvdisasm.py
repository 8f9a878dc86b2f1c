#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `maniple disassemble` with nvdisasm, where that is installed, on the cubins of a folder.
Usage: nvdisasm.py MANIPLE FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys


def lines(command, pattern):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [match.groups() for match in re.finditer(pattern, out, re.MULTILINE)]


def main():
    maniple, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    theirs = shutil.which("nvdisasm")
    if not theirs:
        print("1..0 # SKIP nvdisasm is not installed")
        return
    cubins = sorted(folder.glob("*.cubin"))
    print(f"1..{len(cubins)}")
    for number, cubin in enumerate(cubins, 1):
        ours = lines([maniple, "disassemble", cubin], r"^    ([0-9a-f]{4,})  (.*)$")
        expected = lines([theirs, "-raw", "-c", cubin], r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
        differing = [pair for pair in zip(ours, expected) if pair[0] != pair[1]]
        good = ours and len(ours) == len(expected) and not differing
        print(f"{'ok' if good else 'not ok'} {number} - {cubin.name}: {len(ours)} instructions")
        for mine, other in differing[:5]:
            print(f"# {mine} is not {other}")


main()
