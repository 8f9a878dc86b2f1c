/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of operations, as an assembler makes it of PTX: loads that do not depend on one another go out together, so
 * that their latencies overlap, and what uses them comes behind. Operations move inside their block, never across a
 * branch, a call, a guarded exit, a fence, or a reading of the clock; values, and the order of accesses that the memory
 * model asks for, stay as they are (dependences.h).
 */
#ifndef FRONTEND_PTX_COMPILE_SCHEDULE_H
#define FRONTEND_PTX_COMPILE_SCHEDULE_H

#include "frontend/ptx/compile/builder.h"

/* Reorders the decoder's present function, whose references are still virtual and whose branches know their places. */
void ptx_schedule(struct ptx_decoder *decoder);

#endif
