/* SPDX-License-Identifier: BSD-3-Clause */
/* The key=value parameters of a workload: a table with defaults and ranges, filled in from the command line. */
#ifndef TRACEGEN_PARAMETERS_H
#define TRACEGEN_PARAMETERS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct parameter {
    const char *name; /* NULL ends a table */
    const char *help;
    const char *words; /* "first|second|…": the value is one of them, kept as its number; NULL: a number */
    uint64_t value, least, most;
};

enum { MOST_PARAMETERS = 24 };

struct parameters {
    struct parameter list[MOST_PARAMETERS];
    size_t count;
};

/* Adds a table that ends in a row without a name. */
void parameters_add(struct parameters *parameters, const struct parameter *table);

/* Takes one "key=value". */
bool parameters_set(struct parameters *parameters, const char *text, struct mnp_error *error);

/* The value of a parameter that the workload's own table declares. */
uint64_t parameter(const struct parameters *parameters, const char *name);

void parameters_print(const struct parameter *table, FILE *stream);

#endif
