/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on shared memory without a machine instruction: float additions, and all 64-bit operations except exchanges.
 * ptxas generates a loop (CUDA 12.9 and 13.0, sm_70 to sm_90): it loads the word, computes the new value, and
 * ATOMS.CAST.SPIN stores it if the word is unchanged; lanes that failed repeat the loop. Lanes that access the same
 * word therefore take one iteration each. With a generic address of a float, lanes that access other memory are served
 * first.
 */
#ifndef FRONTEND_PTX_COMPILE_SWAPS_H
#define FRONTEND_PTX_COMPILE_SWAPS_H

#include "frontend/ptx/compile/builder.h"

/* Puts the loops into the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_put_swaps(struct ptx_decoder *decoder, uint32_t first_target);

#endif
