#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`maniple report` names the planted fault of each small kernel first, `--what-if` measures what mending its source gains, and
no rule fires on faultless ones. All of them with MANIPLE_MATRIX=full, or those that are named; otherwise some in turn, and of
the others that the fault is named.
Usage: faults.py MANIPLE FAULTS [NAME...]"""
import lzma
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, FAULTS = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
SOURCES = pathlib.Path(__file__).resolve().parents[3]  # the PTX names its source files from here, and a rule reads them
PTX = SOURCES / "data/ptx/faults"
MACHINE = ["--machine", "rtx3070", "--set", "sm.count=4", "--set", "gpc.count=1", "--set", "partition.count=2", "--set",
           "launch.kernel=3000"]
ATOMICS = ["--set", "sm.count=4", "--set", "gpc.count=1", "--set", "gpc.sms=[4]", "--set", "launch.kernel=3000"]
WHERE_ATOMICS_DIFFER = {machine: ["--machine", machine, *ATOMICS] for machine in ("h100-sxm", "b200")}
MORE = {"camping": ["--set", "l2.hash=linear"]}
BOUNDS = {"few-ctas": "(?:at least )?", "local-memory": "at least ", "fences": "at least ", "double": "(?:at least )?", "atomics": "at least ", "shared-atomics": "at least ", "imbalance": "at most "}
# Mended by threads that share out their work, which no run of the same threads measures: "at most" says what it may gain, and
# an estimate what it does where SMs have few warps.
SHARED_OUT = {"one_cta": r"at most x([\d.]+) where threads", "one_reduce": r"at most x([\d.]+) where threads",
              "thin_grid": r"gain x([\d.]+) by estimate"}
NEAR = {"thin_grid": 0.3, "waves": 0.13}
# What is measured is no more than a mended source gains, and may be less: work on addresses, or conversions, goes with it.
LEAST_ALONE = ("mixed_array", "literals")
# Estimates are within a factor of two of what is measured, but for this one: mended, DRAM opens fewer rows.
FAR = {"scatter": 0.4}
LESSER = {"row_sums": ("banks", 1.25)}  # another finding of theirs, and the most that it may be said to gain
# Mended kernels whose SMs have no CTA for a while as the last stores drain, though all CTAs are of equal length.
# What looks like these faults to counters, and is none beside them.
TAKEN_FOR = {"tail": "imbalance", "atomics": "partition-camping", "integer-division": "divergence"}
DRAINING = ("row_stores", "scatter", "shared_table", "shared_atomic")
SOME = 3  # of the kernels with a fault, by turns; and one without


def run(work, file, name, which, *more, machine=MACHINE, status=0):
    ptx = work / f"{file}.ptx"
    if not ptx.exists():
        ptx.write_bytes(lzma.decompress((PTX / f"{file}.ptx.xz").read_bytes()))
    folder = work / f"{name}-{which}{len(more)}{machine[1]}"
    done = subprocess.run([MANIPLE, "run", *machine, *MORE.get(name, ()), *more, "-q", "--by-instruction", "-o", folder, "--", FAULTS,
                           ptx, name, which], capture_output=True, text=True, cwd=SOURCES)
    if done.returncode != status:
        ok(False, f"{name}, {which}, runs", done.stderr)
    return folder


def seconds(folder, of_run):
    """The time of the kernels, without what launches take; or of the run, from its first kernel or copy on."""
    base = sqlite3.connect(folder / "results.sqlite")
    if of_run:
        return base.execute("SELECT 1e-15 * (max(\"end\") - min(start)) FROM span WHERE kind IN ('kernel', 'copy', 'fill')"
                            ).fetchone()[0]
    values = dict(base.execute("SELECT name, sum(value) FROM statistics WHERE kernel > 0 GROUP BY name"))
    clock = base.execute("SELECT number FROM machine WHERE key = 'clock.core'").fetchone()[0]
    return (values["gpu_sim_cycle"] - values["kernel_launch_cycle"]) / clock


def report(folder, *options):
    done = subprocess.run([MANIPLE, "report", folder, *options], capture_output=True, text=True, cwd=SOURCES)
    return " ".join(done.stdout.split()), done


def check_estimates(text, name, rule):
    first = re.search(r"Mend first .*?\(([\w-]+)\)", text)
    ok(first and first[1] == rule, f"{name}: the first rule by estimates alone is {rule}", text)
    if rule in TAKEN_FOR:
        ok(f"({TAKEN_FOR[rule]})" not in text, f"{name}: {rule} is not taken for {TAKEN_FOR[rule]}", text)
    lesser, most = LESSER.get(name, (None, 0))
    gain = lesser and re.search(rf"\({lesser}\).*?gain x([\d.]+) by estimate", text)
    if lesser:
        ok(gain and float(gain[1]) <= most, f"{name}: {lesser} gains little", text)


def check_fault(work, file, name, rule):
    bad = run(work, file, name, "bad")
    text, done = report(bad, "--what-if", "--html", work / "page.html")
    first = re.search(r"Mend first (.*?) because", text)
    named = first and re.search(r"\(([\w-]+)\)", first[1])
    ok(named and named[1] == rule, f"{name}: the first rule is {rule}", done.stdout)
    check_estimates(report(bad)[0], name, rule)
    ok(all(len(line) <= 80 for line in done.stdout.splitlines()), f"{name}: no line is longer than 80 columns",
       max(done.stdout.splitlines(), key=len))
    of_run = rule in ("copies", "launches", "host-calls")
    bound = BOUNDS.get(rule, "")
    most = bound if bound == "at most " else ""  # estimates are no bound from below
    stated = SHARED_OUT.get(name, rf"gain {most}x[\d.]+ by .*?; {bound}(?:none \()?x([\d.]+)\)? measured")
    measured = re.search(stated, re.split("Then|Limited", text, maxsplit=1)[0])
    mended = seconds(bad, of_run) / seconds(run(work, file, name, "good"), of_run)
    estimate = re.search(rf"gain {most}x([\d.]+) by estimate", text)
    near = measured and abs(float(measured[1]) / mended - 1) <= NEAR.get(name, 0.1)
    if name in LEAST_ALONE:
        near = measured and 1.05 < float(measured[1]) < 1.1 * mended
    far = FAR.get(name, 0.5)
    ok(name in SHARED_OUT or (measured and estimate and far < float(estimate[1]) / float(measured[1]) < 2),
       f"{name}: its estimate is within a factor of {1 / far:g} of what is measured", done.stdout)
    ok(not measured or name in SHARED_OUT or f"x{measured[1]}" in (work / "page.html").read_text(), f"{name}: the page has the gain as measured")
    ok(near, f"{name}: its source mended is x{mended:.2f} as fast, measured x{measured[1] if measured else '?'}, by estimate "
       f"x{estimate[1] if estimate else '?'}", done.stderr, done.stdout)


def check_two(work, file, name):
    """Two faults that hold one another up are named, though no rule expects anything of either, and measured together."""
    bad = run(work, file, name, "bad")
    text, done = report(bad)
    ok(re.search(r"Mend first [^:]*\(banks\) and [^:]*\(double\) together, in bad_two_limits because .*? gain x[\d.]+ by estimate where both "
                 r"are mended; x1\.0\d and x1\.0\d alone", text), f"{name}: both faults are named, and that neither gains alone", done.stdout)
    text, done = report(bad, "--what-if", "--html", work / "two.html")
    mended = seconds(bad, False) / seconds(run(work, file, name, "good"), False)
    both = re.search(r"at least x([\d.]+) measured with ideal.banks=true sm.fp64.lanes=32", text)
    ok(both and 0.75 * mended < float(both[1]) < 1.1 * mended, f"{name}: mended x{mended:.2f}, together x{both[1] if both else '?'}", done.stdout,
       done.stderr)
    ok(both and f"x{both[1]} measured" in (work / "two.html").read_text(), f"{name}: the page has both")


def check_leading(work):
    """Of faults that gain alone, the report says what they gain together."""
    text, done = report(run(work, "faults", "registers", "bad"), "--what-if")
    said = re.search(r"Together occupancy-registers and l1-bypass: x([\d.]+) measured with both limits lifted, x([\d.]+) with the first alone", text)
    folder = run(work, "faults", "registers", "bad", "--set", "sm.registers=1048576", "--set", "ideal.bypass=true")
    both = seconds(work / "registers-bad0rtx3070", False) / seconds(folder, False)
    ok(said and abs(float(said[1]) - both) < 0.01 and float(said[1]) > 1.5 * float(said[2]),
       f"registers: with both limits lifted x{both:.2f}", done.stdout, done.stderr)


def check_atomics(work, rows):
    """Atomics to few places come first also where a slice performs them at the pace of its port, with no interval of their own."""
    for name, rule, file in rows:
        for machine in WHERE_ATOMICS_DIFFER if rule == "atomics" else ():
            bad, good = (run(work, file, name, which, machine=WHERE_ATOMICS_DIFFER[machine]) for which in ("bad", "good"))
            mended = seconds(bad, False) / seconds(good, False)
            for text, done in (report(bad), report(bad, "--what-if")):
                first = re.search(r"Mend first .*?\(([\w-]+)\)", text)
                ok(first and (first[1] == "atomics") == (mended > 1.05), f"{name} on {machine}: the first rule is atomics, or they are no fault",
                   done.stdout)
            gain = re.search(r"at least x([\d.]+) measured", text)
            ok(mended <= 1.05 or (gain and 1.05 < float(gain[1]) < 1.1 * mended),
               f"{name} on {machine}: its source mended is x{mended:.2f} as fast, measured at least x{gain[1] if gain else '?'}", done.stdout)


def check_faultless(work, file, name):
    text, done = report(run(work, file, name, "good"))
    ok("Mend first nothing" in text, f"{name}: no rule fires", done.stdout)


def check_draining(work, rows):
    """Cycles in which no SM has a CTA are not laid to CTAs of unequal length, and those of one long CTA are."""
    for name, _, file in rows:
        if name in DRAINING:
            text, done = report(run(work, file, name, "good"))
            ok("(imbalance)" not in text, f"{name}, mended: its CTAs are not called unequal", done.stdout)
    text, done = report(run(work, "more_faults", "long_cta", "bad"))
    ok("(imbalance)" in text, "long_cta: CTAs are called unequal", done.stdout)


def check_pace(work):
    """What a second run with samples says of CTAs of unequal length is the same for all ways to run."""
    ways = ((), ("--threads", "2", "--schedule", "dynamic"), ("--window", "1"), ("--no-skip",))
    said = [re.search(r"\(imbalance\).*?gain (.*?) try", report(run(work, "more_faults", "triangle", "bad", *way), "--what-if")[0])
            for way in ways]
    ok(all(said) and len({gain[1] for gain in said}) == 1, "triangle: one gain on 1 and 2 threads, by windows of a cycle, with every cycle visited",
       *(gain[1] if gain else "none" for gain in said))


def check_lone_warps(work):
    """Warps of few lanes, each alone on its sub-core and all in one wave, would take as long if they were full."""
    many = ("--set", "sm.count=64", "--set", "gpc.count=4", "--set", "partition.count=8")
    bad, good = (run(work, "faults", "small_ctas", which, *many) for which in ("bad", "good"))
    text, done = report(bad)
    ok("(partial-warps)" not in text and seconds(bad, False) < 1.05 * seconds(good, False),
       "small_ctas on 64 SMs: CTAs that do not fill their warps are no fault, and mending them gains nothing", done.stdout)


def check_uneven_waves(work):
    """A fault of all CTAs is worth as much where SMs have two of them and one: the time without CTAs shrinks as they do."""
    uneven = ("--set", "sm.count=12", "--set", "gpc.count=1", "--set", "partition.count=2")
    bad, good = (run(work, "faults", "double", which, *uneven) for which in ("bad", "good"))
    text, done = report(bad)
    gain = re.search(r"Mend first .*?\(double\).*?gain x([\d.]+) by estimate", text)
    mended = seconds(bad, False) / seconds(good, False)
    ok(gain and 0.5 < float(gain[1]) / mended < 1.5,
       f"double on 12 SMs for 16 CTAs: mended x{mended:.2f}, by estimate x{gain[1] if gain else '?'}", done.stdout)


def check_cold_code(work):
    """Code that an L0 cache has room for misses there the first time; that it is large is no fault."""
    text, done = report(run(work, "faults", "long_code", "bad", "--set", "sm.l0i.size=512KiB"))
    ok("(cold-code)" in text and "(instruction-cache)" not in text, "long_code in a large L0 cache: its code comes for the first time", done.stdout)


def check_one_stream(work):
    """Small kernels one after another: side by side, ten of 16 CTAs take at least 16/46 of their time each, or that of one."""
    folder = run(work, "faults", "launches", "bad", "--set", "sm.count=46", "--set", "gpc.count=6", "--set", "partition.count=16")
    base = sqlite3.connect(folder / "results.sqlite")
    took = [end - start for start, end in base.execute('SELECT start, "end" FROM span WHERE kind = \'kernel\'')]
    least = max(max(took), sum(took) * 16 / 46)
    begin, end = base.execute('SELECT min(start), max("end") FROM span').fetchone()
    expected = 1 / (1 - (sum(took) - least) / (end - begin))
    text, done = report(folder)
    gain = re.search(r"\(one-stream\).*?gain at most x([\d.]+) by estimate", text)
    ok(gain and abs(float(gain[1]) / expected - 1) < 0.01, f"ten small launches of one stream: at most x{expected:.2f} side by side", done.stdout)
    text, done = report(run(work, "faults", "launches", "bad"))
    ok("(one-stream)" not in text, "launches that fill all SMs need no streams", done.stdout)


def check_graph(work):
    """What is measured of short launches stands for fewer of them; what a CUDA graph saves is told beside it, by the machine's keys."""
    text, done = report(run(work, "faults", "launches", "bad"))
    ok("the machine has no launch.graph, and CUDA graphs gain nothing on it" in text, "launches on a machine without launch.graph: no gain of a graph", done.stdout)
    folder = run(work, "faults", "launches", "bad", "--set", "launch.graph=1000", "--set", "launch.gap=500")
    base = sqlite3.connect(folder / "results.sqlite")
    begin, end, count = base.execute('SELECT min(start), max("end"), sum(kind = \'kernel\') FROM span').fetchone()
    clock = base.execute("SELECT number FROM machine WHERE key = 'clock.core'").fetchone()[0]
    expected = 1 / (1 - (count * 3000 + (count - 1) * (500 - 1000)) / clock / (1e-15 * (end - begin)))
    text, done = report(folder)
    gain = re.search(r"a CUDA graph that is there already saves at most x([\d.]+);? gain", text)
    ok(gain and abs(float(gain[1]) / expected - 1) < 0.03, f"launches: as a graph x{expected:.2f}", done.stdout)


