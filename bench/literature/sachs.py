# SPDX-License-Identifier: BSD-3-Clause
"""Sachs, Lühnen & Lal: `pool` beside their thread pool, on an H100 PCIe and their four kinds of kernels."""
import pages
import plots
import runs
from wang_gao import deviation

NAME, MACHINE = "sachs", "h100-pcie"
SIZES = {  # usual: those of the paper's scaling study; full: of its evaluation on eight threads
    "MONTE_CARLO": {"smallest": "montecarlo_pi --blocks 4 --points 2", "quick": "montecarlo_pi --blocks 512 --points 8",
                    "usual": "montecarlo_pi --blocks 1024 --points 128", "full": "montecarlo_pi --blocks 8192 --points 128"},
    "SGEMM": {"smallest": "sgemm --size 32", "quick": "sgemm --size 160", "usual": "sgemm --size 1024", "full": "sgemm --size 2048"},
    "SM2SM_HIST": {"smallest": "clusterhist --size 1000 --bins 100 --clusters 1 --cluster 4",
                   "quick": "clusterhist --size 32768 --clusters 7 --cluster 16",
                   "usual": "clusterhist --size 2097152 --clusters 16 --cluster 16",
                   "full": "clusterhist --size 8388608 --clusters 16 --cluster 16"},
    "VECTOR_ADD": {"smallest": "vecadd --size 500", "quick": "vecadd --size 131072", "usual": "vecadd --size 8388608",
                   "full": "vecadd --size 16777216"}}
THREADS = (2, 4, 6, 8, 10, 12, 14, 16, 24, 32)
FIRST = ("serial", "cycles", "safe", "cycle")  # of all workloads before anything else, so that a part of the runs says most
RELAXED = (128, 512)
CLUSTERS = (14, 28, 57, 112)  # of two SMs that share a port of the network, in all seven GPCs; the H100 itself has 57
SWEPT = {"smallest": "vecadd --size 500", "quick": "montecarlo_pi --blocks 512 --points 8",
         "usual": "montecarlo_pi --blocks 1024 --points 32", "full": "montecarlo_pi --blocks 8192 --points 128"}


def workloads(size):
    return ["SGEMM"] if size == "smallest" else list(SIZES)


def commands(name, size):
    words = SIZES[name][size]
    made = {"serial": runs.app(words, MACHINE, "--executor", "serial"),
            "cycle": runs.app(words, MACHINE, "--executor", "serial", "--window", "1"),
            "window2": runs.app(words, MACHINE, "--threads", "2"),
            "pool2": runs.app(words, MACHINE, "--executor", "pool", "--threads", "2"),
            "pool8": runs.app(words, MACHINE, "--executor", "pool", "--threads", "8"),
            "safe": runs.record(words, MACHINE), "cycles": runs.record(words, MACHINE, "--window", "1")}
    for length in RELAXED:
        made[f"relaxed{length}"] = runs.app(words, MACHINE, "--executor", f"relaxed:{length}")
    return made


def clustered(size, clusters):
    """Runs of machines of more and more clusters, by what they are for."""
    machine = ("--set", "gpc.port_sms=2", *(() if clusters == 57 else ("--set", f"sm.count={2 * clusters}")))
    return {"cycle": runs.app(SWEPT[size], MACHINE, *machine, "--executor", "serial", "--window", "1"),
            "pool2": runs.app(SWEPT[size], MACHINE, *machine, "--executor", "pool", "--threads", "2"),
            "window2": runs.app(SWEPT[size], MACHINE, *machine, "--threads", "2")}


def shared(name, size):
    """A workload with two SMs on each port; its cycles alone are of interest."""
    return runs.untimed(SIZES[name][size], MACHINE, "--executor", "serial", "--set", "gpc.port_sms=2")


def plan(size):
    swept = [clustered(size, clusters) for clusters in (CLUSTERS[:1] if size == "smallest" else CLUSTERS)]
    return [*runs.by_purpose([commands(name, size) for name in workloads(size)], FIRST), *runs.by_purpose(swept, ()),
            *[shared(name, size) for name in workloads(size)]]


def page(find, size, folder):
    data = pages.numbers(NAME)
    found = {name: runs.checked({what: find(command) for what, command in commands(name, size).items()}) for name in workloads(size)}
    shown = commands(workloads(size)[0], size)
    result = pages.Page(NAME, data, folder, size)
    pages.opening(result, [one for each in found.values() for one in each.values()])
    profile(result, data, found, shown)
    sizes(result, data, size)
    eight(result, data, found, shown)
    errors(result, data, found, shown)
    sweep(result, data, found, shown)
    others(result, data, found)
    clusters(result, find, found, size)
    result.left_out()
    return result


def value(result, name):
    return result[name] if result and "failed" not in result else None


