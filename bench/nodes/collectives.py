#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""NCCL's collectives over two GPUs, or so many, beside measured times. Usage:

    collectives.py [--aside] [--send] [--least BYTES] [--most BYTES] [--gpu NAME]... [--gpus COUNT] [--dtype half|int8] [--kept FILE]
                   CSV MANIPLE PROGRAM [OPTION OF maniple run...]

CSV has columns gpu, collective, library, kernel, gpus, dtype, bytes, time_us, as AIConfigurator's tables of nccl-tests (095f58a) give them;
of a row that several versions of NCCL have, the mean counts. PROGRAM is collectives.cu, linked with the NCCL that is to be run. Half of the
rows, by a hash of GPU, collective and bytes, are left out without --aside: a change of the model is judged by the others, and these are
looked at when it is done. FILE keeps times of rows, which are not run again: they are those of one state and one set of options. Prints a
Markdown table, and the mean |ln| of each GPU and collective.

--send: rows send-recv in place of the collectives. These are of microsoft/vidur (7d47513): the duration of the sender's kernel, which a
profiler rounded down to microseconds (half of one is added to it here); one process for each GPU, so NCCL uses its own buffers."""
import argparse
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

MACHINES = {"A100 SXM 80 GB": "dgx-a100", "H100 SXM": "dgx-h100", "H200 SXM": "hgx-h200", "B200": "dgx-b200"}
# An A100 SXM4 80 GB runs at 1,275 MHz, its default clock, until it has been busy for 283 to 432 ms, and then at 1,410 (openfabric-systems/simllm,
# a100_kernel_constants_v1, where small products take 1.10 to 1.11 times as long); nccl-tests is at 64 MiB after less. Network and L2 go with it.
SHORT = {"A100 SXM 80 GB": ["clock.core=1275MHz", "clock.noc=1275MHz", "clock.l2=1367MHz"]}
COLLECTIVES = ("all-reduce", "all-gather", "all-to-all")
SEND = "send-recv"
SOURCES = {False: "nccl-tests", True: "NCCL, kernel time of kineto"} # column kernel, without and with --send
ROUNDED = 0.5 # us
TOGETHER = 8  # rows of a run
# Up to how many bytes sends and receives go by LL: 16 KiB of a channel in NCCL before 2.22 and from 2.29 on (enqueue.cc), which one channel carries up
# to 64 KiB; 16 KiB for each of 32 channels in between, so that 2.27.3 takes LL where the measured ones take Simple. 512 x 32 is 16 KiB again.
LL_THRESHOLD = "512"


def aside(gpu, collective, size):
    return hashlib.sha256(f"{gpu} {collective} {size}".encode()).digest()[0] & 1 == 1


def measured_rows(options):
    """(gpu, collective, bytes): microseconds."""
    times = collections.defaultdict(list)
    for row in csv.DictReader(options.csv.open()):
        key = row["gpu"], row["collective"], int(row["bytes"])
        good = row["gpus"] == str(options.gpus) and row["dtype"] == options.dtype and row["kernel"] == SOURCES[options.send] and row["suspect"] != "1"
        collective = key[1] == SEND if options.send else key[1] in COLLECTIVES
        if good and collective and key[0] in (options.gpu or MACHINES) and options.least <= key[2] <= options.most:
            times[key].append(float(row["time_us"]) + (ROUNDED if options.send else 0))
    return {key: sum(values) / len(values) for key, values in sorted(times.items()) if options.aside or not aside(*key)}


def name(options, key):
    words = [*key] if options.gpus == 2 else [*key, options.gpus]
    return " ".join(map(str, words if options.dtype == "half" else [*words, options.dtype]))


def simulated(options, gpu, keys):
    """(gpu, collective, bytes): microseconds here."""
    kept = json.loads(options.kept.read_text()) if options.kept and options.kept.is_file() else {}
    left = [key for key in keys if name(options, key) not in kept]
    for i in range(0, len(left), TOGETHER):
        for key, time in run(options, gpu, left[i:i + TOGETHER]).items():
            kept[name(options, key)] = time
        if options.kept:
            options.kept.write_text(json.dumps(kept))
    return {key: kept[name(options, key)] for key in keys}


def sender(folder, keys):
    """Microseconds of the kernels of the GPU that sends: of each row the second and third of three, the mean of which counts."""
    results = json.loads((folder / "gpu0" / "results.json").read_text())
    clock = results["machine"]["clock"]["core"]
    times = [kernel["statistics"]["gpu_sim_cycle"]["value"] / clock * 1e6 for kernel in results["kernels"] if "nccl" in kernel["name"]]
    assert len(times) == 3 * len(keys), times
    return {key: statistics.mean(times[3 * i + 1:3 * i + 3]) for i, key in enumerate(keys)}


def run(options, gpu, keys):
    words = [f"{'send' if options.send else collective}:{size}:{options.dtype}" for _, collective, size in keys]
    keys_of_machine = [word for key in SHORT.get(gpu, []) for word in ("--set", key)]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.maniple, "run", "-q", "-o", folder + "/results", "--machine", MACHINES[gpu], "--gpus", str(options.gpus), *keys_of_machine,
                   *options.options, "--", options.program, "2", *words]
        environment = {"NCCL_P2P_LL_THRESHOLD": LL_THRESHOLD, **os.environ, **({"NCCL_P2P_DIRECT_DISABLE": "1"} if options.send else {})}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        found = re.findall(r"^([a-z-]+) (\d+) bytes.*, \d+ GPUs: ([\d.]+) us, 0 wrong$", done.stdout, re.M)
        if len(found) != len(keys):
            sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        if options.send:
            return sender(pathlib.Path(folder, "results"), keys)
    return {(gpu, collective, int(size)): float(time) for collective, size, time in found}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aside", action="store_true")
    parser.add_argument("--send", action="store_true")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--most", type=int, default=1 << 20)
    parser.add_argument("--dtype", choices=("half", "int8"), default="half")
    parser.add_argument("--gpu", action="append", choices=MACHINES)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("maniple")
    parser.add_argument("program")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.csv.is_file():
        sys.exit(f"{options.csv}: the measured times are not there, nothing to compare with")
    rows = measured_rows(options)
    errors = collections.defaultdict(list)
    print("| GPU | collective | bytes | measured, us | here | half |\n| --- | --- | ---: | ---: | ---: | --- |")
    for gpu in dict.fromkeys(key[0] for key in rows):
        keys = [key for key in rows if key[0] == gpu]
        here = simulated(options, gpu, keys)
        for key in keys:
            half = "aside" if aside(*key) else "seen"
            error = math.log(here[key] / rows[key])
            for group in ((gpu, key[1], half), ("all", "all", half)):
                errors[group].append(error)
            print(f"| {gpu} | {key[1]} | {key[2]:,} | {rows[key]:.2f} | {here[key]:.2f} | {half} |", flush=True)
    print("\n| GPU | collective | half | rows | mean abs ln | mean ln |\n| --- | --- | --- | ---: | ---: | ---: |")
    for (gpu, collective, half), values in errors.items():
        print(f"| {gpu} | {collective} | {half} | {len(values)} | {sum(map(abs, values)) / len(values):.3f} | {sum(values) / len(values):+.3f} |")


if __name__ == "__main__":
    main()
