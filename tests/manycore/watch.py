#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What listens to a many-core run: samples, what each instruction costs, accesses over time, latencies. Programs of a few
words have answers that can be worked out by hand; programs of apps/manycore show that the bytes do not depend on how
they are computed. Usage: watch.py MANIPLE ELF_FOLDER"""
import csv
import hashlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

MANIPLE, ELF = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
EXIT = ["e3a00018", "e3a01802", "e3811026", "ef123456"]  # semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit
count = failed = 0


def ok(good, what):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)


def make(path, words):
    subprocess.run([sys.executable, HERE / "elf.py", path, *words], check=True)
    return path


def run(folder, program, *options, cores=4, machine="manycore-2"):
    command = [MANIPLE, "run", "-q", "--machine", machine, "--cores", str(cores), "-o", folder, *options, "--", program]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def ask(folder, sql):
    database = sqlite3.connect(folder / "results.sqlite")
    rows = database.execute(sql).fetchall()
    database.close()
    return rows


def total(folder):
    statistics = json.loads((folder / "results.json").read_text())["total"]["statistics"]
    return {name: entry["value"] for name, entry in statistics.items()}


def samples(folder):
    rows = list(csv.reader((folder / "samples.csv").open()))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


COUNTS = "issues + ready + result + memory + barrier + fence + fetch + ended"


def known_loop(work):
    """mov; ten times subs and bne; four words to the end. The first instruction misses: 10 cycles in place of 1."""
    program = make(work / "loop.elf", ["e3a0400a", "e2544001", "1afffffd", *EXIT])
    folder = work / "loop"
    done = run(folder, program, "--by-instruction", "--sample", "10", "--sample-statistics",
               "instructions,global_cycles,l1i_misses", "--timeline", "cores")
    ok(done.returncode == 0, "a program with a known number of instructions")
    rows = dict((pc, rest) for pc, *rest in ask(folder, "SELECT pc, issues, lanes, fetch, memory, text FROM instruction"))
    want = {0x8000: 1, 0x8004: 10, 0x8008: 10, 0x800C: 1, 0x8010: 1, 0x8014: 1, 0x8018: 1}
    ok({pc: row[0] for pc, row in rows.items()} == {pc: 4 * n for pc, n in want.items()}, "counts of issues by PC")
    ok([rows[pc][2] for pc in sorted(want)] == [4 * 9, 0, 0, 0, 0, 0, 0], "the miss belongs to the first instruction")
    ok(rows[0x8004][4] == "subs r4, r4, #1", f"instructions have a text: {rows[0x8004][4]}")
    cycles = total(folder)["global_cycles"]
    ok(cycles == 24 + 9, f"{cycles} cycles: one for each of 24 instructions before the last, and the miss")
    ok(ask(folder, f"SELECT sum({COUNTS}) FROM instruction") == [(4 * cycles + 4,)],
       "all cycles of all cores are given away, and one for the call that ends each")
    got = samples(folder)
    # Of the 25 instructions, those that begin in cycles 0 to 9, 10 to 19, 20 to 29, 30 to 33.
    ok(got["cycle"] == [10, 20, 30, cycles], f"the last interval ends with the run: {got['cycle']}")
    ok(got["instructions"] == [4 * 1, 4 * 10, 4 * 10, 4 * 4], f"instructions by interval: {got['instructions']}")
    ok(got["l1i_misses"][0] == 4 and sum(got["l1i_misses"]) == 4, "misses by interval")
    lives = ask(folder, "SELECT place, start, \"end\" FROM span WHERE kind = 'core' ORDER BY place")
    ok(lives == [(i, 0, 33 * 10**6) for i in range(4)], "when each core ran, in femtoseconds of 1 GHz")


def polls_and_counts(work):
    """A thousand reads of one word by every core, in loops of three to five instructions: polls where the branch depends
    on what is read, by a comparison or through other registers, and none where the loop is counted."""
    begin, n, cores = ["e3a06102", "e3a04ffa"], 1000, 4  # mov r6, #0x80000000; mov r4, #1000
    loops = {"counted": (["e5965000", "e2544001", "1afffffc"], 0),  # ldr r5, [r6]; subs r4, r4, #1; bne
             "summed": (["e5965000", "e0877005", "e2544001", "1afffffb"], 0),  # add r7, r7, r5
             "compared": (["e5965000", "e3550001", "12544001", "1afffffb"], n - 1),  # cmp r5, #1; subne r4, r4, #1
             "through a register": (["e5965000", "e2057001", "e3570001", "12544001", "1afffffa"], n - 1),  # and r7, r5, #1
             "overwritten": (["e5965000", "e3a05001", "e3550000", "12544001", "1afffffa"], 0)}  # mov r5, #1; cmp r5, #0
    for what, (loop, each) in loops.items():
        program = make(work / "loop.elf", [*begin, *loop, *EXIT])
        for options in ([], ["--no-skip"], ["--set", "core.run_ahead=1"]):
            done = run(work / "counted", program, *options, cores=cores)
            got = total(work / "counted").get("polls") if done.returncode == 0 else done.stderr
            ok(got == cores * each, f"{what} {options}: {got} of {cores * each} reads are polls")


def banks(work):
    """Cores that read one bank of the mesh as fast as they may: it takes mesh.queue / (shared.latency + 2) in a cycle. Core
    0, whose bank it is, ends at once. The report says that it is the bank, far below one access a cycle."""
    program = make(work / "bank.elf", ["e3a06102", "e3a04ffa", "e3500000", "0a000002", "e5965000", "e2544001", "1afffffc", *EXIT])
    for queue, latency in ((1, 5), (2, 5), (3, 5), (1, 1), (2, 2), (4, 6)):
        folder, law = work / "bank", queue / (latency + 2)
        run(folder, program, "--set", "mesh.selection=output", "--set", f"mesh.queue={queue}", "--set",
            f"shared.latency={latency}", cores=64)
        rate = total(folder)["s_events"] / total(folder)["global_cycles"]
        ok(0.98 * law < rate <= law, f"{queue} places, latency {latency}: {rate:.4f} of {law:.4f} accesses a cycle")
    text = " ".join(subprocess.run([MANIPLE, "report", folder], capture_output=True, text=True, check=False).stdout.split())
    ok("Limited by bandwidth (one bank)" in text and "from the mesh one in at most 50.0 %" in text and
       "(mesh.queue) for less time (shared.latency)" in text, f"the report names the bank and what would lift it: {text[:700]}")


def known_hops(work):
    """Core 0 reads a bank sixteen times, h hops away; nobody else does anything: 2(h + 1) + shared.latency cycles."""
    for hops, latency in ((0, 3), (1, 3), (5, 3), (7, 20)):
        program = make(work / "hops.elf", ["e3500000", "1a000006", "e3a05010", f"e3a060{hops:02x}", "e0060693",
                                           "e2866102", "e5967000", "e2555001", "1afffffc", *EXIT])
        folder = work / f"hops{hops}"
        done = run(folder, program, "--by-instruction", "--set", "mesh.width=8", "--set", f"shared.latency={latency}",
                   "--timeline", "accesses:0-100000", cores=8)
        cycles = latency + (2 * (hops + 1) if hops else 0)
        bins = total(folder)["s_event_latencies"] if done.returncode == 0 else []
        ok(bins and bins[cycles.bit_length()] == 16 and sum(bins) == 16, f"latencies of {hops} hops: 16 of {cycles} cycles")
        ok(ask(folder, "SELECT memory FROM instruction WHERE pc = 0x8018") == [(16 * cycles,)],
           "the load is charged with its waiting")
        spans = ask(folder, "SELECT place, number, \"end\" - start FROM span WHERE kind = 'access'")
        bank = 40 * 2**20 // 8
        ok(spans == [(0, 0x80000000 + hops * bank, cycles * 10**6)] * 16, "each access stands in the timeline")
        if hops == 5:
            within = work / "within"
            start = ask(folder, "SELECT start FROM span WHERE kind = 'access' ORDER BY start")[3][0] // 10**6
            run(within, program, "--set", "mesh.width=8", "--set", f"shared.latency={latency}", "--timeline",
                f"accesses:{start + 1}-{start + 2}", cores=8)
            ok(ask(within, "SELECT start FROM span WHERE kind = 'access'") == [(start * 10**6,)],
               "a window keeps what overlaps it")


def fingerprint(folder):
    tables = [ask(folder, f"SELECT * FROM {table} ORDER BY {order}") for table, order in
              (("span", "1, 2, 3, 4, 5, 6, 7, 8"), ("instruction", "1, 2, 3, 4"), ("sample", "1, 2, 3"))]
    text = repr(tables) + (folder / "samples.csv").read_text()
    return hashlib.sha256(text.encode()).hexdigest()


def identity(work):
    cases = (("manycore-2", 48, ["barrier.elf", "0", "2", "96"], []), ("manycore-1", 24, ["barrier.elf", "2", "2", "48"], []),
             ("manycore-2", 48, ["atomic.elf", "48", "5", "1"], ["--set", "mesh.torus=true"]))
    for machine, cores, (name, *words), more in cases:
        def go(folder, *options):
            command = [MANIPLE, "run", "-q", "--machine", machine, "--cores", str(cores), *more, "--sample", "37",
                       "--sample-statistics", "*", *options, "-o", folder, "--", ELF / name, *words]
            return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        case = f"{machine} {name} {' '.join(words)}"
        seen = ["--by-instruction", "--timeline", "cores", "--timeline", "accesses:500-5000"]
        go(work / "one", "--threads", "1", *seen)
        first = fingerprint(work / "one")
        for options in (["--threads", "2"], ["--threads", "3", "--set", "mesh.block=3"], ["--no-skip"],
                        ["--threads", "2", "--window", "1"], ["--executor", "serial", "--set", "core.run_ahead=37"],
                        ["--threads", "2", "--schedule", "dynamic"]):
            go(work / "two", *options, *seen)
            ok(fingerprint(work / "two") == first, f"{case}: the same bytes with {' '.join(options)}")
        rounds = work / "rounds"  # alone, samples leave rounds of waiting cores uncomputed
        go(rounds, "--threads", "1")
        ok((rounds / "samples.csv").read_bytes() == (work / "one" / "samples.csv").read_bytes(),
           f"{case}: the same samples where rounds are counted together")
        go(work / "translated", "--threads", "2", "--core", "translation")
        ok((work / "translated" / "samples.csv").read_bytes() == (rounds / "samples.csv").read_bytes(),
           f"{case}: the same samples of translated cores")
        plain = work / "plain"
        subprocess.run(list(map(str, [MANIPLE, "run", "-q", "--machine", machine, "--cores", str(cores), *more, "-o", plain,
                                      "--", ELF / name, *words])), capture_output=True, check=True)
        ok(total(plain) == total(work / "one") and total(plain) == total(rounds), f"{case}: the totals of a run without")
        got, whole = samples(rounds), total(rounds)
        sums = [name for name in ("instructions", "s_events", "s_event_wait_cycles", "noc_hops", "noc_blocked_cycles",
                                  "polls", "poll_cycles", "poll_wait_cycles",
                                  "l1d_accesses", "cache_miss_cycles") if sum(got[name]) != whole[name]]
        ok(not sums, f"{case}: intervals add up to the totals {sums}")
        cycles = whole["global_cycles"] + 1
        ok(got["cycle"] == [*range(37, cycles - 1, 37), cycles - 1], f"{case}: the last interval ends with the run")
        ok(ask(work / "one", f"SELECT sum({COUNTS}) FROM instruction") == [(cores * cycles,)],
           f"{case}: all cycles of all cores are given away")
        ok(sum(whole["s_event_latencies"]) == whole["s_events"], f"{case}: each access has a latency")


def refusals(work):
    program = ELF / "fibonacci.elf"
    for options, word in ((["--sample", "10", "--executor", "s-events"], "use --executor window"),
                          (["--by-instruction", "--executor", "s-events"], "use --executor window"),
                          (["--timeline", "accesses:0-10", "--executor", "cuda"], "use --executor window"),
                          (["--sample", "10", "--hash"], "leave one of them out"),
                          (["--by-instruction", "--core", "translation"], "use --core auto"),
                          (["--sample", "10", "--sample-statistics", "core_*"], "no statistic that can be sampled"),
                          (["--timeline", "accesses:9-3"], "ends before it begins")):
        done = run(work / "refused", program, *options)
        ok(done.returncode == 2 and word in done.stderr, f"refused: {' '.join(options)}: {done.stderr.strip()[:60]}")


def pages(work):
    folder = work / "one"
    done = subprocess.run([MANIPLE, "timeline", folder, "-o", work / "trace"], capture_output=True, check=False)
    trace = (work / "trace").read_bytes()
    ok(done.returncode == 0 and b"Accesses to shared memory" in trace and b"core 47" in trace, "maniple timeline draws cores")
    done = subprocess.run([MANIPLE, "report", folder, "--html", work / "page.html"], capture_output=True, text=True,
                          check=False)
    ok("Instructions by cycles of cores" in done.stdout, "a report names the instructions that cost most")
    page = (work / "page.html").read_text()
    for option in (["--ncu", work / "ncu.csv"],): # --what-if: tests/cli/report.py
        refused = subprocess.run([MANIPLE, "report", folder, *option], capture_output=True, text=True, check=False)
        ok(refused.returncode == 2 and "is no run of a GPU" in refused.stderr, f"{option[0]} is refused")
    wanted = ("packets over the link to the right", "<h2>Instructions</h2>", "<h2>Over time</h2>", "Tiles: ", "<h2>Latencies</h2>", "s_event_latencies")
    ok(not [word for word in wanted if word not in page], "its page has instructions, curves, maps and latencies")


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    known_loop(place)
    polls_and_counts(place)
    banks(place)
    known_hops(place)
    identity(place)
    refusals(place)
    pages(place)
print(f"1..{count}")
sys.exit(failed > 0)
