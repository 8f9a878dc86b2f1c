/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lane: one link between two devices, or a device and a switch, in one direction (an NVLink, a PCIe slot). It carries
 * packets one after another, each for the time of its flits. Two channels share it: requests, and replies, which never
 * wait for requests. A packet arrives with its last flit. The sender holds the flits of the receiver's buffers as
 * credits, one pool per channel, and takes those of a packet when it begins to send the packet.
 *
 * Packets are those of NVLink 1 (Foley and Danskin, IEEE Micro 37(2), 2017); nothing is published of later generations.
 * A packet has a header of one flit, one flit of byte enables if it writes part of a sector, and its data.
 */
#ifndef GPU_LANE_H
#define GPU_LANE_H

#include "engine/core/time.h"
#include "gpu/network/network.h"

#include <stdbool.h>

struct gpu_lane_parameters {
    uint64_t rate;            /* MB/s, that is, bytes per microsecond */
    uint64_t flit;            /* bytes */
    uint64_t header, enables; /* bytes of a packet besides its data; of byte enables, where a write has them */
    uint64_t request;         /* bytes of a request without data */
    uint64_t acknowledgement; /* bytes of a reply without data; 0: it takes no room */
    uint64_t payload;         /* bytes of data of a packet, at most */
    uint64_t queue;           /* flits of the modelled depth of a buffer */
};

struct gpu_lane { /* the sender's end, in its arena */
    mnp_time free;
    uint64_t sent;                  /* flits so far */
    uint64_t lent;                  /* MB/s that copies by engines take of the lane's rate (gpu/system/ways.h) */
    uint32_t credits[GPU_CHANNELS]; /* flits */
    uint32_t turn;                  /* number of the sender that is asked first */
    uint32_t reserved;
};

enum { GPU_LANE_BATCH = 8 /* flits given back together */ };

/* Whether a request writes a part of a sector. */
static inline bool gpu_lane_needs_enables(const struct gpu_transfer *packet)
{
    if (packet->kind != GPU_WRITE || packet->channel != GPU_CHANNEL_REQUESTS)
        return false;
    for (uint32_t sector = 0; sector < GPU_LINE_SECTORS; sector++)
        if (packet->sectors >> sector & 1 &&
            (uint32_t)(packet->bytes[sector / 2] >> sector % 2 * GPU_SECTOR) != UINT32_MAX)
            return true;
    return false;
}

/* The device that a packet goes to. */
static inline uint32_t gpu_lane_receiver(const struct gpu_transfer *packet)
{
    return packet->channel == GPU_CHANNEL_REPLIES ? packet->asker : packet->home;
}

/* Bytes of data that a packet carries. */
static inline uint32_t gpu_lane_data(const struct gpu_transfer *packet)
{
    bool reply = packet->channel == GPU_CHANNEL_REPLIES;
    return GPU_SECTOR * (reply ? gpu_reply_sectors(packet->kind, packet->sectors)
                               : gpu_request_sectors(packet->kind, packet->sectors));
}

static inline uint32_t gpu_lane_flits(const struct gpu_lane_parameters *p, const struct gpu_transfer *packet)
{
    uint64_t data = gpu_lane_data(packet), bytes;
    if (data)
        bytes =
            (data + p->payload - 1) / p->payload * p->header + data + (gpu_lane_needs_enables(packet) ? p->enables : 0);
    else
        bytes = packet->channel == GPU_CHANNEL_REPLIES ? p->acknowledgement : p->request;
    return (uint32_t)((bytes + p->flit - 1) / p->flit);
}

/* The time that so many flits take. */
static inline mnp_time gpu_lane_time(const struct gpu_lane_parameters *p, uint64_t flits)
{
    return flits * p->flit * (MNP_SECOND / 1000000) / p->rate;
}

/* Flits of the longest packet: of a line. */
static inline uint32_t gpu_lane_longest(const struct gpu_lane_parameters *p)
{
    struct gpu_transfer line = {.kind = GPU_WRITE, .sectors = (1 << GPU_LINE_SECTORS) - 1};
    return gpu_lane_flits(p, &line);
}

/* Flits of a buffer behind a lane: the modelled depth, and what the lane moves in a round trip. */
static inline uint32_t gpu_lane_buffer(const struct gpu_lane_parameters *p, mnp_time round_trip)
{
    return (uint32_t)(p->queue + round_trip / gpu_lane_time(p, 1) + 1 + GPU_LANE_BATCH + gpu_lane_longest(p));
}

/* Sends a packet of so many flits at `now` or when the lane is free, at the rate that copies leave; returns when its
 * last flit leaves. */
static inline mnp_time gpu_lane_take(const struct gpu_lane_parameters *p, struct gpu_lane *lane, uint32_t channel,
                                     uint32_t flits, mnp_time now)
{
    lane->credits[channel] -= flits;
    lane->sent += flits;
    lane->free =
        (lane->free > now ? lane->free : now) + flits * p->flit * (MNP_SECOND / 1000000) / (p->rate - lane->lent);
    return lane->free;
}

/* The cycle before whose end the lane is free. */
static inline uint64_t gpu_lane_cycle(const struct mnp_cursor *clock, mnp_time free)
{
    return mnp_cursor_cycle_at(clock, free + 1) - 1;
}

/* The lane, of `count`, that a line takes: neighbours take different ones, as do lines a power of two apart. */
static inline uint32_t gpu_lane_of(uint64_t line, uint32_t count)
{
    return (uint32_t)((line >> 7 ^ line >> 12 ^ line >> 17 ^ line >> 24) % count);
}

#endif
