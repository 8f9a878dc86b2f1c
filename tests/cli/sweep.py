#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`maniple sweep`: every run of a plan is made once, whoever makes it; it is what `maniple run` gives; tables, effects and
fronts are computed again here; what fails or is interrupted loses nothing. Usage: sweep.py MANIPLE TRACEGEN"""
import csv
import itertools
import json
import math
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])


def maniple(*words, **options):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


PLAN = """machines = ["rtx3070"];
inputs = ["tiles/kernelslist.g", "adds/kernelslist.g"];
vary = (
  { key = "launch.kernel"; values = [1000, 3000]; },
  { key = "sm.count"; from = 8; to = 32; factor = 2; }
);
objectives = ["time", "sm.count"];
"""


def listed(*words):
    done = maniple("sweep", *words, "--list")
    assert done.returncode == 0, done.stderr
    return [line.split(" ", 3) for line in done.stdout.splitlines()]


def folders(path):
    return sorted(each.name for each in pathlib.Path(path).iterdir())


def without_host(path):
    results = json.loads(path.read_text())
    results.pop("run")
    return results


def check_runs():
    pathlib.Path("plan.cfg").write_text(PLAN)
    begin = time.monotonic()
    done = maniple("sweep", "plan.cfg", "-o", "all", "--jobs", 2)
    minutes = (time.monotonic() - begin) // 60
    runs = listed("plan.cfg", "-o", "all")
    ok(done.returncode == 0 and len(runs) == 12 and "12 of 12 runs done" in done.stderr and "\033" not in done.stderr,
       "a grid of 2 settings, 3 sizes and 2 inputs is made, without colours in a pipe", done.stderr)
    ok(1 <= done.stderr.count("runs done") <= 1 + minutes, "where no terminal is, progress is told once a minute at most", done.stderr)
    ok(folders("all") == sorted(run[1] for run in runs) and {run[2] for run in runs} == {"done"},
       "each run has a folder of its name")
    maniple("run", "-q", "--machine", "rtx3070", "--set", "launch.kernel=3000", "--set", "sm.count=8", "-o", "direct",
            "adds/kernelslist.g")
    name = next(run[1] for run in runs if run[3].endswith("launch.kernel=3000 --set sm.count=8 adds/kernelslist.g"))
    ok(without_host(pathlib.Path("all", name, "results.json")) == without_host(pathlib.Path("direct/results.json")),
       "with the results that `maniple run` gives")
    before = {each: os.stat(pathlib.Path("all", each, "results.json")).st_mtime_ns for each in folders("all")}
    shutil.rmtree(pathlib.Path("all", name))
    done = maniple("sweep", "plan.cfg", "-o", "all", "--threads", 2)
    after = {each: os.stat(pathlib.Path("all", each, "results.json")).st_mtime_ns for each in folders("all")}
    changed = [each for each in after if before.get(each) != after[each]]
    ok(changed == [name] and "11 of them before" in done.stderr, "what is there is not made again, on other threads either",
       changed, done.stderr)
    ok(without_host(pathlib.Path("all", name, "results.json")) == without_host(pathlib.Path("direct/results.json")),
       "and what is made anew is the same")
    return runs


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def check_summary():
    done = maniple("sweep", "plan.cfg", "-o", "all", "--summary", "sum")
    rows = list(csv.DictReader(open("sum.csv", newline="")))
    ok(done.returncode == 0 and len(rows) == 12 and not done.stderr, "the table has all runs", done.stderr)
    ok(all(row["launch.kernel"] == row["kernel_launch_cycle"] for row in rows), "each with what was set")
    ok(all(math.isclose(float(row["time_us"]), int(row["gpu_sim_cycle"]) / 1132, rel_tol=1e-12) for row in rows),
       "times are those of cycles at 1132 MHz")
    for key, value in (("launch.kernel", "3000"), ("sm.count", "16"), ("sm.count", "8")):
        expected = mean([float(row["time_us"]) for row in rows if row[key] == value])
        ok(f"  {value:24} {expected:16.3f}" in done.stdout, f"the mean of {key}={value} is the geometric mean", expected,
           done.stdout)
    columns = {row["name"]: row for row in csv.DictReader(open("sum-columns.csv", newline=""))}
    ok(set(columns) == set(rows[0]) & set(columns) and len(columns) > 50 and columns["gpu_sim_cycle"]["unit"] == "cycle",
       "what each statistic is stands beside the table", len(columns))
    points = {}
    for row in rows:
        points.setdefault((row["launch.kernel"], int(row["sm.count"])), []).append(float(row["time_us"]))
    means = {key: mean(values) for key, values in points.items()}
    front = {key for key in means if not any(
        other[1] <= key[1] and means[other] <= means[key] and (other[1], means[other]) != (key[1], means[key])
        for other in means)}
    ok("Front of time (us), less is better, and sm.count, less is better\n" in done.stdout, "the front states units")
    text = done.stdout.split("Front of", 1)[1]
    shown = {(launch, sms) for launch, sms in means if f"launch.kernel={launch} sm.count={sms}\n" in text}
    ok(shown == front and len(front) == 3, "the front has what nothing dominates", shown, front)
    drawing = pathlib.Path("sum.svg").read_text()
    ok(drawing.count("<circle") == len(means) and drawing.count('fill="none">') == len(means) - len(front),
       "and its drawing a point for each configuration")
    table = maniple("merge", *(pathlib.Path("all", each) for each in folders("all")), "-o", "merged.sqlite")
    ok(table.returncode == 0, "runs of a sweep can be merged", table.stderr)


def check_incomplete():
    """Some runs of a whole sweep are hidden: effects and gains are those of pairs that are there, and say so."""
    runs = {(re.search(r"kernel=(\d+)", run[3])[1], re.search(r"count=(\d+)", run[3])[1], run[3].split()[-1]): run[1]
            for run in listed("plan.cfg", "-o", "all")}
    times = {row["name"]: float(row["time_us"]) for row in csv.DictReader(open("sum.csv", newline=""))}
    hidden = {("3000", "16", "tiles/kernelslist.g"), ("1000", "8", "adds/kernelslist.g")}
    for key, name in runs.items():
        if key not in hidden:
            shutil.copytree(pathlib.Path("all", name), pathlib.Path("some", name))
    done = maniple("sweep", "plan.cfg", "-o", "some", "--summary", "some-sum")
    odd = []
    for axis, place, first in (("launch.kernel", 0, "1000"), ("sm.count", 1, "8")):
        for value in dict.fromkeys(key[place] for key in runs):
            pairs = [(times[runs[key]], times[runs[key[:place] + (first,) + key[place + 1:]]]) for key in runs
                     if key[place] == value and not {key, key[:place] + (first,) + key[place + 1:]} & hidden]
            planned = sum(key[place] == value for key in runs)
            here, there = (mean([pair[i] for pair in pairs]) for i in range(2))
            line = f"  {value:24} {here:16.3f}  {100 * (here / there - 1):+8.2f} %"
            line += f"  {len(pairs)} of {planned}\n" if len(pairs) < planned else "\n"
            if line not in done.stdout.split(f"{axis}: up to x", 1)[1]:
                odd.append(line)
    ok(done.returncode == 0 and not odd, "effects of an incomplete sweep are of runs whose counterparts are there", odd, done.stdout)
    words = "incomplete: 10 of 12 runs"
    ok(all(words in pathlib.Path(name).read_text() for name in ("some-sum.svg", "some-sum-by-input.svg", "some-sum-by-input.tex"))
       and done.stdout.count(words) == 2 and re.search(r"\n  pairs that are there +4/6\n", done.stdout),
       "drawings, LaTeX and the tables say that it is incomplete", done.stdout)
    rows = list(csv.DictReader(open("some-sum.csv", newline="")))
    ok({(row["runs_done"], row["runs_planned"]) for row in rows} == {("10", "12")}, "and so do rows of the CSV file")
    rows = {(row["input"], row["launch.kernel"]): (row["pairs_done"], row["pairs_planned"])
            for row in csv.DictReader(open("some-sum-by-input.csv", newline="")) if row["machine"] == "all"}
    ok(rows["tiles/kernelslist.g", "3000"] == rows["adds/kernelslist.g", "3000"] == ("2", "3") and
       rows["geometric mean", "3000"] == ("4", "6"), "pairs of each gain are counted", rows)
    for key, name in runs.items():
        if key[:2] not in (("1000", "8"), ("3000", "16")):
            shutil.rmtree(pathlib.Path("some", name), ignore_errors=True)
    done = maniple("sweep", "plan.cfg", "-o", "some", "--summary", "some-sum")
    ok(done.returncode == 0 and "nan" not in done.stdout and "%" not in done.stdout and
       "sm.count: no run is there whose counterpart with 8 is\n" in done.stdout, "without pairs nothing is compared", done.stdout)
    maniple_said = maniple("report", "some").stderr
    ok("some: is a folder of runs; give these: some/*" in maniple_said, "a report on the folder of a sweep names its runs", maniple_said)
    pathlib.Path("other-file.cfg").write_text('machine: { name = "slow"; kind = "gpu"; architecture = 86; extends = "rtx3070"; '
                                              'description = "x"; };\nlaunch: { kernel = 4000; };\n')
    pathlib.Path("files.cfg").write_text('machines = ["rtx3070", "other-file.cfg"]; inputs = ["tiles/kernelslist.g", "adds/kernelslist.g"]; '
                                         'compare = "machine"; objectives = ["max:gpgpu_n_tot_w_icount"]; options = ["--energy"];')
    maniple("sweep", "files.cfg", "-o", "files", "--jobs", 2)
    done = maniple("sweep", "files.cfg", "-o", "files", "--summary", "files-sum")
    ok("  slow " in done.stdout and " slow\n" in done.stdout and "other-file" not in done.stdout + pathlib.Path("files-sum-by-input.tex").read_text(),
       "a machine file is shown by its name", done.stdout)
    pathlib.Path("files.cfg").write_text(pathlib.Path("files.cfg").read_text().replace("max:gpgpu_n_tot_w_icount", "energy"))
    done = maniple("sweep", "files.cfg", "-o", "files", "--summary", "files-sum")
    ok(re.search(r"  slow +\d{7,} +[+-]\d", done.stdout), "energies have no decimals", done.stdout)
    for shape in ("list", "random"):
        text = PLAN.replace("[1000, 3000]", "[1000, 3000, 3000]" if shape == "list" else "[1000, 3000]") + f'plan = "{shape}"; samples = 5;'
        pathlib.Path(f"{shape}.cfg").write_text(text)
        maniple("sweep", f"{shape}.cfg", "-o", "all")
        done = maniple("sweep", f"{shape}.cfg", "-o", "all", "--summary", shape)
        rows = list(csv.DictReader(open(f"{shape}.csv", newline="")))
        name = (lambda row: row["launch.kernel"] + ", " + row["sm.count"]) if shape == "list" else (lambda row: row["sm.count"])
        means = {key: mean([float(row["time_us"]) for row in rows if name(row) == key]) for key in set(map(name, rows))}
        ok("nan" not in done.stdout and all(f"  {key:24} {value:16.3f}" in done.stdout for key, value in means.items()),
           f"effects of a plan {shape} are means of its points", means, done.stdout)


APPS = """machines = ["rtx3070", "rtx2060"];
apps = ( "vecadd", ["sgemm", "--size", "64"], ["transpose", "--width", "96", "--height", "64"] );
vary = ( { key = "sm.l1d.replacement"; values = ["lru", "fifo"]; }, { key = "latency.l2"; values = [200, 260, 230]; } );
compare = "latency.l2";
objectives = ["kernel-time"];
"""
STUDENT = 4.303  # 95 % of two sides, two degrees of freedom


def check_workloads():
    """The comparison by input is computed again from each run's own results.json."""
    if "libasan" in subprocess.run(["ldd", MANIPLE], capture_output=True, text=True).stdout:
        ok(True, "workloads as inputs # SKIP the sanitizer's runtime cannot be in the program")
        return
    pathlib.Path("apps.cfg").write_text(APPS)
    made = maniple("sweep", "apps.cfg", "-o", "apps", "--jobs", 2)
    if "maniple-apps is neither" in made.stderr:
        ok(True, "workloads as inputs # SKIP they are not built")
        return
    done = maniple("sweep", "apps.cfg", "-o", "apps", "--summary", "apps-sum")
    rows = list(csv.DictReader(open("apps-sum.csv", newline="")))
    ok(made.returncode == done.returncode == 0 and len(rows) == 36 and not done.stderr, "our own workloads are inputs",
       made.stderr, done.stderr)
    times, odd = {}, []
    for row in rows:
        results = json.loads(pathlib.Path("apps", row["name"], "results.json").read_text())
        cycles = sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in results["kernels"])
        clock = {"rtx3070": 1132e6, "rtx2060": 1365e6}[row["machine"]]
        times[row["input"].split()[0], row["machine"], row["sm.l1d.replacement"], row["latency.l2"]] = cycles
        if not math.isclose(float(row["kernel_time_us"]), 1e6 * cycles / clock, rel_tol=1e-9) or not (
                float(row["kernel_time_us"]) < float(row["time_us"])):
            odd.append((row["input"], row["kernel_time_us"], cycles))
    ok(not odd, "the kernels' time is the sum of their cycles at the core clock, and less than the run's", odd[:3])
    apps, machines, policies = (list(dict.fromkeys(key[i] for key in times)) for i in range(3))
    by_input = {(row["label"], row["machine"], row["latency.l2"]): [float(row[name]) for name in ("ratio", "low", "high")]
                for row in csv.DictReader(open("apps-sum-by-input.csv", newline=""))}
    odd, logs = [], {}
    for value in ("200", "260", "230"):
        for places in (*([machine] for machine in machines), machines):
            name = places[0] if len(places) == 1 else "all"
            means = []
            for app in apps:
                ratios = [times[app, machine, policy, "200"] / times[app, machine, policy, value]
                          for machine in places for policy in policies]
                means.append(mean(ratios))
                wanted = (means[-1], min(ratios), max(ratios))
                if not all(abs(a - b) < 2e-6 for a, b in zip(by_input[app, name, value], wanted)):
                    odd.append((app, name, value))
            centre = [math.log(each) for each in means]
            middle = sum(centre) / len(centre)
            half = STUDENT * math.sqrt(sum((each - middle) ** 2 for each in centre) / (len(centre) - 1) / len(centre))
            wanted = (math.exp(middle), math.exp(middle - half), math.exp(middle + half))
            logs[name, value] = wanted[0]
            if not all(abs(a - b) < 2e-6 for a, b in zip(by_input["geometric mean", name, value], wanted)):
                odd.append(("mean", name, value, by_input["geometric mean", name, value], wanted))
    ok({row["input"] for row in csv.DictReader(open("apps-sum-by-input.csv", newline=""))} - {"geometric mean"} ==
       {row["input"] for row in rows}, "inputs have the names that they have in the table of runs, and labels beside them")
    ok(not odd and len(by_input) == 4 * 3 * 3, "ratios by input, their ends, means and intervals are those of all runs", odd[:4])
    ok(f"{'geometric mean':24} {logs['all', '260']:8.3f} {logs['all', '230']:8.3f}\n" in done.stdout and logs["all", "260"] < 1,
       "and the table says so", done.stdout)
    odd, crossed = [], {(row["key"], row["value"], row["with"], row["with_value"]): row
                        for row in csv.DictReader(open("apps-sum-interactions.csv", newline=""))}
    for value in ("260", "230"):
        logs = [sum(math.log(times[app, each, "fifo", value] / times[app, each, "lru", value]) -
                    math.log(times[app, each, "fifo", "200"] / times[app, each, "lru", "200"]) for each in machines) / len(machines) for app in apps]
        middle = sum(logs) / len(logs)
        half = STUDENT * math.sqrt(sum((each - middle) ** 2 for each in logs) / (len(logs) - 1) / len(logs))
        row = crossed["sm.l1d.replacement", "fifo", "latency.l2", value]
        if not all(abs(float(row[name]) - math.exp(wanted)) < 2e-6 for name, wanted in
                   (("ratio", middle), ("low", middle - half), ("high", middle + half))) or row["contexts_done"] != "6":
            odd.append((row, middle, half))
        logs = [sum(math.log(times[app, machines[1], each, value] / times[app, machines[1], each, "200"]) -
                    math.log(times[app, machines[0], each, value] / times[app, machines[0], each, "200"]) for each in policies) / 2 for app in apps]
        row = crossed["latency.l2", value, "machine", machines[1]]
        if abs(float(row["ratio"]) - math.exp(sum(logs) / len(logs))) > 2e-6:
            odd.append((row, logs))
    ok(not odd and len(crossed) == 2 + 1 + 2 and "latency.l2=260 with machine=rtx2060" in done.stdout,
       "interactions are differences of differences, also with machines", odd, list(crossed), done.stdout)
    drawing, latex = pathlib.Path("apps-sum-by-input.svg").read_text(), pathlib.Path("apps-sum-by-input.tex").read_text()
    xml.dom.minidom.parseString(drawing)
    ok(drawing.count("<title>") - 6 == drawing.count('class="error"') == 2 * (3 + 2 + 1), "the drawing has a bar for each",
       drawing.count("<title>"), drawing.count('class="error"'))
    ok(latex.count("\\\\") == 1 + 3 + 3 and "vecadd & " in latex, "and LaTeX a row for each input and mean", latex)
    refused("an unknown workload is refused", 'bad.cfg:2: apps: there is no workload "vecad"; did you mean vecadd?',
            APPS.replace("vecadd", "vecad"))
    refused("an argument that a workload lacks", 'bad.cfg:2: apps: sgemm: there is no argument "--n"; there are: --size',
            APPS.replace('"--size"', '"--n"'))
    refused("a value that it does not take", "bad.cfg:2: apps: sgemm: --size large: is no",
            APPS.replace('"--size", "64"', '"--size", "large"'))
    pathlib.Path("mixed.cfg").write_text('machines = ["rtx3070"]; apps = ["scan", "bfs"]; programs = (["/bin/true"]);\n')
    listed = maniple("sweep", "mixed.cfg", "-o", "none", "--list").stdout.splitlines()
    ok([line.split()[-1] for line in listed] == ["scan", "bfs", "/bin/true"], "inputs stand in the order of the plan", *listed)
    refused("so is a comparison of what does not vary", 'compare = "latency.dram" is neither "machine" nor a key of vary, which has: ', APPS.replace('"latency.l2";\n', '"latency.dram";\n'))
    for name, near in (("kernl-time", "kernel-time"), ("total_dram_read", "total_dram_reads"), ("max:sm.cuont", "sm.count")):
        refused(f"an objective that is nowhere is refused before anything runs: {name}", f'did you mean "{near}"?',
                APPS.replace('objectives = ["kernel-time"]', f'objectives = ["{name}"]'))
    program = pathlib.Path(MANIPLE).parent / "maniple-apps"  # the arguments of programs are not known before
    pathlib.Path("wrong.cfg").write_text(APPS.replace(', ["transpose", "--width", "96", "--height", "64"] );',
                                                      f' ); programs = ( ["{program}", "run", "transpose", "--wide", "96"] );'))
    wrong = maniple("sweep", "wrong.cfg", "-o", "wrong", "--job", 1, "--jobs", 1)
    wrong = maniple("sweep", "wrong.cfg", "-o", "wrong", "--jobs", 2)
    ok(wrong.returncode == 2 and "exit status 2: maniple run --machine rtx3070 --set" in wrong.stderr and
       'there is no argument "--wide"' in wrong.stderr and "and 7 others" in wrong.stderr,
       "runs that fail are told of with their words", wrong.stderr)


