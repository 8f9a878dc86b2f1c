#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Microbenchmarks of clusters (dsm.ptx, beside this file) beside measurements of silicon.

Usage: dsm.py BUILD [MEASUREMENTS.csv] [--machine NAME] [--only pairs,bandwidth,single]
BUILD/bench/bench-dsm is a program of the CUDA driver, which runs in the simulator. MEASUREMENTS.csv has the columns gpu, area, benchmark, parameters, value, unit.
"""
import argparse, csv, json, os, re, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def simulate(build, machine, only):
    """{part: {name: number}}, as the program prints them."""
    out = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "--", f"{build}/bench/bench-dsm",
                          os.path.join(HERE, "dsm.ptx")] + only, check=True, capture_output=True, text=True).stdout
    rows = {}
    for part, name, value in re.findall(r"^(\w+)\|([^|]+)\|([\d.]+)$", out, re.M):
        rows.setdefault(part, {})[name] = float(value)
    return rows


def of_pairs(pairs, parameters):
    """What the simulator has for a row of latencies."""
    m = re.match(r"cluster=(\d+) rank (\d+) \(SM \d+\) -> rank (\d+)", parameters)
    if m:
        return pairs.get(f"{m[1]} {m[2]} {m[3]}")
    m = re.match(r"cluster=(\d+)(?: over pairs: (\w+))?$", parameters)
    if not m:
        return None
    values = [v for k, v in pairs.items() if k.split()[0] == m[1] and k.split()[1] != k.split()[2]]
    return {"min": min, "max": max}.get(m[2], lambda v: sum(v) / len(v))(values) if values else None


NAMES = {"load one way": ("bandwidth", "load one way"), "load, each of two directions": ("bandwidth", "load two ways"),
         "store, each of two directions": ("bandwidth", "store two ways"),
         "store one way": ("bandwidth", "store one way"),
         "load+store opposite directions": ("bandwidth", "load and store opposite"),
         "TMA put, each of two directions": ("bandwidth", "put two ways"),
         "TMA ring put 4 SMs": ("bandwidth", "put ring 4"), "TMA ring put 8 SMs": ("bandwidth", "put ring 8"),
         "TMA ring put 16 SMs": ("bandwidth", "put ring 16"), "TMA ring put 2 SMs": ("bandwidth", "put ring 2"),
         "TMA put one way": ("bandwidth", "put one way"), "train of TMA commands": ("bandwidth", "put one way"),
         "local shared load": ("single", "local load"), "remote arrive end to end": ("single", "remote arrival, by the clock of nanoseconds"),
         "arrive + wait": ("single", "arrive and wait"), "arrive": ("single", "arrive"), "successful try_wait": ("single", "wait"),
         "store + fence, producer side": ("single", "store and fence")}


DOUBLED = {"store, two directions": "store two ways", "TMA, two directions": "put two ways", "load, two directions": "load two ways"}


def ours(rows, row):
    if "remote matrix 16x16, mean" in row["benchmark"]:
        return of_pairs(rows.get("pairs", {}), "cluster=16")
    if "remote matrix, maximum" in row["benchmark"]:
        return of_pairs(rows.get("pairs", {}), "cluster=16 over pairs: max")
    if row["benchmark"] in DOUBLED:
        return 2 * rows["bandwidth"][DOUBLED[row["benchmark"]]] if "bandwidth" in rows else None
    if row["benchmark"] == "TMA put command front end":
        return 128 / rows["bandwidth"]["put of 128 bytes"] if "bandwidth" in rows else None
    if row["benchmark"] in NAMES:
        part, name = NAMES[row["benchmark"]]
        return rows.get(part, {}).get(name)
    if row["unit"] == "cycles" and row["area"] == "dsm":
        return of_pairs(rows.get("pairs", {}), row["parameters"])
    return None


def compare(rows, path, machine):
    """(row of measurements, cycles or bytes per cycle here) of all rows that the program has a number for."""
    gpus = {"h100-pcie": ("H800 PCIe", "H100 PCIe"), "h800-pcie": ("H800 PCIe",), "h200": ("H200", "H200 NVL")}.get(machine, ("H100", "H100 SXM"))
    mine = [row for row in csv.DictReader(open(path))
            if row["gpu"] in gpus and row["area"] in ("dsm", "dsm bandwidth", "mbarrier")]
    return [(row, ours(rows, row)) for row in mine if ours(rows, row) is not None]


def print_table(pairs):
    errors = []
    for row, got in pairs:
        error = got / float(row["value"]) - 1
        errors.append(abs(error))
        print(f"{row['gpu']:10} {row['benchmark'][:44]:44} {row['parameters'][:44]:44} {float(row['value']):8.1f} "
              f"{got:8.1f} {100 * error:6.1f} %")
    if errors:
        print(f"{len(errors)} rows, mean absolute error {100 * sum(errors) / len(errors):.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("measurements", nargs="?")
    parser.add_argument("--machine", default="h100-pcie")
    parser.add_argument("--only", default="pairs,bandwidth,single")
    options = parser.parse_args()
    rows = simulate(options.build, options.machine, options.only.split(","))
    if options.measurements:
        print_table(compare(rows, options.measurements, options.machine))
    else:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
