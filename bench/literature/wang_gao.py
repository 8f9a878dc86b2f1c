# SPDX-License-Identifier: BSD-3-Clause
"""Wang & Gao: `lockstep` and `domains` beside gpusim-para1 and gpusim-para2, on a GTX 480 and nine ISPASS-like workloads."""
import pages
import plots
import runs

NAME, MACHINE = "wang-gao", "gtx480"
SIZES = {  # of each of the paper's workloads: ours
    "AES": {"smallest": "aes --blocks 64", "quick": "aes --blocks 8192", "usual": "aes --blocks 262144", "full": "aes --blocks 2097152"},
    "BFS": {"smallest": "bfs --nodes 64 --degree 2", "quick": "bfs --nodes 8192", "usual": "bfs --nodes 131072", "full": "bfs --nodes 1048576"},
    "CP": {"smallest": "cp --width 32 --height 4 --charges 4", "quick": "cp --width 128 --height 128 --charges 128",
           "usual": "cp --width 1024 --height 256 --charges 256", "full": "cp --width 2048 --height 1024 --charges 512"},
    "LIB": {"smallest": "lib --paths 8", "quick": "lib --paths 96", "usual": "lib --paths 2048", "full": "lib --paths 16384"},
    "LPS": {"smallest": "lps --x 32 --y 4 --z 3 --steps 1", "quick": "lps --x 64 --y 64 --z 12",
            "usual": "lps --x 128 --y 128 --z 80", "full": "lps --x 256 --y 256 --z 160"},
    "MUM": {"smallest": "mum --text 64 --queries 8 --length 8", "quick": "mum --text 8192 --queries 192",
            "usual": "mum --text 65536 --queries 768", "full": "mum --text 65536 --queries 8192"},
    "NN": {"smallest": "nnet --images 1", "quick": "nnet --images 2", "usual": "nnet --images 48", "full": "nnet --images 480"},
    "RAY": {"smallest": "ray --width 16 --height 8 --spheres 2", "quick": "ray --width 128 --height 64",
            "usual": "ray --width 768 --height 384", "full": "ray --width 2048 --height 1024"},
    "STO": {"smallest": "sto --chunks 32 --bytes 64", "quick": "sto --chunks 2048 --bytes 128",
            "usual": "sto --chunks 16384 --bytes 512", "full": "sto --chunks 131072 --bytes 1024"}}
RELAXED = (64, 256, 1024)
SIX = {"gpu_sim_cycle": "cycles", "L1I_total_cache_accesses": "L1I", "L2_total_cache_accesses": "L2",
       "icnt_total_pkts_mem_to_simt": "network", "total_dram_reads": "DRAM", "gpgpu_n_tot_w_icount": "warp instructions"}
ORDERS = 5


def workloads(size):
    return ["AES"] if size == "smallest" else pages.numbers(NAME)["order"]


def commands(name, size):
    """All runs of a workload, by what they are for."""
    words = SIZES[name][size]
    made = {"serial": runs.app(words, MACHINE, "--executor", "serial"),
            "cycle": runs.app(words, MACHINE, "--executor", "serial", "--window", "1"),
            "window2": runs.app(words, MACHINE, "--threads", "2"),
            "lockstep2": runs.app(words, MACHINE, "--executor", "lockstep", "--threads", "2"),
            "domains2": runs.app(words, MACHINE, "--executor", "domains", "--threads", "2"),
            "pool2": runs.app(words, MACHINE, "--executor", "pool", "--threads", "2"),
            "openmp2": runs.app(words, MACHINE, "--executor", "openmp", "--threads", "2"),
            "lockstep5": runs.untimed(words, MACHINE, "--executor", "lockstep", "--threads", "5"),
            "domains6": runs.untimed(words, MACHINE, "--executor", "domains", "--threads", "6"),
            "safe": runs.record(words, MACHINE), "cycles": runs.record(words, MACHINE, "--window", "1")}
    for length in RELAXED:
        made[f"relaxed{length}"] = runs.app(words, MACHINE, "--executor", f"relaxed:{length}", "--threads", "2")
        made[f"late{length}"] = runs.record(words, MACHINE, "--executor", f"relaxed:{length}")
    if name == "BFS":
        for turn in range(ORDERS):  # what is free goes to who comes first: another order every time
            made[f"order{turn}"] = runs.Command("run", ("app", "run", *words.split(), "--machine", MACHINE, "--threads", "3",
                                                        "--schedule", "dynamic"), turn, False)
    return made


def plan(size):
    return [command for name in workloads(size) for command in commands(name, size).values()]


def page(find, size, folder):
    data = pages.numbers(NAME)
    found = {name: runs.checked({what: find(command) for what, command in commands(name, size).items()}) for name in workloads(size)}
    result = pages.Page(NAME, data, folder, size)
    pages.opening(result, [one for each in found.values() for one in each.values()])
    any_name = workloads(size)[0]
    shown = commands(any_name, size)
    profile(result, data, found, shown)
    speed(result, data, found, shown, "lockstep", "Table II", "Figure 4", "table2_s")
    deviations(result, data, found, shown, "lockstep5", "Table III", "table3_percent", relaxed=True)
    order(result, data, found, size)
    speed(result, data, found, shown, "domains", "Table V", "Figure 5", "table5_s")
    deviations(result, data, found, shown, "domains6", "Table VI", "table6_percent")
    result.left_out()
    return result


