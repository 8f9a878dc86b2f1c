/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences of instructions that one operation is on silicon (operations/sequences.h). The operation itself computes
 * everything, as the last of its sequence; before it stand operations that do nothing (EXECUTE_KIND_PART) and take the
 * time, the registers and the place in memory of the other instructions.
 */
#ifndef FRONTEND_PTX_COMPILE_EXPAND_H
#define FRONTEND_PTX_COMPILE_EXPAND_H

#include "frontend/ptx/compile/builder.h"

/* Puts the sequences into the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_expand(struct ptx_decoder *decoder, uint32_t first_target);

#endif
