#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What windows longer than is safe cost in accuracy: the table of docs/lab/executors.md.

Usage: relaxed.py BUILD [--machine rtx3070] [--windows 64,256,1024] INPUT...
       relaxed.py BUILD [--machine rtx3080ti] [--windows 64,1024] --apps
With --write, rows go into docs/lab/executors.csv, and from there into the page.

For each input and length of windows, how far the six statistics by which Wang & Gao (2020) judge their simulators
deviate from the exact run; of our own workloads, executed with time at the small sizes of their tests, how far the
cycles of their kernels do, and whether their results are right. The figures are simulated: any host gives the same.
"""
import argparse, json, os, subprocess, sys, tempfile

from lab_page import cell_lines, keep_table

SIX = {"gpu_sim_cycle": "cycles", "gpgpu_n_tot_w_icount": "warp instructions", "L1I_total_cache_accesses": "L1I",
       "L2_total_cache_accesses": "L2", "total_dram_reads": "DRAM reads",
       "icnt_total_pkts_mem_to_simt": "packets to SMs"}


def run(arguments, path, executor):
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{arguments.build}/maniple", "run", "-q", "--threads", "1", "--executor", executor, "--machine",
                   arguments.machine, "-o", folder, path]
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            sys.exit(f"{' '.join(command)}: status {result.returncode}\n{result.stderr}")
        with open(f"{folder}/results.json") as file:
            results = json.load(file)
    statistics = results["total"]["statistics"]
    return {name: statistics[name]["value"] for name in SIX}, results["run"]["windows"]


def deviation(exact, value):
    if value == exact:
        return "0"
    return f"{100 * (value - exact) / exact:+.2f} %" if exact else f"{value:+}"


def run_app(arguments, words, executor):
    """The kernels' cycles, and whether the workload has found its results right."""
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{arguments.build}/maniple", "app", "run", *words, "-q", "--threads", "1", "--executor", executor,
                   "--machine", arguments.machine, "-o", folder]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        right = result.returncode == 0 and f"{words[0]}: PASS" in result.stdout
        try:
            with open(f"{folder}/results.json") as file:
                kernels = json.load(file)["kernels"]
        except FileNotFoundError:
            kernels = []
    return sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in kernels), right


def apps(arguments):
    """Cells of our own workloads."""
    sizes = f"{os.path.dirname(os.path.abspath(__file__))}/../tests/apps/sizes.sh"
    lines = subprocess.run(["bash", "-c", f". {sizes}; app_runs"], capture_output=True, text=True, check=True).stdout
    cells = {}
    for line in lines.splitlines():
        exact, right = run_app(arguments, line.split(), "window")
        if not right:  # it asks for another machine
            print(f"left out: {line}", file=sys.stderr)
            continue
        cells[f"`{line}`", "exact: cycles"] = f"{exact:,}"
        for length in arguments.windows.split(","):
            cycles, right = run_app(arguments, line.split(), f"relaxed:{length}")
            cells[f"`{line}`", f"relaxed:{length}"] = deviation(exact, cycles) + ("" if right else ", wrong")
    return cells


def traces(arguments):
    """Cells of traces."""
    cells = {}
    for path in arguments.inputs:
        name = os.path.basename(path).removesuffix(".mtrace")
        name = os.path.basename(os.path.dirname(path)) if name == "kernelslist.g" else name
        exact, windows = run(arguments, path, "window")
        cells.update({(f"{name}, exact", SIX[each]): f"{exact[each]:,}" for each in SIX})
        cells[f"{name}, exact", "windows"] = f"{windows:,}"
        for length in arguments.windows.split(","):
            relaxed, windows = run(arguments, path, f"relaxed:{length}")
            cells.update({(f"{name}, {length}", SIX[each]): deviation(exact[each], relaxed[each]) for each in SIX})
            cells[f"{name}, {length}", "windows"] = f"{windows:,}"
    return cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--apps", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--machine", default="rtx3070")
    parser.add_argument("--windows", default="64,256,1024")
    arguments = parser.parse_intermixed_args()
    table, title = (("relaxed-apps", "workload") if arguments.apps else ("relaxed", "input"))
    title += f", `{arguments.machine}`"
    cells = (apps if arguments.apps else traces)(arguments)
    print("".join(cell_lines(cells, title)), end="")
    if arguments.write:
        keep_table("executors", table, title, "bench/relaxed.py", cells, arguments.build)


if __name__ == "__main__":
    main()
