#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `maniple disassemble` with nvdisasm, where that is installed, on the cubins of a folder.
Usage: nvdisasm.py MANIPLE FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def expected_lines(text):
    """Addresses and texts of nvdisasm's listing, with addresses for its labels and without its remarks."""
    labels, waiting, found = {}, [], []
    for line in text.splitlines():
        if match := re.match(r"([\w$.]+):$", line):
            waiting.append(match[1])
        if match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line):
            labels.update((label, int(match[1], 16)) for label in waiting)
            waiting = []
            found.append((match[1], re.sub(r"\s+\(\*.*", "", match[2])))

    def resolve(at, line):
        relative = int(at, 16) + 16 if re.search(r"\b(RET|BRX)\b", line) else 0  # these add a register
        return re.sub(r"`\(([^)]+)\)", lambda match: hex(labels[match[1]] - relative) if match[1] in labels else match[0],
                      line)

    return [(at, resolve(at, line)) for at, line in found]


def main():
    maniple, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    theirs = shutil.which("nvdisasm")
    if not theirs:
        print("1..0 # SKIP nvdisasm is not installed")
        return
    cubins = sorted(folder.glob("*.cubin"))
    print(f"1..{len(cubins)}")
    for number, cubin in enumerate(cubins, 1):
        ours = re.findall(r"^    ([0-9a-f]{4,})  (.*)$", run([maniple, "disassemble", cubin]), re.MULTILINE)
        expected = expected_lines(run([theirs, "-raw", "-c", cubin]))
        differing = [pair for pair in zip(ours, expected) if pair[0] != pair[1]]
        good = ours and len(ours) == len(expected) and not differing
        print(f"{'ok' if good else 'not ok'} {number} - {cubin.name}: {len(ours)} instructions")
        for mine, other in differing[:5]:
            print(f"# {mine} is not {other}")


main()
