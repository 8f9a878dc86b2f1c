#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the table of speed (docs/lab/performance.md) that `make bench` is too short for.

Usage: speed.py programs BUILD CLONES -o FOLDER [--count 30] [--seed 38] [--seconds 60]
       speed.py machines BUILD CLONES -o FOLDER
       speed.py threads BUILD TRACES [--records 3] [--barrier NS]
programs  draws programs of HeCBench and runs each on `h100-pcie`, one thread: M warp instructions per CPU second, the
          median of those that take 0.5 s at least. Drawn by Python's random.Random(SEED).sample from the rows of
          docs/lab/programs.csv in the table's order that were timed whole and took 0.5 to 12 CPU seconds as PTX.
machines  HeCBench's md5hash (SHOC's) on `h100-pcie` with 114 SMs and with 8, in turns: CPU seconds for a warp instruction.
threads   compute, stream, gather (made by TRACES/make_synthetic.py) and a product of 256 on `h100-sxm` and `rtx3080ti`:
          what `maniple scaling` predicts for 16 and 64 threads from records of one.
CLONES holds the repository HeCBench (bench/public.py says how). CPU seconds of a busy host are too many: with --yardstick PROGRAM,
compiled from yardstick.c, that program is run before and behind each run; what it takes by 1.70 seconds is the host's slowness.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import public

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUIET = 1.70  # CPU seconds of yardstick.c on the host of docs/performance.md
# One search, of a million keys.
MD5 = {"suite": "hecbench", "program": "md5hash", "arguments": "1 1", "launches": "", "words": "", "inputs": "", "settings": "",
       "changes": r"size <= 4 => size <= 1 ;; sizes_byteLength\[\] += \{ 7 => sizes_byteLength[] = { 6"}


def cpu_of(command, folder=None):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return status, usage.ru_utime + usage.ru_stime


def slowness(options):
    """How many times as long this host takes now as the quiet one."""
    return cpu_of([options.yardstick])[1] / QUIET if options.yardstick else 1


def simulate(options, here, row, settings=()):
    """Warp instructions of a run, its CPU seconds, and how many times as long this host takes as the quiet one; None: it did not end."""
    before = slowness(options)
    words = [w for s in (row["settings"] or "").split() for w in ("--set", s)]
    command = ["timeout", "-s", "INT", str(20 * options.seconds), f"{pathlib.Path(options.build).resolve()}/maniple", "run", "-q", "--machine",
               "h100-pcie", "--threads", "1", "-o", "speed", *settings, *words, "--", "./program", *row["arguments"].split()]
    subprocess.run(["rm", "-rf", here / "speed"], check=True)
    cpu_of(command, here)
    try:
        got = json.loads((here / "speed" / "results.json").read_text())
        warps = got["total"]["statistics"]["gpgpu_n_tot_w_icount"]["value"]
    except (OSError, KeyError, TypeError):
        return None
    if got["total"]["end"] != "finished":
        return None
    return warps, got["run"]["cpu_seconds"], (before + slowness(options)) / 2


def prepared(options, row):
    target = pathlib.Path(options.output).resolve() / row["program"]
    target.mkdir(parents=True, exist_ok=True)
    options.files = getattr(options, "files", {})
    return public.prepare(options, row, target)


def draw(options):
    rows = {(r["suite"], r["program"]): r for r in public.read_list()}
    with open(ROOT / "docs/lab/programs.csv", newline="") as table:
        names = [r["program"] for r in csv.DictReader(table) if r["suite"].startswith("HeCBench") and "launches" not in r["arguments"]
                 and 0.5 <= float(r["CPU s as PTX"] or 0) <= 12 and ("hecbench", r["program"]) in rows]
    return [rows["hecbench", name] for name in random.Random(options.seed).sample(names, options.count)]


def programs(options):
    speeds = []
    print("| program | M warp instructions | CPU s | M a CPU second | host's slowness |\n| --- | ---: | ---: | ---: | ---: |")
    for row in draw(options):
        here, problem = prepared(options, row)
        done = None if problem else simulate(options, here, row)
        if not done:
            print(f"| {row['program']} | {problem or 'did not end'} | | | |", flush=True)
            continue
        warps, cpu, slow = done
        if cpu >= 0.5:
            speeds.append((warps / cpu / 1e6, warps / cpu * slow / 1e6))
        print(f"| {row['program']} | {warps / 1e6:.2f} | {cpu:.2f} | {warps / cpu / 1e6:.2f} | {slow:.2f} |", flush=True)
    here, quiet = map(statistics.median, zip(*speeds))
    print(f"\nMedian of {len(speeds)} that took 0.5 s or more: {here:.2f}; divided by the host's slowness {quiet:.2f}")


