/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A GPC as a unit: the concentrator between its SMs and the crossbar.
 *
 * Towards memory: each SM has an input queue; the address map says to which partition and slice its first packet goes;
 * each partition has an output port, which takes one of the waiting SMs in turn (round-robin), if it holds a credit of
 * that partition, and is occupied for (header + data) / width cycles. An SM's queue passes one packet per cycle.
 * Towards the SMs: each SM has an output port of its own, before which replies queue in order of arrival. SMs always
 * accept replies, as they have asked for them. With gpc.reply_width all of these ports get so many bytes a cycle
 * together, in turn; a packet that does not fit into a cycle takes the rest out of the next ones.
 *
 * Unloaded, a packet leaves one cycle of the network clock after the edge at which it was taken, either way:
 * GPU_GPC_CYCLES.
 *
 * Order of calls: gpu_gpc_create for every GPC; connect its ports (tables.c), those to its SMs by the SM's number in
 * the GPC, those to partitions by the partition's number; run; gpu_gpc_release after the engine's release.
 */
#ifndef MNP_GPU_GPC_GPC_H
#define MNP_GPU_GPC_GPC_H

#include "engine/core/engine.h"
#include "gpu/network/network.h"
#include "parts/address_map.h"
#include "parts/cache/declare.h"

struct gpu_gpc_parameters {
    uint64_t count;
    struct mnp_cache_parameters code;
    struct mnp_list sms, groups;
    uint64_t port_sms;
    uint64_t reply_width; /* bytes per network cycle to all SMs of the GPC; 0: as many as their ports take */
    /* NULL: gpu_gpc_model; or with statistics behind its own: a counter of network cycles in which packets are in the
     * GPC, network cycles that pass, one that is computed; with `values`, activities of replies and requests; others */
    const struct mnp_model *model;
    bool values; /* whether values are looked at (energy.values) */
};

extern const struct mnp_model gpu_gpc_model;

enum gpu_gpc_statistic {
    GPU_PACKETS_TO_MEMORY,
    GPU_GPC_PACKETS_TO_SMS,
    GPU_GPC_REQUEST_WAIT,
    GPU_GPC_REPLY_WAIT,
    GPU_GPC_REQUEST_BUSY,
    GPU_GPC_REQUEST_CYCLES,
    GPU_GPC_REQUEST_UTILISATION,
    GPU_GPC_REPLY_BUSY,
    GPU_GPC_REPLY_CYCLES,
    GPU_GPC_REPLY_UTILISATION,
    GPU_GPC_TO_PARTITION_BYTES,
    GPU_GPC_TO_PARTITION_PEAK,
    GPU_GPC_TO_PARTITION_UTILISATION,
    GPU_GPC_TO_SM_BYTES,
    GPU_GPC_TO_SM_PEAK,
    GPU_GPC_TO_SM_UTILISATION,
    GPU_GPC_CODE_REQUESTS,
    GPU_GPC_CODE_MISSES,
    GPU_GPC_STATISTICS,
    /* Statistics behind its own, where there are any. */
    GPU_GPC_ACTIVE_CYCLES = GPU_GPC_STATISTICS,
    GPU_GPC_REPLY_ACTIVITY = GPU_GPC_ACTIVE_CYCLES + 3, /* with `values`: bytes of replies times gpu_reply.activity */
    GPU_GPC_REQUEST_ACTIVITY                            /* … and of requests */
};

struct gpu_gpc_config {
    const struct gpu_gpc_parameters *parameters; /* these three stay valid */
    const struct gpu_network_parameters *network;
    const struct mnp_address_map *map;
    uint32_t index;           /* number of the GPC */
    uint32_t first_sm, sms;   /* the GPC's SMs are first_sm … first_sm + sms - 1 */
    uint32_t partitions;      /* receivers: partitions, and behind them the hub of a fabric */
    uint32_t devices, device; /* number of devices that a fabric joins, and the device of this GPC; 0: no hub */
    bool multicast;           /* objects of several devices may be there: never where a trace is simulated */
    uint32_t sm_credits;      /* pool of each SM towards this GPC */
    uint32_t request_credits; /* pool of this GPC towards each partition, at most */
    uint32_t reply_credits;   /* pool of each partition towards this GPC, at most */
    uint32_t fetches;         /* packets of kind GPU_FETCH that an SM may have under way */
    uint32_t line;            /* bytes of a line of the L2 */
    bool touches;             /* SMs report lines of stretches that are passed over */
    uint64_t hertz;           /* network clock */
    uint32_t slots;           /* kernel slots */
};

enum { GPU_GPC_CYCLES = 1 }; /* network cycles inside an unloaded GPC, either way */

/* code.c: whether the GPC's cache of code can be built. */
bool gpu_gpc_code_check(const struct gpu_gpc_parameters *parameters, uint64_t line, struct mnp_error *error);

struct gpu_gpc;

struct gpu_gpc *gpu_gpc_create(struct mnp_engine *engine, const struct gpu_gpc_config *config);
void gpu_gpc_release(struct gpu_gpc *gpc);

/* code.c: a piece of code of `bytes`, as SMs ask for it, lies in the GPC's cache of code from now on. Between windows,
 * while nothing is under way. */
void gpu_gpc_warm_code(struct gpu_gpc *gpc, uint64_t address, uint64_t bytes);

struct mnp_unit *gpu_gpc_unit(const struct gpu_gpc *gpc);

#endif
