#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All rows of a table of microbenchmarks of Hopper that a program of ours can be run for, beside what these say, in one table.

Usage: microbenchmarks.py BUILD MEASUREMENTS.csv PROGRAMS [--only AREA,...] [--rows] [--most SECONDS] [--write] [--list]

MEASUREMENTS.csv has the columns gpu, sm, clock_mhz, area, benchmark, parameters, value, unit; PROGRAMS is the folder hopper/ that
bench/programs.sh makes (memory, tma, instructions). --rows prints each row; --list those for which there is no program, and why; --write puts
the rows into docs/lab/hopper.csv and the table into the page.
Numbers are kept in BUILD/hopper.json until the simulator or the program changes. Each line of the table has --most seconds of CPU
time (600): its rows come in turn from all over it, and those that there is no time for are left out, as the table says.
"""
import argparse, csv, json, os, re, subprocess, sys, tempfile

import dsm, memory, products
import tables  # which adds bench/ to the path
from lab_page import state_of, write_between

BEGIN = "<!-- rows, by bench/hopper/microbenchmarks.py -->\n"
MACHINES = {"H800 PCIe": "h800-pcie", "H100 PCIe": "h100-pcie", "H100": "h100-sxm", "H100 SXM": "h100-sxm", "GH200": "h200",
            "H200": "h200", "H200 NVL": "h200"}
COPY = r"blocks=(\d+) of 1 thread, (?:box (\S+) f32, )?([\d.]+) KB per copy"
WARM = ("memcpy_warms_l2=true",)


class No(Exception):
    """Why a row is not compared."""


# ===== what is to be run for a row: (kind, machine, settings, words), and the number of its output made the row's unit =====

def of_shared(row, machine):
    clusters = {"one cluster", ""}
    if row["unit"] in ("GB/s", "TB/s", "us"):
        raise No("the clock of the measurement, or its program, is not stated")
    if row["area"] == "dsm" and row["unit"] == "cycles" and row["parameters"].startswith("cluster="):
        return ("dsm", machine, (), ("pairs",)), lambda out: dsm.ours(out, row)
    if "remote matrix" in row["benchmark"]:
        return ("dsm", machine, (), ("pairs",)), lambda out: dsm.ours(out, row)
    if row["parameters"] in clusters and (row["benchmark"] in dsm.NAMES or row["benchmark"] in dsm.DOUBLED or
                                          row["benchmark"] == "TMA put command front end"):
        part = "single" if dsm.NAMES.get(row["benchmark"], ("bandwidth",))[0] == "single" else "bandwidth"
        return ("dsm", machine, (), (part,)), lambda out: dsm.ours(out, row)
    raise No("no program")


def of_memory(row, machine):
    if row["benchmark"] == "L2 hit near":
        return ("memory", machine, (), ("chase", "1024")), lambda out: out
    if row["benchmark"] == "dummy kernel in a stream" or "graph" in row["benchmark"] and row["area"] == "launch":
        words = ("idle" if "graph" in row["benchmark"] else "nothing", "1")
        return ("memory", machine, (), words), lambda out: out * 1e-3
    words = memory.words_of(row)
    if not words:
        raise No("too large, or no program")
    return ("memory", machine, memory.SETTINGS.get((row["gpu"], words[0]), ()), tuple(words)), lambda out: out


def of_copies(row, machine):
    chain = re.match(r"data set (\d+) kB", row["parameters"])
    copy = re.match(COPY, row["parameters"])
    if row["benchmark"] == "TMA load, dependent chase" and chain:
        return ("tma", machine, WARM, ("chain", chain[1])), lambda out: out[f"chain {chain[1]}"]
    single = re.match(r"TMA load (\d+) KiB, cold", row["benchmark"])
    if single:
        return ("tma", machine, (), ("single", single[1])), lambda out: out[f"single {single[1]}"]
    if not copy or copy[1] not in ("114", "228", "342", "456"):
        raise No("no program")
    rank = 0 if row["benchmark"] == "cp.async.bulk" else int(row["benchmark"][-2])
    each = float(copy[3]) * 1024
    name = f"no map {copy[3]} KiB" if not rank else f"{rank}d {copy[2]}" if rank > 1 else f"1d {each:.0f} bytes"
    mib = {"114": "16", "228": "32", "342": "32", "456": "32"}[copy[1]]

    def milliseconds(out):  # of 4 GiB, each block's copies one after another
        if name not in out:
            raise No("no program")
        return out[name] / 1755e3 * (1 << 32) / each / int(copy[1])
    return ("tma", machine, WARM, ("all", copy[1], mib)), milliseconds


def product(row, machine):
    shape = re.search(r"m64n(\d+)k(\d+)(?: (bf16|f16|e4m3|s8))?(?: (SS|RS))?", f"{row['benchmark']} {row['parameters']}")
    what, kind = row["benchmark"], "RS" if "RS" in f"{row['benchmark']} {row['parameters']}" else "SS"
    if not shape and what != "sparse wgmma RS" and what != "sparse wgmma SS":
        raise No("no program")
    form = f"m64n{shape[1]}k{shape[2]}{shape[3] or 'f16'}" if shape else "m64n256k32f16s"

    def plan(count, how):
        return ("products", machine, (), (form, kind, str(count), how))

    def each(a, b, how="whole"):
        return [plan(a, how), plan(b, how)], lambda x, y: (y - x) / (b - a)
    if what.startswith("one wgmma") or re.match(r"one (SS|RS), issue", what):
        return plan(1, "whole"), lambda out: out
    if what.startswith("commit+wait after each"):
        return each(16, 32, "wait")
    if what.startswith("groups of 8: issue"):
        return each(3, 7, "issue")
    if what.startswith("groups of 8"):
        return plan(8, "groups"), lambda out: out / 8
    if re.match(r"chain of 32 (SS|RS), one accumulator", what):
        return plan(32, "whole"), lambda out: out / 32
    if re.match(r"64 (SS|RS), hand SASS: issue", what):
        return plan(64, "issue"), lambda out: out / 64
    if what.startswith("2 accumulators alternating"):
        return plan(64, "turns"), lambda out: out
    if what == "HGMMA n16 chain alone":
        return plan(64, "whole"), lambda out: out / 64
    if what in ("RS chain issue interval", "sparse wgmma RS", "sparse wgmma SS"):
        return each(32, 64)
    if what.startswith("wgmma m64") and row["unit"] == "cycles":
        return each(32, 64)
    if what.startswith("wgmma m64"):  # of the whole chip
        plans, made = each(32, 64)
        work = 2e-12 * 64 * int(shape[1]) * int(shape[2]) * 114 * 1755e6
        return plans, lambda x, y: work / made(x, y)
    raise No("no program")


BODY = 1024  # instructions of a round
PIPES = {"FFMA without reuse flags (3 sources)": "FFMA", "IMAD/IDP.4A": "IMAD", "DFMA": "DFMA",
         "LDS [RZ]": "LDS", "SHFL 3 sources": "SHFL3"}


def instruction(row, machine):
    name = row["benchmark"]
    if row["area"] == "dpx":
        if re.match(r"vi(b|)max3?_s32_(lat|bw|global_bw)$", name):
            raise No("the compilers of today make other code of it")
        return ("instructions", machine, (), (name,)), lambda out: out[name]
    if name == "HFMA2/HADD2":  # a trace, as the compilers of today make every other one an HFMA2.MMA, for another pipe
        return [("trace", machine, (), ("fma", "opcode=HFMA2", f"body={BODY}", f"rounds={rounds}", "threads=32", "arch=90"))
                for rounds in (2, 3)], lambda two, three: (three - two) / BODY
    if name not in PIPES:
        raise No("no program")
    if name == "LDS [RZ]" and row["parameters"] == "one warp":
        raise No("the compilers of today put four cycles between two")
    warps = 4 if "4 subcores" in row["parameters"] else 1
    key = f"{PIPES[name]} {warps}"
    rate = row["unit"] != "cycles/inst"
    return ("instructions", machine, (), (PIPES[name],)), lambda out: warps / out[key] if rate else out[key]


AREAS = {"dsm": of_shared, "dsm bandwidth": of_shared, "mbarrier": of_shared, "memory": of_memory, "small kernels": of_memory,
         "launch": of_memory, "tma": of_copies, "wgmma": product, "tensor": product, "dpx": instruction,
         "pipe rate": instruction, "MIO rate": instruction}


# ===== running =====

class Runs:
    """Numbers of runs, kept in a file."""

    def __init__(self, options):
        self.options, self.path = options, os.path.join(options.build, "hopper.json")
        self.made = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.made = json.load(file)

    def state(self, kind):
        of = os.path.join(self.options.programs, kind) if kind in ("memory", "tma", "instructions") else \
            f"{self.options.build}/maniple-tracegen" if kind == "trace" else \
            f"{self.options.build}/bench/bench-{'dsm' if kind == 'dsm' else 'kernels'}"
        return [os.path.getmtime(of), os.path.getmtime(f"{self.options.build}/maniple")]

    def has(self, ask):
        return self.made.get(json.dumps(ask), [None])[0] == self.state(ask[0])

    def get(self, ask):
        if not self.has(ask):
            self.made[json.dumps(ask)] = [self.state(ask[0]), self.run(*ask)]
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.made, file)
        return self.made[json.dumps(ask)][1]

    def run(self, kind, machine, settings, words):
        build = self.options.build
        if kind == "dsm":
            return dsm.simulate(build, machine, list(words))
        if kind == "memory":
            found = memory.simulate(build, os.path.join(self.options.programs, kind), machine, list(words), settings)
            return found.get(" ".join(words))
        if kind == "products":
            shape, operand, count, what = words
            return products.simulate(build, machine, [(shape, operand, int(count), what)], settings)[(shape, operand, int(count), what)]
        if kind == "trace":
            return self.trace(machine, words)
        chosen = [word for setting in settings for word in ("--set", setting)] + (["--code", "sass"] if kind == "instructions" else [])
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "-o", out] + chosen +
                                  ["--", os.path.join(os.path.abspath(self.options.programs), kind)] + list(words),
                                  capture_output=True, text=True)
        return {name: float(value) for name, value in re.findall(r"^([A-Za-z0-9_][^:\n]*): ([\d.]+)(?: cycles)?$", done.stdout, re.M)}


    def trace(self, machine, words):
        """Cycles of the kernel of a trace that is generated."""
        build = self.options.build
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([f"{build}/maniple-tracegen", words[0], out] + list(words[1:]), check=True, capture_output=True)
            subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "-o", f"{out}/run", f"{out}/kernelslist.g"],
                           check=True, capture_output=True)
            with open(f"{out}/run/results.json", encoding="utf-8") as file:
                return sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in json.load(file)["kernels"])


def spent():
    """CPU seconds of all runs so far."""
    times = os.times()
    return times.children_user + times.children_system


def number(row, runs, ends):
    """What the row's program says, in its unit."""
    if row["gpu"] not in MACHINES:
        raise No(f"no machine file of a {row['gpu']}")
    asks, made = AREAS[row["area"]](row, MACHINES[row["gpu"]])
    asks = asks if isinstance(asks, list) else [asks]
    if spent() > ends and not all(runs.has(ask) for ask in asks):
        raise No("no time")
    found = [runs.get(ask) for ask in asks]
    if None in found:
        raise No("larger than what the program takes")
    value = made(*found)
    if not value:
        raise No("no program")
    return value


