/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-operations as the models of time see them: execution class, registers, state space, addresses. */
#ifndef FRONTEND_PTX_TIME_TIMING_H
#define FRONTEND_PTX_TIME_TIMING_H

#include "contract/instruction.h"
#include "execute/warp.h"

/* One static instruction per operation of the kernel; free them. */
struct mnp_static_instruction *ptx_timing_instructions(const struct execute_code *code);

/* The name of an `opcode` in them: the kind of operation. */
const char *ptx_timing_opcode(uint16_t opcode);

/* An operation's execution class, enum mnp_class. */
uint8_t ptx_timing_class(const struct execute_code *code, const struct execute_op *op);

struct ptx_local_place { /* of a warp's local memory among all of the kernel's */
    uint64_t warp;
    uint32_t bytes; /* per thread */
};

/* The words that state a record's addresses (struct mnp_record), and their number. */
uint32_t ptx_timing_addresses(const struct execute_code *code, const struct execute_record *record,
                              const struct ptx_local_place *local, uint64_t words[32], uint8_t *flags);

#endif
