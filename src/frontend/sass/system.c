/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver functions that cooperative grids call, as machine code: the handle of the grid, and a barrier of its blocks in
 * the launch's workspace. data/sass has the words by architecture, and the PTX that ptxas makes them of.
 */
#include "frontend/sass/system.h"

#include "frontend/sass/cubin_parts.h"

static void add(struct sass_cubin *cubin, const struct sass_system_row *row)
{
    struct sass_section *section = &cubin->system_sections[cubin->system_count++];
    *section = (struct sass_section){
        .name = row->name, .data = (const unsigned char *)row->code, .bytes = row->words * SASS_WORD_BYTES};
    cubin->kernels[cubin->kernel_count++] =
        (struct sass_kernel){.name = row->name, .code = section, .words = row->words};
}

void sass_add_system_functions(struct sass_cubin *cubin)
{
    for (size_t i = 0; i < sass_system_count; i++) {
        bool called = false;
        for (size_t j = 0; j < cubin->symbol_count && !called; j++)
            called = !cubin->symbols[j].section && strcmp(cubin->symbols[j].name, sass_system_rows[i].name) == 0;
        if (called && cubin->architecture >= sass_system_rows[i].from && cubin->architecture <= sass_system_rows[i].to)
            add(cubin, &sass_system_rows[i]);
    }
}
