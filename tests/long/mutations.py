#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms of Hopper and Blackwell, broken one at a time in a copy of the sources: a test must fail each time, and pass before.
The copy is build-long/mutations. Usage: mutations.py [NAME…], from the project's folder"""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COPY = ROOT / "build-long" / "mutations"
TESTS = "tests/frontend/ptx"  # a test that names no folder lies here
LIMIT = 300  # seconds of a test; one that hangs has failed

# Name, what is broken, file, the words that are there once, those in their place, and the tests that may tell.
MUTATIONS = [
    ("data-before-flag", "an mbarrier is told of a copy before its last bytes have come",
     "src/gpu/sm/tma/tma.c", "if (!c->generated || c->outstanding)", "if (!c->generated)", ["ptx_async_test"]),
    ("operands", "a product reads A from shared memory for nothing",
     "src/gpu/sm/wgmma/wgmma.c", "(product.registers ? 0 : 16)", "0", ["ptx_async_test"]),
    ("cluster-barrier", "the cluster's barrier waits for nobody else",
     "src/gpu/sm/cluster.c", "if (!cluster->come[rank] && !(cluster->left >> rank & 1))\\n            return false;",
     "if (rank > cluster->size)\\n            return false;", ["ptx_dsm_test", "ptx_cluster_timed_test"]),
    ("grid-wait", "griddepcontrol.wait waits for no grid",
     "src/gpu/dispatch/dispatch.c", "launch->before = k->before;", "launch->before = 0;", ["ptx_dependent_test"]),
    ("registers", "setmaxnreg.inc takes what is not there",
     "src/execute/live/core.c", "count - core->registers > core->pool", "count > 256", ["ptx_registers_test"]),
    ("sums", "sums of tcgen05.mma are in tensor memory before their time",
     "src/gpu/sm/tcgen05/tcgen05.c", "return end + sm->parameters->tcgen05_finish;",
     "return end - end + cycle;", ["ptx_tcgen05_time_test"]),
    ("columns", "tensor memory that another block has is allocated again",
     "src/execute/cta/tmem.c", "taken |= tmem->owner[first + i] || beside->owner[first + i];",
     "taken |= tmem->owner[first + i] == cta || beside->owner[first + i] == cta;",
     ["ptx_tcgen05_time_test"]),
    ("pair", "the block that issues a pair's product does not wait for the other",
     "src/gpu/sm/tcgen05/tcgen05.c", "c->at = MNP_NEVER;", "c->at = end;",
     ["ptx_tcgen05_time_test", "ptx_tcgen05_ways_timed_test"]),
    ("teller", "a multicast of pairs tells each block of its own box",
     "src/execute/copy/tensor_copy.c", "return bulk->signals ? (rank & ~1u) + (bulk->signals - 1u) : rank;",
     "return bulk->signals ? rank : rank;",
     ["ptx_tcgen05_ways_test", "ptx_tcgen05_ways_timed_test"]),
    ("slices", "slices of an interleaved tensor are a row apart",
     "src/execute/copy/tensor_box.c", "slice * map->dimensions[map->rank - 2] * map->strides[map->rank - 2]",
     "slice * map->strides[map->rank - 2]", ["ptx_tensor_test"]),
    ("down", "the last row of A stays with .ashift",
     "src/execute/matrix/tcgen05_numbers.c", "(rows - 1) * sizeof *numbers->a", "(rows - 2) * sizeof *numbers->a",
     ["ptx_tcgen05_ways_test"]),
    ("out", "lines leave the TMA one a cycle",
     "src/gpu/sm/tma/tma.c", "(out ? (sectors * SECTOR + width - 1) / width : 1)", "(sectors > width ? 0 : 1)",
     ["ptx_async_test"]),
    ("decode", "a tensor map is ready when it comes from the L2",
     "src/gpu/sm/tma/tma.c", "latency_of(sm, c) + sm->parameters->tma_decode;", "latency_of(sm, c);",
     ["ptx_async_test"]),
    ("question", "an mbarrier's answer is there as soon as any special operation's",
     "src/gpu/sm/issue.c", "result = sm->parameters->phase_latency << SM_PIPE_BITS;", "(void)0;", ["ptx_async_test"]),
    ("fence", "the L1 keeps what it has behind a fence for the GPU",
     "src/gpu/sm/live.c", "if (instruction->fence & MNP_FENCE_FORGETS)", "if (0)", ["ptx_fence_test"]),
    ("acquire", "the L1 keeps what it has behind an acquire for the GPU",
     "src/gpu/sm/live.c", "if (access->forgets)", "if (0)", ["ptx_fence_test"]),
    ("phase", "who waits for an mbarrier is not woken when its phase ends",
     "src/gpu/sm/warp_wait.c", "sm->live->warps[warp].wait.address + 1 == flipped", "0", ["ptx_async_test"]),
]


