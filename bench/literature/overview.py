# SPDX-License-Identifier: BSD-3-Clause
"""The first page: what was tried, what it cost, why a window beats it; one table of all executors; where each figure is."""
import pages
import plots
import runs
import wang_gao

NAME = "README"
DATA = {"title": "The literature, reproduced", "items": [],
        "source": "Four papers made simulators of GPUs and many-core processors parallel, and Maniple grew from them. `make "
                  "literature` does their evaluations again with its own models, workloads and executors, beside what they report"}
PAPERS = ("wang-gao", "sachs", "huerta", "raghav")
THREADS = (1, 2, 4, 8, 16, 32)
EXECUTORS = {  # each with its run on two threads, the one on most threads, and the record that its prediction is made from
    "lockstep": ("lockstep2", "lockstep5", "cycles"), "domains": ("domains2", "domains6", "cycles"), "pool": ("pool2", "pool2", "cycles"),
    "openmp": ("openmp2", "openmp2", "cycles"), "window": ("window2", "window2", "safe"),
    **{f"relaxed:{length}": (f"relaxed{length}", f"relaxed{length}", f"late{length}") for length in wang_gao.RELAXED}}


def plan(size):
    del size
    return []


def page(find, size, folder):
    result = pages.Page(NAME, DATA, folder, size)
    found = {name: runs.checked({what: find(command) for what, command in wang_gao.commands(name, size).items()}) for name in wang_gao.workloads(size)}
    result.lines += ["<!-- Written by bench/literature; `make literature` writes it anew. -->", f"# {DATA['title']}", "", DATA["source"] + ".", ""]
    five_minutes(result)
    all_executors(result, found)
    index(result)
    again(result)
    return result


def five_minutes(result):
    result.lines += ["## In five minutes", ""]
    result.text(
        "A GPU simulator spends most of its time stepping SMs, one after the other, although the SMs of a cycle hardly depend on one "
        "another. So all of the literature runs **the SMs of a cycle in parallel and lets the threads meet at its end**:",
        "| who | how | mean speed-up reported | what it cost |\n| --- | --- | --- | --- |\n"
        "| Lee & Ro 2013 | work groups, meeting at their ends | 3.39 on 6 threads | errors of up to 5.8 % |\n"
        "| GpuTejas 2014 | SMs, meeting every 1,000 cycles | 17.3 on 64 threads | errors of up to 7.7 %, other ones every time |\n"
        "| Wang & Gao 2020 | SMs, semaphores every cycle; then network, L2 and DRAM on a thread of their own | 1.9; 2.1 (median), on 5 threads "
        "| errors of up to 0.22 %; 1.4 % |\n"
        "| Sachs et al. | clusters, a thread pool every cycle | 3.58 on 8 threads | errors of up to 3.2 % |\n"
        "| Huerta & González 2025 | SMs, OpenMP every cycle | 5.83 on 16 threads | none: shared statistics made private |\n"
        "| Raghav et al. 2015 | thousands of cores on a GPU, free until shared memory is accessed | 50 to 600 million instructions/s "
        "| a launch for every step that is shared |",
        "Two things bound them all. **A meeting in every cycle**, which pays as long as a cycle is much more work than a meeting: "
        "more threads make the work smaller and the meeting longer (`maniple scaling` measures both on a host). And **the rest of the machine**, "
        "network, L2 and DRAM, stays on one thread. Meeting less often breaks causality: a packet arrives after its receiver has "
        "passed that time, and results become wrong, or depend on the host.",
        "But the parts of a GPU cannot affect one another at once. A request takes tens of cycles from an SM to the L2, and so does its "
        "answer. **A window** is that long: within it every part, SM or not, can run alone without missing anything, because whatever is "
        "sent in a window arrives behind it. Packets are handed over between windows, ordered by their time, link and number. So threads "
        "meet once in 32 cycles or so instead of 32 times, all parts run in parallel, a unit's state stays in the host's cache for a whole "
        "window, which makes one thread faster, too, and the results are those of one thread to the last byte. Nothing is "
        "approximated: the length of a window is the shortest link of the machine ([design.md](../design.md)).",
        "What that gives on the same models and workloads is the next table.")


def speed_up(each, executor, record, threads):
    """Of one workload, predicted, over one thread that meets every cycle."""
    after = runs.predicted(each[record], executor, threads) if record == "cycles" else runs.predicted_window(each[record], threads)
    return pages.ratio(runs.sequential(each["cycles"]), after)


