# SPDX-License-Identifier: BSD-3-Clause
"""Huerta & González: `openmp` beside their Accel-Sim, on an RTX 3080 Ti and counterparts of their nineteen workloads."""
import math

import pages
import plots
import runs

NAME, MACHINE = "huerta", "rtx3080ti"
SIZES = {
    "gau": ("gaussian --size 4", "gaussian --size 48", "gaussian --size 208", "gaussian --size 1024"),
    "hot": ("hotspot --width 20 --height 20 --steps 1", "hotspot --width 192 --height 192 --steps 2",
            "hotspot --width 768 --height 768 --steps 2", "hotspot --width 4096 --height 4096 --steps 10"),
    "hyb": ("hybridsort --size 100", "hybridsort --size 4096", "hybridsort --size 98304", "hybridsort --size 4194304"),
    "lavaMD": ("lavamd --boxes 1 --particles 4", "lavamd --boxes 3 --particles 12", "lavamd --boxes 6 --particles 24",
               "lavamd --boxes 10 --particles 100"),
    "lud": ("lud --size 16", "lud --size 96", "lud --size 320", "lud --size 2048"),
    "myo": ("myocyte --cells 2 --steps 1", "myocyte --cells 64 --steps 60", "myocyte --cells 64 --steps 1600",
            "myocyte --cells 64 --steps 50000"),
    "nn": ("nn --size 100", "nn --size 65536", "nn --size 1572864", "nn --size 16777216"),
    "nw": ("nw --size 16", "nw --size 192", "nw --size 1024", "nw --size 4096"),
    "path": ("pathfinder --width 200 --rows 3 --depth 2", "pathfinder --width 16384 --rows 10", "pathfinder --width 196608 --rows 20",
             "pathfinder --width 1048576 --rows 100"),
    "srad": ("srad --width 10 --height 10 --steps 1", "srad --width 112 --height 112 --steps 2", "srad --width 576 --height 576",
             "srad --width 2048 --height 2048 --steps 10"),
    "fdtd2d": ("fdtd2d --width 10 --height 10 --steps 1", "fdtd2d --width 112 --height 112", "fdtd2d --width 576 --height 576",
               "fdtd2d --width 2048 --height 2048 --steps 100"),
    "syrk": ("syrk --n 8 --m 4", "syrk --n 96 --m 48", "syrk --n 384 --m 192", "syrk --n 1024 --m 1024"),
    "mst": ("mst --nodes 20 --degree 2", "mst --nodes 1024", "mst --nodes 16384", "mst --nodes 262144"),
    "sssp": ("sssp --nodes 20 --degree 2", "sssp --nodes 1024", "sssp --nodes 24576", "sssp --nodes 1048576"),
    "conv": ("convolution --width 20 --height 4", "convolution --width 128 --height 128", "convolution --width 768 --height 768",
             "convolution --width 4096 --height 4096"),
    "gemm": ("gemm --m 16 --n 16 --k 16 --kernel tiled", "gemm --m 192 --n 192 --k 192 --kernel wmma",
             "gemm --m 768 --n 768 --k 768 --kernel wmma", "gemm --m 1760 --n 7000 --k 1760 --kernel wmma"),
    "rnn": ("rnn --units 8 --batch 1", "rnn --units 96 --batch 3", "rnn --units 384 --batch 5", "rnn --units 2560 --batch 64"),
    "cut_1": ("gemm --m 32 --n 16 --k 16 --kernel wmma", "gemm --m 2560 --n 16 --k 192 --kernel wmma",
              "gemm --m 2560 --n 16 --k 2560 --kernel wmma", "gemm --m 2560 --n 16 --k 2560 --kernel wmma"),
    "cut_2": ("gemm --m 32 --n 32 --k 16 --kernel wmma", "gemm --m 320 --n 128 --k 160 --kernel wmma",
              "gemm --m 1280 --n 512 --k 640 --kernel wmma", "gemm --m 2560 --n 1024 --k 2560 --kernel wmma")}
THREADS = (2, 4, 8, 16, 24)
FIRST = ("serial", "cycles", "safe", "cycle")  # of all workloads before anything else, so that a part of the runs says most
SHOW = runs.Command("machine", ("machine", "show", MACHINE))
ORDER = ("smallest", "quick", "usual", "full")


def words_of(name, size):
    return SIZES[name][ORDER.index(size)]


def workloads(size):
    return ["hot"] if size == "smallest" else list(SIZES)


