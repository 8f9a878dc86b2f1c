# SPDX-License-Identifier: BSD-3-Clause
"""Raghav et al.: the coprocessor's programs on 128 to 4096 cores of both architectures, and functional simulators in
OVPSim's place."""
import csv
import json

import pages
import plots
import runs

NAME = "raghav"
PROGRAMS = {  # the paper's sizes; the work between atomic operations and of a barrier's phase, which it does not state, is ours
    "IDCT": "idct 4096", "DQ": "dequantise 4096", "NCC": "cut 4096", "MM": "matmul 4096", "FFT": "fft 4096",
    "EPCC": "atomic 4096 20000", "EP": "ep 18", "BC": "barrier 0 1 4096 20000", "B-MSD": "barrier 1 1 4096 20000",
    "BMSD-T": "barrier 2 1 4096 20000"}
PARALLEL, BARRIERS = ("IDCT", "DQ", "NCC", "MM", "FFT", "EPCC", "EP"), ("BC", "B-MSD", "BMSD-T")
EVERY_CORE = {"dhrystone": "dhrystone 100", "fibonacci": "fibonacci 12"}  # on each core the whole of it
LONG = {"dhrystone": ("dhrystone", "1000000"), "fibonacci": ("fibonacci", "36")}  # one core in qemu-arm, so long that its start is nothing
ARCHITECTURES = {"manycore-1": "I", "manycore-2": "II"}
CORES = (1, 128, 256, 512, 1024, 2048, 4096)
COUNTS = {"smallest": (4,), "quick": CORES[1:], "usual": CORES, "full": CORES}
KINDS = ("alu", "multiply", "load", "store", "branch", "synchronisation")
SLOW = {("BC", "manycore-2", 4096), ("BC", "manycore-2", 2048)}  # three and six minutes: FULL=1


def run(words, machine, cores, core="translation", keys=(), timed=True):
    program, *arguments = words.split()
    return runs.Command("run", ("run", "--machine", machine, "--cores", str(cores), *keys, "--threads", "1", "--core", core, "--",
                                f"apps/manycore/elf/{program}.elf", *arguments), timed=timed)


# What Table 1 leaves open, as it is read here and otherwise; cycles alone.
READINGS = {"32 KB for each cache": (), "32 KB for both": ("--set", "icache.size=16KiB", "--set", "dcache.size=16KiB"),
            "no write allocate": ("--set", "dcache.write_allocate=false"), "write through": ("--set", "dcache.write_back=false"),
            "routers serve each output": ("--set", "mesh.selection=output")}
READ_ON = 256  # cores


def readings(size):
    programs = ["DQ"] if size == "smallest" else list(PROGRAMS)
    cores = 4 if size == "smallest" else READ_ON
    return {(name, what): run("dequantise 8" if size == "smallest" else PROGRAMS[name], "manycore-2", cores, "interpreter" if size == "smallest" else "translation", keys, False)
            for name in programs for what, keys in READINGS.items()}


def wanted(name, machine, cores, size):
    return cores in COUNTS[size] and (size == "full" or (name, machine, cores) not in SLOW)


def functional(words, core, cores):
    """The same core in both functional simulators."""
    return {which: runs.Command(which, (*words, "@", str(core), str(cores))) for which in ("qemu", "unicorn")}


def commands(size):
    """All of them, by what they are."""
    programs = ["DQ"] if size == "smallest" else list(PROGRAMS)
    made = {(name, machine, cores): run("dequantise 8", machine, cores, "interpreter") if size == "smallest" else
            run(PROGRAMS[name], machine, cores) for name in programs for machine in ARCHITECTURES for cores in COUNTS[size] if wanted(name, machine, cores, size)}
    for name, words in EVERY_CORE.items():
        for cores in COUNTS[size]:
            if cores > 1 and size != "smallest":
                made[name, "manycore-1", cores] = run(words, "manycore-1", cores)
        if size != "smallest":
            made.update({(name, which, 1): command for which, command in functional(LONG[name], 0, 1).items()})
            made[name, "long", 1] = run(" ".join(LONG[name]), "manycore-1", 1)
    for name in ("MM", "NCC"):
        for cores in COUNTS[size]:
            if size != "smallest":
                both = functional(tuple(PROGRAMS[name].split()), min(1, cores - 1), cores)
                made.update({(name, which, cores): command for which, command in both.items()})
    return made


