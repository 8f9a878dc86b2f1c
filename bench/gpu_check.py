#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The coprocessor on a GPU (--executor cuda): every program gives the host's bytes, and how fast both are.

  bench/gpu_check.py MANIPLE [-o FILE] [--cores LIST] [--programs LIST] [--machines LIST] [--seconds S]
                     [--core KIND] [--simulated | --predict] [--gpu MACHINE]

Without --simulated and --predict it needs a GPU. --simulated runs the GPU's part on Maniple's own GPU by value, which
compares bytes and says nothing of speed. --predict runs it there with time: the speed is that of the model, marked as
predicted. FILE (gpu-check.json) gets a row for each run, and the device, driver, clocks and date. Exit status: 0 all
bytes are equal, 1 some differ, 2 there is no GPU."""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ELF = pathlib.Path(__file__).resolve().parent.parent / "apps" / "manycore" / "elf"
# The work grows with the cores N, so that each of them has some; the barriers' phases and the work between them do not.
PROGRAMS = {"idct": "idct N", "dequantise": "dequantise N", "ncc": "ncc N", "cut": "cut N", "matmul": "matmul N",
            "fft": "fft N", "atomic": "atomic N 1000", "ep": "ep 16", "bc": "barrier 0 1 N 200", "b-msd": "barrier 1 1 N 200", "bmsd-t": "barrier 2 1 N 200",
            "fibonacci": "fibonacci 12"}


def arguments():
    parser = argparse.ArgumentParser(description="compares --executor cuda with the host's, and measures both")
    parser.add_argument("maniple")
    parser.add_argument("-o", default="gpu-check.json")
    parser.add_argument("--cores", default="128,1024,4096,16384,65536")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--machines", default="manycore-1,manycore-2")
    parser.add_argument("--seconds", default="120", help="most of one run, which is then left out")
    parser.add_argument("--core", default="auto", choices=["auto", "interpreter", "translation"], help="on the GPU")
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--gpu", default="h200", help="the machine that --simulated and --predict run on")
    options = parser.parse_args()
    wrong = [name for name in options.programs.split(",") if name not in PROGRAMS]
    if wrong:
        parser.error(f"there is no program {wrong[0]}; there are {', '.join(PROGRAMS)}")
    return options


def ask_device():
    """What nvidia-smi says of the first GPU; None: there is none."""
    fields = ["name", "driver_version", "clocks.sm", "clocks.max.sm", "clocks.mem", "memory.total", "power.limit"]
    try:
        out = subprocess.run(["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader"], capture_output=True,
                             text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return dict(zip(fields, [word.strip() for word in out.splitlines()[0].split(",")]))


def run(words, folder, seconds):
    """Result: status, results.json, what went wrong."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=float(seconds))
    except subprocess.TimeoutExpired:
        return None, {}, f"not ended after {seconds} s"
    results = folder / "results.json"
    told = done.stderr.strip().splitlines()
    return done.returncode, json.loads(results.read_text()) if results.exists() else {}, told[-1] if told else ""


def host_command(options, command):
    return [options.maniple, "run", "-q", "--core", "auto"] + command


def gpu_command(options, command, outer):
    words = [options.maniple, "run", "-q", "--executor", "cuda", "--core", options.core] + command
    if not options.simulated and not options.predict:
        return words
    how = ["--functional"] if options.simulated else ["-o", str(outer)]
    return [options.maniple, "run", "-q", "--machine", options.gpu] + how + ["--"] + words


def hertz(text):
    number, unit = re.fullmatch(r"([0-9.]+) *([kMG]?)Hz", str(text)).groups()
    return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]


def predicted_seconds(options, outer):
    """What the model of the GPU took for the kernels; their launches and the copies are not in it."""
    results = json.loads((outer / "results.json").read_text())
    cycles = results["total"]["statistics"]["gpu_sim_cycle"]["value"]
    shown = subprocess.run([options.maniple, "machine", "show", options.gpu], capture_output=True, text=True, check=True).stdout
    clock = re.search(r"clock: *\{[^}]*?core = \"([^\"]*)\"", shown, re.S)
    return cycles / hertz(clock[1])


