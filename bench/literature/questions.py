# SPDX-License-Identifier: BSD-3-Clause
"""Questions that the literature leaves open, each with a measurement or the test that answers it."""
import pages
import runs
import wang_gao

NAME = "questions"
DATA = {"title": "Questions that the literature leaves open", "items": [],
        "source": "Huerta & González make the SMs of a simulator parallel and leave the rest to one thread. What a reader asks next"}
IDLE = "myocyte --cells 64 --steps 60"  # two thread blocks
COUNTS = (20, 40, 80)


def idle(count, *options):
    return runs.app(IDLE, "rtx3080ti", "--set", f"sm.count={count}", "--executor", "serial", *options)


def plan(size):
    return [] if size == "smallest" else [idle(count, *options) for count in COUNTS for options in ((), ("--no-skip",))]


def page(find, size, folder):
    result = pages.Page(NAME, DATA, folder, size)
    pages.opening(result, [find(command) for command in plan(size)] or [None])
    memory_side(result, find, size)
    result.lines += ["## Can idle SMs cost nothing?", ""]
    result.text("A workload of two thread blocks, on machines of more and more SMs, of which two have anything to do: CPU seconds of "
                "one thread. With `--no-skip` every unit visits every cycle, as the simulators of the literature do; the bytes are "
                "the same. Maniple calls no unit that has nothing to do; what still grows is building and hashing the machine.")
    rows = []
    for options, name in (((), "`serial`"), (("--no-skip",), "`serial --no-skip`")):
        found = [find(idle(count, *options)) for count in COUNTS]
        rows.append([name, *[pages.cell(one["cpu_seconds"], "{:.3f}") if one and "failed" not in one else "–" for one in found]])
    result.text(pages.table(["executor", *[f"measured: {count} SMs" for count in COUNTS]], rows))
    result.commands(idle(COUNTS[-1]), idle(COUNTS[-1], "--no-skip"))
    result.text("Issue slots of the cycles passed over are credited in bulk, to the class that a visit would have given "
                "(`tests/gpu/identity_test.c` compares with every cycle visited).")
    result.lines += ["## What does the placement of threads on NUMA hosts change?", ""]
    result.text("Not measured: no host with two nodes was at hand. `bench/literature/numa.py build` measures it on one: `window` and `pool` on half "
                "of a node, a node, as many processors of two nodes, and two nodes, by `--cpus`, and whether the results are the same; on a host "
                "of one node it compares what that has. What is there: threads are bound to cores that share a cache and a "
                "node, every unit has a home, its state is moved there, and lists made by cost keep to it; `tests/cli/placement.sh` "
                "and `tests/engine/placement_test.c` test that on one node and on made-up topologies, and that no byte follows from "
                "it ([executors.md](../executors.md#which-thread-runs-where)). Sachs et al. measured on two nodes what comes of a "
                "program that knows nothing of them: their speed-up falls beyond the 16 threads of one node "
                "([figure 3](sachs.md#figure-3-speed-up-over-threads)).")
    result.lines += ["## Does the scheme carry over to other chips?", ""]
    result.text("The engine knows units, links and windows, and nothing of GPUs. The [many-core coprocessor](../manycore.md) runs on it, "
                "with windows that end at the earliest possible access to shared memory; so do the toy machines of "
                "`tests/engine/toy` and a machine kind that is a ring of tiles, written for `tests/kinds/ring.sh` without a change "
                "of engine, results or command ([how](../extending.md#a-machine-kind)). An NPU with links of one cycle or more "
                "between its parts would be one more. What a chip must have is latency: the shorter its shortest link, the shorter "
                "the windows.")
    return result


def memory_side(result, find, size):
    result.lines += ["## Can the memory partitions and the interconnect run in parallel, too, without losing determinism?", ""]
    result.text("Yes: `window` runs every unit in parallel, GPCs and partitions as well as SMs. What it brings is the difference "
                "between these rows, means over the nine workloads of [Wang & Gao's tables](wang-gao.md), predicted, over `serial "
                "--window 1`: with the memory side behind the cores on one thread (`openmp`), beside them on one thread "
                "(`domains`), and everywhere (`window`).")
    found = {name: runs.checked({what: find(command) for what, command in wang_gao.commands(name, size).items()}) for name in wang_gao.workloads(size)}
    rows = []
    for executor in ("openmp", "domains", "window"):
        cells = [f"`{executor}`"]
        for threads in (2, 4, 8, 16):
            cells.append(pages.cell(pages.mean([pages.ratio(
                runs.sequential(each["cycles"]), runs.predicted_window(each["safe"], threads) if executor == "window" else
                runs.predicted(each["cycles"], executor, threads)) for each in found.values()])))
        rows.append(cells)
    result.text(pages.table(["executor", *[f"predicted: {threads} threads" for threads in (2, 4, 8, 16)]], rows))
    shares = [each["cycles"]["shares"] for each in found.values() if each["cycles"] and "failed" not in each["cycles"]]
    if shares:
        memory = [one.get("gpc", 0) + one.get("partition", 0) for one in shares]
        result.text(f"The memory side takes {100 * min(memory):.0f} to {100 * max(memory):.0f} % of the time of one thread in these "
                    "workloads, in windows of one cycle, so that no number of threads for the cores alone gets further than its "
                    "inverse.")
    result.text("Determinism: `tests/gpu/identity_test.c`, `tests/cli/identity.sh` and the column *all statistics and hash* of "
                "[tables III and VI](wang-gao.md#table-iii-deviation-of-gpusim-para1-from-its-sequential-run).")
