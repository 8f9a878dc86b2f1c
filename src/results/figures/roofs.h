/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic on floating-point numbers, of what was done and of what the machine could do: what rooflines are drawn
 * from. */
#ifndef MNP_RESULTS_ROOFLINE_H
#define MNP_RESULTS_ROOFLINE_H

#include "results/figures/reading.h"

enum { RESULTS_ROOFS = 4 };

struct results_roof {
    const char *name; /* "FP32" */
    const char *what; /* the formula, by machine keys */
    double rate;      /* operations a second */
};

/* Additions and multiplications of a group, matrices included; a fused one is two. */
double results_operations(const struct results_reading *reading, const struct results_group *group);

/* Peak rates of the machine, for each kind of number that it has lanes for; returns their count. */
uint32_t results_roofs(const struct results_reading *reading, struct results_roof roofs[RESULTS_ROOFS]);

/* Bytes a second that the machine's DRAM can move; 0: not known. */
double results_roof_of_memory(const struct results_reading *reading);

#endif