def check_constant_lines(work):
    """Loads of constants at addresses of lanes are blamed alone: neither what waits for their results nor for anything else."""
    text, done = report(run(work, "more_faults", "lane_constants", "bad"))
    blamed = re.search(r"\(divergent-constants\).*? lines ((?:[\w.]+:\d+ \(\d+ %\),? ?)+)gain", text)
    ok(blamed and re.fullmatch(r"more_faults\.cu:417 \(100 %\) ", blamed[1]), "lane_constants: the line with the load alone is blamed", done.stdout)


def check_wide(work):
    """SMs with more sub-cores measure what few CTAs cost where sub-cores are what is full, and are no loss where they are slower."""
    whole = ("--set", "sm.count=46", "--set", "gpc.count=6", "--set", "partition.count=16")
    for file, name in ("faults", "double"), ("faults", "bank_column"), ("more_faults", "column_walk"):
        text, done = report(run(work, file, name, "bad", *whole), "--what-if")
        gain = re.search(r"\(few-ctas\).*? gain (.*?) try", text)
        ok(gain and "measured" not in gain[1] and "estimate" in gain[1], f"{name} with few CTAs: more sub-cores have no more of what is full",
           done.stdout)
    folder = run(work, "faults", "passes", "bad", "--set", "launch.kernel=3000", machine=["--machine", "rtx3070"])
    text, done = report(folder, "--what-if")
    gain = re.search(r"\(few-ctas\).*? gain (.*?) try", text)
    ok(gain and "not measured: the run with the limit lifted is slower" in gain[1] and done.returncode == 0,
       "passes with few CTAs: a slower run with more sub-cores is no measurement", done.stdout, done.stderr)


