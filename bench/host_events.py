#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Host instructions per warp instruction and per sector, and per event of the memory path, by callgrind.

Usage: host_events.py BUILD FOLDER [--machine rtx3070]
FOLDER holds make_synthetic.py. Whole runs of compute, stream and gather, packed, on one thread; stream and gather to 30,000 cycles.
Results are written as JSON, which takes 1 % of stream and 2 % of gather.
The second table divides what a part of the memory path takes by the number of its events. Its last row adds up
the events of a sector, each at the lower of its two costs: no trace of these events is cheaper than that without fewer of them.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile

# Name of an event, the function that is called once for each, and all functions that it takes.
PARTS = (
    ("a packet sorted and taken", "mnp_inbox_take",
     "mnp_inbox_open mnp_inbox_take mnp_inbox_close mnp_link_publish mnp_link_prepare"),
    ("a visit of the L1 by a part of an access", "sm_l1d_read",
     "sm_l1d_read blocked count_read sm_l1d_reply sm_l1d_expect sm_lsu_cycle sm_lsu_next sm_port_put"),
    ("a request sent by an SM", "sm_port_cycle", "sm_port_cycle sm_port_next"),
    ("a request or reply through a GPC", "pop_request", "pop_request gpu_gpc_advance"),
    ("a look-up in the L2", "look_up", "look_up allocate perform answer gpu_slice_take gpu_slice_fill gpu_slice_expect"),
    ("a visit of a slice", "gpu_slice_step", "gpu_slice_step gpu_partition_advance gpu_slice_count_stall"),
    ("a line placed in a cache, with its miss entry", "mnp_cache_replace",
     "mnp_cache_replace mnp_cache_victim mnp_cache_fill mnp_mshr_allocate mnp_mshr_merge mnp_mshr_remove mnp_mshr_release mnp_mshr_free"),
    ("a sector given to the channel", "mnp_dram_push_at", "mnp_dram_push_at mnp_dram_push mnp_dram_locate gpu_channel_accept"),
    ("a DRAM command", "gpu_channel_step", "gpu_channel_step mnp_frfcfs_rows gpu_channel_crossing"),
)


def read_profile(path):
    """Instructions of each function itself, and its calls, from a profile of callgrind."""
    names, own, calls = {}, collections.Counter(), collections.Counter()

    def name(text):
        number, rest = re.match(r"\((\d+)\)(?: (.*))?", text).groups()
        names[number] = rest or names[number]
        return names[number]

    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("fn="):
                function = name(line[3:].strip())
            elif line.startswith("cfn="):
                called = name(line[4:].strip())
            elif line.startswith("calls="):
                calls[called] += int(line[6:].split()[0])
                next(lines)
            elif line[0].isdigit() or line[0] in "+-*":
                own[function] += int(line.split()[-1])
    return own, calls


def run(options, work, kind):
    """Host instructions of a run, its warp instructions and sectors, and its profile."""
    subprocess.run([sys.executable, f"{options.folder}/make_synthetic.py", kind, f"{work}/{kind}"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([f"{options.build}/maniple", "convert", f"{work}/{kind}/kernelslist.g", "-o", f"{work}/{kind}.mtrace"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = [] if kind == "compute" else ["--max-cycles", "30000"]
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/profile", f"{options.build}/maniple", "run", "-q",
                           "--machine", options.machine, "--threads", "1", *limit, f"{work}/{kind}.mtrace", "--format", "json"],
                          capture_output=True, text=True, check=False)
    found = re.search(r"Collected *: (\d+)", done.stderr)
    if not found:
        sys.exit(f"{kind}: {done.stderr[-300:]}")
    statistics = json.loads(done.stdout[done.stdout.index("{"):])["total"]["statistics"]
    warps = sum(entry["value"] for key, entry in statistics.items() if re.fullmatch(r"instructions_(?!zero_mask)(?!.*_per_unit).*", key))
    return (int(found[1]), warps, statistics["L2_total_cache_accesses"]["value"],
            *read_profile(f"{work}/profile"))


def print_events(runs):
    """The table of events, per sector of stream and of gather."""
    print("\n| event | stream: for a sector | instructions | gather: for a sector | instructions |\n| --- | ---: | ---: | ---: | ---: |")
    sums = [0, 0]
    for event, called, functions in PARTS:
        cells, costs, counts = [], [], []
        for _, _, sectors, own, calls in runs:
            counts.append(calls[called] / sectors)
            costs.append(sum(own[function] for function in functions.split()) / max(calls[called], 1))
            cells.append(f"{counts[-1]:.2f} | {costs[-1]:.0f}")
        sums = [total + count * min(costs) for total, count in zip(sums, counts)]
        print(f"| {event} | {cells[0]} | {cells[1]} |")
    print(f"| all of these, each at the lower cost | | {sums[0]:,.0f} | | {sums[1]:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--machine", default="rtx3070")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        runs = {kind: run(options, work, kind) for kind in ("compute", "stream", "gather")}
    print("| trace | host instructions | per warp instruction | per sector |\n| --- | ---: | ---: | ---: |")
    for kind, (count, warps, sectors, _, _) in runs.items():
        print(f"| {kind} | {count:,} | {count / warps:,.0f} | {f'{count / sectors:,.0f}' if sectors > warps else ''} |")
    print_events([runs["stream"], runs["gather"]])


if __name__ == "__main__":
    main()
