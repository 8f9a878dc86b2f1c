/* SPDX-License-Identifier: BSD-3-Clause */
/* The form of results for machines that run kernels: each kernel is a part of the run, with its grid, block and
 * stream. */
#ifndef MNP_CONTRACT_KERNEL_RESULTS_H
#define MNP_CONTRACT_KERNEL_RESULTS_H

#include "contract/instruction.h"
#include "engine/count/results.h"

extern const struct mnp_results_form mnp_kernel_form;

/* Describes a part of the results as a kernel: launch number, name, grid, block and stream. */
void mnp_kernel_describe(struct mnp_part_results *part, uint32_t id, const char *name, const uint32_t grid[3],
                         const uint32_t block[3], uint64_t stream);

#endif
