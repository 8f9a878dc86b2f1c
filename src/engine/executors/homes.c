/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/homes.h"

#include "engine/core/engine.h"
#include "engine/executors/placement.h"
#include "engine/executors/team.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>

/* Number of units of a model, from `first` on, that this process owns. */
static uint32_t count_of_model(const struct mnp_engine *engine, uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < engine->unit_count && engine->units[i]->model == engine->units[first]->model; i++)
        count += mnp_engine_owns(engine, i);
    return count;
}

void mnp_homes_divide(struct mnp_homes *homes, const struct mnp_engine *engine, const uint32_t *nodes, uint32_t workers)
{
    homes->several = true;
    homes->unit = mnp_allocate(engine->unit_count, sizeof *homes->unit);
    homes->worker = mnp_allocate(workers, sizeof *homes->worker);
    for (uint32_t w = 0; w < workers; w++)
        homes->worker[w] = nodes[w];
    uint32_t place = 0, count = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        if (i == 0 || engine->units[i]->model != engine->units[i - 1]->model) { /* units of a model are consecutive */
            place = 0;
            count = count_of_model(engine, i);
        }
        if (mnp_engine_owns(engine, i))
            homes->unit[i] = nodes[(uint64_t)place++ * workers / count];
    }
}

void mnp_homes_init(struct mnp_homes *homes, struct mnp_engine *engine, const struct mnp_team *team, uint32_t workers)
{
    const struct mnp_placed *placed = mnp_team_placed(team);
    *homes = (struct mnp_homes){.several = false};
    if (placed->binding != MNP_BINDING_BOUND || placed->nodes < 2)
        return;
    uint32_t nodes[MNP_MAX_THREADS];
    for (uint32_t w = 0; w < workers; w++)
        nodes[w] = mnp_team_node(team, w % mnp_team_size(team));
    mnp_homes_divide(homes, engine, nodes, workers);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        struct mnp_arena *state = &engine->units[i]->state;
        if (mnp_engine_owns(engine, i) && mnp_placement_move(state->base, state->capacity, homes->unit[i]))
            engine->placed.moved_bytes += state->used;
    }
}

void mnp_homes_release(struct mnp_homes *homes)
{
    free(homes->unit);
    free(homes->worker);
    *homes = (struct mnp_homes){.several = false};
}
