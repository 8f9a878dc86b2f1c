#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Energy of GPUs (--energy): conservation for kernels, units, intervals; static power alone where nothing is done; energies of
one kind of event, against counts that are made here from the text of the trace; the same bytes however it is run; refusals.
Usage: energy.py MANIPLE TRACEGEN"""
import collections
import csv
import decimal
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, tracegen = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import energy_fit as fit  # noqa: E402
import energy_attention as attention  # noqa: E402
import energy_meter as meter  # noqa: E402
import energy_compiled as compiled  # noqa: E402


# What an instruction of a class costs each lane, by the beginning of its opcode; the rest of the opcodes cost none of these.
CLASSES = {"fp32": ("FFMA", "FADD", "FMUL"), "sfu": ("MUFU",), "fp64": ("DFMA", "DADD", "DMUL"), "half": ("HFMA2", "HADD2"),
           "special": ("SHFL", "S2R", "VOTE"), "convert": ("F2I", "I2F", "F2F", "POPC"), "int": ("IADD3", "LOP3", "SHF", "ISETP", "MOV")}
ENERGIES = ("instruction fetch.l0 fetch.l1 control register.read register.write int imad fp32 half fp64 sfu convert special "
            "tensor.bits64 tensor.bits32 tensor.bits16 tensor.bits8 tensor.bits4 shared tmem l1.tags l1.sector constant tma "
            "sm.active gpc.active noc l2.active l2.sector l2.link dram.activate dram.read dram.write dram.refresh static.sm static.l2 static.dram "
            "static.board").split()
PLAIN = ["--set", "energy.scale=1000", "--set", "energy.temperature=50", "--set", "energy.leakage=8"]
SUMS = ("energy", "energy_sm", "energy_time")


def trace(folder, kind, *keys):
    path = pathlib.Path(folder) / "-".join([kind, *keys]).replace("=", "")
    if not path.exists():
        subprocess.run([tracegen, kind, path, *keys], check=True, stdout=subprocess.DEVNULL)
    return path


def command(path, *options, machine="rtx3070"):
    return subprocess.run([maniple, "run", "-q", "--machine", machine, "--format", "json", *options, path / "kernelslist.g"],
                          capture_output=True, text=True)


def run(path, *options, machine="rtx3070"):
    return json.loads(command(path, "--energy", *options, machine=machine).stdout, parse_float=decimal.Decimal)


def only(**energies):
    """Options that set all energies to 0 but some."""
    named = {name.replace("_", "."): value for name, value in energies.items()}
    return PLAIN + [word for key in ENERGIES for word in ("--set", f"energy.{key}={named.get(key, 0)}")]


def values(statistics):
    return {name: each["value"] for name, each in statistics.items() if not name.endswith("_per_unit")}


def parts(statistics):
    return {name: value for name, value in statistics.items() if name.startswith("energy_") and name not in SUMS}


def check_conservation(name, path):
    results = run(path, "--sample", "701")
    total = results["total"]["statistics"]
    sets = [values(total), *[values(kernel["statistics"]) for kernel in results["kernels"]]]
    ok(all(s["energy"] == sum(parts(s).values()) for s in sets), f"{name}: parts add up to the whole, of the run and its kernels")
    ok(all(s["energy_time"] > 0 and abs(s["power"] * s["energy_time"] - s["energy"] * 1000) <= s["energy_time"] for s in sets),
       f"{name}: power is energy by time")
    units = {key: value["value"] for key, value in total.items() if key.startswith("energy") and key.endswith("_per_unit")}
    wrong = [key for key, of in units.items() if sum(next(iter(of.values()))) != total[key[:-len("_per_unit")]]["value"]]
    ok(len(units) == 20 and not wrong, f"{name}: units add up to the machine", len(units), wrong)
    over_time = results["samples"]["statistics"]
    wrong = [key for key in over_time if key.startswith("energy") and sum(over_time[key]["value"]) != sets[0][key]]
    ok(not wrong and len(over_time["energy"]["value"]) > 3, f"{name}: intervals add up to the run", wrong)
    own = {key: value - sum(s[key] for s in sets[1:]) for key, value in parts(sets[0]).items() if "static" not in key}
    ok(all(value >= 0 for value in own.values()) and sum(own.values()) < sets[0]["energy"],
       f"{name}: kernels have what the machine has, but for what no kernel owns", own)


def lanes_of(path):
    """Active lanes of the instructions of a trace by the first part of their opcodes, counted in its text."""
    lanes = collections.Counter()
    for file in path.glob("*.traceg"):
        for line in file.read_text().splitlines():
            found = re.match(r"[0-9a-f]{4} ([0-9a-f]{8}) \d+ (?:R\d+ )*([A-Z][A-Z0-9_]+)", line)
            if found:
                lanes[found[2]] += bin(int(found[1], 16)).count("1")
    return lanes


def check_classes(folder):
    for path in (trace(folder, "fma", "arch=86", "rounds=8"), trace(folder, "mix", "arch=86", "rounds=3", "blocks=2")):
        lanes = lanes_of(path)
        for key, opcodes in CLASSES.items():
            expected = sum(n for opcode, n in lanes.items() if opcode in opcodes) * 4321
            got = values(run(path, *only(**{key: 4321}))["total"]["statistics"])["energy"] * 1000
            ok(abs(got - expected) <= expected / 100, f"{path.name}: energy of {key}, of lanes counted in the trace", got, expected)


def check_levels(folder):
    n = 65536
    path = trace(folder, "vectoradd", "arch=86", f"n={n}")
    for key, expected in (("dram.read", 2 * 4 * n // 32), ("l1.sector", 3 * 4 * n // 32), ("tma", 0)):
        got = values(run(path, *only(**{key: 1000}))["kernels"][0]["statistics"])["energy"]
        ok(abs(got - expected) <= expected / 100, f"vectoradd: energy of {key}, of sectors of its vectors", got, expected)
    loads = 512
    path = trace(folder, "chase", "arch=86", "space=shared", f"loads={loads}", "footprint=4096")
    got = values(run(path, *only(shared=1000))["total"]["statistics"])["energy"]
    ok(loads <= got <= loads * 1.25, "a chase through shared memory: a wavefront for each load, and those that make the chain", got)
    path = trace(folder, "mix", "arch=86", "part=tensor", "rounds=4", "blocks=1", "threads=32")
    lanes = lanes_of(path)
    for key, opcode, operations in (("tensor.bits16", "HMMA", 4096), ("tensor.bits8", "IMMA", 8192)):
        products = lanes[opcode] // 32
        got = values(run(path, *only(**{key: 512000}))["total"]["statistics"])["energy"]
        ok(products and got == products * operations, f"{opcode}: {operations} operations, by the width of operands", products, got)


def check_gated(folder):
    """Clocks that run while there is work. A load behind another is in its GPC for a cycle on its way, and for one when it comes back."""
    few, many = (values(run(trace(folder, "chase", "arch=86", "space=global", "footprint=4194304", f"loads={loads}"), *only(gpc_active=1000))
                        ["total"]["statistics"]) for loads in (300, 812))
    got = many["gpc_active_cycles"] - few["gpc_active_cycles"]
    ok(got == 2 * 512 and few["gpc_active_cycles"] < few["gpc_cycles"] // 1000, "512 loads, one behind the other, are in a GPC for two cycles each", got)
    ok(many["energy"] == many["gpc_active_cycles"], "energy of gpc.active, of cycles of GPCs in which packets are", many["energy"])
    slices = values(run(trace(folder, "chase", "arch=86", "space=global", "footprint=4194304", "loads=812"), *only(l2_active=1000))["total"]["statistics"])
    ok(slices["energy"] == slices["L2_busy_cycles"] >= 811, "energy of l2.active, of cycles of slices in which a lookup is in progress", slices["energy"])


def check_idle(folder):
    """Nothing has come to an SM before the launch is there."""
    static = [*PLAIN, "--set", "energy.dram.refresh=0"]
    results = run(trace(folder, "fma", "arch=86"), "--sample", "100", *static)
    machine, over_time = results["machine"], results["samples"]["statistics"]
    power = machine["sm"]["count"] * machine["energy"]["static"]["sm"] + sum(
        machine["energy"]["static"][key] for key in ("l2", "dram", "board"))
    idle = [over_time["power"]["value"][i] for i, sms in enumerate(over_time["energy_sm"]["value"]) if not sms]
    ok(len(idle) > 3 and min(idle) == power, "an interval without work has the static power, to the milliwatt", min(idle), power)
    hot = run(trace(folder, "fma", "arch=86"), *PLAIN, "--set", "energy.temperature=75")
    cold = run(trace(folder, "fma", "arch=86"), *PLAIN)
    warm, cool = (values(each["total"]["statistics"]) for each in (hot, cold))
    ok(abs(warm["energy_static_sm"] - cool["energy_static_sm"] * 6 // 5) <= warm["energy_time"] // 1000 and
       warm["energy_static_board"] == cool["energy_static_board"] and warm["energy_sm"] == cool["energy_sm"],
       "25 degrees more: a fifth more leaks, and nothing else changes")


def check_voltage(folder):
    path = trace(folder, "matmul", "arch=86")
    curve = ["--set", "energy.curve.clocks=[500, 1500]", "--set", "energy.curve.voltages=[500, 1000]"]
    base = values(run(path, "--set", "energy.clock=500MHz", "--set", "clock.core=500MHz", *curve)["total"]["statistics"])
    plain = values(run(path, "--set", "clock.core=500MHz")["total"]["statistics"])
    high = values(run(path, "--set", "energy.clock=500MHz", "--set", "clock.core=1500MHz", *curve)["total"]["statistics"])
    middle = values(run(path, "--set", "energy.clock=500MHz", "--set", "clock.core=1GHz", *curve)["total"]["statistics"])
    ok(base["energy_sm"] == plain["energy_sm"], "at the clock that energies are stated for, voltages change nothing")
    ok(high["energy_fp32"] == 4 * base["energy_fp32"] and high["energy_registers"] == 4 * base["energy_registers"],
       "twice the voltage: four times the energy")
    ok(abs(middle["energy_fp32"] - base["energy_fp32"] * decimal.Decimal("2.25")) < base["energy_fp32"] / 1000,
       "half way between two points: 1.5 times the voltage")
    ok(high["total_dram_reads"] * base["energy_dram"] > 0, "the DRAM has a voltage of its own")


def check_ways(folder):
    path, texts = trace(folder, "multi", "arch=86", "streams=3", "kernels=5"), set()
    for options in ("--threads 1", "--threads 2 --window 3", "--no-skip --threads 1", "--window 1", "--executor lockstep"):
        results = json.loads(command(path, "--energy", "--sample", "997", *options.split()).stdout)
        del results["run"]
        texts.add(json.dumps(results))
    ok(len(texts) == 1, "energies are the same for any threads, window, executor, and with every cycle visited")
    plain = json.loads(command(path).stdout)
    energies = json.loads(command(path, "--energy").stdout)
    ok(not any("energy" in name or name == "power" for name in plain["total"]["statistics"]) and "energy" not in plain["machine"],
       "without --energy, results have no word of it")
    ok(all(energies["total"]["statistics"][name] == value for name, value in plain["total"]["statistics"].items()),
       "with --energy, all other statistics are what they are without")


def check_limit(folder):
    """The clock that a limit leaves keeps it, and a step more would not."""
    path = trace(folder, "fma", "arch=86", "blocks=92", "rounds=60")
    words = ["--", "--machine", "rtx3070", "--set", "launch.kernel=0", path / "kernelslist.g"]

    def power(*options):
        return subprocess.run([maniple, "power", *options, *words], capture_output=True, text=True)

    free = power("--limit", "1000")
    found = re.search(r"^ +([0-9.]+)MHz +([0-9.]+) us +([0-9.]+) W\nThe limit of 1000 W is kept at", free.stdout, re.MULTILINE)
    ok(found, "a limit that is not reached leaves the clock alone", free.stdout, free.stderr)
    limit = int(float(found[3]) * 0.85)
    done = power("--limit", str(limit), "--step", "25")
    rows = [(float(clock), float(watts)) for clock, watts in re.findall(r"^ +([0-9.]+)MHz .* ([0-9.]+) W$", done.stdout, re.MULTILINE)]
    left = re.search(r"leaves ([0-9.]+)MHz: ([0-9.]+) times", done.stdout)
    kept = max((clock for clock, watts in rows if watts <= limit), default=0)
    above = [clock for clock, watts in rows if watts > limit]
    ok(left and float(left[1]) == kept and min(above) - kept <= 25 and float(left[2]) > 1,
       "the clock that a limit leaves keeps it, and a step more does not", done.stdout, done.stderr)
    for options, expected in ((["--limit", "5"], "static power alone"), (["--limit", str(limit), "--lowest", "1600"], "lower --lowest"),
                              (["--limit", "no"], "whole number")):
        refused = power(*options)
        ok(refused.returncode == 2 and expected in refused.stderr, f"refused: {' '.join(options)}", refused.stderr)


def check_basis(folder):
    """Results say where energies come from, and that a machine has those of another."""
    file = pathlib.Path(folder) / "mine.cfg"
    file.write_text('machine: { extends = "a100"; description = "mine"; };')
    path = trace(folder, "fma", "arch=86")
    shown = [run(path, machine=machine)["machine"]["energy"]["basis"] for machine in ("a100", str(file))]
    ok(shown[1] == f"as a100: {shown[0]}", "a machine that extends another has its energies, and says so", shown)
    file.write_text('machine: { extends = "a100"; }; energy: { basis = "measured here"; fp32 = 1; };')
    own = run(path, machine=str(file))["machine"]["energy"]
    ok(own["basis"] == "measured here" and own["fp32"] == 1, "unless it states its own", own)


def check_instructions(folder):
    """Energies of instructions are those parts of the SM that instructions cause, to the femtojoule, and those of each instruction what
    its opcode, lanes and registers say."""
    own = ("front", "registers", "int", "fp32", "half", "fp64", "sfu", "special", "tensor", "shared")
    paths = [trace(folder, kind, "arch=86") for kind in ("matmul", "gather", "mix")] + [
        trace(folder, "mix", "arch=86", "part=tensor", "rounds=4", "blocks=1", "threads=32")]
    bases = []
    for i, path in enumerate(paths):
        work, options = pathlib.Path(folder) / f"lines{i}", ["--by-instruction", "--set", "energy.fetch.l0=0", "--set", "energy.fetch.l1=0"]
        total = json.loads(command(path, "--energy", *options, "-o", work).stdout or (work / "results.json").read_text(),
                           parse_float=decimal.Decimal)["total"]["statistics"]
        base = sqlite3.connect(work / "results.sqlite")
        bases.append(base)
        found, expected = base.execute("SELECT sum(energy) FROM instruction").fetchone()[0], sum(
            total[f"energy_{name}"]["value"] for name in own) * 1000
        ok(found == expected > 0, f"{path.name}: energies of instructions add up to the parts that they cause", found, expected)
    work = pathlib.Path(folder) / "ffma"
    command(paths[0], "--energy", "--by-instruction", *only(fp32=4321, register_read=10, register_write=1), "-o", work)
    rows = sqlite3.connect(work / "results.sqlite").execute(
        "SELECT lanes, energy FROM instruction WHERE text LIKE '% FFMA %'").fetchall()
    ok(rows and all(lanes * 4352 >= energy >= lanes * 4332 for lanes, energy in rows), "an FFMA: its lanes, and their registers", rows)
    report = subprocess.run([maniple, "report", pathlib.Path(folder) / "lines0", "--html", f"{folder}/lines.html"], capture_output=True,
                            text=True).stdout
    ok("Instructions by energy: " in report and "What costs the energy" in pathlib.Path(folder, "lines.html").read_text(),
       "reports say which instructions cost the energy", report)
    shown = re.findall(r"^ +([0-9.]+) +[0-9.]+ +[0-9.]+ [mun]?J ", report[report.find("Instructions by energy"):], re.MULTILINE)
    ok(len(shown) > 2 and shown == sorted(shown, key=float, reverse=True) and sum(map(float, shown)) <= 100,
       "the greatest first, and no more than all", shown)


def check_correlate(folder):
    """Measured watts beside those of kernels."""
    work = pathlib.Path(folder)
    path = trace(folder, "fma", "arch=86", "blocks=92", "rounds=60") / "kernelslist.g"
    power = run(path.parent)["kernels"][0]["statistics"]["power"]["value"] / 1000
    for name, options in (("with", "--energy"), ("without", "")):
        (work / f"{name}.csv").write_text(f"name,machine,input,settings,options\nfma,rtx3070,{path},,{options}\n")
    (work / "watts.csv").write_text(f"name,value,unit\nfma,{power * decimal.Decimal('1.25'):.3f},W\n")
    done, without = (subprocess.run([maniple, "correlate", work / f"{name}.csv", "-m", work / "watts.csv", "-o", work / f"pages-{name}",
                                     "-q"], capture_output=True, text=True) for name in ("with", "without"))
    ok("-20.0 %" in done.stdout and done.returncode == 0, "watts of kernels beside watts measured", done.stdout, done.stderr)
    ok("no energies" in without.stderr + without.stdout and "--energy" in without.stderr + without.stdout,
       "and a row without energies says what lacks", without.stdout, without.stderr)


def check_sweep(folder):
    """Energy and energy-delay as objectives: their product is that of the runs' own numbers."""
    work = pathlib.Path(folder)
    path = trace(folder, "matmul", "arch=86") / "kernelslist.g"
    (work / "plan.cfg").write_text(f'machines = ["rtx3070"]; inputs = ["{path}"]; options = ["--energy"];\n'
                                   'vary = ({ key = "sm.count"; values = [8, 46]; }); objectives = ["energy", "energy-delay"];\n')
    subprocess.run([maniple, "sweep", work / "plan.cfg", "-o", work / "runs", "-q"], check=True, capture_output=True)
    done = subprocess.run([maniple, "sweep", work / "plan.cfg", "-o", work / "runs", "--summary", work / "sums"], check=True,
                          capture_output=True, text=True)
    results = [values(json.loads(file.read_text())["total"]["statistics"]) for file in work.glob("runs/*/results.json")]
    products = sorted(s["energy"] * 1e-6 * s["gpu_sim_cycle"] / 1132 for s in results)
    front = (work / "sums.svg").read_text()
    ok(len(products) == 2 and "energy-delay" in done.stdout and "energy-delay" in front and
       any(f"{value:.4g}"[:4] in done.stdout.replace(",", "") for value in products), "sweeps have energy and energy-delay as objectives",
       products, done.stdout)


