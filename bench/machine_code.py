#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our workloads as machine code of each architecture: is the answer right, without time and with it, cycles, and
their ratio to those of PTX. nvcc makes the machine code; what there is no time for is marked as not run.
Usage: machine_code.py BUILD CUBINS-FOLDER [--seconds N] [--only NAME,...] [--machines ARCH=MACHINE,...]
Keeps the rows in docs/lab/programs-tables.csv and writes them into docs/lab/programs.md."""
import argparse
import json
import os
import re
import subprocess
import sys
import time

import lab_page

MACHINES = {"75": "rtx2060", "80": "a100", "86": "rtx3080ti", "89": "rtx4090", "90": "h100-pcie"}


def needed(source):
    """The architecture that a workload asks for, and the letter behind it."""
    found = re.search(r"^// nvcc sm_(\d+)(a?)$", open(source).read(), re.M)
    return (int(found[1]), found[2]) if found else (0, "")


def compile_one(apps, name, arch, folder):
    source = f"{apps}/{name}/{name}.cu"
    least, letter = needed(source)
    target = f"{folder}/sm_{arch}/{name}.cubin"
    if int(arch) < least or (letter and int(arch) != least):
        return None
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        fused = [] if not re.search(r"^// no fma$", open(source).read(), re.M) else ["--fmad=false"]
        made = subprocess.run(["nvcc", "-O3", "-I", apps, "-cubin", f"-arch=sm_{arch}{letter}", *fused, "-o", target,
                               source], capture_output=True)
        if made.returncode:
            return None
    return target


def run(build, name, machine, cubin, timed, limit):
    """None: not run; otherwise whether it is right, and its cycles."""
    environment = dict(os.environ)
    environment.pop("MANIPLE_APPS_CODE", None)
    if cubin:
        environment["MANIPLE_APPS_CODE"] = os.path.dirname(cubin)
    way = [] if timed else ["--functional"]
    try:
        done = subprocess.run([f"{build}/maniple", "app", "run", name, "--machine", machine, "--format", "json", *way],
                              capture_output=True, env=environment, timeout=limit)
        kernels = json.loads(done.stdout)["kernels"] if done.returncode == 0 else []
    except (subprocess.TimeoutExpired, ValueError):
        return None
    cycles = sum(k["statistics"].get("gpu_sim_cycle", {"value": 0})["value"] for k in kernels)
    return done.returncode == 0, cycles


def cell(result):
    return "not run" if result is None else "right" if result[0] else "wrong"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build")
    options.add_argument("cubins")
    options.add_argument("--seconds", type=float, default=1e6)
    options.add_argument("--only")
    options.add_argument("--machines")
    given = options.parse_args()
    machines = dict(m.split("=") for m in given.machines.split(",")) if given.machines else MACHINES
    apps = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "gpu")
    listed = subprocess.run([f"{given.build}/maniple", "app", "list"], capture_output=True, text=True, check=True)
    names = given.only.split(",") if given.only else [line.split()[0] for line in listed.stdout.splitlines() if line]
    end = time.monotonic() + given.seconds
    results = {}
    for timed in (False, True):
        for name in names:
            for arch, machine in machines.items():
                if end - time.monotonic() < 1:
                    continue
                cubin = compile_one(apps, name, arch, given.cubins)
                for form in ("sass", "ptx") if timed else ("sass",):  # PTX without time is `make test`'s
                    key = name, arch, form, timed
                    left = end - time.monotonic()
                    if (form == "sass" and not cubin) or left < 1:
                        continue
                    results[key] = run(given.build, name, machine, cubin if form == "sass" else None, timed, left)
            print(name, timed, file=sys.stderr, flush=True)
    cells = {}
    for name in names:
        for arch, machine in machines.items():
            least, letter = needed(f"{apps}/{name}/{name}.cu")
            fits = int(arch) >= least and (not letter or int(arch) == least)
            ptx, sass = (results.get((name, arch, form, True)) for form in ("ptx", "sass"))
            text = cell(results.get((name, arch, "sass", False))) if fits else "not for it"
            if fits and sass:
                text += f", {cell(sass)}, {sass[1]:,}" + (f" ({sass[1] / ptx[1]:.3f})" if ptx and ptx[1] else "")
            cells[name, f"sm_{arch}, `{machine}`"] = text
    lab_page.keep_table("programs", "architectures", "program", "bench/machine_code.py", cells, given.build)


if __name__ == "__main__":
    main()