def check_dismissed(work):
    """What was measured to gain nothing is no advice: it is told behind all that is, in one line."""
    whole = ("--set", "sm.count=46", "--set", "gpc.count=6", "--set", "partition.count=16")
    folder = run(work, "faults", "two_ways", "bad", *whole)
    text, done = report(folder, "--what-if")
    advice, _, rest = text.partition("No gain ")
    ok("(dependence)" in report(folder)[0] and "(dependence)" not in advice.partition("Mend first")[2] and
       re.match(r"instructions wait [^:]*\(dependence\), in bad_two_ways: x1\.\d+ by estimate, x(?:1\.00|0\.\d+) measured with", rest),
       "two_ways: waits for results were measured to gain nothing, and are no advice", done.stdout)


STRIDED_BINS = """.entry bad_hot_atomic(.param .u64 out, .param .u64 in, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %a<4>;
    ld.param.u64 %a0, [out];
    ld.param.u64 %a1, [in];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %a2, %r1, 128;
    add.u64 %a1, %a1, %a2;
more:
    ld.global.u32 %r4, [%a1];
    and.b32 %r4, %r4, 7;
    mul.wide.u32 %a3, %r4, 4;
    add.u64 %a3, %a3, %a0;
    red.global.add.u32 [%a3], 1;
    add.u64 %a1, %a1, 4;
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p, %r0, 0;
    @%p bra more;
    ret;
}
"""


