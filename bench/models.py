#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of models beside measurements of silicon: what our libraries choose and how long it takes in the simulator. `make models`.

Usage: models.py BUILD MEASUREMENTS [--gpu NAME]... [--file NAME]... [--half seen|kept|all] [--rows N] [--at SHAPE]... [--jobs N]
                 [--most SECONDS] [--trust] [--there] [--write] [--programs DIR]

MEASUREMENTS is a folder with llm-gemm.csv and the other files of bench/model_rows.py, which says what a row of each is. Runs are kept in
BUILD/models by the state of what is simulated, so an interrupted command goes on where it was; --trust takes those of any state, --there
runs nothing more and also takes what models.csv has. DIR/pytorch and DIR/vllm are virtual environments with torch 2.1.0, numpy 1.26 and transformers 4.38.1, and
with torch 2.11.0 and vLLM's wheel (bench/programs.sh makes them), whose kernels some rows of llm-layers and llm-attention have; without
them these are left out. --write makes docs/lab/models.csv and the tables of docs/lab/models.md. An --at has the numbers of a row's shape.

Rule of the sample: rows of 5 to 300 us (llm-moe, pytorch-fp32: 2,000; pytorch-models: all), and of these for each file and GPU the 64 with the smallest SHA-256
of the shape, its words joined by commas ("m,n,k" of a product). In that order every other row, beginning with the first, is seen while
kernels are worked on; the others are kept aside until the end. Rows that we have no kernels for are in the sample, and are counted.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

from lab_page import write_between
from model_rows import ATTENTION_WHEEL, BOARDS, EXPERTS_WHEEL, FILES, GRAPH_LAUNCH, RANGES, SCRIPTS, WHOLE_MODEL

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAB = ROOT / "docs" / "lab"
USUAL = ["H100 SXM", "H200 SXM", "A100 SXM 80 GB", "B200"] # of the first file, where no GPU is named
FIRST_KERNELS = "reshape_and_cache_flash_kernel", "topkGating" # of a call by vLLM's wheel
EVEN = 6 # of the words of a layer of experts: 1 where the routing is even
LONG_TURNS = "--set", "sm.steady.turn=1024" # of whole models, whose products take 100,000 cycles and more
SOURCES = ["src", "data/ptx/mathlib", "data/ptx/apps", "apps/gpu/layers", "bench/models"]


# ===== rows of the measurements =====

def place(*words):
    return hashlib.sha256(",".join(map(str, words)).encode()).hexdigest()


def sample(options):
    for name in options.file or ["llm-gemm"]:
        groups = collections.defaultdict(list)
        shortest, longest = RANGES.get(name, RANGES[""])
        for row in FILES[name](options.measurements):
            if shortest <= row.measured <= longest:
                groups[row.gpu].append(row)
        for gpu in options.gpu or (USUAL if name == "llm-gemm" else sorted(groups)):
            rows = sorted(groups[gpu], key=lambda row: place(*row.shape))
            if options.at:
                yield from (row._replace(half="named") for row in rows if ",".join(map(str, row.shape)) in options.at)
                continue
            halves = [row._replace(half="kept" if i % 2 else "seen") for i, row in enumerate(rows[:64])]
            chosen = [row for row in halves if options.half in ("all", row.half)][:options.rows]
            wheel = [row for row in chosen if any(run.program in SCRIPTS for run in row.runs)]
            if wheel and not options.programs and not options.there:
                print(f"{name}, {gpu}: {len(wheel)} rows of a wheel's kernels are left out (--programs)", file=sys.stderr)
                chosen = [row for row in chosen if row not in wheel]
            short = sorted((row for row in chosen if row.runs and row.cost <= options.most), key=lambda row: row.cost)
            without = [row for row in chosen if not row.runs]
            if len(short) + len(without) < len(chosen):
                print(f"{name}, {gpu}: {len(chosen) - len(short) - len(without)} rows of more than {options.most:g} CPU seconds are left "
                      "out (--most)", file=sys.stderr)
            for row in chosen if not options.there else ():
                if row.lacks or row.size and row not in short:
                    print(f"{name}, {gpu}: {' '.join(map(str, row.shape))} is left out: {row.lacks or row.size}", file=sys.stderr)
            yield from short + without


