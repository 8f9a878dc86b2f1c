/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routers of a block: input queues with credits, XY routing, one packet per output and cycle, round robin or oldest
 * access first. Requests and replies have queues of their own, so that a bank that waits for room for its reply can
 * always be relieved: replies end in cores, which always take them. XY routes without cycles do the rest against
 * deadlock in a mesh. In a torus each ring would be a cycle; there a packet changes over to a second virtual channel at
 * the link that closes the ring (the dateline; Dally & Towles, Principles and Practices of Interconnection Networks,
 * 14.2.3), and since the shorter way never passes that link twice, no ring of waiting packets can close.
 */
#include "manycore/place.h"
#include "parts/arbitration.h"

/* Queues of requests and of replies, one bit each. */
enum { REQUESTS = 0x55555555, REPLIES = 0x2AAAAAAA };

/* Where the routers of a block lie, held in registers: their bytes are written between all else. */
struct mesh {
    struct manycore_block *block;
    struct manycore_router *router;
    struct manycore_node *node;
    struct manycore_entry *entries;
    const struct manycore_point *points;
    struct manycore_move *moves;
    uint64_t *active;
    uint32_t width, height, depth, places, latency;
    enum mnp_arbitration arbitration;
    bool torus;
};

MNP_INLINE static struct mesh mesh_of(struct manycore_block *block, bool torus)
{
    const struct manycore_mesh_shape *shape = &block->shape;
    return (struct mesh){.block = block,
                         .router = block->router,
                         .node = block->node,
                         .entries = block->entries,
                         .points = block->points,
                         .moves = block->moves,
                         .active = block->active,
                         .width = shape->width,
                         .height = shape->height,
                         .depth = shape->depth,
                         .places = shape->places,
                         .latency = shape->latency,
                         .arbitration = (enum mnp_arbitration)shape->arbitration,
                         .torus = torus};
}

/* A router and what belongs to it, found once for all that is done with it. */
struct seat {
    struct manycore_router *router;
    struct manycore_node *node;
    uint32_t place;
};

MNP_INLINE static struct seat seat_of(const struct mesh *mesh, uint32_t place)
{
    return (struct seat){.router = mesh->router + place, .node = mesh->node + place, .place = place};
}

MNP_INLINE static struct manycore_entry *entry_of(const struct mesh *mesh, uint32_t place, uint32_t queue,
                                                  uint32_t number)
{
    return mesh->entries + ((size_t)place * mesh->places + queue * mesh->depth + number);
}

MNP_INLINE static const struct manycore_entry *first_of(const struct mesh *mesh, const struct seat *at, uint32_t queue)
{
    return entry_of(mesh, at->place, queue, at->router->head[queue]);
}

MNP_INLINE static void wake(const struct mesh *mesh, uint32_t place)
{
    mesh->active[place / 64] |= UINT64_C(1) << place % 64;
}

MNP_APART void manycore_router_wake(struct manycore_block *block, uint32_t place)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    wake(&mesh, place);
    block->is_active = true;
}

/* The way along one axis: 1 upwards, -1 downwards, 0 it is there. In a torus the shorter one; where both are equally
 * long, which is so at the source alone, tiles take turns. */
MNP_INLINE static int32_t direction(const struct mesh *mesh, uint32_t at, uint32_t to, uint32_t size)
{
    if (at == to)
        return 0;
    if (!mesh->torus)
        return to > at ? 1 : -1;
    uint32_t up = to > at ? to - at : to + size - at;
    if (2 * up == size)
        return at % 2 ? -1 : 1;
    return 2 * up < size ? 1 : -1;
}

/* Output towards a tile: first along the row, then along the column. */
MNP_INLINE static uint32_t route(const struct mesh *mesh, const struct manycore_around *here, uint32_t to)
{
    struct manycore_point there = mesh->points[to];
    int32_t across = direction(mesh, here->x, there.x, mesh->width);
    if (across)
        return across > 0 ? MANYCORE_EAST : MANYCORE_WEST;
    int32_t along = direction(mesh, here->y, there.y, mesh->height);
    return along == 0 ? MANYCORE_LOCAL : along > 0 ? MANYCORE_SOUTH : MANYCORE_NORTH;
}

