#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: its tables are what the command's own outputs say. Data frames and plots are tested where pandas and
matplotlib are installed. Usage: python.py MANIPLE TRACEGEN [FOLDER]; FOLDER: where the package lies, unless it is installed"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
ELF = pathlib.Path(__file__).resolve().parents[2] / "apps/manycore/elf"
if sys.argv[3:]:
    sys.path.insert(0, sys.argv[3])
    os.environ["MANIPLE"] = MANIPLE
sys.dont_write_bytecode = True
import maniple  # noqa: E402


def raises(kind, pattern, name, function, *words, **named):
    try:
        function(*words, **named)
    except kind as error:
        ok(pattern in str(error), name, error)
    else:
        ok(False, name, "nothing was raised")


def statistics_of(*words):
    done = subprocess.run([MANIPLE, "run", "-q", "--format", "json", *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check_run():
    run = maniple.run("tiles/kernelslist.g", machine="rtx3070", set={"sm.count": 8, "memcpy_warms_l2": True},
                      options=["--sample", "2000", "--timeline", "ctas"], threads=2)
    wanted = statistics_of("--machine", "rtx3070", "--set", "sm.count=8", "--set", "memcpy_warms_l2=true", "tiles/kernelslist.g")
    plain = {name: entry["value"] for name, entry in wanted["total"]["statistics"].items()
             if isinstance(entry["value"], (int, float))}
    ok({name: run.total[name] for name in plain} == plain, "run() gives what the command prints")
    ok(run.kernel(1)["gpu_sim_cycle"] == wanted["kernels"][0]["statistics"]["gpu_sim_cycle"]["value"], "of kernels too")
    ok(run.info["description"].startswith("with ") and "sm.count=8" in run.info["description"].split("; otherwise: ")[0],
       "the description begins with what was set", run.info["description"])
    ok(run.machine["sm.count"] == 8 and run.machine["clock.core"] == 1132000000 and run.info["ended"] == "finished",
       "the machine's keys are numbers", run.machine.get("sm.count"), run.info)
    kernels = sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in wanted["kernels"])
    ok(abs(run.kernel_seconds - kernels / 1132e6) < 1e-15, "kernel_seconds are those of its kernels")
    ok(abs(run.seconds - plain["gpu_sim_cycle"] / 1132e6) < 1e-15, "seconds are cycles at its clock")
    names = run.rows("SELECT name, grid_x, block_x FROM kernel")
    ok(names == [{"name": "matmul", "grid_x": 4, "block_x": 16}], "any query gives rows", names)
    ok("Limited by" in run.report("page.html") and pathlib.Path("page.html").exists(), "report() is the command's")
    cores = maniple.run(ELF / "fibonacci.elf", ["5"], machine="manycore-2", options=["--cores", "4"])
    ok(abs(cores.seconds - cores.total["global_cycles"] / cores.machine["clock.core"]) < 1e-15, "seconds of many cores")
    run.timeline("run.pftrace")
    ok(pathlib.Path("run.pftrace").stat().st_size > 1000, "and so is timeline()")
    ok(run.path.exists() and "matmul" not in repr(run) and "rtx3070" in repr(run), "a run says what it is", repr(run))
    limited = maniple.run("tiles/kernelslist.g", machine="rtx3070", options=["--max-cycles", "3000"], output="kept")
    ok(limited.info["ended"] == "limit" and maniple.load("kept").total == limited.total, "partial results say so, and are kept")
    raises(maniple.Error, "did you mean", "what the command refuses is raised with its words", maniple.run,
           "tiles/kernelslist.g", machine="rtx3070", set={"sm.cuont": 8})
    raises(maniple.Error, str(pathlib.Path("tiles").resolve()) + " has no results.sqlite", "a folder without results is refused",
           maniple.load, "tiles")
    raises(maniple.Error, "nowhere is not there", "and one that is not there", maniple.load, "nowhere")
    raises(maniple.Error, "no such table: nowhere", "a query with an error", run.rows, "SELECT * FROM nowhere")
    for number in (-1, 0, 2):
        raises(maniple.Error, f"no kernel {number}; it has kernels 1 to 1", f"kernel({number})", run.kernel, number)
    for error in (maniple.Error, KeyError):
        raises(error, "did you mean gpu_sim_cycle?", f"a statistic that is not there, as {error.__name__}", lambda: run.total["gpu_sim_cycles"])
    raises(maniple.Error, "did you mean sm.count?", "a key that is not there", lambda: run.machine["sm.cuont"])
    return run


def check_compare(run):
    other = maniple.run("tiles/kernelslist.g", machine="rtx3070", set={"sm.count": 16, "memcpy_warms_l2": True})
    rows = {row["name"]: row for row in maniple.compare(run, other)}
    row = rows["gpu_sim_cycle"]
    ok(row["first"] == run.total["gpu_sim_cycle"] and row["ratio"] == row["second"] / row["first"] < 1 and
       "gpu_sim_insn" not in rows, "compare() has what differs", row)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        maniple.compare(run, maniple.load("kept"))
    ok(len(said) == 1 and "different parts of the work" in str(said[0].message), "a partial run beside a whole one is a warning", said)
    adds = maniple.run("adds/kernelslist.g", machine="rtx3070")
    three = {row["name"]: row for row in maniple.compare(run, run, other)}
    ok(set(three) == set(rows) and three["gpu_sim_cycle"]["values"] == [row["first"], row["first"], row["second"]] and
       three["gpu_sim_cycle"]["ratio"] == row["ratio"], "and of three runs the values of all, and what differs most", three["gpu_sim_cycle"])
    raises(maniple.Error, "different inputs", "runs of different inputs are refused", maniple.compare, run, adds)


def check_sweep():
    done = maniple.sweep(machines=["rtx3070"], inputs=["tiles/kernelslist.g", "adds/kernelslist.g"],
                         vary={"sm.count": [8, 16], "launch.kernel": [0, 1000]}, objectives=["time", "sm.count"], output="runs")
    rows = done.rows()
    ok(len(rows) == 8 and {row["sm.count"] for row in rows} == {"8", "16"} and "<svg" in done.svg, "sweep() makes a grid", rows)
    ok(all(int(row["kernel_launch_cycle"]) == int(row["launch.kernel"]) == done.results(row["name"]).total["kernel_launch_cycle"]
           for row in rows), "each run with its settings")
    one = maniple.sweep(machines="rtx3070", inputs="tiles/kernelslist.g", vary={"sm.l1d.replacement": "fifo"}, options="--energy",
                        objectives="energy", output="one")
    ok(len(one.rows()) == 1 and one.rows()[0]["input"] == "tiles/kernelslist.g" and
       maniple.run("tiles/kernelslist.g", machine="rtx3070", options="--energy").total["energy"] == float(one.rows()[0]["energy"]),
       "one text in place of a list is not taken letter by letter", one.rows()[0])
    before = pathlib.Path("runs", rows[0]["name"]).stat().st_mtime_ns
    again = maniple.sweep("runs/plan.cfg", "runs")
    ok(again.rows() == rows and pathlib.Path("runs", rows[0]["name"]).stat().st_mtime_ns == before, "and none twice")
    raises(maniple.Error, "error: maniple.sweep: states no input", "a plan that is none is refused", maniple.sweep, machines=["rtx3070"],
           output="none")
    raises(maniple.Error, "error: maniple.sweep: --set sm.cuont=8: unknown key", "a bad key is one of the call's, not of a plan's line",
           maniple.sweep, machines=["rtx3070"], inputs=["tiles/kernelslist.g"], vary={"sm.cuont": [8]}, output="none")
    return done


def check_frames(run, sweep):
    try:
        import pandas
    except ImportError:
        raises(ImportError, "need pandas", "without pandas, data frames say what they need", run.kernels)
        ok(True, "data frames # SKIP pandas is not installed")
        return
    kernels = run.kernels()
    ok(list(kernels["name"]) == ["matmul"] and kernels["gpu_sim_cycle"][0] == run.kernel(1)["gpu_sim_cycle"],
       "kernels() is a data frame of statistics", kernels)
    samples = run.samples()
    ok(list(samples.index[:2]) == [2000, 4000] and "gpu_occupancy" in samples, "samples() has a row for each interval")
    ok(list(run.instructions().columns[:5]) == ["kernel", "pc", "opcode", "text", "source"],
       "instructions() has the columns of --by-instruction")
    spans = run.spans()
    ok(len(spans[spans["kind"] == "cta"]) == run.total["gpu_ctas"], "spans() has all CTAs")
    frame = sweep.frame()
    ok(frame["gpu_sim_cycle"].dtype.kind in "iu" and len(frame) == 8, "a sweep is one, with numbers", frame.dtypes)
    line = pandas.read_sql("SELECT * FROM statistics WHERE kernel = 0", run.database)
    ok(dict(zip(line["name"], line["value"])) == run.total, "one line of pandas reads the database")


def check_plots(run, sweep):
    from maniple import plot
    try:
        plot.slots(maniple.run(ELF / "fibonacci.elf", ["5"], machine="manycore-2", options=["--cores", "4"]))
        ok(False, "slots of a run without any are refused")
    except ValueError as error:
        ok("counts no issue slots" in str(error), "slots of a run without any are refused", error)
    try:
        import matplotlib
        matplotlib.use("Agg")
    except ImportError:
        ok(True, "plots # SKIP matplotlib is not installed")
        return
    raises(maniple.Error, "did you mean gpu_occupancy?", "samples of a statistic that is not there", plot.samples, run, "gpu_ocupancy")
    raises(maniple.Error, "run with --sample N", "a plot of samples that were not taken", plot.samples, maniple.load("kept"), "gpu_occupancy")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        plot.slots()
    ok(not said, "nothing to name is no warning", said)
    bars = plot.slots(run).patches
    ok(abs(sum(bar.get_width() for bar in bars) - 100) < 1e-6, "the bar of issue slots adds up")
    words = maniple.sweep(machines=["rtx3070", "rtx2060"], inputs=["tiles/kernelslist.g", "adds/kernelslist.g"],
                          vary={"sm.l1d.replacement": ["lru", "fifo"]}, compare="sm.l1d.replacement", output="words")
    axes = plot.sweep(words, "sm.l1d.replacement")
    ok([label.get_text() for label in axes.get_xticklabels()] == ["lru", "fifo"] and len(axes.lines) == 4 and
       len(plot.sweep(words, "sm.l1d.replacement", by="input").lines) == 2,
       "a sweep over words is drawn, in the order of the plan, with a line for each machine and input")
    ok(len(plot.by_input(words).containers) == 2 and len(words.by_input()) == 3 * 3 * 2 and "tabular" in words.latex,
       "and so is what it compares, with error bars", words.by_input())
    ok(all(isinstance(row["ratio"], (int, float)) and isinstance(row["input"], str) and row["sm.l1d.replacement"] in ("lru", "fifo")
           for row in words.by_input()), "by_input() has numbers", words.by_input()[:1])
    ok(plot.kernels(run).patches and plot.samples(run, "gpu_occupancy").lines and len(plot.sweep(sweep, "sm.count").lines) == 4,
       "kernels, samples and sweeps are drawn")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, kind, *keys in (("tiles", "matmul", "n=64"), ("adds", "vectoradd", "n=16384")):
            subprocess.run([TRACEGEN, kind, name, "arch=86", *keys], check=True, capture_output=True)
        run = check_run()
        check_compare(run)
        sweep = check_sweep()
        check_frames(run, sweep)
        check_plots(run, sweep)
        os.chdir("/")
    sys.exit(finish())


main()
