#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Speed and memory on the yardstick traces, beside Accel-Sim's.

Usage: yardstick.py BUILD FOLDER [--runs N] [--machine rtx3070]
FOLDER holds the real traces, make_synthetic.py and yardstick.c. The CPU time of a run (user and system, of all threads)
is divided by that of yardstick.c, run just before and after it, so that figures of different days and hosts compare.
Accel-Sim's figures are those of yardstick.md: CPU seconds divided by its host's yardstick.
"""
import argparse, os, statistics, subprocess, sys, tempfile, time

# CPU seconds of Accel-Sim on one thread, in yardsticks (branch dev, SM86_RTX3070, text traces).
ACCEL_SIM = {"compute": 22.6, "stream": 194, "gather": 594, "bfs-rodinia-2.0-ft": 13.2, "vectoradd-50000": 2.0,
             "simtune-ffmakernel-1-32-10": 1.06}


def run(command):
    """CPU seconds, wall seconds and peak memory in MB of one process."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1000


def collect(command, yardstick, runs):
    rows = []
    for _ in range(runs):
        before = run([yardstick])[0]
        cpu, wall, peak = run(command)
        rows.append((cpu / ((before + run([yardstick])[0]) / 2), cpu, wall, peak))
    return [statistics.median(column) for column in zip(*rows)]


def prepare(build, folder, work):
    """The lists of all traces, text and packed; generates the synthetic ones."""
    traces = {}
    for kind in ("compute", "stream", "gather"):
        subprocess.run([sys.executable, f"{folder}/make_synthetic.py", kind, f"{work}/{kind}"], check=True,
                       stdout=subprocess.DEVNULL)
        traces[kind] = f"{work}/{kind}/kernelslist.g"
    for name in ACCEL_SIM:
        traces.setdefault(name, f"{folder}/{name}/kernelslist.g")
    for name, path in traces.items():
        subprocess.run([f"{build}/maniple", "convert", path, "-o", f"{work}/{name}.mtrace"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return traces


def speedup(base, two, runs):
    """Median and best of the ratio of wall times, one thread to two, in interleaved pairs."""
    ratios = []
    for _ in range(runs):
        one = run(base)[1]
        ratios.append(one / run(two)[1])
    return statistics.median(ratios), max(ratios)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--machine", default="rtx3070")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        yardstick = f"{work}/yardstick"
        subprocess.run(["cc", "-O2", "-o", yardstick, f"{options.folder}/yardstick.c"], check=True)
        traces = prepare(options.build, options.folder, work)
        print(f"{'trace':28} {'form':7} {'CPU s':>8} {'yardsticks':>10} {'x Accel-Sim':>11} {'peak MB':>8}"
              f" {'2 threads: median':>18} {'best':>6}")
        for name, path in traces.items():
            for form, source in (("text", path), ("packed", f"{work}/{name}.mtrace")):
                command = [f"{options.build}/maniple", "run", "-q", "--machine", options.machine, source, "--threads"]
                scaled, cpu, _, peak = collect(command + ["1"], yardstick, options.runs)
                median, best = speedup(command + ["1"], command + ["2"], options.runs)
                print(f"{name:28} {form:7} {cpu:8.4f} {scaled:10.4f} {ACCEL_SIM[name] / scaled:11.0f} {peak:8.1f}"
                      f" {median:18.2f} {best:6.2f}", flush=True)


main()