def compare(options, name, machine, cores):
    words = PROGRAMS[name].replace("N", str(cores)).split()
    row = {"program": " ".join(words), "machine": machine, "cores": cores}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        here, there, outer = (pathlib.Path(each) for each in (one, two, three))
        common = ["--machine", machine, "--cores", str(cores)]
        tail = ["--", str(ELF / (words[0] + ".elf"))] + words[1:]
        status, host, told = run(host_command(options, common + ["-o", str(here)] + tail), here, options.seconds)
        if status != 0:
            return dict(row, left_out=f"on the host: {told or status}")
        status, gpu, told = run(gpu_command(options, common + ["-o", str(there)] + tail, outer), there, options.seconds)
        if status is None or not gpu:
            return dict(row, left_out=f"on the GPU: {told or status}", **({} if status is None else {"equal": False}))
        runs = host.pop("run"), gpu.pop("run")
        row["mesh_share"] = runs[1].get("device_mesh_share")
        row["equal"] = status == 0 and host == gpu
        statistics = host["total"]["statistics"]
        row.update(cycles=statistics["global_cycles"]["value"], instructions=statistics["instructions"]["value"],
                   s_events=statistics["s_events"]["value"], host_threads=runs[0]["threads_started"],
                   host_seconds=runs[0]["wall_seconds"])
        if options.predict:
            row["gpu_seconds_predicted"] = predicted_seconds(options, outer)
        elif not options.simulated:
            row["gpu_seconds"] = runs[1]["wall_seconds"]
    return row


def mips(row, key):
    return f"{row['instructions'] / row[key] / 1e6:,.1f}" if row.get(key) else ""


def share(row):
    """The mesh's part of the clocks of all threads."""
    return f"{100 * row['mesh_share']:.0f} %" if row.get("mesh_share") else ""


def main():
    options = arguments()
    device = None if options.simulated or options.predict else ask_device()
    if device is None and not options.simulated and not options.predict:
        print("gpu-check: nvidia-smi finds no GPU here; GPU=simulated compares bytes on Maniple's own GPU, and GPU=predict "
              "foresees its speed at small sizes", file=sys.stderr)
        return 2
    how = "simulated by value" if options.simulated else "predicted by the model" if options.predict else "measured"
    report = {"format": "maniple-gpu-check-1", "how": how, "gpu": device or f"Maniple's {options.gpu}",
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "host": f"{platform.machine()}, {os.cpu_count()} processors", "command": " ".join(sys.argv), "rows": []}
    print(f"{report['gpu']}; {how}\n| program | machine | cores | equal | cycles | host S-MIPS | GPU S-MIPS | mesh |\n"
          "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |", flush=True)
    for cores in map(int, options.cores.split(",")):
        for machine in options.machines.split(","):
            for name in options.programs.split(","):
                row = compare(options, name, machine, cores)
                report["rows"].append(row)
                speed = mips(row, "gpu_seconds") or mips(row, "gpu_seconds_predicted")
                print(f"| `{row['program']}` | {machine} | {cores} | "
                      f"{row.get('left_out') or ('yes' if row['equal'] else 'NO')} | {row.get('cycles', '')} | "
                      f"{mips(row, 'host_seconds')} | {speed} | {share(row)} |", flush=True)
                with open(options.o + ".part", "w", encoding="utf-8") as out:
                    json.dump(report, out, indent=1)
    shutil.move(options.o + ".part", options.o)
    different = sum(row.get("equal") is False for row in report["rows"])
    print(f"{options.o}: {sum(row.get('equal') is True for row in report['rows'])} runs equal to the host's, {different} not, "
          f"{sum('left_out' in row for row in report['rows'])} left out")
    return different > 0


sys.exit(main())
