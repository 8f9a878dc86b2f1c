/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreements between GPCs and partitions: the widths of the crossbar's ports, the size of packets, and credits.
 *
 * A packet is a header, plus 32 bytes per sector if it carries data. It occupies a port for as many cycles as the port
 * needs for its bytes, so that contention occurs at the source port, in the GPC and at the destination port.
 *
 * Credits: a sender holds a pool of credits for each destination. Each packet takes one credit, and the receiver
 * returns it when the packet has left its input queue, in groups of `noc.credit_batch`. The pool is the modelled depth
 * of that queue plus the bandwidth × round trip: gpu_network_credits.
 */
#ifndef MNP_GPU_NETWORK_H
#define MNP_GPU_NETWORK_H

#include "engine/declare/model.h"
#include "gpu/network/packets.h"

enum {
    GPU_SECTOR = 32,
    GPU_LINE_SECTORS = 4, /* sectors of the longest line */
    GPU_LATENCY_BINS = 20 /* bins of latency histograms; the last one counts latencies of 2^18 cycles or more */
};

struct gpu_network_parameters {
    uint64_t request_width, reply_width; /* bytes per cycle of a port */
    uint64_t header;                     /* bytes of a packet besides its sectors */
    uint64_t queue;                      /* modelled depth of an input queue, packets */
    uint64_t credit_batch;               /* credits given back together */
    uint64_t ideal;                      /* packets occupy no port */
    uint64_t sm_width;                   /* bytes per cycle of an SM's port: request_width, or all of a packet */
};

extern const struct mnp_model gpu_network_model; /* used by no unit: its parameters belong to the two models */

/* Sectors in a mask of at most four: one look-up, as the host's baseline has no instruction for it. */
static inline uint32_t gpu_count_sectors(uint32_t mask)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (mask & 15) * 4) & 15;
}

/* Sectors of data that a request, or the reply to a request of that kind, carries. */
static inline uint32_t gpu_request_sectors(uint8_t kind, uint8_t sectors)
{
    return kind == GPU_READ || kind == GPU_FETCH ? 0 : gpu_count_sectors(sectors);
}

static inline uint32_t gpu_reply_sectors(uint8_t kind, uint8_t sectors)
{
    return kind == GPU_WRITE || kind == GPU_REDUCTION ? 0 : gpu_count_sectors(sectors);
}

/* Cycles of a network port of `width` bytes that a packet with so many sectors occupies; `sectors` is at most 4. */
static inline uint32_t gpu_network_port_cycles(const struct gpu_network_parameters *network, uint64_t width,
                                               uint32_t sectors)
{
    return network->ideal ? 0 : (uint32_t)((network->header + sectors * GPU_SECTOR + width - 1) / width);
}

/* Cycles for which a packet with so many sectors occupies a port `width` bytes wide; `sectors` is at most 4. */
static inline uint32_t gpu_port_cycles(uint64_t header, uint64_t width, uint32_t sectors)
{
    return (uint32_t)((header + sectors * GPU_SECTOR + width - 1) / width);
}

/* Bytes of a packet with so many sectors. */
static inline uint64_t gpu_packet_bytes(const struct gpu_network_parameters *network, uint32_t sectors)
{
    return network->header + (uint64_t)sectors * GPU_SECTOR;
}

/* Credits that a sender needs for a queue of the modelled depth behind a round trip of so many cycles, at one packet
 * per cycle: they neither cap the port nor add buffering. */
static inline uint32_t gpu_network_credits(const struct gpu_network_parameters *network, uint64_t round_trip)
{
    return (uint32_t)(network->queue + round_trip + network->credit_batch - 1);
}

#endif
