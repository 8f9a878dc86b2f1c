/* SPDX-License-Identifier: BSD-3-Clause */
/* Deliveries of the mesh to the core or the bank of a tile, and the bank's replies. */
#include "manycore/mesh/delivery.h"
#include "manycore/mesh/flight.h"

/* A bank's reply that is the first of its queue: nobody looks at it before it is ready. As all take the same time, they
 * are so in the order in which they came. */
MNP_INLINE static void wait_for_bank(const struct mesh *mesh, const struct seat *at,
                                     const struct manycore_packet *packet, uint64_t ready)
{
    struct manycore_block *block = mesh->block;
    uint32_t last = block->reply_first + block->reply_count++;
    *entry_of(mesh, at->place, BANK, at->router->head[BANK]) = (struct manycore_entry){*packet, (uint32_t)ready};
    at->router->count[BANK] = 1;
    block->replies[last < block->tiles ? last : last - block->tiles] = ready << 16 | at->place;
}

/* Notes what comes to a core. */
MNP_DEVICE static void answer(struct manycore_block *block, uint32_t place, const struct manycore_packet *reply,
                              uint64_t cycle)
{
    struct manycore_answer *next = &block->answers[block->answer_count++];
    next->reply = *reply;
    next->place = place;
    next->cycle = cycle;
}

MNP_APART void manycore_deliver(struct manycore_block *block, uint32_t place, const struct manycore_packet *packet,
                                uint32_t kind, uint64_t cycle)
{
    if (kind == MANYCORE_REPLY) {
        answer(block, place, packet, cycle + 1);
        return;
    }
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    const struct seat at = seat_of(&mesh, place);
    struct manycore_bank bank = manycore_bank_of(block, place);
    struct manycore_packet served = *packet;
    if (manycore_bank_serve(&bank, block->shared, &served))
        block->progress = cycle;
    at.router->local_turn = 1;
    at.node->served++;
    uint64_t ready = cycle + 1 + mesh.latency;
    if (mesh.flights && !at.router->count[BANK] && mesh.latency)
        wait_for_bank(&mesh, &at, &served, ready);
    else
        append(&mesh, &at, BANK, &served, ready, cycle + 1);
}

MNP_APART void manycore_send_replies(struct manycore_block *block, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    for (; block->reply_count && block->replies[block->reply_first] >> 16 <= cycle; block->reply_count--) {
        const struct seat at = seat_of(&mesh, block->replies[block->reply_first] & 0xFFFF);
        struct manycore_router *router = at.router;
        uint32_t head = router->head[BANK], count = router->count[BANK];
        const struct manycore_entry *entry = entry_of(&mesh, at.place, BANK, head);
        block->reply_first = block->reply_first + 1 == block->tiles ? 0 : block->reply_first + 1;
        if (count == 1) { /* alone: whether the bank has room is the same with it and without */
            router->count[BANK] = 0;
            router->head[BANK] = (uint8_t)(head + 1 == mesh.depth ? 0 : head + 1);
            if (take_off(&mesh, &at, BANK, &entry->packet, cycle))
                continue;
            router->count[BANK] = (uint8_t)count;
            router->head[BANK] = (uint8_t)head;
        }
        if (at.node->claims.flight)
            meet(&mesh, &at, BANK, &entry->packet, true);
        look_at_first(&mesh, &at, BANK, entry, cycle);
        wake(&mesh, at.place);
    }
}

MNP_APART void manycore_serve_local(struct manycore_block *block, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    for (uint32_t word = 0; word * 64 < block->tiles && block->local_count; word++) {
        for (uint64_t bits = block->local[word]; bits; bits &= bits - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct manycore_router *router = &block->router[place];
            if (router->local_turn == 2) {
                router->local_turn = 0; /* a delivery, which follows, makes it the core's turn */
                continue;
            }
            router->local_turn = 0;
            block->node[place].served++;
            block->local[word] &= ~(bits & -bits);
            block->local_count--;
            struct manycore_bank bank = manycore_bank_of(block, place);
            struct manycore_packet packet = {.request = block->tile[place].core.request};
            packet.from = packet.to = (uint16_t)manycore_tile_of(block, place, block->shape.width);
            if (manycore_bank_serve(&bank, block->shared, &packet))
                block->progress = cycle;
            answer(block, place, &packet, cycle + block->shape.latency);
            if (block->node[place].claims.wants[MANYCORE_LOCAL])
                wake(&mesh, place);
        }
    }
}
