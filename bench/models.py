#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of models beside measurements of silicon: what our libraries choose and how long it takes in the simulator. `make models`.

Usage: models.py BUILD MEASUREMENTS [--gpu NAME]... [--file NAME]... [--half seen|kept|all] [--rows N] [--at M,N,K]... [--jobs N]
                 [--most SECONDS] [--trust] [--there] [--write]

MEASUREMENTS is a folder with llm-gemm.csv. Runs are kept in BUILD/models by the state of what is simulated, so an interrupted command
goes on where it was; --trust takes those of any state, --there runs nothing more. --write makes docs/lab/models.csv and the tables of
docs/lab/models.md.

Rule of the sample: rows of 5 to 300 us (llm-gemm.csv: of bf16), and of these for each GPU the 64 with the smallest SHA-256 of "m,n,k".
In that order every other row, beginning with the first, is seen while kernels are worked on; the others are kept aside until the end.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAB = ROOT / "docs" / "lab"
# Name in the measurements: machine; dense bf16 peak in TFLOP/s and memory bandwidth in TB/s, for the roofline alone.
Board = collections.namedtuple("Board", "machine peak bandwidth")
BOARDS = {"H100 SXM": Board("h100-sxm", 989, 3.35), "H200 SXM": Board("h200", 989, 4.8), "A100 SXM 80 GB": Board("a100-sxm", 312, 2.04),
          "B200": Board("b200", 2250, 8.0), "RTX PRO 6000": Board("rtx-pro-6000", 504, 1.79)}
SHORTEST, LONGEST = 5, 300 # microseconds
SOURCES = ["src", "data/ptx/mathlib", "bench/models"]

Row = collections.namedtuple("Row", "file gpu half shape measured other words roofline cost") # cost: about the CPU seconds that it takes


# ===== rows of the measurements =====

def place(*numbers):
    return hashlib.sha256(",".join(map(str, numbers)).encode()).hexdigest()


def launches(work, moved):
    """Calls of a row: few where one is long, and the first one's instruction misses are little of it."""
    return 3 if work <= 1e9 and moved <= 32e6 else 2 if work <= 1e10 else 1


