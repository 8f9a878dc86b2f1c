/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SM-to-SM network of a GPC (Hopper and later), over which the CTAs of a cluster reach one another's shared memory.
 *
 * It has no unit of its own: two links lie between each pair of SMs of a GPC, one for requests and one for responses,
 * so that neither waits for the other. What the SMs share is the lanes of their CPC, and those are dealt out in turn
 * whether or not an SM has something to send (they are not work-conserving), so that each SM has a port of
 * lanes × width / SMs bytes per cycle of this network's clock, in either direction, and nobody else decides when a
 * packet leaves. A packet goes through at once when the port is free, and occupies it afterwards for its bytes.
 *
 * Latencies: each SM lies so many cycles from the middle of its GPC (sm2sm.reach), and an access from one SM to another
 * takes latency.sm_to_sm and what the two are away, half of which each link has.
 */
#ifndef GPU_SM2SM_H
#define GPU_SM2SM_H

#include "engine/core/time.h"
#include "engine/declare/model.h"

struct gpu_sm2sm_parameters {
    uint64_t lanes;                   /* lanes of a CPC; 0: there is no such network */
    uint64_t width;                   /* bytes of a lane per cycle */
    uint64_t cpc_sms;                 /* SMs of a CPC, that share its lanes */
    uint64_t header, command, answer; /* bytes: in front of a sector of data; a packet without; an acknowledgement */
    uint64_t requests;                /* packets of an SM under way */
    uint64_t queue;                   /* packets before a port, from which on the memory pipeline waits */
    uint64_t barrier;                 /* cycles of latency.clock.core: last arrival to the end of a cluster's barrier */
    struct mnp_list reach;            /* cycles by which the SMs of a GPC are away, by place */
};

extern const struct mnp_model gpu_sm2sm_model; /* used by no unit: an SM has the ports */

enum { GPU_SM2SM_PLACES = 32, GPU_SM2SM_MOST = 64 /* packets of one access, at most */ };

#endif