def commands(name, size):
    words = words_of(name, size)
    openmp = ("--executor", "openmp", "--threads", "2", "--schedule")
    return {"serial": runs.app(words, MACHINE, "--executor", "serial"),
            "cycle": runs.app(words, MACHINE, "--executor", "serial", "--window", "1"),
            "ideal": runs.app(words, MACHINE, "--executor", "serial", "--set", "ideal.network=true"),
            "static2": runs.app(words, MACHINE, *openmp, "static"), "dynamic2": runs.app(words, MACHINE, *openmp, "dynamic"),
            "window2": runs.app(words, MACHINE, "--threads", "2"),
            "safe": runs.record(words, MACHINE), "cycles": runs.record(words, MACHINE, "--window", "1")}


def plan(size):
    return [SHOW, *runs.by_purpose([commands(name, size) for name in workloads(size)], FIRST)]


def value(result, name):
    return result[name] if result and "failed" not in result else None


def page(find, size, folder):
    data = pages.numbers(NAME)
    found = {name: runs.checked({what: find(command) for what, command in commands(name, size).items()}) for name in workloads(size)}
    shown = commands(workloads(size)[0], size)
    result = pages.Page(NAME, data, folder, size)
    everything = [one for each in found.values() for one in each.values()]
    pages.opening(result, everything)
    one_thread(result, data, found, shown, size)
    machine(result, data, find(SHOW))
    result.item("Table 2")
    result.text(pages.table(["paper", "of", "ours"], [[name, data["suites"][name], f"`{words_of(name, size)}`"] for name in SIZES]),
                "Ours are written from the algorithms ([apps.md](../apps.md)); `conv` is a separable filter and no convolution of a "
                "network. CUTLASS's shapes are with tensor cores, and smaller where the size does not allow more.")
    result.item("Table 3")
    made = next((one for one in everything if one and "failed" not in one), None)
    result.text(pages.table(["", "the host"], [["measured on", made["host"] if made else "–"], ["paper", data["table3"]]]))
    profile(result, data, found, shown)
    speed(result, data, found, shown)
    schedules(result, data, found, shown)
    blocks(result, data, found, shown)
    correlation(result, data, found, shown)
    less_detail(result, found, shown)
    result.left_out()
    return result


def one_thread(result, data, found, shown, size):
    result.item("Figure 1", "CPU seconds, measured, and how much slower than one cycle at a time is; of the paper, what its text says "
                "of Accel-Sim at its sizes, days where ours are seconds, since ours are smaller: the ratio of the two programs on the "
                "same traces is in [performance.md](../performance.md).")
    rows = []
    for name, each in found.items():
        more = data["figure1_s_more_than"].get(name)
        rows.append([name, pages.cell(value(each["serial"], "cpu_seconds")), pages.cell(value(each["cycle"], "cpu_seconds")),
                     pages.cell((value(each["serial"], "statistics") or {}).get("gpgpu_n_tot_w_icount"), "{:,}"),
                     f"more than {more:,}" if more else ""])
    result.text(pages.table(["workload", "measured, CPU s: `serial`", "`serial --window 1`", "warp instructions", "paper, s"], rows))
    names = list(found)
    result.picture("one", plots.bars("CPU seconds of one thread", "seconds", names, [
        ("serial --window 1", "measured", [value(found[name]["cycle"], "cpu_seconds") for name in names]),
        ("serial", "measured", [value(found[name]["serial"], "cpu_seconds") for name in names])], log_y=True), "Time of one thread")
    result.commands(shown["serial"], shown["cycle"])


def machine(result, data, keys):
    result.item("Table 1", "`maniple machine show rtx3080ti` prints all keys, each with where it is stated.")
    keys = {key: value.strip('"') for key, value in keys["keys"].items()} if keys and "failed" not in keys else {}
    if keys:
        keys["L2"] = f"{keys['partition.count']} x {keys['l2.slices_per_partition']} x {keys['l2.slice.size']}"
    result.text(pages.table(["key", "ours", "paper"], [[f"`{key}`", keys.get(key, "–"), cited]
                                                       for key, cited in data["table1"].items()]),
                "The paper's memory clock counts transfers, ours the clock of commands.")
    result.commands(SHOW)


def profile(result, data, found, shown):
    result.item("Figure 4", f"The paper: SM cycles take more than {data['figure4_sm_percent']} % of the time. Ours, by kind of unit:")
    rows = []
    for name, each in found.items():
        cells = [name]
        for record in (value(each["safe"], "shares"), value(each["cycles"], "shares")):
            kinds = [record.get(kind, 0) if record else None for kind in ("sm", "gpc", "partition")]
            cells += [pages.cell(pages.share(kind)) for kind in kinds]
            cells.append(pages.cell(pages.share(1 - sum(kinds)) if record else None))
        rows.append(cells)
    result.text(pages.table(["workload", "measured: SMs", "GPCs", "partitions", "rest", "one cycle: SMs", "GPCs", "partitions", "rest"],
                            rows))
    result.commands(shown["safe"], shown["cycles"])


