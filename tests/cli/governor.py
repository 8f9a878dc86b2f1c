#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A power limit in simulated time (power.governor): the clock falls until the limit is kept, and a machine of
that clock keeps it, too; work that computes takes as many cycles at any clock; the same bytes however it is run; refusals.
Usage: governor.py MANIPLE TRACEGEN"""
import decimal
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, tracegen = sys.argv[1:3]
OWN = ("core_clock_cycles", "core_clock", "clock_changes")
QUICK = ["--set", "launch.kernel=0", "--set", "power.interval=1000", "--set", "power.delay=100"]
TOP = 1132  # MHz of the core: machines/rtx3070.cfg


def trace(folder, kind, *keys):
    path = pathlib.Path(folder) / "-".join([kind, *keys]).replace("=", "")
    if not path.exists():
        subprocess.run([tracegen, kind, path, *keys], check=True, stdout=subprocess.DEVNULL)
    return path


def command(path, *options):
    return subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", "--format", "json", *QUICK, *options, path / "kernelslist.g"],
                          capture_output=True, text=True)


def run(path, *options):
    done = command(path, "--energy", *options)
    if done.returncode:
        print("#", done.stderr)
    return json.loads(done.stdout, parse_float=decimal.Decimal)


def governed(path, limit, *options):
    return run(path, "--set", "power.governor=true", "--set", f"power.limit={limit}", *options)


def total(results):
    return {name: each["value"] for name, each in results["total"]["statistics"].items() if not name.endswith("_per_unit")}


def check_free(path):
    """A limit that is not reached changes nothing."""
    plain, free = total(run(path)), total(governed(path, 5000))
    ok(all(free[name] == value for name, value in plain.items()) and set(free) - set(plain) == set(OWN),
       "a limit that is not reached changes no statistic", set(free) - set(plain),
       [name for name in plain if plain[name] != free.get(name)])
    ok(free["clock_changes"] == 0 and abs(free["core_clock"] - TOP) < 1 and "core_clock" not in plain, "and leaves the clock alone",
       free["core_clock"], free["clock_changes"])


def fixed(path, megahertz):
    """Power of a machine of another clock while all its SMs are busy."""
    clocks = [f"clock.{name}={clock * megahertz / TOP:.3f}MHz" for name, clock in (("core", TOP), ("noc", TOP), ("l2", TOP))]
    over_time = run(path, "--sample", str(int(megahertz)), *[word for clock in clocks for word in ("--set", clock)])["samples"]["statistics"]
    busy = [watts for watts, sms in zip(over_time["power"]["value"], over_time["energy_sm"]["value"]) if sms][6:-3]
    return sum(busy) / len(busy)


def check_kept(path):
    """The limit is kept from the sixth interval on, at the clock at which a machine of that clock keeps it."""
    plain = run(path)
    power = plain["kernels"][0]["statistics"]["power"]["value"] / 1000
    limit = int(float(power) * 0.85)
    results = governed(path, limit, "--sample", "1132")
    over_time, s = results["samples"]["statistics"], total(results)
    watts, clocks = over_time["power"]["value"], over_time["core_clock"]["value"]
    busy = [i for i, sms in enumerate(over_time["energy_sm"]["value"]) if sms and i > 5][:-3]
    ok(len(busy) > 5 and max(watts[i] for i in busy) <= 1000 * limit * decimal.Decimal("1.01"), "the limit is kept within 1 %",
       limit, watts)
    last = sum(clocks[i] for i in busy[-8:]) / 8
    above = [fixed(path, float(last) + steps * 15) for steps in (-1, 2)]
    ok(above[0] <= 1000 * limit <= above[1], "a machine of that clock keeps it, and one of two steps more does not", last, above, limit)
    ok(s["energy"] == sum(value for name, value in s.items() if name.startswith("energy_") and name not in (
        "energy_sm", "energy_time")), "parts add up to the whole")
    # Second opinions: SMs count the cycles of the clock themselves, and arithmetic takes as many of them at any clock.
    sms = results["machine"]["sm"]["count"]
    ok(s["clock_changes"] > 0 and s["gpu_sim_cycle"] > total(plain)["gpu_sim_cycle"], "the run takes longer", s["gpu_sim_cycle"])
    kernel, before = (values["kernels"][0]["statistics"] for values in (results, plain))
    ok(abs(kernel["core_clock_cycles"]["value"] / before["gpu_sim_cycle"]["value"] - 1) < 0.02,
       "in as many cycles of the core clock", kernel["core_clock_cycles"]["value"], before["gpu_sim_cycle"]["value"])
    ok(abs(kernel["sm_active_cycles"]["value"] / before["sm_active_cycles"]["value"] - 1) < 0.02,
       "and so do SMs count", kernel["sm_active_cycles"]["value"], before["sm_active_cycles"]["value"], sms)
    mean = kernel["gpu_sim_cycle"]["value"] * TOP / kernel["core_clock_cycles"]["value"]
    ok(abs(decimal.Decimal(s["core_clock_cycles"] * 1000000) / s["energy_time"] - s["core_clock"]) < 1 and mean > TOP, "the mean clock is cycles by time",
       s["core_clock"], mean)
    over = decimal.Decimal(sum(clocks[i] * over_time["energy_time"]["value"][i] for i in range(len(clocks)))) / 1000000
    ok(abs(over / s["core_clock_cycles"] - 1) < decimal.Decimal("0.001"), "cycles of intervals add up to those of the run", over,
       s["core_clock_cycles"])


def check_rise(folder):
    """Work that draws little behind work that draws much: the clock rises again, one step for an interval."""
    parts = trace(folder, "fma", "arch=86", "blocks=92", "rounds=60"), trace(folder, "chase", "arch=86", "space=global", "loads=60",
                                                                             "footprint=65536")
    both = pathlib.Path(folder) / "both"
    both.mkdir()
    for number, part in enumerate(parts, 1):
        text = (part / "kernel-1.traceg").read_text().replace("-kernel id = 1", f"-kernel id = {number}")
        (both / f"kernel-{number}.traceg").write_text(text)
    (both / "kernelslist.g").write_text("MemcpyHtoD,0x00007f1000000000,65536\nkernel-1.traceg\nkernel-2.traceg\n")
    results = governed(both, 88, "--set", "power.step=50MHz", "--sample", str(TOP))
    clocks = results["samples"]["statistics"]["core_clock"]["value"]
    rises = [later - before for before, later in zip(clocks, clocks[1:]) if later > before + 1]
    ok(len(rises) > 4 and max(rises) <= 51 and abs(max(clocks[-4:]) - TOP) < 2,
       "the clock rises by a step for an interval, up to the machine's", rises, clocks)


CURVE = {"energy.curve.clocks": "[300, 1132]", "energy.curve.voltages": "[600, 1000]", "energy.clock": "1132MHz"}
CURVED = [word for key, value in CURVE.items() for word in ("--set", f"{key}={value}")]


def at_clock(stated, megahertz, results):
    """A stated number of the chip at a clock on CURVE, in whole numbers."""
    scale, below = results["machine"]["energy"]["scale"], max(megahertz, 300) - 300
    volts = (600 * (832 - below) + 1000 * below + 416) // 832
    return (stated * scale * volts * volts + 500 * 1000 ** 2) // (1000 * 1000 ** 2)


def compare_voltages(results, compared, wrong):
    """Intervals of one clock, between others of it: energies of lanes, and static power, against those of their voltage."""
    column = {name: each["value"] for name, each in results["samples"]["statistics"].items()}
    energy, clocks = results["machine"]["energy"], column["core_clock"]
    for i in range(1, len(clocks) - 1):
        level = round((TOP - clocks[i]) / 15)
        if max(abs(TOP - 15 * level - clock) for clock in clocks[i - 1:i + 2]) > 1 or not column["lanes_fp32"][i]:
            continue
        expected = (at_clock(energy["fp32"], TOP - 15 * level, results) * column["lanes_fp32"][i],
                    at_clock(energy["static"]["sm"] * results["machine"]["sm"]["count"], TOP - 15 * level, results) * (column["energy_time"][i] // 1000))
        found = int(1000 * column["energy_fp32"][i]), int(column["energy_static_sm"][i])
        compared.add(level)
        if found != expected:
            wrong.append((i, level, found, expected))


def check_voltage(path, side_by_side):
    """Energies at a voltage that follows the clock: each interval of one clock has the energy of a lane, and the static power, of its
    own voltage."""
    plain, free = (total(results) for results in (run(path, *CURVED), governed(path, 5000, *CURVED)))
    ok(all(free[name] == value for name, value in plain.items()), "a limit that is not reached changes no energy on a voltage curve",
       [(name, value, free.get(name)) for name, value in plain.items() if free.get(name) != value])
    compared, wrong = set(), []
    for limit in (86, 93, 98, 104):
        results = governed(path, limit, *CURVED, "--sample", "1132", "--sample-statistics", "lanes_fp32,energy*,core_clock")
        compare_voltages(results, compared, wrong)
    ok(not wrong and len(compared) > 1, "lanes and static power of intervals have the energy of their voltage", compared, wrong[:3])
    s, flat = total(results), total(governed(path, 104))
    ok(s["energy"] == sum(value for name, value in s.items() if name.startswith("energy_") and name not in ("energy_sm", "energy_time")),
       "parts add up to the whole, on a voltage curve")
    ok(s["core_clock"] > flat["core_clock"] + 20, "a voltage that falls leaves a higher clock", s["core_clock"], flat["core_clock"])
    results = governed(side_by_side, 48, *CURVED, "--sample", "997")
    kernels, s = [each["statistics"] for each in results["kernels"]], total(results)
    ok(s["clock_changes"] > 1 and all(sum(kernel[name]["value"] for kernel in kernels) == s[name] for name in ("energy_fp32", "energy_registers")),
       "and kernels that run at a time to the run", [kernel["energy_fp32"]["value"] for kernel in kernels], s["energy_fp32"])


def check_ways(folder):
    texts, changes = set(), 0
    for name, path, limit in (("fma", trace(folder, "fma", "arch=86", "blocks=92", "rounds=60"), 100),
                              ("gather", trace(folder, "gather", "arch=86"), 50),
                              ("multi", trace(folder, "multi", "arch=86", "streams=3", "kernels=5"), 48)):
        texts = set()
        curved = CURVED if name == "multi" else []
        for options in ("--threads 1", "--threads 2 --window 3", "--no-skip --threads 1", "--executor lockstep", "--threads 5"):
            results = governed(path, limit, "--sample", "997", *curved, *options.split())
            changes += total(results)["clock_changes"]
            del results["run"]
            texts.add(json.dumps(results, default=str))
        ok(len(texts) == 1, f"{name}: the same for any threads, window, executor, and with every cycle visited", len(texts))
    ok(changes > 20, "and clocks have changed there", changes)


def check_refusals(folder, path):
    on = ["--set", "power.governor=true"]
    falls = ["--set", "energy.curve.clocks=[500, 1500]", "--set", "energy.curve.voltages=[1000, 900]"]
    for options, expected in ((on, "needs energies; add --energy"), (["--energy", *on, "--set", "power.limit=0"], "states no power.limit"),
                              (["--energy", *on, *falls], "do not fall"),
                              (["--energy", *on, *CURVED, "--by-instruction", "-o", f"{folder}/by"], "--by-instruction"), (["--energy", *on, "--set", "power.limit=3"], "static power alone"),
                              (["--energy", *on, "--executor", "relaxed:500"], "a relaxed executor"),
                              (["--energy", *on, "--timeline", f"{folder}/t.json"], "--timeline"),
                              (["--energy", *on, "--kernels", "1"], "a selection"),
                              (["--energy", *on, "--set", "power.interval=0"], "power.interval")):
        done = command(path, *options)
        ok(done.returncode == 2 and expected in done.stderr, f"refused: {' '.join(options)}", done.returncode, done.stderr)
    text = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", *QUICK, "--energy", *on, "--set", "power.limit=100",
                           path / "kernelslist.g"], capture_output=True, text=True).stdout
    ok(re.search(r"clock: +[0-9.]+ MHz in the mean", text), "the summary has the clock", text)
    command(path, "--energy", *on, "--set", "power.limit=100", "-o", f"{folder}/out")
    done = subprocess.run([maniple, "report", f"{folder}/out", "--ncu", f"{folder}/ncu.csv"], capture_output=True, text=True)
    ok(done.returncode == 2 and "power.governor" in done.stderr, "refused: metrics of Nsight Compute", done.returncode, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    fma = trace(folder, "fma", "arch=86", "blocks=92", "rounds=200")
    check_free(fma)
    check_free(trace(folder, "gather", "arch=86"))
    check_kept(fma)
    check_voltage(trace(folder, "fma", "arch=86", "blocks=92", "rounds=400"), trace(folder, "multi", "arch=86", "streams=3", "kernels=5"))
    check_rise(folder)
    check_ways(folder)
    check_refusals(folder, fma)
sys.exit(finish())
