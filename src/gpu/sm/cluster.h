/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs of a cluster on an SM: where the others are, and the cluster's barrier. When all threads of a CTA have arrived,
 * its SM tells those of the others; when an SM has heard of all, the phase ends there sm2sm.barrier cycles later. An
 * SM may hear of an arrival in the next phase before it has heard of all in the present one.
 */
#ifndef GPU_SM_CLUSTER_H
#define GPU_SM_CLUSTER_H

#include "gpu/network/packets.h"

#include <stdbool.h>
#include <stdio.h>

struct sm;

struct sm_cluster {     /* cluster of a CTA */
    uint64_t ends;      /* cycle in which the present phase of the barrier ends, or MNP_NEVER */
    uint16_t left;      /* ranks that have ended, one bit each */
    uint8_t size, rank; /* size 0: the CTA has no cluster but itself */
    uint8_t reserved[4];
    uint8_t place[GPU_CLUSTER_CTAS]; /* places of the CTAs' SMs in the GPC, by rank */
    uint8_t come[GPU_CLUSTER_CTAS];  /* arrivals in phases that have not ended, by rank */
};

struct sm_cluster_state {
    uint64_t next; /* cycle in which a phase ends, or MNP_NEVER */
};

void sm_cluster_init(struct sm *sm);

/* A CTA has come to a slot. */
void sm_cluster_launch(struct sm *sm, uint16_t slot, const struct gpu_launch *launch);

/* The slot of a CTA; SM_NONE: it is not, or no longer, here. */
uint16_t sm_cluster_slot_of(const struct sm *sm, uint16_t kernel, uint64_t cta);

/* All threads of the CTA have arrived at its cluster's barrier; the CTA has ended. */
void sm_cluster_arrive(struct sm *sm, uint16_t slot, uint64_t cycle);
void sm_cluster_leave(struct sm *sm, uint16_t slot, uint64_t cycle);

/* The CTA of a rank has arrived, or has left, as the one in a slot hears; SM_NONE: which is gone. */
void sm_cluster_hear(struct sm *sm, uint16_t slot, uint32_t rank, bool leaves, uint64_t cycle);

/* Ends the phases that end in this cycle. */
void sm_cluster_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_cluster_next(const struct sm *sm, uint64_t cycle);

/* Says which CTAs of a cluster have not arrived at its barrier, where others have. */
void sm_cluster_report(const struct sm *sm, FILE *out);

#endif
