/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A memory partition: L2 slices with their queues, and one DRAM channel. A unit.
 *
 * The slices and the ports run on the L2 clock, the channel on the DRAM command clock. See slice.c for what a slice
 * does in a cycle, parts/dram/dram.h for the channel.
 *
 * Crossing the clocks: a sector leaves the slice at an edge of the L2 clock and reaches the channel at the first edge
 * of the DRAM clock that is not earlier. A read whose data have moved n DRAM cycles after that is released into the L2
 * domain K(n) L2 cycles after it left, K(n) = ceil((n + 1) · f_L2 / f_DRAM): enough under every phase of the two
 * clocks, so that an unloaded miss always costs the same number of L2 cycles.
 *
 * Latencies, in L2 cycles from the edge at which a request is taken to the one at which its reply leaves, unloaded:
 *   hit         l2.latency                                            gpu_partition_hit_cycles
 *   DRAM read   K(RCD + CL + burst) + dram_extra + l2.latency         gpu_partition_dram_cycles
 *
 * Order of calls: gpu_partition_create for every partition; connect its ports (tables.c), those to GPCs by the GPC's
 * number; run; gpu_partition_release after the engine's release.
 */
#ifndef MNP_GPU_PARTITION_PARTITION_H
#define MNP_GPU_PARTITION_PARTITION_H

#include "contract/live.h"
#include "engine/core/engine.h"
#include "engine/declare/declare.h"
#include "gpu/network/network.h"
#include "gpu/network/part_link.h"
#include "parts/address_map.h"
#include "parts/cache/declare.h"
#include "parts/dram/declare.h"

struct gpu_partition_parameters {
    /* Slices. */
    uint64_t count, slices, halves, copies, strong_home, one_room;
    struct mnp_cache_parameters cache; /* cache of a slice */
    uint64_t line, sector, fetch;
    uint64_t mshrs, coalesce, coalesce_writes, merge, waiters;
    uint64_t hash, set_hash, interleave; /* enum mnp_hash_kind; further numbers: */
    struct mnp_chosen hash_chosen, set_hash_chosen;
    struct mnp_list half_bits;
    uint64_t latency, port, request_port, packed_store, write_port, copy_port, atomic_cycles, link;
    uint64_t miss_queue, reply_queue;
    uint64_t channels;
    struct mnp_dram_parameters dram;
    const struct mnp_model *model; /* NULL: gpu_partition_model; or with statistics behind its own */
    /* Values follow from energy.values and are not parameters: one of so many sectors is compared with the one before
     * it; bits that toggle in random data, per mille; the place of the counters of activity.h. */
    uint32_t values, random;
    size_t energy_counters;
};

extern const struct mnp_model gpu_partition_model;

enum gpu_partition_statistic {
    GPU_L2_ACCESSES,
    GPU_L2_MISSES = GPU_L2_ACCESSES + MNP_CACHE_MISSES,
    GPU_L2_PENDING_HITS = GPU_L2_ACCESSES + MNP_CACHE_PENDING_HITS,
    GPU_L2_LAST = GPU_L2_ACCESSES + MNP_CACHE_LAST_STATISTIC,
    GPU_L2_RESERVATION_FAILS,
    GPU_L2_MISS_RATE,
    GPU_L2_REQUESTS,
    GPU_L2_READS,
    GPU_L2_READ_MISSES,
    GPU_L2_WRITES,
    GPU_L2_WRITE_MISSES,
    GPU_L2_ATOMICS,
    GPU_L2_FILLS,
    GPU_L2_EVICTIONS,
    GPU_L2_WRITEBACKS,
    GPU_L2_WARMED,
    GPU_L2_WARMED_CODE,
    GPU_L2_CROSSED,
    GPU_L2_STALL_RESERVED,
    GPU_L2_STALL_MSHR,
    GPU_L2_STALL_MISS_QUEUE,
    GPU_L2_STALL_REPLY,
    GPU_L2_BUSY,
    GPU_L2_CYCLES,
    GPU_L2_UTILISATION,
    GPU_PACKETS_TO_SIMT,
    GPU_L2_PORT_BUSY,
    GPU_L2_PORT_WAIT,
    GPU_L2_PORT_UTILISATION,
    GPU_DRAM, /* by enum mnp_dram_statistic */
    GPU_DRAM_LAST = GPU_DRAM + MNP_DRAM_LAST_STATISTIC,
    GPU_PARTITION_TO_GPC_BYTES,
    GPU_PARTITION_TO_GPC_PEAK,
    GPU_PARTITION_TO_GPC_UTILISATION,
    GPU_L2_FETCHES,
    GPU_L2_FETCH_MISSES,
    GPU_L2_READ_HITS,
    GPU_L2_WRITE_HITS,
    GPU_L2_FAIL_FIRST, /* by enum gpu_stall, from GPU_STALL_RESERVED on */
    GPU_L2_FAIL_LAST = GPU_L2_FAIL_FIRST + 3,
    GPU_L2_LINES,
    GPU_L2_LINK_BYTES,
    GPU_L2_LINK_WRITTEN,
    GPU_L2_LINK_PEAK,
    GPU_L2_LINK_UTILISATION,
#define GPU_PARTITION_STATISTIC(NUMBER, ROW) NUMBER,
#include "gpu/listeners/rows.h"
    GPU_L2_LATENCY, /* histograms: the number of the row, which is that of the first counter only for the first one */
    GPU_DRAM_LATENCY,
    GPU_PARTITION_STATISTICS
};

