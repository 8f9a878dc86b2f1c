#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits the energies of machines (energy.*, docs/energy.md) to measured power: least squares with bounds, cross-validated.

Usage: energy_fit.py MANIPLE TRACEGEN SILICON [--work DIR] [--only FAMILY | --check | --v100 RUNS | --attention RUNS]
SILICON holds roofline-power.csv and kernel-power.csv (docs/lab/energy.md says what they are). `make energy-fit MEASUREMENTS=DIR` calls it.

A row of silicon is watts = sum over events of (energy x events per second) + static power. Events per second are those of a simulated
kernel for a unit of its work, times the rate of work that was measured with the watts; products and attention, whose kernels are
not public, have events by arithmetic from their shapes (products(), attention()). Two steps for each family of boards:

1. multipliers of groups of energies (SM, memory, tensor cores, static), by non-negative least squares;
2. single energies around these, each between a third and three times its place, with a ridge of 30 % towards it.

The first guess of each energy (PRIOR) is a published one, scaled to 7 nm. What no row tells apart keeps the
proportions of the first guess. The uncertainty of an energy is its standard deviation with the rows' error (SIGMA) and the ridge.
Only the standard library is used; all of it is deterministic."""
import argparse
import collections
import csv
import hashlib
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys

import energy_attention
import energy_meter as meter

SIGMA = 0.04  # of a row, relative: boards of one kind differ by 8.5 % between the thriftiest and the hungriest
RIDGE, BOUND = 0.3, 3.0
STATIC_RIDGES = {"static": 0.15, "active": 0.4}
B200_IDLE = 1.86  # the least power of any kernel there, by that of the H200: 246 and 132 W
CURVE_LOW, CURVE_HIGH = 0.855, 0.965
SLOPE = 0.2  # of the voltage by the clock, both as shares of the highest, of boards of kernel-power.csv: chosen on half of an H200's products
LEAKAGE, LEAKAGE_AT = 0.008, 50  # energy.leakage: of the static power of SMs and L2 for a degree above 50
FJ, MW = 1e-15, 1e-3
ROOT = pathlib.Path(__file__).resolve().parent.parent

# What is fitted together: rows of silicon by GPU, the machine that is simulated, and keys that make it the board measured.
FAMILIES = {
    "a100": ("A100-SXM4-40GB", "a100-sxm-40gb", 80, []),
    "l40": ("L40", "l40", 86, []),
    "h200": ("H200", "h200", 90, []),
}
# What a forecast of a family without its rows knows: its memory and stacks (chips) of it, process, clock, SMs, and 10^9 transistors (NVIDIA's white papers).
Kind = collections.namedtuple("Kind", "memory stacks process clock sms transistors")
KINDS = {"a100": Kind("HBM", 5, "7 nm", 1410e6, 108, 54.2), "h200": Kind("HBM", 6, "5 nm", 1980e6, 132, 80),
         "l40": Kind("GDDR", 24, "5 nm", 2490e6, 142, 76.3), "b200": Kind("HBM", 8, "N4P", 1965e6, 148, 208),
         "v100": Kind("HBM", 4, "16 nm", 1447e6, 80, 21.1)}
# TSMC of its 5 nm by its 7 nm (IEDM 2019): 0.7 of the power at the same speed, or 1.15 of the speed at the same power; of its N4P by its 5 nm
# (26 October 2021): 22 % less. TSMC's 12 nm are its 16 nm; the energy of an operation there by that in 7 nm is 1.83 at the same voltage of 0.8 to
# 1 V (Stillmaker and Baas, Integration 58, 2017, table 5).
NODE_POWER, NODE_SPEED = 0.7, 1.15
PROCESSES = {"16 nm": 1.83, "7 nm": 1, "5 nm": NODE_POWER, "N4P": NODE_POWER * 0.78}  # power at the same speed
# Boards of kernel-power.csv: their name there, SMs, sustained clock, bytes of L2, the rows of an operand that the tensor cores of an SM
# multiply at a time, and SMs that share the other operand (src/gpu/sm/wgmma, tcgen05).
LIBRARY = {"h200": ("H200 SXM", 132, 1980e6, 50e6, 64, 1), "b200": ("B200", 148, 1965e6, 126e6, 128, 2)}
SUMS_IN_REGISTERS = ("H200 SXM",)
BELOW = 0.9  # of the power limit; above, the clock falls
FELL = 1.08  # time by that of a short run, from which on the clock has fallen: other differences are 2 to 4 %
BLOCK, ROWS = 128, 64  # keys and queries of a tile of attention
# Events beside the products, of a tile of queries and of a score: two simulations with 1 and 8 or 16 tiles of keys for one of queries
# (docs/lab/energy.md), of the machine code of vLLM's wheel (FlashAttention-3, and kernels that write the cache and join splits) on an H200,
# and of our own kernels where the library's are not public; without sums of the products (add_sums).
TILE_EVENTS = {"H200 SXM": {"instruction": (5450, 0.33), "fetch.l0": (1010, 0.042), "control": (1270, 0.035), "register.read": (102000, 20),
                            "register.write": (128000, 8.3), "int": (67400, 2.1), "imad": (27000, 1.1), "fp32": (473, 3.1), "half": (4180, 0.5),
                            "sfu": (877, 1), "special": (10700, 0.68)},
               "B200": {"instruction": (3140, 0.61), "fetch.l0": (483, 0.077), "control": (213, 0.012), "register.read": (152000, 21.3),
                        "register.write": (103000, 4.3), "int": (71000, 9.8), "imad": (5160, 0.08), "fp32": (1900, 6.2), "half": (4100, 0.5),
                        "sfu": (820, 1.03), "special": (3900, 0.63)}}
FIRST_OF_CALL = "reshape_and_cache_flash"  # the first kernel of a call of vLLM's wheel
SHORTEST, TILE_SECONDS = 4e-6, 3.3e-6
ATTENTION_READS = {"H200 SXM": (4e12, 2.75e12), "B200": (6.8e12, 4.7e12)}  # bytes per second of a cache of bf16 and of fp8
ATTENTION_RATES = {"H200 SXM": 550e12, "B200": 1100e12}
LEAST_SEEN = {"h200": 132, "b200": 246}  # watts: the least of kernel-power.csv
FEW, MANY = 100, 400  # operations for a byte of DRAM: of products that move weights, and of those that compute
GROUPS = {
    "static": ("static.sm", "static.l2", "static.dram", "static.board", "dram.refresh"),
    "active": ("sm.active",),
    "memory": ("noc", "l2.sector", "l2.link", "dram.activate", "dram.read", "dram.write", "l1.tags", "l1.sector"),
    "tensor": ("tensor.bits64", "tensor.bits32", "tensor.bits16", "tensor.bits8", "tensor.bits4", "shared", "tma", "tmem"),
}
DRAM = ("dram.activate", "dram.read", "dram.write", "dram.refresh", "static.dram", "static.board")


# First guesses, in femtojoules and milliwatts, for 7 nm: arithmetic, registers and caches of Horowitz (ISSCC 2014, 45 nm) by a quarter;
# instructions of Dally (Hot Chips 2023); HBM of O'Connor et al. (MICRO 2017); wires and L2 of Chatterjee et al. (HPCA 2017);
# boards without work as nvidia-smi shows them. Only their proportions matter where rows tell the sum.
PRIOR = {
    "instruction": 24000, "fetch.l0": 12000, "fetch.l1": 60000, "control": 20000, "register.read": 700,
    "register.write": 900, "int": 800, "imad": 2400, "fp32": 2400, "half": 2400,
    "fp64": 9600, "sfu": 6000, "convert": 3000, "special": 2000, "tensor.bits64": 2600000,
    "tensor.bits32": 640000, "tensor.bits16": 320000, "tensor.bits8": 170000, "tensor.bits4": 90000, "shared": 60000,
    "tmem": 60000, "l1.tags": 20000, "l1.sector": 30000, "constant": 20000, "tma": 40000,
    "sm.active": 200000, "noc": 1600, "l2.sector": 120000, "l2.link": 4000, "dram.activate": 900000,
    "dram.read": 1000000, "dram.write": 1000000, "dram.refresh": 20000000, "static.sm": 150, "static.l2": 8000,
    "static.dram": 10000, "static.board": 25000}


# Kernels of v100-power.csv, by the sources of AccelWattch's programs that repeat them (docs/lab/energy.md): a part of each one's name.
V100 = {"fastWalshTransform_k1": "fwtBatch2Kernel", "fastWalshTransform_k2": "fwtBatch1Kernel", "kmeans_k1": "kmeansPoint",
        "quasirandomGenerator_k1": "quasirandomGeneratorKernel", "quasirandomGenerator_k2": "inverseCNDKernel",
        "mergeSort_k1": "mergeElementaryIntervalsKernel", "mergeSort_k2": "mergeSortSharedKernel", "sobolQRNG_k1": "sobolGPU_kernel",
        "pathfinder_k1": "dynproc_kernel", "srad_v1_k1": "4srad", "cudaTensorCoreGemm_k1": "compute_gemm"}
V100_TEMPERATURE = 65  # at which AccelWattch's profiler reads the board (profile_validation_power.sh)
V100_PROCESS = 1.5  # first guess of its chip's energies, by those of an A100
# Events whose energy follows values (src/gpu/energy/rows.c): what is counted, what toggles of it, and the share of the energy (energy.toggles).
VALUES = {**{key: ([f"lanes_{key}"], [f"activity_{key}"], 0.6) for key in ("int", "imad", "fp32", "half", "fp64", "sfu", "convert")},
          **{f"tensor.bits{bits}": ([f"tensor_operations_{bits}"], [f"activity_tensor_{bits}"], 0.6) for bits in (64, 32, 16, 8, 4)},
          "register.read": (["register_reads"], ["activity_reads"], 0.5), "register.write": (["register_writes"], ["activity_writes"], 0.5),
          "shared": (["shared_accesses", "shared_conflict_cycles"], ["activity_shared"], 0.5),
          "l1.sector": (["L1D_total_cache_accesses"], ["activity_global"], 0.5),
          "fetch.l0": (["L0I_total_cache_accesses"], ["activity_fetch"], 0.5),
          "noc": (["noc_sm_to_gpc_bytes", "noc_gpc_to_partition_bytes", "noc_gpc_to_sm_bytes", "noc_partition_to_gpc_bytes"],
                  ["activity_requests", "activity_gpc_requests", "activity_gpc_replies", "activity_replies"], 0.5),
          "l2.sector": (["L2_total_cache_accesses", "L2_fills", "L2_writebacks"], ["activity_l2"], 0.5),
          "dram.read": (["total_dram_reads"], ["activity_dram_reads"], 0.5), "dram.write": (["total_dram_writes"], ["activity_dram_writes"], 0.5)}


def group_of(key):
    return next((name for name, keys in GROUPS.items() if key in keys), "sm")


# ===== the model, as the program has it =====

def formulas():
    """Statistics of GPUs and the keys that weigh them, from the page that is made from the models."""
    text = (ROOT / "docs/statistics-energy.md").read_text().split('(machines of kind "gpu")', 1)[1].split("\n### ", 1)[0]
    weights = collections.defaultdict(list)
    for line in text.splitlines():
        if line.startswith("| `energy_"):
            for key, statistic in re.findall(r"`energy\.([a-z0-9.]+)` × `([A-Za-z0-9_]+)`", line):
                if key in PRIOR:
                    weights[key].append(statistic)
    return dict(weights)


class Model:
    def __init__(self, maniple, tracegen, work):
        self.maniple, self.tracegen, self.work = maniple, tracegen, pathlib.Path(work)
        self.weights = formulas()
        self.prior = {key: float(value) for key, value in PRIOR.items()}
        self.keys = sorted(self.prior)

    def events(self, machine, arch, settings, kind, *words):
        """Events of a simulated trace by key of their energy, and its seconds."""
        folder = self.work / "-".join([kind, str(arch), *words]).replace("=", "")
        if not (folder / "kernelslist.g").exists():
            subprocess.run([self.tracegen, kind, folder, f"arch={arch}", *words], check=True, stdout=subprocess.DEVNULL)
        kept = self.work / ("-".join([machine, *settings, folder.name]) + ".json")
        if not kept.exists():
            done = subprocess.run([self.maniple, "run", "-q", "--machine", machine, "--energy", "--format", "json",
                                   *[word for each in settings for word in ("--set", each)], folder / "kernelslist.g"],
                                  check=True, capture_output=True, text=True)
            kept.write_text(done.stdout)
        statistics = json.loads(kept.read_text())["total"]["statistics"]
        found = {key: sum(statistics[name]["value"] for name in names) for key, names in self.weights.items()}
        return found, statistics["energy_time"]["value"] * 1e-12


def static_rates(sms, clock):
    """Per second, in the units of a row: energies are femtojoules, powers milliwatts."""
    return {"static.sm": sms * MW, "static.l2": MW, "static.dram": MW, "static.board": MW, "sm.active": sms * clock * FJ}


# ===== rows of silicon: name, watts, events per second by key =====

# Of products: `read`, what the meter showed; `limit`, of the board; `shape`, m, n, k; `seconds`, of a launch.
Row = collections.namedtuple("Row", "name group watts rates clock temperature read limit shape seconds", defaults=(None,) * 4)
LIMITED, CLOCK_FELL, FIRST = ", limited", ", limited, read below", ", what ran before is half of it"


def roofline(model, silicon, family):
    """Streaming kernels: events of an element are those of longer traces less those of shorter ones, linear in its FFMA."""
    gpu, machine, arch, settings = FAMILIES[family]
    shown = subprocess.run([model.maniple, "machine", "show", machine], check=True, capture_output=True, text=True).stdout
    sms = int(re.search(r"sm: \{.*?count = (\d+)", shown, re.DOTALL)[1])
    per, refreshes = {}, 0
    for fma in (0, 64):
        short, time = model.events(machine, arch, settings, "roofline", f"fma={fma}", "pairs=8", "blocks=32")
        long, longer = model.events(machine, arch, settings, "roofline", f"fma={fma}", "pairs=24", "blocks=32")
        elements = 32 * 256 * 2 * 16
        per[fma] = {key: (long[key] - short[key]) / elements for key in long}
        refreshes = (long["dram.refresh"] - short["dram.refresh"]) / (longer - time)
    rows = []
    for each in csv.DictReader((silicon / "roofline-power.csv").open()):
        if each["gpu"] != gpu:
            continue
        fma, rate, clock = int(each["iterations"]), float(each["gb_s"]) * 1e9 / 8, float(each["clock_mhz"]) * 1e6
        rates = {key: (per[0][key] + fma * (per[64][key] - per[0][key]) / 64) * rate * FJ for key in per[0]}
        rates["dram.refresh"] = refreshes * FJ
        rates.update(static_rates(sms, clock))
        warmer = 1 + LEAKAGE * (float(each["temperature_c"]) - LEAKAGE_AT)
        rates["static.sm"], rates["static.l2"] = warmer * rates["static.sm"], warmer * rates["static.l2"]
        rows.append(Row(f"{gpu} {each['device_index']} fma {fma}", each["device_index"], float(each["power_w"]), rates, clock,
                        float(each["temperature_c"])))
    return rows


def up(value, unit):
    return -(-value // unit) * unit


def moved(rates, to_sm, dram, written):
    """Adds bytes that come from the L2 to SMs through TMA, bytes read from DRAM, and bytes written to both."""
    for key, amount in (("noc", 2.25 * (to_sm + written) + 0.5 * to_sm), ("tma", (to_sm + written) / 128),
                        ("l2.sector", (to_sm + dram + 2 * written) / 32), ("dram.read", dram / 32), ("dram.write", written / 32),
                        ("dram.activate", (dram + written) / 1024)):
        rates[key] = rates.get(key, 0) + amount


def reread(tokens, weights, k, size, at_a_time):
    """Bytes of operands that tiles read from DRAM in all, when each wave of tiles reads its rows of both once. `tokens`, `weights`: rows
    and tiles along both operands; `at_a_time`: tiles of a wave, which lie so that the fewest bytes are read."""
    (rows, across), (more, down) = tokens, weights
    fewest = min(rows * -(-down // max(1, at_a_time // high)) + more * -(-across // high) for high in range(1, min(across, at_a_time) + 1))
    return fewest * k * size


def add_sums(rates, operations, size, board):
    """Words of sums that products of a warpgroup read from registers and write there, for each 32 bytes of k; Blackwell has tensor memory."""
    if board[0] in SUMS_IN_REGISTERS:
        for key in ("register.read", "register.write"):
            rates[key] += operations * size / 64


def product(each, board):
    """C[m, n] = A[m, k] W[n, k]^T. A tile has two heights of the tensor cores in rows of W, one where A has few, and as few of A as the
    fewest tiles of at most 256 need, in eights: the libraries' kernels are named so (nvjet_tst_64x8, 128x8, 64x48, 128x256, 256x160 of
    two SMs). It reads its rows of both operands once from the L2; the tensor cores read them from shared memory for each height, two SMs
    that share them half of A's each. From DRAM they come once for each wave of tiles: what the L2 held of the wave before has gone."""
    sms, high, together = board[1], *board[4:]
    m, n, k = (int(each[name]) for name in "mnk")
    size = 2 if each["types"] == "bf16" else 1
    across = -(-m // 256)
    rows, deep = up(-(-m // across), 8), high if m <= 64 else 2 * high
    own = rows if m <= 64 else rows / together
    operations = 2 * across * rows * up(n, deep) * k
    passes, tiles = (across * up(n, deep) / part for part in (high, deep))
    rates = {"tensor.bits16" if size == 2 else "tensor.bits8": operations / 512, "shared": passes * (high + own) * k * size / 128,
             "register.read": 6 * m * n, "register.write": 4 * m * n, "int": 3 * m * n, "fp32": m * n, "instruction": 8 * m * n / 32}
    add_sums(rates, operations, size, board)
    fresh = reread((m, across), (n, up(n, deep) // deep), k, size, sms // together)
    moved(rates, tiles * (rows + deep) * k * size, fresh, 2 * m * n)
    return rates


# Of attention: sequences, their queries and keys, heads, heads of keys, numbers of a head, window (0: none), whether the cache is fp8.
Attention = collections.namedtuple("Attention", "batch query context heads kv_heads size window fp8")
# The one library for a board whose products stay those of bf16 where the cache is fp8: it takes heads of 192 numbers, which FlashInfer does not.
TRITON = ("B200", 192)


def multiplies_fp8(shape, board):
    """Whether both products are of fp8: the collector gives FlashAttention and FlashInfer queries of the cache's type, but not Triton's."""
    return shape.fp8 and (board[0], shape.size) != TRITON


def attention_of(each):
    return Attention(*(int(each[name] or 0) for name in ("batch", "query", "context", "heads", "kv_heads", "head_dim", "window")),
                     each["types"].endswith("fp8"))


def attention_tiles(shape):
    """Tiles of queries, tiles of keys that all of these meet, rows of a tile, and keys that are copied. A tile has up to 2 ROWS queries times
    the heads that share keys, and BLOCK keys. One that the window or the diagonal cuts is computed whole; the last one is copied as far as
    there are keys."""
    group, behind = shape.heads // shape.kv_heads, shape.context - shape.query
    rows = shape.query * group
    deep = ROWS if rows <= ROWS else 2 * ROWS
    tiles, steps, keys = -(-rows // deep), 0, 0
    for i in range(tiles):
        last = behind + min(shape.query, -(-(i + 1) * deep // group))
        first = max(0, behind + i * deep // group - shape.window + 1) // BLOCK * BLOCK if shape.window else 0
        steps += -(-(last - first) // BLOCK)
        keys += min(shape.context, up(last, BLOCK)) - first
    alike = shape.batch * shape.kv_heads
    return alike * tiles, alike * steps, deep, alike * keys


def attention(shape, board):
    """Events of a launch: two products for each tile of queries and keys, and what the library's kernel, or ours in its form (flash_hopper.cu),
    counts beside them in a simulation, for a tile of queries and for a score. A cache that the L2 holds stays there from launch to launch."""
    sms, (l2, high) = board[1], board[3:5]
    tiles, steps, deep, keys = attention_tiles(shape)
    cached, seen = 1 if shape.fp8 else 2, min(shape.context, shape.window or shape.context)
    size = 1 if multiplies_fp8(shape, board) else 2
    scores = steps * deep * BLOCK
    operations, copied = 4 * scores * shape.size, 2 * keys * shape.size * cached
    rates = {"tensor.bits8" if size == 1 else "tensor.bits16": operations / 512,
             "shared": operations * size * (high + 256) / (4 * high * 256 * 64) + copied / 128}
    for key, (of_tile, of_score) in TILE_EVENTS[board[0]].items():
        rates[key] = of_tile * max(tiles, min(steps, sms)) + of_score * scores
    add_sums(rates, operations, size, board)
    cache, queries = 2 * shape.batch * shape.kv_heads * seen * shape.size * cached, 2 * shape.batch * shape.heads * shape.query * shape.size
    moved(rates, copied + queries, cache + queries if cache > l2 else 0, queries)
    return rates


def without_numbers(rates):
    """The same of a cache of zeros: queries toggle alone, which are one of the six operands and results of the two products."""
    share = {"tensor.bits16": 5 / 6 * 0.6, **dict.fromkeys(("fp32", "half", "sfu", "special"), 0.6), **dict.fromkeys(
        ("register.read", "register.write", "shared", "l2.sector", "noc", "dram.read", "dram.write"), 0.5)}  # energy.toggles
    return {key: amount * (1 - share.get(key, 0)) for key, amount in rates.items()}


def attention_seconds(shape, board):
    """About what a launch takes, for kernels that no row has: they matter for what the meter shows of the next ones alone."""
    tiles, steps, deep, _ = attention_tiles(shape)
    cache = 2 * shape.batch * shape.kv_heads * min(shape.context, shape.window or shape.context) * shape.size * (1 if shape.fp8 else 2)
    return max(SHORTEST, cache / ATTENTION_READS[board[0]][shape.fp8] + SHORTEST, tiles * TILE_SECONDS / board[1],
               4 * steps * deep * BLOCK * shape.size / ATTENTION_RATES[board[0]])


def remark_of(each, product_shape):
    """What a row of kernel-power.csv tells of the power that was drawn."""
    watts, limit = float(each["power_w"]), float(each["power_limit_w"])
    longer = float(each["time_us"]) / float(each["short_us"]) if each["short_us"] else 1
    if watts >= BELOW * limit:
        return LIMITED, longer
    if longer >= FELL:
        return CLOCK_FELL, longer
    return FIRST if product_shape and meter.comes_first(*product_shape[1:]) else "", longer


def library(silicon, family, idle, operations=("gemm", "prefill attention", "decode attention")):
    """Rows of kernel-power.csv. The clock of a product follows from its time in a short run, where nothing limits it. A product whose
    clock fell drew the limit, whatever was read. Of others, the watts are those with which the meter shows what was read
    (energy_meter.py); `idle`: watts of the board without work."""
    board = LIBRARY[family]
    name, sms, highest = board[:3]
    rows = []
    for i, each in enumerate(csv.DictReader((silicon / "kernel-power.csv").open())):
        operation, types = each["operation"], each["types"]
        if each["gpu"] != name or operation not in operations or types.startswith("fp8"):
            continue
        shape = tuple(int(each[size]) for size in "mnk") if operation == "gemm" else None
        remark, longer = remark_of(each, shape)
        if remark == LIMITED and not each["short_us"]:
            continue
        seconds, watts, limit = float(each["time_us"]) * 1e-6, float(each["power_w"]), float(each["power_limit_w"])
        drawn = limit if remark == CLOCK_FELL else watts
        if remark == "" and shape:
            drawn = meter.drawn_by(watts, idle, shape, seconds, meter.BOARDS[family])
        clock = highest / max(1, longer) if remark in (LIMITED, CLOCK_FELL) else highest
        amounts = product(each, board) if shape else attention(attention_of(each), board)
        rates = {key: amount / seconds * FJ for key, amount in amounts.items()}
        rates.update(static_rates(sms, clock))
        rows.append(Row(f"{name} {operation} {types} {i}", f"{operation} {types}{remark}", drawn, rates, clock, 60, watts, limit, shape,
                        seconds))
    return at_voltage(rows, limit_curve(highest))


def limit_curve(highest):
    """The voltage curve of boards whose rows are at the power limit: (Hz, share of the highest voltage)."""
    return [(highest / 2, 1 - SLOPE / 2), (highest, 1.0)]


def idle_power(family, x):
    """Watts of a board without work."""
    board = LIBRARY[family]
    return sum(rate * x[key] for key, rate in static_rates(board[1], board[2]).items() if key in GROUPS["static"])


def small_power(family, x, m, n):
    """Watts of the small products before the first of an m and n: out of the L2, and as long as an SM writes half a sector in a cycle."""
    board, watts = LIBRARY[family], 0
    for m, n, k in meter.small_products(m, n):
        seconds = max(meter.SMALL_SECONDS, 2 * (m * n + n * k + m * k) / (16 * board[1] * board[2]))
        rates = {key: amount / seconds * FJ for key, amount in product({"m": m, "n": n, "k": k, "types": "bf16"}, board).items()
                 if not key.startswith("dram.")}
        rates.update(static_rates(board[1], board[2]))
        watts += sum(rate * x[key] for key, rate in rates.items()) / len(meter.SMALL)
    return watts


def shown(row, x, family):
    """What the meter shows of a product that draws what the model says, at most the power limit."""
    return meter.reading(min(predict(row, x), row.limit), idle_power(family, x), small_power(family, x, *row.shape[:2]), row.shape,
                         row.seconds, meter.BOARDS[family])


def below(rows, x, family):
    """Of products that read below BELOW of the limit, the mean of |ln|: by the watts that were drawn, where these are known; by what
    the meter shows of the model's; and as if it showed what is drawn. Each with the number of rows."""
    chosen = [row for row in rows if row.group.startswith("gemm") and not row.group.endswith(LIMITED)]
    known = [row for row in chosen if not row.group.endswith(FIRST)]
    wrong = ([math.log(min(predict(row, x), row.limit) / row.watts) for row in known],
             [math.log(shown(row, x, family) / row.read) for row in chosen],
             [math.log(predict(row, x) / row.read) for row in chosen])
    return [(len(of), sum(map(abs, of)) / len(of), sum(of) / len(of)) for of in wrong]


def attention_below(silicon, family, x, prompts, events=attention):
    """Of attention that reads below BELOW of the limit, |ln| of what the meter shows of the model's watts by the reading, and of these alone; and
    the half of each row by a hash. Kernels that no row has run, too, as the collector repeats them."""
    board = LIBRARY[family]
    name, sms, highest, limit = board[0], *board[1:3], None
    fixed = sum(rate * x[key] for key, rate in static_rates(sms, highest).items())

    def watts(shape, seconds):
        return fixed + sum(amount * x[key] for key, amount in events(shape, board).items()) / seconds * FJ

    rows = {}
    for each in csv.DictReader((silicon / "kernel-power.csv").open()):
        if each["gpu"] == name and each["operation"] == ("prefill attention" if prompts else "decode attention"):
            limit = float(each["power_limit_w"])
            rows[attention_of(each)] = float(each["time_us"]) * 1e-6, float(each["power_w"])
    kernels, places = [], {}
    for batch, length, *heads in energy_attention.tasks(prompts, family == "b200"):
        shape = Attention(batch, length if prompts else 1, length, *heads)
        seconds = rows[shape][0] if shape in rows else attention_seconds(shape, board)
        if shape in rows:
            places[shape] = len(kernels)
        kernels.append((batch, seconds, min(limit, watts(shape, seconds))))
    chosen = {shape: read for shape, (_, read) in rows.items() if read < BELOW * limit}
    shown = energy_attention.readings(kernels, {places[shape] for shape in chosen}, LEAST_SEEN[family])
    return [(math.log(shown[places[shape]] / read), math.log(watts(shape, rows[shape][0]) / read),
             hashlib.sha256(repr(tuple(map(int, shape))).encode()).digest()[-1] % 2) for shape, read in chosen.items()]


def print_events(model, folder):
    """Energy of the chip without clocks and static power, of simulated kernels and by their shapes: folders of runs of maniple-layers, or of
    vLLM's wheel (bench/models/vllm_attention.py), named by machine, kind, sequences, keys, heads, heads of keys and numbers of a head
    (h200-prefill-1-2048-16-2-128)."""
    for file in sorted(folder.glob("*/results.json")):
        machine, kind, *sizes = file.parent.name.split("-")
        batch, keys, heads, kv_heads, size = map(int, sizes)
        kernels = json.loads(file.read_text())["kernels"]
        calls = [i for i, each in enumerate(kernels) if FIRST_OF_CALL in each["name"]]
        call = kernels[calls[-1]:] if calls else [each for each in kernels if each["name"].startswith("flash_1")][-1:]
        x, _ = stated(model, machine)
        found = {key: sum(each["statistics"][name]["value"] for each in call for name in names) for key, names in model.weights.items()}
        told = attention(Attention(batch, keys if kind == "prefill" else 1, keys, heads, kv_heads, size, 0, False), LIBRARY[machine])
        simulated, by_shape = (sum(amount * x[key] * 1e-9 for key, amount in events.items()
                                   if key in x and key != "sm.active" and key not in DRAM) for events in (found, told))
        print(f"{file.parent.name}: simulated {simulated:.0f} uJ, by its shape {by_shape:.0f} uJ, {by_shape / simulated:.3f}")


def print_attention(silicon, family, x):
    """The errors of attention: prompts with caches of random numbers, of zeros, and halfway; and what decodes alike are read apart. Returns
    the logarithms of what the meter shows by the reading, by phase and cache."""
    found = {}
    print("  {} pairs of decodes that differ in query heads alone, alike in time and watts: half of |ln| of their readings {:.3f}".format(
        *read_alike(silicon, family, x)))
    halfway = {"random numbers": attention, "zeros": lambda *of: without_numbers(attention(*of)), "both alike": lambda *of: {
        key: (amount + without_numbers({key: amount})[key]) / 2 for key, amount in attention(*of).items()}}
    for phase, cache, events in (*(("prefill", *each) for each in halfway.items()), ("decode", *next(iter(halfway.items())))):
        wrong = attention_below(silicon, family, x, phase == "prefill", events)
        found[phase, cache] = [shown for shown, *_ in wrong]
        mean = [sum(abs(shown) for shown, _, half in wrong if half in of) / sum(half in of for *_, half in wrong) for of in ((0, 1), (0,), (1,))]
        print(f"  {phase} attention that reads below {BELOW} of the limit, caches of {cache}: {len(wrong)} rows; as the meter shows "
              f"|ln| {mean[0]:.3f} (halves {mean[1]:.3f}, {mean[2]:.3f}), bias {sum(shown for shown, *_ in wrong) / len(wrong):+.3f}; as if it showed the watts "
              f"{sum(abs(alone) for _, alone, _ in wrong) / len(wrong):.3f}, bias {sum(alone for _, alone, _ in wrong) / len(wrong):+.3f}")
    return found


def print_all_below(silicon, family, x, rows, attention_found):
    """All rows of kernel-power.csv that read below BELOW of the limit, products and attention together, as the meter shows; and those left out."""
    products = [math.log(shown(row, x, family) / row.read) for row in rows if row.group.startswith("gemm") and not row.group.endswith(LIMITED)]
    decodes = attention_found["decode", "random numbers"]
    for cache in ("random numbers", "zeros", "both alike"):
        prompts = attention_found["prefill", cache]
        wrong = products + decodes + prompts
        print(f"  all rows that read below {BELOW} of the limit, caches of prompts of {cache}: {len(wrong)} rows ({len(products)} products, "
              f"{len(decodes)} decodes, {len(prompts)} prompts), |ln| {sum(map(abs, wrong)) / len(wrong):.3f}; attention alone {len(decodes + prompts)} rows, "
              f"|ln| {sum(map(abs, decodes + prompts)) / len(decodes + prompts):.3f}")
    left = [each for each in csv.DictReader((silicon / "kernel-power.csv").open()) if each["gpu"] == LIBRARY[family][0]
            and each["operation"] == "gemm" and each["types"].startswith("fp8") and float(each["power_w"]) < BELOW * float(each["power_limit_w"])]
    print(f"  … without {len(left)} products of fp8, which hold the kernels that quantise")


def read_alike(silicon, family, x):
    """Decodes below BELOW of the limit that differ in query heads alone, in pairs whose times are within 3 % and whose watts by the model are
    within 5 %: their number, and half the mean |ln| of their readings, below which no watts by work and time alone can be for both."""
    board, alike, wrong = LIBRARY[family], collections.defaultdict(list), []
    fixed = sum(rate * x[key] for key, rate in static_rates(*board[1:3]).items())
    for each in csv.DictReader((silicon / "kernel-power.csv").open()):
        seconds, read = float(each["time_us"]) * 1e-6, float(each["power_w"])
        if each["gpu"] == board[0] and each["operation"] == "decode attention" and read < BELOW * float(each["power_limit_w"]):
            shape = attention_of(each)
            watts = fixed + sum(amount * x[key] for key, amount in attention(shape, board).items()) / seconds * FJ
            alike[shape._replace(heads=0)].append((seconds, watts, read))
    for rows in alike.values():
        wrong += [abs(math.log(a[2] / b[2])) / 2 for a, b in itertools.combinations(rows, 2)
                  if abs(math.log(a[0] / b[0])) < 0.03 and abs(math.log(a[1] / b[1])) < 0.05]
    return len(wrong), sum(wrong) / max(len(wrong), 1)


def with_writes(model, results, kernel):
    """Events of a kernel by key, with its share of the writes to DRAM, which no kernel owns, by what it writes to the L2."""
    found = {key: sum(kernel[name]["value"] for name in names) for key, names in model.weights.items()}
    written, total = sum(each["statistics"]["L2_writes"]["value"] for each in results["kernels"]), results["total"]["statistics"]
    for key in ("dram.write", "dram.activate", "l2.sector"):
        for name in model.weights[key]:
            left = total[name]["value"] - sum(each["statistics"][name]["value"] for each in results["kernels"])
            found[key] += left * kernel["L2_writes"]["value"] / written
    return found


def by_values(model, results, kernel, found):
    """Events of a kernel as its energies count them by values, of a run with --energy=values."""
    for key, (counted, toggled, share) in VALUES.items():
        of = results["total"]["statistics"] if key == "dram.write" else kernel
        counts, active, whole = (sum(of[name]["value"] for name in names) for names in (counted, toggled, model.weights[key]))
        if counts:
            found[key] *= 1 - share * (counts - active / 64) / whole
    return found


def v100(model, silicon, folder, values=False):
    """Kernels of AccelWattch's validation: events and time of the last launch of each, of a run with --energy=values (--energy, too, unless
    `values`) in a folder of its name."""
    rows = []
    for each in csv.DictReader((silicon / "v100-power.csv").open()):
        file = folder / each["kernel"] / "results.json"
        if not file.exists():
            continue
        results = json.loads(file.read_text())
        last = [kernel for kernel in results["kernels"] if V100[each["kernel"]] in kernel["name"]][-1]["statistics"]
        seconds = last["energy_time"]["value"] * 1e-12
        events = with_writes(model, results, last)
        events = by_values(model, results, last, events) if values else events
        rates = {key: amount / seconds * FJ for key, amount in events.items()}
        warmer = 1 + LEAKAGE * (V100_TEMPERATURE - LEAKAGE_AT)
        rates.update({"static.sm": 80 * warmer * MW, "static.l2": warmer * MW, "static.dram": MW, "static.board": MW})
        rows.append(Row(each["kernel"], each["app"], float(each["power_w"]), rates, 1447e6, V100_TEMPERATURE))
    return rows


def typical_share(rows, alike, x):
    """What toggles in a kernel, of random data: the mean of its events' activity, by the energy that follows values."""
    found = []
    for row, own in zip(rows, alike):
        follows = {key: row.rates.get(key, 0) * x[key] * share for key, (_, _, share) in VALUES.items()}
        quiet = sum((row.rates.get(key, 0) - own.rates.get(key, 0)) * x[key] for key in VALUES)
        found.append(1 - quiet / sum(follows.values()))
    return found


def as_typical(rows, typical):
    """Rows by counts, as with energy.typical."""
    quiet = {key: 1 - share * (1 - typical) for key, (_, _, share) in VALUES.items()}
    return [row._replace(rates={key: rate * quiet.get(key, 1) for key, rate in row.rates.items()}) for row in rows]


def fit_v100(model, silicon, folder):
    """From an A100's energies, by values; each application is left out in turn. energy.typical: the mean of what toggles in the kernels."""
    start, _ = stated(model, "a100-sxm-40gb")
    inherits, _ = forecast("v100", {"a100": start})
    start = {key: value * (1 if key in DRAM else V100_PROCESS) for key, value in start.items()}
    rows, counted = v100(model, silicon, folder, True), v100(model, silicon, folder)
    x, spread, factor = fit(model, rows, start, False)
    toggles = typical_share(counted, rows, x)
    typical = sum(toggles) / len(toggles)
    left, by_counts = {}, {}
    for app in sorted({row.group for row in rows}):
        y, _, _ = fit(model, [row for row in rows if row.group != app], start, False)
        others = [share for share, row in zip(toggles, rows) if row.group != app]
        left.update({row.name: predict(row, y) for row in rows if row.group == app})
        by_counts.update({row.name: predict(row, y) for row in as_typical(counted, sum(others) / len(others)) if row.group == app})
    wrong = [sum(abs(math.log(told[row.name] / row.watts)) for row in rows) / len(rows) for told in (left, by_counts)]
    print(f"v100: {len(rows)} kernels, by values |ln| {error(rows, x):.4f}, applications left out {wrong[0]:.4f}; typical = {1000 * typical:.0f}: by counts "
          f"{error(as_typical(counted, typical), x):.4f}, left out {wrong[1]:.4f}; by counts as random data {error(counted, x):.3f}; "
          + ", ".join(f"{name} x {value:.2f}" for name, value in sorted(factor.items())))
    print(f"v100 without its rows, by a100: |ln| {error(rows, inherits):.3f}, bias {bias(rows, inherits):+.3f} by values; "
          f"{error(counted, inherits):.3f}, {bias(counted, inherits):+.3f} by counts")
    for row, own, plain, share in zip(rows, counted, as_typical(counted, typical), toggles):
        print(f"  {row.name}: {row.watts} W; toggles {share:.2f}; by values {predict(row, x):.1f} W, left out {left[row.name]:.1f} W; by counts "
              f"{predict(plain, x):.1f} W, left out {by_counts[row.name]:.1f} W; without its rows by values {predict(row, inherits):.1f} W, by counts "
              f"{predict(own, inherits):.1f} W")
    print_energies("v100", rows, x, spread, None)


def share(rows, x, keys):
    """The multiplier of these keys with which the mean error of the rows' watts is least, and its quartiles: the median of what is left of
    the watts for these keys, by what x gives them, weighted by their part of the watts."""
    found = []
    for row in rows:
        own = sum(row.rates.get(key, 0) * x[key] for key in keys)
        found.append(((row.watts - predict(row, x) + own) / own, own / row.watts))
    found.sort()
    total, below = sum(weight for _, weight in found), list(itertools.accumulate(weight for _, weight in found))
    return tuple(next(value for (value, _), sum_ in zip(found, below) if sum_ >= part * total) for part in (0.5, 0.25, 0.75))


def from_library(silicon, family, x):
    """Adjusts energies by medians, as the meter shows of some products what ran before: memory by products of few rows (B200 alone; the
    H200 has its own), tensor cores by products of many rows at the power limit. Shapes choose, not rates: the fastest at the limit are
    those that draw the least. Returns energies and a remark."""
    x, remark = dict(x), []
    rows = [row for row in library(silicon, family, idle_power(family, x), ("gemm",)) if not meter.comes_first(*row.shape[1:])]
    intensity = {row.name: row.rates["tensor.bits16"] * 512 / (32 * (row.rates["dram.read"] + row.rates["dram.write"])) for row in rows}
    for name, keys, chosen in (("memory", GROUPS["memory"], [row for row in rows if intensity[row.name] <= FEW]),
                               ("tensor", GROUPS["tensor"], [row for row in rows if intensity[row.name] >= MANY and
                                                             LIMITED in row.group])):
        factor, low, high = share(chosen, x, keys)
        remark.append(f"{name} x {factor:.2f} ({low:.2f} to {high:.2f}, {len(chosen)} products)")
        if name == "tensor" or family == "b200":
            x.update({key: value * factor for key, value in x.items() if key in keys})
    return x, remark


def by_group(rows, x):
    found = collections.defaultdict(list)
    for row in rows:
        found[row.group].append(math.log(predict(row, x) / row.watts))
    return [f"  {name}: {len(of)} rows, |ln| {sum(map(abs, of)) / len(of):.3f}, bias {sum(of) / len(of):+.3f}"
            for name, of in sorted(found.items())]


# ===== least squares =====

def solve(rows, keys, start, low, high, ridge):
    """Minimises the sum of ((watts - rates . x) / (SIGMA watts))^2 and of ((x / start - 1) / ridge)^2, with low <= x <= high, by
    descent along one key after another, which converges as the function is convex. Returns x and its standard deviations."""
    z = {key: 1.0 for key in keys}
    columns = {key: [row.rates.get(key, 0) * start[key] / (SIGMA * row.watts) for row in rows] for key in keys}
    target = [1 / SIGMA for row in rows]
    gram = {a: {b: sum(p * q for p, q in zip(columns[a], columns[b])) for b in keys} for a in keys}
    right = {a: sum(p * q for p, q in zip(columns[a], target)) for a in keys}
    pull = {key: 1 / ridge[key] ** 2 if ridge[key] else 0 for key in keys}
    for _ in range(20000):
        moved = 0
        for key in keys:
            curve = gram[key][key] + pull[key]
            if curve <= 0:
                continue
            slope = right[key] - sum(gram[key][other] * z[other] for other in keys) + pull[key] * (1 - z[key])
            new = min(max(z[key] + slope / curve, low[key] / start[key]), high[key] / start[key])
            moved = max(moved, abs(new - z[key]))
            z[key] = new
        if moved < 1e-9:
            break
    spread = deviations([[gram[a][b] + (pull[a] if a == b else 0) for b in keys] for a in keys])
    return {key: z[key] * start[key] for key in keys}, {key: spread[i] * start[key] for i, key in enumerate(keys)}


def deviations(matrix):
    """Roots of the diagonal of the inverse; infinite where there is none."""
    n = len(matrix)
    left = [row[:] + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(left[k][i]))
        if abs(left[best][i]) < 1e-12:
            return [math.inf] * n
        left[i], left[best] = left[best], left[i]
        left[i] = [value / left[i][i] for value in left[i]]
        for k in range(n):
            if k != i and left[k][i]:
                factor = left[k][i]
                left[k] = [a - factor * b for a, b in zip(left[k], left[i])]
    return [math.sqrt(max(left[i][n + i], 0)) for i in range(n)]


def predict(row, x):
    return sum(rate * x[key] for key, rate in row.rates.items() if key in x)


def error(rows, x):
    return sum(abs(math.log(predict(row, x) / row.watts)) for row in rows) / max(len(rows), 1)


def fit_groups(model, rows, prior, alone=True):
    """The first step: energies by one multiplier for each group, and the multipliers. Static power is held to its first guess, which is
    what boards draw without work, by STATIC_RIDGES. `alone`: tensor cores and shared memory are a group;
    they go with the SM where rows have too little of them."""
    of = {key: "sm" if group_of(key) == "tensor" and not alone else group_of(key) for key in model.keys}
    names = sorted(set(of.values()))
    joined = [row._replace(rates={name: sum(rate * prior[key] for key, rate in row.rates.items() if of.get(key) == name)
                                  for name in names}) for row in rows]
    used = [name for name in names if any(row.rates[name] > 0 for row in joined)]
    factor, _ = solve(joined, used, {name: 1.0 for name in used}, {name: 0.05 for name in used}, {name: 20.0 for name in used},
                      {name: STATIC_RIDGES.get(name, 0) for name in used})
    for name in names:
        factor.setdefault(name, factor.get("sm", 1.0))
    return {key: prior[key] * factor[of[key]] for key in model.keys}, factor


def fit(model, rows, prior, alone=True):
    """Both steps. Returns energies, deviations and multipliers."""
    start, factor = fit_groups(model, rows, prior, alone)
    x, spread = solve(rows, model.keys, start, {key: start[key] / BOUND for key in start},
                      {key: start[key] * BOUND for key in start}, {key: RIDGE for key in start})
    return x, spread, factor


def boards_alike(model, rows, prior):
    """Rows as if of the mean board: watts by a factor for each board, whose geometric mean is 1."""
    level = {row.group: 1.0 for row in rows}
    for _ in range(6):
        same = [row._replace(watts=row.watts / level[row.group]) for row in rows]
        x, _ = fit_groups(model, same, prior)
        for board in level:
            own = [math.log(row.watts / predict(row, x)) for row in rows if row.group == board]
            level[board] = math.exp(sum(own) / len(own))
        mean = math.exp(sum(math.log(value) for value in level.values()) / len(level))
        level = {board: value / mean for board, value in level.items()}
    return [row._replace(watts=row.watts / level[row.group]) for row in rows], level


def cross_validate(model, rows, prior, folds):
    """The mean error of rows whose fold was left out."""
    wrong = 0
    for fold in range(folds):
        kept, _ = boards_alike(model, [row for i, row in enumerate(rows) if i % folds != fold], prior)
        x, _, _ = fit(model, kept, prior)
        wrong += sum(abs(math.log(predict(row, x) / row.watts)) for i, row in enumerate(rows) if i % folds == fold)
    return wrong / len(rows)


def bias(rows, x):
    return sum(math.log(predict(row, x) / row.watts) for row in rows) / max(len(rows), 1)


def boards_left_out(model, rows, prior):
    """Of each board, the mean error of its rows and its bias, when all that is fitted is of the others, the voltages, too."""
    found = {}
    for board in sorted({row.group for row in rows}):
        kept, own = ([row for row in rows if (row.group == board) == chosen] for chosen in (False, True))
        if kept:
            curve = find_curve(model, kept, prior)
            kept, own = (at_voltage(some, curve) if curve else some for some in (kept, own))
            x, _, _ = fit(model, boards_alike(model, kept, prior)[0], prior)
            found[board] = error(own, x), bias(own, x)
    return found


def process_scale(source, target):
    """A family's energies of the chip by those of another: of a process, at a clock. What TSMC says of a node gives both, as energy is power
    by speed: at 1.15 of the speed an operation takes 1 / 1.15, at the same speed 0.7, and so energy grows with the 1.55th power of the clock."""
    of, by = KINDS[target], KINDS[source]
    power = math.log(1 / (NODE_POWER * NODE_SPEED)) / math.log(NODE_SPEED)
    return PROCESSES[of.process] / PROCESSES[by.process] * (of.clock / by.clock) ** power


def inherited(key, source, target):
    """An energy of a family by that of another whose memory is of its kind. An event of the chip takes its process and clock. What leaks are
    transistors, so that the chip's static power goes with their number, too; the DRAM's goes with its stacks. The rest stays."""
    of, by = KINDS[target], KINDS[source]
    chip = {"static.l2": 1, "static.sm": by.sms / of.sms}
    if key in DRAM:
        return of.stacks / by.stacks if key in ("static.dram", "dram.refresh") else 1
    return process_scale(source, target) * (chip[key] * of.transistors / by.transistors if key in chip else 1)


def forecast(target, energies):
    """Energies of a family without its rows. Where others have its kind of memory: their mean, as `inherited`. Where none has: the mean of
    all others as they are. `energies`: of the families by their own rows. Returns energies and their sources."""
    alike = [name for name in energies if name != target and KINDS[name].memory == KINDS[target].memory]
    sources = alike or [name for name in energies if name != target]
    return {key: math.exp(sum(math.log(energies[name][key] * (inherited(key, name, target) if alike else 1)) for name in sources) / len(sources))
            for key in energies[sources[0]]}, sources


def print_machines_left_out(fitted):
    """`fitted`: rows and energies by family. Rows are at the voltage of their own clock as if there were no curve, which is of their board."""
    energies = {family: x for family, (_, x) in fitted.items()}
    for family, (rows, _) in fitted.items():
        x, sources = forecast(family, energies)
        plain = {key: math.exp(sum(math.log(energies[name][key]) for name in energies if name != family) / (len(energies) - 1)) for key in x}
        print(f"{family} without its rows, by {' and '.join(sources)}: |ln| {error(rows, x):.3f}, bias {bias(rows, x):+.3f}; "
              f"by all others as they are {error(rows, plain):.3f}, bias {bias(rows, plain):+.3f}")


def print_products_left_out(silicon, family, source, energies):
    """Products of a family with the energies of another, of whose products some are: below the limit, and the clock at it, by the halves
    of the rows (a hash of the shape)."""
    x, _ = forecast(family, {source: energies})
    rows = library(silicon, family, idle_power(family, x), ("gemm",))
    for name, halves in (("all rows", (0, 1)), ("half 0", (0,)), ("half 1", (1,))):
        chosen = [row for row in rows if hashlib.sha256(repr(row.shape).encode()).digest()[-1] % 2 in halves]
        found = [f"{words} {count} rows, |ln| {mean:.3f}, bias {mean_bias:+.3f}" for words, (count, mean, mean_bias) in
                 zip(("by the watts drawn", "as the meter shows"), below(chosen, x, family))]
        mean, near = at_limit([row for row in chosen if LIMITED in row.group], x, LIBRARY[family][2])
        print(f"{family} without its rows, by {source}, {name}: below the limit " + "; ".join(found)
              + f"; clock at it |ln| {mean:.3f}, {100 * near:.0f} % of rows within 8 %")


# ===== voltage =====

def voltage(clock, curve):
    """Of a clock, as a share of that at the end of `curve`: (Hz, share of the highest)."""
    share = curve[0][1]
    for (f0, v0), (f1, v1) in zip(curve, curve[1:]):
        if clock > f0:
            share = v0 + (v1 - v0) * min((clock - f0) / (f1 - f0), 1)
    return share


def at_voltage(rows, curve):
    """Rates of what lies on the chip, by the square of the voltage at the row's clock."""
    return [row._replace(rates={key: rate * (1 if key in DRAM else voltage(row.clock, curve) ** 2) for key, rate in row.rates.items()})
            for row in rows]


def find_curve(model, rows, prior):
    """Voltages, relative to that at the highest clocks, with which the rows fit best: at the lowest clock, at CURVE_LOW of the highest
    one and from CURVE_HIGH on. They do not fall with the clock."""
    low, high = min(row.clock for row in rows), max(row.clock for row in rows)
    if high < 1.2 * low:
        return None
    best = (math.inf, None)
    for middle in range(70, 101):
        for first in range(70, middle + 1, 3):
            curve = [(low, first / 100), (CURVE_LOW * high, middle / 100), (CURVE_HIGH * high, 1.0), (high, 1.0)]
            scaled, _ = boards_alike(model, at_voltage(rows, curve), prior)
            x, _ = fit_groups(model, scaled, prior)
            best = min(best, (error(scaled, x), curve), key=lambda each: each[0])
    return best[1]


# ===== cooling =====

def cooling(rows):
    """Degrees by watts of each board, by least squares: K/W, air, and the mean of what a row is off by."""
    found = {}
    for board in sorted({row.group for row in rows}):
        own = [(row.watts, row.temperature) for row in rows if row.group == board]
        watts, degrees = (sum(column) / len(own) for column in zip(*own))
        slope = sum((w - watts) * (t - degrees) for w, t in own) / sum((w - watts) ** 2 for w, t in own)
        air = degrees - slope * watts
        found[board] = slope, air, sum(abs(t - air - slope * w) for w, t in own) / len(own)
    return found


def watts_by_degrees(rows):
    """Watts that a degree adds, and the standard deviation, by least squares with a constant for each board, bytes, and FFMA."""
    boards = sorted({row.group for row in rows})
    columns = [[float(row.group == board) for board in boards] + [row.rates["dram.read"] / FJ * 1e-12, row.rates["fp32"] / FJ * 1e-12,
                                                                 row.temperature - LEAKAGE_AT] for row in rows]
    n = len(columns[0])
    gram = [[sum(each[i] * each[j] for each in columns) for j in range(n)] for i in range(n)]
    right = [sum(each[i] * row.watts for each, row in zip(columns, rows)) for i in range(n)]
    left = [line + [value] for line, value in zip([line[:] for line in gram], right)]
    for i in range(n):
        left[i] = [value / left[i][i] for value in left[i]]
        for k in range(n):
            if k != i:
                left[k] = [a - left[k][i] * b for a, b in zip(left[k], left[i])]
    found = [line[n] for line in left]
    wrong = sum((row.watts - sum(map(lambda a, b: a * b, each, found))) ** 2 for each, row in zip(columns, rows)) / (len(rows) - n)
    return found[-1], math.sqrt(wrong) * deviations(gram)[-1]


# ===== what is printed =====

def print_energies(family, rows, x, spread, curve):
    print(f"\n// {family}: keys of the machine file; +- one standard deviation")
    print("energy: {")
    for key in sorted(x):
        told = any(row.rates.get(key, 0) * x[key] > 0.002 * row.watts for row in rows)
        value = float(f"{x[key]:.3g}")
        print(f"  {key} = {value:.0f}; // +- {100 * spread[key] / x[key]:.0f} %{'' if told else ', no row tells'}")
    if curve:
        print(f"  curve.clocks = {[round(f / 1e6) for f, _ in curve]}; curve.voltages = {[round(1000 * v) for _, v in curve]};")
    print("};")


def stated(model, machine):
    """Energies of a machine as it states or inherits them, and its voltage curve."""
    text = subprocess.run([model.maniple, "machine", "show", machine], check=True, capture_output=True, text=True).stdout
    groups, found, lists = [], {}, {}
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        if line.endswith("{"):
            groups.append(line.split(":")[0])
        elif line == "};":
            groups.pop()
        elif groups and groups[0] == "energy":
            key, value = ".".join([*groups[1:], line.split(" = ")[0]]), line.split(" = ")[1].rstrip(";")
            if value.startswith("["):
                lists[key] = json.loads(value)
            elif value.isdigit():
                found[key] = float(value)
    highest = lists["curve.voltages"][-1] if lists["curve.voltages"] else 1
    curve = [(1e6 * clock, volts / highest) for clock, volts in zip(lists["curve.clocks"], lists["curve.voltages"])]
    chip = found["scale"] / 1000
    return {key: value * (1 if key in DRAM else chip) for key, value in found.items() if key in PRIOR}, curve


def at_limit(rows, x, highest):
    """Of products at the limit: the highest clock at which the model draws the row's watts, by the clock that follows from the times; the
    mean of |ln|, and the share of rows within 8 %. Work goes with the clock, and what lies on the chip with the square of its voltage."""
    wrong, curve = [], limit_curve(highest)
    for row in rows:
        by_clock, fixed = ([sum(row.rates.get(key, 0) * x[key] for key in x if (key in DRAM) == off and (key in GROUPS["static"]) == still)
                            for off in (False, True)] for still in (False, True))
        low, high = highest / 10, highest
        for _ in range(60):
            clock = (low + high) / 2
            by_voltage = (voltage(clock, curve) / voltage(row.clock, curve)) ** 2, 1
            watts = sum(part * (work * clock / row.clock + rest) for part, work, rest in zip(by_voltage, by_clock, fixed))
            low, high = (low, clock) if watts > row.watts else (clock, high)
        wrong.append(abs(math.log(low / row.clock)))
    return sum(wrong) / len(wrong), sum(each <= 0.08 for each in wrong) / len(wrong)


def check(model, silicon):
    """The errors of machines as they are."""
    for family, (_, machine, _, _) in FAMILIES.items():
        x, curve = stated(model, machine)
        rows = roofline(model, silicon, family)
        rows = at_voltage(rows, curve) if curve else rows
        print(f"{machine}: {len(rows)} rows of roofline-power, |ln| {error(rows, x):.4f}")
        boards = collections.defaultdict(list)
        for row in rows:
            boards[row.group].append(math.log(predict(row, x) / row.watts))
        print("".join(f"  board {name}: {len(of)} rows, |ln| {sum(map(abs, of)) / len(of):.4f}, bias {sum(of) / len(of):+.4f}\n"
                      for name, of in sorted(boards.items())), end="")
    for family in LIBRARY:
        x, _ = stated(model, family)
        print(f"{family}: kernel-power, events by arithmetic from shapes")
        rows = library(silicon, family, idle_power(family, x))
        print("\n".join(by_group(rows, x)))
        print(f"  products that read below {BELOW} of the limit: " + "; ".join(
            f"{name} {count} rows, |ln| {mean:.3f}, bias {bias:+.3f}"
            for name, (count, mean, bias) in zip(("by the watts drawn", "as the meter shows", "as if it showed the watts"), below(rows, x, family))))
        print_all_below(silicon, family, x, rows, print_attention(silicon, family, x))
        mean, near = at_limit([row for row in rows if LIMITED in row.group], x, LIBRARY[family][2])
        print(f"  clock and time of products at the limit: |ln| {mean:.3f}, {100 * near:.0f} % of rows within 8 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maniple")
    parser.add_argument("tracegen")
    parser.add_argument("silicon", type=pathlib.Path)
    parser.add_argument("--work", default="build/energy-fit")
    parser.add_argument("--only")
    parser.add_argument("--v100", type=pathlib.Path, help="folder of runs of kernels of v100-power.csv: fit these alone")
    parser.add_argument("--attention", type=pathlib.Path, help="folder of runs of attention: set their events beside those by shape")
    parser.add_argument("--check", action="store_true", help="fit nothing: print the errors of the machines as they are")
    options = parser.parse_args()
    if not (options.silicon / "roofline-power.csv").exists():
        sys.exit(f"energy-fit: {options.silicon} has no roofline-power.csv; give a folder of measurements: make energy-fit MEASUREMENTS=DIR")
    pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
    model = Model(options.maniple, options.tracegen, options.work)
    if options.check:
        check(model, options.silicon)
        return
    if options.attention:
        print_events(model, options.attention)
        return
    if options.v100:
        fit_v100(model, options.silicon, options.v100)
        return
    ratio, fitted = None, {}
    for family in ("h200", "a100", "l40"):
        if options.only not in (None, family) and not (family == "h200" and options.only == "b200"):
            continue
        rows = roofline(model, options.silicon, family)
        curve = find_curve(model, rows, model.prior)
        scaled = at_voltage(rows, curve) if curve else rows
        alike, level = boards_alike(model, scaled, model.prior)
        x, spread, factor = fit(model, alike, model.prior)
        left_out = cross_validate(model, scaled, model.prior, 5)
        fitted[family] = rows, x
        print(f"{family}: {len(rows)} rows of roofline-power, |ln| {error(scaled, x):.4f}, left out {left_out:.4f}; "
              + ", ".join(f"{name} x {value:.2f}" for name, value in sorted(factor.items()))
              + "; boards " + ", ".join(f"{value:.3f}" for _, value in sorted(level.items())))
        print("".join(f"  without the rows of board {board}: |ln| {wrong:.3f}, bias {mean:+.3f}\n"
                      for board, (wrong, mean) in boards_left_out(model, rows, model.prior).items()), end="")
        print("  degrees by watts: " + "; ".join(f"board {board} {slope:.3f} K/W, air {air:.1f}, off by {off:.1f}"
                                                 for board, (slope, air, off) in cooling(rows).items()))
        print("  watts by degrees: " + "; ".join(f"{name} {watts:.2f} +- {spread:.2f} W/K" for name, (watts, spread) in
                                               [("all boards", watts_by_degrees(rows)), *((f"board {board}", watts_by_degrees(
                                                   [row for row in rows if row.group == board])) for board in sorted(level))]))
        if family == "h200":
            before = x["tensor.bits16"]
            x, remark = from_library(options.silicon, family, x)
            ratio = x["tensor.bits16"] / before
            print("\n".join(["  " + "; ".join(remark), *by_group(library(options.silicon, family, idle_power(family, x)), x)]))
        elif ratio:
            x.update({key: value * ratio for key, value in x.items() if key in GROUPS["tensor"]})
        print_energies(family, scaled, x, spread, limit_curve(LIBRARY[family][2]) if family in LIBRARY else curve)
        if family == "h200" and options.only in (None, "b200"):
            print_products_left_out(options.silicon, "b200", "h200", x)
            more = {key: value * (B200_IDLE if group_of(key) in ("static", "active") else 1) for key, value in x.items()}
            blackwell, remark = from_library(options.silicon, "b200", more)
            print(f"b200: as the h200, but static power and clocks x {B200_IDLE}")
            print("\n".join(["  " + "; ".join(remark), *by_group(rows := library(options.silicon, "b200", idle_power("b200", more)), blackwell)]))
            print_energies("b200", rows, blackwell, spread, limit_curve(LIBRARY["b200"][2]))
    if len(fitted) == len(FAMILIES):
        print_machines_left_out(fitted)


if __name__ == "__main__":
    main()
