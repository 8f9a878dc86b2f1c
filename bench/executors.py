#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every executor beside both baselines, measured and predicted, as the tables of docs/lab/executors.md.

Usage: executors.py BUILD INPUT... [--machine NAME]... [--rounds N] [--records N] [--threads N] [--processes] [--write]

Measured: serial in windows of one cycle, serial at its best, and each executor on N threads, in turns in one process
(bench-pairs): wall times are worth something on a quiet host alone, CPU times nearly anywhere. Predicted: by `maniple
scaling` from several records of which the least counts, with exchanges between processes measured where mpirun is. A
prediction is printed where that for two threads, or two processes, is within 20 % of what was measured here.
With --processes instead: what two processes send each other in a window, measured, and from how many processes on
exchanges are predicted to take 20 % of the time. With --write, rows go into docs/lab/executors.csv, and from there into
the page.
"""
import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile

from lab_page import cell_lines, keep_table

EXECUTORS = ("window", "lockstep", "domains", "pool", "openmp")
PREDICTED = (1, 2, 16)
TITLES = ("executor", "trace, machine")  # of rows, without --processes and with it
EXCHANGES = ("windows", "work in each, µs", "bytes between two processes: mean", "most", "predicted 20 %: processes of 1 thread", "of 16 threads")
TRUSTED = 0.2  # of a prediction for two threads, from what was measured


def output(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def measure(arguments, machine, path):
    """Of each way: wall time of serial in one-cycle windows divided by its own (median, least, most), CPU time."""
    ways = ["serial,window=1", "serial"] + [f"{name},threads={arguments.threads}" for name in EXECUTORS]
    text = output([f"{arguments.build}/bench/bench-pairs", str(arguments.rounds), machine, path, *ways])
    rows = re.findall(r"^\| (\w+)(,\S+)? \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \| ([\d.]+) \| ([\d.]+)", text, re.M)
    names = ["one-cycle", "serial", *EXECUTORS]
    return {name: (tuple(map(float, row[2:5])), float(row[6])) for name, row in zip(names, rows)}


def record(arguments, machine, path, folder, window):
    folders = []
    for i in range(arguments.records):
        folders.append(f"{folder}/{window}-{i}")
        output([f"{arguments.build}/maniple", "run", "-q", "--costs", "--threads", "1", "--window", window, "--machine",
                machine, "-o", folders[-1], path])
    return folders


def launcher(arguments):
    """What starts two processes, where MPI is there."""
    path = shutil.which("mpirun.openmpi")
    there = path and os.path.exists(f"{arguments.build}/maniple-openmpi.so")
    return [path, "--allow-run-as-root", "--oversubscribe", "-n", "2"] if there else []


def predict(arguments, folders, processes=()):
    """(hand-out, processes, threads): seconds, work, largest, meetings, exchanges. And what was said above the table."""
    command = [f"{arguments.build}/maniple", "scaling", *folders, "-t", ",".join(map(str, PREDICTED))]
    if processes:
        command = [*launcher(arguments), *command, "-p", ",".join(map(str, processes))]
    text = output(command)
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 9 and words[1].isdigit():
            rows[words[0], int(words[1]), int(words[2])] = [float(words[i]) for i in (3, 5, 6, 7, 8)]
    notes = [line for line in text.splitlines() if not re.match(r"[\w-]+ +\d|hand-out", line)]
    return rows, notes


def measure_processes(arguments, machine, path, work):
    """Wall time of one process of one thread divided by that of two, in turns; None: no MPI is there."""
    if not launcher(arguments):
        return None
    ratios = []
    for _ in range(arguments.rounds):
        times = []
        for start in ([], launcher(arguments)):
            output([*start, f"{arguments.build}/maniple", "run", "-q", "--threads", "1", "--machine", machine, "-o", f"{work}/turn",
                    path])
            with open(f"{work}/turn/results.json") as file:
                times.append(json.load(file)["run"]["wall_seconds"])
        ratios.append(times[0] / times[1])
    return statistics.median(ratios)


def ranged(median, bounds):
    return f"{median:.2f} ({bounds[0]:.2f} to {bounds[1]:.2f})"


def is_trusted(predicted, measured):
    return measured is not None and abs(predicted / measured - 1) <= TRUSTED


def table_of(arguments, machine, path, work):
    name = os.path.basename(path).removesuffix(".mtrace")
    measured = measure(arguments, machine, path)
    records = record(arguments, machine, path, work, "auto")
    safe, safe_notes = predict(arguments, records)
    processes, process_notes = predict(arguments, records, (2, 4, 16))  # whose waiting would disturb meetings of threads
    cycles, cycle_notes = predict(arguments, record(arguments, machine, path, work, "1"))
    one_cycle, best = cycles["cost", 1, 1][0], safe["cost", 1, 1][0]
    (wall, *serial_range), cpu = measured["serial"]
    meetings = dict(re.findall(r"(\w+)[:,]? ([\d,.]+) ns", " ".join(note for note in (*safe_notes, *cycle_notes) if note.startswith("Meeting"))))
    cells = {}

    def row(executor, *values):
        names = [f"wall, {arguments.threads} threads: × `serial --window 1`", "× `serial`", "CPU, in `serial`'s",
                 *(f"predicted × `serial`: {threads}" for threads in PREDICTED), "of 16: work, largest unit, meetings (s)"]
        cells.update({(executor, column): value for column, value in zip(names, values)})
    row("`serial --window 1`", "1.00", f"{1 / wall:.2f}", f"{measured['one-cycle'][1] / cpu:.2f}", f"{best / one_cycle:.2f}", "", "", "")
    row("`serial`", ranged(wall, serial_range), "1.00", "1.00", "1.00", "", "", "")
    for executor in EXECUTORS:
        rows, key = (safe, "cost") if executor == "window" else (cycles, executor)
        if (key, 1, 2) not in rows or executor not in measured:
            continue
        (fast, *fast_range), spent = measured[executor]
        told = [f"{best / rows[key, 1, t][0]:.2f}" for t in PREDICTED] + [", ".join(f"{rows[key, 1, 16][i]:.3f}" for i in (1, 2, 3))]
        if not is_trusted(best / rows[key, 1, 2][0], fast / wall):
            told = ["–"] * len(told)
        row(f"`{executor}`", ranged(fast, fast_range), f"{fast / wall:.2f}", f"{spent / cpu:.2f}", *told)
        cells[f"`{executor}`", "a meeting of two, ns"] = f"{int(meetings[executor]):,}" if executor in meetings else ""
    two, many = (processes["cost", count, 1] for count in (2, 16))
    measured_two = measure_processes(arguments, machine, path, work)
    told = ["–", "–", "–"]
    if is_trusted(best / two[0], measured_two):
        told = [f"{best / two[0]:.2f}", f"{best / many[0]:.2f}", f"{many[1]:.3f}, {many[2]:.3f}, {many[3]:.3f}"]
    row("`mpi`, processes of one thread", "", "–" if measured_two is None else f"{measured_two:.2f}", "", "1.00", *told)
    return f"{name} on {machine}", cells, [safe_notes[0], cycle_notes[0]] + [
        note for note in process_notes if note.startswith(("Exchange", "Processes"))]


def exchanges_of(arguments, machine, path, work):
    """A row: windows, their work, bytes in them between two processes, and from how many on it no longer pays."""
    name = os.path.basename(path).removesuffix(".mtrace")
    folder = f"{work}/two"
    output([*launcher(arguments), f"{arguments.build}/maniple", "run", "-q", "--threads", "1", "--machine", machine, "-o",
            folder, path])
    with open(f"{folder}/results.json") as file:
        run = json.load(file)["run"]
    _, notes = predict(arguments, record(arguments, machine, path, work, "auto"), (2,))
    windows, work_of_each = re.match(r"(\d+) windows .* ([\d.]+) microseconds", notes[0]).groups()
    limits = [re.sub(r".*exchanges (take 20 % of the time from|stay below 20 % of the time up to) (\d+),.*",
                     lambda match: match[2] if match[1][0] == "t" else f"more than {match[2]}", note)
              for note in notes if note.startswith("Processes")]
    values = [f"{int(windows):,}", work_of_each, f"{float(run['exchange_bytes_mean']):,.0f}", f"{run['exchange_bytes_most']:,}", *limits]
    return "exchanges", {(f"{name}, `{machine}`", column): value for column, value in zip(EXCHANGES, values)}, [
        note for note in notes if note.startswith("Exchange")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    for machine in arguments.machine or ["rtx3080ti"]:
        for path in arguments.inputs:
            with tempfile.TemporaryDirectory() as work:
                table, cells, notes = (exchanges_of if arguments.processes else table_of)(arguments, machine, path, work)
            print(f"\n{table}:\n\n" + "".join(cell_lines(cells, TITLES[arguments.processes])) + "\n" + "\n".join(notes), flush=True)
            if arguments.write:
                keep_table("executors", table, TITLES[arguments.processes], "bench/executors.py", cells, arguments.build)


if __name__ == "__main__":
    main()
