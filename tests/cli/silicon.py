#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make silicon` with a simulated GPU in silicon's place: stand-ins of nvidia-smi and nsys answer for Maniple's model of one, so what is
measured is known, and `maniple correlate` must find no error in it. Usage: silicon.py BUILD SOURCE"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from sanitized import environment  # noqa: E402 - tests/ is known from here on

BUILD, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
SMI = """#!/bin/sh
echo "NVIDIA GeForce RTX 3070, 580.00, 1132"
"""
# Words as Nsight Systems takes them: a program is run on the model, and its kernels' times become rows of the table that nsys exports.
NSYS = """#!/usr/bin/env python3
import json, os, re, sqlite3, subprocess, sys
words = sys.argv[1:]
path = words[words.index("-o") + 1]
if words[0] == "profile":
    program = words[words.index("-o") + 2:]
    with open(os.environ["CALLS"], "a") as calls:
        print(program[-1], os.environ["LD_LIBRARY_PATH"], file=calls)
    if program[-1] == os.environ.get("WRONG"):
        sys.exit(print(program[-1] + ": FAIL (0 of 1 checks)"))
    sys.exit(subprocess.run([os.environ["MANIPLE"], "run", "-q", "--machine", "rtx3070", "-o", path + ".run", "--", *program]).returncode)
report = words[-1]
folder = re.sub("[.]nsys-rep$", ".run", report)
with open(folder + "/results.json") as file:
    kernels = json.load(file)["kernels"]
clock = dict(sqlite3.connect(folder + "/results.sqlite").execute("SELECT key, value FROM machine"))["clock.core"]
database, now = sqlite3.connect(path), 0
database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER)')
for kernel in kernels:
    took = round(kernel["statistics"]["gpu_sim_cycle"]["value"] * 1e9 / float(clock))
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?)", (now, now + took))
    now += took + 1000
database.commit()
"""


def stand_ins(folder):
    folder.mkdir()
    for name, text in (("nvidia-smi", SMI), ("nsys", NSYS)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def silicon(folder, *words, path=None, **variables):
    surroundings = dict(environment(BUILD / "maniple"), MANIPLE=str(BUILD / "maniple"), CALLS=str(folder / "calls"), **variables)
    surroundings["PATH"] = f"{path or folder / 'tools'}:{surroundings['PATH']}"
    return subprocess.run([sys.executable, str(SOURCE / "bench/silicon.py"), str(BUILD), str(folder / "out"), "--driver", str(folder),
                           "--turns", "1", *words], capture_output=True, text=True, env=surroundings, stdin=subprocess.DEVNULL, check=False)


def rows(folder):
    with open(folder / "out/measured.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(folder):
    done = silicon(folder, "--only", "vecadd", path=folder)
    ok(done.returncode == 0 and "no nsys" in done.stdout, "without Nsight Systems a word, and no failure", done.stdout, done.stderr)
    stand_ins(folder / "tools")
    done = silicon(folder, "--only", "vecadd,reduction", WRONG="reduction")
    ok(done.returncode == 1 and [row["name"] for row in rows(folder)] == ["vecadd"] and "reduction is left out" in done.stderr,
       "a workload whose results are wrong is left out, and said", done.stdout, done.stderr)
    done = silicon(folder, "--only", "vecadd,reduction")
    calls = (folder / "calls").read_text().split("\n")
    ok(done.returncode == 0 and [row["name"] for row in rows(folder)] == ["vecadd", "reduction"],
       "the next call goes on there", done.stdout, done.stderr)
    ok([call.split()[0] for call in calls if call] == ["vecadd", "vecadd", "reduction", "reduction", "reduction"] and
       all(call.split()[1] == str(folder) for call in calls if call), "once to warm up, once that counts; the driver's library goes first",
       calls)
    row = rows(folder)[0]
    ok((row["unit"], row["gpu"], row["driver"], row["sm_mhz"], row["turns"], row["value"]) ==
       ("ns", "NVIDIA GeForce RTX 3070", "580.00", "1132", "1", row["least"]), "what was measured, where and how", row)
    ok("Beside rtx3070:" in done.stdout, "the nearest machine is found by the GPU's name", done.stdout)
    done = subprocess.run([BUILD / "maniple", "correlate", folder / "out/list.csv", "-m", folder / "out/measured.csv", "-o", folder / "pages", "-q"],
                          capture_output=True, text=True, env=environment(BUILD / "maniple"), stdin=subprocess.DEVNULL, check=False)
    ok(done.returncode == 0 and "2 rows, mean absolute error    0.0 %, largest    0.0 %" in done.stdout,
       "silicon that is our model has no error against it", done.stdout, done.stderr)
    done = silicon(folder, "--only", "vecad")
    ok(done.returncode != 0 and "no workload vecad" in done.stderr, "a workload that there is not", done.stderr)


with tempfile.TemporaryDirectory() as work:
    check(pathlib.Path(work).resolve())
sys.exit(finish())
