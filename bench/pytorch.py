#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own kernels beside measurements of V100, T4 and A100: the unmodified wheel of torch 2.1.0 runs on the simulated GPU.

Usage: pytorch.py BUILD MEASUREMENTS [--programs DIR] [--half seen|kept|all] [--only GPU] [--jobs N] [--write]

MEASUREMENTS has pytorch-fp32.csv; DIR/pytorch is a virtual environment with torch 2.1.0 and numpy 1.26 (bench/programs.sh makes it).
Rows are chosen by a hash, never by their values: of each GPU and operator, the two with the smallest SHA-256 of "gpu,operator,batch,width"
among those of at most LARGEST numbers; where there are fewer, the ones with the fewest numbers come next. The first of the two is looked
at while the model is worked on (seen), the second at the end (kept). Runs are kept in BUILD/validation/pytorch, by the state of what is
simulated. --write makes docs/lab/pytorch.csv and the tables of docs/lab/pytorch.md.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

from lab_page import write_between

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "docs" / "lab"
MACHINES = {"V100 PCIe 32 GB": "v100-pcie", "T4": "t4", "A100 PCIe 40 GB": "a100-pcie-40gb", "A100 PCIe 80 GB": "a100"}
USUAL = ("V100 PCIe 32 GB", "T4", "A100 PCIe 40 GB")  # the others where --only names them
LARGEST = {"V100 PCIe 32 GB": 12e6, "T4": 17e6, "A100 PCIe 40 GB": 12e6, "A100 PCIe 80 GB": 17e6}
# Numbers of the call before: what it reads and writes is more than the L2 holds.
BEFORE = {"v100-pcie": 1_500_000, "t4": 1_500_000, "a100-pcie-40gb": 6_000_000, "a100": 6_000_000}
KINDS = {"add": "two operands", "mul": "two operands", "div": "two operands", "pow": "two operands", "addu": "one operand",
         "mulu": "one operand", "divu": "one operand", "powu": "one operand", "relu": "one operand", "gelu": "one operand",
         "ln": "layer norm"}
# Microseconds between the two events of a measurement that are the host's (Python, PyTorch's dispatcher, allocations, the launch's way to the
# GPU): the seen half says them, see docs/lab/pytorch.md. The first number is of elementwise operators, the second of layer norm.
HOST = {"elementwise": 15.4, "ln": 42.0}

Measured = collections.namedtuple("Measured", "gpu op batch width grid block time half")


def host_of(op):
    return HOST["ln" if op == "ln" else "elementwise"]


