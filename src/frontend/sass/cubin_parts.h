/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal structure of a cubin, for the files that parse it; others use cubin.h. */
#ifndef FRONTEND_SASS_CUBIN_PARTS_H
#define FRONTEND_SASS_CUBIN_PARTS_H

#include "frontend/sass/cubin.h"

#include <string.h>

enum { SASS_SYSTEM_FUNCTIONS = 2 };

struct sass_cubin {
    const char *name;
    const unsigned char *image;
    size_t bytes;
    unsigned architecture, source; /* source: of the PTX that it was made of; as architecture where nothing says so */
    uint32_t section_count;
    struct sass_section *sections;
    size_t symbol_count;
    struct sass_symbol *symbols;
    size_t kernel_count;
    struct sass_kernel *kernels; /* system.h appends system functions to those of the sections: their section is 0 */
    uint32_t system_count;
    struct sass_section system_sections[SASS_SYSTEM_FUNCTIONS];
};

/* The kernel that symbol number `symbol` names; NULL: none. */
static inline struct sass_kernel *sass_kernel_of_symbol(struct sass_cubin *cubin, uint64_t symbol)
{
    if (symbol >= cubin->symbol_count)
        return NULL;
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (cubin->kernels[i].section == cubin->symbols[symbol].section &&
            strcmp(cubin->kernels[i].name, cubin->symbols[symbol].name) == 0)
            return &cubin->kernels[i];
    return NULL;
}

#endif