# The same for promises that the engine and the units check themselves: name, what is broken, file, words, those in their place,
# the test, and what it must print.
CHECKED = [
    ("slice-again", "a slice is left with a reply that can leave in the present cycle",
     "src/gpu/partition/slice.c", "    while (next <= cycle);", "    while (0);", "tests/gpu/gpu_memory_test", "visits cycle"),
    ("gpc-again", "a GPC goes back to a cycle for requests that have become visible",
     "src/gpu/gpc/gpc.c", "any(gpc->fresh, gpc->sm_words) ? cycle + 1 : next", "any(gpc->fresh, gpc->sm_words) ? cycle : next",
     "tests/gpu/gpu_memory_test", "visits cycle"),
    ("dram-again", "a DRAM channel goes back to a cycle that it has stepped",
     "src/gpu/partition/partition.c", "mnp_dram_next(&partition->dram);\n        if (dram",
     "mnp_dram_next(&partition->dram) - (partition->dram_visited > 9);\n        if (dram",
     "tests/gpu/gpu_memory_test", "visits cycle"),
    ("clocks-mixed", "a partition steps its channel before an earlier cycle of its L2",
     "src/gpu/partition/partition.c", "if (dram >= limit)", "if (dram >= limit + 4)",
     "tests/gpu/gpu_memory_test", "after a later cycle of its channel"),
    ("sm-again", "an SM stays in a cycle", "src/gpu/sm/sm.c", "        cycle++;\n", "\n", "tests/gpu/identity_test", "visits cycle"),
    ("dispatch-again", "the dispatcher stays in a cycle in which a kernel starts",
     "src/gpu/dispatch/dispatch.c", "unit->no_skip || next <= cycle ? cycle + 1 : next", "unit->no_skip ? cycle + 1 : cycle",
     "tests/gpu/identity_test", "visits cycle"),
    ("block-again", "a block of tiles stays in a cycle",
     "src/manycore/machine/block.c", "state->cycle = next + 1;", "state->cycle = next;", "tests/manycore/manycore_machine_test",
     "visits cycle"),
    ("core-late", "a block of tiles goes past a cycle in which a core acts",
     "src/manycore/machine/block.c", "mnp_min(manycore_event_first(block), block->spins_until)",
     "mnp_min(manycore_event_first(block) + 1, block->spins_until)", "tests/manycore/manycore_machine_test", "was due in cycle"),
    ("horizon", "a partition gives a horizon that lies behind its next step",
     "src/gpu/partition/partition.c", "mnp_cursor_edge(&unit->clock, partition->l2_next)",
     "mnp_cursor_edge(&unit->clock, partition->l2_next + 2)", "tests/gpu/gpu_memory_test", "before its horizon"),
    ("sm-horizon", "an SM gives a horizon that lies behind its next visit",
     "src/gpu/sm/sm.c", "next > end ? next : end);", "(next > end ? next : end) + 1);", "tests/gpu/identity_test", "before its horizon"),
]


def run(command, limit=None):
    try:
        return subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired as over:
        return subprocess.CompletedProcess(command, 124, over.stdout or "", "")


def copy_sources():
    """The files of the project as they are, where they have changed: what is built of the others is used again."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE,
                            text=True, check=True).stdout.split("\n")
    for name in filter(None, listed):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def build(tests):
    done = run(["ninja", "-C", "build"] + [place(test) for test in tests])
    return done.returncode == 0, done.stdout[-2000:]


def place(test):
    return test if "/" in test else f"{TESTS}/{test}"


def passes(test):
    return run([f"build/{place(test)}"], LIMIT).returncode == 0


def says(test, words):
    done = run([f"build/{place(test)}"], LIMIT)
    return done.returncode != 0 and "maniple: bug" in done.stdout and words in done.stdout


def break_one(mutation):
    """Whether a test fails with the mutation, and says so; else why not."""
    _, _, name, old, new, tests, words = mutation
    old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
    text = (COPY / name).read_text(encoding="utf-8")
    if text.count(old) != 1:
        return f"{name} has these words {text.count(old)} times: {old}"
    (COPY / name).write_text(text.replace(old, new), encoding="utf-8")
    try:
        good, log = build(tests)
        if not good:
            return log
        if words:
            return "" if all(says(test, words) for test in tests) else f"none of these tests says \"{words}\": " + " ".join(tests)
        return "" if not all(passes(test) for test in tests) else "all tests pass: " + " ".join(tests)
    finally:
        (COPY / name).write_text(text, encoding="utf-8")


def main():
    wanted = sys.argv[1:]
    every = [(*each, "") for each in MUTATIONS] + [(*each[:5], [each[5]], each[6]) for each in CHECKED]
    chosen = [each for each in every if not wanted or each[0] in wanted]
    tests = sorted({test for each in chosen for test in each[5]})
    COPY.mkdir(parents=True, exist_ok=True)
    copy_sources()
    if not (COPY / "build").is_dir():
        environment = dict(os.environ)
        if shutil.which("ccache") and "CC" not in environment:
            environment["CC"] = "ccache gcc"
        subprocess.run(["meson", "setup", "build"], cwd=COPY, env=environment, stdout=subprocess.DEVNULL, check=True)
    good, log = build(tests)
    good = good and all(passes(test) for test in tests)
    print("ok 1 - all tests pass as it is" if good else f"not ok 1 - all tests pass as it is\n# {log}", flush=True)
    failed = not good
    for number, mutation in enumerate(chosen, 2):
        why = break_one(mutation)
        failed |= bool(why)
        print(f"{'not ' if why else ''}ok {number} - {mutation[0]}: {mutation[1]}", flush=True)
        for line in why.splitlines():
            print("#", line)
    print(f"1..{len(chosen) + 1}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
