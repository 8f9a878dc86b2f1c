/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports of units: links are made between them, as the tables of the two models say (engine/declare/model.h).
 *
 * What does not agree with the tables is a bug of the machine's, found while it is built: a port that is not declared,
 * two ports of one direction, another peer or another packet than the row names, a link connected twice, and, when the
 * machine is frozen, a link that is missing at a port that is not optional, or one that was made beside the ports.
 */
#ifndef MNP_ENGINE_CORE_PORT_H
#define MNP_ENGINE_CORE_PORT_H

#include "engine/core/engine.h"

/* One end of a link: the port of a unit, by its name, and the place among the links of that port. */
struct mnp_port_end {
    struct mnp_unit *unit;
    const char *port;
    uint32_t index;
};

static inline struct mnp_port_end mnp_at_port(struct mnp_unit *unit, const char *port, uint32_t index)
{
    return (struct mnp_port_end){.unit = unit, .port = port, .index = index};
}

/* Makes the next link of the machine, from a port that sends to one that takes. `in_flight`: packets that the protocol
 * allows in flight; where the receiver gives credits, these are the sender's. */
struct mnp_link *mnp_connect(struct mnp_engine *engine, struct mnp_port_end from, struct mnp_port_end to,
                             mnp_time latency, uint64_t in_flight);

/* The links of port number `port`, by index; NULL for those that are not connected. Their place in memory stays. */
static inline struct mnp_link **mnp_port_links(const struct mnp_unit *unit, uint32_t port)
{
    return unit->ports[port].links;
}

/* The only link of a port; NULL: an optional port is not connected. */
static inline struct mnp_link *mnp_port_link(const struct mnp_unit *unit, uint32_t port)
{
    return unit->ports[port].links[0];
}

/* Whether a port has a link. */
bool mnp_port_is_connected(const struct mnp_unit *unit, uint32_t port);

/* What stands at place `place` of a unit's inbox. */
static inline struct mnp_port_place mnp_port_of(const struct mnp_unit *unit, uint32_t place)
{
    return unit->incoming[place];
}

/* For the engine: gives a new unit its ports (`lengths`: links at each; NULL: one each); checks that all are connected;
 * gives them back. */
void mnp_ports_init(struct mnp_unit *unit, const uint32_t *lengths);
void mnp_ports_check(const struct mnp_unit *unit);
void mnp_ports_release(struct mnp_unit *unit);

#endif
