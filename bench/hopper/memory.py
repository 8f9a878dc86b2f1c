#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory as programs see it (memory.cu, beside this file) beside measurements of silicon.

Usage: memory.py BUILD MEASUREMENTS.csv PROGRAM [--gpu "H100 PCIe"] [--only chase,read,again,scale,graph,sync,flags] [--every N]
                 [--most KIB] [--set KEY=VALUE]
MEASUREMENTS.csv has the columns gpu, sm, benchmark, parameters, value, unit; PROGRAM is memory.cu, built. Chains beyond 500 MB
are run with 500 MB, and kernels of more than 4 million numbers are left out.
"""
import argparse, csv, os, re, subprocess, tempfile

MACHINES = {"H100 PCIe": "h100-pcie", "H800 PCIe": "h800-pcie", "GH200": "h200", "H200": "h200", "L40": "l40", "RTX 4090": "rtx4090"}
KINDS = {"stream": "scale", "CUDA graph": "graph", "one kernel, grid sync": "sync", "one kernel, persistent threads": "flags"}
MOST = 500000  # KB of a chain
# What the measured board has in place of the machine file's, by GPU and kind; latencies in cycles of 1,980 MHz.
# A GH200's hits by the plateau of its chain; an H100 PCIe comes down to this clock when it is read from its L2 (Chips and Cheese,
# "Nvidia's H100: funny L2, and tons of bandwidth"), which its outputs do not state.
SETTINGS = {("GH200", "chase"): ("latency.l2=280", "latency.l2_far=519"),
            ("H100 PCIe", "again"): ("clock.core=1395MHz", "clock.noc=1395MHz", "clock.l2=1395MHz")}


def words_of(row):
    """What the program is to run for a row; None: it has nothing of the kind."""
    what, parameters = row["benchmark"], row["parameters"]
    size = re.search(r"data set ([\d.]+) kB", parameters)
    if what == "ld.global, dependent chase":
        return ["chase", str(max(1, round(min(float(size[1]), MOST))))]
    if what.startswith("read bandwidth: ") and size:
        return ["again", str(round(float(size[1]) / 512))]
    threads = re.match(r"block (\d+),(?: 1 block per SM,)? (\d+) threads total", parameters)
    if what == "stream: read" and threads:
        # The outputs of the H100 PCIe count the threads of one CTA an SM and state the occupancy of two.
        ctas = 2 if row["gpu"] == "H100 PCIe" else int(threads[2]) // int(threads[1]) // int(row["sm"])
        return ["read", threads[1], str(ctas)]
    numbers = re.match(r"(\d+) doubles", parameters)
    if what.startswith("chained SCALE kernel") and numbers and int(numbers[1]) <= 4000000:
        return [KINDS[what.split(": ")[1]], numbers[1]]
    return None


def rows_of(path, gpus, kinds, every=1, most=float("inf")):
    """(row, words) of these GPUs and kinds; of each kind every so many."""
    found, seen = [], {}
    for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
        words = words_of(row) if row["gpu"] in gpus else None
        if not words or words[0] not in kinds or (words[0] == "chase" and int(words[1]) > most):
            continue
        key = row["gpu"], words[0]
        seen[key] = seen.get(key, -1) + 1
        if seen[key] % every == 0:
            found.append((row, words))
    return found


def simulate(build, program, machine, words, settings=()):
    """{the words of a part: number} as the program prints them."""
    chosen = [word for setting in settings for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "-o", out] + chosen +
                              ["--", os.path.abspath(program)] + words, capture_output=True, text=True)
    return {name: float(value) for name, value in re.findall(r"^(\w+(?: \d+)+): ([\d.]+) (?:cycles|GB/s|ns)", done.stdout, re.M)}


def compare(build, path, program, gpu, kinds, every=1, most=float("inf"), settings=()):
    """(row, number here) of all rows that the program has a number for."""
    pairs = []
    for kind in kinds:
        rows = rows_of(path, [gpu], [kind], every, most)
        words = sum((words for _, words in rows), [])
        got = simulate(build, program, MACHINES[gpu], words, [*SETTINGS.get((gpu, kind), ()), *settings]) if rows else {}
        pairs += [(row, got[" ".join(words)]) for row, words in rows if " ".join(words) in got]
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("measurements")
    parser.add_argument("program")
    parser.add_argument("--gpu", action="append", choices=MACHINES, default=[])
    parser.add_argument("--only", default="chase,read,again,scale,graph,sync,flags")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=float, default=float("inf"))
    parser.add_argument("--set", action="append", default=[], help="as for maniple run")
    options = parser.parse_args()
    for gpu in options.gpu or MACHINES:
        for kind in options.only.split(","):
            pairs = compare(options.build, options.measurements, options.program, gpu, [kind], options.every, options.most, options.set)
            errors = [got / float(row["value"]) - 1 for row, got in pairs]
            for (row, got), error in zip(pairs, errors):
                print(f"{gpu:10} {kind:6} {row['parameters'][:56]:56} {float(row['value']):9.1f} {got:9.1f} {row['unit']:7} "
                      f"{100 * error:+6.1f} %", flush=True)
            if errors:
                print(f"{gpu}, {kind}: {len(errors)} rows, mean absolute error {100 * sum(map(abs, errors)) / len(errors):.1f} %", flush=True)


if __name__ == "__main__":
    main()
