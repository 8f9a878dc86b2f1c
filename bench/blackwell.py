#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All that is compared of Blackwell, in one table: tcgen05, copies out of the DRAM, products by our kernels and by our libraries.

Usage: blackwell.py BUILD [--run MEASUREMENTS [--programs DIR] [--products]] [--write]

Rows of tcgen05 by cycles are run each time (BUILD/tests/frontend/ptx/ptx_tcgen05_time_test, some seconds); the others are those of docs/lab/blackwell.csv and, of
libraries' products, of docs/lab/models.csv, which bench/models.py makes. --run makes rows of the first anew, of MEASUREMENTS, a folder with
blackwell-microbenchmarks.csv: with --programs those of Antoniomv7/gb300-microbench's own programs umma_1sm and ldgsts, as PTX (nvcc -std=c++17 -O3 -cudart shared
-gencode arch=compute_103a,code=compute_103a; before CUDA 13.1 with a definition of cuda::ptx::elect_sync), ten minutes; with --products four products in the
form of kernels whose sources are public, two minutes of processor time each. --write puts the table into docs/blackwell.md.
"""
import argparse
import csv
import math
import os
import pathlib
import re
import subprocess
import sys

from lab_page import LAB, keep_rows, read_rows, state_of, write_between

BEGIN, END = "<!-- all rows, by bench/blackwell.py -->\n", "<!-- end of all rows -->\n"
KEPT, COLUMNS = LAB / "blackwell.csv", ["kind", "row", "silicon", "simulated", "unit", "made"]
PRODUCTS, OWN = "products in the form of public kernels", "gb300-microbench itself, B300"
# Board, what was measured, microseconds of 4096 x 4096 x 4096, the workload's options.
PUBLIC = [("b300", "CuTe DSL, persistent pairs", 82.5, "--pair 1 --store boxes --set memcpy_warms_l2=true"),
          ("b300", "CuTe DSL, a block for each tile", 144.5, "--blocks 65536 --store boxes --set memcpy_warms_l2=true"),
          ("b200", "learn-cuda, pairs with one tile each", 117.5, "--pair 1 --tile 256 --result f16 --blocks 65536"),
          ("b200", "learn-cuda, two-stage pipeline", 150.4, "--tile 256 --result f16 --blocks 65536")]
ITERATIONS = 20        # of umma_1sm; a thousand were measured
SMALL, LARGE = 37, 111 # MiB that ldgsts reads once, out of the DRAM (launch.flush_l2); 512 were measured, 32 times


def of_tcgen05(build):
    """Kinds and errors of the rows that have one number of silicon."""
    done = subprocess.run([build / "tests/frontend/ptx/ptx_tcgen05_time_test", "rows"], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        name, silicon, here = (cell.strip() for cell in line.strip("| ").split("|")[:3])
        if re.fullmatch(r"[\d.]+", silicon):
            yield "tcgen05 and tensor memory, cycles", float(here) / float(silicon) - 1


def of_kept():
    for row in read_rows(KEPT):
        yield row["kind"], float(row["simulated"]) / float(row["silicon"]) - 1
    for row in read_rows(LAB / "models.csv"):
        if row["gpu"] == "B200":
            yield f"products of our libcublas, B200, `{row['file']}`, {row['half']}", math.exp(float(row["ln"])) - 1


# ===== running =====

def keep(options, kind, row, silicon, simulated, unit):
    print(f"{kind}: {row}: {silicon:.5g} {unit}, here {simulated:.5g} ({100 * (simulated / silicon - 1):+.1f} %)", flush=True)
    keep_rows(KEPT, COLUMNS, [[kind, row, f"{silicon:.5g}", f"{simulated:.5g}", unit, state_of(options.build)]])


def program(options, name, settings, words):
    """What one of the measured programs prints."""
    some = ("--kernels", "name:benchmark", "--between", "skip") if name == "ldgsts" else ()
    environment = {**os.environ, "EXPECTED_GPU_UUID": "GPU-00000000-0000-0000-0000-000000000000"}
    done = subprocess.run([options.build / "maniple", "run", "-q", "--machine", "b300", *settings, *some, "--", options.programs / name, "--run-kind", "smoke",
                           "--repetitions", "1", *map(str, words)], capture_output=True, text=True, check=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("schema_version,") or f",{name}," in line]
    return next(csv.DictReader(lines)), done.stdout


def operations_of(options, columns, depth):
    row, _ = program(options, "umma_1sm", (), ("--n", columns, "--depth", depth, "--iterations", ITERATIONS, "--warmup-iterations", 1))
    return float(row["flops_per_cycle"])


def copied(options, stages, kib, mib):
    """Bytes and cycles of the one kernel that is timed."""
    words = "--stages", stages, "--bytes-in-flight-kib", kib, "--working-set-mib", mib, "--passes", 1, "--warmup-ms", 0
    row, text = program(options, "ldgsts", ("--set", "launch.flush_l2=true"), words)
    return int(row["useful_bytes"]), int(re.search(r"^Kernels' cycles +([\d,]+)", text, re.M)[1].replace(",", ""))


def rate_of(options, stages, kib):
    """GB/s between two sizes, so that the launch does not count."""
    (fewer, begin), (more, end) = (copied(options, stages, kib, mib) for mib in (SMALL, LARGE))
    return (more - fewer) / (end - begin) * 1.92 # GHz


def run_programs(options):
    with open(options.run / "blackwell-microbenchmarks.csv", newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["gpu"] == "B300" and row["source"].startswith("Antoniomv7/gb300-microbench")]
    for row in rows:
        product = re.match(r"N=(\d+) depth=(\d+) .*cta_group=1", row["parameters"])
        copy = re.match(r"stages=(\d+) bytes in flight per SM=(\d+) KiB", row["parameters"])
        silicon = float(row["value"])
        if product:
            keep(options, f"products by one thread, {OWN}", f"{product[2]} of 128 x {product[1]}", silicon, operations_of(options, *product.groups()), "operations/cycle")
        elif copy and row["benchmark"].startswith("ldgsts"):
            keep(options, f"cp.async out of the DRAM, {OWN}", f"{copy[1]} stages, {copy[2]} KiB", silicon, rate_of(options, *copy.groups()), "GB/s")


def run_products(options):
    for machine, kernel, silicon, words in PUBLIC:
        done = subprocess.run([options.build / "maniple", "app", "run", "tcgemm", "--m", "4096", "--n", "4096", "--k", "4096", *words.split(),
                               "--machine", machine, "-q"], capture_output=True, text=True, check=True)
        us = re.search(r"^Kernels' cycles +[\d,]+ +([\d.]+) us", done.stdout, re.M)
        keep(options, PRODUCTS, f"{machine}, {kernel}", silicon, float(us[1]), "us")


def line_of(name, errors):
    mean, largest = sum(map(abs, errors)) / len(errors), max(errors, key=abs)
    return f"| {name} | {len(errors)} | {100 * mean:.1f} % | {100 * sum(errors) / len(errors):+.1f} % | {100 * largest:+.0f} % |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--run", type=pathlib.Path, metavar="MEASUREMENTS")
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve(), metavar="DIR")
    parser.add_argument("--products", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.run and options.programs:
        run_programs(options)
    if options.products:
        run_products(options)
    kinds = {}
    for kind, error in [*of_tcgen05(options.build), *of_kept()]:
        kinds.setdefault(kind, []).append(error)
    lines = ["| | rows | mean absolute error | mean error | largest |\n", "| --- | ---: | ---: | ---: | ---: |\n"]
    lines += [line_of(name, errors) for name, errors in kinds.items()]
    lines.append(line_of("all", [error for errors in kinds.values() for error in errors]))
    print("".join(lines), end="")
    if options.write:
        write_between(LAB.parent / "blackwell.md", BEGIN, END, lines)


if __name__ == "__main__":
    sys.exit(main())
