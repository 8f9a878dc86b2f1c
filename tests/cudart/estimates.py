#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whoever states the time of a run that is an estimate (--steady, --plan) says so, with its margin: reports in a terminal and on a
page, sweeps, correlations. Usage: estimates.py MANIPLE APPS"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, APPS = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
KEYS = {"sm.count": 8, "sm.steady.period": 8192, "sm.steady.detail": 1024, "sm.steady.warm": 256}
SETS = [word for key, value in KEYS.items() for word in ("--set", f"{key}={value}")]
PI = ("montecarlo_pi", "--blocks", "64", "--points", "128")
CLOCK = 1365e6  # of an rtx3080ti


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def stated(folder):
    """The estimate of a run's cycles: value and margin."""
    row = json.loads(pathlib.Path(folder, "results.json").read_text())["total"]["estimate"]["statistics"]["gpu_sim_cycle"]
    return row["value"], row["margin"]


def check_reports():
    run = ("run", "-q", "--machine", "rtx3080ti")
    maniple(*run, *SETS, "--steady", "-o", "steady", "--", APPS, "run", *PI)
    value, margin = stated("steady")
    done = maniple("report", "steady", "--html=steady.html")
    words = " ".join(done.stdout.split())
    ok(f"+- {margin:,} core cycles ({100 * margin / value:.2f} %, 95 %)" in words and
       f"+- {100 * margin / value:.1f} % (estimate)" in words and "between none and twice" in words,
       "a report of --steady has the margin", done.stdout, done.stderr)
    page = pathlib.Path("steady.html").read_text()
    ok(f"± {100 * margin / value:.1f} %</p>" in page and "<b>Estimate</b>" in page, "… and its page")
    maniple(*run, "-o", "whole", "--", APPS, "run", "gaussian", "--size", "16")
    maniple("plan", "whole", "-o", "some.plan")
    maniple(*run, "--plan", "some.plan", "-o", "planned", "--", APPS, "run", "gaussian", "--size", "16")
    value, margin = stated("planned")
    words = " ".join(maniple("report", "planned").stdout.split())
    ok(f"some stood for others (--plan): {value:,} +- {margin:,} core cycles" in words, "a report of --plan has all launches", words)


def check_sweep():
    vary = ", ".join('{ key = "%s"; values = [%s]; }' % item for item in KEYS.items())
    pathlib.Path("sweep.cfg").write_text(
        'machines = ["rtx3080ti"];\noptions = ["--steady"];\nobjectives = ["kernel-time"];\ncompare = "l2.replacement";\n'
        'apps = ( [%s], ["vecadd", "--size", "4096"] );\n' % ", ".join(f'"{word}"' for word in PI) +
        'vary = ( { key = "l2.replacement"; values = ["lru", "fifo"]; }, %s );\n' % vary)
    made = maniple("sweep", "sweep.cfg", "-o", "runs", "-q")
    done = maniple("sweep", "sweep.cfg", "-o", "runs", "--summary", "sums")
    rows = [row for row in csv.DictReader(open("sums.csv", newline="")) if row["kernel_time_margin_us"]]
    good = [row for row in rows if all(math.isclose(1e6 * number / CLOCK, float(row[name]), rel_tol=1e-9) for number, name in
                                       zip(stated(pathlib.Path("runs", row["name"])), ("kernel_time_us", "kernel_time_margin_us")))]
    ok(made.returncode == done.returncode == 0 and len(rows) == len(good) == 2, "a table has the margins of two runs", made.stderr, done.stderr)
    ok("Times of 2 runs are estimates" in done.stdout and "within" in pathlib.Path("sums-by-input.tex").read_text() and
       "are estimates" in pathlib.Path("sums-by-input.svg").read_text(), "effects, TeX and plot say so", done.stdout)


def check_correlate():
    settings = " ".join(f"{key}={value}" for key, value in KEYS.items())
    pathlib.Path("list.csv").write_text(
        f"name,machine,input,arguments,settings,options\npi,rtx3080ti,{APPS},run {' '.join(PI)},{settings},--steady\n"
        f"vec,rtx3080ti,{APPS},run vecadd --size 4096,{settings},--steady\n")
    pathlib.Path("measured.csv").write_text("name,value,unit\npi,30,us\nvec,3,us\n")
    done = maniple("correlate", "list.csv", "-m", "measured.csv", "-o", "pages")
    rows = {row["name"]: row for row in csv.DictReader(open("pages/correlation.csv", newline=""))}
    value, margin = stated("steady")
    text = f" +- {100 * margin / value:.1f} %"
    ok(math.isclose(float(rows["pi"]["margin"]), 1e6 * margin / CLOCK, rel_tol=1e-9) and rows["vec"]["margin"] == "" and
       f"Estimates: 1 of 2 rows, +- up to {100 * margin / value:.1f} %" in done.stdout and
       all(text in pathlib.Path("pages", "correlation" + end).read_text() for end in (".md", ".html")),
       "a correlation has the margin of a row", done.stdout, done.stderr, rows)


def check_compare():
    """A program's cycles have its host's time in them, and a trace's do not."""
    maniple("trace", "record", "-o", "recorded", "--", APPS, "run", "vecadd", "--size", "4096")
    maniple("run", "-q", "--machine", "rtx3080ti", "-o", "program", "--", APPS, "run", "vecadd", "--size", "4096")
    maniple("run", "-q", "--machine", "rtx3080ti", "-o", "trace", "recorded/kernelslist.g")
    done = maniple("compare", "trace", "program")
    cycles = [sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in json.loads(
        pathlib.Path(folder, "results.json").read_text())["kernels"]) for folder in ("trace", "program")]
    row = next((line.split() for line in done.stdout.splitlines() if "gpu_sim_cycle of kernels" in line), [])
    ok(done.returncode == 0 and "no fault: one run is of a program" in done.stdout and [str(each) for each in cycles] == row[-4:-2],
       "a trace beside its program: kernels alone, and no fault", done.stdout, cycles, row)


def check_nothing():
    """A run without a cycle has no limit."""
    maniple("run", "-q", "--machine", "rtx3080ti", "--max-time", "0.00001", "-o", "nothing", "recorded/kernelslist.g")
    done = maniple("report", "nothing")
    ok(done.returncode == 0 and "Limited by  nothing yet" in done.stdout, "a run that ended before its first cycle", done.stdout, done.stderr)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    check_reports()
    check_sweep()
    check_correlate()
    check_compare()
    check_nothing()
    os.chdir("/")
sys.exit(finish())
