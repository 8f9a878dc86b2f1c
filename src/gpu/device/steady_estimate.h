/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates for kernels with stretches that were passed over (gpu/sm/steady.h). */
#ifndef GPU_STEADY_ESTIMATE_H
#define GPU_STEADY_ESTIMATE_H

#include <stdint.h>

struct mnp_results;
struct sm_parameters;

/* Extrapolates the counters of each kernel with such stretches. Counters of activity that was not simulated meanwhile
 * (pipes, caches, network, memory) are scaled as if all instructions behaved like the simulated ones, in the kernel and
 * in the total. Fills in results->estimate: the cycles of all kernels, with a margin. Does nothing if nothing was
 * passed over. Issue slots are filled up to cycles times sub-cores; other scaled counters get margins of all of
 * them. */
void gpu_steady_estimate(struct mnp_results *results, const struct sm_parameters *parameters);

#endif
