/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of Huerta & González (2025; docs/executors.md): an OpenMP `parallel for` over the cores in every core cycle,
 * with a static or a dynamic schedule of one core at a time; one thread simulates the rest.
 *
 * In this implementation, a cycle is a window of one core cycle, and the loop runs over the units of the core domain,
 * option `chunk` of them at a time. Schedule `cost`, which OpenMP lacks, is treated as static. Like the original, it
 * does not deviate from the serial run.
 */
#include "base/threads.h"
#include "engine/core/engine.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"

#include <omp.h>

static void run(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    struct mnp_split split;
    mnp_split_init(&split, engine);
    int threads = (int)mnp_threads_possible(options->threads), chunk = options->chunk ? (int)options->chunk : 1;
    omp_set_schedule(options->schedule == MNP_SCHEDULE_DYNAMIC ? omp_sched_dynamic : omp_sched_static, chunk);
    while (mnp_window_begin(engine)) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (uint32_t i = 0; i < split.cores; i++)
            mnp_split_run(&split, i, i + 1);
        mnp_split_run_memory(&split);
        mnp_executor_end_alone(engine);
    }
    mnp_split_release(&split);
}

const struct mnp_executor mnp_executor_openmp = {
    .name = "openmp",
    .summary = "an OpenMP loop over the cores every cycle (Huerta & González)",
    .run = run,
    .every_cycle = true,
};
