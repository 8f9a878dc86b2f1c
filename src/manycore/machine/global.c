/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global space of architecture I: all shared memory in one unit, reached over links whose latencies add up to
 * shared.global_latency. Accesses are performed in the order of their arrival; those of one cycle in the order of their
 * tiles, so that the result does not depend on how tiles are grouped into blocks. A core has one access under way.
 */
#include "manycore/machine/machine.h"

struct range {
    uint32_t first, end;
};

/* Takes the accesses that arrive now. Result: the words of `asking` that have bits. */
static struct range take_arrived(struct manycore_global *global, mnp_time now)
{
    struct mnp_inbox *inbox = &global->unit->inbox;
    struct range words = {UINT32_MAX, 0};
    uint32_t link;
    for (const void *payload; (payload = mnp_inbox_peek(inbox, now, &link)) != NULL; mnp_inbox_take(inbox)) {
        const struct manycore_packet *packet = payload;
        uint32_t tile = packet->from, word = tile / 64;
        global->arrived[tile] = *packet;
        global->asking[word] |= UINT64_C(1) << tile % 64;
        words.first = word < words.first ? word : words.first;
        words.end = word + 1 > words.end ? word + 1 : words.end;
    }
    return words;
}

static void serve(struct manycore_global *global, struct manycore_packet *packet, mnp_time now)
{
    if (manycore_bank_serve(&global->bank, global->machine->shared.base, packet))
        global->unit->progress = now;
    struct manycore_packet *reply = mnp_link_send(global->out[global->block_of[packet->to]], now);
    *reply = *packet;
}

mnp_time manycore_global_advance(struct mnp_unit *unit, mnp_time until)
{
    struct manycore_global *global = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    while (unit->inbox.next != MNP_NEVER) {
        uint64_t cycle = mnp_cursor_cycle_at(&unit->clock, unit->inbox.next);
        if (cycle >= end)
            break;
        mnp_visit(unit, cycle);
        mnp_cursor_move(&unit->clock, cycle);
        mnp_time now = unit->clock.time;
        struct range words = take_arrived(global, now);
        for (uint32_t word = words.first; word < words.end; word++) {
            for (uint64_t bits = global->asking[word]; bits; bits &= bits - 1)
                serve(global, &global->arrived[word * 64 + (uint32_t)__builtin_ctzll(bits)], now);
            global->asking[word] = 0;
        }
    }
    mnp_pass(unit, end);
    return MNP_NEVER;
}
