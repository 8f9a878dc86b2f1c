/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of kernels of which stretches were passed over (gpu/sm/steady.h). */
#ifndef GPU_STEADY_ESTIMATE_H
#define GPU_STEADY_ESTIMATE_H

struct mnp_results;

/* Of each such kernel, counters of what was not simulated meanwhile (pipes, caches, network, memory) become what they
 * would be if the rest of the kernel's instructions did as those that were simulated; the total with them. Fills in
 * results->estimate: the cycles of all kernels, with a margin. Nothing where nothing was passed over. */
void gpu_steady_estimate(struct mnp_results *results);

#endif