def check_plans():
    def plan(text):
        pathlib.Path("other.cfg").write_text('machines = ["rtx3070"];\ninputs = ["adds/kernelslist.g"];\n' + text)
        return listed("other.cfg", "-o", "none")
    axes = 'vary = ( { key = "sm.count"; values = [8, 16, 32]; }, { key = "launch.kernel"; values = [1, 2, 3]; } );\n'
    chosen = [run[3] for run in plan(axes + 'plan = "list";')]
    ok(len(chosen) == 3 and all(f"sm.count={a} --set launch.kernel={b}" in line
                                for line, a, b in zip(chosen, (8, 16, 32), (1, 2, 3))), "values of a list go together", chosen)
    maniple("sweep", "other.cfg", "-o", "together", "-q")
    done = maniple("sweep", "other.cfg", "-o", "together", "--summary", "together")
    ok("\nsm.count, launch.kernel: up to x" in done.stdout and "\n  16, 2 " in done.stdout and "\nlaunch.kernel: " not in done.stdout,
       "keys of a list have one effect, as theirs cannot be told apart", done.stdout, done.stderr)
    pathlib.Path("compared.cfg").write_text(pathlib.Path("other.cfg").read_text() + 'compare = "launch.kernel";')
    done = maniple("sweep", "compared.cfg", "-o", "together", "--summary", "together")
    rows = list(csv.DictReader(open("together-by-input.csv", newline="")))
    ok("sm.count, launch.kernel against 8, 1;" in done.stdout and rows[1]["sm.count, launch.kernel"] == "16, 2",
       "and one comparison", done.stdout, rows)
    chosen = [run[3] for run in plan(axes + 'plan = "one-at-a-time";')]
    wanted = {(8, 1), (16, 1), (32, 1), (8, 2), (8, 3)}
    ok(len(chosen) == 5 and all(any(f"sm.count={a} --set launch.kernel={b} " in line for line in chosen)
                                for a, b in wanted), "one at a time leaves the others at their first values", chosen)
    first = plan(axes + 'plan = "random"; samples = 6; seed = 3;')
    again = plan(axes + 'plan = "random"; samples = 6; seed = 3;')
    other = plan(axes + 'plan = "random"; samples = 6; seed = 4;')
    ok(first == again != other and 3 <= len(first) <= 6, "a random plan depends on its seed alone", first)
    grid = {run[1] for run in plan(axes)}
    ok({run[1] for run in first + other} <= grid, "and its runs have the names that they have in a grid")
    sizes = plan('vary = ( { key = "l2.slice.size"; from = "64KiB"; to = "256KiB"; factor = 2; } );')
    ok(["l2.slice.size=64KiB", "l2.slice.size=128KiB", "l2.slice.size=256KiB"] == [re.search(r"l2[^ ]*", run[3])[0] for run in sizes],
       "a range may have a unit", sizes)
    ok(listed("other.cfg") == sizes, "runs are listed without a folder, too")
    plain, stated = plan(""), plan('vary = ( { key = "sm.scheduler"; values = ["cggty", "lrr"]; } );')
    ok(len(plain) == 1 and plain[0][1] in {run[1] for run in stated}, "so is a machine whose file has the value, and one that is given it",
       plain, stated)


