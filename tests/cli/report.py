#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of `maniple report` are queries on the database: they are made again here from the raw counters. What is
known to be bound by something is said to be, and bad input is refused. Usage: report.py MANIPLE TRACEGEN"""
import csv
import html.parser
import math
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)


def check_columns(folder):
    """COLUMNS widens and narrows paragraphs, and widens columns of names; what is no number of columns changes nothing."""
    def lines(columns, *words):
        done = subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env={**os.environ, "COLUMNS": columns})
        return done.stdout.splitlines()
    usual, paragraphs = lines("", "report", folder), {}
    for columns in ("50", "80", "140"):
        text = lines(columns, "report", folder)
        begin, end = (text.index(next(line for line in text if line.startswith(word))) for word in ("Time", "Of the peak"))
        paragraphs[columns] = text[begin:end]
    ok(max(map(len, paragraphs["50"])) <= 50 < max(map(len, paragraphs["80"])) <= 80 < max(map(len, paragraphs["140"])) <= 140,
       "paragraphs of a report are as wide as COLUMNS says", *paragraphs["140"])
    ok(usual == lines("80", "report", folder) == lines("x", "report", folder) == lines("7", "report", folder), "80 columns otherwise")
    trace = folder.parent / f"{folder.name}-trace" / "kernelslist.g"
    table = [[line for line in lines(columns, "run", "--machine", "rtx3070", trace) if re.match(r"kernel  name|     1  | total  ", line)]
             for columns in ("", "160")]
    ok([{len(line) for line in some} for some in table] == [{133}, {160}], "and so is the table of kernels of a run, if it is wider than usual",
       *table[0], *table[1])


def refused(name, pattern, *words):
    done = maniple(*words)
    ok(done.returncode == 2 and pattern in done.stderr and not done.stdout, name, done.returncode, done.stderr)


def simulate(work, name, kind, *keys, options=()):
    subprocess.run([TRACEGEN, kind, work / f"{name}-trace", "arch=86", *keys], check=True, capture_output=True)
    done = maniple("run", "--machine", "rtx3070", "-q", *options, "-o", work / name, work / f"{name}-trace" / "kernelslist.g")
    assert done.returncode == 0, done.stderr
    return work / name


def lsu_instructions(s):
    """Instructions with an address; others, whose lanes are all off, leave the pipeline alone."""
    return sum(value for name, value in s.items() if name.startswith("accesses_")) + s.get("sm_to_sm_accesses", 0)


class Counters:
    def __init__(self, folder, kernel=0):
        self.base = sqlite3.connect(folder / "results.sqlite")
        query = "SELECT name, value FROM value JOIN statistic ON id = statistic WHERE kernel = ?"
        self.values = dict(self.base.execute(query, [kernel]))
        self.keys = dict(self.base.execute("SELECT key, number FROM machine"))

    def peaks(self):
        """Per cent of each peak, by its published meaning."""
        s, k = self.values, self.keys
        lanes = k["sm.subcores"] * k["sm.fp32.lanes"] * (1 + k["sm.fp32.on_int"])
        return {
            "Issue slots": s["issue_slots_issued"] / s["issue_slots"],
            "FP32 lanes": 32 * s["instructions_fp32"] / (s["sm_cycles"] * lanes),
            "ALU pipe": s["pipe_cycles_int"] / (s["sm_cycles"] * k["sm.subcores"]),
            "FMA pipe": s["pipe_cycles_fp32"] / (s["sm_cycles"] * k["sm.subcores"]),
            "SM memory pipeline": lsu_instructions(s) * k["sm.memory.interval"] / s["sm_cycles"],
            "L1 and shared banks":
                (s["L1D_data_wavefronts"] + s["shared_accesses"] + s["shared_conflict_cycles"]) / s["sm_cycles"],
            "Network, SM to L2": s["noc_sm_to_gpc_bytes"] / s["noc_sm_to_gpc_peak_bytes"],
            "Network, L2 to SM": s["noc_partition_to_gpc_bytes"] / s["noc_partition_to_gpc_peak_bytes"],
            "L2 look-ups": s["L2_busy_cycles"] / s["L2_slice_cycles"],
            "DRAM bandwidth": s["dram_bytes"] / s["dram_peak_bytes"],
        }


def near(a, b, room=0.0051):
    return abs(a - b) <= room


def figures_of(text):
    """Names and per cents of the tables, in order."""
    return re.findall(r"^  (\S[^%#]*?) +([\d.]+) %", text[text.index("Of the peak"):], re.M)


def check_figures(folder, text):
    counters = Counters(folder)
    shown = dict(figures_of(text))
    peaks = counters.peaks()
    wrong = {name: (100 * share, shown.get(name)) for name, share in peaks.items()
             if not near(100 * share, float(shown.get(name, -1)))}
    ok(not wrong, "per cents of peaks are quotients of raw counters", wrong, text)
    slots = {name[12:]: value for name, value in counters.values.items() if name.startswith("issue_slots_")}
    wrong = {name: shown.get(name) for name, value in slots.items()
             if not near(100 * value / counters.values["issue_slots"], float(shown.get(name, -1)))}
    ok(not wrong and near(sum(float(shown[name]) for name in slots), 100, 0.05), "so are issue slots, which add up", wrong)
    cycles = counters.values["gpu_sim_cycle"]
    time = re.search(r"Time +([\d.]+) us: ([\d,]+) core", text)
    ok(int(time[2].replace(",", "")) == cycles and near(float(time[1]), 1e6 * cycles / counters.keys["clock.core"]),
       "the time is that of the cycles at the clock", time[0])
    possible = float(re.search(r"DRAM bandwidth.* of ([\d.]+) GB/s", text)[1])
    ok(near(possible, 448.064, 0.051), "the peak of DRAM is the published one, 448 GB/s", possible)
    lanes = float(re.search(r"FP32 lanes.* of ([\d.]+) lanes", text)[1])
    ok(near(lanes, 5888, 0.051), "that of FP32 is 5888 lanes", lanes)
    ok(max(map(len, text.splitlines())) <= 80, "no line is longer than 80 columns", max(text.splitlines(), key=len))


def check_verdicts(work):
    stream = simulate(work, "stream", "vectoradd", "n=1048576")
    chase = simulate(work, "chase", "chase", "footprint=33554432", "order=leaping", "loads=512")
    tiny = simulate(work, "tiny", "vectoradd", "n=256")
    for folder, answer, why in ((stream, "bandwidth (DRAM)", "a long vector addition"),
                                (chase, "parallelism", "a pointer chase of one warp"),
                                (tiny, "launch (latency)", "a kernel of 256 additions")):
        text = maniple("report", folder).stdout
        limit = re.search(r"Limited by +(.*)", text)[1]
        ok(limit.startswith(answer), f"{why} is limited by {answer}", limit, text)
    run, kernel = Counters(stream).values, Counters(stream, 1).values
    ok(kernel["total_dram_writes"] == 0 < run["total_dram_writes"], "write-backs have no owner", kernel["total_dram_writes"])
    row = re.search(r"^ +100\.00 +1 .* ([\d.]+)  (\S+ \(\S+\)) +vectoradd$", maniple("report", stream).stdout, re.M)
    ok(row and near(float(row[1]), 100 * run["dram_bytes"] / kernel["dram_peak_bytes"]) and row[2] == "bandwidth (DRAM)",
       "but the kernel that wrote the lines has its share of them, and the run's answer", row and row[0])
    return stream


def check_pipes(work):
    """A loop of one instruction, eight chains of it in each warp, is limited by the pipe that it takes."""
    subprocess.run([TRACEGEN, "fma", work / "fma-trace", "arch=80", "blocks=216", "rounds=30"], check=True, capture_output=True)
    trace = work / "fma-trace" / "kernel-1.traceg"
    plain = trace.read_text()
    for code, pipe in (("FFMA", "FMA"), ("IMAD", "FMA"), ("LOP3.LUT", "ALU"), ("DFMA", "FP64"), ("MUFU.EX2", "XU"),
                       ("HMMA.16816.F32", "tensor"), ("HFMA2", "slots")):
        trace.write_text(plain.replace(" FFMA ", f" {code} "))
        done = maniple("run", "-q", "--machine", "a100", "--set", "launch.kernel=0", "-o", work / "fma", trace.parent / "kernelslist.g")
        text = maniple("report", work / "fma").stdout
        limit = re.search(r"^ +100\.00 .*  (\S+ \(\S+\)) +fma$", text, re.M)
        ok(limit and limit[1] == f"issue ({pipe})", f"{code} is limited by {pipe}", done.stderr, text)


def late_kernel(work, run, gap):
    """The database of a run of one kernel in which it begins after `gap` of the time, as behind the copies of a program."""
    folder = work / f"gap{gap}"
    shutil.copytree(run, folder)
    with sqlite3.connect(folder / "results.sqlite") as base:
        times = "statistic IN (SELECT id FROM statistic WHERE kind = 'elapsed' OR name IN ('issue_slots', 'issue_slots_idle'))"
        slots, = base.execute("SELECT value FROM statistics WHERE kernel = 0 AND name = 'issue_slots'").fetchone()
        factor = 1 / (1 - gap)
        base.execute(f"UPDATE value SET value = value * {factor} WHERE kernel = 0 AND statistic IN "
                     "(SELECT id FROM statistic WHERE kind = 'elapsed')")
        base.execute(f"UPDATE value SET value = value + {slots * (factor - 1)} WHERE kernel = 0 AND {times} AND statistic IN "
                     "(SELECT id FROM statistic WHERE kind <> 'elapsed')")
        end, = base.execute("SELECT \"end\" FROM span").fetchone()
        base.execute(f"UPDATE span SET start = start + {int(end * (factor - 1))}, \"end\" = {int(end * factor)}")
        base.execute(f"INSERT INTO span VALUES (1, 'copy', NULL, 4096, 1, 0, NULL, 0, {int(3e9)})")
    base.close()
    return folder


def check_busy(work, run):
    """Time without a kernel is the host's, and is not in the figures of kernels: they are those of the run without it."""
    plain = maniple("report", run).stdout
    for gap, answer in ((0.3, "bandwidth (DRAM)"), (0.8, "host (no kernel there)")):
        text = maniple("report", late_kernel(work, run, gap)).stdout
        ok(re.search(r"Limited by +(.*)", text)[1] == answer and ("Its kernels bandwidth (DRAM)" in text) == (gap > 0.5),
           f"with {100 * gap:.0f} % of the time without a kernel the answer is {answer}", text)
        shown = [figures_of(each) for each in (plain, text)]
        apart = [(a, b) for a, b in zip(*shown) if a[0] != b[0] or not near(float(a[1]), float(b[1]), 0.06)]
        ok(not apart and len(shown[0]) == len(shown[1]), "and the figures are those of the time with one", apart)
    ok("copies and fills took 3.00 us" in " ".join(text.split()), "the time of copies is said", text)