def chosen(path):
    """Rows of the measurements that are run, in order of GPU and operator."""
    groups = {}
    with open(path, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["op"] in KINDS and row["gpu"] in MACHINES:
                groups.setdefault((row["gpu"], row["op"]), []).append(row)
    for (gpu, op), rows in sorted(groups.items()):
        def key(row, gpu=gpu):
            numbers = int(row["batch"]) * int(row["width"])
            place = hashlib.sha256(f"{gpu},{row['op']},{row['batch']},{row['width']}".encode()).hexdigest()
            return (numbers if numbers > LARGEST[gpu] else 0, place)
        for row, half in zip(sorted(rows, key=key), ("seen", "kept")):
            yield Measured(gpu, op, int(row["batch"]), int(row["width"]), row["grid"], row["block"], float(row["time_ms"]) * 1e3, half)


def state_of(build, machine):
    """A hash of all that a simulated time depends on: the models' sources and the machine."""
    top = subprocess.run(["git", "-C", HERE, "ls-files", "-s", "../src"], capture_output=True, text=True).stdout
    changes = subprocess.run(["git", "-C", HERE, "diff", "HEAD", "--", "../src"], capture_output=True, text=True).stdout
    keys = subprocess.run([build / "maniple", "machine", "show", machine], capture_output=True, text=True).stdout
    keys = re.sub(" *//.*", "", keys)
    return hashlib.sha256((top + changes + keys + (HERE / "pytorch_row.py").read_text()).encode()).hexdigest()[:16]


def simulate(build, python, row, settings=()):
    """Microseconds of the last call's kernel, and what bounds it; None where the run failed."""
    machine = MACHINES[row.gpu]
    folder = build / "validation" / "pytorch" / f"{machine}-{row.op}-{row.batch}-{row.width}"
    words = [machine, row.op, str(row.batch), str(row.width), *settings]
    state = hashlib.sha256(f"{state_of(build, machine)} {words}".encode()).hexdigest()[:16]
    kept = folder / "time.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        if found["state"] == state:
            return found
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([build / "maniple", "run", "-q", "--machine", machine, "--threads", "1", "--values", "needed", "-o", folder,
                           *(word for setting in settings for word in ("--set", setting)),
                           "--", python, HERE / "pytorch_row.py", row.op, str(row.batch), str(row.width), str(BEFORE[machine])],
                          capture_output=True, text=True)
    if done.returncode:
        print(f"{machine} {row.op} {row.batch} x {row.width}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    results = json.loads((folder / "results.json").read_text())
    kernel = results["kernels"][-1]
    value = {name: one["value"] for name, one in kernel["statistics"].items() if not isinstance(one["value"], list)}
    grid, block = ("x".join(map(str, kernel[name])) for name in ("grid", "block"))
    if (grid, block) != (row.grid, row.block):
        print(f"{machine} {row.op}: a grid of {grid} and blocks of {block}, measured were {row.grid} and {row.block}", file=sys.stderr)
        return None
    found = {"state": state, "us": value["gpu_sim_cycle"] / results["machine"]["clock"]["core"] * 1e6,
             "dram_reads": value["total_dram_reads"], "kernel": kernel["name"], "cpu_s": results["run"]["cpu_seconds"]}
    kept.write_text(json.dumps(found))
    return found


def run(build, measurements, programs, half="all", only="", jobs=2, settings=()):
    """Pairs of a row and what was simulated."""
    python = (programs / "pytorch" / "bin" / "python").absolute()
    rows = [row for row in chosen(measurements / "pytorch-fp32.csv") if half in ("all", row.half) and (only in row.gpu if only else row.gpu in USUAL)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(rows, pool.map(lambda row: simulate(build.resolve(), python, row, settings), rows))


def off(row, found):
    return math.log((found["us"] + host_of(row.op)) / row.time)


def table(pairs):
    """Mean |ln| for each GPU and kind of kernel."""
    lines = ["| GPU | half | " + " | ".join(f"{kind}" for kind in dict.fromkeys(KINDS.values())) + " | all | rows |\n",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"]
    for gpu in MACHINES:
        for half in ("seen", "kept"):
            mine = [(row, found) for row, found in pairs if row.gpu == gpu and row.half == half and found]
            if not mine:
                continue
            cells = []
            for kind in [*dict.fromkeys(KINDS.values()), None]:
                errors = [off(row, found) for row, found in mine if kind in (None, KINDS[row.op])]
                cells.append(f"{sum(map(abs, errors)) / len(errors):.3f} ({sum(errors) / len(errors):+.3f})" if errors else "")
            lines.append(f"| {gpu}, `{MACHINES[gpu]}` | {half} | " + " | ".join(cells) + f" | {len(mine)} |\n")
    return lines


def write(pairs):
    with open(LAB / "pytorch.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["gpu", "machine", "half", "op", "batch", "width", "measured_us", "kernel_us", "host_us", "ln"])
        for row, found in pairs:
            rows.writerow([row.gpu, MACHINES[row.gpu], row.half, row.op, row.batch, row.width, f"{row.time:.2f}",
                           f"{found['us']:.2f}" if found else "", f"{host_of(row.op):g}", f"{off(row, found):.4f}" if found else ""])
    write_between(LAB / "pytorch.md", "<!-- made by bench/pytorch.py -->\n", "<!-- end -->\n", table(pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("programs"))
    parser.add_argument("--half", choices=["seen", "kept", "all"], default="seen")
    parser.add_argument("--only", default="", metavar="GPU")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pairs = []
    for row, found in run(options.build, options.measurements, options.programs, options.half, options.only, options.jobs, options.set):
        pairs.append((row, found))
        if found:
            print(f"{row.gpu:16} {row.half} {row.op:5} {row.batch:6} x {row.width:5}: {row.time:8.2f} us measured, {found['us']:8.2f} the kernel, "
                  f"{off(row, found):+.3f}", flush=True)
    print("".join(table(pairs)), end="")
    if options.write:
        write(pairs)


if __name__ == "__main__":
    main()