def check_behind_atomics(work):
    """Loads of strided pieces, each of which adds to one counter: coalesced, they would still wait for these additions."""
    (work / "strided.ptx").write_text(".version 8.0\n.target sm_86\n.address_size 64\n.visible " + STRIDED_BINS)
    text, done = report(run(work, "strided", "hot_atomic", "bad", "--set", "l2.atomic_interval=12"), "--what-if")
    gain = re.search(r"\(coalescing\).*? gain x([\d.]+) by estimate .*?\(?x([\d.]+)\)? measured", text)
    estimate, measured = (float(gain[1]), float(gain[2])) if gain else (1, 1)
    ok("(atomics)" in text and estimate < 1.3 and estimate < 2 * measured, f"atomics on one place: coalesced loads gain x{estimate:.2f} by estimate, x{measured:.2f} measured",
       done.stdout, done.stderr)


WIDE_ROWS = """.entry bad_bank_stride(.param .u64 out, .param .u64 in, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .f32 %f<5>;
    .reg .b64 %a<2>;
    .shared .align 16 .b8 tile[16384];
    ld.param.u64 %a0, [out];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 31;
    shl.b32 %r1, %r1, 9;
    mov.u32 %r2, tile;
    add.u32 %r1, %r1, %r2;
more:
    ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r1];
    add.f32 %f4, %f0, %f3;
    st.shared.f32 [%r1], %f4;
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p, %r0, 0;
    @%p bra more;
    st.global.f32 [%a0], %f4;
    ret;
}
"""


