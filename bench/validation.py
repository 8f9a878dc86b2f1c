#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the table of microbenchmarks in docs/validation.md anew: `maniple correlate` runs generated traces beside tables of
measurements. Usage: validation.py BUILD MEASUREMENTS [--check] [--only v100,a100,h100,h200]

MEASUREMENTS has v100-, a100-, h200-microbenchmarks.csv and h100-apps.csv, with the columns app and hw_gpc_cycles. Runs are kept
in BUILD/validation and not made again. Without the folder it says so and does nothing. --check: says where the page differs,
and leaves it as it is.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "validation.md"
MACHINES = {  # file, machine, SMs, bytes of L2 that the driver reports, architecture
    "v100": ("v100-microbenchmarks.csv", "v100", 80, 6 << 20, 70),
    "a100": ("a100-microbenchmarks.csv", "a100", 108, 40 << 20, 80),
    "h100": ("h100-apps.csv", "h100-sxm", 132, 60 << 20, 90),  # its mem_lat took as long as on the H200, which reports 60 MiB
    "h200": ("h200-microbenchmarks.csv", "h200", 132, 60 << 20, 90),
}
BEGIN, END = "<!-- made by `make validation` -->\n", "<!-- end -->\n"


def trace_of(app, sms, l2, architecture):
    """What maniple-tracegen makes of a row; None: nothing."""
    program, _, argument = app.partition("/")
    known = subprocess.run([TRACEGEN, "--help"], capture_output=True, text=True).stdout
    if not re.search(rf"\b{program}\b", known):
        return None
    settings = [f"arch={architecture}", "compress=zst"]
    if program in ("l2_bw_32f", "l2_bw_64f", "mem_bw"):
        settings.append(f"sms={sms}")
    if program in ("mem_lat", "mem_bw"):
        settings.append(f"l2={l2}")
    if program == "shared_lat" and not 75 <= architecture < 90:
        settings.append("repeat=2048")  # as its source says; the A100's count of instructions says 4096
    if program == "shared_bank_conflicts":
        settings.append("option=" + ("conflicts" if argument == "1" else "padded"))
    return " ".join(["tracegen", program] + settings)


def correlate(kind, measurements):
    """Rows of one machine: program, measured, simulated. None: it was not measured, or something failed."""
    file, machine, sms, l2, architecture = MACHINES[kind]
    source, folder = measurements / file, BUILD / "validation" / kind
    if not source.exists():
        print(f"{source} is not there: {kind} is left out")
        return None
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "list.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["name", "machine", "input"])
        for row in csv.DictReader(open(source, newline="", encoding="utf-8")):
            trace = trace_of(row["app"], sms, l2, architecture)
            if trace:
                table.writerow([row["app"], machine, trace])
    done = subprocess.run([BUILD / "maniple", "correlate", folder / "list.csv", "-m", source, "--columns",
                           "app,hw_gpc_cycles,cycle", "-o", folder])
    if done.returncode != 0:
        sys.exit(done.returncode)
    return {row["name"]: (float(row["measured"]), float(row["simulated"]))
            for row in csv.DictReader(open(folder / "correlation.csv", newline="", encoding="utf-8"))}


def label_of(app):
    """How the page calls a row."""
    program, _, argument = app.partition("/")
    return "the same, padded" if program == "shared_bank_conflicts" and argument != "1" else f"`{program}`"


def cell(pair):
    measured, simulated = pair
    error = round(100 * (simulated / measured - 1))
    return f"{measured:,.0f} / {simulated:,.0f} ({f'{error:+d}' if error else '0'} %)"


def renew(line, column, cells):
    """A line of the page with one machine's cell made anew."""
    fields = [field.strip() for field in line.strip().strip("|").split("|")]
    if fields[0] == "mean absolute error":
        errors = [abs(simulated / measured - 1) for measured, simulated in cells.values()]
        fields[column] = f"{100 * sum(errors) / len(errors):.1f} % of {len(errors)} rows"
    elif fields[0] in cells:
        fields[column] = cell(cells[fields[0]])
    text = "| " + " | ".join(fields) + " |\n"
    return text.replace("|  |", "| |")


def main():
    global BUILD, TRACEGEN
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default=",".join(MACHINES))
    options = parser.parse_args()
    BUILD, TRACEGEN = options.build, options.build / "maniple-tracegen"
    if not options.measurements.is_dir():
        print(f"No measurements in {options.measurements} (MEASUREMENTS=DIR): docs/validation.md stays as it is.")
        return
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    table, after = rest.split(END, 1)
    lines = table.splitlines(keepends=True)
    for column, kind in enumerate(MACHINES, 1):
        found = correlate(kind, options.measurements) if kind in options.only.split(",") else None
        if found:
            cells = {label_of(app): pair for app, pair in found.items()}
            lines = lines[:2] + [renew(line, column, cells) for line in lines[2:]]
    made = before + BEGIN + "".join(lines) + END + after
    changed = [line for line in lines if line not in table.splitlines(keepends=True)]
    print(f"{len(changed)} rows of the table differ" + "".join("\n" + line.strip() for line in changed))
    if made != text and not options.check:
        PAGE.write_text(made, encoding="utf-8")
    sys.exit(bool(changed) and options.check)


main()
