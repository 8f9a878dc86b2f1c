/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lasted from when to when: whatever a machine, or the host program that drives it, writes down. Parts of the
 * results have their times there. Spans are written down beside the simulation and change nothing in it; their times
 * and order depend on the machine and its input alone.
 *
 * Memory is bounded: spans beyond MNP_TIMELINE_MOST are counted and left out.
 */
#ifndef MNP_ENGINE_COUNT_TIMELINE_H
#define MNP_ENGINE_COUNT_TIMELINE_H

#include "base/array.h"
#include "engine/core/time.h"

enum { MNP_TIMELINE_MOST = 1 << 21 };

struct mnp_span {
    mnp_time from, to;
    const char *kind; /* a word for what lasted, such as "copy"; it and the name outlive the results */
    const char *name; /* which one of its kind it was; NULL: it has none */
    uint64_t number;  /* what the kind counts: its place among others, bytes, an address */
    uint64_t stream;  /* the queue that it stood in; 0: none */
    uint32_t part;    /* of the results; 0: none */
    uint16_t place;   /* which of several equal places it was at; 0 */
};

struct mnp_timeline {
    struct mnp_array spans;
    uint64_t left_out; /* beyond the limit */
    uint32_t most;     /* the limit; 0: MNP_TIMELINE_MOST */
};

void mnp_timeline_add(struct mnp_timeline *timeline, const struct mnp_span *span);

/* Adds all spans of `from` behind those of `timeline`. */
void mnp_timeline_join(struct mnp_timeline *timeline, const struct mnp_timeline *from);
void mnp_timeline_release(struct mnp_timeline *timeline);

#endif
