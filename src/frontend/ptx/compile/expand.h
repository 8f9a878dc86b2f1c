/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expansion of operations that are instruction sequences on silicon (operations/sequences.h). The operation itself
 * computes the result, as the last of its sequence; operations without effect (EXECUTE_KIND_PART) in front of it
 * account for the time, registers and code size of the other instructions.
 */
#ifndef FRONTEND_PTX_COMPILE_EXPAND_H
#define FRONTEND_PTX_COMPILE_EXPAND_H

#include "frontend/ptx/compile/builder.h"

/* Puts the sequences into the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_expand(struct ptx_decoder *decoder, uint32_t first_target);

#endif
