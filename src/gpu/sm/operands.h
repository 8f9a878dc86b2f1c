/* SPDX-License-Identifier: BSD-3-Clause */
/* How a sub-core reads the registers of an instruction: one of the ways of operands/list.h. */
#ifndef GPU_SM_OPERANDS_H
#define GPU_SM_OPERANDS_H

#include "gpu/sm/operands/headers.h"

struct sm;

#define SM_OPERANDS(KIND, ...) KIND,
enum sm_operands_id {
#include "gpu/sm/operands/list.h"
};
#undef SM_OPERANDS

struct sm_operands { /* operands of a sub-core */
    struct sm_operand_times times;
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, MEMBER, TYPE, ...) TYPE MEMBER;
    union { /* the machine's has the place */
#include "gpu/sm/operands/list.h"
    } way;
#undef SM_OPERANDS
};

/* An instruction with more reads of one bank than this may have to wait for its operands. */
int32_t sm_operands_free_reads(const struct sm_parameters *parameters);

/* Whether any instruction of a kernel may have to. */
bool sm_operands_ask(const struct sm_parameters *parameters, const struct mnp_kernel *kernel);

/* Reads the sources of an instruction that issues, as sm_operands_may_wait says; returns the cycles by which it is
 * late, and sets the cycle from which the next may issue. */
uint64_t sm_operands_read(struct sm *sm, uint32_t subcore, uint32_t warp,
                          const struct mnp_static_instruction *instruction, uint64_t cycle);

#endif
