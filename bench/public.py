#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Public programs (bench/public.csv) on a simulated GPU: each is taken out of its repository, compiled once, for PTX and
for machine code, and run by value, as PTX with time and as machine code with time, each under a limit of CPU seconds.
What is done is not done again, but for what a higher limit may finish.

  mkdir clones; cd clones; git clone https://github.com/zjin-lcf/HeCBench; …  # and NVIDIA/cuda-samples, accel-sim/gpu-app-collection
  bench/public.py run clones -o runs --maniple build/maniple [--seconds 600] [--budget S] [--only NAME…]
  bench/public.py table runs                                  # docs/lab/programs.csv, and tables of docs/lab/programs.md
  bench/public.py draw clones --seed 2027 --count 20          # names of HeCBench, of those that the list does not have

Needs nvcc. A program is right when it ends with status 0 and prints no word of a failure, and what it prints, times aside,
and the files that it writes, are the same with time as by value. Columns of the list: where a program is from; its name; its
arguments; the launches that are timed (empty: all); words for nvcc (its sources among them, where they are not the
Makefile's or all); changes to its sources: NAME=VALUE of a definition, or a regular expression => its replacement; inputs
that are made; by which seed it was drawn; settings of the machine that it needs (host.slack=2MiB where it reads beside what it has
allocated, which hardware does not notice)."""
import argparse
import bz2
import csv
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

from lab_page import keep_rows

NVCC = ["nvcc", "-O2", "-w", "-std=c++17", "-cudart", "shared", "-arch=compute_80", "-code=compute_80,sm_86",
        "-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset"]
LIBRARIES = {"cublas", "cufft", "curand", "cusparse", "cublasLt"}
SECONDS_TO_COMPILE = 120  # of a processor, for each step of nvcc
MODES = {"values": ["--functional", "--code", "ptx"], "ptx": ["--code", "ptx"], "sass": ["--code", "sass"]}
# Repository; where the folders of its programs are, as a regular expression round the name; what they all need.
SUITES = {
    "polybench": ("gpu-app-collection", r"src/cuda/polybench-gpu-1.0/CUDA/[^/]*(?=/{}\.cu$)", ["src/cuda/polybench-gpu-1.0/common"], []),
    "rodinia": ("gpu-app-collection", r"src/cuda/rodinia/3.1/cuda/{}(?=/)", [], []),
    "ispass": ("gpu-app-collection", r"src/cuda/ispass-2009/{}(?=/)", ["src/cuda/common"],
               ["-I.", "-I", "../../common/inc", "../../common/lib/libcutil_x86_64.a"]),
    "samples": ("cuda-samples", r"Samples/[^/]*/{}(?=/)", ["Common"], ["-I", "../../../Common", "-Xcompiler", "-fopenmp"]),
    "hecbench": ("HeCBench", r"src/{}-cuda(?=/)", ["src/include"], ["-I", "../include"]),
}
HEADS = {"polybench": "Polybench/GPU 1.0", "rodinia": "Rodinia 3.1", "ispass": "ISPASS-2009", "samples": "cuda-samples",
         "hecbench": "HeCBench", "2026": "HeCBench, drawn by the seed 2026", "2027": "HeCBench, drawn by the seed 2027"}
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "lab" / "programs.csv"
COLUMNS = ["suite", "program", "arguments", "outcome", "why", "kernels", "warp instructions", "cycles as PTX", "cycles as machine code", "ratio",
           "CPU s as PTX", "CPU s as machine code", "MB"]
TIMES = re.compile(r"time|\btook\b|second|\bm?s\b|[mun]s\b|sec|/s|flop|rate|bandwidth|throughput|clock|speed|perf|elapsed|maniple", re.I)


def git(repository, *words):
    return subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True).stdout


def files_of(repository):
    """All files of a repository's last commit."""
    return git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]


def extract(repository, files, folders, target):
    for path in files:
        if any(path == f or path.startswith(f + "/") for f in folders):
            found = subprocess.run(["git", "-C", repository, "cat-file", "blob", "HEAD:" + path], capture_output=True)
            if found.returncode == 0:
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_bytes(found.stdout)


