/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counterparts among the runs of a plan. A context is a machine, an input and values of all axes but one; of a list or
 * a random plan, whose axes do not vary for themselves, it is a machine and an input. Values of the one axis can be
 * compared where runs of one context have both; means over different contexts would compare the contexts.
 */
#ifndef MNP_CLI_SWEEP_CONTEXTS_H
#define MNP_CLI_SWEEP_CONTEXTS_H

#include "cli/sweep/plan.h"

/* A value of the axis in a context. */
struct sweep_cell {
    uint32_t value, machine, input;
    double mean; /* mean of the logarithms of its objective; NAN: a run is missing, or has no positive one */
};

/* Receives a context: cells in the order of the axis's values. */
typedef void cli_sweep_take(void *to, const struct sweep_cell *cells, uint32_t count);

/* Gives all contexts of an axis to `take`, in order; the axis behind the last one is the machines. `objective`: [runs],
 * NAN where a run is not done. Of a plan of one at a time, places where another axis has not its first value are left
 * out. */
void cli_sweep_contexts(const struct sweep_plan *plan, uint32_t axis, const double *objective, cli_sweep_take *take,
                        void *to);

#endif
