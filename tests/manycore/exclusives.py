#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which exclusive stores fail: those whose doubleword was written since the load, and no others, wherever words lie.
A model of a few lines of the global space (architecture I) says how many fail, and when the last core ends.
Usage: exclusives.py MANIPLE"""
import heapq
import json
import pathlib
import subprocess
import sys
import tempfile

MANIPLE = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
EXIT = ["e3a00018", "e3a01802", "e3811026", "ef123456"]
LATENCY, TIMES = 10, 20
count = failed = 0


def ok(good, *what):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {' '.join(map(str, what))}", flush=True)


def adds(path, stride):
    """Each core adds TIMES times to the word at core · stride (None: the first of its bank), and tries again at once."""
    address = ["e0060390"] if stride is None else [f"e3a060{stride:02x}", "e0060690"]  # mul r6, r0, r3 (bytes of a bank)
    loop = ["e1967f9f", "e2877001", "e1865f97", "e3550000", "1afffffa", "e2544001", "1afffff8"]
    subprocess.run([sys.executable, HERE / "elf.py", path, f"e3a040{TIMES:02x}", *address, "e2866102", *loop, *EXIT], check=True)
    return path, 2 + len(address)


def model(cores, stride, bank, before):
    """Failures, those by the other word alone, cycles from each to the next try's end, and the cycle in which the last core ends. ldrex, add, strex, cmp, bne,
    subs, bne take a cycle each, an access LATENCY more between setting out and its repetition; those that arrive in one
    cycle are performed in the order of cores."""
    place = [core * (bank if stride is None else stride) // 4 for core in range(cores)]
    writes, seen, left, since = {}, [None] * cores, [TIMES] * cores, [None] * cores
    failures = neighbours = tries = end = 0
    events = [(before + LATENCY // 2, core, "load") for core in range(cores)]
    heapq.heapify(events)
    while events:
        cycle, core, what = heapq.heappop(events)
        word = place[core]
        state = writes.get(word, 0), writes.get(word ^ 1, 0)
        if what == "load":
            seen[core] = state
            heapq.heappush(events, (cycle + LATENCY + 2, core, "store"))
            continue
        again = cycle + LATENCY + 3  # repeated, cmp, bne
        tries += 0 if since[core] is None else cycle - since[core]
        since[core] = None if state == seen[core] else cycle
        if state == seen[core]:
            writes[word] = state[0] + 1
            left[core] -= 1
            again += 2  # subs, bne
        else:
            failures += 1
            neighbours += state[0] == seen[core][0]
        if left[core]:
            heapq.heappush(events, (again, core, "load"))
        else:
            end = max(end, again - LATENCY // 2 + len(EXIT) - 1)
    return failures, neighbours, tries, 2 * LATENCY * failures, 0, end


def run(folder, program, machine, cores, *options):
    command = [MANIPLE, "run", "-q", "--machine", machine, "--cores", cores, "-o", folder, *options, "--", program]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr}, ""
    results = json.loads((folder / "results.json").read_text())
    return {name: entry["value"] for name, entry in results["total"]["statistics"].items()}, done.stdout.split("State hash")[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for cores, stride in ((64, None), (64, 8), (48, 16), (2, 4), (24, 4), (16, 0), (31, 0)):
            program, before = adds(work / "adds.elf", stride)
            case = f"{cores} cores, words {'in banks of their own' if stride is None else f'{stride} bytes apart'}"
            got, first = run(work / "one", program, "manycore-1", cores)
            want = model(cores, stride, 40 * 2**20 // cores // 8 * 8, before)
            seen = tuple(got.get(name) for name in ("exclusive_failures", "exclusive_neighbour_failures", "exclusive_again_cycles",
                                                "exclusive_again_wait_cycles", "polls", "global_cycles"))
            ok(seen == want, f"manycore-1, {case}: {seen}, by the model {want}")
            ok(got.get("exclusive_stores") == TIMES * cores + want[0], f"{case}: each addition succeeds once")
            ok(bool(want[0]) == (stride in (0, 4)) and bool(want[1]) == (stride == 4), f"{case}: {want} is what its words say")
            for options in (["--threads", "2"], ["--no-skip"], ["--core", "interpreter", "--threads", "3", "--set", "mesh.block=2"],
                            ["--executor", "s-events"]):
                ok(run(work / "two", program, "manycore-1", cores, *options) == (got, first), f"{case}: the same with {' '.join(options)}")
            got, first = run(work / "one", program, "manycore-2", cores)
            failures, neighbours = got.get("exclusive_failures"), got.get("exclusive_neighbour_failures")
            ok(got.get("exclusive_stores") == TIMES * cores + failures and bool(failures) == (stride in (0, 4)) and
               bool(neighbours) == (stride == 4), f"manycore-2, {case}: {failures} failed, {neighbours} by the other word")
            ok(run(work / "two", program, "manycore-2", cores, "--threads", "2", "--no-skip") == (got, first),
               f"{case}: the same with two threads")
    print(f"1..{count}")
    return failed > 0


sys.exit(main())
