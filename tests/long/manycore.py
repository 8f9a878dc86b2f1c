#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The coprocessor's benchmarks on a number of cores: each checks its own result, takes the cycles that bench/manycore.csv
has for it, and gives the same statistics interpreted and translated. Usage: manycore.py MANIPLE CORES"""
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import manycore  # noqa: E402


def simulate(maniple, cores, machine, program, kind):
    words = manycore.PROGRAMS[program].split()
    command = [maniple, "run", "-q", "--format", "json", "--machine", machine, "--cores", cores, "--core", kind, "--",
               str(ROOT / "apps" / "manycore" / "elf" / (words[0] + ".elf"))] + words[1:]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or ": right on" not in done.stderr:
        return None, f"status {done.returncode}: {done.stderr[:500]}"
    return json.loads(done.stdout)["total"], ""


def main():
    maniple, cores = sys.argv[1:3]
    with open(ROOT / "bench" / "manycore.csv", newline="", encoding="utf-8") as source:
        known = {(row["program"], row["machine"]): row for row in csv.DictReader(source) if row["cores"] == cores}
    count = failed = 0
    for (program, machine), row in known.items():
        total, problem = simulate(maniple, cores, machine, program, "translation")
        other, other_problem = simulate(maniple, cores, machine, program, "interpreter") if total else (None, "")
        checks = [("finds its result right", total is not None, problem)]
        if total:
            cycles = total["statistics"]["global_cycles"]["value"]
            checks.append(("takes the cycles known", str(cycles) == row["global_cycles"], f"{cycles}, {row['global_cycles']}"))
            checks.append(("interpreted as translated", other == total, other_problem or "statistics or hash differ"))
        for name, good, why in checks:
            count += 1
            failed += not good
            print(f"{'ok' if good else 'not ok'} {count} - {program} on {cores} cores of {machine} {name}", flush=True)
            if not good:
                print("# " + why.replace("\n", "\n# "))
    print(f"1..{count}")
    sys.exit(failed > 0)


main()
