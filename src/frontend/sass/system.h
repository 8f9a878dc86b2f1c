/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the driver that code calls and that are machine code here. */
#ifndef FRONTEND_SASS_SYSTEM_H
#define FRONTEND_SASS_SYSTEM_H

#include "frontend/sass/cubin.h"

struct sass_system_row {
    const char *name;
    uint8_t from, to; /* first and last architecture */
    uint32_t words;   /* instructions */
    const uint64_t (*code)[2];
};

/* Made from data/sass/system.words. */
extern const struct sass_system_row sass_system_rows[];
extern const uint32_t sass_system_count;

/* Appends the system functions that the cubin names but does not define to its functions. */
void sass_add_system_functions(struct sass_cubin *cubin);

#endif