/* Fills in the neighbours within the block, around the rings of a torus if they lie in it as a whole. */
MNP_DEVICE static void look_around(struct manycore_block *block)
{
    const struct manycore_mesh_shape *shape = &block->shape;
    uint32_t columns = block->columns, rows = block->rows;
    bool ring_x = shape->torus && columns == shape->width, ring_y = shape->torus && rows == shape->height;
    for (uint32_t place = 0; place < block->tiles; place++) {
        uint32_t x = place % columns, y = place / columns;
        uint32_t next[4] = {[MANYCORE_NORTH] = y        ? place - columns
                                               : ring_y ? place + (rows - 1) * columns
                                                        : UINT32_MAX,
                            [MANYCORE_EAST] = x + 1 < columns ? place + 1
                                              : ring_x        ? place + 1 - columns
                                                              : UINT32_MAX,
                            [MANYCORE_SOUTH] = y + 1 < rows ? place + columns
                                               : ring_y     ? x
                                                            : UINT32_MAX,
                            [MANYCORE_WEST] = x        ? place - 1
                                              : ring_x ? place + columns - 1
                                                       : UINT32_MAX};
        struct manycore_around *around = &block->node[place].around;
        around->x = (uint8_t)(block->left + x);
        around->y = (uint8_t)(block->top + y);
        for (uint32_t out = 0; out < 4; out++)
            around->next[out] = (uint16_t)(next[out] == UINT32_MAX ? MANYCORE_OUTSIDE : next[out]);
    }
}

MNP_APART void manycore_router_prepare(struct manycore_block *block)
{
    const struct manycore_parameters *p = block->common->parameters;
    block->shape = (struct manycore_mesh_shape){.width = (uint32_t)p->width,
                                                .height = (uint32_t)p->height,
                                                .depth = (uint32_t)p->mesh_queue,
                                                .places = manycore_queues(p) * (uint32_t)p->mesh_queue,
                                                .latency = (uint32_t)p->shared_latency,
                                                .arbitration = (uint8_t)p->mesh_arbitration,
                                                .torus = p->mesh_torus};
    look_around(block);
    for (uint32_t place = 0; place < block->tiles; place++) {
        block->node[place].use.blocked_since = UINT64_MAX;
        for (uint32_t out = 0; out < MANYCORE_PORTS; out++)
            block->node[place].use.since[out] = UINT64_MAX;
    }
}

/* The link beyond an output closes a ring of the torus. */
MNP_INLINE static bool wraps(const struct mesh *mesh, const struct manycore_around *here, uint32_t out)
{
    switch (out) {
    case MANYCORE_NORTH:
        return here->y == 0;
    case MANYCORE_SOUTH:
        return here->y + 1u == mesh->height;
    case MANYCORE_WEST:
        return here->x == 0;
    default:
        return here->x + 1u == mesh->width;
    }
}

/* The channel of the queue beyond an output. In a torus a packet enters each ring on virtual channel 0 and goes on on
 * channel 1 behind the link that closes the ring. */
MNP_INLINE static uint32_t channel_beyond(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t out)
{
    uint32_t kind = queue % 2;
    if (!mesh->torus || out == MANYCORE_LOCAL)
        return kind;
    bool in_its_ring = queue >= MANYCORE_MESH_QUEUES && queue / 2 % MANYCORE_PORTS % 2 == out % 2;
    return kind + (in_its_ring || wraps(mesh, &at->node->around, out) ? 2 : 0);
}

/* ===== what packets ask for ===== */

/* The first packet of a queue asks for its output from a cycle on. Result: the output. */
MNP_STEP static uint32_t ask(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t to,
                             uint64_t cycle)
{
    struct manycore_claims *claims = &at->node->claims;
    struct manycore_use *use = &at->node->use;
    uint32_t out = route(mesh, &at->node->around, to);
    claims->wants[out] |= 1u << queue;
    if (claims->asked >> out & 1)
        return out;
    claims->asked |= 1u << out;
    use->since[out] = cycle;
    if (use->blocked_since == UINT64_MAX)
        use->blocked_since = cycle;
    return out;
}

/* A queue has another first packet, which is looked at from a cycle on. Result: the output that it asks for;
 * MANYCORE_PORTS: none yet. */
MNP_INLINE static uint32_t look_at_first(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                         const struct manycore_entry *entry, uint64_t cycle)
{
    struct manycore_claims *claims = &at->node->claims;
    claims->born[queue] = entry->packet.born;
    if ((int32_t)(entry->ready - (uint32_t)cycle) <= 0)
        return ask(mesh, at, queue, entry->packet.to, cycle);
    claims->coming |= 1u << queue;
    return MANYCORE_PORTS;
}

/* First packets that may be moved from this cycle on. */
MNP_STEP static void admit(const struct mesh *mesh, const struct seat *at, uint64_t cycle)
{
    for (uint32_t rest = at->node->claims.coming; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        const struct manycore_entry *entry = first_of(mesh, at, queue);
        if ((int32_t)(entry->ready - (uint32_t)cycle) > 0)
            continue;
        at->node->claims.coming &= ~(1u << queue);
        ask(mesh, at, queue, entry->packet.to, cycle);
    }
}