def check_names():
    one = listed("plan.cfg", "-o", "none")
    shutil.copytree("tiles", "moved/tiles")
    text = PLAN.replace("tiles/", "moved/tiles/").replace("adds/", "./adds/")
    pathlib.Path("moved.cfg").write_text(text)
    ok([run[1] for run in listed("moved.cfg", "-o", "none")] == [run[1] for run in one],
       "where an input lies is no part of a name")
    refused("an input that is another one at another place is refused", "the inputs tiles/kernelslist.g and moved/tiles/kernelslist.g "
            "are one", PLAN.replace("adds/", "moved/tiles/"))
    trace = next(pathlib.Path("moved/tiles").glob("kernel-*"))
    trace.write_bytes(trace.read_bytes() + b"\n")
    changed = [a[1] != b[1] for a, b in zip(listed("moved.cfg", "-o", "none"), one)]
    ok(changed == [True, False] * 6, "what it holds is", changed)


def refused(name, pattern, text, *words):
    pathlib.Path("bad.cfg").write_text(text)
    done = maniple("sweep", "bad.cfg", "-o", "bad", *words)
    ok(done.returncode == 2 and pattern in done.stderr and not pathlib.Path("bad").exists(), name, done.returncode, done.stderr)


def check_errors():
    pathlib.Path("optional.cfg").write_text(PLAN.replace("vary =", 'options = ["--energy", "--sample", "1000"];\nvary ='))
    done = maniple("sweep", "optional.cfg", "-o", "bad", "--list")
    ok(done.returncode == 0 and " --energy --sample 1000 " in done.stdout, "an option whose argument may be left out takes no word", done.stderr)
    pathlib.Path("energies.cfg").write_text('machines = ["rtx3070"];\ninputs = ["adds/kernelslist.g"];\noptions = ["--energy"];\n'
                                            'vary = ({ key = "energy.fp32"; values = [1000, 2000]; }, { key = "power.limit"; values = [90, 91]; });\n')
    done = maniple("sweep", "energies.cfg", "-o", "bad", "--list")
    names = {line.split()[1] for line in done.stdout.splitlines()}
    ok(done.returncode == 0 and len(names) == 4, "energies and the limit, which count with --energy alone, tell runs apart", done.stdout, done.stderr)
    refused("nor does it hide the next one", "--machine is the sweep's own",
            PLAN.replace("vary =", 'options = ["--energy", "--machine", "v100"];\nvary ='))
    refused("a machine that is stated twice is refused, as an input is", "bad.cfg:1: the machines rtx3070 and rtx3070 are one",
            PLAN.replace('"rtx3070"', '"rtx3070", "rtx3070"', 1))
    for values, why in (("[1000, 3000, 1000]", "launch.kernel: the values 1000 and 1000 are one; state it once"),
                        ('("3000", 3000)', "launch.kernel: the values 3000 and 3000 are one")):
        refused(f"a value that is stated twice is: {values}", why, PLAN.replace("values = [1000, 3000]", f"values = {values}"))
    sizes = 'machines = ["rtx3070"]; inputs = ["adds/kernelslist.g"]; vary = ({ key = "l2.slice.size"; values = ["128KiB", "131072"]; });'
    refused("by other words, too", "l2.slice.size: the values 128KiB and 131072 are one", sizes)
    refused("and in a random plan", "bad.cfg:1: l2.slice.size: the values 64KiB and 64KiB are one",
            sizes.replace('"128KiB", "131072"', '"64KiB", "128KiB", "64KiB"') + ' plan = "random"; samples = 1;')
    pairs = sizes.replace("});", "}, { key = \"sm.count\"; values = [8, 8]; }); plan = \"list\";")
    refused("a point that is in a list twice is", "bad.cfg:1: the points 1 and 2 of the list are one; state it once", pairs)
    refused("so is a key that varies twice", "bad.cfg:3: varies a key for the second time",
            re.sub(r"vary = .*?\n\);", 'vary = ({ key = "sm.count"; values = [8]; }, { key = "sm.count"; values = [16]; });', PLAN, flags=re.S))
    refused("and a machine that is none, with its line", 'bad.cfg:1: nope: there is no machine or file "nope"',
            PLAN.replace('"rtx3070"', '"rtx3070", "nope"', 1))
    refused("an unknown word is refused with line and remedy", 'bad.cfg:3: a sweep has no "vari"; did you mean "vary"?',
            PLAN.replace("vary =", "vari ="))
    refused("so is one of an axis", 'bad.cfg:4: a sweep has no "value"; did you mean "values"?', PLAN.replace("values", "value"))
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / "empty.elf"
    cores = f'machines = ["manycore-2"];\nprograms = (["{elf}"]);\nvary = ({{ key = "tile.count"; values = [1, 4]; }});\n'
    refused("kernels' time of many cores is, before anything runs",
            'bad.cfg:4: objectives: runs of machine manycore-2, of kind "manycore", have no kernel-time; choose time', cores + 'objectives = ["kernel-time"];')
    refused("a statistic of another kind is, too", "have no router_packets", PLAN.replace('"time", "sm.count"', '"time", "router_packets"'))
    refused("so is an option that states what varies", "bad.cfg:3: vary: tile.count is what --cores among the options states",
            cores + 'options = ["--cores", "8"];')
    refused("an unknown machine key is", "sm.cuont", PLAN.replace("sm.count", "sm.cuont"))
    refused("an impossible value is", "more GPCs than SMs", PLAN.replace("from = 8; to = 32", "from = 1; to = 1000000"))
    refused("a file that is none is", "bad.cfg:1: syntax error", "machines = ")
    refused("a plan without inputs is", "states no input", 'machines = ["rtx3070"];')
    refused("an input that is not there is", "nowhere.g: cannot be opened", PLAN.replace("adds/kernelslist.g", "nowhere.g"))
    many = PLAN.replace("values = [1000, 3000]", "from = 1; to = 400000; step = 1").replace("factor = 2", "step = 1")
    refused("too many values are", "more than 100000 values", many)
    refused("a million runs are refused without --force", "1000000 runs, and 10000 are allowed without --force",
            PLAN.replace("values = [1000, 3000]", "from = 1; to = 1000; step = 1")
            .replace("from = 8; to = 32; factor = 2", "from = 1; to = 500; step = 1"))
    refused("a range without a step is", "step or factor", PLAN.replace("factor = 2;", ""))
    refused("lists of different length are", "go together", PLAN + 'plan = "list";')
    refused("an option of run's that does not exist is", "no option --kernel-s",
            PLAN + 'options = ["--kernel-s", "1"];')
    refused("one that is the sweep's own is", "is the sweep's own", PLAN + 'options = ["--threads", "1"];')
    for objective in ("energy", "energy-delay", "max:power", "energy_dram"):
        refused(f"{objective} of runs that count no energies is", 'bad.cfg:7: objectives: runs have '
                f'{objective.removeprefix("max:")} if they count energies; write options = ["--energy"];',
                PLAN.replace('["time", "sm.count"]', f'["time", "{objective}"]'))
    pathlib.Path("counted.cfg").write_text(PLAN.replace('["time", "sm.count"]', '["time", "energy"]') + 'options = ["--energy=values"];')
    ok(len(listed("counted.cfg")) == 12, "energies are objectives of runs that count them")
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps/manycore/elf/fft.elf"
    refused("a program for other cores is", "which takes no program for its own cores such as", f'machines = ["h100-sxm"]; programs = (["{elf}", "64"]);')
    refused("a CUDA program on a machine of many cores is", 'bad.cfg:1: machine manycore-2 is of kind "manycore", which takes no CUDA program such as',
            'machines = ["manycore-2"]; programs = (["/bin/true"]);')
    refused("a trace on one is", "which takes no traces of kernels such as", 'machines = ["manycore-2"]; inputs = ["adds/kernelslist.g"];')
    refused("two things at a time are", "--list and --summary are two things to do", PLAN, "--list", "--summary", "zz")
    refused("a chunk of nothing is", "--chunk is about --commands", PLAN, "--chunk", "2")
    for text, words in (('from = "8KiB"; to = "4KiB"; factor = 2', "to is below from"), ("from = 8; to = 32; factor = 1", "factor is 2 or more"),
                        ("from = 0; to = 32; factor = 2", "from is 1 or more where there is a factor"),
                        ("from = 8; to = 32; step = 0", "step is 1 or more"), ("from = 8; to = 32; step = 1; factor = 2", "step or factor, not both"),
                        ('from = 8; to = "32KiB"; factor = 2', "of one unit"), ("from = 8; to = 32.5; step = 2", "to is no whole number")):
        refused(f"a range of {text} is", words, PLAN.replace("from = 8; to = 32; factor = 2", text))
    refused("an unknown form is", "is not one of parallel, slurm, snakemake", PLAN, "--commands", "make")
    done = maniple("sweep", "plan.cfg", "-o", "empty", "--summary", "x")
    ok(done.returncode == 2 and "none of the 12 runs" in done.stderr, "a summary of nothing is", done.stderr)


