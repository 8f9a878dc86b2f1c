#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures our own workloads on the GPU of this host, for `maniple correlate` (`make silicon`).

Usage: silicon.py BUILD FOLDER [--only NAME,…] [--turns N] [--machine NAME] [--driver DIR]

Each workload runs N + 1 times under Nsight Systems; the first time warms up, and the median of the others counts, each the
sum of the durations of all its kernels. FOLDER then has measured.csv, with the GPU, its driver, clocks and the day, and list.csv, the same
workloads on the machine that is nearest to it. What is in measured.csv is not measured again. It needs `nsys` and a
GPU; it says so where one is missing. DIR is where the driver's libcuda.so.1 lies, if the loader does not know.
"""
import argparse
import csv
import datetime
import os
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

COLUMNS = ["name", "value", "unit", "least", "greatest", "turns", "gpu", "driver", "sm_mhz", "date"]
QUERY = 'SELECT sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL'


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout


def device():
    """The first GPU: its name, its driver and its present clock in MHz; None where there is none."""
    try:
        text = output_of("nvidia-smi", "--query-gpu=name,driver_version,clocks.sm", "--format=csv,noheader,nounits")
        name, driver, clock = (word.strip() for word in text.splitlines()[0].split(","))
    except (OSError, subprocess.CalledProcessError, IndexError, ValueError):
        return None
    return {"gpu": name, "driver": driver, "sm_mhz": clock}


def driver_folder():
    """Where the loader finds the driver's library."""
    for line in output_of("/sbin/ldconfig", "-p").splitlines():
        if line.strip().startswith("libcuda.so.1 ") and "x86-64" in line:
            return os.path.dirname(line.split("=>")[1].strip())
    return None


def words_of(text):
    return {word.lower() for word in re.findall(r"[A-Za-z0-9]+", text)}


def nearest_machine(build, gpu):
    """The built-in machine whose description has the most words of the GPU's name, its model number among them."""
    best, most = None, 0
    for line in output_of(f"{build}/maniple", "machines").splitlines():
        machine, _, description = line.split(None, 2)
        name = words_of(description.split(":")[0])
        common = words_of(gpu) & words_of(description)
        score = len(common) - len(name - words_of(gpu))
        if any(re.search(r"\d{3}", word) for word in common & name) and score > most:
            best, most = machine, score
    return best


def nsys(environment, *words):
    """What it printed."""
    done = subprocess.run(["nsys", *words], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()
        raise ValueError(said[-1][:200])
    return done.stdout


def nanoseconds(command, environment):
    """Of all kernels of one run."""
    with tempfile.TemporaryDirectory() as work:
        said = nsys(environment, "profile", "-q", "--force-overwrite", "true", "-t", "cuda", "-o", f"{work}/run", *command)
        if ": PASS (" not in said:
            raise ValueError("its results are not right")
        nsys(environment, "export", "-q", "--type", "sqlite", "--force-overwrite", "true", "-o", f"{work}/run.sqlite",
             f"{work}/run.nsys-rep")
        database = sqlite3.connect(f"{work}/run.sqlite")
        try:
            value = database.execute(QUERY).fetchone()[0]
        except sqlite3.Error as error:
            raise ValueError(f"no kernels in what nsys wrote: {error}") from error
        finally:
            database.close()
    if not value:
        raise ValueError("it launched no kernel")
    return value


def read_measured(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return {row["name"] for row in csv.DictReader(file)}
    except OSError:
        return set()


def measure(names, build, folder, options, facts):
    """Appends a row for each workload that has none yet; the number of those that failed."""
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = os.path.abspath(options.driver)  # before the folder that the program itself would look in
    path, failed = folder / "measured.csv", 0
    known = read_measured(path)
    with open(path, "a", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS)
        if file.tell() == 0:
            rows.writeheader()
        left = [name for name in names if name not in known]
        for done, name in enumerate(left):
            print(f"[{done + 1}/{len(left)}] {name}", file=sys.stderr, flush=True)
            try:
                times = [nanoseconds([f"{build}/maniple-apps", "run", name], environment) for _ in range(options.turns + 1)][1:]
            except ValueError as error:
                print(f"  {name} is left out: {error}", file=sys.stderr)
                failed += 1
                continue
            rows.writerow(dict(facts, name=name, value=f"{statistics.median(times):.0f}", unit="ns", least=min(times),
                               greatest=max(times), turns=options.turns, date=datetime.date.today().isoformat()))
            file.flush()
    return failed


def write_list(build, folder, machine):
    with open(folder / "list.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "machine", "input", "arguments"])
        rows.writerows([name, machine, f"{build}/maniple-apps", f"run {name}"] for name in sorted(read_measured(folder / "measured.csv")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--machine")
    parser.add_argument("--driver")
    options = parser.parse_args()
    build, folder = pathlib.Path(options.build).resolve(), pathlib.Path(options.folder)
    facts = device()
    options.driver = options.driver or driver_folder()
    for there, what in ((shutil.which("nsys"), "no nsys (Nsight Systems)"), (facts, "no GPU that nvidia-smi shows"),
                        (options.driver, "no libcuda.so.1 of a driver")):
        if not there:
            print(f"make silicon: there is {what} here, so nothing is measured.")
            return 0
    machine = options.machine or nearest_machine(build, facts["gpu"])
    all_names = [line.split()[0] for line in output_of(f"{build}/maniple", "app", "list").splitlines()]
    names = options.only.split(",") if options.only else all_names
    unknown = [name for name in names if name not in all_names]
    if unknown or options.turns < 1:
        sys.exit(f"silicon.py: there is no workload {unknown[0]} (maniple app list)" if unknown else "silicon.py: --turns: at least 1")
    folder.mkdir(parents=True, exist_ok=True)
    failed = measure(names, build, folder, options, facts)
    print(f"{folder}/measured.csv: {len(read_measured(folder / 'measured.csv'))} workloads on {facts['gpu']}")
    if not machine:
        print("None of `maniple machines` is like it: give one with --machine, and a list for `maniple correlate` is written, too.")
        return 1 if failed else 0
    write_list(build, folder, machine)
    print(f"Beside {machine}: {options.build}/maniple correlate {folder}/list.csv -m {folder}/measured.csv -o {folder}/pages")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: what has been measured is kept, and the same command goes on there.", file=sys.stderr)
        sys.exit(130)
