/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a GPC. */
#ifndef MNP_GPU_GPC_STATE_H
#define MNP_GPU_GPC_STATE_H

#include "gpu/gpc/gpc.h"
#include "gpu/network/packets.h"
#include "parts/cache/cache.h"
#include "parts/queue.h"

struct gpu_gpc_request { /* request in the queue of a port */
    struct gpu_request packet;
    uint32_t partition;
    uint32_t sm;    /* SM in the GPC minus its port's number: 0 unless SMs share ports */
    uint64_t taken; /* network cycle from which it could leave */
};

struct gpu_gpc_reply { /* in a queue of replies */
    struct gpu_reply packet;
    uint64_t taken;
    uint32_t partition; /* to which its place is given back; GPU_GPC_OWN: none, the GPC has made it */
    uint32_t padding;
};

#define GPU_GPC_OWN UINT32_MAX

enum {
    GPU_GPC_LINES = 64, /* lines of code on their way */
    GPU_GPC_TOLD = 4096 /* lines remembered of those that SMs have reported last from passed-over stretches */
};

struct gpu_gpc_sm { /* the port of an SM, or of several (gpc.port_sms) */
    struct mnp_queue requests;
    struct mnp_chain replies;
    uint64_t next;  /* network cycle at which the next request may leave */
    uint64_t until; /* the port towards the SM is occupied up to this cycle */
    uint32_t owed;  /* credits, where it is of one SM */
    uint32_t reserved;
};

struct gpu_gpc_port { /* towards a partition */
    uint64_t until;   /* occupied up to this network cycle */
    uint32_t credits; /* held */
    uint32_t owed;    /* for replies of this partition */
    uint32_t turn;    /* the SM to be asked first */
    uint32_t waiting; /* SMs whose first request goes here */
};

struct gpu_gpc_totals {
    struct mnp_pool pool; /* pool of replies */
    uint64_t counted;     /* network cycles counted as passed */
};

struct gpu_gpc_reply_port { /* the one that all replies pass (gpc.reply_width) */
    uint64_t sent;          /* network cycles times its width, up to which it is occupied */
    uint32_t turn;          /* the SM's port to be asked first */
    uint32_t reserved;
};

struct gpu_gpc_touches { /* that may go on to a partition */
    uint64_t cycle;      /* network cycle in which `left` was counted */
    uint64_t left;
};

struct gpu_gpc_activity { /* network cycles in which packets are in the GPC */
    uint64_t since;       /* cycle from which they are not counted yet, plus one; 0: there are none */
    uint32_t requests;    /* in the queues of all ports */
    uint32_t kernel;      /* slot of the packet that came last, for whose kernel they count */
};

enum gpu_gpc_ports { /* rows of the table of ports */
                     GPU_GPC_SM_REQUESTS,
                     GPU_GPC_SM_CREDITS,
                     GPU_GPC_SM_REPLIES,
                     GPU_GPC_REQUESTS,
                     GPU_GPC_REQUEST_CREDITS,
                     GPU_GPC_REPLIES,
                     GPU_GPC_REPLY_CREDITS,
                     GPU_GPC_SM_VALUES,
                     GPU_GPC_SM_RESULTS,
                     GPU_GPC_VALUES,
                     GPU_GPC_RESULTS,
                     GPU_GPC_SM_TOUCHES,
                     GPU_GPC_TOUCHES,
                     GPU_GPC_PORTS
};

struct gpu_gpc {
    struct gpu_gpc_config config;
    struct mnp_unit *unit;
    uint32_t port_sms, sm_ports;   /* SMs of a port, and ports of SMs */
    uint32_t room;                 /* room in a port's queue of requests */
    uint32_t sm_words, port_words; /* words of bit masks: over ports of SMs, over partitions */
    uint32_t reply_capacity;
    uint64_t reply_width;                        /* gpc.reply_width, where packets occupy ports */
    uint32_t request_cycles[5], reply_cycles[5]; /* cycles that a port takes, by sectors of data */

    /* Links of the unit's ports. */
    struct mnp_link **sm_credits, **sm_replies;  /* by SM */
    struct mnp_link **requests, **reply_credits; /* by partition */
    struct mnp_link **values, **results;         /* by partition, by SM; of a machine that executes */
    struct mnp_link **touches;                   /* by partition; where stretches are passed over */

    uint64_t next;     /* network cycle at which there is something to do; derivable */
    uint64_t known_to; /* totals->counted of the state that these were made from */
    mnp_time leave;    /* time at which packets sent in the cycle in progress leave */