def check_many_cores():
    """Maxima over tiles are told to be such, and a column that nothing fills is none."""
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps/manycore/elf/fft.elf"
    pathlib.Path("cores.cfg").write_text(f'machines = ["manycore-2"]; programs = (["{elf}", "64"]); options = ["--core", "interpreter"];'
                                         'vary = ({ key = "tile.count"; values = [4, 16]; });')
    maniple("sweep", "cores.cfg", "-o", "cores")
    done = maniple("sweep", "cores.cfg", "-o", "cores", "--summary", "cores-sum")
    rows = list(csv.DictReader(open("cores-sum.csv", newline="")))
    kinds = {row["name"]: row["kind"] for row in csv.DictReader(open("cores-sum-columns.csv", newline=""))}
    ok(done.returncode == 0 and len(rows) == 2 and "kernel_time_us" not in rows[0] and kinds["bank_accesses"] == "maximum" and
       kinds["instructions"] == "counter", "columns of many cores are told: sums and maxima", done.stderr, kinds)


def check_garbage():
    """Plans with a few bytes changed are read, or refused: nothing crashes, whatever they say."""
    bytes_, odd, numbers = PLAN.encode(), [], random.Random(5)
    for _ in range(120):
        text = bytearray(bytes_)
        for _ in range(numbers.randint(1, 6)):
            text[numbers.randrange(len(text))] = numbers.choice(b'"(){}[];=,.#/\\0\n\0\xff9a')
        pathlib.Path("odd.cfg").write_bytes(text)
        done = subprocess.run([MANIPLE, "sweep", "odd.cfg", "-o", "odd", "--list"], capture_output=True, timeout=20)
        if done.returncode not in (0, 2):
            odd.append((done.returncode, bytes(text)))
    ok(not odd, "120 plans with odd bytes are read or refused", odd[:1])


