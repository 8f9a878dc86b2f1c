/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/split.h"

#include "engine/core/engine.h"

#include <stdlib.h>

void mnp_split_init(struct mnp_split *split, struct mnp_engine *engine)
{
    *split = (struct mnp_split){.engine = engine};
    split->units = mnp_allocate(engine->unit_count, sizeof *split->units);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->model->domain == MNP_DOMAIN_CORE)
            split->units[split->count++] = i;
    split->cores = split->count;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->model->domain != MNP_DOMAIN_CORE)
            split->units[split->count++] = i;
}

void mnp_split_release(struct mnp_split *split)
{
    free(split->units);
}

void mnp_split_run(const struct mnp_split *split, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (mnp_window_concerns(split->engine, split->units[i]))
            mnp_window_run_unit(split->engine, split->units[i]);
}

void mnp_split_run_chunk(const struct mnp_split *split, uint32_t chunk, uint32_t chunks)
{
    uint32_t first = (uint32_t)((uint64_t)split->cores * chunk / chunks);
    uint32_t end = (uint32_t)((uint64_t)split->cores * (chunk + 1) / chunks);
    mnp_split_run(split, first, end);
}

void mnp_split_run_memory(const struct mnp_split *split)
{
    mnp_split_run(split, split->cores, split->count);
}
