#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Energy of links between two GPUs, and of switches: what each sends and receives, and copies at both ends, to the femtojoule; the same however it
is run.
Usage: link_energy.py MANIPLE PROGRAM SANITIZERS"""
import decimal
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, program, sanitizers = sys.argv[1:4]
NODE = "--machine rtx3080ti --set sm.count=8 --gpus 2 --set fabric.kind=nvlink --set fabric.pairs=[4] --energy --format json".split()


def run(*options):
    text = subprocess.run([maniple, "run", "-q", *NODE, *options, "--", program], capture_output=True, text=True).stdout
    results, _ = json.JSONDecoder(parse_float=decimal.Decimal).raw_decode(text[text.find("{\n"):])
    del results["run"]
    return results


def values(part):
    return {name: each["value"] for name, each in part["statistics"].items() if not name.endswith("_per_unit")}


if sanitizers != "none":
    print("1..0 # SKIP the sanitizer's runtime cannot be in the program")
    sys.exit(0)
results = run()
link, total = results["machine"]["energy"]["link"], values(results["total"])
for number, part in enumerate(values(device["total"]) for device in results["devices"]):
    copied = sum(value for name, value in part.items() if name.startswith("fabric_copied_to_"))
    moved = part["fabric_bytes_out"] + part["fabric_bytes_in"]
    ok(moved > 1000 and part["energy_links"] * 1000 == link * (moved + 2 * copied), f"GPU {number}: bytes and copies have their energy", part["energy_links"])
    ok(part["energy"] == sum(value for name, value in part.items() if name.startswith("energy_") and name not in ("energy_sm", "energy_time")),
       f"GPU {number}: parts add up to the whole")
ok(total["energy_links"] == sum(values(device["total"])["energy_links"] for device in results["devices"]), "both add up to the run's")
none = run("--set", "energy.link=0")
ok(values(none["total"])["energy_links"] == 0 and all(values(none["total"])[name] == value for name, value in total.items() if name not in (
    "energy", "energy_links", "power")), "without it, no other statistic changes")
switched = run(*"--set fabric.pairs=[] --set fabric.switches=[2,2]".split())
switch = switched["machine"]["energy"]["switch"]
for number, part in enumerate(values(device["total"]) for device in switched["devices"]):
    passed = part["switch_bytes"] + sum(value for name, value in part.items() if name.startswith("fabric_copied_to_"))
    ok(part["switch_bytes"] > 1000 and part["energy_switches"] * 1000 == switch * passed, f"GPU {number}: switches have their energy", part["energy_switches"])
    ok(part["energy"] == sum(value for name, value in part.items() if name.startswith("energy_") and name not in ("energy_sm", "energy_time")),
       f"GPU {number} behind switches: parts add up to the whole")
ok("energy_switches" not in total, "straight links have no switches")
ways = {json.dumps(run(*"--set fabric.pairs=[] --set fabric.switches=[2,2]".split(), *options.split()), default=str) for options in (
    "--threads 1", "--threads 2 --window 3", "--window 1", "--no-skip")}
ok(len(ways) == 1, "behind switches, the same for any threads, window, and with every cycle visited", len(ways))
ways = {json.dumps(run(*options.split()), default=str) for options in ("--threads 1", "--threads 2 --window 3", "--window 1", "--no-skip")}
ok(len(ways) == 1, "the same for any threads, window, and with every cycle visited", len(ways))
ways = {json.dumps(run("--energy=values", *options.split()), default=str) for options in ("--threads 1", "--threads 2 --window 1", "--no-skip")}
ok(len(ways) == 1 and json.loads(*ways)["total"]["statistics"]["compared_reads"]["value"] > 0,
   "with values, the same for any threads, window, and with every cycle visited", len(ways))
done = subprocess.run([maniple, "run", "-q", *NODE, "--set", "power.governor=true", "--set", "power.limit=100", "--", program], capture_output=True, text=True)
ok(done.returncode != 0 and "power.governor: several devices" in done.stderr, "refused: a power limit in simulated time for two GPUs",
   *done.stderr.splitlines())
sys.exit(finish())