/* The first counters of the histograms. */
enum {
    GPU_L2_LATENCY_AT = MNP_HISTOGRAM_PLACE(GPU_L2_LATENCY, GPU_L2_LATENCY, GPU_LATENCY_BINS),
    GPU_DRAM_LATENCY_AT = MNP_HISTOGRAM_PLACE(GPU_DRAM_LATENCY, GPU_L2_LATENCY, GPU_LATENCY_BINS),
};

struct gpu_partition_config {
    const struct gpu_partition_parameters *parameters; /* these three stay valid */
    const struct gpu_network_parameters *network;
    const struct mnp_address_map *map; /* see gpu_partition_map */
    uint32_t index;                    /* number of the partition */
    uint32_t gpcs;                     /* senders: GPCs, and behind them … */
    uint32_t hubs;                     /* … those of a fabric */
    uint32_t sms;                      /* SMs of the device, if there is a hub */
    uint32_t request_credits;          /* pool of each GPC towards this partition, at most */
    uint32_t reply_credits;            /* pool of this partition towards each GPC, at most */
    uint64_t l2_hertz, dram_hertz;
    struct gpu_part_link link;      /* to GPCs of other parts of the L2 */
    uint64_t link_hertz, link_peak; /* for the statistic: bytes per cycle of that clock, for one partition of a part */
    uint64_t far_cycles;            /* L2 cycles by which an answer to another part is later; 0: parts keep no copies */
    uint64_t home_cycles;           /* the same of strong reads, writes and atomics; at most as many */
    uint64_t dram_extra;            /* L2 cycles added to every DRAM read, so that the stated latency.dram is met */
    uint32_t slots;                 /* kernel slots */
    bool code_is_warm;              /* the host has copied code through the L2, as its data (warm.c) */
    mnp_live_atomic *atomic;        /* NULL: the machine does not execute */
};

struct gpu_partition;

/* Gives DRAM timing that is not stated the values of dram.kind, at its command clock. */
bool gpu_partition_complete(struct gpu_partition_parameters *parameters, uint64_t dram_hertz, struct mnp_error *error);

/* Whether partitions with these parameters can be built; says why not, with the remedy. */
bool gpu_partition_check(const struct gpu_partition_parameters *parameters, struct mnp_error *error);

/* The address map that the parameters describe. */
void gpu_partition_map(const struct gpu_partition_parameters *parameters, struct mnp_address_map *map);

struct gpu_partition *gpu_partition_create(struct mnp_engine *engine, const struct gpu_partition_config *config);
void gpu_partition_release(struct gpu_partition *partition);

struct mnp_unit *gpu_partition_unit(const struct gpu_partition *partition);

/* Sets the overlay into which accesses write in an epoch, on a machine that executes. */
void gpu_partition_give_overlay(struct gpu_partition *partition, struct mnp_overlay *overlay);

/* Brings lines at these addresses into the L2, like lines that a host copy leaves there (warm.c). For calls from
 * outside, between runs of the engine. */
void gpu_partition_warm(struct gpu_partition *partition, uint64_t address, uint64_t bytes);

/* L2 cycles inside an unloaded partition. */
uint64_t gpu_partition_hit_cycles(const struct gpu_partition_parameters *parameters);
uint64_t gpu_partition_dram_cycles(const struct gpu_partition_parameters *parameters, uint64_t l2_hertz,
                                   uint64_t dram_hertz, bool row_open);

#endif
