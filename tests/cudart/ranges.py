#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of NVTX around each launch of a program: in results.json, the database, reports; the same bytes for any
threads. Usage: ranges.py MANIPLE RANGES"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

maniple, program = (os.path.realpath(path) for path in sys.argv[1:3])
DEPTH = 32  # MNP_RANGE_DEPTH
ODD = 'a"b\\c\n\033[31m\ufffd/'
WANTED = [
    None,
    ["forward", "layer"], ["forward", "layer"], ["forward", "layer"], ["forward", "layer"], ["forward"],
    [ODD], ["gr\u00fc\u00df \U0001f600", "\u6f22 <b>&", ""],
    ["first", "second"], ["second"],
    ["backward"], ["backward", "of the thread"],
    ["deep"] * DEPTH,
]


def run(folder, *options):
    done = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", "-o", folder, *options, "--", program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stdout.startswith("right"), (done.stdout, done.stderr)
    return json.load(open(folder + "/results.json"))


def without_run(results):
    return {key: value for key, value in results.items() if key != "run"}


def report(*arguments):
    return subprocess.run([maniple, "report", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def instances(database):
    """The number of each launch's ranges, by launch."""
    return {kernel: numbers for kernel, numbers in database.execute(
        "SELECT kernel, group_concat(number) FROM (SELECT * FROM span WHERE kind = 'range' ORDER BY kernel, place)"
        " GROUP BY kernel")}


def main():
    os.chdir(tempfile.mkdtemp())
    one = run("one", "--threads", "1")
    assert [kernel.get("ranges") for kernel in one["kernels"]] == WANTED, [k.get("ranges") for k in one["kernels"]]
    for name, options in {"two": ["--threads", "2"], "lockstep": ["--threads", "2", "--executor", "lockstep"],
                          "skip": ["--no-skip"]}.items():
        assert without_run(run(name, *options)) == without_run(one), name

    # The database has a row for each launch and range around it, as long as the launch.
    database = sqlite3.connect("one/results.sqlite")
    rows = database.execute("SELECT kernel, place, name, start, \"end\" FROM span WHERE kind = 'range'"
                            " ORDER BY kernel, place").fetchall()
    assert [row[:3] for row in rows] == [(launch + 1, place, name) for launch, ranges in enumerate(WANTED)
                                         for place, name in enumerate(ranges or [])]
    times = {kernel: (start, end) for kernel, start, end in
             database.execute("SELECT kernel, start, \"end\" FROM span WHERE kind = 'kernel'")}
    assert all(times[row[0]] == row[3:] and row[4] > row[3] for row in rows)
    numbers = instances(database)
    assert numbers[2] == numbers[3] == "1,2" and numbers[4] == numbers[5] == "1,3" and numbers[6] == "1", numbers

    # Reports: sums by hand, and what surrounds names in a terminal and on a page.
    def seconds(*launches):
        return sum(times[launch][1] - times[launch][0] for launch in launches)
    whole = seconds(*times)
    text = report("one", "--html", "page.html")
    table = text[text.index("Time by range"):]
    lines = {tuple(line.split()[-2:]): line.split() for line in table.splitlines()}
    for key, launches in {("forward", "nothing"): range(2, 7), ("layer", "nothing"): range(2, 6),
                          ("second", "nothing"): [9], ("backward", "nothing"): [11, 12],
                          ("of", "ranges"): [1]}.items():
        if key == ("second", "nothing"):
            continue  # there are two of that name: inside the first one, and alone
        if key == ("layer", "nothing"):  # two kernels of nearly the same time: either
            key = key if key in lines else ("layer", "other")
        share, count = lines[key][:2]
        assert count == str(len(launches)) and abs(float(share) - 100 * seconds(*launches) / whole) < 0.006, key
    assert sum(line.split()[-2:-1] == ["second"] for line in table.splitlines()) == 2
    assert max(len(line) for line in table.splitlines()) <= 80 and "\033" not in table and "(no name)" in table, table
    page = open("page.html", encoding="utf-8").read()
    assert "<h2>Ranges</h2>" in page and "\u6f22 &lt;b&gt;&amp;" in page and "gr\u00fc\u00df" in page

    # Without time: the same ranges, and no table.
    values = run("values", "--functional")
    assert [kernel.get("ranges") for kernel in values["kernels"]] == WANTED
    # Chosen launches keep their numbers and ranges.
    some = run("some", "--kernels", "nvtx:^layer$,11")
    assert [(k["id"], k["ranges"]) for k in some["kernels"]] == [(i + 1, WANTED[i]) for i in (1, 2, 3, 4, 10)]
    # Ranges are no use of CUDA.
    ends = []
    for word in ("idle", "nothing"):
        done = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", "--", program, word],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ends.append((done.returncode, done.stdout, done.stderr))
    assert ends[0] == ends[1] and ends[0][0] == 0, ends
    print("right")


main()