def check_folder_for_page(work):
    """A folder in place of the page's file is refused with what helps."""
    done = maniple("report", simulate(work, "paged", "vectoradd", "n=256"), "--html", work)
    ok(done.returncode == 2 and "name a file in this folder" in done.stderr, "--html FOLDER: a file in it is asked for", done.stderr)


def check_around(work):
    """Copies of a program's input are most of its time, and yet its kernel is what a reader tunes: its fault comes first."""
    text = maniple("report", late_kernel(work, simulate(work, "picks", "gather"), 0.9)).stdout
    rules = re.findall(r"^(?:Mend first|Then) .*?\(([\w-]+)\)", text, re.M)
    ok(rules[:1] == ["coalescing"] and "copies" in rules, "a kernel's fault stands before copies around it", rules, text)
    ok("most of it before the first kernel" in " ".join(text.split()), "and the report says where these are", text)


def set_key(folder, key, value, number):
    with sqlite3.connect(folder / "results.sqlite") as base:
        base.execute("UPDATE machine SET value = ?, number = ? WHERE key = ?", (value, number, key))
    base.close()


def check_lifted(work):
    """Keys that the machine has already lift nothing: they are not said, and no second run is made with them."""
    folder = late_kernel(work, simulate(work, "lifted", "gather"), 0.85)
    set_key(folder, "ideal.coalescing", "true", 1)
    set_key(folder, "host.copy.rate", "100000000", 100000000)
    text = " ".join(maniple("report", folder).stdout.split())
    ok(re.search(r"\(coalescing\)[^:]*because.*?no key of the machine lifts this limit", text), "a limit that is lifted already has no key", text)
    done = maniple("report", folder, "--what-if")
    ok("ideal.coalescing" not in done.stderr and "host.copy.rate" not in done.stderr and "--set host.copy.latency=0 --set" in done.stderr,
       "what a machine has is left out of second runs, and the rest is not", done.stderr)


