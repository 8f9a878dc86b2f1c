/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relaxed synchronisation of Raghav et al. (TPDS 2015, section 6.3; docs/executors.md): units run freely until one of
 * them is about to affect others. They then catch up to the earliest such time, and continue in lock step, with one
 * synchronisation per cycle, until no interaction is pending. The original ran on a device, with a kernel launch
 * between two synchronisations; here, host threads synchronise by semaphores. The machine provides the phases (struct
 * mnp_free_hook). Each phase counts as a window. Results equal those of every other executor.
 */
#include "engine/core/engine.h"
#include "engine/executors/crew.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"

struct relaxed {
    struct mnp_engine *engine;
    struct mnp_split split;
    uint32_t threads; /* written before the first cycle begins */
    bool runs_freely; /* the current synchronisation belongs to a phase, not to a window */
};

static void run_share(void *context, uint32_t worker)
{
    const struct relaxed *relaxed = context;
    const struct mnp_free_hook *free = &relaxed->engine->free;
    if (relaxed->runs_freely)
        free->run(free->context, worker, relaxed->threads);
    else
        mnp_split_run_chunk(&relaxed->split, worker, relaxed->threads);
}

static void run_together(struct relaxed *relaxed, struct mnp_crew *crew, bool freely)
{
    relaxed->runs_freely = freely;
    mnp_crew_begin_cycle(crew);
    run_share(relaxed, 0);
    mnp_crew_end_cycle(crew);
}

static void run(struct mnp_engine *engine)
{
    struct relaxed relaxed = {.engine = engine};
    MNP_REQUIRE(engine->free.next, "executor s-events without phases");
    mnp_split_init(&relaxed.split, engine);
    struct mnp_crew *crew = mnp_crew_start(engine->options.threads, run_share, &relaxed);
    relaxed.threads = mnp_crew_size(crew);
    for (;;) {
        for (; engine->free.next(engine->free.context); engine->windows++)
            run_together(&relaxed, crew, true);
        if (!mnp_window_begin(engine))
            break;
        run_together(&relaxed, crew, false);
        mnp_split_run_memory(&relaxed.split);
        mnp_executor_end_alone(engine);
    }
    mnp_crew_stop(crew);
    mnp_split_release(&relaxed.split);
}

const struct mnp_executor mnp_executor_s_events = {
    .name = "s-events",
    .summary =
        "many-core machines: cores run freely between accesses to shared memory, then in lock step (Raghav et al.)",
    .run = run,
    .every_cycle = true,
    .free = true,
};
