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

#include <string.h>

/* Queues of requests and of replies, one bit each. */
enum { REQUESTS = 0x55555555, REPLIES = 0x2AAAAAAA };

/* The queue of a bank's replies. */
enum { BANK = MANYCORE_LOCAL * 2 + MANYCORE_REPLY };

/* There every tile is a block of its own, from which nothing could fly. */
#ifdef __CUDACC__
enum { ON_A_GPU = true };
#else
enum { ON_A_GPU = false };
#endif

/* Where the routers of a block lie, held in registers: their bytes are written between all else. */
struct mesh {
    struct manycore_block *block;
    struct manycore_router *router;
    struct manycore_node *node;
    struct manycore_entry *entries;
    const struct manycore_point *points;
    struct manycore_move *moves;
    struct manycore_flight *flights;
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
                         .flights = torus || ON_A_GPU ? NULL : block->flights,
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
MNP_INLINE static uint32_t route(const struct mesh *mesh, const struct manycore_around *here,
                                 struct manycore_point there)
{
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

/* The first packet of a queue asks for its output from a cycle on. */
MNP_STEP static void ask(const struct seat *at, uint32_t queue, uint32_t out, uint64_t cycle)
{
    struct manycore_claims *claims = &at->node->claims;
    struct manycore_use *use = &at->node->use;
    claims->wants[out] |= 1u << queue;
    if (claims->asked >> out & 1)
        return;
    claims->asked |= (uint16_t)(1u << out);
    use->since[out] = cycle;
    if (use->blocked_since == UINT64_MAX)
        use->blocked_since = cycle;
}

/* Output of the first packet of a queue. */
MNP_INLINE static uint32_t route_of(const struct mesh *mesh, const struct seat *at,
                                    const struct manycore_packet *packet)
{
    return route(mesh, &at->node->around, mesh->points[packet->to]);
}

/* A queue has another first packet, which is looked at from a cycle on. Result: the output that it asks for;
 * MANYCORE_PORTS: none yet. */
MNP_INLINE static uint32_t look_at_first(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                         const struct manycore_entry *entry, uint64_t cycle)
{
    struct manycore_claims *claims = &at->node->claims;
    claims->born[queue] = entry->packet.born;
    if ((int32_t)(entry->ready - (uint32_t)cycle) > 0) {
        claims->coming |= 1u << queue;
        return MANYCORE_PORTS;
    }
    uint32_t out = route_of(mesh, at, &entry->packet);
    ask(at, queue, out, cycle);
    return out;
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
        ask(at, queue, route_of(mesh, at, &entry->packet), cycle);
    }
}

/* Appends a packet to a queue, which is looked at from `cycle` on. */
MNP_STEP static void line_up(const struct mesh *mesh, const struct seat *at, uint32_t queue,
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

/* ===== packets in flight =====
 *
 * Most packets find every router on their way without another one that wants the same output. What such a packet does
 * to a router in its cycle there is known beforehand: it is the first of an empty queue, leaves through an output that
 * nobody else asks for, and is behind it when the next cycle begins. It is counted, the output's turn passes on, and a
 * router that was blocked is not so in that cycle; all else is as before. So it is put into no queue, and no credit is
 * taken: with two places and more in a queue, one that is taken for a single cycle keeps nobody from sending.
 *
 * A packet flies as long as it is alone of its kind: once another first packet of that router asks for its output, or
 * may do so when it is ready, it lands, which is to say it goes to the queue that it was in by right. It does so before
 * the cycle is decided in which they would have met, so that nothing is ever undone. A router has one packet in flight
 * at most. What goes over a link to another block does so in the order in which routers decide.
 */

/* The router's link through a port leads to another block. */
MNP_INLINE static bool leads_outside(const struct seat *at, uint32_t port)
{
    return port != MANYCORE_LOCAL && at->node->around.next[port] == MANYCORE_OUTSIDE;
}

/* Puts the packet in flight that is at a router into its queue. */
MNP_DEVICE __attribute__((noinline)) static void land(const struct mesh *mesh, const struct seat *at)
{
    struct manycore_flight *flight = &mesh->flights[at->node->claims.flight - 1];
    uint32_t port = flight->queue / 2;
    at->node->claims.flight = 0;
    flight->out = MANYCORE_PORTS;
    if (port != MANYCORE_LOCAL && !leads_outside(at, port))
        mesh->router[at->node->around.next[port]].credits[port ^ 2u][flight->queue % 2]--;
    line_up(mesh, at, flight->queue, &flight->packet, mesh->block->flight_cycle, mesh->block->flight_cycle);
}

/* Whether a packet in flight may leave a router that it reaches through an output. The one that has flown there before
 * it may still queue beyond and take its credit: inside the block a second one must be there. */
MNP_INLINE static bool may_leave(const struct seat *at, uint32_t queue, uint32_t out)
{
    return !(at->node->claims.asked >> out & 1) &&
           (out == MANYCORE_LOCAL ||
            at->router->credits[out][queue % 2] > (at->node->around.next[out] != MANYCORE_OUTSIDE));
}

/* Hops of a packet in the direction of an output. */
MNP_INLINE static uint32_t straight_on(const struct seat *at, uint32_t out, struct manycore_point to)
{
    const struct manycore_around *here = &at->node->around;
    uint32_t x = to.x > here->x ? to.x - here->x : here->x - to.x;
    uint32_t y = to.y > here->y ? to.y - here->y : here->y - to.y;
    return out % 2 ? x : y;
}

/* Lets a packet fly that reaches a router, if it may. `cycle`: in which it goes on. */
MNP_INLINE static bool take_off(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                const struct manycore_packet *packet, uint64_t cycle)
{
    struct manycore_block *block = mesh->block;
    struct manycore_claims *claims = &at->node->claims;
    if (at->router->count[queue] | claims->flight | claims->coming || block->flight_count == block->flight_room)
        return false;
    struct manycore_point to = mesh->points[packet->to];
    uint32_t out = route(mesh, &at->node->around, to);
    if (!may_leave(at, queue, out))
        return false;
    struct manycore_flight *flight = &mesh->flights[block->flight_count++];
    *flight = (struct manycore_flight){*packet,
                                       (uint16_t)at->place,
                                       (uint8_t)queue,
                                       (uint8_t)out,
                                       to,
                                       (uint8_t)straight_on(at, out, to),
                                       leads_outside(at, queue / 2) || leads_outside(at, out)};
    claims->flight = (uint16_t)block->flight_count;
    block->flight_cycle = cycle;
    return true;
}

/* A packet reaches a router in which another one is in flight, which lands if they might meet. */
MNP_INLINE static void meet(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                            const struct manycore_packet *packet, bool is_ready)
{
    const struct manycore_flight *flight = &mesh->flights[at->node->claims.flight - 1];
    if (!is_ready || flight->queue == queue || flight->out == route_of(mesh, at, packet))
        land(mesh, at);
}

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

/* Replies that are ready fly, or ask for their outputs. */
MNP_DEVICE __attribute__((noinline)) static void send_replies(struct manycore_block *block, uint64_t cycle)
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

/* A packet reaches a router, where it is looked at from `cycle` on. */
MNP_STEP static void append(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                            const struct manycore_packet *packet, uint64_t ready, uint64_t cycle)
{
    if (mesh->flights && at->node->claims.flight && at->router->count[queue] == 0)
        meet(mesh, at, queue, packet, ready == cycle);
    line_up(mesh, at, queue, packet, ready, cycle);
}

MNP_APART void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                                    const struct manycore_packet *packet, uint64_t ready)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    struct seat at = seat_of(&mesh, place);
    if (!mesh.flights || !take_off(&mesh, &at, queue, packet, ready))
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
    return at->router->count[BANK] < mesh->depth;
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
    router->count[queue]--;
    router->head[queue] = (uint8_t)(next == mesh->depth ? 0 : next);
    router->turn[out] = (uint8_t)(queue + 1 == (mesh->torus ? MANYCORE_QUEUES : MANYCORE_MESH_QUEUES) ? 0 : queue + 1);
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
    claims->asked = (uint16_t)asked;
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
    uint64_t ready = cycle + 1 + mesh.latency;
    if (mesh.flights && !at.router->count[BANK] && mesh.latency)
        wait_for_bank(&mesh, &at, &served, ready);
    else
        append(&mesh, &at, BANK, &served, ready, cycle + 1);
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
    if (next == MANYCORE_OUTSIDE) {
        manycore_border_pass(mesh->block, at.place, out, channel, move->packet, cycle);
        return;
    }
    const struct seat there = seat_of(mesh, next);
    if (mesh->flights && take_off(mesh, &there, manycore_queue(out ^ 2u, channel), move->packet, cycle + 1))
        at.router->credits[out][channel]++;
    else
        append(mesh, &there, manycore_queue(out ^ 2u, channel), move->packet, cycle + 1, cycle + 1);
}