def profile(result, data, found, shown):
    result.item("Table 1", "The paper: shares of the samples of `perf` below `gpgpu_sim::cycle()`. Ours: of a run's time, by kind of "
                "unit, in safe windows and in windows of one cycle. Statistics are counted by each unit for itself, so that "
                "nothing stands where the paper has a quarter of SGEMM's time in collecting them.")
    rows = []
    for name, each in found.items():
        cells = [name]
        for record in (value(each["safe"], "shares"), value(each["cycles"], "shares")):
            kinds = [record.get(kind, 0) if record else None for kind in ("sm", "gpc", "partition")]
            cells += [pages.cell(pages.share(kind)) for kind in kinds]
            cells.append(pages.cell(pages.share(1 - sum(kinds)) if record else None))
        rows.append(cells + [f"{number:.1f} %" for number in data["table1_percent"][name]])
    result.text(pages.table(["workload", "measured: SMs", "GPCs", "partitions", "rest", "one cycle: SMs", "GPCs", "partitions", "rest",
                             *[f"paper: `{word}`" for word in data["table1_percent"]["columns"]]], rows))
    result.commands(shown["safe"], shown["cycles"])


def sizes(result, data, size):
    result.item("Table 2")
    rows = [[name, f"`{SIZES[name][size]}`", *data["table2"][name], f"`{SIZES[name]['usual']}`", f"`{SIZES[name]['full']}`"]
            for name in SIZES]
    result.text(pages.table(["workload", "on this page", "paper: eight threads", "paper: scaling study", "`make literature`", "`FULL=1`"],
                            rows))
    result.text("A point of Monte-Carlo is a sample of the paper's; a block has 128 threads. The histogram's clusters have 16 blocks, "
                "the most that the architecture allows, as in the paper.")


def eight(result, data, found, shown):
    result.item("Figure 2a", "One thread measured, in CPU seconds; two measured; eight predicted, over `serial --window 1` and over "
                "`serial`.")
    rows, names = [], list(found)
    ours, windows = [], []
    for name, each in found.items():
        one, best = runs.sequential(each["cycles"]), runs.sequential(each["safe"])
        pool, window = runs.predicted(each["cycles"], "pool", 8), runs.predicted_window(each["safe"], 8)
        ours.append(pages.ratio(one, pool))
        windows.append(pages.ratio(one, window))
        rows.append([name, *[pages.cell(value(each[what], "cpu_seconds")) for what in ("serial", "cycle", "pool2", "window2")],
                     pages.cell(pages.ratio(value(each["cycle"], "wall"), value(each["pool2"], "wall"))),
                     pages.cell(pages.ratio(value(each["cycle"], "wall"), value(each["window2"], "wall"))),
                     pages.cell(ours[-1]), pages.cell(windows[-1]), pages.cell(pages.ratio(best, window)),
                     f"{data['figure2a_speedup_8'][name]:.2f}"])
    result.text(pages.table(["workload", "measured, CPU s: `serial`", "`serial --window 1`", "`pool` 2", "`window` 2",
                             "measured, wall: × by `pool` 2", "by `window` 2", "predicted: × by `pool` 8", "predicted: × by `window` 8",
                             "the same, × `serial`", "paper: 8"], rows))
    result.picture("eight", plots.bars("Speed-up of eight threads over one that meets every cycle", "speed-up", names, [
        ("pool", "predicted", ours), ("window", "predicted", windows),
        ("ClusterSim", "paper", [data["figure2a_speedup_8"][name] for name in names])]), "Speed-up on eight threads")
    result.commands(shown["serial"], shown["cycle"], shown["pool2"], shown["window2"], shown["cycles"], shown["safe"])


def errors(result, data, found, shown):
    result.item("Figure 2b", "Of the cycles of eight threads from those of one, measured; all other statistics and the hash of the final "
                "state beside it. And what `relaxed:N`, which meets every N cycles alone, makes of them.")
    rows = []
    for name, each in found.items():
        base, other = each["serial"], each["pool8"]
        rows.append([name, pages.cell(pages.percent(deviation(base, other, "gpu_sim_cycle"))),
                     pages.verdict(base, other),
                     *[pages.cell(pages.percent(deviation(base, each[f"relaxed{length}"], "gpu_sim_cycle"))) for length in RELAXED],
                     f"{data['figure2b_percent'][name]:.2f} %"])
    result.text(pages.table(["workload", "measured: `pool` 8", "all statistics and hash",
                             *[f"measured: `relaxed:{length}`" for length in RELAXED], "paper: 8 threads"], rows))
    result.commands(shown["serial"], shown["pool8"], *[shown[f"relaxed{length}"] for length in RELAXED])
    result.text("The paper supposes that its errors come from the order in which threads reach L2 and the SM-to-SM network. Here both "
                "are reached by packets, which are ordered by time, link and number.")


