#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ten benchmarks as Linux programs whose parallel part runs on a coprocessor of 1024 cores, and where the time goes: in
QEMU, in the coprocessor's simulation, in offloading between them (the paper's figure 8).
Usage: system.py BUILD [CORES] [--semihosting] [--keep]
Each runs three times in turn, and the run of the median time is shown.
--semihosting: control goes by semihosting on FIFOs, as the paper has it, and not by virtio
--keep: the page on the paper (docs/literature/raghav.md) shows these figures from the next time that it is written on."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench" / "system.json"
words = [word for word in sys.argv[1:] if not word.startswith("--")]
CONTROL = "fifos" if "--semihosting" in sys.argv else "port"
TURNS = 3
SHARES = {"port": "seconds and shares", "fifos": "seconds and shares by semihosting"}
build, cores = pathlib.Path(words[0]).resolve(), words[1] if len(words) > 1 else "1024"
subprocess.run([ROOT / "apps/system/build.sh", build], check=True)
with_all = [word for elf in sorted((ROOT / "apps/manycore/elf").glob("*.elf")) for word in ("--with", str(elf))]
LINE = re.compile(r"time (\S+): whole (\d+) us, guest (\d+) us, coprocessor (\d+) us, offloading (\d+) us; (\d+) cycles, "
                  r"(\d+) instructions")


def run(program, *words):
    done = subprocess.run([str(build / "maniple"), "system", "--control", CONTROL, "--machine", "manycore-2", "--cores", cores, "--threads", "1", "--log", os.devnull,
                           *with_all, "--", str(build / "guest" / program), "0", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return [LINE.search(line).groups() for line in done.stdout.splitlines() if LINE.search(line)]


def turn():
    """Each benchmark once: its name, microseconds of the whole, of the guest, of the coprocessor and of offloading, cycles, instructions."""
    made = run("benchmarks") + [("matmul, data of the guest's", *run("matmul")[0][1:]), ("ncc, data of the guest's", *run("ncc")[0][1:])]
    return {name: tuple(map(int, numbers)) for name, *numbers in made}


def keep(rows):
    """Writes seconds and shares down, with the seconds that were kept before on the same host, which tell how far they come out again."""
    host = f"{os.cpu_count()} processors, a load of {os.getloadavg()[0]:.1f}"
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    if kept["host"].split(",")[0] != host.split(",")[0] or kept["cores"] != int(cores):  # figures of one host and machine
        kept = {}
    shares = {name: [round(whole / 1e6, 3), *(round(100 * part / whole, 1) for part in parts[:3])] for name, (whole, *parts) in rows.items()}
    before = kept.get("seconds before", {})
    before[SHARES[CONTROL]] = {name: row[0] for name, row in kept.get(SHARES[CONTROL], {}).items()}
    kept.update({"host": host, "cores": int(cores), "turns": TURNS, SHARES[CONTROL]: shares, "seconds before": before})
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


turns = [turn() for _ in range(TURNS)]
median = {name: sorted(one[name] for one in turns)[TURNS // 2] for name in turns[0]}  # by the whole
print("| benchmark | seconds | QEMU | coprocessor | offloading | cycles | S-MIPS |")
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
for name, (whole, guest, coprocessor, offloading, cycles, instructions) in median.items():
    print(f"| {name} | {whole / 1e6:.2f} | {100 * guest / whole:.1f} % | {100 * coprocessor / whole:.1f} % | "
          f"{100 * offloading / whole:.1f} % | {cycles:,} | {instructions / coprocessor:.0f} |")
if "--keep" in sys.argv:
    keep(median)
