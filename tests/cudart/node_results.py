#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What reports and timelines say of a run of several GPUs, beside sums and intervals that are computed here from its files.
Usage: node_results.py "WORDS OF MANIPLE" FOLDER [report]: of a run in which kernels of two GPUs have met over links; with report, of any
in which they have used links, the report alone."""
import collections
import itertools
import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys

MANIPLE, FOLDER = sys.argv[1].split(), pathlib.Path(sys.argv[2])
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
failed = 0


def check(good, name, *notes):
    global failed
    failed += not good
    if not good:
        print(f"{name}: {' '.join(map(str, notes))[:600]}")


def maniple(*words):
    return subprocess.run([*MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


# ===== what the files have =====

class Kernel:
    def __init__(self, gpu, number, begin, end, values):
        self.gpu, self.number, self.begin, self.end = gpu, number, begin, end
        self.uses_links = values.get("fabric_bytes_out", 0) + values.get("fabric_bytes_in", 0) > 0
        self.data = {int(name[18:]): value for name, value in values.items() if name.startswith("fabric_data_to_gpu") and value}


def kernels_of(gpu):
    database = sqlite3.connect(FOLDER / f"gpu{gpu}" / "results.sqlite")
    values = collections.defaultdict(dict)
    for kernel, name, value in database.execute("SELECT kernel, name, value FROM statistics WHERE kernel > 0"):
        values[kernel][name] = value
    rows = database.execute("SELECT kernel, start, \"end\" FROM span WHERE kind = 'kernel'").fetchall()
    return [Kernel(gpu, number, begin, end, values[number]) for number, begin, end in rows]


def covered(kernels, instants, wanted):
    """Seconds between neighbours of `instants` in which `wanted` (whether some compute, whether some communicate) holds."""
    total = 0
    for begin, end in zip(instants, instants[1:]):
        there = [k for k in kernels if k.begin <= begin and k.end >= end]
        if wanted(any(not k.uses_links for k in there), any(k.uses_links for k in there)):
            total += end - begin
    return total / 1e15


totals = [device["total"]["statistics"] for device in json.loads((FOLDER / "results.json").read_text())["devices"]]
GPUS = range(len(totals))
kernels = {gpu: kernels_of(gpu) for gpu in GPUS}


def value(gpu, name):
    found = totals[gpu][name]
    return found["value"] if isinstance(found, dict) else found


# ===== the report =====

done = maniple("report", FOLDER)
check(done.returncode == 0, "report", done.stderr)
lines = done.stdout.splitlines()
one_line = " ".join(done.stdout.split())
at = next((i for i, line in enumerate(lines) if line.startswith("from, to")), 0)
for gpu in GPUS:
    cells = lines[at + 1 + gpu].split()
    expected = [str(gpu)] + ["-" if gpu == to else f"{value(gpu, f'fabric_data_to_gpu{to}'):,}" for to in GPUS]
    check(cells == expected, "matrix of traffic", cells, expected)
    kinds = ["read", "write", "atomic", "reply", "acknowledgement"]
    check(sum(value(gpu, f"fabric_{kind}_bytes") for kind in kinds) == value(gpu, "fabric_bytes_out"), "bytes by kind")
    check(value(gpu, "fabric_data_out") == sum(value(gpu, f"fabric_data_to_gpu{to}") for to in GPUS), "data by GPU")
check(sum(value(gpu, "fabric_bytes_out") for gpu in GPUS) > 0, "some traffic")
for name in ("bytes", "data", "packets"):
    check(sum(value(gpu, f"fabric_{name}_out") for gpu in GPUS) == sum(value(gpu, f"fabric_{name}_in") for gpu in GPUS),
          f"{name} sent are received")
communicating = {}
for gpu in GPUS:
    instants = sorted({time for k in kernels[gpu] for time in (k.begin, k.end)})
    expected = [covered(kernels[gpu], instants, wanted)
                for wanted in (lambda a, b: a, lambda a, b: b, lambda a, b: b and not a)]
    row = next((line for line in lines if re.match(rf" *{gpu}  +\d", line) and re.search(r"[num]?s\b", line)), "")
    found = [float(number) * SECONDS[unit] for number, unit in re.findall(r"([\d.]+) (ns|us|ms|s)\b", row)[:3]]
    check(len(found) == 3 and all(abs(a - b) <= 0.006 * b + 1e-11 for a, b in zip(found, expected)),
          f"GPU {gpu}: compute, communication, exposed communication", found, expected)
    communicating[gpu] = expected[1]
said = re.search(r"of the whole run of ([\d.]+) (ns|us|ms|s), .*? it is ([\d.]+) % at most", one_line)
whole = float(said[1]) * SECONDS[said[2]] if said else 0
most = max(max(value(gpu, "fabric_bytes_out"), value(gpu, "fabric_bytes_in")) / value(gpu, "fabric_peak_bytes") * whole / communicating[gpu]
           for gpu in GPUS if communicating[gpu] > 0)
check(said and abs(float(said[3]) / 100 - min(most, 1)) < 0.006 * most, "what per cents of the peak are of", one_line, most)
one = maniple("report", FOLDER / "gpu0").stdout
check("(copies)" in one or "(launches)" not in one or " 0.0 % between kernels" in " ".join(one.split()),
      "one GPU's report takes no gap between its launches for theirs", one)
page = FOLDER / "node.html"
check(maniple("report", FOLDER, "--html", page).returncode == 0, "a page")
text = page.read_text()
for gpu in GPUS:
    for to in GPUS:
        check(gpu == to or f">{value(gpu, f'fabric_data_to_gpu{to}'):,}<" in text, "the page has the matrix", gpu, to)


def table(title):
    """Cells by the first words of the rows of a table of the report, in their order."""
    start = next((i for i, line in enumerate(lines) if line.startswith(title)), len(lines))
    rows = itertools.takewhile(lambda line: line.startswith("  "), lines[start + 1:])
    return {re.match(r"  (\S+ ?\d*)", row)[1].strip(): re.findall(r"\d[\d,.]*(?: [num]?s)?", row[26:]) for row in rows}


links = table("Use of links")
for link in range(18):
    moved = [value(gpu, f"fabric_link{link}_{way}") / value(gpu, "fabric_link_peak_bytes") for gpu in GPUS for way in ("out", "in")]
    found = [float(cell) for cell in links.get(f"link {link}", [])]
    check(len(found) == (len(moved) if any(moved) else 0) and all(abs(a - 100 * b) < 0.0051 for a, b in zip(found, moved)),
          "use of a link", link, found, moved)
check("Use of links" in text, "the page has links")
if "switch_bytes" in totals[0]:
    whole = json.loads((FOLDER / "results.json").read_text())["total"]["statistics"]
    switches = table("Bytes by switches")
    for row in (0, 1):
        expected = [f"{value(gpu, f'switch{row}_bytes'):,}" for gpu in GPUS]
        check(switches.get(f"switch {row}") == expected, "bytes of a switch", switches, expected)
        check(sum(value(gpu, f"switch{row}_bytes") for gpu in GPUS) == whole[f"switch{row}_bytes"]["value"], "bytes of all GPUs")
    for gpu in GPUS:
        check(0 < value(gpu, "switch_bytes") == sum(value(gpu, f"switch{row}_bytes") for row in (0, 1)), "bytes to a GPU")
    check(sum(value(gpu, "switch_bytes") for gpu in GPUS) == sum(value(gpu, "fabric_bytes_in") for gpu in GPUS), "all go by switches")
for gpu in GPUS:
    row = next(line for line in lines[lines.index(next(line for line in lines if line.startswith("Replies within"))) + 2:]
               if re.match(rf" *{gpu} ", line))
    within = [float(number) * SECONDS[unit] for number, unit in re.findall(r"([\d.]+) (ns|us|ms|s)\b", row)]
    check(len(within) == 3 and within == sorted(within), "latencies", row)
if "report" in sys.argv[3:]:
    print("wrong" if failed else "right")
    sys.exit(failed != 0)
for words in (("report", FOLDER, FOLDER), ("report", FOLDER, "--ncu", FOLDER / "x.csv"), ("report", FOLDER, "--what-if")):
    done = maniple(*words)
    check(done.returncode == 2 and "gpu0" in done.stderr + "gpu0" * (words[-1] == FOLDER), "refused", words, done.stderr)


# ===== the timeline =====

def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            content, at = varint(data, at)
        elif key & 7 == 1:
            content, at = struct.unpack("<Q", data[at:at + 8])[0], at + 8
        else:
            length, at = varint(data, at)
            content, at = data[at:at + length], at + length
        yield key >> 3, content


def read_timeline(folder):
    """Names of tracks without a parent, and of each arrow the roots of the tracks of its ends and the numbers of launches."""
    path = FOLDER / "timeline"
    check(maniple("timeline", folder, "-o", path, "--cycles").returncode == 0, "a timeline", folder)
    parents, names, arrows = {}, {}, collections.defaultdict(list)
    for _, packet in fields(path.read_bytes()):
        packet = dict(fields(packet))
        if 60 in packet:
            track = dict(fields(packet[60]))
            parents[track[1]], names[track[1]] = track.get(5, 0), track[2].decode()
        if 11 in packet:
            event = list(fields(packet[11]))
            track = dict(event)[11]
            while parents[track]:
                track = parents[track]
            launch = [dict(fields(content)).get(3) for number, content in event if number == 4]
            for number, flow in event:
                if number == 47:
                    arrows[flow].append((names[track], launch[0]))
    return [names[track] for track in names if not parents[track]], arrows


roots, arrows = read_timeline(FOLDER)
check(roots == [f"GPU {gpu}" for gpu in GPUS], "a track for each GPU", roots)
expected = collections.Counter()
for gpu in GPUS:
    for kernel in kernels[gpu]:
        for to in kernel.data:
            beside = [(min(k.end, kernel.end) - max(k.begin, kernel.begin), -k.begin, -k.number, k)
                      for k in kernels.get(to, []) if k.uses_links]
            best = max(beside, default=(0,), key=lambda found: found[:3])
            if best[0] > 0:
                expected[frozenset([(f"GPU {gpu}", kernel.number), (f"GPU {to}", best[3].number)])] += 1
found = collections.Counter(frozenset(ends) for ends in arrows.values())
check(found == expected and found, "arrows between kernels", found, expected)
check(all(len(ends) == 2 for ends in arrows.values()), "an arrow has two ends")
roots, arrows = read_timeline(FOLDER / "gpu0")
check(not arrows and "GPU 0" not in roots, "one GPU has neither")
print("right" if not failed else f"{failed} checks failed")
sys.exit(failed != 0)
