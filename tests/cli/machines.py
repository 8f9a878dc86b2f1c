#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The contract on shipped machines: a trace, and a program as PTX and as machine code, that keep all SMs and partitions busy,
and a workload for what the architecture alone has, give the same results, to the last statistic, and the same state, however
they are run. Usage: machines.py MANIPLE TRACEGEN [MACHINE...]; all machines where none is named. Each input is run in one of the ways, in
turn; a board, which has its parts from another machine's file, has one of these inputs, every other day. MANIPLE_MATRIX=full: all of them
for each machine, more ways, and every epoch's hash"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import same  # noqa: E402  pylint: disable=wrong-import-position

FULL = os.environ.get("MANIPLE_MATRIX") == "full"
WAYS = [["--no-skip"], ["--window", "1"], ["--threads", "2", "--schedule", "dynamic"]]
MORE_WAYS = [["--no-skip", "--window", "1"], ["--executor", "serial"], ["--executor", "lockstep", "--threads", "2"],
             ["--executor", "domains", "--threads", "3"], ["--executor", "pool", "--threads", "3"],
             ["--threads", "5", "--schedule", "dynamic", "--window", "7"],
             ["--threads", "3", "--schedule", "static", "--no-skip", "--window", "3"]]

# Kernels of the trace, of as many blocks as the largest machine has SMs and some: loads of their own and of the same lines,
# atomics, copies, barriers and shuffles, side by side in streams.
KINDS = [("multi", "kernels=3", "streams=3", "rounds=1"), ("gather", "footprint=32768", "rounds=4", "threads=64"),
         ("atomics", "targets=2048", "rounds=2", "threads=64"), ("stream", "rounds=2", "threads=128", "width=16")]
BLOCKS = 196
HOTSPOT = ["hotspot", "--width", "256", "--height", "112", "--steps", "2"]
# Workloads for what an architecture alone has.
OWN = {90: ["wsgemm", "--m", "384", "--n", "256", "--k", "128", "--cluster", "1"],
       100: ["tcgemm", "--m", "256", "--n", "256", "--k", "128"], 103: ["tcgemm", "--m", "256", "--n", "256", "--k", "128"]}
# Machine code that an architecture runs: that of the first minor version of the same major one.
CODE = {70: 70, 75: 75, 80: 80, 86: 80, 89: 80, 90: 90, 100: 100, 103: 100, 120: 120}

count = failed = 0


def ok(condition, name, notes=()):
    global count, failed
    count += 1
    failed += not condition
    print("ok" if condition else "not ok", count, "-", name, flush=True)
    for note in [] if condition else list(notes)[:12]:
        print("#", note)


def write_trace(tracegen, folder):
    """One list of the kernels of all kinds."""
    lines = []
    for kind, *keys in KINDS:
        subprocess.run([tracegen, kind, folder / kind, f"blocks={BLOCKS}", *keys], check=True, stdout=subprocess.DEVNULL)
        for line in (folder / kind / "kernelslist.g").read_text().splitlines():
            lines.append(f"{kind}/{line}" if line.startswith("kernel-") else line)
    (folder / "kernelslist.g").write_text("\n".join(lines) + "\n")


def inputs(machine, level, trace, folder):
    """Name, arguments of maniple and environment of each input of a machine."""
    if level is None:
        elf = ROOT / "apps/manycore/elf/barrier.elf"
        arguments = ["2", "3", "96"] if machine == "manycore-2" else ["0", "2", "48"]
        mesh = ["--cores", "48", "--set", "mesh.block=4"]
        if machine.startswith("manycore-2"):
            mesh += ["--set", "mesh.queue=2"]
        yield "program", ["run", *mesh], {}, ["--", str(elf), *arguments]
        return
    yield "trace", ["run"], {}, [str(trace)]
    yield "PTX", ["app", "run", *HOTSPOT, "--code", "ptx"], {}, []
    if level in CODE:
        place = folder / f"code-{machine}"
        place.mkdir()
        (place / "hotspot.cubin").symlink_to(ROOT / f"tests/frontend/sass/data/hotspot.sm_{CODE[level]}.cubin")
        yield "machine code", ["app", "run", *HOTSPOT, "--code", "sass"], {"MANIPLE_APPS_CODE": str(place)}, []
    if level in OWN:
        yield OWN[level][0], ["app", "run", *OWN[level]], {}, []


def is_busy(outcome):
    """Every SM has had a block, and every partition a request."""
    ctas, requests = outcome.per_unit("sm_ctas"), outcome.per_unit("L2_requests")
    return len(ctas) > 1 and len(requests) > 1 and all(ctas) and all(requests)


def is_board(machine):
    text = (ROOT / f"machines/{machine}.cfg").read_text(encoding="utf-8")
    return re.search(r"^ +extends =", text, re.M) and not re.search(r"^ +default(_for)? =", text, re.M)


def is_node(machine):
    """Several GPUs, each of which is another machine."""
    return re.search(r"^gpu: ", (ROOT / f"machines/{machine}.cfg").read_text(encoding="utf-8"), re.M)


def check(maniple, tracegen, machine, level, folder, turn, board):
    """All inputs, or a board's one, in all ways, or in that whose turn it is."""
    trace = folder / "kernelslist.g"
    all_inputs = list(inputs(machine, level, trace, folder))
    some = [all_inputs[turn % len(all_inputs)]] if board else all_inputs
    if not trace.exists() and any(name == "trace" for name, *_ in some):
        write_trace(tracegen, folder)
    for place, (name, arguments, environment, rest) in enumerate(some):
        fixed = [maniple, *arguments, "--machine", machine, "-q", "--format", "json", *(["--hash"] if FULL else [])]
        expected = same.Outcome([*fixed, *rest], environment)
        ok(expected.status == 0 and expected.results, f"{machine}, {name}: runs",
           [expected.shell(), *expected.words.splitlines()])
        if level is not None and name != OWN.get(level, [""])[0]:
            ok(is_busy(expected), f"{machine}, {name}: all SMs and partitions are busy",
               [expected.per_unit("sm_ctas"), expected.per_unit("L2_requests")])
        way = turn // len(all_inputs) if board else turn + place
        for way in WAYS + MORE_WAYS if FULL else [WAYS[way % len(WAYS)]]:
            found = same.Outcome([*fixed, *way, *rest], environment)
            notes = same.differences(expected, found)
            ok(not notes, f"{machine}, {name}: {' '.join(way)}", [found.shell(), *notes])


def main():
    maniple, tracegen = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    levels = {}
    for line in subprocess.run([maniple, "machines"], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        levels[words[0]] = int(words[1][3:]) if words[1].startswith("sm_") else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        boards = [] if FULL else [machine for machine in levels if is_board(machine) and not is_node(machine)]
        others = [machine for machine in levels if machine not in boards]
        for machine in sys.argv[3:] or levels:
            if is_node(machine):
                ok(True, f"{machine} # SKIP its GPUs are another machine's")
                continue
            alike = boards if machine in boards else others
            if alike is boards and (boards.index(machine) + int(time.time()) // 86400) % 2:
                ok(True, f"{machine} # SKIP another day, as its parts are another machine's")
                continue
            check(maniple, tracegen, machine, levels[machine], folder, alike.index(machine), alike is boards)
    print(f"1..{count}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
