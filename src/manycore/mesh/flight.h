/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets in flight.
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
 * at most; where routers move one packet a cycle in all (`mesh.selection`), a packet flies through those alone in which
 * nothing else asks for anything. What goes over a link to another block does so in the order in which routers decide.
 *
 * The list of a block has two ends. From its beginning on lie those that will reach another router of the block; from
 * its end on those for which the next cycle is their last one here: they are at the tile that they go to, or cross to
 * another block or come from one. Those that have landed stay in the list until it is gone through.
 */
#ifndef MANYCORE_FLIGHT_H
#define MANYCORE_FLIGHT_H

#include "manycore/mesh/mesh.h"

/* flight.c: puts the packet in flight that is at a router into its queue. */
MNP_DEVICE void manycore_flight_land(struct manycore_block *block, uint32_t place);

/* The same for all, and the list is empty. */
MNP_DEVICE void manycore_flights_land(struct manycore_block *block);

/* flight_cycle.c: before a cycle is decided those whose last cycle it is leave their routers. Result: how many of them
 * have become moves, which are in no order. */
MNP_DEVICE uint32_t manycore_flights_end(struct manycore_block *block, uint64_t cycle);

/* When it has been decided they reach core or bank, and the others the next router. */
MNP_DEVICE void manycore_flights_go_on(struct manycore_block *block, uint64_t cycle);

/* Whether a packet that asks for an output would have to compete for it. */
MNP_INLINE static bool is_asked(const struct mesh *mesh, const struct seat *at, uint32_t out)
{
    uint32_t asked = at->node->claims.asked;
    return mesh->single ? asked != 0 : asked >> out & 1;
}

/* Whether a packet in flight may leave a router that it reaches through an output. The one that has flown there before
 * it may still queue beyond and take its credit: inside the block a second one must be there. */
MNP_INLINE static bool may_leave(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t out)
{
    return !is_asked(mesh, at, out) &&
           (out == MANYCORE_LOCAL || at->router->credits[out][queue % 2] > !leads_outside(at, out));
}

/* Hops of a packet in the direction of an output. */
MNP_INLINE static uint32_t straight_on(const struct seat *at, uint32_t out, struct manycore_point to)
{
    const struct manycore_around *here = &at->node->around;
    uint32_t x = to.x > here->x ? to.x - here->x : here->x - to.x;
    uint32_t y = to.y > here->y ? to.y - here->y : here->y - to.y;
    return out % 2 ? x : y;
}

/* A place in the list. `ends`: the next cycle is the last one. */
MNP_INLINE static struct manycore_flight *flight_place(struct manycore_block *block, bool ends)
{
    return &block->flights[ends ? block->flight_room - ++block->ending_count : block->flight_count++];
}

/* Notes a packet in flight at its router. */
MNP_INLINE static void hover(const struct mesh *mesh, const struct seat *at, const struct manycore_flight *flight)
{
    at->node->claims.flight = (uint16_t)(flight - mesh->flights + 1);
}

/* Lets a packet fly that reaches a router, if it may. `cycle`: in which it goes on. */
MNP_INLINE static bool take_off(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                const struct manycore_packet *packet, uint64_t cycle)
{
    struct manycore_block *block = mesh->block;
    struct manycore_claims *claims = &at->node->claims;
    if (at->router->count[queue] | claims->flight | claims->coming ||
        block->flight_count + block->ending_count == block->flight_room)
        return false;
    struct manycore_point to = mesh->points[packet->to];
    uint32_t out = route(mesh, &at->node->around, to);
    if (!may_leave(mesh, at, queue, out))
        return false;
    bool crosses = leads_outside(at, queue / 2) || leads_outside(at, out);
    struct manycore_flight *flight = flight_place(block, crosses || out == MANYCORE_LOCAL);
    *flight = (struct manycore_flight){
        *packet, (uint16_t)at->place, (uint8_t)queue, (uint8_t)out, to, (uint8_t)straight_on(at, out, to), crosses};
    hover(mesh, at, flight);
    block->flight_cycle = cycle;
    return true;
}

/* A packet reaches a router in which another one is in flight, which lands if they might meet. */
MNP_INLINE static void meet(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                            const struct manycore_packet *packet, bool is_ready)
{
    const struct manycore_flight *flight = &mesh->flights[at->node->claims.flight - 1];
    if (mesh->single || !is_ready || flight->queue == queue || flight->out == route_of(mesh, at, packet))
        manycore_flight_land(mesh->block, at->place);
}

/* A packet reaches a router, where it is looked at from `cycle` on. */
MNP_STEP static void append(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                            const struct manycore_packet *packet, uint64_t ready, uint64_t cycle)
{
    if (mesh->flights && at->node->claims.flight && at->router->count[queue] == 0)
        meet(mesh, at, queue, packet, ready == cycle);
    line_up(mesh, at, queue, packet, ready, cycle);
}

#endif