def gemm_rows(path):
    """Products of llm-gemm.csv, with six copies of the weights in turn as they were measured."""
    with open(path, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["dtype"] != "bf16" or row["gpu"] not in BOARDS:
                continue
            m, n, k = (int(row[name]) for name in "mnk")
            board, work, moved = BOARDS[row["gpu"]], 2 * m * n * k, 2 * (m * k + n * k + m * n)
            yield Row("llm-gemm", row["gpu"], "", (m, n, k), float(row["time_us"]), row["other_us"],
                      ("bench-products", m, n, k, "bf16", 6, launches(work, moved)),
                      max(work / board.peak, moved / board.bandwidth) * 1e-6, 3 + 0.6e-9 * work + 0.08e-6 * moved)


FILES = {"llm-gemm": gemm_rows}


def sample(options):
    for name in options.file or FILES:
        groups = collections.defaultdict(list)
        for row in FILES[name](options.measurements / f"{name}.csv"):
            if SHORTEST <= row.measured <= LONGEST:
                groups[row.gpu].append(row)
        for gpu in options.gpu or ["H100 SXM", "H200 SXM", "A100 SXM 80 GB"]:
            rows = sorted(groups[gpu], key=lambda row: place(*row.shape))
            if options.at:
                yield from (row._replace(half="named") for row in rows if ",".join(map(str, row.shape)) in options.at)
                continue
            halves = [row._replace(half="kept" if i % 2 else "seen") for i, row in enumerate(rows[:64])]
            chosen = [row for row in halves if options.half in ("all", row.half)][:options.rows]
            short = sorted((row for row in chosen if row.cost <= options.most), key=lambda row: row.cost)
            if len(short) < len(chosen):
                print(f"{gpu}: {len(chosen) - len(short)} rows of more than {options.most:g} CPU seconds are left out (--most)", file=sys.stderr)
            yield from short


# ===== running =====

def state_of(options, machine):
    """A hash of all that a simulated time depends on."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words, "--", *SOURCES], capture_output=True, text=True, check=False).stdout
    shown = subprocess.run([options.build / "maniple", "machine", "show", machine], capture_output=True, text=True, check=False).stdout
    keys = "\n".join(line.split("//")[0].rstrip() for line in shown.splitlines())
    return hashlib.sha256((git("ls-files", "-s") + git("diff", "HEAD", "--binary") + keys).encode()).hexdigest()[:16]


def figures(folder, calls):
    """Microseconds of the median call, and the names of its kernels: all kernels after `touch`, in equal shares."""
    results = json.loads((folder / "results.json").read_text())
    kernels = [kernel for kernel in results["kernels"] if kernel["name"] != "touch"]
    each, clock = len(kernels) // calls, results["machine"]["clock"]["core"]
    times = [sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in kernels[i * each:(i + 1) * each]) / clock * 1e6
             for i in range(calls)]
    grids = ["x".join(map(str, kernel["grid"])) for kernel in kernels[:each]]
    return {"us": statistics.median(times), "kernels": [kernel["name"] for kernel in kernels[:each]], "grids": grids,
            "cpu_s": results["run"]["cpu_seconds"]}


def simulate(options, row, states):
    machine = BOARDS[row.gpu].machine
    folder = options.build / "models" / row.file / machine / "-".join(map(str, row.shape))
    kept = folder / "time.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        if options.trust or options.there or found["state"] == states[machine]:
            return found
    if options.there:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    program, *words = map(str, row.words)
    done = subprocess.run([options.build / "maniple", "run", "-q", "--machine", machine, "--threads", "1", "--values", "needed",
                           "-o", folder, "--", options.build / "bench" / program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{row.gpu} {row.shape}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    found = dict(figures(folder, int(words[-1])), state=states[machine])
    kept.write_text(json.dumps(found))
    return found


# ===== tables =====

def off(row, found):
    return math.log(found["us"] / row.measured)


def line_of(row, found):
    name = " + ".join(f"{kernel} ({grid})" for kernel, grid in zip(found["kernels"], found["grids"]))
    return (f"{row.gpu:16} {row.half} {' x '.join(map(str, row.shape)):>22}: {row.measured:8.2f} us measured"
            f"{f' ({row.other})' if row.other else '':>10}, {found['us']:8.2f} here, {off(row, found):+.3f}  {name}")


def summary(pairs):
    lines = ["| file | GPU | rows | mean \\|ln\\| | mean ln | within 10 % | a roofline's mean \\|ln\\| |\n",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"]
    groups = collections.defaultdict(list)
    for row, found in pairs:
        if found:
            groups[row.file, row.gpu, row.half].append((off(row, found), math.log(row.roofline / row.measured)))
    for (file, gpu, half), errors in groups.items():
        count, ours = len(errors), [mine for mine, _ in errors]
        lines.append(f"| `{file}`, {half} | {gpu} | {count} | {sum(map(abs, ours)) / count:.3f} | {sum(ours) / count:+.3f} | "
                     f"{sum(abs(error) < 0.1 for error in ours)} | {sum(abs(line) for _, line in errors) / count:.3f} |\n")
    return lines


def write(pairs):
    with open(LAB / "models.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["file", "gpu", "half", "shape", "measured_us", "other_us", "simulated_us", "ln", "kernels", "grids"])
        for row, found in pairs:
            if found:
                rows.writerow([row.file, row.gpu, row.half, "x".join(map(str, row.shape)), row.measured, row.other, f"{found['us']:.2f}",
                               f"{off(row, found):.4f}", "+".join(found["kernels"]), "+".join(found["grids"])])
    page, begin, end = LAB / "models.md", "<!-- made by bench/models.py -->\n", "<!-- end -->\n"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + "".join(summary(pairs)) + end + rest.split(end, 1)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--gpu", action="append", choices=BOARDS)
    parser.add_argument("--file", action="append", choices=FILES)
    parser.add_argument("--half", choices=["seen", "kept", "all"], default="seen")
    parser.add_argument("--rows", type=int, default=64, help="of each GPU and file, at most")
    parser.add_argument("--at", action="append", metavar="M,N,K", help="these rows alone, in the sample or not")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=float, default=math.inf, metavar="SECONDS", help="leave out rows that would take more CPU time")
    parser.add_argument("--trust", action="store_true", help="take kept runs of any state")
    parser.add_argument("--there", action="store_true", help="the same, and run nothing")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not options.measurements.is_dir():
        sys.exit(f"models.py: there are no measurements in {options.measurements}: MEASUREMENTS=DIR, a folder with llm-gemm.csv")
    rows = list(sample(options))
    states = {BOARDS[row.gpu].machine: "" for row in rows}
    states = {machine: state_of(options, machine) for machine in states}
    pairs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, found in zip(rows, pool.map(lambda row: simulate(options, row, states), rows)):
            pairs.append((row, found))
            if found:
                print(line_of(row, found), flush=True)
    print("".join(summary(pairs)), end="")
    if options.write:
        write(pairs)
    return not options.there and any(found is None for _, found in pairs)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: what has been run is kept, and the same command goes on there.", file=sys.stderr)
        sys.exit(130)