def profile(result, data, found, shown):
    result.item("Table I", "Per unit kind, since units are what our time goes into: SMs for the cores' pipelines (core2-1), GPCs for "
                "the network, partitions for L2 and DRAM. The rest is windows, packets handed over and the dispatcher. "
                "Measured in safe windows and in windows of one cycle; the program's own time, between launches, is left out.")
    rows, cycle_costs = [], []
    for name, each in found.items():
        us = dict(zip(data["table1_us"]["columns"], data["table1_us"][name]))
        whole = sum(us.values())
        cells = [name]
        for record in (each["safe"], each["cycles"]):
            good = record and "failed" not in record
            for kind in ("sm", "gpc", "partition"):
                cells.append(pages.cell(pages.share(record["shares"].get(kind, 0)) if good else None))
            cells.append(pages.cell(pages.share(1 - sum(record["shares"].get(kind, 0) for kind in ("sm", "gpc", "partition")))
                                    if good else None))
        cycle_costs.append(whole)
        cells += [pages.share(us["core2-1"] / whole), pages.share((us["icnt1"] + us["icnt2"]) / whole),
                  pages.share((us["dram"] + us["l2"]) / whole), pages.share((us["core1"] + us["core2-2"]) / whole)]
        rows.append(cells)
    result.text(pages.table(["workload", "measured: SMs", "GPCs", "partitions", "rest", "one cycle: SMs", "GPCs", "partitions", "rest",
                             "paper: core2-1", "icnt", "dram + l2", "others"], rows))
    result.commands(shown["safe"], shown["cycles"])
    result.text(f"A cycle of the paper's simulator takes {min(cycle_costs):.0f} to {max(cycle_costs):.0f} µs in these rows. Against that "
                "a meeting of threads is small, so that meeting in every cycle paid there; where a cycle takes less, it may not.")
    result.text("The nine workloads are written anew from the algorithms ([apps.md](../apps.md)), not the paper's programs; sizes are in "
                "the commands. `serial` and `window --threads 1` differ in time: both compute the same windows on one thread, and "
                "`window` besides plans shares and measures units.")
    result.text("The paper's conclusion, to make the cores parallel first, rests on a memory side of a few per cent. Where a model "
                "spends less on the cores, that share grows, and with it what a serial memory side costs (Amdahl): see the next "
                "tables, in which `window` makes everything parallel.")


THREADS = {"lockstep": (2, 3, 4, 5, 6, 15), "domains": (2, 3, 4, 5, 6)}


def speed(result, data, found, shown, executor, table, figure, source):
    """Speed-up over `serial --window 1`: measured on two threads, predicted on more, and the paper's."""
    extra = 1 if executor == "domains" else 0  # the paper counts the threads of the cores alone
    threads = THREADS[executor]
    result.item(table, "Measured on two threads: wall seconds, the median of three runs in turn with the least and the greatest. "
                "Predicted: speed-up over `serial --window 1`, for each number of " + ("core threads, with one more for the memory side." if extra else "threads."))
    rows, ours, paper, windows = [], {}, {}, {}
    for name, each in found.items():
        base, two = each["cycle"], each[f"{executor}2"]
        good = {what: one for what, one in each.items() if one and "failed" not in one}
        wall = lambda what: good[what]["wall"] if what in good else None
        one = runs.sequential(each["cycles"])
        seconds = data[source][name]
        cells = [name, *[pages.spread(each[what]) for what in ("serial", "cycle", f"{executor}2", "window2")],
                 pages.cell(pages.ratio(wall("cycle"), wall(f"{executor}2"))),
                 pages.cell(pages.ratio(wall("cycle"), wall("window2")))]
        for index, count in enumerate(threads):
            value = pages.ratio(one, runs.predicted(each["cycles"], executor, count + extra))
            ours.setdefault(count, []).append(value)
            windows.setdefault(count, []).append(pages.ratio(one, runs.predicted_window(each["safe"], count + extra)))
            original = data["table2_s"][name][0]  # figures 4 and 5 are both over the original program
            reported = seconds[6] / seconds[7] if count == 15 else original / seconds[index + 1]
            paper.setdefault(count, []).append(reported)
            cells += [pages.cell(value), pages.cell(reported)]
        rows.append(cells)
    means = ["mean", "", "", "", "", "", ""]
    for count in threads:
        means += [pages.cell(pages.mean(ours[count])), pages.cell(pages.mean(paper[count]))]
    rows.append(means)
    header = ["workload", "measured, s: `serial`", "`serial --window 1`", f"`{executor}` 2", "`window` 2",
              f"measured, wall: × by `{executor}` 2", "by `window` 2"]
    for count in threads:
        header += [f"predicted: {count}", f"paper: {count}"]
    result.text(pages.table(header, rows))
    result.commands(shown["serial"], shown["cycle"], shown[f"{executor}2"], shown["window2"], shown["cycles"])
    best = {count: pages.mean(values) for count, values in windows.items()}
    result.item(figure, ("" if extra else "The paper's text has 1.37 (RAY) as the least on two threads; its Table II has 1.33 (LIB). ") +
                f"Means over the workloads, over `serial --window 1`. `window` is what Maniple does by default, on as many "
                "threads in all.")
    rows = [["predicted: `" + executor + "`", *[pages.cell(pages.mean(ours[c])) for c in threads]],
            ["predicted: `window`", *[pages.cell(best[c]) for c in threads]],
            ["paper", *[pages.cell(pages.mean(paper[c])) for c in threads]],
            ["paper: least and greatest", *[f"{min(paper[c]):.2f} to {max(paper[c]):.2f}" for c in threads]]]
    result.text(pages.table(["core threads" if extra else "threads", *map(str, threads)], rows))
    result.picture("para2" if extra else "para1", plots.curves(
        f"{figure}: speed-up over one thread that meets every cycle", "core threads" if extra else "threads", "speed-up",
        [(executor, "predicted", [(c, pages.mean(ours[c])) for c in threads if pages.mean(ours[c])]),
         ("window", "predicted", [(c, best[c]) for c in threads if best[c]]),
         ("gpusim-para2" if extra else "gpusim-para1", "paper", [(c, pages.mean(paper[c])) for c in threads])]),
        "Speed-up over threads")
    result.commands(shown["cycles"], shown["safe"])


