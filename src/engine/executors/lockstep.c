/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first scheme of Wang & Gao (2020; docs/executors.md): a leader and its workers simulate the clusters of each core
 * cycle in parallel and meet on semaphores at its end; the leader alone then simulates network, L2 and DRAM.
 * Here: a cycle is a window of one core cycle, the clusters are the units of the core domain in even chunks, or as
 * --assign gives them to threads (theirs were assigned by hand), and cycles in which no unit has anything to do are
 * skipped. Theirs deviated by up to 0.22 %; ours not at all, because packets, not shared variables, join the units.
 */
#include "engine/core/engine.h"
#include "engine/executors/crew.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"

struct lockstep {
    struct mnp_split split;
    uint32_t threads; /* written before the first cycle begins */
};

static void run_share(void *context, uint32_t worker)
{
    const struct lockstep *lockstep = context;
    mnp_split_run_chunk(&lockstep->split, worker, lockstep->threads);
}

static void run(struct mnp_engine *engine)
{
    struct lockstep lockstep;
    mnp_split_init(&lockstep.split, engine);
    struct mnp_crew *crew = mnp_crew_start(engine->options.threads, run_share, &lockstep);
    lockstep.threads = mnp_crew_size(crew);
    while (mnp_window_begin(engine)) {
        mnp_crew_begin_cycle(crew);
        run_share(&lockstep, 0);
        mnp_crew_end_cycle(crew);
        mnp_split_run_memory(&lockstep.split);
        mnp_executor_end_alone(engine);
    }
    mnp_crew_stop(crew);
    mnp_split_release(&lockstep.split);
}

const struct mnp_executor mnp_executor_lockstep = {
    .name = "lockstep",
    .summary = "leader and workers meet on semaphores every cycle (Wang & Gao 2020)",
    .run = run,
    .every_cycle = true,
    .assigns = true,
};
