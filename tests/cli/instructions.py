#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters of lanes, pipes, spaces and instructions, against what programs are known to do: their sums by PC are the
totals, and the same for any threads, executors and visits. Usage: instructions.py MANIPLE TRACEGEN"""
import lzma
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
PTX = pathlib.Path(__file__).resolve().parents[2] / "data/ptx/apps/nw.ptx.xz"
WAITS = ("ready", "result", "memory", "barrier", "fence", "fetch", "ended")


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def trace(work, kind, *words):
    subprocess.run([TRACEGEN, kind, work / kind, "arch=86", *words], check=True, capture_output=True)
    return work / kind / "kernelslist.g"


def run(work, name, list_, *words):
    done = maniple("run", "--machine", "rtx3070", "-q", "--by-instruction", "-o", work / name, *words, list_)
    if done.returncode:
        ok(False, f"{name} runs", done.stderr)
    return sqlite3.connect(work / name / "results.sqlite")


def totals(base):
    return dict(base.execute("SELECT name, value FROM statistics WHERE kernel = 0"))


def by_opcode(base, opcode, columns="*"):
    return base.execute(f"SELECT {columns} FROM instruction WHERE text LIKE '% {opcode} %' ORDER BY pc").fetchall()


def check_sums(base, name):
    """What stands by PC adds up to what stands for the run."""
    names = ("issues", "lanes", "sectors", "conflicts") + WAITS
    sums = dict(zip(names, base.execute(f"SELECT {', '.join(f'sum({n})' for n in names)} FROM instruction").fetchone()))
    known = totals(base)
    sectors = sum(value for key, value in known.items() if key.startswith("sectors_"))
    pairs = [(sums["issues"], known["gpgpu_n_tot_w_icount"]), (sums["lanes"], known["gpu_sim_insn"]),
             (sums["issues"] + sum(sums[wait] for wait in WAITS), known["resident_warp_cycles"]),
             (sums["sectors"], sectors), (sums["conflicts"], known["shared_conflict_cycles"])]
    ok(all(a == b for a, b in pairs),
       f"{name}: issues, lanes, cycles of warps, sectors and conflicts by PC add up to the totals", pairs)
    classes = sum(value for key, value in known.items() if key.startswith("lanes_") and
                  f"instructions_{key[6:]}" in known)
    ok(classes == known["gpu_sim_insn"], f"{name}: so do lanes by class", classes, known["gpu_sim_insn"])


def check_vectoradd(work):
    """Each of n elements is two loads, an addition and a store of four bytes; 32 bytes are a sector."""
    base = run(work, "adds", trace(work, "vectoradd", "n=16384"))
    known = totals(base)
    check_sums(base, "vectoradd")
    expected = {"lanes_fadd": 16384, "lanes_ffma": 0, "accesses_global_load": 2 * 16384 // 32,
                "accesses_global_store": 16384 // 32, "accesses_shared_load": 0, "accesses_local_load": 0,
                "sectors_global_load": 2 * 16384 * 4 // 32, "sectors_global_store": 16384 * 4 // 32,
                "pipe_cycles_memory": known["instructions_memory"]}
    ok(all(known[key] == value for key, value in expected.items()), "vectoradd: lanes, accesses and sectors are n's",
       *[(key, value, known[key]) for key, value in expected.items() if known[key] != value])
    ok(by_opcode(base, "LDG%", "issues, sectors") == [(512, 2048)] * 2, "vectoradd: each of the two loads has its half",
       by_opcode(base, "LDG%"))


def check_matmul(work):
    """A multiplication and an addition for each of n rows, n columns and n terms."""
    base = run(work, "product", trace(work, "matmul", "n=64"))
    known = totals(base)
    check_sums(base, "matmul")
    ok(known["lanes_ffma"] == 64 ** 3, "matmul: n^3 lanes of FFMA", known["lanes_ffma"])
    awaited, memory = base.execute("SELECT sum(awaited), sum(memory) FROM instruction").fetchone()
    loads = base.execute("SELECT sum(awaited) FROM instruction WHERE text LIKE '%LD%'").fetchone()[0]
    ok(0 < awaited == loads <= memory, "matmul: what is waited for in memory are loads", awaited, loads, memory)
    waits = base.execute("SELECT sum(barrier) FROM instruction WHERE text LIKE '%BAR%'").fetchone()[0]
    ok(waits == base.execute("SELECT sum(barrier) FROM instruction").fetchone()[0] > 0,
       "matmul: what waits at barriers stands at the barrier", waits)
    return base


def check_chain(work):
    """An FFMA whose result the next one needs issues four cycles later: it waits for three."""
    base = run(work, "chain", trace(work, "fma", "dependent=1", "rounds=4", "threads=32"))
    waits = by_opcode(base, "FFMA", "result")[1:]
    ok(len(waits) == 31 and set(waits) == {(12,)}, "a dependent FFMA waits 3 of 4 cycles, in each of 4 rounds", waits)
    base = run(work, "free", trace(work, "fma", "dependent=0", "rounds=4", "threads=32"))
    waits = by_opcode(base, "FFMA", "result + ready")[1:8]
    ok(set(waits) == {(0,)}, "independent ones wait for nothing", waits)


def check_producers(work):
    """Waits for memory stand at the load too that wrote the register last, in the order of the program: by registers alone."""
    base = run(work, "linked", trace(work, "chase", "loads=64"))
    code = base.execute("SELECT pc, text, memory, awaited FROM instruction ORDER BY pc").fetchall()
    expected, last = {}, {}
    for _ in range(2):  # the second round begins with what the first has left, as in a loop
        for pc, text, memory, _ in code:
            words = text.split()
            written = int(words[0])
            sources = [word for word in words[written + 2:] if re.fullmatch(r"R\d+", word)]
            expected[pc] = {last[each] for each in sources if each in last}
            if "LD" in words[written + 1]:
                last.update(dict.fromkeys(words[1:written + 1], pc))
            else:
                last = {register: at for register, at in last.items() if register not in words[1:written + 1]}
    awaited = dict.fromkeys((pc for pc, *_ in code), 0)
    wrong = [row for row in code if row[2] and len(expected[row[0]]) != 1]
    for pc, _, memory, _ in code:
        for load in expected[pc]:
            awaited[load] += memory
    ok(not wrong and awaited == {pc: value for pc, _, _, value in code} and any(awaited.values()),
       "a chain of loads: each wait is that of the load whose register is read", wrong, code[:6], awaited)


def rows(base):
    return base.execute("SELECT * FROM instruction").fetchall()


def check_same(work, reference):
    list_ = work / "matmul" / "kernelslist.g"
    for name, words in (("two threads", ["--threads", 2]), ("every cycle", ["--no-skip"]),
                        ("windows of a cycle", ["--executor", "serial", "--window", 1])):
        other = run(work, "other", list_, *words)
        ok(rows(other) == rows(reference) != [], f"the same with {name}")
        other.close()
    plain = maniple("run", "--machine", "rtx3070", "-q", list_, "-o", work / "plain")
    base = sqlite3.connect(work / "plain" / "results.sqlite")
    ok(plain.returncode == 0 and totals(base) == totals(reference) and not rows(base), "they change no statistic")
    done = maniple("merge", work / "product", work / "adds", "-o", work / "both.sqlite")
    both = sqlite3.connect(work / "both.sqlite")
    ok(done.returncode == 0 and [row[1:] for row in both.execute("SELECT * FROM instruction WHERE run = 1")] ==
       [row[1:] for row in rows(reference)], "merge keeps them", done.stderr)


def check_operands(work):
    """Instructions of PTX are those of the text's line that stands beside them, operands included."""
    done = maniple("app", "run", "nw", "--size", 64, "--machine", "rtx3070", "-q", "--by-instruction", "-o", work / "nw")
    if "maniple-apps is" in done.stderr:
        return
    found = sqlite3.connect(work / "nw" / "results.sqlite").execute("SELECT text, source FROM instruction").fetchall()
    lines = lzma.open(PTX, "rt", encoding="utf-8").read().splitlines()
    wrong = []
    for text, source in found:
        line = lines[int(source.rsplit(":", 1)[1]) - 1].split("//")[0].strip().rstrip(";")
        wrong += [(text, line)] if text != re.sub(r"\s+", " ", line) else []
    ok(len(found) > 50 and not wrong and any("[%" in text for text, _ in found), "operands of PTX are those of its text",
       len(found), wrong[:5])


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_vectoradd(work)
        product = check_matmul(work)
        check_chain(work)
        check_producers(work)
        check_same(work, product)
        check_operands(work)
        for kind in ("atomics", "reduction", "gather", "chase"):
            check_sums(run(work, f"of {kind}", trace(work, kind)), kind)
        refused = maniple("run", "--machine", "rtx3070", "-q", "--by-instruction", work / "matmul" / "kernelslist.g")
        ok(refused.returncode == 2 and "add -o DIR" in refused.stderr, "they need a folder", refused.stderr)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
