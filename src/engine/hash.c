/* SPDX-License-Identifier: BSD-3-Clause */
/* The state hash: over logical state only, so that it is the same for every executor, window and schedule. */
#include "base/error.h"
#include "engine/engine.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/* Whether anything has happened to a unit: it has made progress, or a packet has come or gone. */
static bool has_acted(const struct mnp_unit *unit)
{
    if (unit->progress)
        return true;
    for (uint32_t i = 0; i < unit->inbox.count; i++)
        if (atomic_load_explicit(&unit->inbox.links[i]->consumed, memory_order_relaxed))
            return true;
    for (uint32_t i = 0; i < unit->out_count; i++)
        if (unit->out[i]->tail)
            return true;
    return false;
}

uint64_t mnp_unit_hash(const struct mnp_unit *unit)
{
    /* The state of a unit that has never acted is that of the fresh machine. Not reading it keeps the pages of large
     * machines' idle parts unbacked. */
    if (!has_acted(unit))
        return XXH3_64bits_withSeed(unit->counters, (size_t)unit->slots * unit->counter_width * sizeof(uint64_t),
                                    unit->id);
    return XXH3_64bits_withSeed(unit->state.base, unit->state.used, unit->id);
}

/* Arrival times and payloads of the packets in flight, oldest first. */
static void hash_link(XXH3_state_t *state, const struct mnp_link *link)
{
    uint64_t head = atomic_load_explicit(&link->consumed, memory_order_relaxed);
    if (head == link->tail)
        return;
    uint64_t heading[2] = {link->id, link->tail - head};
    XXH3_64bits_update(state, heading, sizeof heading);
    for (; head != link->tail; head++)
        XXH3_64bits_update(state, link->ring + (head & link->mask) * link->stride, link->stride);
}

uint64_t mnp_engine_hash(const struct mnp_engine *engine)
{
    XXH3_state_t *state = XXH3_createState();
    MNP_REQUIRE(state != NULL, "no memory for a hash");
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, &engine->now, sizeof engine->now);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        uint64_t hash = mnp_unit_hash(engine->units[i]);
        XXH3_64bits_update(state, &hash, sizeof hash);
    }
    for (uint32_t i = 0; i < engine->link_count; i++)
        hash_link(state, engine->links[i]);
    if (engine->hook.hash) {
        uint64_t hash = engine->hook.hash(engine->hook.context);
        XXH3_64bits_update(state, &hash, sizeof hash);
    }
    uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}
