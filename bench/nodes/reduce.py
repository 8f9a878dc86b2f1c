#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All-reduce of halves by kernels that read one another's memory, beside the times of vLLM's kernels as graphs (AIConfigurator, 095f58a,
custom_allreduce: vLLM 0.24 on H100, 0.14 on A100). Usage: reduce.py [--machine dgx-a100] MANIPLE PROGRAM [OPTION OF maniple run...], with
PROGRAM from reduce.cu by `nvcc -cudart shared -arch=sm_90`, or sm_80. Prints a Markdown table and the mean |ln| of its rows."""
import math
import re
import subprocess
import sys

# GPUs, steps, bytes: microseconds. vLLM takes one step for two GPUs, and for eight below 256 KiB.
ROWS = {
    "dgx-h100": {(2, "one", 256): 4.3, (2, "one", 16384): 4.5, (2, "one", 262144): 5.2, (2, "one", 1 << 20): 8.3,
                 (8, "one", 256): 4.7, (8, "one", 16384): 5.3, (8, "two", 262144): 10.8, (8, "two", 1 << 20): 15.0},
    "dgx-a100": {(2, "one", 512): 4.85, (2, "one", 8192): 5.29, (2, "one", 131072): 5.74,
                 (8, "one", 512): 5.70, (8, "one", 16384): 6.54, (8, "one", 131072): 11.35, (8, "two", 262144): 17.13},
}


def microseconds(machine, maniple, program, options, row):
    gpus, steps, size = row
    command = [maniple, "run", "-q", "--machine", machine, "--gpus", str(gpus), *options, "--", program, steps, str(size), "36", "512", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"GPUs: ([\d.]+) us, 0 wrong", done.stdout)
    if not found:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return float(found[1])


def main():
    arguments = sys.argv[1:]
    machine = "dgx-h100"
    if arguments[:1] == ["--machine"]:
        machine = arguments[1]
        arguments = arguments[2:]
    maniple, program, *options = arguments
    errors = []
    print("| GPUs | steps | bytes | measured, us | here |\n| ---: | --- | ---: | ---: | ---: |")
    for row, measured in ROWS[machine].items():
        here = microseconds(machine, maniple, program, options, row)
        errors.append(abs(math.log(here / measured)))
        print(f"| {row[0]} | {row[1]} | {row[2]:,} | {measured} | {here} |", flush=True)
    print(f"\nmean |ln| of {len(errors)} rows: {sum(errors) / len(errors):.3f}")


if __name__ == "__main__":
    main()
