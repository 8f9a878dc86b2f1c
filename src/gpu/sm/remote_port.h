/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SM's ports to the SM-to-SM network (gpu/network/sm2sm.h). A port serves packets in order of their coming, each at
 * once when it is free, and is then occupied for the packet's bytes. As this order is known when a packet comes, its
 * departure is, too, and no queue has to be visited.
 */
#ifndef GPU_SM_REMOTE_PORT_H
#define GPU_SM_REMOTE_PORT_H

#include "engine/core/unit.h"
#include "gpu/network/packets.h"
#include "gpu/network/sm2sm.h"

struct sm;

struct sm_peers { /* the other SMs of a GPC, as an SM knows them */
    const struct gpu_sm2sm_parameters *parameters;
    uint64_t hertz;   /* network clock */
    uint64_t barrier; /* core cycles: sm2sm.barrier */
    uint32_t count;   /* number of SMs, itself included; 0: there is no network between them */
};

struct sm_remote_state {
    mnp_time out_free, in_free; /* the ports are free again */
    uint32_t credits;           /* packets that may still be under way */
    uint32_t reserved;
};

struct sm_remote { /* fixed by the machine */
    const struct gpu_sm2sm_parameters *parameters;
    struct mnp_link **requests, **answers; /* outgoing, by place in the GPC */
    mnp_time byte_time;                    /* time for which 1024 bytes occupy a port */
    mnp_time backlog;                      /* backlog of the port from which on the memory pipeline waits */
    uint64_t barrier;                      /* cycles: sm2sm.barrier */
};

void sm_remote_init(struct sm *sm);
void sm_remote_freeze(struct sm *sm);

/* remote.c: a packet has come. */
void sm_remote_hear(struct sm *sm, struct mnp_port_place at, const struct gpu_remote *packet, uint64_t cycle);

/* A packet leaves as soon as the port is free: a request, which has asked for the cycle; or an answer, not before
 * `least`. `place`: of the SM that it goes to, in the GPC. */
void sm_remote_port_request(struct sm *sm, uint32_t place, const struct gpu_remote *packet, uint64_t cycle);
void sm_remote_port_answer(struct sm *sm, uint32_t place, const struct gpu_remote *packet, mnp_time least,
                           uint64_t cycle);

/* A request that has come passes the port. Returns the time at which it does. */
mnp_time sm_remote_port_take(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle);

/* Requests that may be under way beside those that are: some are sent; one has been answered. */
uint32_t sm_remote_port_credits(const struct sm *sm);
void sm_remote_port_use(struct sm *sm, uint32_t packets);
void sm_remote_port_give(struct sm *sm);

/* The first cycle from `ready` on in which the port has no backlog. */
uint64_t sm_remote_port_ready_at(const struct sm *sm, uint64_t ready);

#endif
