/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on shared memory for which silicon has no instruction: sums of floats, and all but exchanges of 64 bits.
 * ptxas makes a loop of them (of CUDA 12.9 and 13.0, sm_70 to sm_90): what is there is loaded, the sum is made, and
 * ATOMS.CAST.SPIN stores it if nobody has changed the word; lanes that have not been served go round again. So lanes
 * that want one word take a round each. With a generic address, of floats, the lanes that want other memory are served
 * before.
 */
#ifndef FRONTEND_PTX_COMPILE_SWAPS_H
#define FRONTEND_PTX_COMPILE_SWAPS_H

#include "frontend/ptx/compile/builder.h"

/* Puts the loops into the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_put_swaps(struct ptx_decoder *decoder, uint32_t first_target);

#endif
