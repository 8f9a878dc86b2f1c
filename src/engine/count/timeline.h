/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeline: spans of simulated time recorded by a machine or by the host program that drives it. Parts of the results
 * refer to them. Recording does not affect the simulation; times and order of spans depend only on the machine and its
 * input.
 *
 * Memory is bounded: spans beyond MNP_TIMELINE_MOST are counted and dropped.
 */
#ifndef MNP_ENGINE_COUNT_TIMELINE_H
#define MNP_ENGINE_COUNT_TIMELINE_H

#include "base/array.h"
#include "engine/core/time.h"

enum { MNP_TIMELINE_MOST = 1 << 21 };

struct mnp_span {
    mnp_time from, to;
    const char *kind; /* type of activity, such as "copy"; this text and the name outlive the results */
    const char *name; /* instance of that type; NULL: none */
    uint64_t number;  /* kind-specific number: an index, bytes, or an address */
    uint64_t stream;  /* queue of the activity; 0: none */
    uint32_t part;    /* part of the results; 0: none */
    uint16_t place;   /* index among several equal locations; 0 */
};

struct mnp_timeline {
    struct mnp_array spans;
    uint64_t left_out; /* number of spans dropped because of the limit */
    uint32_t most;     /* the limit; 0: MNP_TIMELINE_MOST */
};

void mnp_timeline_add(struct mnp_timeline *timeline, const struct mnp_span *span);

/* Appends all spans of `from` to `timeline`. */
void mnp_timeline_join(struct mnp_timeline *timeline, const struct mnp_timeline *from);
void mnp_timeline_release(struct mnp_timeline *timeline);

#endif
