#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our own workloads for Hopper beside published times of silicon: attention beside FlashAttention-3, wsgemm beside the libraries'
products. Nothing is fitted to these.

Usage: workloads.py BUILD MEASUREMENTS [--most GFLOP] [--only attention|products] [--sample N] [--jobs N] [--set KEY=VALUE]
                    [--write]

MEASUREMENTS is a folder with hopper-attention.csv and hopper-gemm.csv. Rows of more than --most floating-point operations are left
out (140, some minutes each). bench/models.py --file xla-gemm has XLA's products in the state in which they were measured. --sample runs those N products of each line of the table whose "BY,TYPE,BATCH,M,N,K" has the smallest SHA-256.
Each row is said as it is done; --write puts the rows into docs/lab/hopper.csv and their summaries into the page.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import pathlib
import re
import subprocess
import sys

import tables  # which adds bench/ to the path
from lab_page import state_of, write_between

BEGIN = "<!-- {}, by bench/hopper/workloads.py -->\n"


def rows_of(options, name):
    with open(options.measurements / name, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def cycles_of(options, mhz, arguments, settings=()):
    """Cycles of the one kernel of a workload, whose own check has to pass."""
    settings = [f"clock.{name}={mhz}MHz" for name in ("core", "noc", "l2")] + list(settings) + options.set
    command = [options.build / "maniple", "app", "run", *arguments, "-q", "--machine", "h100-sxm"]
    command += [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    found = re.search(r"^\s+1\s+\S+\s+[\dx]+\s+\d+\s+([\d,]+)", done.stdout, re.M)
    if done.returncode or not found:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return int(found[1].replace(",", ""))


def say(what, measured, ours):
    print(f"{what}: {measured:.1f} us, here {ours:.1f} ({100 * (ours / measured - 1):+.0f} %)", file=sys.stderr, flush=True)


def mean(numbers):
    return sum(numbers) / len(numbers)


def keep(options, table, group, mhz, rows):
    """Rows (name, measured, ours) of a group, in microseconds, for docs/lab/hopper.csv."""
    if options.write:
        tables.keep(table, group, rows, unit="us", board="H100 SXM", machine="h100-sxm", note=f"{mhz:,} MHz",
                    command=f"bench/hopper/workloads.py --only {table}", made=state_of(options.build))


def attention(options):
    """FlashAttention-3, forward, halves, on an H100 SXM at 1500 MHz; says how many rows there are."""
    found = []
    for row in rows_of(options, "hopper-attention.csv"):
        batch, length, heads, size = (int(row[name]) for name in ("batch", "seqlen", "heads", "head_dim"))
        work = 4e-9 * batch * heads * size * length * length / (2 if row["causal"] == "1" else 1)
        if not row["kernel"].startswith("FlashAttention-3 d80a7710") or work > options.most:
            continue
        ours = cycles_of(options, 1500, ["attention", "--batch", batch, "--sequence", length, "--heads", heads, "--dimension",
                                         size, "--causal", "yes" if row["causal"] == "1" else "no"]) / 1500
        found.append((f"{batch}, {length}, {heads}, {size}{', causal' if row['causal'] == '1' else ''}", float(row["value"]), ours))
        say(*found[-1])
    keep(options, "attention", "FlashAttention-3", 1500, found)
    return len(found)


Product = collections.namedtuple("Product", "by type batch m n k measured work")
TYPES = {"bf16 -> bf16": ["f16", "f16"], "bf16": ["f16", "f16"], "tf32 -> f32": ["tf32", "f32"]}  # ours: --type, --result


def splits(product):
    """Whether a library divides so long a sum of so few tiles among more blocks, and adds up in a kernel of its own. XLA's table
    then has neither's time, nor that of both, but the median of all kernels of five runs (its matmul_perf_table_gen)."""
    return product.batch * product.m * product.n < 66 * 128 * 64 and product.k >= 2048


def products_of(options):
    """Products of batches of matrices by libraries, on an H100 SXM: those that were measured as ours run."""
    for row in rows_of(options, "hopper-gemm.csv"):
        batch, m, n, k = (int(row[name]) for name in ("groups", "m", "n", "k"))
        work, by = 2e-9 * batch * m * n * k, row["library"].split()[0]
        if by in ("XLA", "fast.cu") and "H100" in row["gpu"] and row["dtype"] in TYPES and work <= options.most and m % 256 == 0 == n % 256:
            yield Product(by, row["dtype"], batch, m, n, k, float(row["time_us"]), work)


def forms_of(product):
    """Tiles and clusters that may be the fastest: smaller tiles where they are no more than two for each SM, and blocks alone where
    each SM has one."""
    for tile in (256, 128, 64):
        tiles = product.batch * product.m // 128 * product.n // tile
        if tile == 256 or tiles <= 264:
            yield tile, 2
        if tiles <= 132:
            yield tile, 1


def time_of(options, product):
    """The fastest form of ours, in microseconds, as the libraries' is; matrices are in the L2, as far as there is room for them, as
    they were copied from the host before each run that was measured."""
    numbers, result = TYPES[product.type]
    sizes = ["--batch", product.batch, "--m", product.m, "--n", product.n, "--k", product.k, "--type", numbers, "--result", result]
    return min(cycles_of(options, 1755, ["wsgemm", *sizes, "--tile", tile, "--cluster", cluster], ["memcpy_warms_l2=true"])
               for tile, cluster in forms_of(product)) / 1755


def kind_of(product):
    """The line of the table that a product is counted in."""
    sizes = ((3, "up to 3"), (20, "3 to 20"), (1e9, "more than 20"))
    return f"{product.by}, {product.type} | {next(name for most, name in sizes if product.work <= most)}"


def rank_of(product):
    """Where a product comes in its line's sample: by the shape, never by the measured time."""
    shape = ",".join(map(str, (product.by, product.type, product.batch, product.m, product.n, product.k)))
    return hashlib.sha256(shape.encode()).hexdigest()


def sample(products, most):
    """The first of each line of the table, in the order of their ranks; all of them where `most` is None."""
    counts, chosen = collections.Counter(), []
    for product in sorted(products, key=rank_of) if most is not None else products:
        counts[kind_of(product)] += 1
        if most is None or counts[kind_of(product)] <= most:
            chosen.append(product)
    return sorted(chosen, key=lambda product: product.work) if most is not None else chosen


def products(options):
    """Products of matrices of 16 and 32 bits by libraries, beside wsgemm; says how many rows there are."""
    all_of, kinds, found = list(products_of(options)), {}, {}
    left_out = [product for product in all_of if splits(product)]
    compared = sample([product for product in all_of if not splits(product)], options.sample)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for product, ours in zip(compared, pool.map(lambda product: time_of(options, product), compared)):
            row = f"{product.batch} x {product.m}, {product.n}, {product.k}", product.measured, ours
            say(f"{product.by}, {product.type}, {row[0]}", *row[1:])
            kinds.setdefault(kind_of(product), []).append(ours / product.measured - 1)
            found.setdefault(f"{product.by}, {product.type}", []).append(row)
    for group, rows in found.items():
        keep(options, "products", group, 1755, rows)
    text = summary(kinds, len(left_out))
    if options.write and kinds:
        write_between(tables.LAB / "hopper.md", BEGIN.format("products"), tables.END, [text])
    print(text)
    return len(compared)


def summary(kinds, left_out):
    """The table of products in the page, by the errors of each kind."""
    text = "| by, numbers | 10⁹ operations | rows | mean error | mean of absolute errors | from … to |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    for kind, errors in sorted(kinds.items()):
        low, high = (f"{100 * error:+.0f}" for error in (min(errors), max(errors)))
        text += (f"| {kind} | {len(errors)} | {100 * mean(errors):+.1f} % | {100 * mean([abs(error) for error in errors]):.1f} % | "
                 f"{low} … {high} % |\n")
    errors = [abs(error) for errors in kinds.values() for error in errors]
    return text + (f"\nMean of the absolute errors: {100 * mean(errors):.1f} % of {len(errors)} rows; {left_out} "
                   "long sums of few tiles are left out.\n") if errors else ""


TABLES = {"attention": attention, "products": products}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=140, help="10^9 operations of a row, at most")
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--sample", type=int, help="products of each line of the table")
    parser.add_argument("--jobs", type=int, default=1, help="runs of products at a time")
    parser.add_argument("--set", action="append", default=[], help="as for maniple app run; not with --write")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.set and options.write:
        parser.error("--write is for the machine as it is, without --set")
    for name in [options.only] if options.only else TABLES:
        if not TABLES[name](options):
            sys.exit(f"no row of {name} has at most {options.most:g} thousand million operations (--most)")
    if options.write:
        tables.write()


if __name__ == "__main__":
    main()
