/* SPDX-License-Identifier: BSD-3-Clause */
/* Common functions of a block's routers: places in arrays, directions of packets, and requests of the packets that are
 * first in their queues. */
#ifndef MANYCORE_MESH_H
#define MANYCORE_MESH_H

#include "manycore/mesh/place.h"
#include "parts/arbitration.h"

/* Queues of requests and of replies, one bit each. */
enum { REQUESTS = 0x55555555, REPLIES = 0x2AAAAAAA };

/* The queue of a bank's replies. */
enum { BANK = MANYCORE_LOCAL * 2 + MANYCORE_REPLY };

/* On a GPU every tile is a block of its own, inside of which no packet moves. */
#ifdef __CUDACC__
enum { ON_A_GPU = true };
#else
enum { ON_A_GPU = false };
#endif

/* Addresses of a block's routers, held in registers, since writes of bytes could otherwise change them. */
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
    int32_t steps[MANYCORE_PORTS]; /* to the place of the neighbour beyond each side, inside the block */
    enum mnp_arbitration arbitration;
    bool torus, single;
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
                         .steps = {[MANYCORE_NORTH] = -(int32_t)block->down,
                                   [MANYCORE_EAST] = (int32_t)block->across,
                                   [MANYCORE_SOUTH] = (int32_t)block->down,
                                   [MANYCORE_WEST] = -(int32_t)block->across},
                         .arbitration = (enum mnp_arbitration)shape->arbitration,
                         .torus = torus,
                         .single = shape->single};
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

/* A place of a queue, which begins again at its end: without a branch, as no host foresees this one. */
MNP_INLINE static uint32_t wrapped(const struct mesh *mesh, uint32_t number)
{
    return number - (mesh->depth & -(uint32_t)(number >= mesh->depth));
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

/* The queue whose turn it is at an output that has served another one. */
MNP_INLINE static uint8_t turn_behind(uint32_t queue, uint32_t queues)
{
    return (uint8_t)(queue + 1 == queues ? 0 : queue + 1);
}

/* The place in a router's turns of what leaves through an output: a router of one packet a cycle has one turn. */
MNP_INLINE static uint32_t turn_at(bool single, uint32_t out)
{
    return single ? 0 : out;
}

/* The bank has room for a reply. */
MNP_INLINE static bool has_room(const struct mesh *mesh, const struct seat *at)
{
    return at->router->count[BANK] < mesh->depth;
}

/* A core waits for the bank of its own tile. */
MNP_INLINE static bool is_local(const struct manycore_block *block, uint32_t place)
{
    return block->local[place / 64] >> place % 64 & 1;
}

/* The router's link through a port leads to another block. */
MNP_INLINE static bool leads_outside(const struct seat *at, uint32_t port)
{
    return at->node->claims.outside >> port & 1; /* the tile itself is inside */
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
    claims->asked |= (uint8_t)(1u << out);
    use->since[out] = (uint32_t)cycle;
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

/* Appends a packet to a queue, which is looked at from `cycle` on. */
MNP_STEP static void line_up(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                             const struct manycore_packet *packet, uint64_t ready, uint64_t cycle)
{
    struct manycore_router *router = at->router;
    uint32_t count = router->count[queue];
    MNP_INVARIANT(count < mesh->depth, "a queue of router %u overflows", at->place);
    struct manycore_entry *entry = entry_of(mesh, at->place, queue, wrapped(mesh, router->head[queue] + count));
    entry->packet = *packet;
    entry->ready = (uint32_t)ready;
    router->count[queue] = (uint8_t)(count + 1);
    if (count == 0) {
        look_at_first(mesh, at, queue, entry, cycle);
        wake(mesh, at->place);
    }
}

#endif
