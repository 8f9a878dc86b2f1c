#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copies between two GPUs by kernels of each, in both directions at once, beside the table of microsoft/mscclpp's tutorials (1f5f065,
docs/tutorials; its GPU is not named). Usage: copies.py MANIPLE PROGRAM [OPTION OF maniple run...], with PROGRAM from copies.cu by
`nvcc -cudart shared -arch=sm_90`. Prints a Markdown table and the mean |ln| of its rows. The rates of 128 MiB are those of the bytes between
the two largest sizes here."""
import math
import re
import subprocess
import sys

# Kind, bytes, blocks, threads, launches.
RUNS = [("put", 1 << 10, 8, 128, 3), ("put", 1 << 20, 32, 512, 3), ("put", 8 << 20, 64, 512, 1),
        ("get", 1 << 10, 8, 128, 3), ("get", 1 << 20, 32, 512, 3), ("get", 8 << 20, 64, 512, 1),
        ("ll", 1 << 10, 8, 128, 3), ("ll", 1 << 20, 32, 512, 3), ("ll", 4 << 20, 64, 512, 1)]
MEASURED = {"put": (6.5, 9.3, 345), "get": (4.4, 7.7, 322), "ll": (4.1, 10.5, 132)}  # us, us, GB/s


def microseconds(command, run):
    """Of the slower of the two GPUs."""
    done = subprocess.run([*command, *map(str, run)], capture_output=True, text=True, check=False)
    found = [float(time) for time in re.findall(r"GPU \d: ([\d.]+) us.*, 0 wrong", done.stdout)]
    if len(found) != 2:
        sys.exit(f"{' '.join(map(str, run))}: {done.stdout}{done.stderr}")
    return max(found)


def main():
    maniple, program, *options = sys.argv[1:]
    command = [maniple, "run", "-q", "--machine", "dgx-h100", "--gpus", "2", *options, "--", program]
    times = {run: microseconds(command, run) for run in RUNS}
    print("| | 1 KiB | 1 MiB | 128 MiB |\n| --- | --- | --- | --- |")
    errors = []
    for kind, measured in MEASURED.items():
        runs = [run for run in RUNS if run[0] == kind]
        small, middle, large = (times[run] for run in runs)
        here = (small, middle, (runs[2][1] - runs[1][1]) / (large - middle) / 1000)
        errors += [abs(math.log(a / b)) for a, b in zip(here, measured)]
        cells = [f"{a:.1f} us ({b})" for a, b in zip(here[:2], measured)] + [f"{here[2]:.0f} GB/s ({measured[2]})"]
        print(f"| {kind} | {' | '.join(cells)} |")
    print(f"\nmean |ln| of {len(errors)} rows: {sum(errors) / len(errors):.3f}")


if __name__ == "__main__":
    main()
