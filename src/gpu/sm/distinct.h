/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many different lines and sectors the instructions of an SM access (sm.distinct), as sets that are joined over SMs
 * and kernels: what a simulator with shared counters would keep in one hash table behind a lock (Huerta & González,
 * arXiv 2502.14691, section 3). A listener; its statistics exist in machines that ask for them alone.
 */
#ifndef GPU_SM_DISTINCT_H
#define GPU_SM_DISTINCT_H

#include <stdint.h>

struct sm_parameters;
struct sm_part_table;

/* The rows of its statistics, with as many counters as sm.distinct needs. */
struct sm_part_table sm_distinct_table(const struct sm_parameters *parameters);

#endif
