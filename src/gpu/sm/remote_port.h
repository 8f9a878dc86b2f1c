/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SM's ports to the SM-to-SM network (gpu/sm2sm.h). A port serves packets in order of their coming, each at once
 * when it is free, and is then occupied for the packet's bytes. As this order is known when a packet comes, its
 * departure is, too, and no queue has to be visited.
 */
#ifdef SM_STAGE_ROWS
SM_STAGE_STATE(remote)
SM_STAGE_OWN(remote)
SM_STAGE_INIT(remote)
SM_STAGE_FREEZES(remote)
SM_STAGE_PORT(SM_REMOTE_OUT,
              MNP_OPTIONAL_OUT_ROW("remote requests out", "sm", gpu_remote,
                                   "accesses to shared memory of other SMs of the GPC, by their places there"))
SM_STAGE_PORT(SM_REMOTE_IN, MNP_OPTIONAL_IN_ROW("remote requests", "sm", gpu_remote, "such accesses of others"))
SM_STAGE_PORT(SM_ANSWERS_OUT, MNP_OPTIONAL_OUT_ROW("remote answers out", "sm", gpu_remote,
                                                   "what these have read, or that they are done"))
SM_STAGE_PORT(SM_ANSWERS_IN, MNP_OPTIONAL_IN_ROW("remote answers", "sm", gpu_remote, "the same of its own"))
SM_STAGE_HEARS(remote, SM_REMOTE_IN)
SM_STAGE_HEARS(remote, SM_ANSWERS_IN)
SM_STAGE_STATISTIC(SM_REMOTE_ACCESSES,
                   MNP_COUNTER_ROW("sm_to_sm_accesses", "instruction",
                                   "warp instructions that accessed shared memory of other SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_PACKETS,
                   MNP_COUNTER_ROW("sm_to_sm_packets", "packet",
                                   "requests and answers, and news of barriers, that SMs sent to SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_BYTES,
                   MNP_COUNTER_ROW("sm_to_sm_bytes", "byte", "that these took of the ports between SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_WAIT, MNP_COUNTER_ROW("sm_to_sm_wait_cycles", "cycle",
                                                   "core cycles that they waited for these ports, summed"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("remote", "", "ports to the SM-to-SM network, requests that have not been answered"))
#elif !defined(GPU_SM_REMOTE_PORT_H)
#define GPU_SM_REMOTE_PORT_H

#include "engine/core/unit.h"
#include "gpu/packets.h"
#include "gpu/sm2sm.h"

struct sm;

struct sm_peers { /* what an SM is told of the others of its GPC */
    const struct gpu_sm2sm_parameters *parameters;
    uint64_t hertz;   /* of the network */
    uint64_t barrier; /* core cycles: sm2sm.barrier */
    uint32_t count;   /* of SMs, itself included; 0: there is no network between them */
};

struct sm_remote_state {
    mnp_time out_free, in_free; /* the ports are free again */
    uint32_t credits;           /* packets that may still be under way */
    uint32_t reserved;
};

struct sm_remote { /* fixed by the machine */
    const struct gpu_sm2sm_parameters *parameters;
    struct mnp_link **requests, **answers; /* outgoing, by place in the GPC */
    mnp_time byte_time;                    /* that 1024 bytes occupy a port */
    mnp_time backlog;                      /* of the port, from which on the memory pipeline waits */
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