def check_guilty(work):
    """What a finding blames is in the list of instructions, where others cost their warps more."""
    folder = simulate(work, "guilty", "matmul", "n=128", options=["--by-instruction"])
    with sqlite3.connect(folder / "results.sqlite") as base:
        base.execute("UPDATE instruction SET fetch = 1000000000 WHERE text NOT LIKE '%LDS%' AND text NOT LIKE '%STS%'")
    base.close()
    text = maniple("report", folder).stdout
    listed = text[text.index("Instructions by cycles"):]
    ok(len(re.findall(r"^ +[\d.]+ +\d+ +[\d.]+ fetch", listed, re.M)) == 8 and
       re.search(r"^  of narrow-accesses:\n +[\d.]+ +\d+ .* (LDS|STS) ", listed, re.M),
       "the guilty instruction is listed behind those that cost most", listed)


def check_awaited(work):
    """A chain of loads: each waits for the one before it, which the report names."""
    folder = simulate(work, "linked", "chase", "loads=256", options=["--by-instruction"])
    text = maniple("report", folder, "--html", work / "linked.html").stdout
    base = sqlite3.connect(folder / "results.sqlite")
    pc, awaited, memory = base.execute("SELECT pc, awaited, (SELECT sum(memory) FROM instruction) FROM instruction "
                                       "ORDER BY awaited DESC").fetchone()
    ok(0 < awaited <= memory and re.search(rf"^  loads, by cycles in which others waited for their data:\n +[\d.]+ .* {pc:x} ",
                                           text, re.M), "the load that is waited for is listed", pc, awaited, memory, text)
    ok("awaited %" in (work / "linked.html").read_text(), "and the page has its share")


def check_dram_rows(work):
    """Rows of DRAM are judged where a machine has the times of its kind of memory, too, and the lift is one that it takes."""
    subprocess.run([TRACEGEN, "gather", work / "rows-trace", "arch=86", "blocks=256"], check=True, capture_output=True)
    maniple("run", "--machine", "rtx4090", "-q", "-o", work / "rows", work / "rows-trace" / "kernelslist.g")
    text = " ".join(maniple("report", work / "rows", "--what-if").stdout.split())
    ok(re.search(r"\(dram-rows\).*?x[2-9][\d.]* measured with dram.timing.rcd=1", text), "DRAM rows of GDDR6X are named and measured", text)


