# SPDX-License-Identifier: BSD-3-Clause
"""Tables that programs write into pages of docs/lab, and the files of rows beside them."""
import csv
import datetime
import pathlib
import re
import subprocess

LAB = pathlib.Path(__file__).resolve().parent.parent / "docs/lab"
CELL = ["table", "row", "column", "value", "made"]
WORDS = 40


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


def mark_of(table, program):
    """The line before a table that is written from cells, and the line behind it."""
    return f"<!-- {table}, by {program} -->\n", f"<!-- end of {table} -->\n"


def cells_file(page):
    """The CSV of a page's cells: beside the file of its rows, where a program keeps those in columns of its own."""
    path = LAB / f"{page}.csv"
    own = path.exists() and path.read_text(encoding="utf-8").partition("\n")[0] != ",".join(CELL)
    return LAB / f"{page}-tables.csv" if own else path


def keep_cells(page, table, cells, made):
    """Cells of a table, {(row, column): value}, in the page's CSV of table, row, column, value and when it was made. A row's old cells go."""
    path, columns = cells_file(page), CELL
    new = {row for row, _ in cells}
    old = [cell for cell in read_rows(path) if not (cell["table"] == table and cell["row"] in new)] if path.exists() else []
    order = list(dict.fromkeys([cell["table"] for cell in old] + [table]))
    rows = [[cell[name] for name in columns] for cell in old] + [[table, row, column, str(value), made]
                                                                   for (row, column), value in cells.items()]
    with open(path, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([columns, *sorted(rows, key=lambda row: order.index(row[0]))])


def cell_lines(values, title):
    """Cells of a table, {(row, column): value}, in Markdown: a line for each row, in which a cell that is missing is empty. Columns of
    numbers are ranged right; one with a cell of more than WORDS characters is not of numbers."""
    rows, columns = (list(dict.fromkeys(key[i] for key in values)) for i in (0, 1))
    words = {column for (_, column), value in values.items() if len(str(value)) > WORDS}
    return [f"| {title} | " + " | ".join(columns) + " |\n", "".join(["| --- |", *(" --- |" if column in words else " ---: |" for column in columns), "\n"]),
            *(f"| {row} | " + " | ".join(str(values.get((row, column), "")) for column in columns) + " |\n" for row in rows)]


def table_lines(page, table, title):
    """The table of a page's CSV in Markdown, and when it was made."""
    path = cells_file(page)
    cells = [cell for cell in read_rows(path) if cell["table"] == table] if path.exists() else []
    made = ", ".join(dict.fromkeys(cell["made"] for cell in cells))
    return [*cell_lines({(cell["row"], cell["column"]): cell["value"] for cell in cells}, title), f"\nMade: {made}.\n"]


def write_cells(page, table, title, program):
    """Writes the table of a page's CSV between its marks in the page."""
    begin, end = mark_of(table, program)
    write_between(LAB / f"{page}.md", begin, end, table_lines(page, table, title))


def keep_table(page, table, title, program, cells, build):
    """Keeps cells that a program has made with a build, and writes their table."""
    keep_cells(page, table, cells, state_of(build))
    write_cells(page, table, title, program)


def stale_tables():
    """Tables of all pages that are not what the CSV of the page says."""
    for path in sorted(LAB.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for table, program, body in re.findall(r"^<!-- ([\w, -]+), by (\S+) -->\n(.*?)^<!-- end of \1 -->\n", text, re.M | re.S):
            title = body.split("|")[1].strip() if "|" in body else ""
            if body != "".join(table_lines(path.stem, table, title)):
                yield f"docs/lab/{path.name}: table {table} is not that of {path.stem}.csv; {program} writes both"