def check_fit():
    """The program that fits gets energies back that it is given, within 1 %, where rows tell them apart, and keeps to its bounds."""
    keys, true = ["a", "b", "c"], {"a": 3.0, "b": 50.0, "c": 0.2}
    rows = [fit.Row(str(i), "0", 0, {"a": 5.0 + i, "b": 0.1 * (i % 4), "c": 40.0 * (i % 3)}, 1e9, 50) for i in range(24)]
    rows = [row._replace(watts=fit.predict(row, true)) for row in rows]
    start, free = {"a": 1.0, "b": 100.0, "c": 0.5}, {key: 0 for key in keys}
    x, spread = fit.solve(rows, keys, start, {key: 0.01 for key in keys}, {key: 1000.0 for key in keys}, free)
    ok(all(abs(x[key] / true[key] - 1) < 0.01 for key in keys), "the fit gets back the energies that rows were made of", x)
    ok(all(0 < spread[key] < true[key] for key in keys), "with deviations that are finite", spread)
    x, _ = fit.solve(rows, keys, start, {"a": 4.0, "b": 0.01, "c": 0.01}, {key: 1000.0 for key in keys}, free)
    ok(x["a"] == 4.0 and x["b"] >= 0.01 and x["c"] >= 0.01, "and keeps to bounds", x)
    weights = fit.formulas()
    fitted = set(ENERGIES) - {"gpc.active", "l2.active"}
    ok(sorted(weights) == sorted(key for key in fitted if not key.startswith("static")) and set(fit.PRIOR) == fitted,
       "it knows every key of the machine but two that no row tells, and the statistics that each weighs")