# ===== running =====

def keys_of(options, machine):
    """All keys of a machine, one a line."""
    shown = subprocess.run([options.build / "maniple", "machine", "show", machine], capture_output=True, text=True, check=False).stdout
    return "\n".join(line.split("//")[0].rstrip() for line in shown.splitlines())


def between_graphs(keys):
    """Microseconds by which the first kernel of a graph begins later behind the graph before it than behind a kernel of its own."""
    launch = re.search(r"^launch: \{(.*?)^\};", keys, re.M | re.S)[1]
    kernel, gap, graph = (int(re.search(rf"^ *{name} = (\d+);", launch, re.M)[1]) for name in ("kernel", "gap", "graph"))
    return (kernel + gap - graph) / float(re.search(r'core = "([0-9.]+)MHz"', keys)[1])


def state_of(keys):
    """A hash of all that a simulated time depends on."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words, "--", *SOURCES], capture_output=True, text=True, check=False).stdout
    return hashlib.sha256((git("ls-files", "-s") + git("diff", "HEAD", "--binary") + keys).encode()).hexdigest()[:16]


def short_name(name):
    """The name of a function of PyTorch or vLLM without its types and places; other names as they are."""
    for known in (*FIRST_KERNELS, "FlashAttnFwdSm90", "FlashAttnFwdCombine", "moe_align_block_size_kernel", "count_and_sort_expert_tokens",
                  "act_and_mul_kernel", "moe_sum_kernel"):
        if known in name:
            return known
    left = name.removeprefix("_ZN2at6native")
    while left != name and (count := re.match(r"\d+", left)):
        word, left = left[count.end():count.end() + int(count[0])], left[count.end() + int(count[0]):]
        if not word.startswith("_GLOBAL_"):
            return word
    return name


def replays(run):
    """Whether a run launches a graph for each call itself."""
    return run.program == ATTENTION_WHEEL or "--warm" in run.words or run.program == EXPERTS_WHEEL and run.words[EVEN] == 1


def figures(folder, calls, replayed):
    """Microseconds of the median call, and the names of its kernels: all kernels after `touch`, in equal shares.

    `replayed`: each call is a graph of its own, which the stream requests `launch.gap` after the one before it.
    """
    results = json.loads((folder / "results.json").read_text())
    kernels = [kernel for kernel in results["kernels"] if kernel["name"] != "touch"]
    first = next((i for i, kernel in enumerate(kernels) if any(name in kernel["name"] for name in FIRST_KERNELS)), 0)
    kernels = kernels[first:] # before it are those that make what vLLM's calls are given
    each, clock = len(kernels) // calls, results["machine"]["clock"]["core"]
    gap = results["machine"]["launch"]["gap"] if replayed else 0
    times = [(sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in kernels[i * each:(i + 1) * each]) + gap) / clock * 1e6
             for i in range(calls)]
    grids = ["x".join(map(str, kernel["grid"])) for kernel in kernels[:each]]
    return {"us": statistics.median(times), "kernels": [short_name(kernel["name"]) for kernel in kernels[:each]], "grids": grids,
            "cpu_s": results["run"]["cpu_seconds"]}


def model_figures(folder):
    """Microseconds of a step of a whole model and the half width of their interval of 95 %, from one of each kind of operation.

    All launches of a kind have the error of the one that was timed; errors of kinds add up as squares, what seems late adds up as it is.
    """
    results, kinds = json.loads((folder / "results.json").read_text()), json.loads((folder / "operations.json").read_text())
    clock, gap = results["machine"]["clock"]["core"], results["machine"]["launch"]["gap"]
    times = {kind["number"]: kind["times"] for kind in kinds}
    cycles = squares = late = 0
    longest = collections.Counter()
    for kernel in results["kernels"]:
        number, margin = int(kernel["ranges"][-1].split()[1]), kernel.get("margin", {"chance": 0, "late": 0})
        own = times[number] * (kernel["statistics"]["gpu_sim_cycle"]["value"] + gap)
        cycles, squares, late = cycles + own, squares + (times[number] * margin["chance"]) ** 2, late + times[number] * margin["late"]
        longest[short_name(kernel["name"]), "x".join(map(str, kernel["grid"]))] += own
    most = longest.most_common(6)
    return {"us": cycles / clock * 1e6, "margin": (math.sqrt(squares) + late) / clock * 1e6, "kernels": [name for (name, _), _ in most],
            "grids": [grid for (_, grid), _ in most], "shares": [own / cycles for _, own in most], "cpu_s": results["run"]["cpu_seconds"]}


def name_of(row):
    return row.file, row.gpu, row.half, ("x" if row.file == "llm-gemm" else " ").join(map(str, row.shape))


def written():
    """Rows of docs/lab/models.csv, which --there takes where no run is kept."""
    with open(LAB / "models.csv", newline="", encoding="utf-8") as lines:
        return {(row["file"], row["gpu"], row["half"], row["shape"]):
                {"us": float(row["simulated_us"]), "margin": float(row.get("margin_us") or 0), "kernels": row["kernels"].split("+"), "grids": row["grids"].split("+")}
                for row in csv.DictReader(lines)}


def once(options, machine, run, folder):
    """One run of a program: its median call."""
    folder.mkdir(parents=True, exist_ok=True)
    program = [options.build / run.program]
    if run.program in SCRIPTS:
        program = [(options.programs / run.program.split()[0] / "bin" / "python").absolute(), ROOT / "bench" / "models" / SCRIPTS[run.program]]
    whole = run.program == WHOLE_MODEL
    some = ("--steady", *LONG_TURNS, "--kernels", "nvtx:timed", "--between", "skip") if whole else ()
    words = *map(str, run.words), *((folder / "operations.json",) if whole else ())
    done = subprocess.run([options.build / "maniple", "run", "-q", "--machine", machine, "--threads", "1", "--values", "needed", *some,
                           "-o", folder, "--", *program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{machine} {run.program} {run.words}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return model_figures(folder) if whole else figures(folder, run.calls, replays(run))


def simulate(options, row, states):
    """All runs of a row, one after the other, whose times are added. None: it was not run, or failed."""
    if not row.runs:
        return None
    machine = BOARDS[row.gpu].machine
    folder = options.build / "models" / row.file / machine / "-".join(map(str, row.shape))
    kept = folder / "time.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        if options.trust or options.there or found["state"] == states[machine]:
            return found
    if options.there:
        return options.written.get(name_of(row))
    parts = []
    for i, run in enumerate(row.runs):
        part = once(options, machine, run, folder / str(i))
        if not part:
            return None
        parts.append(part)
    found = {"us": sum(part["us"] for part in parts), "kernels": [name for part in parts for name in part["kernels"]],
             "grids": [grid for part in parts for grid in part["grids"]], "cpu_s": sum(part["cpu_s"] for part in parts),
             "margin": sum(part.get("margin", 0) for part in parts), "state": states[machine]}
    kept.write_text(json.dumps(found))
    return found


# ===== tables =====

def beside(row, between):
    """Microseconds of a call that are not its kernels'. Runs that launch a graph for each call count the way from one to the next."""
    if not row.graphs:
        return row.host
    counted = any(map(replays, row.runs))
    return row.host + (GRAPH_LAUNCH / row.graphs + (0 if counted else between)) / row.calls