def plan(size):
    return [*commands(size).values(), *readings(size).values()]


def kept_rows():
    """What `bench/manycore.py run` has measured once: program, machine and cores to its row."""
    with open(runs.ROOT / "bench" / "manycore.csv", newline="", encoding="utf-8") as source:
        return {(row["program"], row["machine"], int(row["cores"])): row for row in csv.DictReader(source)}


class Results:
    """A result of now, or the kept one of bench/manycore.csv: simulated figures are the same on every host."""

    def __init__(self, find, size):
        self.made = {key: find(command) for key, command in commands(size).items()}
        self.kept = kept_rows() if size != "smallest" else {}

    def now(self, *key):
        result = self.made.get(key)
        return result if result and "failed" not in result else None

    def count(self, name, *key):
        result = self.now(*key)
        if result:
            return result["statistics"].get(name)
        return int(self.kept[key][name]) if key in self.kept else None

    def ipc(self, *key):
        return pages.ratio(self.count("instructions", *key), self.count("global_cycles", *key))

    def speed_up(self, name, machine, cores):
        return pages.ratio(self.count("global_cycles", name, machine, 1), self.count("global_cycles", name, machine, cores))

    def mips(self, *key):
        result = self.now(*key)
        if result:
            return pages.ratio(result["statistics"]["instructions"] / 1e6, result["cpu_seconds"])
        return None


def page(find, size, folder):
    data = pages.numbers(NAME)
    found = Results(find, size)
    result = pages.Page(NAME, data, folder, size)
    pages.opening(result, list(found.made.values()))
    result.text("Simulated figures (instructions, cycles) are the same on every host; what was not run this time is taken from "
                "`bench/manycore.csv`, which `make bench-manycore` wrote on a host of two processors "
                "([lab/manycore.md](../lab/manycore.md#the-papers-figures)). S-MIPS are simulated "
                "instructions in a second of CPU time on one thread, everything included, and come out again as times do; the paper's are of a GPU. "
                "BC on 2,048 and 4,096 cores of architecture II takes minutes, and has a time with FULL=1 alone.")
    shown = run(PROGRAMS["MM"], "manycore-2", 4096)
    tables(result, data, lambda: other_readings(result, find, size))
    instructions(result, found, shown)
    figure7(result, data, found, shown)
    figure8(result)
    speed_ups(result, data, found, shown, "Figure 9a", PARALLEL)
    speed_ups(result, data, found, shown, "Figure 9b", BARRIERS)
    speeds(result, data, found, shown, "Figure 10a", "manycore-1", PARALLEL)
    speeds(result, data, found, shown, "Figure 10b", "manycore-2", PARALLEL)
    speeds(result, data, found, shown, "Figure 10c", "manycore-2", BARRIERS)
    every_core(result, data, found, size, "Figure 11a", "dhrystone")
    every_core(result, data, found, size, "Figure 11b", "fibonacci")
    divided(result, data, found, size, "Figure 11c", "MM")
    divided(result, data, found, size, "Figure 11d", "NCC")
    result.left_out()
    return result


def tables(result, data, readings_of_table1):
    ours = ["up to 65,536 of them, A32, one instruction a cycle", "the same; each is a parameter", "the same; router and queues are parameters",
            "the same; at most 256 MiB a core", "the same"]
    result.item("Table 1", "All parameters of ours, with sources: `maniple models manycore`. Architecture I is `manycore-1`, II "
                "`manycore-2`.")
    result.text(pages.table(["", "paper", "ours"], [[row[0], row[1], mine] for row, mine in zip(data["table1"], ours)]))
    readings_of_table1()
    result.item("Table 2")
    result.text(pages.table(["program", "paper", "ours"], [[name, data["table2"][name], f"`{words}`"] for name, words in PROGRAMS.items()]))


