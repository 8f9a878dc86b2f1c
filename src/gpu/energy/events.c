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
#include "gpu/sm/state.h"

static void *open_sm(struct sm *sm)
{
    return sm->parameters->energy_counters ? sm : NULL;
}

static inline uint64_t *counters_of(const struct sm *sm, uint32_t warp)
{
    return sm_counters_of(sm, warp) + sm->parameters->energy_counters;
}

static enum gpu_energy_counter counter_of(uint64_t bits)
{
    return bits > 32   ? GPU_ENERGY_TENSOR64
           : bits > 16 ? GPU_ENERGY_TENSOR32
           : bits > 8  ? GPU_ENERGY_TENSOR16
           : bits > 4  ? GPU_ENERGY_TENSOR8
                       : GPU_ENERGY_TENSOR4;
}

static void multiplied(void *own, const struct sm *sm, uint32_t warp, uint64_t operations, uint32_t bits,
                       uint64_t cycle)
{
    (void)own, (void)cycle;
    counters_of(sm, warp)[counter_of(bits)] += operations / 512;
}

/* Registers that an instruction reads. Not all front-ends count them by bank (mnp_complete_registers). */
static inline uint64_t reads_of(const struct mnp_static_instruction *instruction)
{
    uint64_t count = (uint64_t)instruction->reads[0] + instruction->reads[1];
    if (count)
        return count;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        count += instruction->source[i].count;
    return count;
}

static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    const struct mnp_static_instruction *instruction = &sm->views[warp].instructions[record->index];
    uint64_t lanes = record->mask == UINT32_MAX ? MNP_WARP_SIZE : mnp_ones(record->mask);
    uint64_t *counters = sm->views[warp].counters + sm->parameters->energy_counters;
    counters[GPU_ENERGY_READS] += reads_of(instruction) * lanes;
    counters[GPU_ENERGY_WRITES] += instruction->destination.count * lanes;
    if (instruction->class == MNP_CLASS_TENSOR && instruction->products && lanes)
        multiplied(own, sm, warp, UINT64_C(1) << instruction->products, mnp_operand_bits(instruction), cycle);
}

const struct gpu_listener gpu_energy_listener = {
    .name = "energy", .open_sm = open_sm, .sm = {.issued = issued, .multiplied = multiplied}};
