/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/partition/copies.h"

enum { SECTORS = 4 /* of a line, at most */ };

/* A read from another part. */
static void read_copy(struct gpu_partition *partition, struct gpu_line_copies *copies, uint32_t part,
                      struct gpu_transaction *transaction, uint64_t cycle)
{
    uint32_t wanted = (uint32_t)transaction->sectors << SECTORS * part, missing = wanted & ~copies->sectors;
    if (missing) {
        copies->sectors |= wanted;
        copies->until = cycle + partition->config.far_cycles;
        gpu_partition_counters(partition, transaction->kernel)[GPU_L2_CROSSED] +=
            gpu_count_sectors(missing >> SECTORS * part);
    }
    transaction->crosses = missing != 0;
    transaction->far = copies->until > cycle;
    transaction->ready = copies->until;
}

void gpu_copies_use(struct gpu_partition *partition, uint32_t slice, uint32_t line, struct gpu_transaction *transaction,
                    uint64_t cycle)
{
    if (!partition->copies)
        return;
    struct gpu_line_copies *copies = &partition->copies[(size_t)slice * partition->copy_lines + line];
    uint32_t part = gpu_part_of(transaction->gpc, partition->config.gpcs, partition->config.parameters->halves);
    bool far = part != partition->part;
    if (transaction->kind == GPU_READ || transaction->kind == GPU_FETCH) {
        if (far)
            read_copy(partition, copies, part, transaction, cycle);
        return;
    }
    for (uint32_t each = 0; each < GPU_COPY_PARTS; each++)
        copies->sectors &= ~((uint32_t)transaction->sectors << SECTORS * each);
    transaction->far = transaction->crosses = far;
    transaction->ready = cycle + partition->config.far_cycles;
}
