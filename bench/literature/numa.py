#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the placement of threads on the nodes of a host changes: Sachs et al. pin a process to one node up to its 16
threads, and span both above, where their speed-up falls.

Usage: numa.py BUILD [--words WORDS] [--machine NAME] [--rounds N] [--list] [--sys FOLDER]
Runs a workload on one thread, then on half of a node's processors, on a whole node, on as many of two nodes, and on all of
two, by `--cpus`; `window` and `pool`, in turn, N times. Prints medians of wall times, and fails if results differ. On a host of
one node it says so, and runs what one node can show: processors that are neighbours, and ones that are far apart in its list.
"""
import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

EXECUTORS = {"window": [], "pool": ["--executor", "pool"]}


def processors(text):
    """Numbers of a list as the kernel writes it: 0-3,8."""
    numbers = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def nodes(folder):
    """The processors of each node, by its number."""
    found = sorted(pathlib.Path(folder).glob("devices/system/node/node[0-9]*/cpulist"), key=lambda path: int(path.parent.name[4:]))
    lists = [processors(path.read_text(encoding="utf-8")) for path in found]
    return [one for one in lists if one]


def placements(found):
    """Names and processors of what is compared."""
    first, half = found[0], max(1, len(found[0]) // 2)
    made = {"one processor": first[:1]}
    if half > 1:
        made["half of a node"] = first[:half]
    if len(first) > 1:
        made["a node"] = first
    if len(found) > 1:
        made["half of two nodes"] = first[:half] + found[1][:half]
        made["two nodes"] = first + found[1]
    elif half > 1:
        made["half of a node, every other processor"] = first[::2][:half]
    return made


def command(build, options, cpus, executor):
    return [f"{build}/maniple", "app", "run", *options.words.split(), "--machine", options.machine,
            "--threads", str(len(cpus)), "--cpus", ",".join(map(str, cpus)), *EXECUTORS[executor]]


def run(words):
    """Wall seconds, and a hash of all results."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*words, "-q", "-o", folder], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
        results = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
    seconds = results.pop("run")["wall_seconds"]
    return seconds, hashlib.sha256(json.dumps(results, sort_keys=True).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--words", default="sgemm --size 512")
    parser.add_argument("--machine", default="h100-pcie")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--list", action="store_true", help="print the commands, run nothing")
    parser.add_argument("--sys", default="/sys", help="the folder that describes the host's nodes")
    options = parser.parse_args()
    found = nodes(options.sys)
    if not found:
        sys.exit(f"{options.sys}/devices/system/node describes no node; give --sys another folder")
    print(f"{len(found)} node{'s' if len(found) > 1 else ''}: " + "; ".join(f"{len(one)} processors" for one in found) +
          ("" if len(found) > 1 else ". What a second node changes cannot be measured here."))
    commands = {(name, executor): command(options.build, options, cpus, executor)
                for name, cpus in placements(found).items() for executor in EXECUTORS}
    if options.list:
        print("\n".join(" ".join(words) for words in commands.values()))
        return
    times, hashes = {key: [] for key in commands}, set()
    for _ in range(options.rounds):
        for key, words in commands.items():
            seconds, one = run(words)
            times[key].append(seconds)
            hashes.add(one)
    print("\n| processors | " + " | ".join(f"`{executor}`, s | ×" for executor in EXECUTORS) + " |")
    print("| --- |" + " ---: | ---: |" * len(EXECUTORS))
    for name, cpus in placements(found).items():
        cells = []
        for executor in EXECUTORS:
            median, base = (statistics.median(times[one, executor]) for one in (name, "one processor"))
            cells.append(f"{median:.2f} | {base / median:.2f}")
        print(f"| {name} ({len(cpus)}) | " + " | ".join(cells) + " |")
    if len(hashes) > 1:
        sys.exit("results differ between placements")
    print(f"\nAll {options.rounds * len(commands)} runs gave the same results.")


if __name__ == "__main__":
    main()