# ===== the table =====

def kind_of(row):
    what = re.sub(r" \(block.*", "", row["benchmark"].split(": ")[0] if row["area"] in ("memory", "small kernels") else "")
    what = {"chained SCALE kernel, 2 x 8 B per element": row["benchmark"].split(": ")[-1]}.get(what, what)
    return f"{row['area']}{', ' + what if what else ''}", row["gpu"]


def spread(rows):
    """Rows of a kind one after another: every eighth, then those between."""
    kinds = {}
    for row in rows:
        kinds.setdefault(kind_of(row), []).append(row)
    return [row for mine in kinds.values() for first in (0, 4, 2, 6, 1, 5, 3, 7) for row in mine[first::8]]


def compare(rows, options):
    """{(kind, gpu): [(row, value)]}, and (row, why) of those without."""
    runs, found, without, ends = Runs(options), {}, [], {}
    for row in spread(rows):
        ends.setdefault(kind_of(row), spent() + options.most)
        try:
            value = number(row, runs, ends[kind_of(row)])
        except No as no:
            without.append((row, str(no)))
            continue
        found.setdefault(kind_of(row), []).append((row, value))
        if options.rows:
            error = value / float(row["value"]) - 1
            print(f"{row['gpu']:10} {row['benchmark'][:44]:44} {row['parameters'][:48]:48} {float(row['value']):9.2f} {value:9.2f} "
                  f"{row['unit']:8} {100 * error:+6.1f} %", flush=True)
    return found, without


