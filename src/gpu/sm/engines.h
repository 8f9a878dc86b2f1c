/* SPDX-License-Identifier: BSD-3-Clause */
/* The asynchronous engines of an SM that executes: what the cycle loop and issue ask of all of them (tma/, wgmma/). */
#ifndef GPU_SM_ENGINES_H
#define GPU_SM_ENGINES_H

#include "base/arena.h"
#include "contract/instruction.h"

#include <stdio.h>

struct sm;

/* Nothing where sm->live is NULL, as sm_engines_init. */
void sm_engines_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_engines_init(struct sm *sm);

/* A CTA has come. */
void sm_engines_launch(struct sm *sm, uint32_t slot);
/* A kernel has ended. */
void sm_engines_invalidate(struct sm *sm);

/* A live warp is about to execute an instruction of the class; and it has executed one that has commands for
 * engines. */
void sm_engines_prepare(struct sm *sm, uint32_t warp, uint32_t execution);
void sm_engines_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_engines_cycle(struct sm *sm, uint64_t cycle);
/* The next cycle after `cycle` in which an engine has something to do, replies and the port aside. */
uint64_t sm_engines_next(const struct sm *sm, uint64_t cycle);

void sm_engines_report(const struct sm *sm, FILE *out);

#endif
