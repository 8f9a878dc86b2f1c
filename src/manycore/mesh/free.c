/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/mesh/free.h"

enum { SLICE = 64 /* cycles that a core runs freely between two looks at the flag */ };

MNP_DEVICE static void raise_flag(struct manycore_free *all, uint64_t cycle)
{
#ifdef __CUDACC__
    atomicMin((unsigned long long *)&all->flag, (unsigned long long)cycle);
#else
    uint64_t known = __atomic_load_n(&all->flag, __ATOMIC_RELAXED);
    while (cycle < known &&
           !__atomic_compare_exchange_n(&all->flag, &known, cycle, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
#endif
}

MNP_DEVICE static bool is_flagged(const struct manycore_free *all)
{
    return *(const volatile uint64_t *)&all->flag != UINT64_MAX;
}

/* Runs an unfinished core to a cycle, and notes what it stops at. Long work of its own is no livelock. */
MNP_DEVICE static void run_to(struct manycore_block *block, uint32_t place, uint64_t to)
{
    struct manycore_core *core = &block->tile[place].core;
    struct manycore_place *own = &block->place[place];
    manycore_core_run(core, own, to < own->until ? to : own->until);
    if (core->clock - own->from > MANYCORE_LONG && core->clock > block->due)
        block->due = core->clock;
    if (core->pause == MANYCORE_RUNNING && core->clock < own->until)
        return;
    own->until = 0;
    block->unfinished--;
    block->calling += core->pause == MANYCORE_SERVICE;
    if (core->pause != MANYCORE_ACCESS)
        return;
    block->pending++;
    raise_flag(block->free, core->clock);
}

MNP_APART void manycore_free_start(struct manycore_block *block, uint32_t place, uint64_t until)
{
    struct manycore_place *own = &block->place[place];
    own->from = block->tile[place].core.clock;
    own->until = until;
    block->unfinished++;
    manycore_free_step(block, place);
}

MNP_APART void manycore_free_step(struct manycore_block *block, uint32_t place)
{
    run_to(block, place, block->state->cycle + 1);
    manycore_event_add(block, place, block->tile[place].core.clock);
}

/* The heap anew, after clocks of cores in it have gone on. */
MNP_DEVICE static void order_events(struct manycore_block *block)
{
    uint32_t count = block->heap_count;
    block->heap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = (uint32_t)(block->heap[i] & 0xFFFF);
        manycore_event_add(block, place, block->tile[place].core.clock);
    }
}

/* Runs each unfinished core of a block a little way. Result: whether any could go on. */
MNP_DEVICE static bool go_round(struct manycore_block *block, uint64_t bound)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < block->heap_count; i++) {
        uint32_t place = (uint32_t)(block->heap[i] & 0xFFFF);
        uint64_t clock = block->tile[place].core.clock;
        if (!manycore_free_is_unfinished(block, place) || clock >= bound)
            continue;
        if (bound == UINT64_MAX && is_flagged(block->free))
            return false;
        run_to(block, place, bound == UINT64_MAX ? clock + SLICE : bound);
        goes_on |= manycore_free_is_unfinished(block, place) && block->tile[place].core.clock < bound;
    }
    return goes_on;
}

MNP_APART void manycore_free_phase(struct manycore_block *block)
{
    if (!block->unfinished)
        return;
    while (go_round(block, block->free->bound))
        ;
    order_events(block);
}

MNP_APART void manycore_free_settle(struct manycore_block *block)
{
    if (!block->free || !block->unfinished)
        return;
    for (uint32_t i = 0; i < block->heap_count; i++) {
        uint32_t place = (uint32_t)(block->heap[i] & 0xFFFF);
        if (manycore_free_is_unfinished(block, place))
            run_to(block, place, UINT64_MAX);
    }
    order_events(block);
}
