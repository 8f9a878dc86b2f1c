/* SPDX-License-Identifier: BSD-3-Clause */
/* Register reads that never conflict. */
#ifndef GPU_SM_OPERANDS_NONE_H
#define GPU_SM_OPERANDS_NONE_H

#include "gpu/sm/operands/reads.h"

struct sm_none {
    uint8_t none; /* unused: there is no state */
};

static inline int32_t sm_none_free_reads(const struct sm_parameters *p)
{
    (void)p;
    return INT32_MAX;
}

static inline bool sm_none_asks(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
    (void)p, (void)kernel;
    return false;
}

static inline uint64_t sm_none_read(struct sm_none *none, struct sm_operand_times *times, const struct sm_parameters *p,
                                    const struct sm_operand_reads *reads)
{
    (void)none, (void)times, (void)p, (void)reads;
    return 0;
}

#endif