def speed(result, data, found, shown):
    result.item("Figure 5", "Two threads measured, in CPU seconds and wall time; more of them predicted, over `serial --window 1`.")
    rows, ours, windows = [], {}, {}
    for name, each in found.items():
        one = runs.sequential(each["cycles"])
        cells = [name, *[pages.cell(value(each[what], "cpu_seconds")) for what in ("cycle", "static2", "window2")],
                 pages.cell(pages.ratio(value(each["cycle"], "wall"), value(each["static2"], "wall"))),
                 pages.cell(pages.ratio(value(each["cycle"], "wall"), value(each["window2"], "wall")))]
        for count in THREADS:
            ours.setdefault(count, []).append(pages.ratio(one, runs.predicted(each["cycles"], "openmp", count)))
            windows.setdefault(count, []).append(pages.ratio(one, runs.predicted_window(each["safe"], count)))
            cells += [pages.cell(ours[count][-1]), pages.cell(windows[count][-1])]
        rows.append(cells)
    last = ["mean", "", "", "", "", ""]
    for count in THREADS:
        last += [pages.cell(pages.mean(ours[count])), pages.cell(pages.mean(windows[count]))]
    paper = ["paper: mean", "", "", "", "", ""]
    for count in THREADS:
        paper += [f"{data['figure5_mean'][str(count)]:.2f}", ""]
    header = ["workload", "measured, CPU s: `serial --window 1`", "`openmp` 2", "`window` 2", "measured, wall: × by `openmp` 2",
              "by `window` 2"]
    for count in THREADS:
        header += [f"predicted: `openmp` {count}", f"`window` {count}"]
    result.text(pages.table(header, rows + [last, paper]))
    result.picture("threads", plots.curves(
        "Mean speed-up over one thread that meets every cycle", "threads", "speed-up",
        [("openmp", "predicted", [(c, pages.mean(ours[c])) for c in THREADS if pages.mean(ours[c])]),
         ("window", "predicted", [(c, pages.mean(windows[c])) for c in THREADS if pages.mean(windows[c])]),
         ("Accel-Sim", "paper", [(c, data["figure5_mean"][str(c)]) for c in THREADS])]), "Mean speed-up over threads")
    names = list(found)
    result.picture("sixteen", plots.bars("Speed-up of sixteen threads over one that meets every cycle", "speed-up", names, [
        ("openmp", "predicted", ours[16]), ("window", "predicted", windows[16])]), "Speed-up on sixteen threads")
    result.commands(shown["cycle"], shown["static2"], shown["window2"], shown["cycles"], shown["safe"])
    same = [each for each in (pages.equal(*[each[what] for what in ("serial", "static2", "dynamic2", "window2")]) for each in found.values())
            if each is not None]
    result.text(f"All statistics and the final state of `openmp`, static and dynamic, and of `window` on two threads are those of "
                f"`serial` in {sum(same)} of {len(same)} workloads: deterministic, as the paper's.",
                f"The paper's lavaMD reaches {data['figure5_lavaMD_16']} on 16 threads. What a cycle and a meeting take there, the paper "
                "does not state. `window` has one meeting for some 32 cycles.")


def schedules(result, data, found, shown):
    result.item("Figure 6", "OpenMP's static and dynamic scheduler with single SMs, measured on two threads and predicted for "
                "sixteen, with what a meeting and a thread's next SM cost on this host.")
    rows = []
    for name, each in found.items():
        base = value(each["cycle"], "wall")
        paper = data["figure6_cut_1_2"] if name == "cut_1" else {}
        rows.append([name, *[pages.cell(value(each[what], "cpu_seconds")) for what in ("static2", "dynamic2")],
                     *[pages.cell(pages.ratio(base, value(each[what], "wall"))) for what in ("static2", "dynamic2")],
                     *[pages.cell(pages.ratio(runs.sequential(each["cycles"]), runs.predicted(each["cycles"], executor, 16)))
                       for executor in ("openmp", "openmp-dynamic")],
                     *[pages.cell(paper.get(kind)) if paper else "" for kind in ("static", "dynamic")]])
    result.text(pages.table(["workload", "measured, CPU s: static 2", "dynamic 2", "measured, wall: × by static 2", "by dynamic 2",
                             "predicted: static 16", "dynamic 16", "paper: static 2", "paper: dynamic 2"], rows))
    result.commands(shown["static2"], shown["dynamic2"])


