/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-operations as the models of time see them: execution class, registers, state space, addresses. */
#ifndef FRONTEND_PTX_TIME_TIMING_H
#define FRONTEND_PTX_TIME_TIMING_H

#include "contract/instruction.h"
#include "execute/code/code.h"

/* One static instruction per operation of the kernel; free them. */
struct mnp_static_instruction *ptx_timing_instructions(const struct execute_code *code);

#endif
