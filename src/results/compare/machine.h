/* SPDX-License-Identifier: BSD-3-Clause */
/* In what the machines of two results differ: the keys of machine files, with both values. */
#ifndef MNP_RESULTS_COMPARE_MACHINE_H
#define MNP_RESULTS_COMPARE_MACHINE_H

#include <stdio.h>

struct json_t;

/* Both are the objects `machine` of results.json. Writes nothing where they are equal. */
void results_compare_machines(const struct json_t *a, const struct json_t *b, FILE *out);

#endif
