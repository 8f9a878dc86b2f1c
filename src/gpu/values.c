/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses that an L2 slice performs, of a machine that executes (DESIGN §3): atomics, reductions, strong loads and
 * stores, and what an SM sends behind them to the same sectors. Their values come ahead of the requests, by links of
 * their own, and wait here. A request is performed when it is looked up, so in the order in which the slice received
 * it; what is read goes back ahead of the reply. The slices of a partition have disjoint addresses and share an
 * overlay.
 */
#include "gpu/partition_state.h"

#include <stdlib.h>
#include <string.h>

size_t gpu_values_bytes(const struct gpu_partition_config *config)
{
    if (!config->values)
        return 0;
    return config->values * (sizeof(struct gpu_values) + sizeof(uint32_t)) + sizeof(struct mnp_pool) +
           GPU_VALUE_CHAINS * sizeof(struct mnp_chain) + (size_t)4 * MNP_CACHE_LINE;
}

void gpu_values_init(struct gpu_partition *partition)
{
    struct mnp_arena *arena = &partition->unit->state;
    struct gpu_partition_live *live = partition->live = mnp_allocate(1, sizeof *live);
    live->capacity = partition->config.values;
    live->atomic = partition->config.atomic;
    live->results = mnp_allocate(partition->config.gpcs, sizeof(struct mnp_link *));
    live->pool = mnp_arena_take(arena, 1, sizeof *live->pool);
    live->values = mnp_arena_take(arena, live->capacity, sizeof *live->values);
    live->next = mnp_arena_take(arena, live->capacity, sizeof *live->next);
    live->chains = mnp_arena_take(arena, GPU_VALUE_CHAINS, sizeof *live->chains);
    mnp_pool_init(live->pool, live->next, live->capacity);
    for (uint32_t i = 0; i < GPU_VALUE_CHAINS; i++)
        live->chains[i] = MNP_EMPTY_CHAIN;
}

void gpu_values_release(struct gpu_partition *partition)
{
    if (partition->live)
        free(partition->live->results);
    free(partition->live);
}

void gpu_partition_give_overlay(struct gpu_partition *partition, struct mnp_overlay *overlay)
{
    partition->live->overlay = overlay;
}

void gpu_partition_attach_values(struct gpu_partition *partition, uint32_t gpc, struct mnp_link *values,
                                 struct mnp_link *results)
{
    MNP_REQUIRE(values->in_index <= 3 * partition->config.gpcs, "%s has a wrong link", partition->unit->name);
    partition->role[values->in_index] = GPU_VALUES_IN;
    partition->live->results[gpc] = results;
}

static struct mnp_chain *chain_of(struct gpu_partition_live *live, uint32_t sm, uint32_t ticket)
{
    return &live->chains[(sm * 31 + ticket) % GPU_VALUE_CHAINS];
}

void gpu_values_take(struct gpu_partition *partition, const struct gpu_values *values)
{
    struct gpu_partition_live *live = partition->live;
    uint32_t index = mnp_pool_take(live->pool, live->next);
    live->values[index] = *values;
    mnp_chain_append(chain_of(live, values->sm, values->ticket), live->next, index);
}

/* Performs the pieces in their order, which is that of the lanes. Returns whether that changes memory; a store always
 * counts. */
static bool perform_pieces(struct gpu_partition *partition, struct gpu_values *values)
{
    struct gpu_partition_live *live = partition->live;
    bool good = true, changed = values->kind == MNP_LIVE_STORE;
    for (uint32_t i = 0; i < values->count; i++) {
        uint64_t address = values->line + values->offset[i], old = 0, made = values->value[i];
        if (values->kind != MNP_LIVE_STORE)
            mnp_overlay_read(live->overlay, address, values->bytes, &old);
        if (values->kind == MNP_LIVE_ATOMIC || values->kind == MNP_LIVE_REDUCTION)
            made = live->atomic(values->operation, values->type, old, values->value[i], values->swap[i]);
        if (values->kind != MNP_LIVE_LOAD)
            good = good && mnp_overlay_write(live->overlay, address, values->bytes, &made);
        changed |= values->kind != MNP_LIVE_LOAD && memcmp(&made, &old, values->bytes) != 0;
        values->value[i] = old;
    }
    if (!good) {
        struct mnp_error error = mnp_overlay_full(live->overlay);
        mnp_unit_fault(partition->unit, partition->l2_time, &error);
    }
    return changed;
}

/* Takes an entry out of its chain; `before`: the one in front of it. Returns the one behind it. */
static uint32_t take_out(struct gpu_partition_live *live, struct mnp_chain *chain, uint32_t before, uint32_t index)
{
    uint32_t after = live->next[index];
    if (before == MNP_NO_ENTRY)
        chain->first = after;
    else
        live->next[before] = after;
    if (chain->last == index)
        chain->last = before;
    mnp_pool_give(live->pool, live->next, index);
    return after;
}

bool gpu_values_perform(struct gpu_partition *partition, const struct gpu_transaction *transaction)
{
    struct gpu_partition_live *live = partition->live;
    struct mnp_chain *chain = chain_of(live, transaction->sm, transaction->ticket);
    uint32_t before = MNP_NO_ENTRY, index = chain->first;
    bool changed = false;
    while (index != MNP_NO_ENTRY) {
        struct gpu_values *values = &live->values[index];
        if (values->sm != transaction->sm || values->ticket != transaction->ticket ||
            values->line != transaction->line) {
            before = index;
            index = live->next[index];
            continue;
        }
        changed |= perform_pieces(partition, values);
        if (values->kind == MNP_LIVE_LOAD || values->kind == MNP_LIVE_ATOMIC)
            *(struct gpu_values *)mnp_link_send(live->results[transaction->gpc], partition->l2_time) = *values;
        index = take_out(live, chain, before, index);
    }
    return changed;
}
