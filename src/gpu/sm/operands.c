/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a sub-core reads the registers of an instruction, in two ways.
 *
 * read-ports: two banks, of even and of odd registers, with a read port each. An instruction has a window of three
 * cycles for its reads; what it needs beyond that holds it, and all behind it, back. A source whose reuse bit is set
 * stays in a cache of one entry per bank and operand slot until that bank is read for that slot again, and costs no
 * read there (Huerta et al., arXiv 2503.20481, register file). Where a trace has no reuse bits, the banks have
 * `sm.operand.blind_ports` read ports: with two and no cache, the same authors' error is that of one and the cache.
 *
 * collector: an instruction takes a collector unit at issue and leaves it when all its operands have come. A bank
 * serves one register per cycle and port, in order of arrival; registers lie in bank (number + warp) mod banks
 * (GPGPU-Sim manual, operand collector).
 *
 * Both return the cycles by which the instruction is late, and set the cycle from which the next may issue.
 */
#include "gpu/sm/sm.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ===== read ports ===== */

enum { READ_WINDOW = 3, READ_BANKS = 2 };

/* Reads of each bank that the register cache leaves, whose entries change with them. */
static void count_reads(struct sm_subcore *s, uint32_t warp, const struct mnp_static_instruction *instruction,
                        uint64_t reads[static READ_BANKS])
{
    for (uint32_t i = 0; i < instruction->source_count; i++) {
        for (uint32_t k = 0; k < instruction->source[i].count; k++) {
            uint32_t number = instruction->source[i].first + k, bank = number & 1;
            uint32_t name = (warp << 8 | number) + 1;
            if (i >= SM_REUSE_SLOTS) {
                reads[bank]++;
                continue;
            }
            reads[bank] += s->reuse[bank][i] != name;
            s->reuse[bank][i] = instruction->reuse >> i & 1 ? name : 0;
        }
    }
}

/* Time of a bank is counted in reads: `ports` of them to a cycle. */
static uint64_t read_ports(struct sm *sm, struct sm_subcore *s, uint32_t warp,
                           const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    uint64_t reads[READ_BANKS] = {instruction->reads[0], instruction->reads[1]};
    uint64_t ports = sm->parameters->operand_blind_ports;
    if (sm->views[warp].has_control) {
        reads[0] = reads[1] = 0;
        count_reads(s, warp, instruction, reads);
        ports = sm->parameters->operand_ports;
    }
    uint64_t done = 0;
    for (uint32_t bank = 0; bank < READ_BANKS; bank++) {
        if (!reads[bank])
            continue;
        s->bank_free[bank] = later(s->bank_free[bank], cycle * ports) + reads[bank];
        done = later(done, s->bank_free[bank]);
    }
    s->operands_until = later(s->operands_until, (done + ports - 1) / ports);
    uint64_t window = (cycle + READ_WINDOW) * ports;
    return done > window ? (done - window + ports - 1) / ports : 0;
}

/* ===== collectors ===== */

/* The unit that is free first. */
static uint32_t first_free(const struct sm *sm, const struct sm_subcore *s)
{
    uint32_t unit = 0;
    for (uint32_t i = 1; i < sm->parameters->operand_units; i++)
        unit = s->unit_free[i] < s->unit_free[unit] ? i : unit;
    return unit;
}

static uint64_t collect(struct sm *sm, struct sm_subcore *s, uint32_t warp,
                        const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    uint64_t ports = sm->parameters->operand_ports, done = 0;
    uint32_t banks = (uint32_t)sm->parameters->operand_banks;
    for (uint32_t i = 0; i < instruction->source_count; i++) {
        for (uint32_t k = 0; k < instruction->source[i].count; k++) {
            uint32_t bank = (instruction->source[i].first + k + warp) % banks;
            s->bank_free[bank] = later(s->bank_free[bank], cycle * ports) + 1;
            done = later(done, s->bank_free[bank]);
        }
    }
    uint64_t ready = later((done + ports - 1) / ports, cycle + 1); /* the cycle in which the instruction leaves */
    s->unit_free[first_free(sm, s)] = ready;
    s->operands_free = later(s->operands_free, s->unit_free[first_free(sm, s)]);
    return ready - cycle - 1;
}

/* ===== either ===== */

uint64_t sm_operands_read(struct sm *sm, uint32_t subcore, uint32_t warp,
                          const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t late;
    if (sm->parameters->operands == SM_OPERANDS_COLLECTOR) {
        late = collect(sm, s, warp, instruction, cycle);
    } else {
        late = read_ports(sm, s, warp, instruction, cycle);
        if (late)
            s->operands_free = cycle + 1 + late;
    }
    if (late)
        sm_counters_of(sm, warp)[SM_OPERAND_STALLS] += late;
    return late;
}