def check_padding(work):
    """Rows that are read by 16 bytes a lane are to be padded by four words; by one, where accesses are of a word."""
    (work / "wide.ptx").write_text(".version 8.0\n.target sm_86\n.address_size 64\n.visible " + WIDE_ROWS)
    text, done = report(run(work, "wide", "bank_stride", "bad"))
    ok("some have 16 bytes a lane, and rows padded by 4 words keep them aligned lines" in text, "rows of 16 bytes a lane: padded by four words", done.stdout)
    text, done = report(run(work, "more_faults", "bank_stride", "bad"))
    ok("(banks)" in text and "padded by" not in text, "rows of a word a lane: padded by one", done.stdout)


def check_narrow(work):
    """Words of shared memory, loaded one by one: a memory pipeline of twice the rate measures what loads of four words gain, at least."""
    head = ".version 8.0\n.target sm_86\n.address_size 64\n.visible .entry {}_bank_stride(.param .u64 out, .param .u64 in, .param .u32 count)\n"
    body = """{ .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .b64 %a<2>; .shared .align 16 .b8 tile[4096];
    ld.param.u64 %a0, [out]; ld.param.u32 %r0, [count]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 4; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;
    mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r2;
more: LOADS
    add.f32 %f4, %f0, %f1; add.f32 %f3, %f2, %f3; sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra more; add.f32 %f4, %f4, %f3; st.global.f32 [%a0], %f4; ret; }
"""
    words = " ".join(f"ld.shared.f32 %f{i}, [%r3+{1024 * i}];" for i in range(4))
    (work / "narrow.ptx").write_text(head.format("bad") + body.replace("LOADS", words) +
                                     head.format("good")[head.index(".visible"):] + body.replace("LOADS", "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r1];"))
    bad, good = (run(work, "narrow", "bank_stride", which) for which in ("bad", "good"))
    text, done = report(bad, "--what-if")
    gain, mended = re.search(r"Mend first [^:]*\(narrow-accesses\).*? at least x([\d.]+) measured with sm.memory.interval=1", text), seconds(bad, False) / seconds(good, False)
    ok(gain and 1.1 < float(gain[1]) < 1.1 * mended, f"words one by one: four at a time x{mended:.2f}, measured at least x{gain[1] if gain else '?'}", done.stdout, done.stderr)


