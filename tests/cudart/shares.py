#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are divided by --shares: all launches are there, in their order and with the work of the undivided run; cycles differ
by what boundaries cost; each share is what --kernels gives for its launches; the bytes depend on neither threads nor window nor
skipping; what a share has lost is said, and the rest is kept. Usage: shares.py MANIPLE APPS"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, APPS = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
work = pathlib.Path(tempfile.mkdtemp())
MACHINE = ("--machine", "rtx3080ti", "--set", "sm.count=8")
KMEANS = (APPS, "run", "kmeans", "--points", "1024", "--rounds", "12")
SRAD = (APPS, "run", "srad", "--width", "64", "--height", "32", "--steps", "6")


def run(*words, program=(), name="results"):
    done = subprocess.run([MANIPLE, "run", "-q", *MACHINE, "-o", name, *words, *(("--", *program) if program else ())],
                          capture_output=True, text=True, cwd=work, timeout=100)
    try:
        return done, json.loads((work / name / "results.json").read_text())
    except OSError:
        return done, None


def value(of, name):
    return of["statistics"][name]["value"]


def cycles(results):
    return sum(value(kernel, "gpu_sim_cycle") for kernel in results["kernels"])


def names(results):
    return [(kernel["id"], kernel["name"], kernel["grid"], value(kernel, "gpu_sim_insn")) for kernel in results["kernels"]]


def without_run(results):
    return {key: part for key, part in results.items() if key != "run"}


def divided(program, shares, most):
    """A run in shares beside the whole one: `most` is the greatest part by which cycles may differ."""
    _, whole = run("--threads", "1", program=program, name="whole")
    done, some = run("--threads", "1", "--shares", str(shares), program=program, name="some")
    what = f"{program[2]} in {shares} shares"
    ok(done.returncode == 0 and names(whole) == names(some), f"{what}: launches and their work", done.stderr)
    apart = cycles(some) / cycles(whole) - 1
    ok(abs(apart) < most, f"{what}: cycles {apart:+.5f}")
    ok(value(some["total"], "gpu_sim_cycle") == cycles(some) and
       value(some["total"], "L1D_total_cache_accesses") == sum(value(k, "L1D_total_cache_accesses") for k in some["kernels"]),
       f"{what}: the total is that of the launches")
    ok(f"--shares {shares}: launches were simulated in {shares} processes" in some["warnings"][-1]["text"], f"{what}: a warning")
    _, other = run("--threads", "4", "--no-skip", "--window", "1", "--shares", str(shares), program=program, name="other")
    ok(without_run(other) == without_run(some), f"{what}: the same bytes")
    return whole


whole = divided(KMEANS, 3, 0.005)
divided(SRAD, 4, 0.01)

# A share for each launch: the one in front of it is simulated, too, as --kernels does it.
program = (APPS, "run", "kmeans", "--points", "512", "--rounds", "4")
_, single = run("--threads", "1", "--shares", "4", program=program)
same = []
for launch in range(2, 5):
    _, chosen = run("--threads", "1", "--kernels", f"{launch - 1}-{launch}", "--between", "warm", program=program, name="chosen")
    same.append(chosen["kernels"][1]["statistics"] == single["kernels"][launch - 1]["statistics"])
ok(all(same), "each launch as --kernels finds it", same)

# A trace, whose launches in front of a share fill its caches.
subprocess.run([MANIPLE, "trace", "record", "-q", *MACHINE, "-o", "trace", "--", *SRAD], cwd=work, check=True, capture_output=True)
trace = str(next((work / "trace").rglob("kernelslist.g")))
_, of_trace = run("--threads", "1", trace)
done, shared = run("--threads", "1", "--shares", "3", trace, name="shared")
ok(done.returncode == 0 and names(of_trace) == names(shared) and abs(cycles(shared) / cycles(of_trace) - 1) < 0.02, "a trace",
   done.stderr, cycles(shared), cycles(of_trace))
_, packed = None, subprocess.run([MANIPLE, "convert", trace, "-o", "packed.mtrace"], cwd=work, capture_output=True, check=True)
done, shared = run("--threads", "2", "--shares", "3", "packed.mtrace", name="packed")
ok(done.returncode == 0 and names(of_trace) == names(shared), "a packed trace", done.stderr)

done, one = run("--shares", "9", program=(APPS, "run", "vecadd", "--size", "256"))
ok(done.returncode == 0 and len(one["kernels"]) == 1, "one launch is not divided", done.stderr)


# ===== what goes wrong =====
def refused(name, sentence, *words, program=KMEANS):
    done, _ = run(*words, program=program, name="refused")
    ok(done.returncode == 2 and sentence in done.stderr, name, done.stderr)


for option in (("--kernels", "1"), ("--hash",), ("--timeline", "ctas"), ("--by-instruction",), ("--steady",), ("--functional",),
               ("--sample", "100"), ("--snapshot", "kept")):
    refused(f"with {option[0]}", f"{option[0]}: does not go with --shares", "--shares", "2", *option)
refused("too many", "from 1 to 64", "--shares", "65")
refused("several GPUs", "--shares: a program on 2 GPUs", "--shares", "2", "--gpus", "2")
refused("a program that fails", "does not end well by value", "--shares", "2", program=("/bin/false",))
refused("no CUDA", "launches no kernel", "--shares", "2", program=(APPS, "list"))

# A share is killed: the others' launches are kept.
script = work / "killed.sh"
script.write_text(f'#!/bin/sh\ncase "$MANIPLE_CUDA" in *"share 1"*) kill -9 $$;; esac\nexec {" ".join(KMEANS)}\n')
script.chmod(0o755)
done, rest = run("--shares", "3", program=(str(script),), name="killed")
ok(done.returncode == 2 and "share 1 of 3 has ended without its results" in done.stderr and rest and
   0 < len(rest["kernels"]) < len(whole["kernels"]), "a share that is killed", done.stderr)

# A program that makes other launches in each run.
script.write_text(f'#!/bin/sh\ncase "$MANIPLE_CUDA" in *functional*) exec {" ".join(KMEANS)};; esac\nexec {" ".join(KMEANS[:-1])} 11\n')
done, _ = run("--shares", "2", program=(str(script),))
ok(done.returncode == 2 and "the program has made 11 launches, and 12 when it ran by value" in done.stderr, "other launches", done.stderr)

# The last share is killed: the others do not go on.
process = subprocess.Popen([MANIPLE, "run", "-q", *MACHINE, "--shares", "3", "--", APPS, "run", "srad", "--width", "256", "--height",
                            "256", "--steps", "40"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)


def children():
    lists = [path.read_text() for path in pathlib.Path("/proc").glob(f"{process.pid}/task/*/children")]
    return [int(word) for text in lists for word in text.split()]


def is_there(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


end = time.monotonic() + 60
while len(children()) < 2 and process.poll() is None and time.monotonic() < end:
    time.sleep(0.02)
others = children()
os.kill(process.pid, signal.SIGKILL)
process.wait()
end = time.monotonic() + 20
while any(map(is_there, others)) and time.monotonic() < end:
    time.sleep(0.05)
ok(len(others) == 2 and not any(map(is_there, others)), "the others end with the last one", others)
finish()
