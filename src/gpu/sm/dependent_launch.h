/* SPDX-License-Identifier: BSD-3-Clause */
/* Programmatic dependent launch: a grid begins before the one in front of it in its stream has ended. */
#ifndef GPU_SM_DEPENDENT_LAUNCH_H
#define GPU_SM_DEPENDENT_LAUNCH_H

#include <stdint.h>

struct sm;

/* A warp of the CTA lets the grid behind its own begin. The first one of a CTA notifies the dispatcher. */
void sm_dependent_launch_release(struct sm *sm, uint32_t slot, uint64_t cycle);

/* A launch has ended. Releases warps of the launch behind it that wait for its end. */
void sm_dependent_launch_ended(struct sm *sm, uint64_t launch, uint64_t cycle);

#endif
