#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Public programs, drawn by a seed, with time: programs of HeCBench as they are published, with the arguments of their
Makefiles, or with fewer repetitions and smaller sizes (bench/hecbench.csv), on a simulated GPU; without time and with it,
each under a limit of CPU seconds. What is done already is not done again.

  git clone https://github.com/zjin-lcf/HeCBench
  bench/hecbench.py run HeCBench -o runs --maniple build/maniple [--count 100] [--seed 2026] [--seconds 600] [--budget S]
                    [--arguments bench/hecbench.csv]
  bench/hecbench.py table runs      # in Markdown, what has not been run too

Needs nvcc. A program counts as right when it ends with status 0 and prints no word of a failure; what it says of success
stands beside it."""
import argparse
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

NVCC = ["nvcc", "-O2", "-w", "-std=c++17", "-cudart", "shared", "-arch=compute_80", "-code=compute_80",
        "-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset", "-Xcompiler", "-fopenmp"]
LIBRARIES = {"cublas", "cufft", "curand", "cusparse", "cublasLt"}


def git(repository, *words):
    return subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True).stdout


def draw(repository, seed, count):
    names = sorted(n[:-5] for n in git(repository, "ls-tree", "--name-only", "HEAD:src").decode().split() if n.endswith("-cuda"))
    return random.Random(seed).sample(names, min(count, len(names)))


def extract(repository, folder, target):
    """A folder of src, and those files beside it that its Makefile names, as far as they are there."""
    make = git(repository, "show", f"HEAD:src/{folder}/Makefile").decode(errors="replace")
    named = [n for n in re.findall(r"\.\./([\w.+/-]+)", make) if ".." not in n]
    for name in dict.fromkeys([folder, "include", *named]):
        listed = git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD", "src/" + name.rstrip("/"))
        for path in filter(None, listed.decode().split("\0")):
            found = subprocess.run(["git", "-C", repository, "cat-file", "blob", "HEAD:" + path], capture_output=True)
            if found.returncode == 0:
                file = target / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(found.stdout)
    return make


def variable(make, name):
    found = re.search(rf"^{name}\s*:?=\s*((?:.*\\\n)*.*)$", make, re.M)
    return found.group(1).replace("\\\n", " ").split("#")[0].split() if found else []


def sources(make, folder):
    words = [w for w in variable(make, "source") if "$" not in w]
    return words or [p.name for p in sorted(folder.iterdir()) if p.suffix in (".cu", ".cpp", ".c", ".cc")]


def arguments(make):
    """Of the first run that the Makefile makes."""
    found = re.search(r"^\s+(?:\$\(LAUNCHER\)\s+)?\./\S+[ \t]*(.*)$", make.split("run:")[-1], re.M)
    return [w for w in found.group(1).split("#")[0].split() if not re.search(r"[<>|&;$]", w)] if found else []


def compile_one(make, folder):
    extra = []
    for word in make.split():
        if re.fullmatch(r"-[ID]\S+", word) and "$" not in word:
            extra.append(word)
        if word.startswith("-l") and word[2:] in LIBRARIES:
            extra.append(word)
    command = NVCC + ["-I", "../include", *dict.fromkeys(extra), *sources(make, folder), "-o", "program"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=400)
    except subprocess.TimeoutExpired:
        return "nvcc takes longer than 400 s"
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or ["nvcc fails"]
    return re.sub(r"\S*/", "", lines[0])[:120]


def processor_seconds(pid):
    """Of a process and those children of it that have ended; None when it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def limited(command, folder, seconds):
    """Runs a command, which is asked to end when it has had so many seconds of a processor, or, if it waits for something,
    ten times as many of the clock. Says whether it was asked, and what it wrote."""
    asked = None
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        began = time.time()
        while process.poll() is None:
            used, now = processor_seconds(process.pid), time.time()
            if not asked and (used or 0) > seconds or now - began > 10 * seconds:
                asked = asked or now
                process.terminate()
            if asked and now - asked > 60:
                process.kill()
            time.sleep(0.2)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    return bool(asked), subprocess.CompletedProcess(command, process.returncode, *texts)


def simulate(maniple, machine, folder, words, seconds, timed):
    results = folder / ("timed" if timed else "values")
    command = [maniple, "run", "-q", "--machine", machine, "--threads", "1", "-o", results.name,
               *([] if timed else ["--functional"]), "--", "./program", *words]
    began = time.time()
    ended, done = limited(command, folder, seconds)
    row = {"status": done.returncode, "wall": round(time.time() - began, 1)}
    text = done.stdout + done.stderr
    row["fails"] = bool(re.search(r"\bFAIL(ED)?\b|\bmismatch\b|verification failed", text, re.I))
    row["passes"] = bool(re.search(r"\bPASS(ED)?\b|\bsuccess", text, re.I))
    said = [line for line in done.stderr.splitlines() if line.startswith("maniple: error")]
    row["said"] = re.sub(r"\S*/", "", said[0][16:])[:140] if said else ""
    row["last"] = text.strip().splitlines()[-1][-200:] if text.strip() else ""
    try:
        got = json.loads((results / "results.json").read_text())
    except OSError:
        row["end"] = "time limit" if ended else "no results"
        return row
    totals = got["total"]["statistics"]
    row["end"] = "time limit" if ended else got["total"]["end"]
    row["kernels"] = len(got["kernels"])
    row["warp_instructions"] = totals["gpgpu_n_tot_w_icount"]["value"] if totals else 0
    row["cycles"] = sum(k["statistics"]["gpu_sim_cycle"]["value"] for k in got["kernels"]) if timed else 0
    row["cpu"] = round(got["run"]["cpu_seconds"], 1)
    row["memory"] = got["run"]["peak_memory_bytes"]
    return row


