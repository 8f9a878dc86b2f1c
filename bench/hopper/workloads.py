#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our own workloads for Hopper beside published times of silicon: attention beside FlashAttention-3, wsgemm beside the libraries'
products. Nothing is fitted to these. Writes the tables of docs/hopper.md.

Usage: workloads.py BUILD MEASUREMENTS [--most GFLOP] [--only attention|products] [--page PAGE]

MEASUREMENTS is a folder with hopper-attention.csv and hopper-gemm.csv. Rows of more than --most floating-point operations are left
out (140, some minutes each). Without --page the tables go to the standard output.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- {}, by bench/hopper/workloads.py -->\n", "<!-- end -->\n"


def rows_of(options, name):
    with open(options.measurements / name, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def cycles_of(options, mhz, arguments, settings=()):
    """Cycles of the one kernel of a workload, whose own check has to pass."""
    settings = [f"clock.{name}={mhz}MHz" for name in ("core", "noc", "l2")] + list(settings)
    command = [options.build / "maniple", "app", "run", *arguments, "-q", "--machine", "h100-sxm"]
    command += [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    found = re.search(r"^\s+1\s+\S+\s+[\dx]+\s+\d+\s+([\d,]+)", done.stdout, re.M)
    if done.returncode or not found:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return int(found[1].replace(",", ""))


def line(what, measured, mhz, cycles):
    ours = cycles / mhz
    print(f"{what}: {measured:.1f} us, here {ours:.1f}", file=sys.stderr)
    return f"| {what} | {measured:.1f} | {ours:.1f} | {100 * (ours / measured - 1):.0f} % |\n", abs(ours / measured - 1)


def attention(options):
    """FlashAttention-3, forward, halves, on an H100 SXM at 1500 MHz."""
    text, errors = "| sequences, length, heads, dimension | H100 SXM, µs | here, µs | |\n| --- | ---: | ---: | ---: |\n", []
    for row in rows_of(options, "hopper-attention.csv"):
        batch, length, heads, size = (int(row[name]) for name in ("batch", "seqlen", "heads", "head_dim"))
        work = 4e-9 * batch * heads * size * length * length / (2 if row["causal"] == "1" else 1)
        if not row["kernel"].startswith("FlashAttention-3 d80a7710") or work > options.most:
            continue
        cycles = cycles_of(options, 1500, ["attention", "--batch", batch, "--sequence", length, "--heads", heads, "--dimension",
                                           size, "--causal", "yes" if row["causal"] == "1" else "no"])
        what = f"{batch}, {length}, {heads}, {size}{', causal' if row['causal'] == '1' else ''}"
        made, error = line(what, float(row["value"]), 1500, cycles)
        text, errors = text + made, errors + [error]
    return text, errors


def products(options):
    """Products of matrices of 16 bits by libraries, on an H100 SXM, here of halves with results of 16 bits. What was measured ran
    several times on the same matrices: of them the L2 has what there is room for."""
    text, errors = "| m, n, k | by | H100 SXM, µs | here, µs | |\n| --- | --- | ---: | ---: | ---: |\n", []
    for row in rows_of(options, "hopper-gemm.csv"):
        m, n, k = (int(row[name]) for name in "mnk")
        work, by = 2e-9 * m * n * k, row["library"]
        chosen = by.startswith("XLA") and (m, n, k) in CHOSEN and row["groups"] == "1" and row["dtype"] == "bf16 -> bf16"
        chosen |= by.startswith("fast.cu")
        if not chosen or work > options.most or m % 256 or n % 256 or "H100" not in row["gpu"]:
            continue
        forms = [(256, 2), (256, 1), (128, 2), (128, 1), (64, 1)] if work < 20 else [(256, 2)]
        cycles = min(cycles_of(options, 1755, ["wsgemm", "--m", m, "--n", n, "--k", k, "--tile", tile, "--cluster", cluster,
                                               "--result", "f16"], ["memcpy_warms_l2=true"]) for tile, cluster in forms)
        made, error = line(f"{m}, {n}, {k} | {'XLA' if by.startswith('XLA') else by}", float(row["time_us"]), 1755, cycles)
        text, errors = text + made, errors + [error]
    return text, errors


# Of the 375 shapes that were measured: those of one and of several waves of tiles, and of short and long sums.
CHOSEN = {(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (4096, 4096, 1024), (2048, 4096, 2048), (4096, 2048, 4096),
          (1024, 4096, 4096), (4096, 1024, 1024), (2048, 2048, 512), (4096, 4096, 256), (1024, 2048, 4096), (2048, 4096, 1024)}
TABLES = {"attention": attention, "products": products}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=140, help="10^9 operations of a row, at most")
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    for name in [options.only] if options.only else TABLES:
        text, errors = TABLES[name](options)
        if not errors:
            sys.exit(f"no row of {name} has at most {options.most:g} thousand million operations (--most)")
        text += f"\nMean of the absolute errors: {100 * sum(errors) / len(errors):.0f} % of {len(errors)} rows.\n"
        if not options.page:
            print(text)
            continue
        page = options.page.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN.format(name), 1)
        after = rest.split(END, 1)[1]
        options.page.write_text(before + BEGIN.format(name) + text + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
