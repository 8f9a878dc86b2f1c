#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Microbenchmarks of clusters (dsm.ptx, beside this file) beside measurements of silicon.

Usage: dsm.py BUILD [MEASUREMENTS.csv] [--machine NAME] [--only pairs,bandwidth,single]
The program runs itself inside the simulator, once per machine: `maniple run -- python3 dsm.py --inside …` speaks to the
CUDA driver, as it would on a GPU. MEASUREMENTS.csv has the columns gpu, area, benchmark, parameters, value, unit.
"""
import argparse, csv, ctypes, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
LOADS, SHARED = 64, 98304


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.module, context, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        with open(os.path.join(HERE, "dsm.ptx"), "rb") as file:
            self.call("cuModuleLoadData", ctypes.byref(self.module), file.read() + b"\0")
        self.out = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(self.out), 4096)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            sys.exit(f"{name}: status {status}")

    def run(self, kernel, cluster, threads, *numbers, clusters=1):
        """The numbers that a launch of clusters leaves."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        self.call("cuFuncSetAttribute", function, 8, SHARED)  # bytes of dynamic shared memory
        self.call("cuFuncSetAttribute", function, 14, 1)      # clusters of more than eight
        attribute = Attribute(id=4)
        attribute.value[0:3] = [cluster, 1, 1]
        config = Config((ctypes.c_uint * 3)(cluster * clusters, 1, 1), (ctypes.c_uint * 3)(threads, 1, 1), SHARED, None,
                        ctypes.pointer(attribute), 1)
        values = [self.out] + [ctypes.c_uint(n) for n in numbers]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
        words = (ctypes.c_uint * 1024)()
        self.call("cuMemcpyDtoH_v2", words, self.out, 4096)
        return list(words)


def latencies(device, sizes):
    rows = {}
    for size in sizes:
        cycles = device.run("pairs", size, 32, LOADS)
        for i in range(size):
            for j in range(size):
                rows[f"{size} {i} {j}"] = cycles[i * size + j] / LOADS
    return rows


def rate(device, size, step, readers, writers):
    """Bytes per cycle of each CTA that moves something: the slope between two sizes."""
    few, many = (max(device.run("stream", size, 1024, n, step, readers, writers)[:size]) for n in (16384, SHARED))
    return (SHARED - 16384) / (many - few)


def bandwidths(device):
    rows = {"load one way": rate(device, 2, 1, 1, 0), "load two ways": rate(device, 2, 1, 3, 0),
            "store one way": rate(device, 2, 1, 0, 1), "store two ways": rate(device, 2, 1, 0, 3),
            "load and store opposite": 2 * rate(device, 2, 1, 1, 2)}
    for size in (4, 8, 16):
        rows[f"load ring {size}"] = size * rate(device, size, 1, (1 << size) - 1, 0)
    return rows


def singles(device):
    names = ["arrive", None, "arrive and wait", "remote arrival", "store and fence", "cluster barrier", "local load"]
    rows = {}
    for what, name in enumerate(names):
        few, many = (device.run("single", 2, 32, what, n)[0] for n in (8, 72))
        if name:
            rows[name] = (many - few) / 128
    return rows


def inside(only):
    device, rows = Device(), {}
    if "pairs" in only:
        rows["pairs"] = latencies(device, (2, 3, 4, 8, 12, 16))
    if "bandwidth" in only:
        rows["bandwidth"] = bandwidths(device)
    if "single" in only:
        rows["single"] = singles(device)
    print("ROWS " + json.dumps(rows))


def simulate(build, machine, only):
    out = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "--", os.path.realpath(sys.executable),
                          os.path.abspath(__file__), "--inside", ",".join(only)], check=True, capture_output=True,
                         text=True).stdout
    return json.loads(re.search(r"^ROWS (.*)$", out, re.M)[1])


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
         "local shared load": ("single", "local load"), "remote arrive end to end": ("single", "remote arrival"),
         "arrive + wait": ("single", "arrive and wait"), "arrive": ("single", "arrive"),
         "store + fence, producer side": ("single", "store and fence")}


def ours(rows, row):
    if "remote matrix 16x16, mean" in row["benchmark"]:
        return of_pairs(rows.get("pairs", {}), "cluster=16")
    if "remote matrix, maximum" in row["benchmark"]:
        return of_pairs(rows.get("pairs", {}), "cluster=16 over pairs: max")
    if row["benchmark"] == "store, two directions":
        return 2 * rows["bandwidth"]["store two ways"] if "bandwidth" in rows else None
    if row["benchmark"] in NAMES:
        part, name = NAMES[row["benchmark"]]
        return rows.get(part, {}).get(name)
    if row["unit"] == "cycles" and row["area"] == "dsm":
        return of_pairs(rows.get("pairs", {}), row["parameters"])
    return None


def compare(rows, path, machine):
    gpus = {"h100-pcie": ("H800 PCIe", "H100 PCIe"), "h200": ("H200", "H200 NVL")}.get(machine, ("H100", "H100 SXM"))
    errors = []
    for row in csv.DictReader(open(path)):
        if row["gpu"] not in gpus or row["area"] not in ("dsm", "dsm bandwidth", "mbarrier"):
            continue
        got = ours(rows, row)
        if got is None:
            continue
        error = got / float(row["value"]) - 1
        errors.append(abs(error))
        print(f"{row['gpu']:10} {row['benchmark'][:44]:44} {row['parameters'][:44]:44} {float(row['value']):8.1f} "
              f"{got:8.1f} {100 * error:6.1f} %")
    if errors:
        print(f"{len(errors)} rows, mean absolute error {100 * sum(errors) / len(errors):.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?")
    parser.add_argument("measurements", nargs="?")
    parser.add_argument("--machine", default="h100-pcie")
    parser.add_argument("--only", default="pairs,bandwidth,single")
    parser.add_argument("--inside")
    options = parser.parse_args()
    if options.inside:
        inside(options.inside.split(","))
        return
    rows = simulate(options.build, options.machine, options.only.split(","))
    if options.measurements:
        compare(rows, options.measurements, options.machine)
    else:
        print(json.dumps(rows, indent=1))


main()