def is_pair(row):
    """A latency between two SMs of a cluster, of which the measurements have all pairs."""
    return row["area"] == "dsm" and row["parameters"].startswith("cluster=")


def table(found, without, total):
    text = "| rows | of | number | mean error | mean of absolute errors | largest |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    everything = []
    for (kind, gpu), pairs in found.items():
        errors = [value / float(row["value"]) - 1 for row, value in pairs]
        everything += errors
        text += (f"| {kind} | {gpu} | {len(errors)} | {100 * sum(errors) / len(errors):+.1f} % | "
                 f"{100 * sum(map(abs, errors)) / len(errors):.1f} % | {100 * max(errors, key=abs):+.1f} % |\n")
    if not everything:
        return "no row is compared\n"
    single = [value / float(row["value"]) - 1 for pairs in found.values() for row, value in pairs if not is_pair(row)]
    by_kind = [sum(abs(v / float(r["value"]) - 1) for r, v in p) / len(p) for p in found.values()]
    text += (f"\nMean of the absolute errors: {100 * sum(map(abs, everything)) / len(everything):.1f} % of {len(everything)} rows, "
             f"{100 * sum(map(abs, single)) / max(len(single), 1):.1f} % of the {len(single)} that are no pairs of SMs; "
             f"the mean of these lines' means is {100 * sum(by_kind) / len(by_kind):.1f} %. Of {total} rows {len(without)} are not compared.\n")
    return text


def write(found, text, made):
    """Rows into the file of all of them, the table into the page."""
    for (kind, gpu), pairs in found.items():
        for unit in dict.fromkeys(row["unit"] for row, _ in pairs):
            rows = [(f"{row['benchmark']}, {row['parameters']}", float(row["value"]), value) for row, value in pairs if row["unit"] == unit]
            tables.keep("microbenchmarks", f"{kind}, {gpu}", rows, unit=unit, board=gpu, machine=MACHINES[gpu],
                        command="bench/hopper/microbenchmarks.py", made=made)
    write_between(tables.LAB / "hopper.md", BEGIN, tables.END, [text])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("measurements")
    parser.add_argument("programs")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--most", type=float, default=600)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with open(options.measurements, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not options.only or row["area"] in options.only.split(",")]
    unknown = [(row, "no program") for row in rows if row["area"] not in AREAS]
    found, without = compare([row for row in rows if row["area"] in AREAS], options)
    text = table(found, without + unknown, len(rows))
    if options.list:
        for row, why in without + unknown:
            print(f"{row['gpu']}: {row['benchmark']}, {row['parameters']}: {why}")
    print(text)
    if options.write:
        write(found, text, state_of(options.build))


if __name__ == "__main__":
    sys.exit(main())