def other_readings(result, find, size):
    """Table 1 read otherwise."""
    result.text("The table leaves open whether the two caches of a node have 32 KB each or together, and says nothing of what a router "
                f"does with packets for several outputs. Cycles on {READ_ON} cores of architecture II as it is read here, and what other "
                "readings change, one at a time; the same on every host:")
    made, rows, first = readings(size), [], next(iter(READINGS))
    for name in PROGRAMS:
        cycles = [((find(made[name, what]) or {}).get("statistics") or {}).get("global_cycles") if (name, what) in made else None
                  for what in READINGS]
        rows.append([name, pages.cell(cycles[0], "{:,}"),
                     *[pages.cell(pages.percent(pages.ratio(one - cycles[0], cycles[0]) if None not in (one, cycles[0]) else None))
                       for one in cycles[1:]]])
    result.text(pages.table(["program", f"simulated: {first}", *list(READINGS)[1:]], rows))
    result.commands(*[made[next(iter(made))[0], what] for what in READINGS][:2])


def instructions(result, found, shown):
    result.item("Figure 6", "On 4096 cores of architecture II, simulated. Reads that a core repeats while it waits are instructions, too.")
    rows, columns, names = [], {kind: [] for kind in KINDS}, []
    for name in PROGRAMS:
        counts = [found.count(f"instructions_{kind}", name, "manycore-2", 4096) for kind in KINDS]
        if None in counts:
            continue
        names.append(name)
        whole = found.count("instructions", name, "manycore-2", 4096)
        for kind, count in zip(KINDS, counts):
            columns[kind].append(100 * count / whole)
        rows.append([name, *[f"{100 * count / whole:.1f} %" for count in [*counts, whole - sum(counts)]], f"{whole:,}"])
    result.text(pages.table(["program", *[f"simulated: {kind}" for kind in KINDS], "media and others", "instructions"], rows))
    result.picture("instructions", plots.bars("Instructions by kind, 4096 cores, architecture II", "%", names,
                                              [(kind, "simulated", columns[kind]) for kind in KINDS], stacked=True) if names else None,
                   "Instructions by kind")
    result.commands(shown)


def over_cores(found, names, machines, value):
    rows, series = [], []
    for machine in machines:
        for name in names:
            values = [value(name, machine, cores) for cores in CORES[1:]]
            rows.append([f"{name}, {ARCHITECTURES[machine]}" if len(machines) > 1 else name, *[pages.cell(one, "{:,.1f}") for one in values]])
            if machine == machines[-1]:
                series.append((name, "simulated", [(cores, one) for cores, one in zip(CORES[1:], values) if one]))
    return rows, series


def figure7(result, data, found, shown):
    result.item("Figure 7", "Simulated, of all cores together; the plot is of architecture II. The paper's text states the greatest of "
                "the data-parallel programs, about 2,000, and BC's, about 350 on 1,024 cores.")
    rows, series = over_cores(found, PROGRAMS, list(ARCHITECTURES), found.ipc)
    result.text(pages.table(["program, architecture", *[f"simulated: {cores:,}" for cores in CORES[1:]]], rows))
    series += [(name, "paper", [tuple(point)]) for name, point in data["figure7"].items()]
    result.picture("ipc", plots.curves("Instructions per cycle, architecture II", "cores", "instructions per cycle", series, log_y=True),
                   "Instructions per cycle")
    result.commands(shown)
    result.text("BC rises and falls as in the paper, with its peak at fewer cores: [why](../lab/manycore.md#figure-7-instructions-per-cycle).")


def shares(row):
    return [f"{row[0]:.2f}", *[f"{part:.1f} %" for part in row[1:]]] if row else ["–"] * 4


def between_times(kept):
    """How far the seconds of two sessions lie apart."""
    pairs = [(kept[title][name][0], before) for title, rows in kept.get("seconds before", {}).items()
             for name, before in rows.items() if name in kept.get(title, {})]
    changes = sorted(max(pair) / min(pair) for pair in pairs)
    return (f" Seconds of two sessions, hours apart, differ by a factor of {changes[len(changes) // 2]:.2f} in the median and {changes[-1]:.2f} "
            "at most.") if changes else ""


