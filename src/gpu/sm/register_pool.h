/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers that warps of a CTA give back and take (setmaxnreg): each CTA has a pool, empty at first, and what is in it
 * is nobody else's. Counted in registers of each thread of a warp, as all warps have as many threads.
 */
#ifndef GPU_SM_REGISTER_POOL_H
#define GPU_SM_REGISTER_POOL_H

#include "contract/instruction.h"

struct sm;

/* Registers with which a warp of the kernel begins. */
uint32_t sm_register_pool_share(const struct mnp_kernel *kernel);

/* The warp has so many from now on; warps of its CTA that wait for registers look again when it had more. */
void sm_register_pool_change(struct sm *sm, uint32_t warp, uint32_t registers, uint64_t cycle);

#endif