/* Appends a packet to a queue, which is looked at from `cycle` on. */
MNP_STEP static void append(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                            const struct manycore_packet *packet, uint64_t ready, uint64_t cycle)
{
    struct manycore_router *router = at->router;
    uint32_t depth = mesh->depth, count = router->count[queue], last = router->head[queue] + count;
    MNP_INVARIANT(count < depth, "a queue of router %u overflows", at->place);
    struct manycore_entry *entry = entry_of(mesh, at->place, queue, last >= depth ? last - depth : last);
    entry->packet = *packet;
    entry->ready = (uint32_t)ready;
    router->count[queue] = (uint8_t)(count + 1);
    if (count == 0) {
        look_at_first(mesh, at, queue, entry, cycle);
        wake(mesh, at->place);
    }
}

MNP_APART void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                                    const struct manycore_packet *packet, uint64_t ready)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    struct seat at = seat_of(&mesh, place);
    append(&mesh, &at, queue, packet, ready, ready);
    block->is_active = true;
}

MNP_INLINE static void credit(const struct mesh *mesh, uint32_t place, uint32_t port, uint32_t channel)
{
    mesh->router[place].credits[port][channel]++;
    if (mesh->node[place].claims.wants[port]) /* otherwise it has no use for it yet */
        wake(mesh, place);
}

MNP_APART void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    credit(&mesh, place, port, channel);
    block->is_active = true;
}

/* ===== deciding: what stood in the queues when the cycle began ===== */

MNP_DEVICE static bool is_local(const struct manycore_block *block, uint32_t place)
{
    return block->local[place / 64] >> place % 64 & 1;
}

/* The bank has room for a reply. */
MNP_INLINE static bool has_room(const struct mesh *mesh, const struct seat *at)
{
    return at->router->count[MANYCORE_LOCAL * 2 + MANYCORE_REPLY] < mesh->depth;
}

/* Queues whose packet the tile itself can take in this cycle. */
MNP_INLINE static uint32_t accepted_here(const struct mesh *mesh, const struct seat *at, uint32_t wanted, bool room)
{
    return room && !(at->router->local_turn && is_local(mesh->block, at->place)) ? wanted : wanted & REPLIES;
}

/* Queues whose packet the next router can take in this cycle. */
MNP_INLINE static uint32_t accepted(const struct mesh *mesh, const struct seat *at, uint32_t out, uint32_t wanted)
{
    const uint8_t *credits = at->router->credits[out];
    if (!mesh->torus)
        return wanted & ((credits[MANYCORE_REQUEST] ? REQUESTS : 0) | (credits[MANYCORE_REPLY] ? REPLIES : 0));
    uint32_t result = 0;
    for (uint32_t rest = wanted; rest; rest &= rest - 1)
        if (credits[channel_beyond(mesh, at, (uint32_t)__builtin_ctz(rest), out)])
            result |= rest & -rest;
    return result;
}

MNP_DEVICE static uint32_t born_at(const void *owner, uint32_t queue)
{
    return ((const struct manycore_claims *)owner)->born[queue];
}

/* The queue that an output serves; `wanted` is not 0. */
MNP_INLINE static uint32_t choose_queue(const struct mesh *mesh, const struct seat *at, uint32_t out, uint32_t wanted)
{
    uint64_t places = wanted;
    struct mnp_claims claims = {.places = &places, .words = 1, .turn = at->router->turn[out]};
    if ((wanted & (wanted - 1)) == 0)
        return (uint32_t)__builtin_ctz(wanted);
    return mnp_arbitrate(mesh->arbitration, &claims, born_at, &at->node->claims);
}

/* Takes the first packet out of a queue, for an output: counts, claims, and the place in the queue. The packet itself
 * is read where it is put into the next queue; nothing overwrites it before. Bytes are written last: to the compiler
 * they might be anything's. */
MNP_INLINE static struct manycore_move leave(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                             uint32_t out, uint64_t cycle)
{
    struct manycore_use *use = &at->node->use;
    struct manycore_router *router = at->router;
    uint32_t head = router->head[queue], next = head + 1;
    struct manycore_move move = {&entry_of(mesh, at->place, queue, head)->packet, (uint16_t)at->place, (uint8_t)queue,
                                 (uint8_t)out};
    uint64_t since = use->since[out];
    uint32_t wants = at->node->claims.wants[out] & ~(1u << queue);
    use->out[out]++;
    use->stalled[out] += cycle - since;
    use->since[out] = wants ? cycle + 1 : UINT64_MAX;
    at->node->claims.wants[out] = wants;
    router->head[queue] = (uint8_t)(next == mesh->depth ? 0 : next);
    router->turn[out] = (uint8_t)(queue + 1 == (mesh->torus ? MANYCORE_QUEUES : MANYCORE_MESH_QUEUES) ? 0 : queue + 1);
    router->count[queue]--;
    return move;
}