def figure8(result):
    kept = json.loads((runs.ROOT / "bench" / "system.json").read_text(encoding="utf-8"))
    rows, semihosting = kept.get("seconds and shares", {}), kept.get("seconds and shares by semihosting", {})
    turns = f"the run of the median time of {kept['turns']} in turn" if kept.get("turns", 1) > 1 else "one run each"
    result.item("Figure 8", f"Kept from {kept['host']} (`bench/system.json`; [system.md](../system.md#where-the-time-goes)): it needs a "
                f"cross compiler, QEMU and Debian's kernel for ARM. {kept['cores']} cores of architecture II, {turns}; the shares say "
                f"more than the seconds.{between_times(kept)} The paper's figure has no numbers in its text.")
    by_virtio = ["measured, s", "QEMU", "coprocessor", "offloading"]
    both = by_virtio + ["by semihosting, s", *by_virtio[1:]] if semihosting else by_virtio
    table = [[name, *[cell for of in ((rows, semihosting) if semihosting else (rows,)) for cell in shares(of.get(name))]]
             for name in dict.fromkeys([*rows, *semihosting])]
    result.text(pages.table(["program", *both], table))
    result.text("Control goes by virtio; by semihosting, as in the paper, with `--semihosting`. The paper's fourth share, between CPU and GPU, is "
                "not here: the coprocessor is simulated on the host." + ("" if semihosting else " Figures by semihosting await a quiet host."))
    result.picture("where", plots.bars("Where the time goes, 1024 cores", "%", list(rows), [
        (kind, "measured", [row[i + 1] for row in rows.values()]) for i, kind in enumerate(("QEMU", "coprocessor", "offloading"))],
        stacked=True), "Where the time goes")
    result.commands("python3 bench/system.py build --keep", "python3 bench/system.py build --semihosting --keep")


def speed_ups(result, data, found, shown, item, names):
    result.item(item, "Simulated: cycles on one core divided by cycles.")
    rows, series = over_cores(found, names, list(ARCHITECTURES), found.speed_up)
    paper = [(name, point) for name, point in data["figure9"].items() if name in names]
    result.text(pages.table(["program, architecture", *[f"simulated: {cores:,}" for cores in CORES[1:]]], rows))
    if paper:
        result.text("The paper, on 4096 cores: " + "; ".join(f"{name} about {point[1]:,}" for name, point in paper) + "; BC does not "
                    "scale. What makes ours differ: [lab/manycore.md](../lab/manycore.md#figure-9-speed-up).")
    series += [(name, "paper", [tuple(point)]) for name, point in paper]
    result.picture("speedup-" + ("barriers" if names is BARRIERS else "parallel"),
                   plots.curves("Speed-up, architecture II", "cores", "cycles on one core / cycles", series, log_y=True), "Speed-up")
    result.commands(shown)


def speeds(result, data, found, shown, item, machine, names):
    result.item(item, "S-MIPS, measured, translated cores" + ("" if machine == "manycore-1" else "; architecture II") + ".")
    rows, series = [], []
    for name in names:
        now = [found.mips(name, machine, cores) for cores in CORES[1:]]
        rows.append([name, *[pages.cell(one, "{:,.0f}") for one in now]])
        series.append((name, "measured", [(cores, one) for cores, one in zip(CORES[1:], now) if one]))
    result.text(pages.table(["program", *[f"measured: {cores:,}" for cores in CORES[1:]]], rows))
    if names is PARALLEL:
        most = data["figure10_mm_4096"][machine]
        series.append(("paper: MM", "paper", [(4096, most)]))
        result.text(f"The paper's best is {most} S-MIPS, MM on 4096 cores, on a GPU of 448 CUDA cores. Ours on a GPU: "
                    "[predicted only](../lab/manycore.md#predicted-speed-on-a-gpu).")
    result.picture("mips-" + {"Figure 10a": "1", "Figure 10b": "2", "Figure 10c": "barriers"}[item],
                   plots.curves(f"Speed of the simulation, architecture {ARCHITECTURES[machine]}", "cores", "S-MIPS", series, log_y=True),
                   "Speed of the simulation")
    result.commands(shown)