def check_what_if_cut(work):
    """A report that is ended in its second run leaves nothing in the folder for temporary files."""
    temporary = work / "temporary"
    temporary.mkdir()
    for how in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen([MANIPLE, "report", work / "rows", "--what-if"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
        until = time.monotonic() + 20
        while not list(temporary.glob("maniple-what-if-*")) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.2)  # the folder is there before the process that waits for the end
        there = len(list(temporary.iterdir()))
        process.send_signal(how)
        process.wait()
        while list(temporary.iterdir()) and time.monotonic() < until:
            time.sleep(0.05)
        ok(there and process.returncode == -how and not list(temporary.iterdir()), f"{how.name} leaves nothing in TMPDIR", there,
           process.returncode, list(temporary.iterdir()))


def check_many_page(work, *folders):
    """The page of three and more runs has a row for each, with the figures of their own reports."""
    done = maniple("report", *folders, "--html", work / "many.html")
    ok(done.returncode == 0, "a page of three runs is written", done.stderr)
    cut = work / "cut"
    maniple("run", "--machine", "rtx3070", "-q", "--max-cycles", "5000", "--set", "sm.count=23", "-o", cut,
            work / f"{folders[0].name}-trace" / "kernelslist.g")
    said = maniple("report", *folders[:2], cut, "--html", work / "cut.html").stdout
    ok(re.search(r"cut +\S+ +[\d.]+ us +- .*\n(  with .*\n)?  ended +early \(", said, re.M) and said.count("early (") == 1 and
       (work / "cut.html").read_text().count("<b>ended early (") == 1, "of several runs, one that ended early is marked", said)
    ok("gpc.sms" not in said and "sm.count=23" in said, "lists that a number of SMs empties are no keys that were set", said)
    check_page(work / "many.html", "3 runs", "times the first", "sm.memory.interval=1", "Issue slots", "What ran")
    text = (work / "many.html").read_text()
    rows = re.findall(r"<tr><td class=\"name\">(.*?)</tr>", text, re.S)
    shares = [f"{100 * Counters(folder).peaks()['SM memory pipeline']:.2f}" for folder in folders]
    ok(len(rows) == 3 and all(f">{share}<" in row for share, row in zip(shares, rows)), "with each run's peaks", shares, rows)


def check_one_verdict(work):
    """A run of one kernel is limited by what limits the kernel, launch latency apart."""
    for name, words in (("alone", ("vectoradd", "n=65536")), ("one", ("chase", "loads=64"))):
        text = maniple("report", simulate(work, name, *words)).stdout
        limit = re.search(r"Limited by +(.*)", text)[1]
        row = re.search(r"^ +100\.00 +1 .* [\d.]+  (\w.*?)  +\w+$", text, re.M)
        ok(row and row[1] in (limit, limit.split(" ")[0]), f"the verdict on a run of one kernel is the kernel's: {limit}", text)


def check_changed(work, first, second):
    """Runs of one program are compared although a kernel has another name; runs of two programs are not."""
    def program(run, name, path, kernel):
        shutil.copytree(run, work / name)
        base = sqlite3.connect(work / name / "results.sqlite")
        base.execute("UPDATE run SET input = ?", (path,))
        base.execute("UPDATE kernel SET name = ?", (kernel,))
        base.commit()
        base.close()
        return work / name
    before, after = program(first, "before", "./program", "slow"), program(second, "after", "./program", "quick")
    done = maniple("report", before, after)
    ok(done.returncode == 0 and "The launches differ" in done.stdout and "B against A" in done.stdout,
       "a changed program is compared with what it was", done.stdout, done.stderr)
    other = program(second, "other", "./another", "quick")
    done = maniple("report", before, other)
    ok(done.returncode == 0 and re.search(r"other +rtx3070 +[\d.]+ us +- ", done.stdout) and "B against A" not in done.stdout,
       "another program is not: both have a line", done.stdout, done.stderr)
    refused("nor what if", "different inputs", "report", "--what-if", before, other)


class Page(html.parser.HTMLParser):
    """Counts what an offline page must not have, and checks that elements are closed in turn."""
    EMPTY = {"meta", "br", "path", "rect", "link", "th", "tr", "thead", "td"}

    def __init__(self):
        super().__init__()
        self.open, self.faults = [], []

    def handle_starttag(self, tag, attrs):
        self.faults += [f"{name}={value}" for name, value in attrs if name in ("src", "href") and value[:1] != "#"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and (not self.open or self.open.pop() != tag):
            self.faults.append(f"</{tag}> at {self.getpos()}")


def check_page(path, *wanted):
    text = path.read_text()
    page = Page()
    page.feed(text)
    ok(not page.faults and not page.open, f"{path.name} is well-formed and refers to nothing", page.faults, page.open)
    ok("http" not in text and "prefers-color-scheme" in text and len(text) <= 300_000,
       "it needs no network, knows dark screens and is small", len(text))
    missing = [word for word in wanted if word not in text]
    ok(not missing, "it has its sections", missing)
    odd = []
    for table in re.findall(r"<table class=\"sorts[^>]*>(.*?)</table>", text, re.S):
        head, *rows = table.split("<tr")[1:]
        wrong = [row for row in rows if len(re.findall(r"<td[ >]", row)) != len(re.findall(r"<th[ >]", head))]
        odd += wrong[:1] and [(head, wrong[0])]
    ok(not odd and "&lt;t" not in text, "columns of its tables have heads", odd[:1])


def check_roofs(work, trace):
    """FP64, FP32, FP16 and FP16 matrices in TFLOP/s, by NVIDIA: A100 and RTX 4090; H100 PCIe, whose matrices are stated
    at 1620 MHz (756) and whose other lanes at 1755, the machine's clock."""
    published = {"a100": (9.7, 19.5, 78, 312), "h100-pcie": (25.6, 51.2, 102.4, 756 * 1755 / 1620),
                 "rtx4090": (1.29, 82.6, 82.6, 165.2)}
    for machine, rates in published.items():
        maniple("run", "-q", "--machine", machine, "-o", work / machine, trace)
        maniple("report", work / machine, "--html", work / "roofs.html")
        units = {"G": 1e-3, "T": 1, "P": 1e3}
        # Roofs of one height share a label.
        shown = [float(rate) * units[unit] for names, rate, unit in
                 re.findall(r">(FP[^:<]*): ([\d.]+) ([GTP])FLOP/s<", (work / "roofs.html").read_text()) for _ in names.split(", ")]
        ok(len(shown) == 4 and all(near(a / b, 1, 0.013) for a, b in zip(shown, rates)),
           f"the roofs of {machine} are the published ones", shown, rates)


def check_run(work):
    """What a page shows of a run with everything: figures are those of the tables."""
    folder = simulate(work, "whole", "matmul", "n=64", options=["--by-instruction", "--sample", "500"])
    done = maniple("report", folder, "--html", work / "whole.html", "--ncu", work / "whole.csv")
    text = (work / "whole.html").read_text()
    check_page(work / "whole.html", "BAR.SYNC", "aria-label=\"Issue slots over time\"", "aria-label=\"Roofline\"",
               "SMs, in rows of their GPC")
    counters = Counters(folder)
    operations = 2 * counters.values["lanes_ffma"]
    seconds = counters.values["gpu_sim_cycle"] / counters.keys["clock.core"]
    shown = re.search(r"<title>(?:all kernels|matmul): ([\d.]+) GFLOP/s, ([\d.]+) operations per byte", text)
    roofline = text[text.index('aria-label="Roofline"'):]
    marks = [(float(at), float(value)) for at, value in re.findall(r'd="M64 ([\d.]+)h560"/><text[^>]*>([\d.e+-]+)<', roofline)]
    point = re.search(r'<circle class="point" cx="[\d.]+" cy="([\d.]+)"', roofline)
    decade = (marks[0][0] - marks[-1][0]) / math.log10(marks[-1][1] / marks[0][1])
    ok(near(marks[0][0] - decade * math.log10(operations / seconds / 1e9 / marks[0][1]), float(point[1]), 1),
       "the roofline draws a point where its axis says", marks, point)
    ok(shown and near(float(shown[1]) / (operations / seconds / 1e9), 1, 0.005) and
       near(float(shown[2]) / (operations / counters.values["dram_bytes"]), 1, 0.005),
       "the point of the roofline is 2 n^3 operations, by time and by bytes", shown and shown.groups())
    reasons = "issues + ready + result + memory + barrier + fence + fetch + ended"
    pc, share = counters.base.execute(
        f"SELECT pc, 100.0 * max({reasons}) / (SELECT sum({reasons}) FROM instruction) FROM instruction").fetchone()
    ok(re.search(rf"^ +{share:.2f} +\d+ +[\d.]+ memory +{pc:x} ", done.stdout, re.M),
       "the text begins with the instruction that costs most", share, pc, done.stdout)
    ok(f"<td>{share:.2f}" in text, "and the page has it")
    ok('<a href="#lines-0-0"><span title="matmul">matmul</span></a>' in text and '<div id="lines-0-0">' in text, "the kernel leads to its instructions")
    cells = re.search(r"<h2>Occupancy.*?</tbody>", text, re.S)[0]
    ok("<b>6</b>" in cells and "<td class=\"left\">warps" in cells,
       "48 warps of an SM hold 6 CTAs of 8, fewer than its registers and shared memory", cells)
    return folder


def check_ncu(work, folder):
    with open(work / "whole.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    values = {row["Metric Name"]: float(row["Metric Value"]) for row in rows}
    s, run = Counters(folder, 1).values, Counters(folder).values
    wrong = {name: (values.get(name), value) for name, value in {
        "gpc__cycles_elapsed.max": s["gpu_sim_cycle"],
        "smsp__inst_executed.sum": s["gpgpu_n_tot_w_icount"],
        "sm__sass_thread_inst_executed_op_ffma_pred_on.sum": 64 ** 3,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": s["sectors_global_load"],
        "smsp__inst_executed_op_shared_ld.sum": s["accesses_shared_load"],
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": 100 * run["dram_bytes"] / run["dram_peak_bytes"],
        "lts__t_sectors.sum": s["L2_total_cache_accesses"],
        "launch__grid_size": 16, "launch__block_size": 256, "launch__occupancy_limit_warps": 6,
    }.items() if abs(values.get(name, -1) - value) > 1e-6 * max(1, value)}
    ok(not wrong, "--ncu writes counters of the kernel under Nsight Compute's names", wrong)
    ok({row["Device"] for row in rows} == {"NVIDIA GeForce RTX 3070 (simulated by Maniple)"} and
       {(row["Kernel Name"], row["CC"], row["Block Size"]) for row in rows} == {("matmul", "8.6", "(16, 16, 1)")},
       "and says whose they are", rows[0])
    ok(not any("stalled" in name for name in values), "what is not counted is absent")
    ok(values["dram__bytes_write.sum"] == 32 * Counters(folder).values["total_dram_writes"],
       "what was written to DRAM is that of the one kernel")
    refused("--ncu is of one run", "is of one run", "report", folder, folder, "--ncu", work / "x.csv")
    refused("a full disk is an error", "/dev/full", "report", folder, "--ncu", "/dev/full")


def check_odd_values(work, folder):
    """A database can be sound, and what stands in it odd: then a report is odd, too, but it is one, and a small page."""
    changes = {
        "machine": ["UPDATE machine SET number = -1e308", "UPDATE machine SET number = 9e999",
                    "UPDATE machine SET number = NULL, value = '[99999999999999999999,'", "DELETE FROM machine"],
        "counters": ["UPDATE value SET value = -1", "UPDATE value SET value = 1e308", "UPDATE value SET value = 'many'",
                     "DELETE FROM value WHERE kernel = 1", "UPDATE unit_value SET unit = -1, value = -5 WHERE unit = 3"],
        "names": ["UPDATE kernel SET name = '<script>' || hex(zeroblob(50000))", "UPDATE kernel SET name = NULL",
                  "UPDATE instruction SET text = hex(zeroblob(50000)), source = '\"&<'",
                  "UPDATE run SET machine = NULL, input = NULL, description = NULL", "UPDATE statistic SET unit = NULL"],
        "time": ["UPDATE sample SET value = -1e308", "UPDATE sample SET cycle = -cycle", "UPDATE statistic SET kind = 'x'",
                 "UPDATE histogram SET bin = 70, count = -1 WHERE bin = 9", "UPDATE histogram SET upper = NULL"],
    }
    for what, orders in changes.items():
        wrong = []
        for order in orders:
            odd = work / "odd.sqlite"
            odd.write_bytes((folder / "results.sqlite").read_bytes())
            with sqlite3.connect(odd) as base:
                base.execute(order.replace("UPDATE ", "UPDATE OR IGNORE "))
            base.close()
            done = maniple("report", odd, "--html", work / "odd.html", "--ncu", work / "odd.csv")
            size = (work / "odd.html").stat().st_size if done.returncode == 0 else 0
            if done.returncode not in (0, 2) or size > 300_000 or (size and "<script>0" in (work / "odd.html").read_text()):
                wrong.append((order, done.returncode, size, done.stderr))
        ok(not wrong, f"odd {what} in a sound database are reported or refused", *wrong)


def check_masked(work):
    """Loads whose lanes are all off leave the memory pipeline alone, and the report, too."""
    subprocess.run([TRACEGEN, "vectoradd", work / "masked-trace", "arch=86", "n=4096"], check=True, capture_output=True)
    trace = work / "masked-trace" / "kernel-1.traceg"
    off = 100
    text = trace.read_text().replace("insts = 16\n", f"insts = {16 + off}\n")
    trace.write_text(text.replace("0000 ffffffff", "00a0 00000000 1 R20 LDG.E 1 R4 0 \n" * off + "0000 ffffffff"))
    done = maniple("run", "--machine", "rtx3070", "-q", "-o", work / "masked", work / "masked-trace" / "kernelslist.g")
    counters = Counters(work / "masked") if done.returncode == 0 else None
    shown = maniple("report", work / "masked", "--html", work / "masked.html").stdout
    share = counters and 100 * counters.peaks()["SM memory pipeline"]
    ok(counters and counters.values["instructions_memory"] == 128 * (off + 3) and
       near(share, float(dict(figures_of(shown))["SM memory pipeline"])) and share < 5 and
       "narrow-accesses" not in shown, "loads without a lane are none of the memory pipeline's", done.stderr, shown)


def check_tiles(work):
    """Every cycle of every core of a coprocessor is of one kind."""
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / "fft.elf"
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "16", "-o", work / "tiles", "--", elf)
    text = maniple("report", work / "tiles", "--html", work / "tiles.html").stdout
    check_page(work / "tiles.html", "What limits it", "Cycles of cores")
    s = Counters(work / "tiles")
    shares = {name: float(share) for name, share in re.findall(r"^  ([a-z ]+?) +([\d.]+) %", text, re.M)}
    worked, = s.base.execute("SELECT sum(value) FROM unit_value JOIN statistic ON id = statistic WHERE name = 'core_cycles'").fetchone()
    all_ = 16 * s.values["global_cycles"]
    polls, waits = s.values["poll_cycles"], s.values["poll_wait_cycles"]
    wanted = {"instructions": s.values["instructions"] - (polls - waits), "branches": s.values["branch_penalty_cycles"],
              "shared memory": s.values["s_event_wait_cycles"] - waits, "polling": polls, "ended": all_ - worked}
    ok(all(near(100 * value / all_, shares[name]) for name, value in wanted.items()) and near(sum(shares.values()), 100, 0.05),
       "cycles of cores are quotients of counters, which add up", shares, wanted)
    ok(re.search(rf"^Time +[\d.]+ .s: {s.values['global_cycles']:,} cycles", text, re.M) and "Limited by  issue (instructions)" in text,
       "the answer comes first", text)

    values = s.base.execute("SELECT name, unit_value.unit, value FROM unit_value JOIN statistic ON id = statistic").fetchall()
    banks = {unit: value for name, unit, value in values if name == "bank_accesses"}
    links = {(unit, name[5:]): value for name, unit, value in values if name.startswith("link_")}
    bank, link = (max(each, key=lambda place, each=each: each[place]) for each in (banks, links))
    ok(f"Busiest bank  of tile {bank}: {banks[bank]} accesses" in text and
       re.search(r"Busiest link  from tile \d+ to the [a-z]+: (\d+) packets", text)[1] == str(links[link]), "hot spots are named", text)


def check_polling(work):
    """Loops that poll are told from work: by what the run counts, as by the text of instructions with --by-instruction. What
    is advised follows from what cores wait for."""
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / "barrier.elf"
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "16", "--by-instruction", "-o", work / "polls", "--",
            elf, "0", "2")
    text = maniple("report", work / "polls", "--html", work / "polls.html").stdout
    check_page(work / "polls.html", "What limits it", "polling: loops read a word", "on manycore-2 with tile.count=16")
    base = sqlite3.connect(work / "polls" / "results.sqlite")
    code = {pc: row for pc, *row in base.execute("SELECT pc, text, issues, memory FROM instruction")}
    cycles = reads = 0
    for pc, (text_, _, _) in code.items():
        loop = [code.get(pc - 4 * i, ("", 0, 0)) for i in (2, 1, 0)]
        if re.fullmatch(rf"b\w* #0x{pc - 8:x}", text_) and [each[0][:3] for each in loop[:2]] == ["ldr", "cmp"] and loop[0][2]:
            cycles += sum(issues + memory for _, issues, memory in loop)
            reads += loop[0][1]
    all_ = 16 * base.execute("SELECT value FROM statistics WHERE name = 'global_cycles'").fetchone()[0]
    shown = re.search(r"^  polling +([\d.]+) %", text, re.M)
    polls, = base.execute("SELECT value FROM statistics WHERE name = 'polls'").fetchone()  # reads of loops but the first of each wait, and those behind a failed STREX
    ok(0.5 * reads < polls < reads and shown and near(100 * cycles / all_ * polls / reads, float(shown[1]), 0.5),
       "loops of a load, a comparison and a branch poll", 100 * cycles / all_, polls, reads, text)
    ok(max(map(len, text.splitlines())) <= 80, "no line is longer than 80 columns", max(text.splitlines(), key=len))
    ok("Machine     manycore-2 with tile.count=16; otherwise: " in text, "what the command line has set is said", text)
    ok("more cores" not in text, "cores that wait for one lock are advised no more of them", text)
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "48", "-o", work / "lock", "--", elf, "0", "2")
    text, s = " ".join(maniple("report", work / "lock").stdout.split()), Counters(work / "lock").values
    way = (s["noc_hops"] + s["noc_packets"] + s["s_events"]) / s["s_events"]  # shared.latency is 1
    ok("Limited by waiting (loops that poll)" in text and "flags in the bank of the core that polls them" in text and
       f"an access took {s['s_event_wait_cycles'] / s['s_events']:.1f} cycles, of which its way alone is {way:.1f}" in text,
       "polls that meet in the mesh limit, not work", text)
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "16", "-o", work / "work", "--", elf.parent / "matmul.elf", "64")
    text = " ".join(maniple("report", work / "work").stdout.split())
    ok("Try more cores, as few of these wait" in text, "cores that work alone are advised more of them", text)
    check_coprocessors(work, s)


