/* SPDX-License-Identifier: BSD-3-Clause */
/* Common part of the models of register reads. */
#ifndef GPU_SM_OPERANDS_READS_H
#define GPU_SM_OPERANDS_READS_H

#include "contract/instruction.h"
#include "gpu/sm/limits.h"
#include "gpu/sm/parameters.h"

#include <stdbool.h>

struct sm_operand_times { /* times of a sub-core */
    uint64_t free;        /* first cycle in which register reads let another instruction issue */
    uint64_t until;       /* from this cycle on, no earlier instruction's reads are left */
};

struct sm_operand_reads { /* an instruction that issues */
    const struct mnp_static_instruction *instruction;
    uint64_t cycle;
    uint32_t warp;
    bool has_reuse_bits; /* the kernel's instructions say which operands stay in the register cache */
};

#endif