SIMULATORS = {"qemu": "qemu-arm", "unicorn": "Unicorn"}
ABOUT = ("qemu-arm in user mode and Unicorn, the same translator as a library, stand in OVPSim's place: they translate, and "
         "simulate neither time nor caches nor other cores. The same ELF file, with a beginning that sets what a core of the "
         "coprocessor starts with (`bench/literature/functional.py`). ")


def every_core(result, data, found, size, item, name):
    even = data["figure11"]["even_with_ovpsim_cores"][name]
    result.item(item, ABOUT + "Every core runs all of it, so that a simulator that takes core after core has the speed of one, whatever "
                f"their number. The paper's GPU was even with OVPSim at {even} cores.")
    cores, long = [count for count in COUNTS[size] if count > 1], found.now(name, "long", 1)
    ours = [found.mips(name, "manycore-1", count) for count in cores]
    rows = [["measured: Maniple, architecture I", *[pages.cell(one, "{:,.0f}") for one in ours]]]
    series = [("Maniple", "measured", [(c, v) for c, v in zip(cores, ours) if v])]
    for which, called in SIMULATORS.items():
        one = found.now(name, which, 1)
        rate = pages.ratio(long["statistics"]["instructions"] / 1e6, one["seconds"]) if one and long else None
        rows.append([f"measured: {called}, one core", *[pages.cell(rate, "{:,.0f}")] * len(cores)])
        series.append((called, "measured", [(c, rate) for c in cores if rate]))
    result.text(pages.table(["S-MIPS", *[f"{count:,} cores" for count in cores]], rows))
    result.picture(f"functional-{name}", plots.curves(f"{name}: Maniple (architecture I) and functional simulators", "cores", "S-MIPS", series),
                   "Beside functional simulators")
    if size != "smallest":
        made = commands(size)
        result.commands(made[name, "manycore-1", cores[-1]], *[made[name, which, 1] for which in SIMULATORS])


def divided(result, data, found, size, item, name):
    facts = data["figure11"]
    result.item(item, ABOUT + "The work is divided among the cores: measured is the time of core 1, and taken that many times, which is "
                "what core after core takes; of qemu-arm with its process, of Unicorn the core with its translation alone. The paper's "
                f"GPU was even with OVPSim at {facts['even_with_ovpsim_cores'][name]} cores, and on 4096 OVPSim came to less than "
                f"{facts['ovpsim_4096_less_than']} S-MIPS and the GPU to {facts['gpu_4096']}.")
    cores = [count for count in COUNTS[size] if count > 1]
    ours = [found.mips(name, "manycore-1", count) for count in cores]
    rows = [["measured: Maniple, architecture I", *[pages.cell(one, "{:,.0f}") for one in ours]]]
    series = [("Maniple", "measured", [(c, v) for c, v in zip(cores, ours) if v])]
    for which, called in SIMULATORS.items():
        theirs = []
        for count in cores:
            one, total = found.now(name, which, count), found.count("instructions", name, "manycore-1", count)
            theirs.append(total / 1e6 / (count * one["seconds"]) if one and total and one["seconds"] else None)
        rows.append([f"computed: {called}, time of a core × cores", *[pages.cell(one, "{:,.0f}") for one in theirs]])
        series.append((called, "predicted", [(c, v) for c, v in zip(cores, theirs) if v]))
    result.text(pages.table(["S-MIPS", *[f"{count:,} cores" for count in cores]], rows))
    result.picture(f"functional-{name.lower()}", plots.curves(
        f"{name}: Maniple (architecture I) and functional simulators", "cores", "S-MIPS", series, log_y=True), "Beside functional simulators")
    if size != "smallest":
        made = commands(size)
        result.commands(made[name, "manycore-1", cores[-1]], *[made[name, which, cores[-1]] for which in SIMULATORS])