def off(row, found):
    return math.log((found["us"] + found["beside"]) / row.measured)


def line_of(row, found):
    name = " + ".join(f"{kernel} ({grid})" for kernel, grid in zip(found["kernels"], found["grids"]))
    margin = f"+-{found['margin']:.2f}" if found.get("margin") else ""
    return (f"{row.gpu:16} {row.half} {' '.join(map(str, row.shape)):>22}: {row.measured:8.2f} us measured"
            f"{f' ({row.other})' if row.other else '':>10}, {found['us']:8.2f}{margin}{found['beside']:+.2f} here, {off(row, found):+.3f}  {name}")


def summary(pairs):
    lines = ["| file | GPU | rows | mean \\|ln\\| | mean ln | within 10 % | a roofline's mean \\|ln\\| | no kernel |\n",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"]
    groups, missing, rows = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for row, found in pairs:
        group = row.file, row.gpu, row.half
        missing[group] += not row.runs
        rows[group] += 1
        if found:
            groups[group].append((off(row, found), math.log((row.roofline + max(found["beside"], 0)) / row.measured)))
    for group in missing:
        errors = groups[group]
        count, ours = len(errors), [mine for mine, _ in errors]
        cells = (f"{sum(map(abs, ours)) / count:.3f} | {sum(ours) / count:+.3f} | {sum(abs(error) < 0.1 for error in ours)} | "
                 f"{sum(abs(line) for _, line in errors) / count:.3f}" if count else " | | | ")
        if count or missing[group] == rows[group]: # others have not been run
            lines.append(f"| `{group[0]}`, {group[2]} | {group[1]} | {count} | {cells} | {missing[group] or ''} |\n")
    return lines


def models_summary(pairs):
    """A line for each whole model that has been run."""
    lines = ["| GPU | half | model | mode | tokens | sequences | measured | simulated, 95 % | ln |\n",
             "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"]
    for row, found in pairs:
        if found and row.file == "pytorch-models":
            name, mode, sequence, batch, _ = row.shape
            lines.append(f"| {row.gpu} | {row.half} | `{name}` | `{mode}` | {sequence} | {batch} | {row.measured / 1e3:.1f} ms | "
                         f"{found['us'] / 1e3:.1f} ± {found['margin'] / 1e3:.1f} ms | {off(row, found):+.3f} |\n")
    return lines


def write(pairs):
    with open(LAB / "models.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["file", "gpu", "half", "shape", "measured_us", "other_us", "simulated_us", "margin_us", "ln", "kernels", "grids"])
        for row, found in pairs:
            if found:
                rows.writerow([*name_of(row), row.measured, row.other, f"{found['us']:.2f}",
                               f"{found['margin']:.2f}" if found.get("margin") else "",
                               f"{off(row, found):.4f}", "+".join(found["kernels"]), "+".join(found["grids"])])
    write_between(LAB / "models.md", "<!-- made by bench/models.py -->\n", "<!-- end -->\n", summary(pairs))
    write_between(LAB / "models.md", "<!-- whole models, made by bench/models.py -->\n", "<!-- end -->\n", models_summary(pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("--gpu", action="append", choices=BOARDS)
    parser.add_argument("--file", action="append", choices=FILES)
    parser.add_argument("--half", choices=["seen", "kept", "all"], default="seen")
    parser.add_argument("--rows", type=int, default=64, help="of each GPU and file, at most")
    parser.add_argument("--at", action="append", metavar="SHAPE", help="rows of this shape alone, in the sample or not")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=float, default=math.inf, metavar="SECONDS", help="leave out rows that would take more CPU time")
    parser.add_argument("--trust", action="store_true", help="take kept runs of any state")
    parser.add_argument("--there", action="store_true", help="the same, and run nothing")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR", help="where DIR/pytorch and DIR/vllm are")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not options.measurements.is_dir():
        sys.exit(f"models.py: there are no measurements in {options.measurements}: MEASUREMENTS=DIR, a folder with llm-gemm.csv")
    options.written = written()
    rows = list(sample(options))
    keys = {machine: keys_of(options, machine) for machine in dict.fromkeys(BOARDS[row.gpu].machine for row in rows if row.runs)}
    states = {machine: state_of(text) for machine, text in keys.items()}
    between = {machine: between_graphs(text) for machine, text in keys.items()}
    pairs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, found in zip(rows, pool.map(lambda row: simulate(options, row, states), rows)):
            pairs.append((row, found))
            if found:
                found["beside"] = beside(row, between[BOARDS[row.gpu].machine])
                print(line_of(row, found), flush=True)
    print("".join(summary(pairs)), end="")
    if options.write:
        write(pairs)
    return not options.there and any(row.runs and found is None for row, found in pairs)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: what has been run is kept, and the same command goes on there.", file=sys.stderr)
        sys.exit(130)
