/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of lines in the parts of a divided L2 (l2.halves, with l2.copies): each part serves its own GPCs, and a line
 * that belongs to another part is fetched from there when the part first reads it, and found in the nearer part from
 * then on (Jin et al., Uncovering Real GPU NoC Characteristics, MICRO 2024, for the H100). What is written is written
 * where it belongs, and copies of it are gone.
 *
 * There is no second set of caches: a slice remembers for each of its lines which sectors each part has read, and links
 * have the nearer way's latency. An answer that has to cross, for the first use, for writes and for atomics, waits
 * latency.l2_far less latency.l2 longer at the slice. A strong read of l2.strong_home, a write and an atomic look for
 * no copy and leave none in the nearer part, and wait as latency.l2_strong says, where it is stated.
 *
 * What a part has read takes room in it. Addresses are spread evenly over the parts, so that each part has as many of
 * its ways for lines that belong to one part as to another: of a set of a slice it has no more lines than an even share
 * of the ways. Beyond that it gives up the least recent of those that another part has, too; where there are none, it
 * does not keep what another part has, and gives up the least recent for what none has. A line that no other part has
 * is in the L2 no more then; one that others have is found there, by the part that it belongs to as well. So one SM
 * sees a capacity of one part, beyond which half of its lines come from the other part and half from DRAM
 * (HPMLL/NVIDIA-Hopper-Benchmark, a chase on an H800; RRZE-HPC/gpu-benches, gpu-latency on a GH200), and all SMs
 * together that of all parts (gpu-benches, gpu-l2-cache on an H100 and an H200). What is written, and not read since,
 * is where it belongs, and takes no such room.
 *
 * With l2.one_room no part has a share: a line takes a way of its set where it belongs and one more for each other part
 * that has read it. By symmetry the copies that other parts have of a set's lines stand for those that the set has of
 * theirs. Beyond the ways, the least recent line gives up a place: that of a part that has not used it last. A line
 * that gives up the place where it belongs is written back if it is dirty, for which the queue of misses must have
 * room; otherwise a more recent line gives up its place, or none does until a later access to the set.
 */
#ifndef MNP_GPU_PARTITION_COPIES_H
#define MNP_GPU_PARTITION_COPIES_H

#include "gpu/partition/state.h"

enum { GPU_COPY_PARTS = 8 /* parts of a divided L2 that can have copies: four sectors each in 32 bits */ };

/* Records in a transaction that finds its sectors in a line how the answer travels, and updates the copies of the line.
 * A read of sectors that are already on their way to its part waits for them. */
void gpu_copies_use(struct gpu_partition *partition, uint32_t slice, uint32_t line, struct gpu_transaction *transaction,
                    uint64_t cycle);

/* A line of a slice is given to something else. */
void gpu_copies_forget_line(struct gpu_partition *partition, uint32_t slice, uint32_t line);

static inline void gpu_copies_drop(struct gpu_partition *partition, uint32_t slice, uint32_t line)
{
    if (partition->copies)
        gpu_copies_forget_line(partition, slice, line);
}

/* All lines of a slice are. The partition keeps copies. */
void gpu_copies_forget(struct gpu_partition *partition, uint32_t slice);

#endif
