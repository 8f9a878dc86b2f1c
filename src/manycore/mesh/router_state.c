/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the routers of a block: how it begins, and the one form of what it means. */
#include "manycore/mesh/flight.h"

#include <string.h>

/* Around the rings of a torus, too, if they lie in it as a whole. */
MNP_APART void manycore_router_look_around(struct manycore_block *block)
{
    const struct manycore_mesh_shape *shape = &block->shape;
    uint32_t columns = block->columns, rows = block->rows, across = block->across, down = block->down;
    bool ring_x = shape->torus && columns == shape->width, ring_y = shape->torus && rows == shape->height;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < columns; x++) {
            uint32_t place = y * down + x * across;
            const uint32_t next[4] = {[MANYCORE_NORTH] = y        ? place - down
                                                         : ring_y ? place + (rows - 1) * down
                                                                  : UINT32_MAX,
                                      [MANYCORE_EAST] = x + 1 < columns ? place + across
                                                        : ring_x        ? y * down
                                                                        : UINT32_MAX,
                                      [MANYCORE_SOUTH] = y + 1 < rows ? place + down
                                                         : ring_y     ? x * across
                                                                      : UINT32_MAX,
                                      [MANYCORE_WEST] = x        ? place - across
                                                        : ring_x ? place + (columns - 1) * across
                                                                 : UINT32_MAX};
            struct manycore_node *node = &block->node[place];
            node->around.x = (uint8_t)(block->left + x);
            node->around.y = (uint8_t)(block->top + y);
            node->claims.outside = 0;
            for (uint32_t out = 0; out < 4; out++) {
                bool outside = next[out] == UINT32_MAX;
                node->around.next[out] = (uint16_t)(outside ? MANYCORE_OUTSIDE : next[out]);
                node->claims.outside |= (uint8_t)(outside << out);
            }
        }
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
                                                .torus = p->mesh_torus,
                                                .single = p->mesh_selection == MANYCORE_SELECT_ONE};
    manycore_router_look_around(block);
    for (uint32_t place = 0; place < block->tiles; place++)
        block->node[place].use.blocked_since = UINT64_MAX;
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

void manycore_router_land(struct manycore_block *block)
{
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    if (mesh.flights)
        manycore_flights_land(block);
    for (; block->reply_count; block->reply_count--) {
        const struct seat at = seat_of(&mesh, block->replies[block->reply_first] & 0xFFFF);
        look_at_first(&mesh, &at, BANK, first_of(&mesh, &at, BANK), (block->replies[block->reply_first] >> 16) - 1);
        wake(&mesh, at.place);
        block->reply_first = block->reply_first + 1 == block->tiles ? 0 : block->reply_first + 1;
    }
}

void manycore_router_settle(struct manycore_block *block)
{
    const struct mesh mesh = mesh_of(block, block->shape.torus);
    manycore_router_land(block);
    for (uint32_t place = 0; place < block->tiles; place++)
        for (uint32_t queue = 0; queue < mesh.places / mesh.depth; queue++)
            tidy(&mesh, place, queue);
}
#endif