def check_outside(work):
    """A fill before the only kernel is no fault while it takes less than half of the time, and then it is one, by its number."""
    folder = run(work, "faultless", "multiply_add", "good", "--set", "host.call=1")
    base = sqlite3.connect(folder / "results.sqlite")
    names = [row[1] for row in base.execute("PRAGMA table_info(span)")]
    rows = base.execute("SELECT * FROM span WHERE kind = 'kernel'").fetchall()
    begin, end = (rows[0][names.index(name)] for name in ("start", "end"))
    for times, expected in ((0.4, "Mend first nothing"), (6, r"Mend first copies and fills by the host \(copies\) because 1 fill, [\d.]+ us, takes 8\d\.")):
        base.execute("DELETE FROM span")
        later = int(times * (end - begin))
        for row in rows:
            known = dict(zip(names, row))
            fill = {**known, "kind": "fill", "kernel": 0, "start": begin, "end": begin + later}
            kernel = {**known, "start": known["start"] + later, "end": known["end"] + later}
            for one in fill, kernel:
                base.execute(f"INSERT INTO span VALUES ({', '.join('?' for _ in names)})", [one[name] for name in names])
        base.commit()
        text, done = report(folder)
        ok(re.search(expected, text), f"a fill of {times:g} times the time of a kernel without a fault: {expected[:20]}", done.stdout, done.stderr)


def check_cut(work):
    """Of a run that ends early, the launch latency that has passed counts, and nothing is said of how CTAs fill the SMs."""
    folder = run(work, "more_faults", "last_wave", "bad", "--max-cycles", "25000", status=3)
    values = dict(sqlite3.connect(folder / "results.sqlite").execute(
        "SELECT name, value FROM statistics WHERE kernel = 1 AND name IN ('gpu_sim_cycle', 'kernel_launch_cycle')"))
    text, done = report(folder)
    ok(values["kernel_launch_cycle"] >= 3000 and "(tail)" not in text and "(few-ctas)" not in text and "(imbalance)" not in text,
       "a launch that was cut: its latency counts, and its CTAs are not called too few", str(values), done.stdout)


