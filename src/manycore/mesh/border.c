/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that leave a block over its links. */
#include "engine/core/unit.h"
#include "manycore/mesh/block.h"

static mnp_time time_of(const struct manycore_block *block, uint64_t cycle)
{
    return mnp_cursor_edge(&block->unit->clock, cycle);
}

/* A flit to the queue beyond an output, with nothing in it. */
static struct manycore_flit *send(struct manycore_block *block, uint32_t place, uint32_t out, uint32_t channel,
                                  uint64_t cycle)
{
    uint32_t width = block->shape.width, height = block->shape.height;
    uint32_t x = block->node[place].around.x, y = block->node[place].around.y;
    x = x + (out == MANYCORE_EAST) + (out == MANYCORE_WEST ? width - 1 : 0);
    y = y + (out == MANYCORE_SOUTH) + (out == MANYCORE_NORTH ? height - 1 : 0);
    struct manycore_flit *flit = mnp_link_send(block->out[out], time_of(block, cycle));
    flit->router = (uint16_t)((y >= height ? y - height : y) * width + (x >= width ? x - width : x));
    flit->port = (uint8_t)(out ^ 2u);
    flit->channel = (uint8_t)channel;
    return flit;
}

void manycore_border_pass(struct manycore_block *block, uint32_t place, uint32_t out, uint32_t channel,
                          const struct manycore_packet *packet, uint64_t cycle)
{
    send(block, place, out, channel, cycle)->packet = *packet;
}

void manycore_border_give(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel, uint64_t cycle)
{
    send(block, place, port, channel, cycle)->is_credit = 1;
}

void manycore_border_ask(struct manycore_block *block, const struct manycore_packet *packet, uint64_t cycle)
{
    struct manycore_packet *sent = mnp_link_send(block->out[MANYCORE_LOCAL], time_of(block, cycle));
    *sent = *packet;
    if (block->spins)
        manycore_poll_begin(block, sent);
}