def read_by_steps(drawn, before, seconds, steps=1000):
    """Mean of the readings of a meter that shows the mean of the last second, step by step."""
    known, lasts = seconds * meter.LAUNCHES, max(1, seconds * meter.LEAST)
    power = [drawn if (i + 0.5) / steps > 1 - known else before for i in range(steps)] + [drawn] * round(lasts * steps)
    sums = [0]
    for watts in power:
        sums.append(sums[-1] + watts)
    readings = [(sums[i + steps] - sums[i]) / steps for i in range(round(lasts * steps))]
    return sum(readings) / len(readings)


def check_meter():
    """A meter's mean of a second, against the same step by step."""
    board = meter.Board(4, 300, 300, 50e-6, 0)
    for seconds in (50e-6, 1e-3, 4e-3, 8e-3, 20e-3):
        shown, stepped = meter.reading(900, 100, 1000, (5, 1024, 65536), seconds, board), read_by_steps(900, 300, seconds)
        ok(abs(shown / stepped - 1) < 0.003, f"meter: launches of {1e3 * seconds:g} ms behind others", shown, stepped)
    shape = (8, 1024, 8192)  # the host launches half as many as the board could do with k = 10240, in 25 us
    shown = meter.reading(900, 100, 1000, shape, 40e-6, board)
    stepped = read_by_steps(900, 500, 40e-6)
    ok(abs(shown / stepped - 1) < 0.003, "meter: launches that waited for the host", shown, stepped)
    ok(abs(meter.drawn_by(shown, 100, shape, 40e-6, board) - 900) < 1e-6, "meter: the watts that were drawn, from what it shows")
    ok(meter.reading(900, 100, 1000, (5, 1024, 8192), 40e-6, board) == 900, "meter: of a product behind one that draws as much, its own")
    board = board._replace(host=0, warm=100e-6)  # a new kernel for k = 10240: the board works for 25 us of 100, and as it quantises
    new = next(m for m in reversed(compiled.TOKENS) if compiled.is_compiled(m, 1024, 10240))
    shown, stepped = meter.reading(900, 100, 1000, (new, 1024, 8192), 40e-6, board), read_by_steps(900, 300, 40e-6)
    ok(abs(shown / stepped - 1) < 0.003, "meter: launches behind a compiler", new, shown, stepped)
    old = next(m for m in compiled.TOKENS if not compiled.is_compiled(m, 1024, 10240))
    ok(meter.reading(900, 100, 1000, (old, 1024, 8192), 40e-6, board) == 900, "meter: and behind a kernel that there was", old)