def blocks(result, data, found, shown):
    result.item("Figure 7", f"Least, mean and greatest of a workload's launches. The machine has 80 SMs; the paper's myocyte has "
                f"{data['figure7_myocyte']}.")
    rows = []
    for name, each in found.items():
        grids = value(each["serial"], "grids")
        rows.append([name, *([str(len(grids)), f"{min(grids):,}", f"{sum(grids) / len(grids):,.1f}", f"{max(grids):,}"]
                             if grids else ["–"] * 4)])
    result.text(pages.table(["workload", "measured: launches", "least", "mean", "greatest"], rows))
    names = [name for name in found if value(found[name]["serial"], "grids")]
    result.picture("blocks", plots.bars("Thread blocks of a kernel, mean of a workload's launches", "thread blocks", names, [
        ("thread blocks", "measured", [sum(found[name]["serial"]["grids"]) / len(found[name]["serial"]["grids"]) for name in names])],
        log_y=True, low=1), "Thread blocks of a kernel")
    result.commands(shown["serial"])


def less_detail(result, found, shown):
    """What the paper cites of NVAS: 2.13 times the speed, with on-chip interconnects in low detail."""
    result.lines += ["## A network of less detail", ""]
    result.text("NVAS, which the paper cites, models on-chip interconnects in low detail and reports 2.13 times the speed for a change of "
                "less than 1 % in the mean absolute error. `ideal.network=true` does so here: packets keep their latencies and occupy no port "
                "([network.md](../network.md#less-detail)). Cycles are the same on every host.")
    rows, errors, gains = [], [], []
    for name, each in found.items():
        pair = [(value(each[what], "statistics") or {}).get("gpu_sim_cycle") for what in ("serial", "ideal")]
        error = pages.ratio(pair[1] - pair[0], pair[0]) if None not in pair else None
        gain = pages.ratio(value(each["serial"], "wall"), value(each["ideal"], "wall"))
        errors, gains = errors + [error], gains + [gain]
        rows.append([name, *[pages.cell(cycles, "{:,}") for cycles in pair], pages.cell(pages.percent(error)), pages.cell(gain)])
    mean = pages.mean([abs(error) for error in errors if error is not None])
    rows.append(["mean", "", "", pages.cell(None if mean is None else 100 * mean, "{:.2f} %, absolute"), pages.cell(pages.mean(gains))])
    result.text(pages.table(["workload", "simulated: cycles", "with less detail", "error", "measured: × by it"], rows))
    result.commands(shown["serial"], shown["ideal"])
    result.text("A gain near 1 says that contention costs the host little: packets that wait are not looked at until something changes, and "
                "links, the longest part of a packet's way, are there in both.")


def pearson(pairs):
    if len(pairs) < 3:
        return None
    mx, my = pages.mean([x for x, _ in pairs]), pages.mean([y for _, y in pairs])
    top = sum((x - mx) * (y - my) for x, y in pairs)
    return top / math.sqrt(sum((x - mx) ** 2 for x, _ in pairs) * sum((y - my) ** 2 for _, y in pairs))


def correlation(result, data, found, shown):
    result.item("Section 4.2", f"Pearson's factor of the speed-up on 16 threads with the time of one thread. The paper: "
                f"{data['section42_correlation_16']}.")
    rows, points = [], []
    for executor, what in (("openmp", "cycles"), ("window", "safe")):
        pairs = []
        for name, each in found.items():
            one = runs.sequential(each["cycles"])
            many = runs.predicted(each["cycles"], "openmp", 16) if executor == "openmp" else runs.predicted_window(each["safe"], 16)
            if one and many:
                pairs.append((one, one / many))
                if executor == "window":
                    points.append((name, "predicted", one, one / many))
        rows.append([f"`{executor}`", pages.cell(pearson(pairs)), pages.cell(pearson([(math.log(x), y) for x, y in pairs]))])
    result.text(pages.table(["executor", "predicted: factor", "with the logarithm of the time"], rows))
    result.picture("correlation", plots.scatter("Speed-up of window on 16 threads over the time of one thread", "seconds of one thread",
                                                "speed-up", points), "Speed-up over time")
    result.commands(shown["cycles"], shown["safe"])
    result.text("What decides is less the time than the work of a cycle: how many SMs have a thread block, which figure 7 shows.")
