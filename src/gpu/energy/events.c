/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of an SM whose energies no other statistic counts: words of registers, and matrix operations by the width of
 * their operands. A listener; its counts stand behind the SM's statistics where energy.model is true.
 *
 * An instruction states the width of its operands with its operations. A sparse product counts the operations of the
 * elements that are stored.
 */
#include "base/bits.h"
#include "gpu/energy/energy.h"
#include "gpu/sm/instruction_energy.h"
#include "gpu/sm/state.h"

static void *open_sm(struct sm *sm)
{
    return sm->parameters->energy_counters ? sm : NULL;
}

static inline uint64_t *counters_of(const struct sm *sm, uint32_t warp)
{
    return sm_counters_of(sm, warp) + sm->parameters->energy_counters;
}

static void multiplied(void *own, const struct sm *sm, uint32_t warp, uint64_t operations, uint32_t bits,
                       uint64_t cycle)
{
    (void)own, (void)cycle;
    counters_of(sm, warp)[GPU_ENERGY_TENSOR4 - sm_energy_tensor_width(bits)] += operations / 512;
}

static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    const struct mnp_static_instruction *instruction = &sm->views[warp].instructions[record->index];
    uint64_t lanes = record->mask == UINT32_MAX ? MNP_WARP_SIZE : mnp_ones(record->mask);
    uint64_t *counters = sm->views[warp].counters + sm->parameters->energy_counters;
    counters[GPU_ENERGY_READS] += sm_energy_reads(instruction) * lanes;
    counters[GPU_ENERGY_WRITES] += instruction->destination.count * lanes;
    if (instruction->class == MNP_CLASS_TENSOR && instruction->products && lanes)
        multiplied(own, sm, warp, UINT64_C(1) << instruction->products, mnp_operand_bits(instruction), cycle);
}

const struct gpu_listener gpu_energy_listener = {
    .name = "energy", .open_sm = open_sm, .sm = {.issued = issued, .multiplied = multiplied}};