def check_other_grid(work):
    """What a second run did with other grids, or could not do, is no measurement; a time that is scaled is no loss."""
    bad = run(work, "more_faults", "last_wave", "bad")
    done = subprocess.run([MANIPLE, "report", bad, "--what-if"], capture_output=True, text=True, env={**os.environ, "TMPDIR": "/nowhere"})
    ok("tail stays an estimate" in done.stderr and "/nowhere" in done.stderr and "measured with" not in done.stdout and
       "not measured: there is no folder" in " ".join(done.stdout.split()) and done.returncode == 2,
       "without a temporary folder nothing is measured, and why is said (status 2)", done.stderr, done.stdout)
    base = sqlite3.connect(bad / "results.sqlite")
    base.execute("UPDATE value SET value = value - 1 WHERE statistic = (SELECT id FROM statistic WHERE name = 'gpu_ctas')")
    base.commit()
    done = subprocess.run([MANIPLE, "report", bad, "--what-if"], capture_output=True, text=True)
    ok("launches other grids" in done.stderr and "measured with" not in done.stdout and "not measured: the run with" in done.stdout and
       done.returncode == 0, "a run with other grids measures nothing, and the report says so", done.stderr, done.stdout)


def check_behind_launches(work):
    """What limits a kernel is judged behind its launch, which takes two fifths of the time here."""
    text, done = report(run(work, "faultless", "multiply_add", "good", "--set", "launch.kernel=160000"))
    ok(re.search(r"Limited by issue \(slots\) Evidence Issue slots at 5\d\.\d % of the peak, 9\d\.\d % behind launches;", text),
       "multiply_add with a long launch: issue slots are the limit", done.stdout)


def check_inlined(work):
    """An atomic that a header of the compiler's brings is blamed on the line that calls it."""
    text = lzma.decompress((PTX / "faults.ptx.xz").read_bytes()).decode()
    kernel = text.index(".entry bad_hot_atomic(")
    atomic = re.search(r"^\t(?:@%p\d+ )?(?:atom|red)\.", text[kernel:], re.M).start() + kernel
    inlined = "\t.loc\t9 107 3, function_name $L__info_string3, inlined_at 1 119 5\n"
    (work / "inlined.ptx").write_text(text[:atomic] + inlined + text[atomic:] + '\t.file\t9 "/opt/headers/lib.hpp"\n')
    folder = run(work, "inlined", "hot_atomic", "bad")
    shown, done = report(folder)
    ok("faults.cu:119 (lib.hpp:107)" in shown, "a function of a header is blamed on the line that calls it", done.stdout, done.stderr)


def main():
    rows = [line.split() for line in subprocess.run([FAULTS], capture_output=True, text=True, check=True,
                                                    env=dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(MANIPLE).parent))
                                                    ).stdout.splitlines()]
    some = sys.argv[3:] or [row[0] for row in rows]
    if not sys.argv[3:] and os.environ.get("MANIPLE_MATRIX") != "full":
        turn = zlib.crc32(pathlib.Path(MANIPLE).read_bytes()[-65536:])  # another build takes others
        some = [row[0] for i, row in enumerate(rows) if (i + turn) % (len(rows) // SOME) == 0]
    with tempfile.TemporaryDirectory() as work:
        for name, rule, file in rows:
            if name in some and rule == "none":
                check_faultless(pathlib.Path(work), file, name)
            elif name in some and rule == "two":
                check_two(pathlib.Path(work), file, name)
            elif name in some:
                check_fault(pathlib.Path(work), file, name, rule)
            elif not sys.argv[3:] and rule not in ("none", "two"):  # turns alone once hid a rule that no kernel fired
                check_estimates(report(run(pathlib.Path(work), file, name, "bad"))[0], name, rule)
        check_draining(pathlib.Path(work), rows)
        check_atomics(pathlib.Path(work), rows)
        check_pace(pathlib.Path(work))
        check_lone_warps(pathlib.Path(work))
        check_uneven_waves(pathlib.Path(work))
        check_cold_code(pathlib.Path(work))
        check_cut(pathlib.Path(work))
        check_one_stream(pathlib.Path(work))
        check_graph(pathlib.Path(work))
        check_constant_lines(pathlib.Path(work))
        check_wide(pathlib.Path(work))
        check_dismissed(pathlib.Path(work))
        check_behind_atomics(pathlib.Path(work))
        check_padding(pathlib.Path(work))
        check_narrow(pathlib.Path(work))
        check_outside(pathlib.Path(work))
        check_leading(pathlib.Path(work))
        check_other_grid(pathlib.Path(work))
        check_behind_launches(pathlib.Path(work))
        check_inlined(pathlib.Path(work))
    sys.exit(finish())


main()