def unpack(folder):
    """Inputs that lie there packed."""
    for path in list(folder.iterdir()):
        if re.search(r"\.(tgz|tar\.\w+)$", path.name):
            with tarfile.open(path) as packed:
                packed.extractall(folder, filter="data")
        elif path.suffix == ".bz2":
            path.with_suffix("").write_bytes(bz2.decompress(path.read_bytes()))


def variable(make, name):
    found = re.search(rf"^{name}\s*:?=\s*((?:.*\\\n)*.*)$", make, re.M)
    return found.group(1).replace("\\\n", " ").split("#")[0].split() if found else []


def sources(make, folder):
    words = [w for w in variable(make, "source") if "$" not in w]
    return words or [p.name for p in sorted(folder.iterdir()) if p.suffix in (".cu", ".cpp", ".c", ".cc")]


def change(folder, edits):
    """Changes to the sources of a program, each made wherever it fits; what fits nowhere is an error."""
    texts = {p: p.read_text(errors="surrogateescape") for p in folder.rglob("*") if p.suffix in (".cu", ".cuh", ".h", ".cpp", ".hpp", ".c", ".config")}
    for edit in filter(None, edits.split(" ;; ")):
        before, arrow, after = edit.partition(" => ")
        if not arrow:
            name, _, value = edit.partition("=")
            before, after = rf"(#\s*define\s+{name}\s+|\b{name}\s*=\s*)[^;,\n]+", rf"\g<1>{value}"
        changed = {p: re.sub(before, after, text) for p, text in texts.items()}
        if changed == texts:
            raise ValueError(f"nothing to change: {edit}")
        texts = changed
    for path, text in texts.items():
        path.write_text(text, errors="surrogateescape")


def make_inputs(folder, text):
    """Files of random numbers (NAME:COUNT:LOW:HIGH) and graphs for bfs (NAME:NODES), the same each time."""
    for name, first, *bounds in (word.split(":") for word in text.split()):
        rnd = random.Random(name)
        if bounds:
            low, high = map(float, bounds)
            words = "".join(f"{rnd.uniform(low, high):.6f}\n" for _ in range(int(first)))
        else:
            counts = [rnd.randint(1, 6) for _ in range(int(first))]
            words = f"{first}\n" + "".join(f"{sum(counts[:i])} {n}\n" for i, n in enumerate(counts)) + f"\n0\n\n{sum(counts)}\n"
            words += "".join(f"{rnd.randrange(int(first))} {rnd.randint(1, 10)}\n" for _ in range(sum(counts)))
        (folder / name).write_text(words)


