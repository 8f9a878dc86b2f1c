#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole applications beside measurements of silicon and Accel-Sim's results: cycles summed over an application's kernels.

Usage: applications.py BUILD APPS.csv DIR [--machine NAME] [--only bfs,…] [--set KEY=VALUE] [--warm] [--kernels]
                       [--trace bfs=KERNELSLIST] [--code auto|ptx|sass]
APPS.csv has the columns app (the program and its arguments), hw_gpc_cycles (Nsight Compute's gpc__cycles_elapsed.avg) and
accelsim2_cycles. DIR holds the programs of Rodinia 2.0-ft, built for `maniple run`, and their inputs in DIR/data; a
program that is not there is left out. Nsight Compute runs kernels one at a time and empties the caches before each one,
so that launch.flush_l2 is set; --warm leaves it out. srad_v2 reads beside its allocations (host.slack).
"""
import argparse, csv, json, os, subprocess, sys, tempfile

PROGRAMS = {  # arguments; the last file is what a program compares its output with, which need not be right
    "backprop": "4096 data/gold.txt",
    "bfs": "data/graph4096.txt data/gold.txt",
    "hotspot": "30 6 40 data/gold.txt",
    "heartwall": "data/test.avi 1 data/gold.txt",
    "lud": "-v -b -i data/64.dat",
    "nw": "128 10 data/gold.txt",
    "nn": "data/filelist_4 3 30 90 data/gold.txt",
    "pathfinder": "1000 20 5 data/gold.txt",
    "srad_v2": "data/matrix128x128.txt 0 127 0 127 .5 2 data/gold.txt",
    "streamcluster": "3 6 16 1024 1024 100 none output.txt 1 data/gold.txt",
}


def simulate(options, settings, what, folder):
    """Runs a program, or a trace; returns the cycles of its kernels, and what it said if it failed."""
    with tempfile.TemporaryDirectory() as out:
        command = [os.path.abspath(f"{options.build}/maniple"), "run", "-q", "--threads", "1", "--machine",
                   options.machine, "-o", out] + (["--code", options.code] if what[0] == "--" else []) + settings + what
        done = subprocess.run(command, cwd=folder, capture_output=True)
        try:
            with open(f"{out}/results.json") as file:
                kernels = json.load(file)["kernels"]
        except (OSError, KeyError):
            kernels = []
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if "maniple: error" in line]
        return [(k["name"], k["statistics"]["gpu_sim_cycle"]["value"]) for k in kernels], said


def percent(cycles, measured):
    return f"{100 * (cycles / measured - 1):+.0f}%"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("applications")
    parser.add_argument("folder")
    parser.add_argument("--machine", default="h100-sxm")
    parser.add_argument("--only", default="")
    parser.add_argument("--set", action="append", default=[], help="as for maniple run")
    parser.add_argument("--trace", action="append", default=[], help="NAME=KERNELSLIST: a further row, of a trace")
    parser.add_argument("--code", default="auto", help="auto, ptx or sass, as for maniple run")
    parser.add_argument("--warm", action="store_true", help="kernels find in the L2 what those before them left there")
    parser.add_argument("--kernels", action="store_true", help="also the cycles of every kernel")
    options = parser.parse_args()
    chosen = ["host.slack=2MiB"] + ([] if options.warm else ["launch.flush_l2=true"]) + options.set
    settings = [word for setting in chosen for word in ("--set", setting)]
    rows = {row["app"].split("-rodinia")[0]: row for row in csv.DictReader(open(options.applications))}
    runs = [(name, name, ["--", os.path.join(".", name)] + arguments.split()) for name, arguments in PROGRAMS.items()
            if os.path.exists(os.path.join(options.folder, name))]
    for trace in options.trace:
        name, _, path = trace.partition("=")
        runs.append((name + " (trace)", name, [os.path.abspath(path)]))
    ours, theirs = {}, {}  # errors, of programs and of traces
    print(f"{'application':18} {'kernels':>7} {'measured':>9} {'simulated':>9} {'error':>6} {'a kernel':>17} "
          f"{'Accel-Sim 2.0':>14} {'error':>6}")
    for shown, name, what in runs:
        if name not in rows or (options.only and name not in options.only.split(",")):
            continue
        measured, other = (float(rows[name][column]) for column in ("hw_gpc_cycles", "accelsim2_cycles"))
        kernels, said = simulate(options, settings, what, options.folder)
        if said or not kernels:
            print(f"{shown:18} failed: {said[0] if said else 'no kernels'}", flush=True)
            continue
        cycles, count = sum(k[1] for k in kernels), len(kernels)
        kind = "applications" if shown == name else "traces"
        ours.setdefault(kind, []).append(abs(cycles / measured - 1))
        theirs.setdefault(kind, []).append(abs(other / measured - 1))
        each = f"{measured / count:.0f} / {cycles / count:.0f}"
        print(f"{shown:18} {count:7} {measured:9.0f} {cycles:9} {percent(cycles, measured):>6} {each:>17} {other:14.0f} "
              f"{percent(other, measured):>6}", flush=True)
        if options.kernels:
            for kernel, taken in kernels:
                print(f"    {kernel:40} {taken:9}")
    if not ours:
        sys.exit(f"nothing ran: {options.folder} is to hold {', '.join(PROGRAMS)}")
    for kind, errors in ours.items():
        other = theirs[kind]
        print(f"{len(errors)} {kind}, mean absolute error {100 * sum(errors) / len(errors):.1f} %, largest "
              f"{100 * max(errors):.1f} %; Accel-Sim 2.0: {100 * sum(other) / len(other):.1f} %, {100 * max(other):.1f} %")


if __name__ == "__main__":
    main()
