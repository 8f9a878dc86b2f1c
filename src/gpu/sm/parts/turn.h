/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of the stage of an SM that is called (stage.h), and what it hears: turn.c. */
#ifndef GPU_SM_PARTS_TURN_H
#define GPU_SM_PARTS_TURN_H

#include <stdint.h>

struct sm;

void sm_parts_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_parts_next(const struct sm *sm, uint64_t cycle);

#endif
