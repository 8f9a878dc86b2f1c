/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hub of a device: the group of ports by which it reaches the memory of other devices, and they its memory.
 *
 *   own SMs → GPC → hub → lane → hub of the home → partition → hub → lane → hub → GPC → SM
 *
 * To the crossbar a hub is one more partition for the device's GPCs, and one more GPC for its partitions, with the same
 * ports, credits and queues. Lines of other devices are kept by the L2 of their home alone, and pass here.
 *
 * A request takes a place in the hub's table until its reply comes; lines are spread over the lanes that lead to their
 * home, so that accesses to one line stay in their order. A lane has a queue for each channel at its sender, and one,
 * with credits, at its receiver (gpu/hub/lane.h). Replies can always leave: requests never fill their queues.
 *
 * Values (gpu_values) go ahead of the packets that they belong to, on links of their own.
 */
#ifndef GPU_HUB_H
#define GPU_HUB_H

#include "contract/live.h"
#include "contract/space.h"
#include "engine/core/engine.h"
#include "gpu/hub/lane.h"
#include "parts/address_map.h"

extern const struct mnp_model gpu_hub_model;

enum { GPU_HUB_LINKS = 18 /* links with statistics of their own: as many as an H100 has */ };

enum gpu_hub_statistic {
    GPU_HUB_READS,
    GPU_HUB_WRITES,
    GPU_HUB_ATOMICS,
    GPU_HUB_ANSWERED,
    GPU_HUB_LATENCY,
    GPU_HUB_MEAN_LATENCY,
    GPU_HUB_MOST_LATENCY,
    GPU_HUB_SERVED,
    GPU_HUB_PACKETS_OUT,
    GPU_HUB_PACKETS_IN,
    GPU_HUB_DATA_OUT,
    GPU_HUB_DATA_IN,
    GPU_HUB_BYTES_OUT,
    GPU_HUB_BYTES_IN,
    GPU_HUB_PEAK,
    GPU_HUB_OUT_UTILISATION,
    GPU_HUB_IN_UTILISATION,
    GPU_HUB_READ_BYTES, /* bytes sent, by kind of packet; they add up to GPU_HUB_BYTES_OUT */
    GPU_HUB_WRITE_BYTES,
    GPU_HUB_ATOMIC_BYTES,
    GPU_HUB_REPLY_BYTES,
    GPU_HUB_ACKNOWLEDGEMENT_BYTES,
    GPU_HUB_PAYLOAD,
    GPU_HUB_QUEUE_WAIT,
    GPU_HUB_DATA_TO, /* first of the rows for each device */
    GPU_HUB_DATA_TO_LAST = GPU_HUB_DATA_TO + MNP_SPACE_DEVICES - 1,
    GPU_HUB_COPIED_TO, /* likewise */
    GPU_HUB_COPIED_TO_LAST = GPU_HUB_COPIED_TO + MNP_SPACE_DEVICES - 1,
    GPU_HUB_DATA_TO_MANY,
    GPU_HUB_LINK_PEAK,
    GPU_HUB_LINK_OUT, /* first of a row for each link; the last one is for all others */
    GPU_HUB_LINK_OUT_LAST = GPU_HUB_LINK_OUT + GPU_HUB_LINKS,
    GPU_HUB_LINK_IN, /* likewise */
    GPU_HUB_LINK_IN_LAST = GPU_HUB_LINK_IN + GPU_HUB_LINKS,
    GPU_HUB_LATENCIES, /* a histogram, and so the last */
    GPU_HUB_STATISTICS
};

/* The lanes of a device. */
struct gpu_hub_lanes {
    const struct gpu_lane_parameters *parameters; /* lane parameters; stay valid */
    uint32_t count;
    struct {
        uint32_t first, count; /* 0: none leads there */
    } to[MNP_SPACE_DEVICES];
    uint32_t buffer;      /* flits of a channel at a receiver */
    uint32_t queue;       /* packets of a channel at a sender */
    uint32_t outstanding; /* requests under way */
};

struct gpu_hub_config {
    const struct gpu_network_parameters *network; /* these four stay valid */
    const struct mnp_address_map *map;
    const struct gpu_hub_lanes *lanes;
    const uint16_t *gpc_of;                  /* [sms] */
    const struct mnp_multicasts *multicasts; /* stay valid; NULL: there are none */
    mnp_live_combine *combine;               /* NULL: nothing loads multicast objects */
    uint32_t device, devices;
    uint32_t gpcs, partitions, sms;
    uint32_t request_credits, reply_credits; /* between hub and GPCs or partitions, at most */
    uint64_t hertz;                          /* network clock */
    uint32_t slots;                          /* kernel slots */
};

struct gpu_hub;

struct gpu_hub *gpu_hub_create(struct mnp_engine *engine, const struct gpu_hub_config *config);
void gpu_hub_release(struct gpu_hub *hub);

struct mnp_unit *gpu_hub_unit(const struct gpu_hub *hub);

/* The sender of a lane. */
struct gpu_lane *gpu_hub_sender(const struct gpu_hub *hub, uint32_t lane);

#endif
