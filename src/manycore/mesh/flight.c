/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets in flight (flight.h) land. */
#include "manycore/mesh/flight.h"

MNP_APART void manycore_flight_land(struct manycore_block *block, uint32_t place)
{
    const struct mesh mesh = mesh_of(block, false);
    const struct seat at = seat_of(&mesh, place);
    struct manycore_flight *flight = &mesh.flights[at.node->claims.flight - 1];
    uint32_t port = flight->queue / 2;
    at.node->claims.flight = 0;
    flight->out = MANYCORE_PORTS;
    if (port != MANYCORE_LOCAL && !leads_outside(&at, port))
        mesh.router[at.node->around.next[port]].credits[port ^ 2u][flight->queue % 2]--;
    line_up(&mesh, &at, flight->queue, &flight->packet, block->flight_cycle, block->flight_cycle);
}

MNP_APART void manycore_flights_land(struct manycore_block *block)
{
    struct manycore_flight *ending = block->flights + block->flight_room - block->ending_count;
    for (uint32_t i = 0; i < block->flight_count; i++)
        if (block->flights[i].out != MANYCORE_PORTS)
            manycore_flight_land(block, block->flights[i].place);
    for (uint32_t i = 0; i < block->ending_count; i++)
        if (ending[i].out != MANYCORE_PORTS)
            manycore_flight_land(block, ending[i].place);
    block->flight_count = block->ending_count = 0;
}
