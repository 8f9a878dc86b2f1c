/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of the copies that lanes make from global to shared memory (PTX ISA 9.0, cp.async; LDGSTS). A commit
 * (cp.async.commit_group; LDGDEPBAR) ends the group that is open, and a wait (cp.async.wait_group N; DEPBAR.LE) holds
 * its warp while more than N groups that have ended are under way. Groups are done in their order: one of which all
 * copies have come waits for those before it, as LDGDEPBAR's counter does. That counter has six bits, so at most 63
 * groups are under way; a commit waits for room.
 *
 * Arrivals that wait for copies (arrivals.h) divide them a second time: each ends a part, which is done as groups are.
 */
#ifndef GPU_SM_COPIES_H
#define GPU_SM_COPIES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct sm;

enum { SM_COPY_GROUPS = 64 };

struct sm_copies_ring {                 /* groups, or parts */
    uint64_t landed[SM_COPY_GROUPS];    /* cycle from which what it and those before it brought can be read */
    uint16_t under_way[SM_COPY_GROUPS]; /* copies of each group, by its number modulo SM_COPY_GROUPS */
    uint8_t open, oldest;               /* numbers, modulo 256: the group that copies join, the first not done */
};

struct sm_copies_warp {
    struct sm_copies_ring groups, parts;
};

struct sm_copies {
    struct sm_copies_warp *warps; /* in the arena */
};

void sm_copies_lay_out(struct sm *sm, struct mnp_arena *arena);

/* A copy of the warp issues. Returns its group, and above it its part, to be named when it is done. */
uint16_t sm_copies_begin(struct sm *sm, uint32_t warp);

/* Completes a copy. Its data can be read from cycle `landed` on. */
void sm_copies_done(struct sm *sm, uint32_t warp, uint16_t group, uint64_t landed, uint64_t cycle);

/* Ends the open group; only if there is room for one more. */
void sm_copies_close(struct sm *sm, uint32_t warp);
bool sm_copies_are_full(const struct sm *sm, uint32_t warp);

/* The cycle from which no more than so many ended groups are under way. SM_NOT_LANDED: it is not known. */
#define SM_NOT_LANDED UINT64_MAX
uint64_t sm_copies_landed(const struct sm *sm, uint32_t warp, uint32_t groups);

/* Whether all copies that the warp has issued can be read. */
bool sm_copies_have_landed(const struct sm *sm, uint32_t warp, uint64_t cycle);

/* Ends the open part, fewer than SM_COPY_GROUPS parts behind the first that is waited for. Parts are numbered from 0
 * on, modulo 256. */
void sm_copies_end_part(struct sm *sm, uint32_t warp);
/* The cycle from which the copies of a part that has ended, and of those before it, can be read. SM_NOT_LANDED: it is
 * not known; SM_TURN_ARRIVALS is woken for that cycle when it is. */
uint64_t sm_copies_part_landed(const struct sm *sm, uint32_t warp, uint8_t part);

#endif
