/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lasted from when to when: CTAs and warps on SMs, packets between SMs and the L2, copies, calls of a host
 * program. Kernels are parts of the results, and have their times there. Spans are written down beside the simulation
 * and change nothing in it; their times and order depend on the machine and its input alone.
 *
 * Memory is bounded: spans beyond MNP_TIMELINE_MOST are counted and left out.
 */
#ifndef MNP_ENGINE_COUNT_TIMELINE_H
#define MNP_ENGINE_COUNT_TIMELINE_H

#include "base/array.h"
#include "engine/core/time.h"

enum { MNP_TIMELINE_MOST = 1 << 21 };

enum mnp_span_kind {
    MNP_SPAN_CTA,    /* from its arrival on the SM to the end of its last access */
    MNP_SPAN_WARP,   /* from its start to its exit */
    MNP_SPAN_PACKET, /* of an SM: from the request's departure to the reply's arrival */
    MNP_SPAN_COPY,   /* of a host program, on an engine or the device */
    MNP_SPAN_FILL,
    MNP_SPAN_CALL, /* of a function of the CUDA runtime or driver, by the host's clock */
    MNP_SPAN_KINDS,
};

struct mnp_span {
    mnp_time from, to;
    const char *name; /* of a call's function; NULL: it has none. Outlives the results */
    uint64_t number;  /* of the CTA in its grid, of the warp in its SM; bytes of a copy; address of a packet's line */
    uint32_t part;    /* the kernel's number; 0: none */
    uint16_t place;   /* SM; engine of a copy; 0 */
    uint16_t kind;    /* enum mnp_span_kind */
    uint64_t stream;  /* of copies */
};

struct mnp_timeline {
    struct mnp_array spans;
    uint64_t left_out; /* beyond the limit */
    uint32_t most;     /* the limit; 0: MNP_TIMELINE_MOST */
};

/* "cta", "warp", "packet", "copy", "fill", "call". */
const char *mnp_span_name(enum mnp_span_kind kind);

void mnp_timeline_add(struct mnp_timeline *timeline, const struct mnp_span *span);

/* Adds all spans of `from` behind those of `timeline`. */
void mnp_timeline_join(struct mnp_timeline *timeline, const struct mnp_timeline *from);
void mnp_timeline_release(struct mnp_timeline *timeline);

#endif
