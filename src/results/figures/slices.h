/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of the L2: their number, their pace, and what the busiest one has to do. */
#ifndef MNP_RESULTS_SLICES_H
#define MNP_RESULTS_SLICES_H

#include "results/figures/reading.h"

/* Slices of the machine. */
double results_slices(const struct results_reading *reading);

/* Core cycles of a cycle of the L2. */
double results_l2_cycle(const struct results_reading *reading);

/* Cycles of look-ups other than those of atomics, of the whole run: the most of a partition, and the sum over all. The
 * group says how wide atomics are. */
void results_partition_lookups(const struct results_reading *reading, const struct results_group *group, double *most,
                               double *sum);

/* Sectors of a group's requests with atomics, on average, in whole ones: 1 … 4. */
double results_atomic_sectors(const struct results_reading *reading, const struct results_group *group);

/* L2 cycles for which a slice performs the atomics of a request of so many sectors. */
double results_atomic_cycles(const struct results_reading *reading, double sectors);

/* Core cycles for which the slice with most of a group's atomics performs them. `share` becomes that of its partition,
 * 0 … 1, of all atomics of the run. */
double results_hot_atomics(const struct results_reading *reading, const struct results_group *group, double *share);

#endif