/* What a router has decided: the number of moves, those before it included, and whether anything may move in the next
 * cycle that has not come by then. Otherwise it is not visited before something comes, or a credit. */
struct decided {
    uint32_t moves;
    bool stays;
};

/* What a router does after packets have left it: those behind them, queues as bits, are looked at in the next cycle. */
MNP_INLINE static bool go_on(const struct mesh *mesh, const struct seat *at, uint32_t asked, uint32_t behind,
                             uint64_t cycle)
{
    struct manycore_use *use = &at->node->use;
    struct manycore_claims *claims = &at->node->claims;
    bool stays = false;
    claims->asked = asked;
    if (use->blocked_since < cycle)
        use->blocked += cycle - use->blocked_since;
    use->blocked_since = asked ? cycle + 1 : UINT64_MAX;
    for (uint32_t rest = behind; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        uint32_t out = look_at_first(mesh, at, queue, first_of(mesh, at, queue), cycle + 1);
        stays |= out >= MANYCORE_LOCAL || accepted(mesh, at, out, 1u << queue);
    }
    return stays;
}

/* Decides what a router moves in this cycle, takes it out of its queues and appends it to the moves. No other router
 * sees anything of it before all have decided. `through`: nothing is coming, and nothing wants to its own tile. */
MNP_STEP static struct decided decide(const struct mesh *mesh, const struct seat *at, uint64_t cycle, uint32_t count,
                                      bool through)
{
    struct manycore_claims *claims = &at->node->claims;
    struct manycore_router *router = at->router;
    uint32_t behind = 0, before = count;
    bool stays = false;
    if (!through && claims->coming)
        admit(mesh, at, cycle);
    if (!through && mesh->block->spinning_count && (claims->wants[MANYCORE_LOCAL] & REQUESTS))
        manycore_local_wake(mesh->block, at->place, cycle);
    bool room = through || has_room(mesh, at);
    uint32_t asked = claims->asked;
    for (uint32_t rest = asked; rest; rest &= rest - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(rest), wants = claims->wants[out], wanted;
        bool here = !through && out == MANYCORE_LOCAL;
        wanted = here ? accepted_here(mesh, at, wants, room) : accepted(mesh, at, out, wants);
        if (!wanted)
            continue;
        uint32_t queue = choose_queue(mesh, at, out, wanted);
        mesh->moves[count++] = leave(mesh, at, queue, out, cycle);
        wants &= ~(1u << queue);
        asked &= wants ? ~0u : ~(1u << out);
        behind |= (router->count[queue] ? 1u : 0u) << queue;
        if (!here)
            router->credits[out][channel_beyond(mesh, at, queue, out)]--;
        else if (queue % 2 == MANYCORE_REQUEST && is_local(mesh->block, at->place))
            router->local_turn = 2; /* the bank is taken */
        if (!here && wants)
            stays |= accepted(mesh, at, out, wants) != 0;
    }
    if (count != before)
        stays |= go_on(mesh, at, asked, behind, cycle);
    if (!through)
        stays |= claims->coming || (count != before && claims->asked >> MANYCORE_LOCAL);
    return (struct decided){count, stays};
}

/* The same for the routers of a mesh that have to do with their own tile. */
MNP_DEVICE __attribute__((noinline)) static struct decided decide_here(struct manycore_block *block, uint32_t place,
                                                                       uint64_t cycle, uint32_t count)
{
    const struct mesh mesh = mesh_of(block, false);
    const struct seat at = seat_of(&mesh, place);
    return decide(&mesh, &at, cycle, count, false);
}

/* ===== moving ===== */

