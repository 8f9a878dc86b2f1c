/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The warp schedulers: one line each. A scheduler ID is a header of this folder with
 *
 *     struct sm_ID                                   what it knows of a sub-core's warps; state, all zero at first
 *     void sm_ID_start(struct sm_ID *, place, resident)  a warp starts at `place`, where `resident` warps already are
 *     uint32_t sm_ID_choose(const struct sm_ID *, ready, last)  the place of the warp that issues: one of the mask
 *                                                    `ready`, which is not empty; `last`: place that issued last
 *
 * and a row SM_SCHEDULER(ID, name in machine files, what it does, source) for whoever includes this list with that
 * macro defined. Choices of sm.scheduler, its help, and the calls are expanded from these rows.
 */
/* In the order in which users see them. */
/* clang-format off */
#include "gpu/sm/schedulers/gto.h"
#include "gpu/sm/schedulers/lrr.h"
#include "gpu/sm/schedulers/cggty.h"
/* clang-format on */
