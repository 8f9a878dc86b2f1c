/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrows between kernels of two GPUs: from one that has sent data to another GPU to that of its kernels which used
 * links for the longest time beside it. */
#ifndef MNP_RESULTS_FLOWS_H
#define MNP_RESULTS_FLOWS_H

#include "base/array.h"
#include "results/encoding/sqlite.h"

/* An end of an arrow. */
struct results_flow_end {
    uint32_t device, flow; /* flow: from 1 */
    uint64_t kernel;       /* its number */
};

struct results_flows {
    uint32_t count;
    struct mnp_array ends; /* struct results_flow_end, by device, kernel and flow */
};

/* Finds the arrows of run 1 of the databases of `count` GPUs. */
bool results_flows_find(struct results_flows *flows, sqlite3 *const *databases, uint32_t count,
                        struct mnp_error *error);
/* The first end of an arrow at a kernel, with those behind it up to `*count`; NULL: there is none. */
const struct results_flow_end *results_flows_at(const struct results_flows *flows, uint32_t device, uint64_t kernel,
                                                uint32_t *count);
void results_flows_release(struct results_flows *flows);

#endif
