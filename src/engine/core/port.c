/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/port.h"

#include <stdlib.h>
#include <string.h>

void mnp_ports_init(struct mnp_unit *unit, const uint32_t *lengths)
{
    size_t count = unit->model->port_count, links = 0;
    for (size_t i = 0; i < count; i++)
        links += lengths ? lengths[i] : 1;
    if (links == 0)
        return;
    unit->ports = mnp_allocate(count, sizeof *unit->ports);
    unit->links = mnp_allocate(links, sizeof(struct mnp_link *));
    struct mnp_link **next = unit->links;
    for (size_t i = 0; i < count; i++) {
        unit->ports[i] = (struct mnp_port_links){.links = next, .length = lengths ? lengths[i] : 1};
        next += unit->ports[i].length;
    }
}

void mnp_ports_release(struct mnp_unit *unit)
{
    free((void *)unit->links);
    free(unit->ports);
    free(unit->incoming);
}

bool mnp_port_is_connected(const struct mnp_unit *unit, uint32_t port)
{
    for (uint32_t i = 0; i < unit->ports[port].length; i++)
        if (unit->ports[port].links[i])
            return true;
    return false;
}

void mnp_ports_check(const struct mnp_unit *unit)
{
    const struct mnp_model *model = unit->model;
    uint32_t connected = 0;
    for (size_t i = 0; i < model->port_count; i++) {
        const struct mnp_port *row = &model->ports[i];
        for (uint32_t k = 0; k < unit->ports[i].length; k++) {
            bool there = unit->ports[i].links[k] != NULL;
            connected += there;
            MNP_REQUIRE(there || row->optional,
                        "link %u of port \"%s\" of %s is not connected; connect it with a %s, or declare it optional",
                        k, row->name, unit->name, *row->peer ? row->peer : "unit");
        }
    }
    MNP_REQUIRE(connected == unit->inbox.count + unit->out_count,
                "%s has links beside its ports: declare a port for each in the table of model %s", unit->name,
                model->name);
}