def powers_of_a_board(kernels, rest, step):
    """Watts of a board that runs the kernels one after another, for each step of time, and the steps from and to which each one is read."""
    power, read = [], []
    for sequences, seconds, watts in kernels:
        power += [rest] * round((attention.SETUP + attention.SETUP_SEQUENCE * sequences) / step)
        busy, first = round(seconds / step), round(max(seconds, attention.HOST) / step)
        power += ([watts] * busy + [rest] * (first - busy)) * 3 + [watts] * 3 * busy
        number = min(3000, max(6, int((1 if first * step >= 1e-4 else 0.3) / (first * step)) + 1))
        read.append((len(power), len(power) + number * busy))
        power += [watts] * number * busy
    return power, read


def check_attention_meter():
    """Readings of attention on a board, each from and to whose end is known, against the sums of its watts step by step."""
    step, rest = 2e-5, 100
    kernels = [(100, 60e-6, 500), (2000, 400e-6, 700), (1, 1e-3, 300), (8, 50e-3, 600), (300, 80e-6, 400), (300, 300e-6, 200)]
    alike = [each for each in kernels for _ in range(attention.BOARDS)]  # so that each board has them all, in their order
    spread, attention.SPREAD = attention.SPREAD, 0
    shown = attention.run(alike, set(range(len(alike))), rest, 1)
    attention.SPREAD = spread
    power, read = powers_of_a_board(kernels, rest, step)
    second, tenth, sums = round(1 / step), round(0.1 / step), [0]
    for watts in [rest] * round(1 / step) + power:
        sums.append(sums[-1] + watts)
    for i, (first, last) in enumerate(read):
        readings = [(sums[at + second] - sums[at]) / second for at in range(first, last + 1, tenth)]
        stepped = sum(readings) / len(readings)
        boards = [shown[attention.BOARDS * i + board] for board in range(attention.BOARDS)]
        ok(max(boards) - min(boards) < 1e-6 and abs(boards[0] / stepped - 1) < 0.003, f"meter: attention {kernels[i]}", boards, stepped)


