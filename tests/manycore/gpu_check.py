#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make gpu-check on a GPU that Maniple simulates: its table, its file, and what it says without a GPU.
Usage: gpu_check.py MANIPLE bench/gpu_check.py"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

maniple, script = sys.argv[1:]
if "libasan" in subprocess.run(["ldd", maniple], capture_output=True, text=True).stdout:
    print("1..0 # SKIP the comparison itself runs under AddressSanitizer (cuda.py)")
    sys.exit(0)
print("1..5")
failed = 0


def case(number, good, name, shown):
    global failed
    failed += not good
    print("ok" if good else "not ok", number, "-", name)
    for line in [] if good else str(shown).splitlines():
        print("#", line)


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "check.json"
    command = [sys.executable, script, maniple, "-o", str(file)]
    (pathlib.Path(folder) / "python3").symlink_to(sys.executable)
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, PATH=folder))
    case(1, done.returncode == 2 and "finds no GPU" in done.stderr and not file.exists(), "without a GPU it says so", done)
    done = subprocess.run(command + ["--simulated", "--cores", "4", "--programs", "fibonacci,bmsd-t"], capture_output=True, text=True)
    report = json.loads(file.read_text()) if file.exists() else {}
    rows = report.get("rows", [])
    case(2, done.returncode == 0 and len(rows) == 4 and all(row["equal"] for row in rows), "all bytes are equal on a simulated GPU",
         done.stdout + done.stderr)
    case(3, report.get("how") == "simulated by value" and report.get("date") and
         all("gpu_seconds" not in row and row["host_seconds"] > 0 for row in rows), "the file says how, when, and claims no speed", report)
shares = {machine: [row["mesh_share"] for row in rows if row["machine"] == machine] for machine in ("manycore-1", "manycore-2")}
case(4, shares["manycore-1"] == [0, 0] and all(0 < share < 1 for share in shares["manycore-2"]),
     "routers take a part of the time of architecture II, and none of architecture I", shares)
root = pathlib.Path(script).resolve().parent.parent
given = {gpu: subprocess.run(["make", "-C", root, "-n", "--no-print-directory", "gpu-check", f"GPU={gpu}", "OPTIONS="],
                             capture_output=True, text=True).stdout.splitlines()[-1].split("maniple")[-1].split()
         for gpu in ("", "simulated")}
case(5, given == {"": [], "simulated": ["--simulated", "--cores", "4", "--programs", "fibonacci,fft"]},
     "make gpu-check gives what the page says, and nothing else", given)
sys.exit(failed > 0)
