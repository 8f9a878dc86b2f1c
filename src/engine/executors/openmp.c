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
#include <sched.h>
#include <stdlib.h>

/* ===== binding ===== */

/* Adds the processors of a place of OpenMP (OMP_PLACES) to a set. */
static void add_place(int place, cpu_set_t *set)
{
    int count = omp_get_place_num_procs(place), *processors = calloc((size_t)count + 1, sizeof *processors);
    if (!processors)
        return;
    omp_get_place_proc_ids(place, processors);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)processors[i], set);
    free(processors);
}

static bool is_binding(void)
{
    return omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
}

/* The library of OpenMP binds the first thread to one place as soon as it is loaded, where OMP_PROC_BIND is set:
 * threads of all other executors would inherit that place and share one processor. The first thread gets all places
 * back here, and is bound for as long as this executor runs. */
__attribute__((constructor)) static void unbind_first_thread(void)
{
    cpu_set_t now, first, all;
    CPU_ZERO(&first);
    CPU_ZERO(&all);
    if (!is_binding() || sched_getaffinity(0, sizeof now, &now) != 0)
        return;
    add_place(omp_get_place_num(), &first);
    for (int i = 0; i < omp_get_num_places(); i++)
        add_place(i, &all);
    if (CPU_EQUAL(&now, &first))
        sched_setaffinity(0, sizeof all, &all);
}

/* Binds the calling thread as OpenMP wants it. Returns whether `before`, its processors until now, are to be restored
 * afterwards. */
static bool bind_first_thread(cpu_set_t *before)
{
    cpu_set_t first;
    CPU_ZERO(&first);
    if (!is_binding() || omp_get_place_num() < 0 || sched_getaffinity(0, sizeof *before, before) != 0)
        return false;
    add_place(omp_get_place_num(), &first);
    return sched_setaffinity(0, sizeof first, &first) == 0;
}

/* ===== the loop ===== */

static void run(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    struct mnp_split split;
    mnp_split_init(&split, engine);
    cpu_set_t before;
    bool bound = bind_first_thread(&before);
    int threads = (int)mnp_threads_possible(options->threads), chunk = options->chunk ? (int)options->chunk : 1;
    omp_set_schedule(options->schedule == MNP_SCHEDULE_DYNAMIC ? omp_sched_dynamic : omp_sched_static, chunk);
    while (mnp_window_begin(engine)) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (uint32_t i = 0; i < split.cores; i++)
            mnp_split_run(&split, i, i + 1);
        mnp_split_run_memory(&split);
        mnp_executor_end_alone(engine);
    }
    omp_pause_resource_all(omp_pause_soft); /* ends its threads, which else wait actively if OMP_WAIT_POLICY says so */
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    mnp_split_release(&split);
}

const struct mnp_executor mnp_executor_openmp = {
    .name = "openmp",
    .summary = "an OpenMP loop over the cores every cycle (Huerta & González)",
    .run = run,
    .every_cycle = true,
};