/* A request in flight is at its bank. It lands, if this has no room for the reply, or its own core comes first or is to
 * be computed first. */
MNP_DEVICE __attribute__((noinline)) static bool is_served(struct manycore_block *block, uint32_t place)
{
    const struct mesh mesh = mesh_of(block, false);
    const struct seat at = seat_of(&mesh, place);
    if (has_room(&mesh, &at) && !(block->local_count && is_local(block, place)) &&
        !(block->spinning_count && manycore_is_spinning(block, place)))
        return true;
    land(&mesh, &at);
    return false;
}

/* A packet in flight that comes from another block or goes to one becomes a move like others. */
MNP_DEVICE __attribute__((noinline)) static struct manycore_move cross(struct manycore_block *block,
                                                                       const struct manycore_flight *flight)
{
    const struct mesh mesh = mesh_of(block, false);
    const struct seat at = seat_of(&mesh, flight->place);
    uint32_t queue = flight->queue, port = queue / 2, head = at.router->head[queue];
    struct manycore_entry *entry = entry_of(&mesh, at.place, queue, head);
    entry->packet = flight->packet;
    at.router->head[queue] = (uint8_t)(head + 1 == mesh.depth ? 0 : head + 1);
    if (port != MANYCORE_LOCAL && !leads_outside(&at, port))
        mesh.router[at.node->around.next[port]].credits[port ^ 2u][queue % 2]--;
    if (flight->out != MANYCORE_LOCAL)
        at.router->credits[flight->out][queue % 2]--;
    return (struct manycore_move){&entry->packet, flight->place, flight->queue, flight->out};
}

