#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs with work that waits in streams, on machines of several kinds: one that goes on from a snapshot behind any launch
has all the results of one that never stopped, the state hash among them. Usage: queued_snapshot.py MANIPLE QUEUES [PROGRAMS [SEED]]"""
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import same  # noqa: E402
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

sys.dont_write_bytecode = True
maniple, queues = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
programs, seed = (int(word) for word in (sys.argv[3:5] + ["6" if os.environ.get("MANIPLE_MATRIX") == "full" else "2", "9"][len(sys.argv[3:5]):]))
STEPS, PLACES = 60, 3
# Launch gaps within streams, one kernel at a time on an empty L2, copies that leave lines in the L2, two parts of an L2 and graphs.
MACHINES = (("rtx3080ti", ()), ("h100-pcie", ()), ("rtx3070", ("memcpy_warms_l2=true",)), ("v100", ()),
            ("a100", ("launch.concurrent=2",)), ("rtx2060", ("launch.flush_l2=true",)))
OPTIONS = (("--kernels", "3-12,20-999", "--between", "warm"), ("--kernels", "2-9,15-999", "--between", "skip"), ("--values", "needed"))
work = pathlib.Path(tempfile.mkdtemp())
os.environ["XDG_STATE_HOME"] = str(work / "state")


def run(machine, program, *words):
    name, settings = machine
    sets = [word for setting in settings for word in ("--set", setting)]
    return subprocess.run([maniple, "run", "-q", "--machine", name, *sets, *words, "--", queues, *program], capture_output=True,
                          text=True, errors="replace", cwd=work, check=False)


def results(folder):
    of = json.loads((work / folder / "results.json").read_text())
    of.pop("run")
    return of


def check(machine, program, more, draw):
    shutil.rmtree(work / "whole", ignore_errors=True)
    done = run(machine, program, *more, "-o", "whole")
    name = f"queues {' '.join(program)} on {' '.join((machine[0], *machine[1], *more))}"
    ok(done.returncode == 0, name, done.stderr)
    if done.returncode:
        return
    whole = results("whole")
    for at in sorted(draw.sample(range(1, len(whole["kernels"])), PLACES)):
        for folder in ("kept", "part", "rest"):
            shutil.rmtree(work / folder, ignore_errors=True)
        part = run(machine, program, *more, "--snapshot", "kept", "--snapshot-at", str(at), "-o", "part")
        if part.returncode == 2 and "no snapshot was taken" in part.stderr:
            ok(True, f"{name}: no place behind launch {at}")
            continue
        rest = run(machine, program, *more, "--resume", "kept", "-o", "rest")
        differ = list(itertools.islice(same.places(whole, results("rest")), 5)) if rest.returncode == 0 else ["did not go on"]
        ok(part.returncode == 0 and not differ, f"{name}: behind launch {at}", part.stderr, rest.stderr, *differ)


def main():
    draw = random.Random(seed)
    for number in range(programs):
        check(MACHINES[number % len(MACHINES)], (str(seed * 1000 + number), str(STEPS)), (), draw)
    for more in OPTIONS:
        check(MACHINES[0], (str(seed), str(STEPS)), more, draw)
    shutil.rmtree(work)
    return finish()


sys.exit(main())
