#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the summaries of docs/lab/hopper.md: one of each table of rows in docs/lab/hopper.csv.

Usage: tables.py [--current]

--current writes nothing and fails if a summary of the page is not that of the rows, or the error of a row not that of its numbers. Programs of this folder put rows in by keep().
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from lab_page import keep_rows, put_between, read_rows

LAB = HERE.parent.parent / "docs" / "lab"
# `rows`: measured rows that a line stands for; `silicon` and `simulated`: a number, or LOW to HIGH; `error`: percent, of many rows the mean of
# absolute errors; `note`: begins with "fitted" where a key of the machine was made from the row; `made`: day and commit of the row.
COLUMNS = ["table", "group", "row", "rows", "unit", "board", "silicon", "simulated", "error", "machine", "note", "command", "made"]
BEGIN, END = "<!-- {}, by bench/hopper/tables.py -->\n", "<!-- end -->\n"


def keep(table, group, rows, **same):
    """Puts (row, silicon, simulated) of a group into the file of rows; `same` has the columns that all of them share."""
    lines = []
    for row, silicon, simulated in rows:
        cells = {"table": table, "group": group, "row": row, "rows": 1, "silicon": f"{silicon:.6g}", "simulated": f"{simulated:.6g}",
                 "error": f"{100 * (simulated / silicon - 1):.1f}", **same}
        lines.append([cells.get(column, "") for column in COLUMNS])
    keep_rows(LAB / "hopper.csv", COLUMNS, lines, keys=3)


def mean(errors):
    """Of pairs of a weight and an error."""
    return sum(weight * error for weight, error in errors) / sum(weight for weight, _ in errors)


def line_of(group, board, machine, rows):
    """A group's line of a summary; none where nothing is compared."""
    fitted = [row for row in rows if row["note"].startswith("fitted")]
    compared = [row for row in rows if row["error"] and row not in fitted]
    if not compared:
        return ""
    errors = [(int(row["rows"]), float(row["error"])) for row in compared]
    single = all(weight == 1 for weight, _ in errors)
    worst = max((row for row in compared if row["rows"] == "1"), key=lambda row: abs(float(row["error"])), default=None)
    total, count = (sum(int(row["rows"]) for row in some) for some in (rows, compared))
    cells = [group, board, f"`{machine}`" if machine else "", f"{count}" + (f" of {total}" if total > count else ""),
             f"{mean([(weight, abs(error)) for weight, error in errors]):.1f} %", f"{mean(errors):+.1f} %" if single else "",
             f"{worst['row']}: {float(worst['error']):+.1f} %" if worst else ""]
    return "| " + " | ".join(cells) + " |\n"


def summary(rows):
    """Lines of a table's summary, and the commands of its rows."""
    groups = {}
    for row in rows:
        groups.setdefault((row["group"], row["board"], row["machine"]), []).append(row)
    commands = dict.fromkeys(f"`{row['command']}`" for row in rows if row["command"])
    return ["| group | silicon | machine | rows | mean absolute error | mean error | worst row |\n",
            "| --- | --- | --- | ---: | ---: | ---: | --- |\n", *(line_of(*key, mine) for key, mine in groups.items()),
            *(["\n", f"Made by {', '.join(commands)}.\n"] if commands else [])]


def renewed(text, rows):
    """The page's text with the summary of each table that it has a place for."""
    for table in re.findall(r"<!-- (\S+), by bench/hopper/tables.py -->\n", text):
        text = put_between(text, BEGIN.format(table), END, summary([row for row in rows if row["table"] == table]))
    return text


def write():
    (LAB / "hopper.md").write_text(renewed((LAB / "hopper.md").read_text(encoding="utf-8"), read_rows(LAB / "hopper.csv")), encoding="utf-8")


def middle(text):
    """Of a number, or of LOW to HIGH."""
    numbers = [float(word) for word in text.split(" to ")]
    return sum(numbers) / len(numbers)


def wrong(row):
    """Whether a row's error does not follow from its numbers."""
    if row["rows"] != "1" or not (row["error"] and row["silicon"] and row["simulated"]):
        return False
    return abs(float(row["error"]) - 100 * (middle(row["simulated"]) / middle(row["silicon"]) - 1)) > 0.06


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--current", action="store_true")
    options = parser.parse_args()
    text = (LAB / "hopper.md").read_text(encoding="utf-8")
    if not options.current:
        return write()
    rows = read_rows(LAB / "hopper.csv")
    faults = [f"docs/lab/hopper.csv: the error of {row['table']}, {row['group']}, {row['row']} is not that of its numbers" for row in rows if wrong(row)]
    if renewed(text, rows) != text:
        faults.append("docs/lab/hopper.md is not what hopper.csv says: run bench/hopper/tables.py")
    return "\n".join(faults) or 0


if __name__ == "__main__":
    sys.exit(main())
