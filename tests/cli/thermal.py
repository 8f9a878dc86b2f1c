#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A temperature that follows the power (thermal.model): an exponential, from one stated time on; leakage that follows it; a
governor beside it; the steady state; the same bytes however it is run; refusals.
Usage: thermal.py MANIPLE TRACEGEN"""
import decimal
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, tracegen = sys.argv[1:3]
CHIP, COOLER = (150, 20), (100, 200)  # mK/W and us
COOLING = [f"thermal.chip.resistance={CHIP[0]}", f"thermal.chip.constant={CHIP[1]}", f"thermal.cooler.resistance={COOLER[0]}",
           f"thermal.cooler.constant={COOLER[1]}", "thermal.ambient=20"]
WARMS = ["thermal.model=true", "thermal.interval=1000", "launch.kernel=0", *COOLING]
GIGAHERTZ = ["clock.core=1GHz"]  # a cycle of the clock that samples count is a nanosecond


def trace(folder, kind, *keys):
    path = pathlib.Path(folder) / "-".join([kind, *keys]).replace("=", "")
    if not path.exists():
        subprocess.run([tracegen, kind, path, *keys], check=True, stdout=subprocess.DEVNULL)
    return path


def command(path, keys, *options):
    return subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", *[word for key in keys for word in ("--set", key)], *options,
                           path / "kernelslist.g"], capture_output=True, text=True)


def run(path, keys, *options):
    done = command(path, keys, "--energy", "--format", "json", *options)
    if done.returncode:
        print("#", done.stderr)
    return json.loads(done.stdout, parse_float=decimal.Decimal)


def total(results):
    return {name: each["value"] for name, each in results["total"]["statistics"].items() if not name.endswith("_per_unit")}


def over_time(results):
    return {name: each["value"] for name, each in results["samples"]["statistics"].items()}


def leaked(machine, millidegrees):
    """Milliwatts of all SMs at a temperature, in whole numbers."""
    energy = machine["energy"]
    share = 1000000 + (millidegrees - 50000) * energy["leakage"]
    return (energy["static"]["sm"] * machine["sm"]["count"] * share // 1000000 * energy["scale"] + 500) // 1000


def check_exponential(path):
    """Each interval's power against the exponentials of two stages, in floating point, and leakage against the temperature."""
    results = run(path, [*WARMS, *GIGAHERTZ], "--sample", "1000")
    s, machine = over_time(results), results["machine"]
    above = [(50 - 20) * stage[0] / (CHIP[0] + COOLER[0]) for stage in (CHIP, COOLER)]
    wrong, leaks = [], []
    for i, energy in enumerate(s["energy"]):
        found, expected = float(s["temperature"][i]), 20 + sum(above)
        if abs(found - expected) > 0.003:
            wrong.append((i, found, expected))
        if s["energy_static_sm"][i] * 1000 != leaked(machine, int(s["temperature"][i] * 1000)) * (s["energy_time"][i] // 1000) * 1000:
            leaks.append((i, s["energy_static_sm"][i], leaked(machine, int(s["temperature"][i] * 1000))))
        for stage, (resistance, constant) in enumerate((CHIP, COOLER)):
            end = resistance / 1000 * float(energy) / 1e6  # picojoules of a microsecond are microwatts
            above[stage] = end + (above[stage] - end) * math.exp(-1 / constant)
    ok(not wrong and len(s["energy"]) > 20, "the temperature of each interval is that of two exponentials, to 3 thousandths of a degree", wrong[:3])
    ok(max(s["temperature"]) - min(s["temperature"]) > 1, "and it changes", min(s["temperature"]), max(s["temperature"]))
    ok(not leaks, "the SMs leak as much as at that temperature, to the milliwatt", leaks[:3])
    t = total(results)
    ok(t["energy"] == sum(value for name, value in t.items() if name.startswith("energy_") and name not in ("energy_sm", "energy_time")),
       "parts add up to the whole")
    ok(t["temperature_time"] == sum(round(value * time) for value, time in zip(s["temperature"], s["energy_time"])) and
       abs(t["temperature"] - decimal.Decimal(t["temperature_time"]) / t["energy_time"]) < decimal.Decimal("0.000001"),
       "the mean temperature is that of the intervals", t["temperature_time"], t["temperature"])


def check_moment(path):
    """The temperature of an interval holds from its end on: not a nanosecond before."""
    s = over_time(run(path, [*WARMS, *GIGAHERTZ], "--sample", "1", "--sample-statistics", "temperature,energy_static_sm,energy_time"))
    edges = [i for i in range(1, 3500) if s["temperature"][i] != s["temperature"][i - 1]]
    ok(edges == [1000, 2000, 3000], "it holds from the end of an interval on, and not a nanosecond before", edges[:9])
    edges = [i for i in range(1, 3500) if s["energy_static_sm"][i] != s["energy_static_sm"][i - 1]]
    ok(edges == [1000, 2000, 3000], "and so does what leaks", edges[:9])


def check_free(path):
    plain, warm = total(run(path, ["launch.kernel=0"])), total(run(path, [*WARMS, "energy.leakage=0"]))
    ok(all(warm[name] == value for name, value in plain.items()) and set(warm) - set(plain) == {"temperature", "temperature_time"},
       "where nothing leaks by temperature, no other statistic changes", [name for name in plain if plain[name] != warm.get(name)])
    cool = total(run(path, ["launch.kernel=0", *COOLING]))
    ok(cool == plain, "and without thermal.model the temperature stays")


def check_steady(path):
    """The steady state of the summary against repeated runs at the temperature that their power leads to."""
    resistance, degrees = decimal.Decimal("0.4"), 50
    keys = ["launch.kernel=0", "thermal.chip.resistance=400", "thermal.ambient=20", "energy.leakage=20"]
    text = command(path, keys, "--energy").stdout
    found = re.search(r"temperature: +50.0 degrees; steady at ([0-9.]+) degrees and ([0-9.]+) W", text)
    for _ in range(12):
        watts = total(run(path, [*keys, f"energy.temperature={round(degrees)}"]))["power"] / 1000
        degrees = 20 + resistance * watts
    ok(found and abs(decimal.Decimal(found[1]) - degrees) < 1 and abs(decimal.Decimal(found[2]) - watts) < 1,
       "the steady state is where runs at their own temperature end", text[-900:], degrees, watts)
    text = command(path, [*keys, "thermal.chip.resistance=10000", "energy.leakage=100"], "--energy").stdout
    ok("steady at" not in text, "none is told where leakage grows faster than what is cooled", text[-900:])
    words = [word for key in keys for word in ("--set", key)]
    done = subprocess.run([maniple, "power", "--limit", "500", "--", "--machine", "rtx3070", *words, path / "kernelslist.g"], capture_output=True, text=True)
    row = re.search(r"us +([0-9.]+) W +([0-9.]+) degrees", done.stdout)
    ok(row and abs(decimal.Decimal(row[2]) - 20 - resistance * decimal.Decimal(row[1])) < decimal.Decimal("0.1"),
       "maniple power compares the steady state with the limit", done.stdout, done.stderr)


def check_governor(path):
    """A warm board leaves a lower clock than a cold one."""
    governed = ["power.governor=true", "power.limit=95", "power.interval=1000", "power.delay=100"]
    cold = total(run(path, [*WARMS, *governed, "energy.temperature=30", "energy.leakage=30"]))
    warm = total(run(path, [*WARMS, *governed, "energy.temperature=90", "energy.leakage=30"]))
    ok(warm["core_clock"] < cold["core_clock"] - 10 and warm["clock_changes"] > 2, "a warm board leaves a lower clock", cold["core_clock"], warm["core_clock"])


def check_ways(folder):
    curve = ["power.governor=true", "power.limit=90", "power.interval=3000", "power.delay=100", "energy.curve.clocks=[300, 1132]",
             "energy.curve.voltages=[600, 1000]"]
    for name, path, more in (("fma", trace(folder, "fma", "arch=86", "blocks=92", "rounds=60"), curve), ("gather", trace(folder, "gather", "arch=86"), []),
                             ("multi", trace(folder, "multi", "arch=86", "streams=3", "kernels=5"), [])):
        texts = set()
        for options in ("--threads 1", "--threads 2 --window 3", "--no-skip --threads 1", "--executor lockstep", "--threads 5"):
            results = run(path, [*WARMS, *more], "--sample", "997", *options.split())
            del results["run"]
            texts.add(json.dumps(results, default=str))
        ok(len(texts) == 1, f"{name}: the same for any threads, window, executor, and with every cycle visited", len(texts))


def check_refusals(folder, path):
    on = ["thermal.model=true"]
    for keys, options, expected in ((on, (), "needs energies; add --energy"), (on, ("--energy",), "states no thermal.chip.resistance"),
                                    ([*on, *COOLING, "energy.temperature=10"], ("--energy",), "below thermal.ambient"),
                                    ([*on, *COOLING], ("--energy",), "thermal.interval"),
                                    (WARMS, ("--energy", "--executor", "relaxed:500"), "a relaxed executor"),
                                    (WARMS, ("--energy", "--timeline", f"{folder}/t.json"), "--timeline"),
                                    (WARMS, ("--energy", "--kernels", "1"), "a selection"),
                                    ([*WARMS, "thermal.interval=0"], ("--energy",), "thermal.interval")):
        done = command(path, keys, *options)
        ok(done.returncode == 2 and expected in done.stderr, f"refused: {expected}", done.returncode, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    fma = trace(folder, "fma", "arch=86", "blocks=92", "rounds=400")
    check_exponential(fma)
    check_moment(trace(folder, "fma", "arch=86", "blocks=92", "rounds=60"))
    check_free(fma)
    check_steady(trace(folder, "fma", "arch=86", "blocks=92", "rounds=60"))
    check_governor(trace(folder, "fma", "arch=86", "blocks=92", "rounds=200"))
    check_ways(folder)
    check_refusals(folder, fma)
sys.exit(finish())
