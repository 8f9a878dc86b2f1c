/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes of a warp that went different ways and run on a stack (PTX) come to the same place of the code, and go on
 * together. They may meet others at different places, which only those keep that both have in common; they may have
 * called the function apart from one another, whose frame is that of the running lanes then.
 */
#ifndef EXECUTE_JOIN_H
#define EXECUTE_JOIN_H

#include "execute/warp/warp.h"

/* Whether lanes that are at the same place have come there by the same calls. */
bool execute_join_may(const struct execute_warp *warp, const struct execute_stack_entry *a,
                      const struct execute_stack_entry *b);

/* The lanes of the entry at a place, none of which is on an entry above it, join the running ones. */
void execute_join(struct execute_warp *warp, uint32_t place);

#endif
