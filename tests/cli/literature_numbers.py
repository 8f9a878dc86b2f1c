#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that bench/literature/data quotes of the papers, against the papers' own text where it is at hand
(../shared/papers): tables of Wang & Gao cell by cell, of the others each number that their text states.
Skipped without the texts. Usage: literature_numbers.py"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = ROOT.parent / "shared" / "papers"
DATA = ROOT / "bench" / "literature" / "data"


def text_of(words):
    """The paper whose text begins with such words."""
    for path in sorted(PAPERS.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if words in text[:3000]:
            return text
    return None


def rows_of(text, first, last):
    """Rows of the tables between two words: the name, and the cells as they stand there."""
    rows = {}
    for line in text[text.index(first):text.index(last)].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) > 2:
            name, *rest = " ".join(cells).split() or [""]
            rows.setdefault(name, rest)
    return rows


def stated(value):
    """How the paper writes a deviation."""
    if isinstance(value, str):
        return value.replace(" ", "").lstrip("+")
    return "0" if value == 0 else f"{value:.2f}%"


if not PAPERS.is_dir() or not list(PAPERS.glob("*.txt")):
    print("1..0 # SKIP ../shared/papers is not there")
    sys.exit(0)
paper, data = text_of("Parallelizing GPGPU-Sim for Faster Simulation"), json.loads((DATA / "wang-gao.json").read_text(encoding="utf-8"))
for table, first, last in (("table1_us", "TIME OF SEGMENTS", "B. gpusim-para1"), ("table2_s", "| Bench Seq ", "Fig. 4. Speedup"),
                           ("table5_s", "| Bench | Seq2", "Fig. 5. Speedup")):
    rows, wrong = rows_of(paper, first, last), []
    for name in data["order"]:
        mine, theirs = [float(one) for one in data[table][name]], [float(one.rstrip("%")) for one in rows.get(name, [])]
        if mine != theirs[:len(mine)]:
            wrong.append(f"{table}, {name}: {mine}, the paper {theirs}")
    ok(not wrong, f"Wang & Gao: {table}, {len(data['order'])} rows", "\n".join(wrong))
for table, first, last in (("table3_percent", "TABLE III", "It is important to point out"), ("table6_percent", "TABLE VI", "V. OBSERVATIONS")):
    rows, wrong = rows_of(paper, first, last), []
    for name in data["order"]:
        mine = [stated(value) for value in data[table].get(name, [0] * 6)]
        if mine != rows.get(name):
            wrong.append(f"{table}, {name}: {mine}, the paper {rows.get(name)}")
    ok(not wrong, f"Wang & Gao: {table}, {len(data['order'])} rows", "\n".join(wrong))
rows, wrong = rows_of(paper, "BFS: RANDOM CLUSTER ORDER", "2) Results for gpusim-para2"), []
for word, name in (("least", "Min"), ("greatest", "Max")):
    mine = [stated(value) for value in data["table4_percent"][word]]
    if mine != rows[name]:
        wrong.append(f"table 4, {name}: {mine}, the paper {rows[name]}")
ok(not wrong, "Wang & Gao: table 4", "\n".join(wrong))


def numbers(value):
    """All numbers of a data file's lists and tables, but for the texts."""
    if isinstance(value, bool) or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in ("items", "order", "mechanisms"):
                yield from numbers(each)
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each)


for name, words in (("sachs", "Accelerating GPGPU Simulation"), ("huerta", "Parallelizing a modern GPU simulator"),
                    ("raghav", "GPU Acceleration for")):
    paper, data = text_of(words), json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", paper)
    found = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", plain)}
    lost = sorted({value for value in numbers(data) if float(value) not in found})
    ok(not lost, f"{name}: every number quoted stands in the paper", ", ".join(map(str, lost)))
sys.exit(finish())
