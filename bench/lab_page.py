# SPDX-License-Identifier: BSD-3-Clause
"""Tables that programs write into pages of docs/lab, and the files of rows beside them."""
import csv


def write_between(page, begin, end, lines):
    """Puts lines between the first line `begin` of a page (a Path) and the next line `end`, both with their line ends."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + "".join(lines) + end + rest.split(end, 1)[1], encoding="utf-8")


def read_rows(path):
    """Rows of a CSV file as dictionaries."""
    with open(path, newline="", encoding="utf-8") as kept:
        return list(csv.DictReader(kept))


def keep_rows(path, columns, rows, keys=2):
    """Merges rows (lists) into a CSV file, which is made if it is missing: each replaces the row whose first `keys` columns are the same,
    or comes last. Returns all rows as dictionaries."""
    old = [[row[name] for name in columns] for row in read_rows(path)] if path.exists() else []
    every = {tuple(row[:keys]): row for row in old + [[str(cell) for cell in row] for row in rows]}
    with open(path, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([columns, *every.values()])
    return [dict(zip(columns, row)) for row in every.values()]
