/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of links between ports, with a check of each against the tables of both models. */
#include "engine/core/port.h"

#include <string.h>

static const char *const directions[] = {[MNP_IN] = "takes packets in", [MNP_OUT] = "sends packets out"};

/* Compares two names. Equal literals usually have the same address, which avoids reading them. */
static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* Returns the port of a name and direction, or port_count if there is none. */
static uint32_t look_up(const struct mnp_model *model, const char *name, enum mnp_direction direction)
{
    const struct mnp_port *ports = model->ports;
    for (uint32_t i = 0; i < model->port_count; i++)
        if (ports[i].name == name && ports[i].direction == direction)
            return i;
    uint32_t port = 0;
    while (port < model->port_count && !(ports[port].direction == direction && same(ports[port].name, name)))
        port++;
    return port;
}

/* Returns the number of the port that an end names; an index out of range, or one in use, is a bug. */
static uint32_t find_port(const struct mnp_port_end *end, enum mnp_direction direction)
{
    const struct mnp_unit *unit = end->unit;
    const struct mnp_model *model = unit->model;
    uint32_t port = look_up(model, end->port, direction);
    enum mnp_direction other = direction == MNP_IN ? MNP_OUT : MNP_IN;
    MNP_REQUIRE(port < model->port_count || look_up(model, end->port, other) == model->port_count,
                "port \"%s\" of %s %s; connect a port that %s with one that %s", end->port, unit->name,
                directions[other], directions[MNP_OUT], directions[MNP_IN]);
    MNP_REQUIRE(port < model->port_count, "%s has no port \"%s\"; declare it in the table of model %s", unit->name,
                end->port, model->name);
    MNP_REQUIRE(end->index < unit->ports[port].length, "port \"%s\" of %s has %u links, and none of number %u",
                end->port, unit->name, unit->ports[port].length, end->index);
    MNP_REQUIRE(!unit->ports[port].links[end->index], "link %u of port \"%s\" of %s is connected twice", end->index,
                end->port, unit->name);
    return port;
}

static bool names(const struct mnp_port *port, const struct mnp_unit *unit)
{
    return !*port->peer || same(port->peer, unit->model->name);
}

/* Checks that two rows name each other's models, and packets of the same type and size. */
static void check_pair(const struct mnp_port_end *from, const struct mnp_port *out, const struct mnp_port_end *to,
                       const struct mnp_port *in)
{
    MNP_REQUIRE(names(out, to->unit), "port \"%s\" of %s is for a %s, which %s is not", out->name, from->unit->name,
                out->peer, to->unit->name);
    MNP_REQUIRE(names(in, from->unit), "port \"%s\" of %s is for a %s, which %s is not", in->name, to->unit->name,
                in->peer, from->unit->name);
    MNP_REQUIRE(same(out->packet, in->packet) && out->bytes == in->bytes,
                "port \"%s\" of %s sends %s of %u bytes, but port \"%s\" of %s takes %s of %u bytes", out->name,
                from->unit->name, out->packet, out->bytes, in->name, to->unit->name, in->packet, in->bytes);
}

struct mnp_link *mnp_connect(struct mnp_engine *engine, struct mnp_port_end from, struct mnp_port_end to,
                             mnp_time latency, uint64_t in_flight)
{
    uint32_t out = find_port(&from, MNP_OUT), in = find_port(&to, MNP_IN);
    const struct mnp_port *row = &from.unit->model->ports[out];
    check_pair(&from, row, &to, &to.unit->model->ports[in]);
    struct mnp_link *link = mnp_engine_add_link(engine, from.unit, to.unit, latency, row->bytes, (uint32_t)in_flight);
    from.unit->ports[out].links[from.index] = link;
    to.unit->ports[in].links[to.index] = link;
    to.unit->incoming[link->in_index] = (struct mnp_port_place){.port = in, .index = to.index};
    return link;
}