def check_others():
    text = maniple("sweep", "plan.cfg", "-o", "others", "--commands", "parallel").stdout
    lines = text.splitlines()
    subprocess.run(["bash", "-c", lines[0]], check=True)
    subprocess.run(["xargs", "-P2", "-I{}", "bash", "-c", "{}"], input="\n".join(lines[1:6]), text=True, check=True)
    ok(len(lines) == 12 and len(folders("others")) == 6, "commands for GNU parallel make a run each")
    script = maniple("sweep", "plan.cfg", "-o", "others", "--commands", "slurm", "--chunk", 5).stdout
    tasks = [line for line in script.splitlines() if "--array" in line]
    ok(tasks == ["#SBATCH --array=0-2"], "12 runs in pieces of 5 are an array of 3 tasks", script)
    for task in "012":
        subprocess.run(["bash"], input=script, text=True, check=True, env=os.environ | {"SLURM_ARRAY_TASK_ID": task})
    ok(folders("others") == folders("all") and maniple("sweep", "plan.cfg", "-o", "others", "--commands", "parallel").stdout
       == "", "which make what is left")
    same = [without_host(pathlib.Path("others", each, "results.json")) == without_host(pathlib.Path("all", each, "results.json"))
            for each in folders("all")]
    ok(all(same), "with the same results")
    snakefile = maniple("sweep", "plan.cfg", "-o", "snakes", "--commands", "snakemake").stdout
    if not shutil.which("snakemake"):
        ok(snakefile.count('": ') == 12, "a Snakefile runs # SKIP snakemake is not installed", snakefile)
        return
    pathlib.Path("Snakefile").write_text(snakefile)
    done = subprocess.run(["snakemake", "--cores", "2", "-q"], capture_output=True, text=True)
    ok(done.returncode == 0 and folders("snakes") == folders("all"), "a Snakefile runs", done.stderr)