def check_coprocessors(work, s):
    """Runs of the coprocessor, one, two and three: quotients stand beside what they are made of, and nothing is of a GPU."""
    runs = [work / name for name in ("polls", "lock", "work")]
    latency, ipc = s["s_event_wait_cycles"] / s["s_events"], s["instructions"] / s["global_cycles"]
    text = maniple("report", runs[1], "--html", work / "lock.html").stdout
    ok(re.search(rf"^  s_event_latency +{latency:.3f} cycle$", text, re.M) and re.search(r"^  noc_mean_hops +\d+\.\d{3} hop$", text, re.M) and
       re.search(rf"^  ipc +{ipc:.3f} ", text, re.M), "quotients are among the counters", text)
    ok(f">{latency:.3f}<" in (work / "lock.html").read_text(), "on the page, too")
    text = maniple("report", *runs[:2], "--html", work / "pair.html").stdout
    ok(re.search(rf"^  s_event_latency .* {latency:.2f} cyc", text, re.M), "two runs are compared by them", text)
    page = (work / "pair.html").read_text()
    check_page(work / "pair.html", "B against A", "s_event_latency", "polling, %", "What was counted")
    ok(page.index("B against A") < page.index("What was counted"), "the page compares the two first, and counters come last")
    lines = maniple("report", *runs, "--html", work / "three.html").stdout.splitlines()
    ok(re.search(r"limited by +ipc +wait +hops$", lines[0]) and max(map(len, lines)) <= 80 and
       any(re.search(rf" {ipc:.1f} +{latency:.1f} ", line) for line in lines), "three have columns of their own kind", lines)
    check_page(work / "three.html", "s_event_latency", "noc_mean_hops")
    folders = [work / f"r-manycore-2-{n}" for n in (16, 64, 256)]
    for run, folder in zip(runs, folders):
        shutil.copytree(run, folder)
    lines = subprocess.run([MANIPLE, "report", *(folder.name for folder in folders)], cwd=work, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    ok(all(any(line.startswith(f"{folder.name} ") and " manycore-2 " in line for line in lines) for folder in folders),
       "names are shortened only where a line has no room for them", lines)


def check_hot_bank(work):
    """A router that moves its one packet nearly always is the limit of those that wait for shared memory, and behind it
    the bank: the named limit's lift gains, and then the next is named."""
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / "barrier.elf"

    def measure(name, *options):
        done = maniple("run", "-q", "--machine", "manycore-2", "--cores", "128", *options, "-o", work / name, "--", elf, "0", "2")
        text = " ".join(maniple("report", work / name, "--html", work / f"{name}.html").stdout.split())
        s = Counters(work / name)
        most = {of: s.base.execute("SELECT max(value) FROM unit_value JOIN statistic ON id = statistic WHERE name = ?", (of,)).fetchone()[0]
                for of in ("bank_accesses", "router_packets")}
        return done.stdout, text, s, most

    summary, text, s, most = measure("router")
    links = s.base.execute("SELECT unit_value.unit, sum(value) FROM unit_value JOIN statistic ON id = statistic WHERE name LIKE 'link_%' "
                           "GROUP BY unit_value.unit").fetchall()
    ok(most["router_packets"] == s.values["noc_busiest_router"] > max(value for _, value in links), "a router moves what goes to its tile, too", most)
    cycles, share = s.values["global_cycles"], 100 * most["router_packets"] / s.values["global_cycles"]
    ok(share >= 60 and "Limited by bandwidth (one router)" in text and "mesh.selection=output" in text and
       f"the router of tile 0 moved its one packet in {share:.1f} % of the cycles" in text and
       f"Busiest router of tile 0: {most['router_packets']} packets, one a cycle ({share:.1f} % of the cycles)" in text and
       re.search(rf"^Busiest router +{most['router_packets']:,} +packets: one in {share:.1f} %", summary, re.M),
       "a router that always moves is the limit", share, text, summary)
    check_page(work / "router.html", "bandwidth (one router)", "Tiles: packets that the router moved")
    measure("sampled", "--sample", "20000")
    page = (work / "sampled.html").read_text()
    scales = re.findall(r'<div class="scale"><span>([^<]*)</span><span>([^<]*)</span>', page)
    ok(scales and all(re.fullmatch(r"\d+(\.\d+)?[kMG]?", each) and len(each) <= 6 for pair in scales for each in pair) and
       any("k" in pair[0] for pair in scales), "labels of curves are short", scales)
    drawing = page[page.index("s_event_latencies"):].split("</svg>")[0]
    bars = re.findall(r'<rect class="fill" x="([\d.]+)"', drawing)
    ok(re.search(r"</rect><text [^>]*>[^<]+</text>\s*$", drawing), "the last bar of a histogram has a label", len(bars), drawing[-300:])

    summary, text, s, most = measure("bank", "--set", "mesh.selection=output")
    share = 100 * most["bank_accesses"] / s.values["global_cycles"]
    lifted = maniple("report", work / "router", "--what-if", "--html", work / "lifted.html")
    gain = f"x{cycles / s.values['global_cycles']:.2f}"
    ok(re.search(rf"^  mesh.selection=output +{gain}$", lifted.stdout, re.M) and "What if" not in text and
       f"With <b>mesh.selection=output</b>, measured: {gain}<" in (work / "lifted.html").read_text() and
       re.search(r"what if: run .*--set mesh.selection=output -q -o", lifted.stderr), "which --what-if measures", lifted.stdout, lifted.stderr)
    ok(cycles / s.values["global_cycles"] > 1.2 and "Busiest router" not in summary, "its lift gains", cycles, s.values["global_cycles"], summary)
    ok(share >= 60 and "Limited by bandwidth (one bank)" in text and
       f"the bank of tile 0 served an access in {share:.1f} % of the cycles" in text, "a bank that is full is the limit", share, text)


def check_contention(work):
    """Exclusive stores that fail: all but one of those that each addition, or each lock, tries."""
    elf = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / "atomic.elf"
    for name, words, of in (("adds", ("1024", "20"), 0x80000000), ("locks", ("512", "20", "1"), 0x80000004)):
        done = maniple("run", "-q", "--machine", "manycore-2", "--cores", "64", "-o", work / name, "--", elf, *words)
        text = " ".join(maniple("report", work / name).stdout.split())
        s = Counters(work / name)
        tried, failed = s.values["exclusive_stores"], s.values["exclusive_failures"]
        ok(tried - failed == int(words[0]) and failed > 0, f"{name}: each succeeds once", tried, failed)
        per = s.base.execute("SELECT sum(value) FROM unit_value JOIN statistic ON id = statistic WHERE name = 'core_exclusive_failures'").fetchone()[0]
        ok(per == failed and f"Atomics {100 * failed / tried:.1f} % of {tried:,} failed (STREX: another core was first), most at 0x{of:x} " in text and
           f"{100 * failed / tried:.1f} % of {tried:,} exclusive stores failed" in " ".join(done.stdout.split()), f"{name}: the report names the word", text)
        again, all_cycles = s.values["exclusive_again_cycles"], 64 * s.values["global_cycles"]
        ok(again > s.values["exclusive_again_wait_cycles"] > 0 and f" trying again {100 * again / all_cycles:.2f} % " in text,
           f"{name}: cycles until the next try are told from work", again, text)
        most = max(value for value, in s.base.execute("SELECT value FROM unit_value JOIN statistic ON id = statistic WHERE name = "
                                                      "'core_exclusive_again_cycles'"))
        ok(name != "adds" or ("Limited by waiting (contended atomics)" in text and
                              f"spent {100 * most / s.values['global_cycles']:.1f} % of the time so, while others had ended" in text),
           f"{name}: a core that backs off while others have ended is the limit", text)
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "4", "-o", work / "none", "--", elf.parent / "matmul.elf", "8")
    ok("Atomics" not in maniple("report", work / "none").stdout, "programs without have no such line")
    maniple("run", "-q", "--machine", "manycore-2", "--cores", "4", "--set", "dcache.size=1KiB", "-o", work / "small", "--",
            elf.parent / "matmul.elf", "64")
    done = maniple("report", work / "small", "--what-if")
    ok(re.search(r"^  dcache.size=4096 +x1\.\d\d$", done.stdout, re.M), "larger caches are tried where they are missed", done.stdout)
    maniple("run", "-q", "--machine", "manycore-1", "--cores", "1", "-o", work / "alone", "--", elf.parent / "matmul.elf", "64")
    done = maniple("report", work / "alone", "--what-if")
    ok("What if" not in done.stdout and "no key of the machine lifts what" in done.stderr, "or that no key lifts it is said", done.stdout, done.stderr)


