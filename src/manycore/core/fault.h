/* SPDX-License-Identifier: BSD-3-Clause */
/* How a core stops at a fault. */
#ifndef MANYCORE_FAULT_H
#define MANYCORE_FAULT_H

#include "manycore/core/core.h"

MNP_DEVICE static inline enum a32_result manycore_fault(struct manycore_core *core, enum manycore_fault fault,
                                                        uint32_t address)
{
    core->fault = (uint8_t)fault;
    core->fault_address = address;
    core->pause = MANYCORE_FAULTED;
    return A32_PAUSED;
}

#endif