def compile_one(make, folder, common, words):
    extra = [w for w in make.split() if re.fullmatch(r"-[ID](?!DEBUG)[^$]+|--e\w+-\S+", w) or w.startswith("-l") and w[2:] in LIBRARIES]
    extra += ["-Xcompiler", "-fopenmp"] if "-fopenmp" in make else []
    given = [w for w in words if w.endswith((".cu", ".cpp", ".c"))] or sources(make, folder)
    rest = [w for w in words if w not in given]
    command = NVCC + [*extra, *given, *rest, *common, "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_TO_COMPILE,) * 2))
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or [f"nvcc fails, or takes longer than {SECONDS_TO_COMPILE} s"]
    return re.sub(r"\S*/", "", lines[0])[:120]


def processor_seconds(pid):
    """Of a process and those children of it that have ended; None when it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def limited(command, folder, seconds):
    """Runs a command, which is asked to end when it has had so many seconds of a processor, or when it has had next to nothing
    of one for two minutes: it waits for something. Says whether it was asked, and what it wrote."""
    asked = None
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        seen, then = 0, time.time()
        while process.poll() is None:
            used, now = processor_seconds(process.pid) or 0, time.time()
            if used > seen + 0.02:
                seen, then = used, now
            if not asked and (used > seconds or now - then > 120):
                asked = now
                process.terminate()
            if asked and now - asked > 300:
                process.kill()
            time.sleep(0.2)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    return bool(asked), subprocess.CompletedProcess(command, process.returncode, *texts)


def signature(text, folder, began):
    """Of what a program printed, lines with times aside, and of the files that it wrote."""
    said = hashlib.sha1("\n".join(line for line in text.splitlines() if not TIMES.search(line)).encode())
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.stat().st_mtime >= began:
            said.update(path.name.encode() + path.read_bytes())
    return said.hexdigest()[:12]


def simulate(options, folder, row, mode):
    results = folder / ("results-" + mode)
    chosen = ["--kernels", row["launches"]] if row["launches"] and mode != "values" else []
    settings = [word for setting in (row["settings"] or "").split() for word in ("--set", setting)]
    command = [str(pathlib.Path(options.maniple).resolve()), "run", "-q", "--machine", options.machine, "--threads", "1", "-o",
               results.name, *MODES[mode], *chosen, *settings, "--", "./program", *row["arguments"].split()]
    began = time.time()
    ended, done = limited(command, folder, options.seconds)
    found = {"status": done.returncode, "limit": options.seconds if ended else 0}
    text = re.sub("[Aa]ssert(ion `.*[`'])? failed|a failed assertion", "", done.stdout + done.stderr)
    found["fails"] = bool(re.search(r"\bFAIL(ED)?\b|\bmismatch\b|verification failed", text, re.I))
    found["passes"] = bool(re.search(r"\bPASS(ED)?\b|\bsuccess", text, re.I))
    found["signature"] = signature(re.sub(r"(?s)Machine \S+: .*^State hash.*?$", "", done.stdout, flags=re.M), folder, began)
    said = [line for line in done.stderr.splitlines() if line.startswith("maniple: error")]
    found["said"] = re.sub(r"\S*/", "", said[0][16:])[:300] if said else ""
    found["last"] = text.strip()[-400:]
    try:
        got = json.loads((results / "results.json").read_text())
    except OSError:
        found["end"] = "time limit" if ended else "no results"
        return found
    totals = got["total"]["statistics"]
    found["end"] = "time limit" if ended else got["total"]["end"]
    found["kernels"] = len(got["kernels"])
    found["warp_instructions"] = totals["gpgpu_n_tot_w_icount"]["value"] if totals else 0
    found["cycles"] = sum(k["statistics"]["gpu_sim_cycle"]["value"] for k in got["kernels"]
                          if "gpu_sim_cycle" in k["statistics"]) if mode != "values" else 0
    found["cpu"] = round(got["run"]["cpu_seconds"], 2)
    found["memory"] = got["run"]["peak_memory_bytes"]
    return found


def prepare(options, row, target):
    """The program, compiled once: where it lies, and what was wrong with it."""
    clone, pattern, needed, common = SUITES[row["suite"]]
    repository = os.path.join(options.clones, clone)
    if clone not in options.files:
        options.files[clone] = files_of(repository)
    files = options.files[clone]
    found = [m for m in (re.match(pattern.format(re.escape(row["program"])), f) for f in files) if m]
    if not found:
        return None, "is not in the repository"
    here = target / found[0].group()
    kept, key = target / "compiled.json", [row[k] for k in ("words", "changes", "inputs")] + re.findall(r"\.\./\S+", row["arguments"])
    before = json.loads(kept.read_text()) if kept.exists() else None
    if before and before["key"] == key:
        return here, before["problem"]
    extract(repository, files, [found[0].group(), *needed], target)
    make = (here / "Makefile").read_text(errors="replace") if (here / "Makefile").exists() else ""
    if row["suite"] == "hecbench":
        beside = [f"src/{n.rstrip('/')}" for n in re.findall(r"\.\./([\w.+/-]+)", make + " " + row["arguments"]) if ".." not in n]
        extract(repository, files, beside, target)
        unpack(here)
    change(here, row["changes"])
    make_inputs(here, row["inputs"])
    problem = compile_one(make if row["suite"] in ("hecbench", "ispass") else "", here, common, row["words"].split())
    kept.write_text(json.dumps({"key": key, "problem": problem}))
    return here, problem


def run_one(options, row, target, done):
    """One program in all modes, as far as it has not been; what has become of it is kept behind each."""
    here, problem = prepare(options, row, target)
    if problem:
        return {"problem": problem}
    for mode in MODES:
        before = done.get(mode)
        if not before or 0 < before["limit"] < options.seconds:
            done[mode] = simulate(options, here, row, mode)
        if done[mode]["end"] != "finished":
            break
    return done


def same_row(one, other):
    """Columns that are empty, or not there, say the same."""
    return all((one.get(k) or "") == (other.get(k) or "") for k in {*one, *other})


def read_list():
    with open(pathlib.Path(__file__).with_name("public.csv"), newline="") as rows:
        return list(csv.DictReader(rows))


def run(options):
    output = pathlib.Path(options.output).resolve()
    options.files = {}
    began = time.time()
    for row in read_list():
        name = row["suite"] + "-" + row["program"]
        if options.only and row["program"] not in options.only and name not in options.only:
            continue
        if options.budget and time.time() - began > options.budget:
            break
        target = output / name
        target.mkdir(parents=True, exist_ok=True)
        kept = output / (name + ".json")
        done = json.loads(kept.read_text()) if kept.exists() else {}
        if done.get("problem") or not same_row(done.get("row", row), row):
            done = {}
        try:
            done = {**run_one(options, row, target, done), "row": row}
        except ValueError as error:
            done = {"problem": str(error), "row": row}
        kept.write_text(json.dumps(done, indent=1))
        print(name, *describe(done), *(f"{m}: {done[m].get('cpu')} s" for m in MODES if m in done), flush=True)


def describe(done):
    """What became of a program: a word, and a reason."""
    if "problem" in done:
        return "not compiled", done["problem"]
    ways = [done[mode] for mode in MODES if mode in done]
    last = ways[-1]
    way = dict(zip(MODES, ("by value", "as PTX", "as machine code")))[[m for m in MODES if m in done][-1]]
    if last["end"] == "time limit":
        return "not finished", f"{way}: {last['limit']} s"
    if last["end"] == "no results" and last.get("status") == 0:
        return "no kernel", "nothing is launched"
    if last["end"] != "finished" or last.get("status") or "outside every allocation" in (last.get("said") or ""):
        way = "by value too" if ways[0].get("status") else way
        return "fails", f"{way}: " + (last.get("said") or f"status {last.get('status')}, {last['end']}")
    if ways[1]["fails"] or ways[2]["fails"]:
        return "wrong", "its own check, " + ("by value too" if ways[0]["fails"] else "as PTX" if ways[1]["fails"] else "as machine code")
    same = len({w["signature"] for w in ways}) == 1
    if ways[1]["passes"]:
        return "right", "own check" + ("; by value it fails" if ways[0]["fails"] else "")
    return ("right", "same output") if same else ("ends", "no check")


def kept_rows(folder):
    for row in read_list():
        kept = pathlib.Path(folder) / f"{row['suite']}-{row['program']}.json"
        yield row, json.loads(kept.read_text()) if kept.exists() else None


def number(value, form="{}"):
    return form.format(value) if value else ""


def line(done):
    """A program's row of docs/lab/programs.csv, behind its suite."""
    row, (outcome, why) = done["row"], describe(done)
    ptx, sass = done.get("ptx") or {}, done.get("sass") or {}
    both = all(w.get("end") == "finished" and w.get("cycles") for w in (ptx, sass))
    words = [row["arguments"], row["launches"] and f"launches {row['launches']}", row["changes"] and "changed"]
    return [row["program"], ", ".join(filter(None, words)), outcome, why, number(ptx.get("kernels")), number(ptx.get("warp_instructions")),
            number(ptx.get("cycles")), number(sass.get("cycles")), number(sass["cycles"] / ptx["cycles"] if both else 0, "{:.2f}"),
            number(ptx.get("cpu"), "{:.1f}"), number(sass.get("cpu"), "{:.1f}"), number(ptx.get("memory", 0) / 1e6, "{:.0f}")]


def mean_ratio(rows):
    logs = [math.log(float(row["ratio"])) for row in rows if row["ratio"]]
    return math.exp(statistics.fmean(logs)) if logs else 1


def summary(head, count, rows):
    """A suite's line of the table."""
    right, ends = (sum(row["outcome"].startswith(which) for row in rows) for which in ("right", "ends"))
    most = max((int(row["warp instructions"] or 0) for row in rows), default=0)
    return (f"| {head} | {count} | {right} | {ends} | {len(rows) - right - ends} | {count - len(rows)} | {most:,} "
            f"| {mean_ratio(rows):.2f} |")


def table(options):
    groups = {head: [] for head in HEADS.values()}
    for row, done in kept_rows(options.folder):
        groups[HEADS[row["drawn"] or row["suite"]]].append((row["program"], done))
    rows = keep_rows(options.csv, COLUMNS, [[head, *line(done)] for head, mine in groups.items() for _, done in mine if done])
    print("| suite | programs | right | end, without a check | not right | not run | warp instructions, greatest "
          "| cycles of machine code / of PTX, geometric mean |\n| --- |" + " ---: |" * 7)
    others, missing = [], []
    for head, listed in groups.items():
        mine = [row for row in rows if row["suite"] == head]
        print(summary(head, len(listed), mine))
        others += [f"| {row['program']} | {row['outcome']} | {row['why'].replace('|', '/')} |" for row in mine
                   if not row["outcome"].startswith(("right", "ends"))]
        names = sorted({name for name, _ in listed} - {row["program"] for row in mine})
        missing += [f"of {head} {', '.join(names)}"] if names else []
    print("\n| program | outcome | why |\n| --- | --- | --- |\n" + "\n".join(others) + "\n\nNot run: " + "; ".join(missing) + ".")
    totals([row for row in rows if row["suite"] in groups])


def totals(rows):
    speeds = [int(row["warp instructions"]) / float(row["CPU s as PTX"]) / 1e6 for row in rows
              if float(row["CPU s as PTX"] or 0) > 0.5 and "launches" not in row["arguments"]]
    print(f"\n{sum(row['outcome'] == 'right' for row in rows)} right. With time: {sum(bool(row['cycles as PTX']) for row in rows)} as PTX, "
          f"{sum(bool(row['cycles as machine code']) for row in rows)} as machine code; median "
          f"{statistics.median(speeds):.2f} M warp instructions a CPU second (of {len(speeds)} that took more than 0.5 s and were timed "
          f"whole); memory at most {max(float(row['MB'] or 0) for row in rows):.0f} MB; cycles of machine code {mean_ratio(rows):.3f} of "
          "PTX's (geometric mean)")


def draw(options):
    known = {r["program"] for r in read_list() if r["suite"] == "hecbench" and r["drawn"] != str(options.seed)}
    listed = git(os.path.join(options.clones, "HeCBench"), "ls-tree", "--name-only", "HEAD:src").decode().split()
    names = sorted(n[:-5] for n in listed if n.endswith("-cuda"))
    print(*random.Random(options.seed).sample([n for n in names if n not in known], options.count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("clones")
    runs.add_argument("-o", dest="output", required=True)
    runs.add_argument("--maniple", default="maniple")
    runs.add_argument("--machine", default="rtx3080ti")
    runs.add_argument("--seconds", type=int, default=600, help="of a processor, for a run, at most")
    runs.add_argument("--only", nargs="*", help="of the list")
    runs.add_argument("--budget", type=int, default=0, help="no further program is begun after so many seconds")
    runs.set_defaults(function=run)
    tables = verbs.add_parser("table")
    tables.add_argument("folder")
    tables.add_argument("--csv", type=pathlib.Path, default=PROGRAMS, help="rows of all programs: docs/lab/programs.csv otherwise")
    tables.set_defaults(function=table)
    draws = verbs.add_parser("draw")
    draws.add_argument("clones")
    draws.add_argument("--seed", type=int, default=2026)
    draws.add_argument("--count", type=int, default=20)
    draws.set_defaults(function=draw)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    sys.exit(main())
