/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-operations from the view of timing models: execution class, registers, state space, addresses. */
#ifndef FRONTEND_PTX_TIME_TIMING_H
#define FRONTEND_PTX_TIME_TIMING_H

#include "contract/instruction.h"
#include "execute/code/code.h"

/* Returns one static instruction per operation of the kernel; the caller frees them. */
struct mnp_static_instruction *ptx_timing_instructions(const struct execute_code *code);

#endif