    /* In the arena. */
    struct gpu_gpc_totals *totals;
    struct gpu_gpc_activity *activity; /* NULL: nobody counts it */
    struct gpu_gpc_sm *sms;            /* [sm_ports] */
    struct gpu_gpc_reply_port *all;    /* NULL: replies are bounded by the ports of SMs alone */
    uint32_t *owed;                    /* [sms] credits, where SMs share ports; else NULL */
    struct gpu_gpc_port *ports;
    struct gpu_gpc_touches *may_touch; /* [partitions], where stretches are passed over */
    uint64_t *told; /* [GPU_GPC_TOLD] lines that were told of last: address, sectors, whether they were written */
    struct gpu_gpc_request *queued; /* [sm_ports · room] */
    struct gpu_gpc_reply *replies;  /* [reply_capacity] */
    uint32_t *next_reply;           /* chains of replies */
    uint64_t *fresh;                /* SMs whose first request has not asked for its port yet */
    uint64_t *waiting;              /* [partitions · sm_words] SMs whose first request waits for the port */
    uint64_t *active;               /* ports with waiting SMs and credits */
    uint64_t *answering;            /* SMs with replies */
    struct mnp_cache code;
    struct gpu_gpc_line *lines; /* [GPU_GPC_LINES] */
    uint32_t *line_tags;        /* [GPU_GPC_LINES][sms] tag of the SM that waits for the line, plus one */
};

/* The port of an SM of the GPC. */
static inline uint32_t gpu_gpc_port_of(const struct gpu_gpc *gpc, uint32_t sm)
{
    return __builtin_expect(gpc->owed != NULL, 0) ? sm / gpc->port_sms : sm;
}

/* Counts the cycles before `cycle` in which packets have been in the GPC. */
static inline void gpu_gpc_count_activity(const struct gpu_gpc *gpc, uint64_t cycle)
{
    struct gpu_gpc_activity *activity = gpc->activity;
    if (!activity->since)
        return;
    mnp_counters(gpc->unit, activity->kernel)[GPU_GPC_ACTIVE_CYCLES] += cycle + 1 - activity->since;
    activity->since = activity->requests || gpc->totals->pool.used ? cycle + 1 : 0;
}

/* A packet comes: called before it is in a queue. */
static inline void gpu_gpc_note_packet(const struct gpu_gpc *gpc, uint32_t kernel, uint64_t cycle)
{
    if (gpc->activity->kernel != kernel)
        gpu_gpc_count_activity(gpc, cycle);
    if (!gpc->activity->since)
        gpc->activity->since = cycle + 1;
    gpc->activity->kernel = kernel;
}

/* Appends a reply to the queue of an SM's port; `partition`: whose place it takes, or GPU_GPC_OWN. */
static inline void gpu_gpc_queue_reply(struct gpu_gpc *gpc, uint32_t sm, uint32_t partition,
                                       const struct gpu_reply *packet, uint64_t cycle)
{
    if (__builtin_expect(gpc->activity != NULL, 0))
        gpu_gpc_note_packet(gpc, partition == GPU_GPC_OWN ? gpc->activity->kernel : packet->kernel, cycle);
    uint32_t index = mnp_pool_take(&gpc->totals->pool, gpc->next_reply);
    gpc->replies[index] = (struct gpu_gpc_reply){.packet = *packet, .taken = cycle, .partition = partition};
    uint32_t port = gpu_gpc_port_of(gpc, sm);
    mnp_chain_append(&gpc->sms[port].replies, gpc->next_reply, index);
    gpc->answering[port / 64] |= UINT64_C(1) << port % 64;
}

/* code.c. A request for code: true when it goes no further. A reply with code, before it is passed on. */
bool gpu_gpc_code_request(struct gpu_gpc *gpc, uint32_t sm, const struct gpu_request *packet, uint64_t cycle);
void gpu_gpc_code_reply(struct gpu_gpc *gpc, const struct gpu_reply *packet, uint64_t cycle);
void gpu_gpc_code_lay_out(struct gpu_gpc *gpc, struct mnp_arena *arena);

mnp_layout gpu_gpc_lay_out;
void gpu_gpc_freeze(struct mnp_unit *unit);
mnp_time gpu_gpc_advance(struct mnp_unit *unit, mnp_time until);
void gpu_gpc_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);
bool gpu_gpc_wait(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait);
void gpu_gpc_report(const struct mnp_unit *unit, FILE *out);

#endif
