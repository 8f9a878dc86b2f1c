/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports of units. Links connect ports, as declared in the tables of the two models (engine/declare/model.h).
 *
 * Any disagreement with the tables is a bug of the machine and is detected while it is built: an undeclared port, two
 * ports of the same direction, another peer or packet than declared, a link that is connected twice, and, when the
 * machine is frozen, a missing link at a port that is not optional, or a link that was made without ports.
 */
#ifndef MNP_ENGINE_CORE_PORT_H
#define MNP_ENGINE_CORE_PORT_H

#include "engine/core/engine.h"

/* One end of a link: the port of a unit, by name, and the index among the links of that port. */
struct mnp_port_end {
    struct mnp_unit *unit;
    const char *port;
    uint32_t index;
};

static inline struct mnp_port_end mnp_at_port(struct mnp_unit *unit, const char *port, uint32_t index)
{
    return (struct mnp_port_end){.unit = unit, .port = port, .index = index};
}

/* Creates the next link of the machine, from an output port to an input port. `in_flight`: maximum number of packets in
 * flight allowed by the protocol; if the receiver returns credits, the sender's initial credits. */
struct mnp_link *mnp_connect(struct mnp_engine *engine, struct mnp_port_end from, struct mnp_port_end to,
                             mnp_time latency, uint64_t in_flight);

/* The links of port number `port`, by index; NULL for unconnected ones. The array's address never changes. */
static inline struct mnp_link **mnp_port_links(const struct mnp_unit *unit, uint32_t port)
{
    return unit->ports[port].links;
}

/* The only link of a port; NULL if an optional port is not connected. */
static inline struct mnp_link *mnp_port_link(const struct mnp_unit *unit, uint32_t port)
{
    return unit->ports[port].links[0];
}

/* Whether a port has a link. */
bool mnp_port_is_connected(const struct mnp_unit *unit, uint32_t port);

/* The port and index of the link at position `place` of a unit's inbox. */
static inline struct mnp_port_place mnp_port_of(const struct mnp_unit *unit, uint32_t place)
{
    return unit->incoming[place];
}

/* For the engine: creates the ports of a new unit (`lengths`: number of links at each; NULL: one each); checks that all
 * are connected; frees them. */
void mnp_ports_init(struct mnp_unit *unit, const uint32_t *lengths);
void mnp_ports_check(const struct mnp_unit *unit);
void mnp_ports_release(struct mnp_unit *unit);

#endif