def keys_of_tiles(shape, deep):
    """Tiles of keys and keys that tiles of queries meet, pair by pair of a query and a key."""
    group, steps, copied = shape.heads // shape.kv_heads, 0, 0
    for first in range(0, shape.query * group, deep):
        blocks = set()
        for row in range(first, min(first + deep, shape.query * group)):
            place = shape.context - shape.query + row // group
            blocks |= {key // fit.BLOCK for key in range(place + 1) if not shape.window or key > place - shape.window}
        steps += len(blocks)
        copied += sum(min(fit.BLOCK, shape.context - fit.BLOCK * block) for block in blocks)
    return shape.batch * shape.kv_heads * steps, shape.batch * shape.kv_heads * copied


def check_attention():
    """Tiles of attention, and the order in which a collector has it."""
    wrong = []
    for each in ((2, 300, 300, 6, 2, 128, 0), (1, 700, 700, 3, 1, 64, 128), (3, 1, 1000, 8, 8, 128, 0), (1, 1, 517, 8, 1, 128, 128), (1, 130, 130, 1, 1, 192, 50)):
        shape = fit.Attention(*each, False)
        tiles, steps, deep, keys = fit.attention_tiles(shape)
        if (steps, keys) != keys_of_tiles(shape, deep) or tiles != each[0] * each[4] * -(-each[1] * each[3] // each[4] // deep):
            wrong.append((each, steps, keys, keys_of_tiles(shape, deep)))
    ok(not wrong, "attention: tiles meet the keys that a count of queries and keys says", wrong)
    prompts, decodes = list(attention.tasks(True, False)), list(attention.tasks(False, True))
    ok(len(set(prompts)) == len(prompts) and prompts[:2] == [(4, 16384, 64, 64, 64, 0, fp8) for fp8 in (False, True)] and
       all(heads // kv_heads <= 16 and heads % kv_heads == 0 for _, _, heads, kv_heads, *_ in decodes), "attention: each once, in its order")


def check_compiled():
    """Kernels are compiled where a tile is new, of all m from the greatest on."""
    for n, k in ((768, 2560), (2560, 10240), (51200, 4096)):
        seen, new = set(), set()
        for m in sorted(compiled.TOKENS, reverse=True):
            tile = compiled.tile_of(m, n, k)
            new |= {m} if tile not in seen else set()
            seen.add(tile)
        ok(new == {m for m in compiled.TOKENS if compiled.is_compiled(m, n, k)} and 32768 in new and 1 < len(new) < 30,
           f"compiled: {n} by {k}", new)
    # One block of 64 by 16 for k = 256 moves 80 * 256 bytes of operands and 2,048 of results.
    ok(compiled.cycles((64, 16, 1, 1), 64, 16, 256) == (80 * 256 + 2048) // 6153 * 132, "compiled: cycles of a block")
    ok(not compiled.is_compiled(32768, 64, 1024) and not compiled.is_compiled(32768, 1024, 64), "compiled: none of less than 128")


def check_program():
    """Programs that execute count registers, too."""
    done = subprocess.run([maniple, "app", "run", "vecadd", "--machine", "rtx3070", "--energy", "--format", "json", "-q"],
                          capture_output=True, text=True)
    start = done.stdout.find("{\n")
    if done.returncode or start < 0:
        ok(True, "no CUDA program runs here # SKIP")
        return
    results, _ = json.JSONDecoder(parse_float=decimal.Decimal).raw_decode(done.stdout[start:])
    s = values(results["total"]["statistics"])
    ok(s["register_reads"] > s["register_writes"] > s["gpu_sim_insn"] / 4 and s["energy"] == sum(parts(s).values()),
       "a program that executes reads and writes registers, and its parts add up", s["register_reads"], s["register_writes"])


def check_words(folder):
    path = trace(folder, "matmul", "arch=86")
    work = pathlib.Path(folder) / "out"
    text = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", "--energy", "--sample", "500", "-o", work,
                           path / "kernelslist.g"], check=True, capture_output=True, text=True).stdout
    ok(re.search(r"^Energy +[0-9.]+ uJ +[0-9.]+ W in the mean", text, re.MULTILINE) and "basis:" in text, "the summary has energy")
    report = subprocess.run([maniple, "report", work, "--html", f"{folder}/page.html"], check=True, capture_output=True,
                            text=True).stdout
    page = pathlib.Path(folder, "page.html").read_text()
    ok("Energy: " in report and "Most is" in report, "a report has energy by part, and what costs the most")
    chase = trace(folder, "chase", "arch=86", "loads=2000")
    found = command(chase, "--energy", "-o", f"{folder}/chase")
    s = values(json.loads(found.stdout)["total"]["statistics"])
    report = subprocess.run([maniple, "report", f"{folder}/chase"], check=True, capture_output=True, text=True).stdout
    refreshed = float(s["dram_refreshes"]) * 27.2e3 / float(s["energy_dram"])  # picojoules each: rtx3070.cfg
    ok(refreshed > 0.5 and f"Of DRAM {100 * refreshed:.1f} % are refreshes" in report and
       not re.search(r"What is done costs most in (static|SM clocks)", report),
       "what is done leaves out what passes with the time: static power, clocks, refreshes", refreshed, report)
    ok("<h2>Energy</h2>" in page and "Power over time" in page, "its page has energy, and power over time")
    subprocess.run([maniple, "report", work, "--ncu", f"{folder}/ncu.csv"], check=True, stdout=subprocess.DEVNULL)
    found = {row["Metric Name"]: float(row["Metric Value"]) for row in csv.DictReader(pathlib.Path(folder, "ncu.csv").open())
             if row["Section Name"] == "Energy"}
    kernel = json.loads((work / "results.json").read_text())["kernels"][0]["statistics"]
    whole = found.pop("maniple__energy.sum", 0)
    ok(abs(whole - kernel["energy"]["value"] * 1e-6) < 2e-6 and abs(1000 * found.pop("maniple__power.avg", 0) / kernel["power"]["value"] - 1) < 1e-4 and
       len(found) == 4 and abs(sum(found.values()) - whole) < 1e-5, "metrics as of Nsight Compute have a kernel's energy by part", whole, found)
    for options, expected in ((["--steady"], "steady"), (["--set", "energy.curve.clocks=[1,2]"], "as many of one as of the other"),
                              (["--set", "energy.curve.clocks=[2,1]", "--set", "energy.curve.voltages=[1,2]"], "rising order")):
        done = command(path, "--energy", *options)
        ok(done.returncode == 2 and expected in done.stderr, f"refused: --energy {' '.join(options)}", done.stderr)


def bytes_of_waves(lengths, wide, at_a_time, high):
    """Rows that waves read, one tile after another: of `high` tiles along the first operand and as many along the second as a wave holds."""
    tiles = [[set(range(first, min(first + size, length))) for first in range(0, length, size)] for length, size in zip(lengths, wide)]
    beside, read = max(1, at_a_time // high), 0
    for first in range(0, len(tiles[0]), high):
        for second in range(0, len(tiles[1]), beside):
            read += len(set().union(*tiles[0][first:first + high])) + len(set().union(*tiles[1][second:second + beside]))
    return read


def check_waves():
    """What waves of tiles read from DRAM, against a count of rows, tile by tile."""
    wrong = []
    for tokens, weights, at_a_time in ((10, 24, 6), (16, 16, 4), (3, 40, 5), (33, 7, 100), (40, 40, 1)):
        wide = (4, 5)
        heights = range(1, min(-(-tokens // wide[0]), at_a_time) + 1)
        counted = min(bytes_of_waves((tokens, weights), wide, at_a_time, high) for high in heights)
        told = fit.reread((tokens, -(-tokens // wide[0])), (weights, -(-weights // wide[1])), 7, 2, at_a_time)
        wrong += [(tokens, weights, told, counted)] if told != counted * 14 else []
    ok(not wrong, "products: waves of tiles read what a count of their rows says", wrong)
    each = {"m": 4096, "n": 8192, "k": 4096, "types": "bf16"}
    ok(32 * fit.product(each, fit.LIBRARY["b200"])["dram.read"] == fit.reread((4096, 16), (8192, 32), 4096, 2, 74), "products: and that comes from DRAM")


with tempfile.TemporaryDirectory() as folder:
    for kind in ("matmul", "gather", "multi"):
        check_conservation(kind, trace(folder, kind, "arch=86"))
    check_classes(folder)
    check_levels(folder)
    check_gated(folder)
    check_idle(folder)
    check_voltage(folder)
    check_ways(folder)
    check_words(folder)
    check_limit(folder)
    check_basis(folder)
    check_instructions(folder)
    check_correlate(folder)
    check_sweep(folder)
check_fit()
check_meter()
check_compiled()
check_attention_meter()
check_attention()
check_waves()
check_program()
sys.exit(finish())
