/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are found by name: the statistics of a run, and the keys of its machine. */
#ifndef MNP_RESULTS_NAMED_H
#define MNP_RESULTS_NAMED_H

#include "base/array.h"

struct results_named {
    char *name;
    double number;
};

/* Adds a number under a copy of its name. */
void results_named_add(struct mnp_array *all, const char *name, double number);

/* Puts names into the order in which they are found; none may be added behind that. */
void results_named_sort(struct mnp_array *all);

/* The number of a name; 0: there is none. */
double results_named_number(const struct mnp_array *all, const char *name);

void results_named_release(struct mnp_array *all);

#endif
