#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A dependent load from the memory of another GPU, beside what nvbandwidth's device_to_device_latency_sm has printed. Usage: chase.py
MANIPLE PROGRAM [OPTION OF maniple run...], with PROGRAM from chase.cu by `nvcc -cudart shared -arch=sm_90 -gencode ...`. Prints a Markdown
table. The latencies of links and switches in the machine files are those with which the times here are the measured ones."""
import re
import subprocess
import sys

# Machine: measured, ns, and what measured it.
MEASURED = {
    "dgx-h100": (826.6, "8 H100 80GB HBM3, nvbandwidth 0.10.0: mean of 56 pairs, 821.9 to 829.5"),
    "dgx-b200": (1710.5, "4 GB300 of an NVL72, Oracle's quick start for BM.GPU.GB300.4: sum of 12 pairs, 20,525.53"),
}


def nanoseconds(maniple, program, machine, options):
    command = [maniple, "run", "-q", "--machine", machine, "--gpus", "2", *options, "--", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r"memory: ([\d.]+) ns", done.stdout)
    if len(found) != 2:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return map(float, found)


def main():
    maniple, program, *options = sys.argv[1:]
    print("| machine | own L2, ns | the other GPU's | measured | by |\n| --- | ---: | ---: | ---: | --- |")
    for machine, (measured, source) in MEASURED.items():
        own, other = nanoseconds(maniple, program, machine, options)
        print(f"| {machine} | {own:.1f} | {other:.1f} | {measured} | {source} |")


if __name__ == "__main__":
    main()
