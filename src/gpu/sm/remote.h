/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SM's ports to the SM-to-SM network (gpu/sm2sm.h): accesses to the shared memory of other CTAs of a cluster.
 *
 * An access is split by target and by sector of 32 bytes, and each part is a packet. A port serves packets in order of
 * their coming, each at once when the port is free, which is then occupied for its bytes; as this order is known when a
 * packet comes, its departure is, too, and no queue has to be visited. The memory pipeline waits when the backlog of the
 * port is sm2sm.queue packets, or sm2sm.requests have not been answered.
 *
 * At the target an access is performed in the cycle in which it has come, when nobody else acts on that shared memory,
 * and its answer leaves when the packet has passed that SM's port.
 */
#ifndef GPU_SM_REMOTE_H
#define GPU_SM_REMOTE_H

#include "engine/core/time.h"
#include "gpu/packets.h"
#include "gpu/sm/lsu.h"
#include "gpu/sm2sm.h"

struct sm;

struct sm_remote_state {
    mnp_time out_free, in_free; /* the ports are free again */
    uint32_t credits;           /* packets that may still be under way */
    uint32_t reserved;
};

struct sm_remote { /* fixed by the machine */
    const struct gpu_sm2sm_parameters *parameters;
    struct mnp_link **requests, **answers; /* outgoing, by place in the GPC; NULL: there is no such network */
    mnp_time byte_time;                    /* that 1024 bytes occupy a port */
    mnp_time backlog;                      /* of the port, from which on the pipeline waits */
    uint32_t first_request, first_answer;  /* incoming, by place in the inbox; SM_NONE: there is no network */
    uint32_t peers;                        /* SMs of the GPC */
    uint64_t barrier;                      /* cycles */
};

/* The first cycle, from `ready` on, in which the pipeline may take an access with this ticket; SM_NOT_YET: an answer has
 * to come first, which wakes the pipeline. */
uint64_t sm_remote_ready_at(const struct sm *sm, uint16_t ticket, uint64_t ready);

/* The pipeline takes it: its packets leave. Returns its entry of the pending request table. */
uint16_t sm_remote_start(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle);

/* A packet has come. */
void sm_remote_request(struct sm *sm, uint32_t peer, const struct gpu_remote *packet, uint64_t cycle);
void sm_remote_answer(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle);

/* Sends a packet without data, which waits for nobody's answer: to the SM at a place of the GPC. */
void sm_remote_tell(struct sm *sm, uint32_t place, const struct gpu_remote *packet, uint64_t cycle);

#endif
