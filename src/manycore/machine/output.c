/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of programs is kept until the window's end, when it comes into the order of time. */
#include "base/allocate.h"
#include "manycore/core/access.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>

void manycore_output_keep(struct manycore_block *block, const struct manycore_output *output)
{
    if (block->output_count == block->output_capacity) {
        block->output_capacity = block->output_capacity ? 2 * block->output_capacity : 64;
        block->outputs = mnp_reallocate(block->outputs, block->output_capacity, sizeof *block->outputs);
    }
    block->outputs[block->output_count++] = *output;
    atomic_store_explicit(&block->machine->spoken, true, memory_order_relaxed);
}

bool manycore_output_put(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t address, uint32_t bytes)
{
    unsigned char *text = mnp_allocate(bytes ? bytes : 1, 1);
    if (!manycore_copy_out(&block->place[place], address, bytes, text)) {
        free(text);
        return false;
    }
    const struct manycore_output output = {
        .cycle = cycle, .tile = manycore_tile_of(block, place, block->shape.width), .bytes = bytes, .text = text};
    manycore_output_keep(block, &output);
    return true;
}