def check_ended(number, wanted):
    """The run of a sweep, and what a script has started, end with it."""
    script = pathlib.Path("slow.sh")
    script.write_text("#!/bin/sh\nsleep 30 &\necho $! >started\nwait\n")
    script.chmod(0o755)
    pathlib.Path("started").unlink(missing_ok=True)
    pathlib.Path("slow.cfg").write_text('machines = ["rtx3070"];\nprograms = (["./slow.sh"]);')
    process = subprocess.Popen([MANIPLE, "sweep", "slow.cfg", "-o", "ended", "--jobs", "1"], stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while time.time() < deadline and not (pathlib.Path("started").exists() and pathlib.Path("started").read_text().strip()):
        time.sleep(0.05)
    child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(number)
    process.wait()
    process.stderr.close()
    ended = child + ([pathlib.Path("started").read_text().strip()] if number != signal.SIGKILL else [])
    while time.time() < deadline and any(pathlib.Path("/proc", each).exists() for each in ended):
        time.sleep(0.05)
    alive = [each for each in ended if pathlib.Path("/proc", each).exists()]
    ok(process.returncode == wanted and child and not alive and (number == signal.SIGKILL or not folders("ended")),
       f"runs end with a sweep that gets {number.name}", process.returncode, child, alive, folders("ended"))
    maniple("sweep", "slow.cfg", "-o", "ended", "--list")
    subprocess.run(["kill", pathlib.Path("started").read_text().strip()], capture_output=True)


def check_failures():
    """Files that may not grow stand for a disk that is full; a run that takes long is interrupted."""
    command = f"ulimit -f 8; '{MANIPLE}' sweep plan.cfg -o full --jobs 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    some = folders("full")
    ok(done.returncode == 2 and "12 failed" in done.stderr and all(name.endswith(".failed") for name in some),
       "runs whose files cannot be written fail, and leave no results", done.stderr, some)
    ok("maniple run --machine rtx3070" in done.stderr, "the command says which", done.stderr)
    ok("too large" in pathlib.Path("full", some[0], "log.txt").read_text(), "and their words are kept")
    done = maniple("sweep", "plan.cfg", "-o", "full")
    ok(done.returncode == 0 and folders("full") == folders("all"), "the same command makes them later", done.stderr)

    program = pathlib.Path(MANIPLE).parent / "maniple-apps"
    pathlib.Path("nothing.cfg").write_text(f'machines = ["rtx3070"]; programs = (["{program}", "list"]);')
    done = maniple("sweep", "nothing.cfg", "-o", "nothing")
    ok(done.returncode == 2 and "nothing was simulated" in done.stderr and folders("nothing")[0].endswith(".failed"),
       "a run that has simulated nothing has failed", done.stderr)
    subprocess.run([TRACEGEN, "stream", "long", "arch=86", "blocks=2048"], check=True, capture_output=True)
    pathlib.Path("long.cfg").write_text('machines = ["rtx3070"];\ninputs = ["adds/kernelslist.g", "long/kernelslist.g"];')
    process = subprocess.Popen([MANIPLE, "sweep", "long.cfg", "-o", "cut", "--jobs", "1"], stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while time.time() < deadline and not (pathlib.Path("cut").exists() and len(folders("cut")) == 2):
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate()
    ok(process.returncode == 130 and "goes on where it was" in words and len(folders("cut")) == 1,
       "an interrupt keeps what is done and leaves no half of a run", process.returncode, words, folders("cut"))
    for number, wanted in ((signal.SIGHUP, 130), (signal.SIGKILL, -9)):
        check_ended(number, wanted)
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = pathlib.Path("cut", f"{listed('long.cfg', '-o', 'cut')[1][1]}.part-{os.uname().nodename}-0-{dead.pid}")
    left.mkdir()
    maniple("sweep", "long.cfg", "-o", "cut", "--job", "2", "--jobs", "1", timeout=120)
    ok(not left.exists() and len(folders("cut")) == 2, "and the next one goes on, without what a killed one has left",
       folders("cut"))


def on_terminal(*words, **environment):
    parent, child = pty.openpty()
    process = subprocess.Popen([MANIPLE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=child,
                               env={key: value for key, value in os.environ.items() if key != "NO_COLOR"} | environment)
    os.close(child)
    text = b""
    while True:
        try:
            piece = os.read(parent, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    process.wait()
    os.close(parent)
    return text.decode()


def check_progress():
    shutil.rmtree("full")
    text = on_terminal("sweep", "plan.cfg", "-o", "full", "--jobs", "1")
    ok("\r\033[K" in text and "\033[32m" in text and "left, until" in text and "12 of 12 runs done" in text,
       "a terminal shows what is done, what is left and until when, in colour", repr(text[-500:]))
    text = on_terminal("sweep", "plan.cfg", "-o", "full", NO_COLOR="1")
    ok("\033[3" not in text and "12 of 12" in text, "without colours where NO_COLOR is set", repr(text))


def main():
    leaks = pathlib.Path(__file__).resolve().parent.parent / "leaks.txt"  # libconfig's own, where a sanitizer looks for them
    os.environ["LSAN_OPTIONS"] = f"suppressions={leaks}:print_suppressions=0"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, kind, *keys in (("tiles", "matmul", "n=64"), ("adds", "vectoradd", "n=16384")):
            subprocess.run([TRACEGEN, kind, name, "arch=86", *keys], check=True, capture_output=True)
        check_runs()
        check_summary()
        check_incomplete()
        check_plans()
        check_workloads()
        check_names()
        check_errors()
        check_garbage()
        check_many_cores()
        check_others()
        check_failures()
        check_progress()
        os.chdir("/")
    sys.exit(finish())


main()