def check_long_names(work):
    """Names of kernels are kept whole: they tell kernels apart, and C++ templates have long ones."""
    names = ["k" * 1500 + end for end in "ab"]
    for name in names:
        subprocess.run([TRACEGEN, "vectoradd", work / name[-1], "arch=86", "n=1024"], check=True, capture_output=True)
        trace = work / name[-1] / "kernel-1.traceg"
        trace.write_text(trace.read_text().replace("-kernel name = vectoradd", f"-kernel name = {name}"))
    shutil.copy(work / "b" / "kernel-1.traceg", work / "a" / "kernel-2.traceg")
    with open(work / "a" / "kernelslist.g", "a") as out:
        out.write("kernel-2.traceg\n")
    maniple("convert", work / "a" / "kernelslist.g", "-o", work / "names.mtrace")
    for place, given in (("names", work / "a" / "kernelslist.g"), ("packed", work / "names.mtrace")):
        done = maniple("run", "-q", "--machine", "rtx3070", "-o", work / place, given)
        kept = done.returncode == 0 and [name for name, in Counters(work / place).base.execute("SELECT name FROM kernel ORDER BY id")]
        ok(kept == names, f"long names are kept whole ({place})", done.stderr, kept)
    maniple("run", "-q", "--machine", "rtx3070", "--by-instruction", "--energy", "-o", work / "long", work / "a" / "kernelslist.g")
    maniple("report", work / "long", "--html", work / "long.html")
    page = (work / "long.html").read_text()
    words = re.findall(r'<span title="k{1000}…">([^<]*)</span>', page)  # no text of a page is longer
    ok(len(words) > 3 and max(map(len, words)) <= 80 and not re.search(r"<(td|summary)[^>]*>k{80}", page),
       "a page has them short, and whole where the pointer rests", *{word[:200] for word in words})


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        first = simulate(work, "first", "matmul", "n=128")
        second = simulate(work, "second", "matmul", "n=128", options=["--set", "sm.memory.interval=1"])
        done = maniple("report", first, "--html", work / "one.html")
        ok(done.returncode == 0, "report reads a folder of -o", done.stderr)
        check_figures(first, done.stdout)
        ok(maniple("report", first / "results.sqlite").stdout.splitlines()[1:] == done.stdout.splitlines()[1:],
           "and its database")
        check_page(work / "one.html", "Speed of light", "Roofline", "Issue slots", "Memory", "Kernels", "Instructions",
                   "Occupancy", "Over time", "Units", "Latencies", "All keys")
        share = 100 * Counters(first).peaks()["SM memory pipeline"]
        ok(f"{share:.2f} %" in (work / "one.html").read_text(), "the page has the figures of the text")
        whole = check_run(work)
        check_ncu(work, whole)
        check_odd_values(work, whole)
        check_roofs(work, work / "first-trace" / "kernelslist.g")
        done = maniple("report", first, second, "--html", work / "two.html")
        ok(done.returncode == 0 and "B against A" in done.stdout, "two runs are compared", done.stderr)
        lines = done.stdout.splitlines()
        ok(lines[0].startswith("A           ") and lines[1].startswith("B           ") and "with sm.memory.interval=1" in " ".join(lines[:4]) and
           done.stdout.index("B against A") < done.stdout.index("Command") and done.stdout.count("\nMend first") == 2 and
           "Of the peak" not in done.stdout, "the comparison comes first, then the answer of each", done.stdout)
        change = 100 * (Counters(second).values["gpu_sim_cycle"] / Counters(first).values["gpu_sim_cycle"] - 1)
        ok(re.search(rf"^  matmul +[\d.]+ us +[\d.]+ us +{change:+.2f} %\n    A(: .+; B: | and B: )\w",
                     done.stdout, re.M) and
           max(map(len, done.stdout.splitlines())) <= 80, "their kernels, too", change, done.stdout)
        check_page(work / "two.html", "B against A", "sm.memory.interval")
        maniple("merge", first, second, "-o", work / "both.sqlite")
        ok(maniple("report", work / "both.sqlite").stdout == done.stdout, "joined in one database, too")
        stream = check_verdicts(work)
        check_pipes(work)
        check_masked(work)
        check_tiles(work)
        check_polling(work)
        check_hot_bank(work)
        check_contention(work)
        check_long_names(work)
        check_busy(work, stream)
        check_folder_for_page(work)
        check_around(work)
        check_lifted(work)
        check_guilty(work)
        check_awaited(work)
        check_one_verdict(work)
        check_changed(work, first, second)
        many = maniple("report", first, second, stream).stdout
        rows = re.findall(r"(first|second|stream) +rtx3070 +[\d.]+ us +([\d.-]+) ", many)
        ratio = Counters(second).values["gpu_sim_cycle"] / Counters(first).values["gpu_sim_cycle"]
        ok(rows == [("first", "1.000"), ("second", f"{ratio:.3f}"), ("stream", "-")], "three runs have a line each", many)
        ok(max(map(len, many.splitlines())) <= 80, "of at most 80 columns", many)
        ok(many.count("  with ") == 3 and re.search(r"second .*\n  with +input \S+,\s+sm.memory.interval=1$", many, re.M),
           "the inputs, and what was set of one machine alone, stand below the lines", many)
        both = maniple("report", first, stream).stdout
        ok(re.findall(r"(first|stream) +rtx3070 +[\d.]+ us +([\d.-]+) ", both) == [("first", "1.000"), ("stream", "-")],
           "two runs of different inputs have a line each, and are not compared", both)
        check_columns(first)
        check_many_page(work, first, second, stream)
        check_dram_rows(work)
        check_what_if_cut(work)
        refused("a folder of runs is", "is a folder of runs; give these", "report", work)
        (work / "empty").mkdir()
        refused("a folder without a database is", "has no results.sqlite", "report", work / "empty")
        (work / "bad.sqlite").write_bytes((first / "results.sqlite").read_bytes()[:9000])
        refused("a damaged database is", "bad.sqlite", "report", work / "bad.sqlite")
        (work / "nothing.sqlite").write_bytes(b"")
        refused("an empty database is", "is empty", "report", work / "nothing.sqlite")
        refused("an empty name of a page is", "has an empty name", "report", first, "--html", "")
        refused("a full disk is", "No space left", "report", first, "--html", "/dev/full")
        refused("report without a run is", "maniple report takes", "report")
    sys.exit(finish())


main()
