/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets in flight (flight.h) from cycle to cycle. */
#include "manycore/mesh/delivery.h"
#include "manycore/mesh/flight.h"

/* Updates a router that a packet in flight passes. */
MNP_INLINE static void pass_by(const struct manycore_block *block, uint32_t place, uint32_t queue, uint32_t out,
                               uint64_t cycle)
{
    struct manycore_use *use = &block->node[place].use;
    block->router[place].turn[turn_at(block->shape.single, out)] = turn_behind(queue, MANYCORE_MESH_QUEUES);
    use->out[out]++;
    if (use->blocked_since <= cycle) {
        use->blocked += cycle - use->blocked_since;
        use->blocked_since = cycle + 1;
    }
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
    manycore_flight_land(block, place);
    return false;
}

/* A packet in flight that comes from another block or goes to one becomes a move like others. */
MNP_DEVICE static struct manycore_move cross(struct manycore_block *block, const struct manycore_flight *flight)
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

MNP_APART uint32_t manycore_flights_end(struct manycore_block *block, uint64_t cycle)
{
    struct manycore_flight *end = block->flights + block->flight_room, *flight = end - block->ending_count;
    uint32_t moves = 0;
    for (; flight < end; flight++) {
        uint32_t queue = flight->queue, out = flight->out, place = flight->place;
        if (out == MANYCORE_PORTS ||
            (out == MANYCORE_LOCAL && queue % 2 == MANYCORE_REQUEST && !is_served(block, place)))
            continue;
        block->node[place].claims.flight = 0;
        pass_by(block, place, queue, out, cycle);
        if (!flight->crosses)
            continue;
        block->moves[moves++] = cross(block, flight);
        flight->out = MANYCORE_PORTS;
    }
    return moves;
}

/* A packet in flight must queue in the router that it reaches. One that is noted there has not left it yet, if it comes
 * later in the list. */
MNP_DEVICE __attribute__((noinline)) static void end_flight(struct manycore_block *block,
                                                            const struct manycore_flight *flight, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    uint32_t queue = flight->queue, out = flight->out, beyond = manycore_queue(out ^ 2u, queue % 2);
    const struct seat there = seat_of(&mesh, mesh.node[flight->place].around.next[out]);
    const struct manycore_flight *noted = &mesh.flights[there.node->claims.flight] - 1;
    mesh.router[flight->place].credits[out][queue % 2]--;
    if (noted > flight && noted < mesh.flights + block->flight_count)
        line_up(&mesh, &there, beyond, &flight->packet, cycle + 1, cycle + 1);
    else
        append(&mesh, &there, beyond, &flight->packet, cycle + 1, cycle + 1);
}

/* A packet in flight goes through the next router as through this one, and on inside of the block. */
MNP_INLINE static bool goes_straight(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t out)
{
    const struct manycore_claims *claims = &at->node->claims;
    return !(at->router->count[queue] | claims->flight | claims->coming) && !is_asked(mesh, at, out) &&
           !leads_outside(at, out) && at->router->credits[out][queue % 2] > 1;
}

/* Output that a packet in flight takes at the next router; MANYCORE_PORTS: it must queue there. */
MNP_INLINE static uint32_t way_on(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                  const struct manycore_flight *flight)
{
    if (at->router->count[queue] | at->node->claims.flight | at->node->claims.coming)
        return MANYCORE_PORTS;
    uint32_t out = flight->straight > 1 ? flight->out : route(mesh, &at->node->around, flight->to);
    return may_leave(mesh, at, queue, out) ? out : (uint32_t)MANYCORE_PORTS;
}

/* A packet in flight reaches a router in any other way. Result: whether it goes on as `to` in the list. */
MNP_DEVICE __attribute__((noinline)) static bool
turn_off(struct manycore_block *block, const struct manycore_flight *flight, struct manycore_flight *to, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    uint32_t out = flight->out, queue = manycore_queue(out ^ 2u, flight->queue % 2);
    const struct seat there = seat_of(&mesh, mesh.node[flight->place].around.next[out]);
    uint32_t way = way_on(&mesh, &there, queue, flight);
    if (way == MANYCORE_PORTS) {
        end_flight(block, flight, cycle);
        return false;
    }
    uint32_t straight = way == out ? flight->straight - 1u : straight_on(&there, way, flight->to);
    bool crosses = leads_outside(&there, way), ends = crosses || way == MANYCORE_LOCAL;
    to = ends ? &mesh.flights[block->flight_room - ++block->ending_count] : to;
    *to = *flight;
    to->place = (uint16_t)there.place;
    to->queue = (uint8_t)queue;
    to->out = (uint8_t)way;
    to->straight = (uint8_t)straight;
    to->crosses = crosses;
    hover(&mesh, &there, to);
    return !ends;
}

/* Delivers packets that have arrived at their tiles to core or bank. */
MNP_DEVICE static void deliver_ended(struct manycore_block *block, uint64_t cycle)
{
    struct manycore_flight *end = block->flights + block->flight_room, *flight = end - block->ending_count;
    block->ending_count = 0;
    for (; flight < end; flight++)
        if (flight->out != MANYCORE_PORTS)
            manycore_deliver(block, flight->place, &flight->packet, flight->queue % 2, cycle);
}

MNP_APART void manycore_flights_go_on(struct manycore_block *block, uint64_t cycle)
{
    const struct mesh mesh = mesh_of(block, false);
    struct manycore_flight *to = mesh.flights, *end = mesh.flights + block->flight_count;
    block->flight_cycle = cycle + 1;
    deliver_ended(block, cycle);
    for (struct manycore_flight *flight = mesh.flights; flight < end; flight++) {
        uint32_t out = flight->out, queue = flight->queue;
        if (out == MANYCORE_PORTS)
            continue;
        mesh.node[flight->place].claims.flight = 0;
        pass_by(block, flight->place, queue, out, cycle);
        const struct seat there = seat_of(&mesh, flight->place + (uint32_t)mesh.steps[out]);
        if (flight->straight > 1 && (queue / 2 ^ out) == 2 && goes_straight(&mesh, &there, queue, out)) {
            *to = *flight;
            to->place = (uint16_t)there.place;
            to->straight--;
            hover(&mesh, &there, to++);
        } else {
            to += turn_off(block, flight, to, cycle);
        }
    }
    block->flight_count = (uint32_t)(to - mesh.flights);
}