/* Packets in flight leave the routers where they are. Result: how many of them are moves, which are put in no order. */
MNP_DEVICE __attribute__((noinline)) static uint32_t leave_in_flight(struct manycore_block *block, uint64_t cycle)
{
    struct manycore_router *routers = block->router;
    struct manycore_node *nodes = block->node;
    struct manycore_flight *end = block->flights + block->flight_count;
    uint32_t moves = 0;
    for (struct manycore_flight *flight = block->flights; flight < end; flight++) {
        uint32_t queue = flight->queue, out = flight->out, place = flight->place;
        struct manycore_node *node = &nodes[place];
        if (out >= MANYCORE_LOCAL &&
            (out == MANYCORE_PORTS || (queue % 2 == MANYCORE_REQUEST && !is_served(block, place))))
            continue;
        node->claims.flight = 0;
        routers[place].turn[out] = (uint8_t)(queue + 1 == MANYCORE_MESH_QUEUES ? 0 : queue + 1);
        node->use.out[out]++;
        if (node->use.blocked_since <= cycle) {
            node->use.blocked += cycle - node->use.blocked_since;
            node->use.blocked_since = cycle + 1;
        }
        if (flight->crosses) {
            block->moves[moves++] = cross(block, flight);
            flight->out = MANYCORE_PORTS;
        }
    }
    return moves;
}

/* Puts moves into the order in which routers and their outputs decide, which that on the links follows. */
MNP_DEVICE static void sort_moves(struct manycore_move *moves, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct manycore_move move = moves[i];
        uint32_t at = i, key = move.router * 8u + move.out;
        for (; at > 0 && moves[at - 1].router * 8u + moves[at - 1].out > key; at--)
            moves[at] = moves[at - 1];
        moves[at] = move;
    }
}

/* A packet in flight must queue in the router that it reaches. */
MNP_DEVICE __attribute__((noinline)) static void end_flight(struct manycore_block *block,
                                                            const struct manycore_flight *flight, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    uint32_t queue = flight->queue, out = flight->out;
    const struct seat there = seat_of(&mesh, mesh.node[flight->place].around.next[out]);
    mesh.router[flight->place].credits[out][queue % 2]--;
    append(&mesh, &there, manycore_queue(out ^ 2u, queue % 2), &flight->packet, cycle + 1, cycle + 1);
}

/* Where a packet in flight goes at the next router; MANYCORE_PORTS: it must queue there. */
MNP_INLINE static uint32_t way_on(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                  const struct manycore_flight *flight)
{
    if (at->router->count[queue] | at->node->claims.flight | at->node->claims.coming)
        return MANYCORE_PORTS;
    uint32_t out = flight->straight > 1 ? flight->out : route(mesh, &at->node->around, flight->to);
    return may_leave(at, queue, out) ? out : (uint32_t)MANYCORE_PORTS;
}

