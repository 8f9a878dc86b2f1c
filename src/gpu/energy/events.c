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
#include "gpu/network/packets.h"
#include "gpu/sm/instruction_energy.h"
#include "gpu/sm/state.h"
#include "gpu/sm/values.h"

_Static_assert((int)GPU_RANDOM_ACTIVITY == (int)SM_ACTIVITY_RANDOM, "activities of packets are those of warps");

static void *open_sm(struct sm *sm)
{
    return sm->parameters->energy_counters ? sm : NULL;
}

static inline uint64_t *counters_of(const struct sm *sm, uint32_t warp)
{
    return sm_counters_of(sm, warp) + sm->parameters->energy_counters;
}

static inline uint64_t activity_of(const struct sm *sm, uint32_t warp, uint32_t place)
{
    return sm_values_activity(sm->live, warp, place);
}

static void count_product(const struct sm *sm, uint32_t warp, uint64_t operations, uint32_t bits)
{
    uint64_t *counters = counters_of(sm, warp);
    uint32_t width = sm_energy_tensor_width(bits);
    counters[GPU_ENERGY_TENSOR4 - width] += operations / 512;
    if (sm->parameters->values)
        counters[GPU_ENERGY_ACTIVITY_TENSOR4 - width] += operations / 512 * activity_of(sm, warp, SM_VALUES_TENSOR);
}

/* Sums of a warpgroup toggle as the operands of their product do. */
static void multiplied(void *own, const struct sm *sm, uint32_t warp, const struct gpu_product *product, uint64_t cycle)
{
    (void)own, (void)cycle;
    uint64_t *counters = counters_of(sm, warp);
    count_product(sm, warp, product->operations, product->bits);
    counters[GPU_ENERGY_READS] += product->read;
    counters[GPU_ENERGY_WRITES] += product->written;
    if (!sm->parameters->values)
        return;
    uint64_t activity = activity_of(sm, warp, SM_VALUES_TENSOR);
    counters[GPU_ENERGY_ACTIVITY_READS] += product->read * activity;
    counters[GPU_ENERGY_ACTIVITY_WRITES] += product->written * activity;
}

static void count_activity(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                           uint64_t lanes, uint64_t *counters)
{
    uint32_t class = instruction->class, group = sm_values_group_of_unit(class);
    uint64_t reads = sm_energy_reads(instruction) * lanes, writes = instruction->destination.count * lanes;
    if (group < SM_VALUES_TENSOR)
        counters[GPU_ENERGY_ACTIVITY + group] += lanes * activity_of(sm, warp, group);
    counters[GPU_ENERGY_ACTIVITY_READS] += reads * activity_of(sm, warp, SM_ACTIVITY_READS + class);
    counters[GPU_ENERGY_ACTIVITY_WRITES] += writes * activity_of(sm, warp, SM_ACTIVITY_WRITES + class);
}

/* Counts that few instructions have: matrix operations, and what toggles. */
static __attribute__((noinline)) void issued_more(const struct sm *sm, uint32_t warp,
                                                  const struct mnp_static_instruction *instruction, uint64_t lanes,
                                                  uint64_t *counters)
{
    if (sm->parameters->values)
        count_activity(sm, warp, instruction, lanes, counters);
    if (instruction->class == MNP_CLASS_TENSOR && instruction->products && lanes)
        count_product(sm, warp, UINT64_C(1) << instruction->products, mnp_operand_bits(instruction));
}

static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    (void)own, (void)cycle;
    const struct mnp_static_instruction *instruction = &sm->views[warp].instructions[record->index];
    uint64_t lanes = record->mask == UINT32_MAX ? MNP_WARP_SIZE : mnp_ones(record->mask);
    uint64_t *counters = sm->views[warp].counters + sm->parameters->energy_counters;
    counters[GPU_ENERGY_READS] += sm_energy_reads(instruction) * lanes;
    counters[GPU_ENERGY_WRITES] += instruction->destination.count * lanes;
    if (instruction->class == MNP_CLASS_TENSOR || sm->parameters->values)
        issued_more(sm, warp, instruction, lanes, counters);
}

static void shared_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t conflicts,
                            uint64_t cycle)
{
    (void)own, (void)index, (void)cycle;
    if (sm->parameters->values)
        counters_of(sm, warp)[GPU_ENERGY_ACTIVITY_SHARED] += (1 + conflicts) * activity_of(sm, warp, SM_VALUES_SHARED);
}

static void l1d_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t kind, uint32_t sectors,
                         uint32_t missed, uint64_t cycle)
{
    (void)own, (void)kind, (void)missed, (void)cycle;
    if (sm->parameters->values)
        counters_of(sm, warp)[GPU_ENERGY_ACTIVITY_GLOBAL] += sectors * activity_of(sm, warp, SM_VALUES_GLOBAL);
}

const struct gpu_listener gpu_energy_listener = {
    .name = "energy",
    .open_sm = open_sm,
    .sm = {
        .issued = issued, .shared_accessed = shared_accessed, .l1d_accessed = l1d_accessed, .multiplied = multiplied}};
