#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiled Polybench programs on h100-pcie beside an H100 PCIe: time of their kernels, and the error.

Usage: polybench.py BUILD KERNELS.csv PROGRAMS-DIR [--only gemm,…] [--sizes 32,…] [--blocks 8,16,32]
                    [--clock MHZ|row] [--up-to 256] [--set KEY=VALUE]… [--cold] [--series] [--markdown]
                    [--code auto|ptx|sass]
KERNELS.csv has the columns suite, benchmark, core_mhz, blockDimX, size, duration_in_core_cycles: a program's kernels
together, their duration times core_mhz. PROGRAMS-DIR has the programs under their names (2dconv, atax, gemm, mvt,
syrk), built for the CUDA runtime as a shared library (docs/lab/validation.md has the command). They run at --clock, in MHz
or "row" for the row's core_mhz, and durations are compared, in cycles of that clock. The default is 1755 MHz, for a
core_mhz of 345 is the idle clock, at which nothing was executed (docs/lab/validation.md says why). Host copies leave their
lines in the L2 unless --cold is given. --series takes each program's rows of one block size as a line over the size:
slope (an iteration) and intercept (launch and cold start), by least squares. Without the programs or the file it says
so and does nothing.
"""
import argparse, csv, json, os, subprocess


def simulate(build, programs, row, clock, settings, code):
    """Core cycles of the program's kernels, each, at that clock."""
    words = [w for setting in [f"clock.core={clock:g}MHz"] + settings for w in ("--set", setting)]
    program = [os.path.join(programs, row["benchmark"]), "-size", row["size"], "-blockDimX", row["blockDimX"]]
    run = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", "h100-pcie", "--code", code, "--format", "json"] + words +
                         ["--"] + program, check=True, capture_output=True)
    return [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in json.loads(run.stdout)["kernels"]]


def line(points):
    """Slope and intercept of the line through points, by least squares."""
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    slope = (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)
    return slope, (sy - slope * sx) / n


def print_table(cells, markdown):
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
    else:
        print(" ".join(f"{cell:>10}" for cell in cells), flush=True)


def by_series(results):
    series = {}
    for row, measured, simulated in results:
        series.setdefault((row["benchmark"], row["blockDimX"]), []).append((int(row["size"]), measured, simulated))
    return {key: points for key, points in series.items() if len(points) > 1}


def print_series(results, markdown):
    """Lines over the size: measured slope and intercept, simulated ones, and what the slopes are of one another."""
    print_table(["program", "blockDimX", "sizes", "slope", "intercept", "slope", "intercept", "of"], markdown)
    for (program, block), points in by_series(results).items():
        a, b = line([(n, m) for n, m, _ in points]), line([(n, s) for n, _, s in points])
        print_table([program, block, f"{points[0][0]}–{points[-1][0]}", f"{a[0]:.1f}", f"{a[1]:.0f}", f"{b[0]:.1f}",
                     f"{b[1]:.0f}", f"{b[0] / a[0]:.2f}"], markdown)


def print_squares(results):
    """A line of Markdown for each program and block size, a cell for each size."""
    for (program, block), points in by_series(results).items():
        cells = [f"{m:,.0f} / {s:,.0f} ({100 * (s / m - 1):+.0f} %)" for _, m, s in points]
        mean = sum(abs(s / m - 1) for _, m, s in points) / len(points)
        print_table([program, block] + cells + [f"{100 * mean:.0f} %"], True)


def chosen(options, rows):
    only, blocks = [[w for w in text.split(",") if w] for text in (options.only, options.blocks)]
    sizes = [int(w) for w in options.sizes.split(",") if w]
    return [r for r in rows if r["suite"] == "polybench" and (not only or r["benchmark"] in only) and
            (not sizes or int(r["size"]) in sizes) and r["blockDimX"] in blocks and int(r["size"]) <= options.up_to and
            os.path.exists(os.path.join(options.programs, r["benchmark"]))]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("kernels")
    parser.add_argument("programs")
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", default="")
    parser.add_argument("--up-to", type=int, default=256, help="largest size (256)")
    parser.add_argument("--blocks", default="8,16,32")
    parser.add_argument("--clock", default="1755", help="MHz of the core, or row: the row's")
    parser.add_argument("--set", action="append", default=[], help="as for maniple run")
    parser.add_argument("--code", default="auto", help="auto, ptx or sass, as for maniple run")
    parser.add_argument("--cold", action="store_true", help="host copies leave nothing in the L2")
    parser.add_argument("--series", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    if not os.path.exists(options.kernels) or not os.path.isdir(options.programs):
        print(f"polybench.py: skipped: {options.kernels} or {options.programs} is not there")
        return
    settings = ([] if options.cold else ["memcpy_warms_l2=true"]) + options.set
    print_table(["program", "blockDimX", "size", "measured", "simulated", "error", "kernels"], options.markdown)
    errors, results = {}, []
    for row in chosen(options, csv.DictReader(open(options.kernels))):
        clock = float(row["core_mhz"] if options.clock == "row" else options.clock)
        measured = float(row["duration_in_core_cycles"]) / float(row["core_mhz"]) * clock
        kernels = simulate(options.build, options.programs, row, clock, settings, options.code)
        error = sum(kernels) / measured - 1
        results.append((row, measured, sum(kernels)))
        errors.setdefault(row["benchmark"], []).append(abs(error))
        print_table([row["benchmark"], row["blockDimX"], row["size"], f"{measured:.0f}", str(sum(kernels)),
                     f"{100 * error:+.1f}%", "+".join(str(c) for c in kernels)], options.markdown)
    if options.series:
        print_series(results, options.markdown)
    if options.markdown:
        print_squares(results)
    for program, each in errors.items():
        print(f"{program}: {len(each)} rows, mean absolute error {100 * sum(each) / len(each):.1f} %")
    every = [e for each in errors.values() for e in each]
    if every:
        print(f"all: {len(every)} rows, mean absolute error {100 * sum(every) / len(every):.1f} %, "
              f"largest {100 * max(every):.1f} %")


main()