def prepare(options, name, folder):
    """The program, compiled once: where it lies, its published arguments, and what was wrong with it."""
    kept = folder / "compiled.json"
    here = folder / "src" / (name + "-cuda")
    if not kept.exists():
        try:
            make = extract(options.repository, name + "-cuda", folder)
            row = {"published": arguments(make), "problem": compile_one(make, here)}
        except subprocess.CalledProcessError:
            row = {"published": [], "problem": "has no Makefile"}
        kept.write_text(json.dumps(row))
    return here, json.loads(kept.read_text())


def run_one(options, name, folder, small):
    here, compiled = prepare(options, name, folder)
    published = compiled["published"]
    row = {"name": name, "published": published, "arguments": small.get(name, " ".join(published)).split()}
    if compiled["problem"]:
        return {**row, "problem": compiled["problem"]}
    maniple = str(pathlib.Path(options.maniple).resolve())
    row["values"] = simulate(maniple, options.machine, here, row["arguments"], options.seconds, False)
    if row["values"]["end"] == "finished" and row["values"].get("status") == 0:
        row["timed"] = simulate(maniple, options.machine, here, row["arguments"], options.seconds, True)
    return row


def read_small(file):
    """Arguments with which the programs are short, by their names."""
    with open(file, newline="") as rows:
        return {row["program"]: row["arguments"] for row in csv.DictReader(rows)}


def run(options):
    output = pathlib.Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    began = time.time()
    names = draw(options.repository, options.seed, options.count)
    small = read_small(options.arguments) if options.arguments else {}
    (output / "plan.json").write_text(json.dumps({
        "seed": options.seed, "machine": options.machine, "seconds": options.seconds, "names": names,
        "commit": git(options.repository, "rev-parse", "--short", "HEAD").decode().strip()}))
    for name in names:
        kept = output / (name + ".json")
        if kept.exists() or options.only and name not in options.only:
            continue
        if options.budget and time.time() - began > options.budget:
            break
        (output / name).mkdir(exist_ok=True)
        if options.compile:
            prepare(options, name, output / name)
        else:
            row = run_one(options, name, output / name, small)
            kept.write_text(json.dumps(row))
        print(name, flush=True)


def describe(row):
    """What became of a program: a word, and a reason."""
    if row is None:
        return "not run", ""
    if "problem" in row:
        return "not compiled", row["problem"]
    last = row.get("timed", row["values"])
    if last["end"] == "time limit":
        return "not finished " + ("with time" if "timed" in row else "without time"), "limit"
    if last["end"] == "no results" and last.get("status") == 0:
        return "no kernel", "nothing is launched"
    if last["end"] != "finished" or last.get("status"):
        return "fails", last.get("said") or f"status {last.get('status')}, {last['end']}"
    if last["fails"]:
        return "wrong", "its own check"
    if row["values"]["fails"]:
        return "right", "own check; by value it fails"
    return ("right" if last["passes"] else "ends"), "own check" if last["passes"] else "no check"


def table(options):
    folder = pathlib.Path(options.folder)
    plan = json.loads((folder / "plan.json").read_text())
    print(f"Seed {plan['seed']}, commit `{plan['commit']}`, `{plan['machine']}`, {plan['seconds']} s each at most.\n")
    print("| program | arguments | outcome | why | kernels | warp instructions | cycles | CPU s | MB |")
    print("| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    counts = {}
    for name in plan["names"]:
        kept = folder / (name + ".json")
        row = json.loads(kept.read_text()) if kept.exists() else None
        outcome, why = describe(row)
        counts[outcome] = counts.get(outcome, 0) + 1
        last = (row or {}).get("timed") or (row or {}).get("values") or {}
        words = " ".join((row or {}).get("arguments", []))
        if row is None and options.tried:
            continue
        print(f"| {name} | {'`' + words + '`' if words else ''} | {outcome} | {why.replace('|', '/')} | {last.get('kernels', '-')} "
              f"| {last.get('warp_instructions', '-')} | {last.get('cycles') or '-'} | {last.get('cpu', '-')} "
              f"| {round(last['memory'] / 1e6) if 'memory' in last else '-'} |")
    print("\n" + ", ".join(f"{outcome}: {count}" for outcome, count in sorted(counts.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("repository")
    runs.add_argument("-o", dest="output", required=True)
    runs.add_argument("--maniple", default="maniple")
    runs.add_argument("--machine", default="rtx3080ti")
    runs.add_argument("--count", type=int, default=100)
    runs.add_argument("--seed", type=int, default=2026)
    runs.add_argument("--seconds", type=int, default=600, help="of a processor, for a run, at most")
    runs.add_argument("--arguments", help="CSV of program and arguments, in place of the published ones")
    runs.add_argument("--compile", action="store_true", help="nothing else yet")
    runs.add_argument("--only", nargs="*", help="of the programs drawn")
    runs.add_argument("--budget", type=int, default=0, help="no further program is begun after so many seconds")
    runs.set_defaults(function=run)
    tables = verbs.add_parser("table")
    tables.add_argument("folder")
    tables.add_argument("--tried", action="store_true", help="leave out what has not been run")
    tables.set_defaults(function=table)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    sys.exit(main())