/* They reach the next ones, or a core or a bank. */
MNP_DEVICE __attribute__((noinline)) static void arrive_in_flight(struct manycore_block *block, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    struct manycore_flight *to = mesh.flights, *end = mesh.flights + block->flight_count;
    block->flight_cycle = cycle + 1;
    for (struct manycore_flight *flight = mesh.flights; flight < end; flight++) {
        uint32_t out = flight->out;
        if (out >= MANYCORE_LOCAL) {
            if (out == MANYCORE_LOCAL)
                deliver(block, flight->place, &flight->packet, flight->queue % 2, cycle);
            continue;
        }
        const struct seat there = seat_of(&mesh, mesh.node[flight->place].around.next[out]);
        uint32_t queue = manycore_queue(out ^ 2u, flight->queue % 2), way = way_on(&mesh, &there, queue, flight);
        if (way == MANYCORE_PORTS) {
            end_flight(block, flight, cycle);
            continue;
        }
        *to = *flight;
        to->place = (uint16_t)there.place;
        to->queue = (uint8_t)queue;
        to->out = (uint8_t)way;
        to->straight = (uint8_t)(way == out ? flight->straight - 1u : straight_on(&there, way, flight->to));
        to->crosses = leads_outside(&there, way);
        there.node->claims.flight = (uint16_t)(++to - mesh.flights);
    }
    block->flight_count = (uint32_t)(to - mesh.flights);
}

#ifndef __CUDACC__
/* Brings a queue into the one form of what it holds: its first packet lies in the first place, free places are
 * zeros. */
static void tidy(const struct mesh *mesh, uint32_t place, uint32_t queue)
{
    struct manycore_router *router = &mesh->router[place];
    struct manycore_entry *places = entry_of(mesh, place, queue, 0), held[UINT8_MAX];
    uint32_t count = router->count[queue];
    for (uint32_t i = 0, from = router->head[queue]; i < count; i++, from++)
        held[i] = places[from >= mesh->depth ? from - mesh->depth : from];
    if (count)
        memcpy(places, held, count * sizeof *places);
    memset(places + count, 0, (mesh->depth - count) * sizeof *places);
    router->head[queue] = 0;
}

void manycore_router_settle(struct manycore_block *block)
{
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    for (uint32_t i = 0; i < block->flight_count; i++) {
        const struct seat at = seat_of(&mesh, mesh.flights[i].place);
        if (mesh.flights[i].out != MANYCORE_PORTS)
            land(&mesh, &at);
    }
    block->flight_count = 0;
    for (; block->reply_count; block->reply_count--) {
        const struct seat at = seat_of(&mesh, block->replies[block->reply_first] & 0xFFFF);
        look_at_first(&mesh, &at, BANK, first_of(&mesh, &at, BANK), (block->replies[block->reply_first] >> 16) - 1);
        wake(&mesh, at.place);
        block->reply_first = block->reply_first + 1 == block->tiles ? 0 : block->reply_first + 1;
    }
    for (uint32_t place = 0; place < block->tiles; place++)
        for (uint32_t queue = 0; queue < mesh.places / mesh.depth; queue++)
            tidy(&mesh, place, queue);
}
#endif

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
    uint32_t count = 0, crossing = 0, words = (block->tiles + 63) / 64;
    if (mesh.flights && block->reply_count)
        send_replies(block, cycle);
    if (mesh.flights && block->flight_count)
        crossing = count = leave_in_flight(block, cycle);
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
    if (mesh.flights && block->flight_count)
        arrive_in_flight(block, cycle);
    if (crossing)
        sort_moves(mesh.moves, count);
    const struct manycore_move *moves = block->moves;
    for (uint32_t i = 0; i < count; i++)
        move(&mesh, &moves[i], cycle);
    uint64_t active = 0;
    for (uint32_t word = 0; word < words; word++)
        active |= mesh.active[word];
    block->is_active = active != 0 || block->flight_count || block->reply_count;
}

MNP_APART void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle)
{
    block->answer_count = 0;
    if (block->shape.torus)
        mesh_cycle(block, cycle, true);
    else
        mesh_cycle(block, cycle, false);
}
