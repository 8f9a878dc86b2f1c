/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energies of single instructions (--by-instruction with --energy). An instruction has the energies of its issue, its
 * registers, its lanes, its matrix operations and its wavefronts of shared memory: the same events, with the same
 * weights, as the energies of the SM (gpu/energy/rows.c). Fetches, caches, memory, clocks and static power belong to no
 * instruction.
 */
#ifndef SM_INSTRUCTION_ENERGY_H
#define SM_INSTRUCTION_ENERGY_H

#include "contract/instruction.h"
#include "engine/declare/declare.h"

enum { SM_ENERGY_TENSOR_WIDTHS = 5 }; /* widths: 4 bits and fewer, 8, 16, 32, 64 */

struct sm_energy_weights {                    /* femtojoules */
    uint64_t issue[MNP_CLASS_COUNT];          /* energy of a warp instruction of the class */
    uint64_t lane[MNP_CLASS_COUNT];           /* energy of a lane of it */
    uint64_t tensor[SM_ENERGY_TENSOR_WIDTHS]; /* energy of 512 matrix operations */
    uint64_t read, write;                     /* energy of a word of a lane */
    uint64_t shared;                          /* energy of a wavefront */
};

/* Index of a width of operands, in bits, among those that are counted. */
static inline uint32_t sm_energy_tensor_width(uint32_t bits)
{
    return (bits > 4) + (bits > 8) + (bits > 16) + (bits > 32);
}

/* Registers that an instruction reads. Not all front-ends count them by bank (mnp_complete_registers). */
static inline uint64_t sm_energy_reads(const struct mnp_static_instruction *instruction)
{
    uint64_t count = (uint64_t)instruction->reads[0] + instruction->reads[1];
    if (count)
        return count;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        count += instruction->source[i].count;
    return count;
}

/* Reads the weights of a machine. `model`: that of an SM whose rows have the machine's energies (gpu_energy_settle). */
void sm_energy_weigh(const struct mnp_model *model, struct sm_energy_weights *weights);

/* Energy of a warp instruction with the lanes of `mask`, without shared memory, in femtojoules. */
uint64_t sm_energy_of_issue(const struct sm_energy_weights *weights, const struct mnp_static_instruction *instruction,
                            uint32_t mask);

/* Energy of a matrix product on operands of so many bits, in femtojoules. */
uint64_t sm_energy_of_product(const struct sm_energy_weights *weights, uint64_t operations, uint32_t bits);

#endif
