/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global space of architecture I: all shared memory in one unit, reached over links whose latencies add up to
 * shared.global_latency. Accesses are performed in the order of their arrival; those of one cycle in the order of their
 * tiles, so that the result does not depend on how tiles are grouped into blocks. A core has one access under way.
 */
#include "base/range.h"
#include "manycore/machine/arrive.h"
#include "manycore/machine/polls.h"

/* Takes the accesses that arrive now. */
static void take_arrived(struct manycore_global *global, mnp_time now)
{
    struct mnp_inbox *inbox = &global->unit->inbox;
    uint32_t link;
    for (const void *payload; (payload = mnp_inbox_peek(inbox, now, &link)) != NULL; mnp_inbox_take(inbox))
        manycore_global_arrive(global, payload);
}

static void serve(struct manycore_global *global, uint32_t tile, uint64_t cycle)
{
    struct manycore_packet *packet = &global->arrived[tile];
    mnp_time now = global->unit->clock.time;
    if (manycore_polls_keep(global, tile, cycle))
        return;
    if (manycore_bank_serve(&global->bank, global->machine->shared.base, packet)) {
        global->unit->progress = now;
        manycore_polls_change(global, packet->request.address, tile, cycle);
    }
    struct manycore_packet *reply = mnp_link_send(global->out[global->block_of[packet->to]], now);
    *reply = *packet;
}

/* Performs the accesses of a cycle; one that changes a word may let others of the same cycle arrive, behind it. */
static void visit(struct manycore_global *global, uint64_t cycle)
{
    struct mnp_unit *unit = global->unit;
    mnp_visit(unit, cycle);
    mnp_cursor_move(&unit->clock, cycle);
    global->words_first = UINT32_MAX;
    global->words_end = 0;
    manycore_polls_arrive(global, cycle);
    take_arrived(global, unit->clock.time);
    for (uint32_t word = global->words_first; word < global->words_end; word++)
        while (global->asking[word]) {
            uint32_t bit = (uint32_t)__builtin_ctzll(global->asking[word]);
            global->asking[word] &= global->asking[word] - 1;
            serve(global, word * 64 + bit, cycle);
        }
}

mnp_time manycore_global_advance(struct mnp_unit *unit, mnp_time until)
{
    struct manycore_global *global = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until), next = UINT64_MAX;
    for (;;) {
        next = manycore_polls_next(global->polls, unit->visited);
        if (unit->inbox.next != MNP_NEVER)
            next = mnp_min(next, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
        if (next >= end)
            break;
        visit(global, next);
    }
    mnp_pass(unit, end);
    next = manycore_polls_next(global->polls, end);
    return next == UINT64_MAX ? MNP_NEVER : mnp_max(mnp_cursor_edge(&unit->clock, next), until);
}