def deviation(base, other, name):
    """Of a statistic; None where a run is missing."""
    if not base or not other or "failed" in base or "failed" in other:
        return None
    exact, value = base["statistics"].get(name, 0), other["statistics"].get(name, 0)
    return 0 if exact == value else (value - exact) / exact if exact else None


def deviations(result, data, found, shown, which, item, source, relaxed=False):
    threads = which[-1]
    executor = which[:-1]
    result.item(item, f"The six statistics of the paper, of `{executor}` on {threads} threads against `serial`; beside them all other "
                "statistics and the hash of the machine's final state.")
    rows = []
    for name, each in found.items():
        base, other = each["serial"], each[which]
        paper = data[source].get(name, [0] * 6)
        cells = [name, *[pages.cell(pages.percent(deviation(base, other, six))) for six in SIX],
                 pages.verdict(base, other)]
        rows.append(cells + [value if isinstance(value, str) else "0" if value == 0 else f"{value:+.2f} %" for value in paper])
    result.text(pages.table(["workload", *[f"measured: {word}" for word in SIX.values()], "all statistics and hash",
                             *[f"paper: {word}" for word in SIX.values()]], rows))
    result.commands(shown["serial"], shown[which])
    if relaxed:
        result.text("What it costs to let go of exactness: `relaxed:N` meets every N core cycles only, as Lee & Ro 2013 and GpuTejas "
                    "2014 do, and repeats its errors to the byte. Deviation of the cycles; and the greatest of the other five in "
                    "brackets:")
        rows = []
        for name, each in found.items():
            cells = [name]
            for length in RELAXED:
                other = [deviation(each["serial"], each[f"relaxed{length}"], six) for six in SIX]
                rest = [abs(value) for value in other[1:] if value is not None]
                cells.append("–" if other[0] is None else f"{pages.percent(other[0])} ({100 * max(rest, default=0):.2f} %)")
            rows.append(cells)
        result.text(pages.table(["workload", *[f"measured: `relaxed:{length}`" for length in RELAXED]], rows))
        result.commands(*[shown[f"relaxed{length}"] for length in RELAXED])


def order(result, data, found, size):
    result.item("Table IV", "GPGPU-Sim steps its clusters in the order of their numbers, and another order gives other results. In "
                "Maniple units affect one another by packets alone, which are ordered by time of arrival, link and number: the "
                "order in which units run is not an input. BFS here, several times with units handed to whichever of three "
                "threads is free, which is another order every time:")
    each = found.get("BFS")
    rows = []
    for turn in range(ORDERS):
        other = each and each[f"order{turn}"]
        values = [deviation(each["serial"], other, six) if each else None for six in SIX]
        rows.append([f"measured, run {turn + 1}", *[pages.cell(pages.percent(value)) for value in values],
                     pages.verdict(other, each and each["serial"])])
    for word in ("least", "greatest"):
        rows.append([f"paper, {word} of 10", *[f"{value:+.2f} %" for value in data["table4_percent"][word]], ""])
    result.text(pages.table(["BFS", *SIX.values(), "all statistics and hash"], rows))
    result.commands(commands("BFS", size)["order0"])
    result.text("That the order changes nothing is also a test: `tests/gpu/identity_test.c` runs the units of each window in a "
                "random order and compares all statistics and the hash of every epoch.")
