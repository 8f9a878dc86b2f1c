#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a commit and its wait cost on a B300: a model of the measured loop, with and without looks at the mbarrier in turn.

Usage: tcgen05_waits.py MEASUREMENTS, the folder with blackwell-microbenchmarks.csv. A round of Antoniomv7/gb300-microbench is so many products
by one thread, a commit and try_wait in a loop. Its machine code issues a product every 44 cycles by stall counts; `queue` of them are issued
and not begun at most, and each takes N / 2 cycles, 48 for 64 columns. The first try_wait comes `wait` cycles behind the last issue. It succeeds
`end` cycles behind the last product, or, with looks, at the next of those that follow it every `look` cycles; the round ends `rest` later.
Starting values and steps are fixed, so that every run prints the same.
"""
import csv
import math
import pathlib
import re
import sys

ISSUE, FIRST, CYCLES = 44, 27, {64: 48, 128: 64, 256: 128}


def measured(folder):
    """{(columns, products): cycles of a round}"""
    rows = {}
    with open(pathlib.Path(folder) / "blackwell-microbenchmarks.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found = re.match(r"N=(\d+) depth=(\d+) .*cta_group=1", row["parameters"])
            if row["gpu"] == "B300" and found:
                columns, products = int(found[1]), int(found[2])
                rows[columns, products] = 2 * 128 * columns * 16 * products / float(row["value"])
    return rows


def modelled(columns, products, queue, start, wait, look, rest, end):
    begins, issue, done = [], FIRST, 0
    for i in range(products):
        issue = max(issue + ISSUE if i else issue, begins[i - queue] if i >= queue else 0)
        begins.append(max(issue + start, done))
        done = begins[-1] + CYCLES[columns]
    late = done + end - (issue + wait)
    return issue + wait + rest + max(0, math.ceil(late / look) * look if look else late)


def error(rows, queue, values):
    return math.sqrt(sum(math.log(modelled(*key, queue, *values) / cycles) ** 2 for key, cycles in rows.items()) / len(rows))


def fitted(rows, looks):
    best = (math.inf, 0, [])
    for queue in (5, 6):
        for look in looks:
            values, step = [40.0, 110.0, look, 190.0, 0.0], 32.0
            least = error(rows, queue, values)
            while step > 0.5:
                moved = False
                for at in range(len(values)):
                    for by in (step, -step) if look or at != 2 else ():
                        tried = values[:at] + [values[at] + by] + values[at + 1:]
                        now = error(rows, queue, tried) if tried[2] >= 0 else math.inf
                        if now < least:
                            least, values, moved = now, tried, True
                step = step if moved else step / 2
            best = min(best, (least, queue, values))
    return best


def main():
    rows = measured(sys.argv[1])
    for name, looks in (("at once", (0,)), ("with looks", (120.0, 150.0, 180.0))):
        least, queue, values = fitted(rows, looks)
        words = ", ".join(f"{word} {value:.0f}" for word, value in zip(("start", "wait", "look", "rest", "end"), values))
        print(f"{name}: {100 * least:.1f} % (root of the mean square), queue {queue}, {words}")
        for (columns, products), cycles in rows.items():
            here = modelled(columns, products, queue, *values)
            print(f"  {products:3} of 128 x {columns:3}: {cycles:7.0f} measured, {here:7.0f} here, {100 * (here / cycles - 1):+.1f} %")


if __name__ == "__main__":
    main()
