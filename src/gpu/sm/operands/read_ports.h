/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register reads through ports: two banks, of even and of odd registers, with a read port each. An instruction has a
 * window of three cycles for its reads; what it needs beyond that holds it, and all behind it, back. A source whose
 * reuse bit is set stays in a cache of one entry per bank and operand slot until that bank is read for that slot again,
 * and costs no read there (Huerta et al., arXiv 2503.20481, register file). Where a trace has no reuse bits, the banks
 * have `sm.operand.blind_ports` read ports: with two and no cache, the same authors' error is that of one and the
 * cache.
 */
#ifndef GPU_SM_OPERANDS_READ_PORTS_H
#define GPU_SM_OPERANDS_READ_PORTS_H

#include "gpu/sm/operands/reads.h"

enum { SM_READ_WINDOW = 3, SM_READ_BANKS = 2, SM_REUSE_SLOTS = 3 };

struct sm_read_ports {
    uint64_t bank_free[SM_READ_BANKS];             /* reads granted so far, as time × ports */
    uint32_t reuse[SM_READ_BANKS][SM_REUSE_SLOTS]; /* register cache: warp and register, plus one; 0: nothing */
};

static inline int32_t sm_read_ports_free_reads(const struct sm_parameters *p)
{
    return (int32_t)p->operand_blind_ports;
}

/* With reuse bits, what an instruction has to read depends on those before it. */
static inline bool sm_read_ports_asks(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
    (void)p;
    return kernel->has_control;
}

/* Reads of each bank that the register cache leaves, whose entries change with them. */
static inline void sm_read_ports_count(struct sm_read_ports *ports, const struct sm_operand_reads *asked,
                                       uint64_t reads[static SM_READ_BANKS])
{
    const struct mnp_static_instruction *instruction = asked->instruction;
    uint32_t count = instruction->source_count, cached = count < SM_REUSE_SLOTS ? count : SM_REUSE_SLOTS;
    for (uint32_t i = 0; i < cached; i++) {
        uint32_t number = instruction->source[i].first, end = number + instruction->source[i].count;
        uint32_t stays = 0 - (uint32_t)(instruction->reuse >> i & 1);
        for (; number < end; number++) {
            uint32_t name = (asked->warp << 8 | number) + 1, *entry = &ports->reuse[number & 1][i];
            reads[number & 1] += *entry != name;
            *entry = name & stays;
        }
    }
    for (uint32_t i = cached; i < count; i++)
        for (uint32_t k = 0; k < instruction->source[i].count; k++)
            reads[(instruction->source[i].first + k) & 1]++;
}

/* Cycles of so many reads, begun ones too; most banks have one port, and divisions take long. */
static inline uint64_t sm_read_ports_cycles(uint64_t reads, uint64_t width)
{
    return width == 1 ? reads : (reads + width - 1) / width;
}

/* Time of a bank is counted in reads: `width` of them to a cycle. */
static inline uint64_t sm_read_ports_read(struct sm_read_ports *ports, struct sm_operand_times *times,
                                          const struct sm_parameters *p, const struct sm_operand_reads *asked)
{
    uint64_t reads[SM_READ_BANKS] = {asked->instruction->reads[0], asked->instruction->reads[1]};
    uint64_t width = p->operand_blind_ports, cycle = asked->cycle, done = 0;
    if (!asked->instruction->source_count)
        return 0;
    if (asked->has_reuse_bits) {
        reads[0] = reads[1] = 0;
        sm_read_ports_count(ports, asked, reads);
        width = p->operand_ports;
    }
    for (uint32_t bank = 0; bank < SM_READ_BANKS; bank++) {
        if (!reads[bank])
            continue;
        ports->bank_free[bank] = sm_later(ports->bank_free[bank], cycle * width) + reads[bank];
        done = sm_later(done, ports->bank_free[bank]);
    }
    times->until = sm_later(times->until, sm_read_ports_cycles(done, width));
    uint64_t window = (cycle + SM_READ_WINDOW) * width;
    if (done <= window)
        return 0;
    uint64_t late = sm_read_ports_cycles(done - window, width);
    times->free = cycle + 1 + late;
    return late;
}

#endif