def sweep(result, data, found, shown):
    result.item("Figure 3", "Predicted, over `serial --window 1`; of the paper the best number of threads, which is what its text states.")
    rows, series = [], []
    for name, each in found.items():
        one = runs.sequential(each["cycles"])
        for what, predict in (("pool", lambda t, e=each: runs.predicted(e["cycles"], "pool", t)),
                              ("window", lambda t, e=each: runs.predicted_window(e["safe"], t))):
            values = [pages.ratio(one, predict(count)) for count in THREADS]
            rows.append([f"{name}, `{what}`", *[pages.cell(one) for one in values], ""])
            series.append((f"{name} {what}", "predicted", [(c, v) for c, v in zip(THREADS, values) if v]))
        count, best = data["figure3_best"][name]
        rows[-1][-1] = f"{best:.2f} on {count}"
        series.append((f"{name} paper", "paper", [(count, best)]))
    result.text(pages.table(["workload", *[f"predicted: {count}" for count in THREADS], "paper: best"], rows))
    result.picture("threads", plots.curves("Speed-up over one thread that meets every cycle", "threads", "speed-up", series, log_y=True),
                   "Speed-up over threads")
    result.commands(shown["cycles"], shown["safe"])
    result.text("The paper's curves fall behind 16 threads, where a second NUMA node begins. A prediction knows nothing of nodes; what "
                "Maniple does about them is in [executors.md](../executors.md#which-thread-runs-where).")


def clusters(result, find, found, size):
    """What the paper leaves for others: the number of clusters, and what it does to the speed-up."""
    result.lines += ["## The number of clusters", ""]
    result.text("The paper asks how the number of clusters changes the speed-up. `gpc.port_sms=2` makes clusters of two SMs that share a port "
                "of the network, 57 on an H100 PCIe, and `pool` never parts one. The same work on machines of more and more clusters; "
                "speed-ups are over `serial --window 1` of the same machine.")
    rows = []
    for count in CLUSTERS:
        each = {what: find(command) for what, command in clustered(size, count).items()}
        base = value(each["cycle"], "wall")
        rows.append([f"{count} clusters", pages.cell((value(each["cycle"], "statistics") or {}).get("gpu_sim_cycle"), "{:,}"),
                     pages.spread(each["cycle"]), *[pages.cell(pages.ratio(base, value(each[what], "wall"))) for what in ("pool2", "window2")]])
    result.text(pages.table(["machine", "simulated: cycles", "measured, s: `serial --window 1`", "× by `pool` 2", "× by `window` 2"], rows))
    result.commands(*clustered(size, 57).values())
    result.text("What the shared port does to the cycles, on 57 clusters:")
    rows = []
    for name, each in found.items():
        pair = [(value(one, "statistics") or {}).get("gpu_sim_cycle") for one in (each["serial"], find(shared(name, size)))]
        change = pages.ratio(pair[1] - pair[0], pair[0]) if None not in pair else None
        rows.append([name, *[pages.cell(cycles, "{:,}") for cycles in pair], pages.cell(pages.percent(change))])
    result.text(pages.table(["workload", "simulated: a port for each SM", "a port for two", "change"], rows))
    result.commands(shared(workloads(size)[0], size))


def others(result, data, found):
    result.item("Table 3", "The paper's rows, and ours: means over the workloads of this page, predicted, with the errors measured.")
    rows = [["paper: " + name, f"{speed:.2f}", f"{least:.2f} %", f"{most:.2f} %"] for name, speed, least, most in data["table3"]]
    eights = {"`pool`, 8 threads": lambda e: runs.predicted(e["cycles"], "pool", 8),
              "`window`, 8 threads": lambda e: runs.predicted_window(e["safe"], 8)}
    for name, predict in eights.items():
        mean = pages.mean([pages.ratio(runs.sequential(each["cycles"]), predict(each)) for each in found.values()])
        run = "pool8" if "pool" in name else "window2"
        seen = [abs(d) for each in found.values() if (d := deviation(each["serial"], each[run], "gpu_sim_cycle")) is not None]
        rows.append([f"Maniple, {name}: speed-up predicted, errors measured" + (" on 2" if run == "window2" else ""),
                     pages.cell(mean), *[f"{100 * end(seen):.2f} %" if seen else "–" for end in (min, max)]])
    for length in RELAXED:
        all_of = [abs(d) for each in found.values() if (d := deviation(each["serial"], each[f"relaxed{length}"], "gpu_sim_cycle")) is not None]
        rows.append([f"Maniple, `relaxed:{length}`: errors measured", "–", *[f"{100 * end(all_of):.2f} %" if all_of else "–" for end in (min, max)]])
    result.text(pages.table(["", "mean speed-up", "least error", "greatest error"], rows))
