#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares --executor cuda with the host's, byte by byte: programs of apps/manycore, run by Maniple on a GPU that Maniple
simulates itself. Results, per tile too, what programs print, the state's hash and with --hash those of all epochs.
Usage: cuda.py MANIPLE ELF-FOLDER MACHINE CORES PROGRAM[,ARGUMENT...]... [-- OPTION...]
A program that begins with "relaunch:" runs with --executor cuda:relaunch, one with "s-events:" with cuda:s-events, one that begins with "translated:" translated,
which is skipped where NVRTC is missing. "counted" reads a word a thousand times, which the host's counters call no polls."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from sanitized import environment  # noqa: E402 - tests/ is known from here on


def run(maniple, device, command, folder):
    words = [maniple, "run", "-q", "-o", str(folder)] + command
    if device:
        words = [maniple, "run", "-q", "--machine", "h200", "--functional", "--"] + words
    done = subprocess.run(words, capture_output=True, text=True, env=environment(maniple) if device else None)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("maniple: warning")]
    results = folder / "results.json"
    whole = json.loads(results.read_text()) if results.exists() else {}
    whole.pop("run", None)
    epochs = folder / "epochs.csv"
    return {"status": done.returncode, "printed": done.stdout.split("Machine h200: ")[0].rstrip(), "said": lines, "results": whole,
            "epochs": epochs.read_text() if epochs.exists() else ""}


def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for key in sorted(set(a) | set(b)) for d in differences(a.get(key), b.get(key), f"{path}/{key}")]
    if isinstance(a, str) and isinstance(b, str) and "\n" in a:
        return [d for i, (x, y) in enumerate(itertools.zip_longest(a.splitlines(), b.splitlines()))
                for d in differences(x, y, f"{path}:{i + 1}")]
    return [] if a == b else [f"{path}: {str(a)[:300]} and on the GPU {str(b)[:300]}"]


def missing(maniple, elf):
    """Without a driver it says so. Result: whether it does not; nothing can be said where there is one."""
    command = [maniple, "run", "--executor", "cuda", "--machine", "manycore-1", "--cores", "4", "--"]
    clean = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}  # which may name our own
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    if "libcuda.so.1" in known:
        print("ok 1 # SKIP this host has a driver")
        return False
    done = subprocess.run(command + [f"{elf}/fibonacci.elf"], capture_output=True, text=True, env=clean)
    good = done.returncode == 2 and "libcuda.so.1 cannot be opened" in done.stderr
    print(f"{'ok' if good else 'not ok'} 1 - without a driver it says what is missing")
    return not good


# mov r6, #0x80000000; mov r4, #1000; ldr r5, [r6]; subs r4, r4, #1; bne; the end
COUNTED = ["e3a06102", "e3a04ffa", "e5965000", "e2544001", "1afffffc", "e3a00018", "e3a01802", "e3811026", "ef123456"]


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    maniple, elf, machine, cores, *programs = arguments
    home = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = home.name  # translations are left nowhere
    print(f"1..{len(programs) + 1}")
    failed = missing(maniple, elf)
    for number, program in enumerate(programs, 2):
        name, *words = program.split(",")
        executor = next((f"cuda:{kind}" for kind in ("relaunch", "s-events") if name.startswith(f"{kind}:")), "cuda")
        core = "translation" if name.startswith("translated:") else "interpreter"
        name = name.removeprefix("relaunch:").removeprefix("s-events:").removeprefix("translated:")
        command = ["--machine", machine, "--cores", cores] + options
        path = f"{elf}/{name}.elf"
        if name == "counted":
            path = pathlib.Path(home.name) / "counted.elf"
            subprocess.run([sys.executable, pathlib.Path(__file__).with_name("elf.py"), path, *COUNTED], check=True)
        tail = ["--", str(path)] + words
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            host = run(maniple, False, command + ["--core", "interpreter"] + tail, pathlib.Path(one))
            device = run(maniple, True, command + ["--executor", executor, "--core", core] + tail, pathlib.Path(two))
        if core == "translation" and any("NVRTC, which compiles them for a GPU, is missing" in line for line in device["said"]):
            print(f"ok {number} # SKIP {program}: NVRTC is missing")
            continue
        found = differences(host, device) or ([] if host["results"] else ["the host has no results: " + " ".join(host["said"])])
        if "--hash" in options and not host["epochs"]:
            found.append("the host has hashed no epoch")
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {program} on {cores} cores of {machine} {' '.join(options)}")
        for each in found[:8]:
            print("#", each)
    sys.exit(failed > 0)


main()
