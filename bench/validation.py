#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/lab/validation.md anew: runs beside measurements of silicon, by `maniple correlate`.

Usage: validation.py BUILD MEASUREMENTS [--programs DIR] [--quick] [--only micro,empty,polybench,rodinia,clusters,tma,pytorch]
                     [--machine NAME] [--check] [--jobs N]

MEASUREMENTS is a folder of tables (docs/lab/validation.md names them); --programs a folder with polybench/, rodinia/, hopper/ and pytorch/,
as bench/programs.sh builds them. What is not there is left out with a word. --quick runs the rows that take seconds, whose errors
have lines of their own in the page; --machine takes the rows of one machine alone. Runs are kept in BUILD/validation and are not made
again for the same sources. --check says what would change, and leaves the page as it is. Rows of whole tables are in validation.csv
beside the page.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import sys

import validation_rows
from lab_page import keep_rows, state_of

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "lab" / "validation.md"
COLUMNS = ["group", "row", "machine", "measured", "simulated", "made"]  # of validation.csv beside the page: rows of whole tables
END = "<!-- end -->\n"


# ===== running =====

def correlate(name, rows, options):
    """The rows with what was simulated (None: it failed), by `maniple correlate`."""
    folder = (options.build / "validation" / name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "list.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["name", "machine", "input", "arguments", "settings", "options", "group"])
        table.writerows([row.name, row.machine, row.input, row.arguments, row.settings, row.options, row.group] for row in rows)
    with open(folder / "measured.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["name", "value"])
        table.writerows([row.name, row.measured] for row in rows)
    runs_in = getattr(validation_rows.TABLES[name], "runs_in", None)
    subprocess.run([options.build.resolve() / "maniple", "correlate", folder / "list.csv", "-m", folder / "measured.csv", "-o", folder,
                    "--jobs", str(options.jobs)], cwd=options.programs / runs_in if runs_in else None)
    with open(folder / "correlation.csv", newline="", encoding="utf-8") as made:
        found = {row["name"]: float(row["simulated"]) if row["simulated"] else None for row in csv.DictReader(made)}
    return [row._replace(simulated=found[row.name]) for row in rows]


def collect(name, options):
    """Rows of a table; none where something is missing."""
    try:
        rows = list(validation_rows.TABLES[name](options))
        rows = [row for row in rows if (row.quick or not options.quick) and options.machine in ("", row.machine)]
        return correlate(name, rows, options) if rows and rows[0].input else rows
    except validation_rows.Missing as missing:
        print(f"{name} is left out: {missing}")
        return []


# ===== errors, as `maniple correlate` has them =====

def pearson(pairs):
    n = len(pairs)
    mx, my = (sum(pair[i] for pair in pairs) / n for i in (0, 1))
    xx, yy = sum((x - mx) ** 2 for x, _ in pairs), sum((y - my) ** 2 for _, y in pairs)
    return sum((x - mx) * (y - my) for x, y in pairs) / math.sqrt(xx * yy) if n > 2 and xx * yy > 0 else None


def mean_of(pairs):
    return f"{100 * sum(abs(s / m - 1) for m, s in pairs) / len(pairs):.1f} %"


def line_of(group, rows, options, made):
    """A line of the summary."""
    pairs = [(row.measured, row.simulated) for row in rows if row.simulated]
    if not pairs:
        return None
    off = max((s / m - 1 for m, s in pairs), key=abs)
    ratio = math.exp(sum(math.log(s / m) for m, s in pairs) / len(pairs))
    linear, logs = (pearson(p) for p in (pairs, [(math.log(m), math.log(s)) for m, s in pairs]))
    count = f"{len(pairs)}" + (f" of {len(rows)}" if len(pairs) < len(rows) else "")
    machines = ", ".join(f"`{machine}`" for machine in dict.fromkeys(row.machine for row in rows))
    cells = [group, machines, "quick" if options.quick else "all", count, mean_of(pairs), f"{100 * (ratio - 1):+.1f} %",
             *("" if r is None else f"{r:.4f}" for r in (linear, logs)), f"{100 * off:+.1f} %", made]
    return ("| " + " | ".join(cells) + " |\n").replace("|  |", "| |").replace("|  |", "| |")


# ===== the page =====

def fields_of(line):
    return [field.strip() for field in line.strip().strip("|").split("|")]


def section(page, name):
    """What stands before the lines of a table that is made, these, and what stands behind."""
    before, rest = page.split(f"<!-- made by `make validation`: {name} -->\n")
    table, after = rest.split(END, 1)
    return before + f"<!-- made by `make validation`: {name} -->\n", table.splitlines(keepends=True), END + after


def sum_up(page, lines):
    """Lines of the summary take the place of those with the same group and choice, or come last."""
    before, old, after = section(page, "summary")
    new = {(fields[0], fields[2]): line for line in lines for fields in [fields_of(line)]}
    table = [new.pop(key, line) for line in old for fields in [fields_of(line)] for key in [(fields[0], fields[2])]]
    return before + "".join(table + list(new.values())) + after


def cell(measured, simulated):
    if not simulated:
        return f"{measured:,.0f} / failed"
    error = round(100 * (simulated / measured - 1))
    return f"{measured:,.0f} / {simulated:,.0f} ({f'{error:+d}' if error else '0'} %)"


def renew(page, name, keys, columns):
    """Cells of a table: columns has {a word of the heading: {what the first fields of a line are: text}}."""
    before, lines, after = section(page, name)
    heading = fields_of(lines[0])
    for i, line in enumerate(lines[2:], 2):
        fields = fields_of(line)
        fields += [""] * (len(heading) - len(fields))
        key = " ".join(fields[:keys]).replace("`", "").strip()
        for place, title in enumerate(heading):
            fields[place] = columns.get(title, {}).get(key, fields[place])
        lines[i] = ("| " + " | ".join(fields) + " |\n").replace("|  |", "| |").replace("|  |", "| |")
    return before + "".join(lines) + after


def micro_cells(rows, made):
    titles = {"v100": "QV100, `v100`", "a100": "A100, `a100` at 1,065 MHz", "h100": "H100, `h100-nvl` at 1,080 MHz", "h200": "H200, `h200`"}
    columns = {}
    for kind, title in titles.items():
        mine = {}
        for row in rows:
            app, _, argument = row.name.partition(" ")[2].partition("/")
            if row.name.startswith(kind + " "):
                mine["the same, padded" if app == "shared_bank_conflicts" and argument != "1" else app] = row
        pairs = [(row.measured, row.simulated) for row in mine.values() if row.simulated]
        if pairs:
            columns[title] = {label: cell(row.measured, row.simulated) for label, row in mine.items()}
            columns[title] |= {"mean absolute error": f"{mean_of(pairs)} of {len(pairs)} rows", "made": made}
    return columns


def polybench_cells(rows, made):
    columns = {}
    for code, title in (("sass", "machine code"), ("ptx", "PTX")):
        pairs = {}
        for row in rows:
            program, block, _, said = row.name.split()
            if said == code and row.simulated:
                pairs.setdefault(f"{program} {block}", []).append((row.measured, row.simulated))
        columns[f"{title}: mean"] = {label: mean_of(mine) for label, mine in pairs.items()} | {"made": made}
        columns["largest" if code == "sass" else "largest, PTX"] = {
            label: f"{100 * max((s / m - 1 for m, s in mine), key=abs):+.1f} %" for label, mine in pairs.items()}
    return columns


def rodinia_cells(rows, made):
    titles = {"sass": "machine code", "ptx": "program", "unrolled": "program, `ptx.unroll`"}
    columns = {}
    for row in rows:
        name, code, mhz = row.name.split()
        title = f"{titles[code]}, {int(mhz):,} MHz"
        error = f"{row.simulated:,.0f} ({100 * (row.simulated / row.measured - 1):+.0f} %)" if row.simulated else "failed"
        columns.setdefault(title, {"made": made})[name] = error
    for title, mine in columns.items():
        pairs = [(row.measured, row.simulated) for row in rows if row.simulated and row.name.split()[0] in mine and
                 title == f"{titles[row.name.split()[1]]}, {int(row.name.split()[2]):,} MHz"]
        mine["mean absolute error"] = mean_of(pairs)
    return columns


def write_cells(page, name, rows, made):
    if name == "micro":
        return renew(page, "microbenchmarks", 1, micro_cells(rows, made))
    if name == "polybench":
        return renew(page, "Polybench", 2, polybench_cells(rows, made))
    return renew(page, "Rodinia", 1, rodinia_cells(rows, made)) if name == "rodinia" else page


# ===== rows =====

def keep(path, rows, made):
    keep_rows(path, COLUMNS, [[row.group, row.name, row.machine, f"{row.measured:.6g}", f"{row.simulated:.6g}" if row.simulated else "", made]
                              for row in rows])


# ===== all of it =====

def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(validation_rows.TABLES))
    parser.add_argument("--machine", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=pathlib.Path, default=PAGE)
    options = parser.parse_args()
    unknown = [name for name in options.only.split(",") if name not in validation_rows.TABLES]
    if unknown:
        parser.error(f"--only {unknown[0]}: there are {', '.join(validation_rows.TABLES)}")
    return options


def main():
    options = parse()
    if not options.measurements.is_dir():
        print(f"No measurements in {options.measurements} (MEASUREMENTS=DIR): docs/lab/validation.md stays as it is.")
        return
    made, changed = state_of(options.build), []
    for name in options.only.split(","):
        rows = collect(name, options)
        if not rows:
            continue
        groups = {row.group: [] for row in rows}
        for row in rows:
            groups[row.group].append(row)
        lines = [line for group, mine in groups.items() for line in [line_of(group, mine, options, made)] if line]
        text = options.page.read_text(encoding="utf-8")
        page = sum_up(text, lines)
        if not options.quick:
            page = write_cells(page, name, rows, made)
        print("".join(lines), end="", flush=True)
        changed += [name] if page != text else []
        if page != text and not options.check: # after each table: what is made is not lost by an interrupt
            options.page.write_text(page, encoding="utf-8")
        if not options.check and not options.quick:
            keep(options.page.with_suffix(".csv"), rows, made)
    print(f"tables that {'would change' if options.check else 'have changed'}: {', '.join(changed) or 'none'}")
    sys.exit(bool(changed) and options.check)


if __name__ == "__main__":
    main()