/* Gives a place of a queue back to whoever fills it. */
MNP_INLINE static void give_back(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint64_t cycle)
{
    bool second = mesh->torus && queue >= MANYCORE_MESH_QUEUES;
    uint32_t port = (second ? queue - MANYCORE_MESH_QUEUES : queue) / 2, channel = queue % 2 + (second ? 2 : 0);
    if (port == MANYCORE_LOCAL)
        return;
    uint32_t from = at->node->around.next[port];
    if (from != MANYCORE_OUTSIDE)
        credit(mesh, from, port ^ 2u, channel);
    else
        manycore_border_give(mesh->block, at->place, port, channel, cycle);
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

/* Takes a packet out of the mesh: a reply goes to the core, a request to the bank. */
MNP_DEVICE __attribute__((noinline)) static void deliver(struct manycore_block *block, uint32_t place,
                                                         const struct manycore_packet *packet, uint32_t kind,
                                                         uint64_t cycle)
{
    if (kind == MANYCORE_REPLY) {
        answer(block, place, packet, cycle + 1);
        return;
    }
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    const struct seat at = seat_of(&mesh, place);
    struct manycore_bank bank = manycore_bank_of(&block->tile[place]);
    struct manycore_packet served = *packet;
    if (manycore_bank_serve(&bank, block->shared, &served))
        block->progress = cycle;
    at.router->local_turn = 1;
    at.node->use.served++;
    append(&mesh, &at, MANYCORE_LOCAL * 2 + MANYCORE_REPLY, &served, cycle + 1 + mesh.latency, cycle + 1);
}

/* A packet that has left its queue reaches the next one. */
MNP_STEP static void move(const struct mesh *mesh, const struct manycore_move *move, uint64_t cycle)
{
    uint32_t queue = move->queue, out = move->out;
    const struct seat at = seat_of(mesh, move->router);
    give_back(mesh, &at, queue, cycle);
    if (out == MANYCORE_LOCAL) {
        deliver(mesh->block, at.place, move->packet, queue % 2, cycle);
        return;
    }
    uint32_t next = at.node->around.next[out], channel = channel_beyond(mesh, &at, queue, out);
    if (next != MANYCORE_OUTSIDE) {
        const struct seat there = seat_of(mesh, next);
        append(mesh, &there, manycore_queue(out ^ 2u, channel), move->packet, cycle + 1, cycle + 1);
    } else {
        manycore_border_pass(mesh->block, at.place, out, channel, move->packet, cycle);
    }
}

/* Accesses of cores to the banks of their own tiles, which compete with the mesh for the bank alone. */
MNP_DEVICE static void serve_local(struct manycore_block *block, uint64_t cycle)
{
    for (uint32_t word = 0; word * 64 < block->tiles && block->local_count; word++) {
        for (uint64_t bits = block->local[word]; bits; bits &= bits - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct manycore_router *router = &block->router[place];
            if (router->local_turn == 2) {
                router->local_turn = 0; /* a delivery, which follows, makes it the core's turn */
                continue;
            }
            router->local_turn = 0;
            block->node[place].use.served++;
            block->local[word] &= ~(bits & -bits);
            block->local_count--;
            struct manycore_bank bank = manycore_bank_of(&block->tile[place]);
            struct manycore_packet packet = {.request = block->tile[place].core.request};
            packet.from = packet.to = (uint16_t)manycore_tile_of(block, place, block->shape.width);
            if (manycore_bank_serve(&bank, block->shared, &packet))
                block->progress = cycle;
            answer(block, place, &packet, cycle + block->shape.latency);
            if (block->node[place].claims.wants[MANYCORE_LOCAL])
                manycore_router_wake(block, place);
        }
    }
}

MNP_STEP static void mesh_cycle(struct manycore_block *block, uint64_t cycle, bool torus)
{
    const struct mesh mesh = mesh_of(block, torus);
    uint32_t count = 0, words = (block->tiles + 63) / 64;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t stay = 0;
        for (uint64_t bits = mesh.active[word]; bits; bits &= bits - 1) {
            const struct seat at = seat_of(&mesh, word * 64 + (uint32_t)__builtin_ctzll(bits));
            const struct manycore_claims *claims = &at.node->claims;
            bool through = !torus && !(claims->coming | claims->asked >> MANYCORE_LOCAL);
            struct decided decided = through  ? decide(&mesh, &at, cycle, count, true)
                                     : !torus ? decide_here(block, at.place, cycle, count)
                                              : decide(&mesh, &at, cycle, count, false);
            count = decided.moves;
            stay |= decided.stays ? bits & -bits : 0;
        }
        mesh.active[word] = stay;
    }
    if (block->local_count)
        serve_local(block, cycle);
    const struct manycore_move *moves = block->moves;
    for (uint32_t i = 0; i < count; i++)
        move(&mesh, &moves[i], cycle);
    uint64_t active = 0;
    for (uint32_t word = 0; word < words; word++)
        active |= mesh.active[word];
    block->is_active = active != 0;
}

MNP_APART void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle)
{
    block->answer_count = 0;
    if (block->shape.torus)
        mesh_cycle(block, cycle, true);
    else
        mesh_cycle(block, cycle, false);
}
