/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies of single instructions: the terms of the SM's energies that an issue counts. */
#include "gpu/sm/instruction_energy.h"

#include "base/bits.h"
#include "base/error.h"

#include <string.h>

/* The weight of a statistic in the energies of a model, in femtojoules. */
static uint64_t weight_of(const struct mnp_model *model, const char *statistic)
{
    for (size_t i = 0; i < model->statistic_count; i++) {
        const struct mnp_statistic *row = &model->statistics[i];
        if (strncmp(row->name, "energy_", strlen("energy_")) != 0 || !row->with)
            continue;
        for (const struct mnp_term *term = row->with; term->name; term++)
            if (strcmp(term->name, statistic) == 0)
                return term->weight;
    }
    mnp_bug(__FILE__, __LINE__, "no energy has the statistic %s", statistic);
}

void sm_energy_weigh(const struct mnp_model *model, struct sm_energy_weights *weights)
{
    static const char *const issues[MNP_CLASS_COUNT] = {[MNP_CLASS_UNIFORM] = "instructions_uniform",
                                                        [MNP_CLASS_BRANCH] = "instructions_branch",
                                                        [MNP_CLASS_SYNC] = "instructions_sync"};
    static const char *const lanes[MNP_CLASS_COUNT] = {
        [MNP_CLASS_INT] = "lanes_int",         [MNP_CLASS_IMAD] = "lanes_imad",      [MNP_CLASS_FP32] = "lanes_fp32",
        [MNP_CLASS_HALF] = "lanes_half",       [MNP_CLASS_FP64] = "lanes_fp64",      [MNP_CLASS_SFU] = "lanes_sfu",
        [MNP_CLASS_CONVERT] = "lanes_convert", [MNP_CLASS_SPECIAL] = "lanes_special"};
    static const char *const tensor[SM_ENERGY_TENSOR_WIDTHS] = {"tensor_operations_4", "tensor_operations_8",
                                                                "tensor_operations_16", "tensor_operations_32",
                                                                "tensor_operations_64"};
    for (int class = 0; class < MNP_CLASS_COUNT; class ++) {
        weights->issue[class] = weight_of(model, "gpgpu_n_tot_w_icount");
        weights->issue[class] += issues[class] ? weight_of(model, issues[class]) : 0;
        weights->lane[class] = lanes[class] ? weight_of(model, lanes[class]) : 0;
    }
    for (int width = 0; width < SM_ENERGY_TENSOR_WIDTHS; width++)
        weights->tensor[width] = weight_of(model, tensor[width]);
    weights->read = weight_of(model, "register_reads");
    weights->write = weight_of(model, "register_writes");
    weights->shared = weight_of(model, "shared_accesses");
}

uint64_t sm_energy_of_product(const struct sm_energy_weights *weights, uint64_t operations, uint32_t bits)
{
    return operations / 512 * weights->tensor[sm_energy_tensor_width(bits)];
}

uint64_t sm_energy_of_issue(const struct sm_energy_weights *weights, const struct mnp_static_instruction *instruction,
                            uint32_t mask)
{
    uint64_t lanes = mnp_ones(mask);
    uint64_t words = sm_energy_reads(instruction) * weights->read + instruction->destination.count * weights->write;
    uint64_t energy = weights->issue[instruction->class] + lanes * (weights->lane[instruction->class] + words);
    if (instruction->class == MNP_CLASS_TENSOR && instruction->products && lanes)
        energy += sm_energy_of_product(weights, UINT64_C(1) << instruction->products, mnp_operand_bits(instruction));
    return energy;
}
