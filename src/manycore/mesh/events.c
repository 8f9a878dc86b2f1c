/* SPDX-License-Identifier: BSD-3-Clause */
/* When the cores of a block act next: a heap of (cycle, place). It follows from their clocks and is no state. */
#include "manycore/mesh/block.h"

MNP_APART void manycore_event_add(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    uint64_t key = cycle << 16 | place, *heap = block->heap;
    uint32_t at = block->heap_count++;
    for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
}

MNP_APART uint32_t manycore_event_take(struct manycore_block *block)
{
    uint64_t *heap = block->heap, first = heap[0], key = heap[--block->heap_count];
    uint32_t count = block->heap_count, at = 0;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= key)
            break;
        heap[at] = heap[child];
    }
    if (count)
        heap[at] = key;
    return (uint32_t)(first & 0xFFFF);
}
