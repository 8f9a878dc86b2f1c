/* SPDX-License-Identifier: BSD-3-Clause */
/* Fetch of a sub-core, its L0 instruction cache and its stream buffer: fetch.c. The part that runs for every
 * instruction is in fetch_inline.h. */
#ifndef GPU_SM_FETCH_H
#define GPU_SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sm;

struct sm_fetch_subcore {
    uint64_t unsent;             /* warps whose line has still to be asked for */
    uint64_t stream, stream_end; /* numbers of the lines that the stream buffer looks after: first, end */
    uint32_t stream_asked;       /* lines of them, from the first on, that have been asked for */
    uint32_t stream_present;     /* one bit each: those that have come */
    uint32_t last;               /* place of the warp that fetched last */
    uint32_t reserved;
};

/* A line that the sub-core has asked for has come. */
void sm_fetch_arrived(struct sm *sm, uint32_t subcore, uint64_t number, uint64_t cycle);

/* Cancels a warp's request for a line of code that has not been sent yet. */
void sm_fetch_forget(struct sm *sm, uint32_t warp);
void sm_fetch_invalidate(struct sm *sm);
void sm_fetch_report(const struct sm *sm, FILE *out);

#endif
