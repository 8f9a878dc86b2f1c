/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register reads by collectors: an instruction takes a collector unit at issue and leaves it when all its operands have
 * come. A bank serves one register per cycle and port, in order of arrival; registers lie in bank (number + warp) mod
 * banks (GPGPU-Sim manual, operand collector).
 */
#ifndef GPU_SM_OPERANDS_COLLECTOR_H
#define GPU_SM_OPERANDS_COLLECTOR_H

#include "gpu/sm/operands/reads.h"

enum { SM_MAX_BANKS = 64, SM_MAX_UNITS = 16 };

struct sm_collector {
    uint64_t bank_free[SM_MAX_BANKS]; /* reads granted so far, as time × ports */
    uint64_t unit_free[SM_MAX_UNITS]; /* first cycle in which a unit takes an instruction */
};

static inline int32_t sm_collector_free_reads(const struct sm_parameters *p)
{
    (void)p;
    return INT32_MAX;
}

/* Every instruction takes a unit. */
static inline bool sm_collector_asks(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
    (void)p, (void)kernel;
    return true;
}

/* The unit that is free first. */
static inline uint32_t sm_collector_first_free(const struct sm_collector *collector, uint64_t units)
{
    uint32_t unit = 0;
    for (uint32_t i = 1; i < units; i++)
        unit = collector->unit_free[i] < collector->unit_free[unit] ? i : unit;
    return unit;
}

static inline uint64_t sm_collector_read(struct sm_collector *collector, struct sm_operand_times *times,
                                         const struct sm_parameters *p, const struct sm_operand_reads *asked)
{
    const struct mnp_static_instruction *instruction = asked->instruction;
    uint64_t ports = p->operand_ports, cycle = asked->cycle, done = 0;
    uint32_t banks = (uint32_t)p->operand_banks;
    for (uint32_t i = 0; i < instruction->source_count; i++) {
        for (uint32_t k = 0; k < instruction->source[i].count; k++) {
            uint32_t bank = (instruction->source[i].first + k + asked->warp) % banks;
            collector->bank_free[bank] = sm_later(collector->bank_free[bank], cycle * ports) + 1;
            done = sm_later(done, collector->bank_free[bank]);
        }
    }
    uint64_t ready = sm_later((done + ports - 1) / ports, cycle + 1); /* the cycle in which the instruction leaves */
    collector->unit_free[sm_collector_first_free(collector, p->operand_units)] = ready;
    uint32_t first = sm_collector_first_free(collector, p->operand_units);
    times->free = sm_later(times->free, collector->unit_free[first]);
    return ready - cycle - 1;
}

#endif