def measured(found, trusted, two, most):
    """Mean ratio of wall time of `trusted` on two threads, and the greatest deviation of the run of most threads."""
    good = [each for each in trusted.values() if all(each[what] and "failed" not in each[what] for what in ("cycle", two))]
    walls = [pages.ratio(each["cycle"]["wall"], each[two]["wall"]) for each in good]
    seen = [abs(d) for each in found.values() for six in wang_gao.SIX
            if (d := wang_gao.deviation(each["serial"], each[most], six)) is not None]
    deviation = "–" if not seen else "0" if not max(seen) else f"{100 * max(seen):.2f} %"
    threads = "any" if most.startswith("relaxed") else most[-1]
    return pages.cell(pages.mean(walls)), f"{deviation} on {threads}"


def all_executors(result, found):
    result.lines += ["## One table of all", ""]
    result.text("The nine workloads of [Wang & Gao's tables](wang-gao.md) on `gtx480`, every executor, more and more threads. "
                "**Predicted**: mean speed-up over `serial --window 1`, one thread that meets every cycle, from records of one thread; in "
                "brackets the efficiency, which is the speed-up divided by the threads and by what the executor reaches on one thread "
                "where that is more than 1. **Measured**: the same ratio on two threads, by wall time, "
                "and the greatest deviation of any of six statistics from `serial`, on the threads named. Where predictions for two threads "
                "lie within 20 % of what was measured on some of the workloads alone, both means are those of these, and the row says how many.")
    rows, series = [], []
    for executor, (two, most, record) in EXECUTORS.items():
        trusted = {name: each for name, each in found.items() if speed_up(each, executor, record, 2)} or found
        some = "" if len(trusted) == len(found) else f", {len(trusted)} workload{'s'[len(trusted) == 1:]}"
        points = [(threads, pages.mean([speed_up(each, executor, record, threads) for each in trusted.values()])) for threads in THREADS]
        first = max(1, points[0][1] or 1)
        rows.append([f"`{executor}`{some}", *["–" if speed is None else f"{speed:.2f} ({speed / threads / first:.2f})" for threads, speed in points],
                     *measured(found, trusted, two, most)])
        series.append((executor, "predicted", [(t, s) for t, s in points if s]))
    result.text(pages.table(["executor", *[f"predicted: {threads}" for threads in THREADS], "measured: wall, 2",
                             "measured: greatest deviation"], rows))
    result.picture("all", plots.curves("Speed-up over one thread that meets every cycle, mean of nine workloads", "threads", "speed-up",
                                       series, log_y=True), "Speed-up of all executors")
    shown = wang_gao.commands(wang_gao.workloads(result.size)[0], result.size)
    result.commands(*[shown[what] for what in ("cycles", "safe", "late256", "cycle", "pool2", "openmp2")])
    result.text("The GTX 480 is a small machine of 15 SMs; on the [H100](sachs.md) and the [RTX 3080 Ti](huerta.md) windows are longer and "
                "hold more work. Where the [page of these runs](wang-gao.md) says that the host was busy, predictions are rough. "
                "Measurements on two quiet processors, of larger runs: [executors.md](../lab/executors.md#measured).")


def index(result):
    result.lines += ["## Where each figure and table is", ""]
    for name in PAPERS:
        data = pages.numbers(name)
        there = []
        for item in data["items"]:
            anchor = pages.anchor(f"{item['id']}: {item['what']}")
            there.append(f"{item['id']} (not here)" if "left_out" in item else f"[{item['id']}]({name}.md#{anchor})")
        result.text(f"**[{data['title']}]({name}.md)**: " + ", ".join(there) + ". What is not here, with the reason: the end of its page.")
    result.text("**[Open questions](questions.md)**: the memory side in parallel, idle SMs, NUMA, other chips. "
                "**[What users would pick instead, today](today.md)**: features and figures of other simulators, with their sources.")


def again(result):
    result.lines += ["## Again", ""]
    result.commands("make literature QUICK=1      # small sizes", "make literature              # runs of seconds",
                    "make literature FULL=1       # the papers' own sizes, for days",
                    "make literature-quiet MINUTES=13  # all times, of these pages and of the coprocessor's, in little time on a quiet host", 'make literature OPTIONS="--only huerta"')
    result.text("Small sizes are meant for ten minutes on two quiet processors, and the usual ones for less than 90 minutes and 4 GB; the "
                "CPU seconds that were seen stand on each page.")
    result.text("What has been run is kept in `build/literature/`, a file for each command, with host, date and load; an interrupted call "
                "goes on there, and only a change of the sources makes it anew. Predictions take what threads need to meet "
                "from a measurement on the host at hand. What is simulated is kept in `bench/literature/figures.csv`, and made again by "
                "`reproduce.py BUILD --check`, which tests call. The data "
                "files with the papers' numbers, and the modules that make these pages, are in `bench/literature/`; a test runs the "
                "smallest piece and checks that no figure or table is forgotten (`tests/cli/literature.py`).")
