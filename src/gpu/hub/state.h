/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a hub. */
#ifndef GPU_HUB_STATE_H
#define GPU_HUB_STATE_H

#include "gpu/hub/hub.h"
#include "parts/queue.h"

struct gpu_hub_entry { /* entry of the table: a request without a reply so far */
    uint64_t line;
    uint64_t taken; /* network cycle in which it came from its GPC */
    uint32_t tag;
    uint16_t sm, kernel;
};

struct gpu_hub_request { /* in the queue of a GPC */
    struct gpu_request packet;
    uint64_t taken;
};

struct gpu_hub_source { /* a GPC, or a partition */
    struct mnp_queue queue;
    uint64_t until;   /* the port towards it is occupied up to this cycle */
    uint32_t credits; /* held for what goes to it */
    uint32_t owed;    /* for what has come from it */
};

struct gpu_hub_leaving { /* in the queue of a lane */
    struct gpu_transfer packet;
    uint64_t taken;
    uint32_t kernel; /* kernel slot that pays for it */
    uint32_t reserved;
};

struct gpu_hub_lane {
    struct gpu_lane sender;
    struct mnp_queue out[GPU_CHANNELS], in[GPU_CHANNELS];
    uint32_t owed[GPU_CHANNELS]; /* flits */
};

struct gpu_hub_totals {
    struct mnp_pool pool; /* pool of the table */
    uint64_t counted;     /* network cycles counted as passed */
    uint64_t gathered;    /* sum over the values that are being gathered, for the state's hash */
};

enum gpu_hub_ports { /* rows of the table of ports */
                     GPU_HUB_REQUESTS,
                     GPU_HUB_REQUEST_CREDITS,
                     GPU_HUB_REPLIES,
                     GPU_HUB_REPLY_CREDITS,
                     GPU_HUB_VALUES,
                     GPU_HUB_RESULTS,
                     GPU_HUB_HOME_REQUESTS,
                     GPU_HUB_HOME_REQUEST_CREDITS,
                     GPU_HUB_HOME_REPLIES,
                     GPU_HUB_HOME_REPLY_CREDITS,
                     GPU_HUB_HOME_VALUES,
                     GPU_HUB_HOME_RESULTS,
                     GPU_HUB_LANES_OUT,
                     GPU_HUB_LANES_IN,
                     GPU_HUB_LANE_CREDITS_OUT,
                     GPU_HUB_LANE_CREDITS_IN,
                     GPU_HUB_FAR_VALUES_OUT,
                     GPU_HUB_FAR_VALUES_IN,
                     GPU_HUB_FAR_RESULTS_OUT,
                     GPU_HUB_FAR_RESULTS_IN,
                     GPU_HUB_PORTS
};

struct gpu_hub {
    struct gpu_hub_config config;
    struct mnp_unit *unit;
    uint32_t sources; /* GPCs, and behind them partitions */
    uint32_t request_cycles[GPU_LINE_SECTORS + 1], reply_cycles[GPU_LINE_SECTORS + 1]; /* cycles of crossbar ports */

    uint64_t next;             /* network cycle at which there is something to do; derivable */
    uint64_t known_to;         /* totals->counted of the state that it was made from */
    mnp_time now;              /* time of the cycle in progress */
    struct gpu_gather *gather; /* values of multicast objects that have come (gather.h) */

    /* In the arena. */
    struct gpu_hub_totals *totals;
    struct gpu_hub_entry *table; /* [outstanding] */
    uint32_t *next_entry;
    struct gpu_hub_source *source;    /* [sources] */
    struct gpu_hub_request *requests; /* [gpcs · request_credits] */
    struct gpu_reply *replies;        /* [partitions · reply_credits] */
    struct gpu_hub_lane *lane;        /* [lanes] */
    struct gpu_hub_leaving *out;      /* [lanes · channels · queue] */
    struct gpu_transfer *in;          /* [lanes · channels · buffer] */
};

mnp_layout gpu_hub_lay_out;
void gpu_hub_freeze(struct mnp_unit *unit);
mnp_time gpu_hub_advance(struct mnp_unit *unit, mnp_time until);
void gpu_hub_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);
void gpu_hub_report(const struct mnp_unit *unit, FILE *out);

/* arrivals.c: takes the packets that have come by `time`; they count from network cycle `cycle` on. */
void gpu_hub_take_packets(struct gpu_hub *hub, mnp_time time, uint64_t cycle);

/* The device that owns a line of a packet that has come from a GPC; MNP_SPACE_DEVICES: a multicast object. */
static inline uint32_t gpu_hub_home(const struct gpu_hub *hub, uint64_t line)
{
    const struct gpu_hub_config *config = &hub->config;
    return mnp_space_is_multicast(line) ? MNP_SPACE_DEVICES : mnp_space_home(line, config->devices, config->device);
}

static inline struct gpu_hub_request *gpu_hub_request_at(const struct gpu_hub *hub, uint32_t gpc, uint32_t place)
{
    return &hub->requests[(size_t)gpc * hub->config.request_credits + place];
}

static inline struct gpu_reply *gpu_hub_reply_at(const struct gpu_hub *hub, uint32_t partition, uint32_t place)
{
    return &hub->replies[(size_t)partition * hub->config.reply_credits + place];
}

static inline struct gpu_transfer *gpu_hub_in_at(const struct gpu_hub *hub, uint32_t lane, uint32_t channel,
                                                 uint32_t place)
{
    return &hub->in[((size_t)lane * GPU_CHANNELS + channel) * hub->config.lanes->buffer + place];
}

static inline struct gpu_hub_leaving *gpu_hub_out_at(const struct gpu_hub *hub, uint32_t lane, uint32_t channel,
                                                     uint32_t place)
{
    return &hub->out[((size_t)lane * GPU_CHANNELS + channel) * hub->config.lanes->queue + place];
}

static inline struct mnp_link *gpu_hub_link(const struct gpu_hub *hub, enum gpu_hub_ports port, uint32_t index)
{
    return hub->unit->ports[port].links[index];
}

#endif
