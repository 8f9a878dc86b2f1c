/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bits that toggle in the data of a memory partition (energy.values), of a machine that executes. Sectors pass through
 * a slice, and over the DRAM channel, one after another on the same wires. The bits in which a sector differs from the
 * one before it have toggled. Of energy.values consecutive sectors of a slice or of the channel one is compared with
 * the one before it; its place depends on the numbers of partition and slice, and on how many have passed. Until the
 * next one is compared, all have its activity, in 64ths of what random data have.
 *
 * Sectors of a slice are those of reads, writes and atomics, in the order of their look-ups; an atomic finds a sector
 * as it was, and the next sector follows what it has left there. Sectors of the channel are those that reads and
 * atomics fetch, in the order in which they are asked for, and, apart from these, sectors that slices write back, in
 * the order in which they leave the slices, as the channel writes them in batches. Code is not looked at, and counts
 * as random.
 */
#ifndef MNP_GPU_PARTITION_ACTIVITY_H
#define MNP_GPU_PARTITION_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_partition;
struct gpu_transaction;
struct mnp_arena;

/* Counters behind the partition's own, from gpu_partition_parameters.energy_counters on. */
enum gpu_activity_counter {
    GPU_ACTIVITY_L2_TOGGLED,
    GPU_ACTIVITY_L2_COMPARED,
    GPU_ACTIVITY_DRAM_TOGGLED,
    GPU_ACTIVITY_DRAM_COMPARED,
    GPU_ACTIVITY_L2, /* sectors looked up, filled and written back, times their activity */
    GPU_ACTIVITY_DRAM_READS,
    GPU_ACTIVITY_DRAM_WRITES,
    GPU_ACTIVITY_REPLIES, /* bytes of replies, times their activity */
    GPU_ACTIVITY_COUNTERS
};

struct gpu_stream {    /* sectors that follow one another; in the arena */
    uint64_t last;     /* address of the last one, plus one; 0: there was none */
    uint64_t passed;   /* number of those that have passed */
    uint64_t look;     /* number of the next one that is compared with the one before it */
    uint64_t activity; /* activity of the last one that was compared; before that, that of random data */
};

/* Takes the streams from the arena, if values are looked at: one for each slice, and two for the channel. */
void gpu_activity_lay_out(struct gpu_partition *partition, struct mnp_arena *arena);

/* Sets their first state. */
void gpu_activity_start(struct gpu_partition *partition);

/* The rest is called only where partition->streams is not NULL. */

/* A transaction has been looked up in a slice. */
void gpu_activity_look_up(struct gpu_partition *partition, uint32_t slice, const struct gpu_transaction *transaction);

/* A read, write or atomic fetches sectors of its line from DRAM; `fetched`: their mask. */
void gpu_activity_fetch(struct gpu_partition *partition, const struct gpu_transaction *transaction, uint32_t fetched);

/* A sector comes from DRAM into a slice, which a kernel slot pays for. */
void gpu_activity_fill(struct gpu_partition *partition, uint32_t kernel);

/* Sectors of a line are written back, at the machine's expense. `local`: its address inside the slice; `sectors`: their
 * mask. */
void gpu_activity_write_back(struct gpu_partition *partition, uint32_t slice, uint64_t local, uint32_t sectors);

/* The channel moves a sector of data. */
void gpu_activity_move(struct gpu_partition *partition, uint32_t kernel, bool write);

/* A reply of so many bytes leaves a slice. Returns what the packet states of it (gpu_reply.activity). */
uint8_t gpu_activity_reply(struct gpu_partition *partition, uint32_t slice, const struct gpu_transaction *transaction,
                           uint64_t bytes);

#endif
