# SPDX-License-Identifier: BSD-3-Clause
"""Tables that programs write into pages of docs/lab, and the files of rows beside them."""
import csv
import datetime
import subprocess


def put_between(text, begin, end, lines):
    """The text with lines between its one line `begin` and the next line `end`, both with their line ends."""
    before, rest = text.split(begin)
    return before + begin + "".join(lines) + end + rest.split(end, 1)[1]


def write_between(page, begin, end, lines):
    """The same in a page (a Path)."""
    page.write_text(put_between(page.read_text(encoding="utf-8"), begin, end, lines), encoding="utf-8")


def state_of(build):
    """The day, and the last commit that changed what is simulated."""
    def git(*words):
        done = subprocess.run(["git", "-C", build, *words], capture_output=True, text=True)
        return done.stdout.strip()
    top = git("rev-parse", "--show-toplevel")
    changed = bool(top) and bool(git("status", "--porcelain", "--", f"{top}/src", f"{top}/machines"))
    commit = git("log", "-1", "--format=%h", "--", f"{top}/src", f"{top}/machines") if top else ""
    return f"{datetime.date.today()}{', ' + commit if commit else ''}{' and changes' if changed else ''}"


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
