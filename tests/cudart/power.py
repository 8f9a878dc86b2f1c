#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""NVML's power, energy, limit, temperature and clocks: those of the results, at the simulated time; without --energy, not supported.
Usage: power.py MANIPLE PROGRAM SANITIZERS"""
import json
import math
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, program, sanitizers = sys.argv[1:4]
LINE = re.compile(r"^(\w+): errors (.*), (\d+) mW, (\d+) mJ, limit (\d+) mW, (\d+) degrees, (\d+) MHz$", re.MULTILINE)


def run(*options, time=1000000):
    done = subprocess.run([maniple, "run", "-q", "--machine", "a100", *options, "--", program, str(time)], capture_output=True, text=True)
    return done.stdout + done.stderr


if sanitizers != "none":
    print("1..0 # SKIP the sanitizer's runtime cannot be in the program")
    sys.exit(0)
text = run("--energy", "--set", "power.limit=400", "--format", "json")
found = {when: (errors, *map(int, numbers)) for when, errors, *numbers in LINE.findall(text)}
results, _ = json.JSONDecoder().raw_decode(text[text.find("{\n"):])
total, machine = results["total"]["statistics"], results["machine"]
static = (machine["sm"]["count"] * machine["energy"]["static"]["sm"] + sum(machine["energy"]["static"][key] for key in ("l2", "dram", "board")))
ok(len(found) == 3 and all(each[0] == "0 0 0 0 0" for each in found.values()), "all have values", text[:600])
energy, behind = total["energy"]["value"] * 1e-9, found["behind"]
ok(energy - 0.2 <= behind[2] + 1 and behind[2] <= energy and behind[2] > 100, "the energy is that of the results, in whole millijoules",
   behind, energy)
ok(abs(found["before"][1] - static) <= static / 100, "before a kernel, power is static power", found["before"], static)
ok(static * 0.99 <= found["behind"][1] <= 1.2 * static, "a kernel that sleeps draws little more", found["behind"], static)
ok(all(each[3:] == (400000, machine["energy"]["temperature"], 1410) for each in found.values()), "limit, temperature and clock are the machine's",
   found)
ok("wrong calls: 2 2 2" in text, "wrong calls are refused")
ways = {"\n".join(map(str, LINE.findall(run("--energy", *options.split(), time=3000)))) for options in ("--threads 1", "--threads 2 --window 3", "--no-skip")}
ok(len(ways) == 1, "the same for any threads, window, and with every cycle visited", ways)
warms = "--energy --set thermal.model=true --set thermal.interval=100000 --set thermal.ambient=20 --set energy.leakage=0 --set energy.temperature=50"
found = LINE.findall(run(*warms.split(), "--set", "thermal.chip.resistance=800", "--set", "thermal.chip.constant=1000"))
end = 20 + 0.8 * sum(int(each[2]) for each in found[-1:]) / 1000  # three milliseconds at this power
ok(int(found[0][5]) == 50 and abs(int(found[-1][5]) - end - (50 - end) * math.exp(-3)) < 2, "the temperature follows the power with thermal.model", found, end)
for options in ("", "--functional"):
    found = LINE.findall(run(*options.split(), time=3000))
    ok(len(found) == 3 and all(each[1] == "3 3 3 3 0" for each in found), f"not supported: a run with '{options}'", found)
sys.exit(finish())
