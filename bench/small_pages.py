#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the laboratory that are made in seconds or minutes: into the CSV beside the page, and from there into the page.

Usage: small_pages.py BUILD TABLE…; without TABLE: all
apps      cycles of all workloads, at the sizes of their tests, on three machines            (3 CPU minutes)
database  sizes of the database of a run of 10,000 kernels, and what reports of it take       (1 minute)
recorded  cycles of programs, simulated as programs and from their traces                     (1 minute)
reading   CPU time for a record of a trace's text                                             (10 s)
faults    gains of planted faults: by estimate, measured, and mended in the source           (2 minutes)
sass      CPU time of a warp instruction as machine code and as PTX; skips without ptxas      (1 minute)
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from lab_page import keep_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "bench/small_pages.py"
MACHINES = ("gtx480", "rtx3080ti", "h100-pcie")


def run(command, folder=None):
    """Status, CPU seconds and peak memory in MB of a command, whose output is left out."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def results(folder):
    return json.loads((pathlib.Path(folder) / "results.json").read_text())


def kernel_cycles(folder, only_first=False):
    kernels = results(folder)["kernels"]
    return sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in (kernels[:1] if only_first else kernels))


def small_runs():
    lines = subprocess.run(["bash", "-c", f". {ROOT}/tests/apps/sizes.sh; app_runs"], capture_output=True, text=True, check=True).stdout
    return lines.splitlines()


def apps(build, work):
    cells = {}
    for line in small_runs():
        for machine in MACHINES:
            shutil.rmtree(work / "app", ignore_errors=True)
            status, *_ = run([build / "maniple", "app", "run", *line.split(), "-q", "--threads", "1", "--machine", machine, "-o", work / "app"])
            cells[f"`{line}`", f"`{machine}`"] = f"{kernel_cycles(work / 'app'):,}" if status == 0 else "–"
    return {key: value for key, value in cells.items() if any(cells[key[0], f"`{machine}`"] != "–" for machine in MACHINES)}


def database(build, work):
    run([build / "maniple-tracegen", "multi", work / "kilo", "arch=86", "kernels=1000", "blocks=8", "streams=4"])
    (work / "kilo/all.g").write_text((work / "kilo/kernelslist.g").read_text() * 10)
    _, simulated, memory = run([build / "maniple", "run", "--machine", "rtx3070", "--threads", "1", "-q", "-o", work / "all", work / "kilo/all.g"])

    def row(name, seconds, peak, size=None):
        cells[name, "CPU s"], cells[name, "memory, MB"] = f"{seconds:.1f}", f"{peak:.0f}"
        cells[name, "writes, MB"] = "" if size is None else f"{size / 1e6:.2f}"
    cells = {}
    row("`maniple run`: `results.sqlite`", simulated, memory, (work / "all/results.sqlite").stat().st_size)
    row("`maniple run`: `results.json`", simulated, memory, (work / "all/results.json").stat().st_size)
    row("`maniple report`", *run([build / "maniple", "report", work / "all"])[1:])
    row("`maniple report --html`", *run([build / "maniple", "report", work / "all", "--html", work / "page"])[1:], (work / "page").stat().st_size)
    row("`maniple report --ncu`", *run([build / "maniple", "report", work / "all", "--ncu", work / "ncu"])[1:], (work / "ncu").stat().st_size)
    return cells


RECORDED = (("rtx3080ti", "vecadd sgemm gemm scan transpose histogram montecarlo_pi reduction convolution"),
            ("h100-sxm", "tmastencil attention groupgemm wsgemm clusterhist clustersum"))


def recorded(build, work):
    cells = {}
    for machine, names in RECORDED:
        for name in names.split():
            run([build / "maniple", "trace", "record", "-q", "-o", work / name, "--format", "tracez", "--machine", machine, "--app", name])
            run([build / "maniple", "app", "run", name, "-q", "--machine", machine, "-o", work / "program"])
            run([build / "maniple", "run", "-q", "--machine", machine, "-o", work / "trace", work / name / "kernelslist.g"])
            program, trace = (kernel_cycles(work / which, True) for which in ("program", "trace"))
            row = f"{name}, `{machine}`"
            cells[row, "as a program"], cells[row, "from its trace"] = f"{program:,}", f"{trace:,}"
            cells[row, "difference"] = f"{100 * (trace / program - 1):+.1f} %"
            shutil.rmtree(work / name)
    return cells


READ = (("arithmetic in loops, and tiles in shared memory", "matmul", ("n=256",)), ("streaming loads and stores", "vectoradd", ("n=2000000",)),
        ("random gathers, 32 addresses each", "gather", ("blocks=512", "rounds=32", "addresses=list")))


def reading(build, work):
    cells = {}
    for title, name, arguments in READ:
        run([build / "maniple-tracegen", name, work / name, "arch=86", *arguments])
        said = subprocess.run([build / "bench/bench-parse", work / name / "kernelslist.g"], capture_output=True, text=True, check=True).stdout
        size, rate, each = (re.search(what, said)[1] for what in (r": ([\d.]+) MB", r"([\d.]+) MB/s", r"([\d.]+) ns a record"))
        cells[title, "text, MB"], cells[title, "MB/s"], cells[title, "ns a record"] = size, rate, each
    return cells


def sass(build, work):
    cells = {}
    if not shutil.which("ptxas"):
        return cells
    for name in ("sgemm", "hotspot", "bfs", "scan"):
        for code, title in (("ptxas", "machine code"), ("ptx", "PTX")):
            least = []
            for _ in range(3):
                status, *_ = run([build / "maniple", "app", "run", name, "-q", "--machine", "a100", "--threads", "1", "--code", code, "-o", work / "run"])
                if status:
                    sys.exit(f"{name} --code {code}: status {status}")
                told = results(work / "run")
                least.append(told["run"]["cpu_seconds"] / told["total"]["statistics"]["gpgpu_n_tot_w_icount"]["value"])
            cells[f"`{name}`", title] = f"{1e6 * min(least):.2f}"
    return cells


def faults(build, work):
    """From what the test of the rules says of each fault; how many times the estimate is what is measured comes last."""
    said = subprocess.run([ROOT / "tests/results/faults/faults.py", build / "maniple", build / "tests/results/faults"], capture_output=True,
                          text=True, env={**os.environ, "MANIPLE_MATRIX": "full", "TMPDIR": str(work)}, check=True).stdout
    rules = dict(re.findall(r"^ok \d+ - (\w+): the first rule is ([\w-]+)$", said, re.M))
    cells = {}
    for name, mended, measured, estimate in re.findall(
            r"^ok \d+ - (\w+): its source mended is x([\d.]+) as fast, measured x([\d.]+), by estimate x([\d.]+)$", said, re.M):
        row = f"`{name}`, {rules[name]}"
        cells[row, "by estimate"], cells[row, "measured"], cells[row, "mended"] = f"x{estimate}", f"x{measured}", f"x{mended}"
        cells[row, "estimate / measured"] = f"{float(estimate) / float(measured):.2f}"
    return cells


TABLES = {"apps": ("apps", "workload", apps), "database": ("database", "command", database), "recorded": ("traces", "program", recorded),
          "reading": ("traces", "text", reading), "sass": ("sass", "workload", sass),
          "faults": ("faults", "fault and rule", faults)}


def main():
    names = sys.argv[2:] or list(TABLES)
    if len(sys.argv) < 2 or any(name not in TABLES for name in names):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    for name in names:
        page, title, measure = TABLES[name]
        with tempfile.TemporaryDirectory() as work:
            cells = measure(build, pathlib.Path(work))
        if cells:
            keep_table(page, name, title, PROGRAM, cells, build)


main()