def machines(options):
    here, problem = prepared(options, MD5)
    if problem:
        sys.exit(problem)
    costs = {114: [], 8: []}
    for _ in range(3):
        for count, times in costs.items():
            warps, cpu, slow = simulate(options, here, MD5, [] if count == 114 else ["--set", f"sm.count={count}"])
            times.append(cpu / slow / warps * 1e6)
            print(f"{count} SMs: {warps / 1e6:.2f} M warp instructions in {cpu:.2f} CPU s, {warps / cpu / 1e6:.2f} M a second, "
                  f"{warps / cpu * slow / 1e6:.2f} on the quiet host", flush=True)
    print(f"114 SMs to 8: {min(costs[114]) / min(costs[8]):.2f} : 1 by the least of three, "
          f"{statistics.median(costs[114]) / statistics.median(costs[8]):.2f} : 1 by the median")


def commands_of(options, work):
    """Inputs, each as the words behind `maniple`."""
    for kind in ("compute", "stream", "gather"):
        subprocess.run([sys.executable, f"{options.traces}/make_synthetic.py", kind, f"{work}/{kind}"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([f"{options.build}/maniple", "convert", f"{work}/{kind}/kernelslist.g", "-o", f"{work}/{kind}.mtrace"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = {"compute": [], "stream": ["--max-cycles", "12000"], "gather": ["--max-cycles", "8000"]}[kind]
        yield kind, ["run", *limit, f"{work}/{kind}.mtrace"]
    yield "gemm 256", ["app", "run", "gemm", "--m", "256", "--n", "256", "--k", "256", "--kernel", "tiled"]


def predicted(text):
    """Of what `maniple scaling` says: seconds up to the end of the first window; seconds, work, largest units and meetings by threads."""
    start = float(re.search(r"of which ([\d.]+) s", text)[1])
    rows = re.findall(r"^cost +1 +(\d+) +([\d.]+) +[\d.]+ +([\d.]+) +([\d.]+) +([\d.]+)", text, re.M)
    return start, {int(count): tuple(map(float, values)) for count, *values in rows}


def threads(options):
    print("| input, machine | 16 threads | 64 | without what is before the second window: 16 | 64 | the dearest unit of each window allows |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as work:
        for name, command in commands_of(options, work):
            for machine in ("h100-sxm", "rtx3080ti"):
                folders = [f"{work}/{name.replace(' ', '')}-{machine}-{number}" for number in range(options.records)]
                last = -1 if command[0] == "run" else len(command)
                for folder in folders:
                    subprocess.run([f"{options.build}/maniple", *command[:last], "-q", "--machine", machine, "--threads", "1", "--costs",
                                    "-o", folder, *command[last:]], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                said = subprocess.run([f"{options.build}/maniple", "scaling", *folders, "-t", "1,16,64", "-b", str(options.barrier)], check=True,
                                      capture_output=True, text=True).stdout
                start, rows = predicted(said)
                one = rows[1][0]
                cells = [one / rows[n][0] for n in (16, 64)] + [(one - start) / (rows[n][0] - start) for n in (16, 64)]
                print(f"| {name}, `{machine}` |", " | ".join(f"{cell:.1f}" for cell in [*cells, rows[1][1] / rows[1][2]]), "|", flush=True)
                for folder in folders:
                    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for function in (programs, machines):
        verb = verbs.add_parser(function.__name__)
        verb.add_argument("build")
        verb.add_argument("clones")
        verb.add_argument("-o", dest="output", required=True)
        verb.add_argument("--count", type=int, default=30)
        verb.add_argument("--seed", type=int, default=38)
        verb.add_argument("--seconds", type=int, default=60)
        verb.add_argument("--yardstick")
        verb.set_defaults(function=function)
    verb = verbs.add_parser("threads")
    verb.add_argument("build")
    verb.add_argument("traces")
    verb.add_argument("--records", type=int, default=3)
    verb.add_argument("--barrier", type=int, default=467, help="ns that two threads take to meet (docs/lab/executors.md)")
    verb.set_defaults(function=threads)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
