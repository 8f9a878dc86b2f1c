#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Launches of PyTorch's operators beside those that were measured: names, grids and blocks, by the unmodified wheel of torch 2.1.0.

Usage: pytorch_launches.py BUILD MEASUREMENTS [--programs DIR] [--gpu NAME]... [--rows N] [--write]

MEASUREMENTS has pytorch-fp32.csv and pytorch-fp32-kernels.csv; DIR/pytorch is a virtual environment with torch 2.1.0 (bench/programs.sh).
Nothing is executed (bench/pytorch_captured.py), so all rows are compared; --rows takes those N of each GPU and operator with the smallest
SHA-256 of "gpu,operator,batch,rows,cols,reduced,width". Names are compared as C++ writes them, without the type that a function template
returns, which some profilers leave out. Where an operator becomes several launches (from 2^29 numbers on), the first one is compared.
Products are NVIDIA's kernels in the measurements and ours here: for them the grid and the block alone are compared. --write makes the
table in docs/lab/pytorch.md. Exit status 1: a kernel of PyTorch's own differs.
"""
import argparse
import collections
import csv
import hashlib
import json
import pathlib
import re
import subprocess
import sys

from lab_page import write_between
from pytorch import KINDS, LAB, MACHINES

PRODUCTS = ("bmm", "linear")
SHAPE = ("batch", "rows", "cols", "reduced", "width")
MACHINES = {**MACHINES, "H100 SXM": "h100-sxm"}
BEGIN, END = "<!-- made by bench/pytorch_launches.py -->\n", "<!-- end of launches -->\n"


def place(row):
    return hashlib.sha256(",".join((row["gpu"], row["op"], *(row[name] for name in SHAPE))).encode()).hexdigest()


def measured(folder, most):
    """Rows of each GPU, with the names of their kernels."""
    with open(folder / "pytorch-fp32-kernels.csv", newline="", encoding="utf-8") as lines:
        names = {row["kernel"]: row["name"] for row in csv.DictReader(lines)}
    groups = collections.defaultdict(list)
    with open(folder / "pytorch-fp32.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["gpu"] in MACHINES and (row["op"] in KINDS or row["op"] in PRODUCTS):
                groups[row["gpu"], row["op"]].append({**row, "name": names[row["kernel"]]})
    found = collections.defaultdict(list)
    for (gpu, _), rows in sorted(groups.items()):
        found[gpu] += sorted(rows, key=place)[:most]
    return found


def launches(build, python, gpu, rows):
    """Launches of each row, in order: (name, grid, block); the rows that came before a failure."""
    folder = build / "validation" / "pytorch"
    folder.mkdir(parents=True, exist_ok=True)
    asked = folder / f"launches-{MACHINES[gpu]}.txt"
    asked.write_text("".join(" ".join([row["op"], *(row[name] or "0" if name == "width" else row[name] or "1" for name in SHAPE)]) + "\n"
                             for row in rows))
    done = subprocess.run([build / "maniple", "run", "-q", "--functional", "--machine", MACHINES[gpu], "--", python,
                           pathlib.Path(__file__).with_name("pytorch_captured.py"), asked], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    if len(lines) < len(rows):
        print(f"{gpu}: {len(rows) - len(lines)} rows have no answer: {done.stderr.strip()[-500:]}", file=sys.stderr)
    return [json.loads(line) for line in lines]


def plain(names):
    """Names as C++ writes them; a returned type inside a name goes."""
    written = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.split("\n")
    return [re.sub(r"\bvoid ", "", name) for name in written]


def compare(build, python, gpu, rows):
    """Counts for each operator: rows, rows with the same launch, and (of products) with the same tile."""
    counts = {}
    answers = launches(build, python, gpu, rows)
    there = plain([row["name"] for row in rows])
    here = plain([answer[0][0] if answer else "" for answer in answers])
    for row, answer, name, ours in zip(rows, answers, there, here):
        same = bool(answer) and [row["grid"], row["block"]] == answer[0][1:]
        product = row["op"] in PRODUCTS
        count = counts.setdefault(row["op"], [0, 0])
        count[0] += 1
        count[1] += same and (product or name == ours)
        if not product and not (same and name == ours):
            print(f"{gpu} {row['op']} {row['batch']} x {row['width']}: {answer[:1]} in place of {name}, {row['grid']}, {row['block']}",
                  file=sys.stderr)
    return counts


def table(found):
    kinds = list(dict.fromkeys(KINDS.values()))
    lines = ["| GPU | " + " | ".join([*kinds, *PRODUCTS]) + " |\n", "| --- |" + " ---: |" * (len(kinds) + len(PRODUCTS)) + "\n"]
    for gpu, counts in found.items():
        cells = []
        for kind in [*kinds, *PRODUCTS]:
            mine = [count for op, count in counts.items() if KINDS.get(op, op) == kind]
            total, same = (sum(count[i] for count in mine) for i in (0, 1))
            cells.append(f"{same:,} of {total:,}" if total else "")
        lines.append(f"| {gpu}, `{MACHINES[gpu]}` | " + " | ".join(cells) + " |\n")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("programs"))
    parser.add_argument("--gpu", action="append", choices=MACHINES)
    parser.add_argument("--rows", type=int, metavar="N", help="of each GPU and operator; default: all")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    python = (options.programs / "pytorch" / "bin" / "python").absolute()
    found = {gpu: compare(options.build, python, gpu, rows) for gpu, rows in measured(options.measurements, options.rows).items()
             if gpu in (options.gpu or MACHINES)}
    print("".join(table(found)), end="")
    if options.write:
        write_between(LAB / "pytorch.md", BEGIN, END, table(found))
    return any(total != same for counts in found.values() for op, (total, same) in counts.items() if op in KINDS)


if __name__ == "__main__":
    sys.exit(main())
