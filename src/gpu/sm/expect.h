/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the host's memory at the start of an advance. Before an SM's turn comes again, all others have pushed its
 * warps out of the host's caches, and the way to a warp's registers leads over five pointers, each of which would be
 * waited for alone. So the warps that may issue soon are gone over in steps, one pointer at a time, and the host waits
 * for all of them together.
 */
#ifndef GPU_SM_EXPECT_H
#define GPU_SM_EXPECT_H

struct sm;

enum { SM_EXPECT_STAY = 16 /* cycles of an advance that make it worthwhile */ };

/* Asks the host's memory for what warps need that are ready, wait for a time or for an instruction. */
void sm_expect_warps(const struct sm *sm);

#endif
