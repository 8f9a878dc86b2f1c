/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of lines in the parts of a divided L2 (l2.halves, with l2.copies): each part serves its own GPCs, and a line
 * that belongs to another part is fetched from there when the part first reads it, and found in the nearer part from
 * then on (Jin et al., Uncovering Real GPU NoC Characteristics, MICRO 2024, for the H100). What is written is written
 * where it belongs, and copies of it are gone.
 *
 * There is no second set of caches: a slice remembers for each of its lines which sectors other parts have copies of,
 * and links have the nearer way's latency. An answer that has to cross, for the first use, for writes and for atomics,
 * waits latency.l2_far less latency.l2 longer at the slice. Copies live as long as the line, and take no room.
 */
#ifndef MNP_GPU_PARTITION_COPIES_H
#define MNP_GPU_PARTITION_COPIES_H

#include "gpu/partition/state.h"

enum { GPU_COPY_PARTS = 8 /* of a divided L2 that can have copies; four sectors each in 32 bits */ };

/* A transaction finds what it needs in a line of a slice: notes in it how its answer goes, and what it does to copies.
 * Who reads what is on its way to his part already waits for that. */
void gpu_copies_use(struct gpu_partition *partition, uint32_t slice, uint32_t line, struct gpu_transaction *transaction,
                    uint64_t cycle);

/* A line of a slice is given to something else. */
static inline void gpu_copies_drop(struct gpu_partition *partition, uint32_t slice, uint32_t line)
{
    if (partition->copies)
        partition->copies[(size_t)slice * partition->copy_lines + line] = (struct gpu_line_copies){0, 0, 0};
}

#endif
