/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reconvergence of divergent lanes that run on a stack (PTX), when they reach the same place of the code. Their stack
 * entries may have different reconvergence points, of which only the common ones are kept; they may have called the
 * current function separately, in which case the frame of the running lanes is used.
 */
#ifndef EXECUTE_JOIN_H
#define EXECUTE_JOIN_H

#include "execute/warp/warp.h"

/* Whether lanes at the same place have reached it by the same calls. */
bool execute_join_may(const struct execute_warp *warp, const struct execute_stack_entry *a,
                      const struct execute_stack_entry *b);

/* The lanes of the entry at `place`, none of which is on an entry above it, join the running ones. */
void execute_join(struct execute_warp *warp, uint32_t place);

#endif
