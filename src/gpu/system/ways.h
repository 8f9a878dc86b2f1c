/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways between the devices of a system, whose links carry packets of kernels and copies by engines. A way is everything
 * that leaves a device for switches, everything that comes from these to a device, or the straight links from one
 * device to another. Copies are no packets: whoever knows when they run (cudart/stream/link_copies.h) lends them a part
 * of a way's rate, between two runs of the engine, and subtracts the bytes of packets from what they could carry.
 */
#ifndef GPU_WAYS_H
#define GPU_WAYS_H

#include "gpu/system/system.h"

enum { GPU_WAY_ANY = MNP_SPACE_DEVICES /* by switches */ };

struct gpu_way {
    uint32_t from, to; /* devices; one of them may be GPU_WAY_ANY */
};

/* Bytes of packets that the links of a way have carried so far, headers included. */
uint64_t gpu_way_bytes(const struct gpu_system *system, struct gpu_way way);

/* Lends copies so many MB/s of each link of a way: less than its rate. 0: packets have all of it. */
void gpu_way_lend(struct gpu_system *system, struct gpu_way way, uint64_t rate);

/* Counts data that engines have copied from a device to another. */
void gpu_way_count(struct gpu_system *system, uint32_t from, uint32_t to, uint64_t bytes);

#endif
