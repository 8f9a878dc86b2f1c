/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line tables of cubins (nvcc -lineinfo): section .debug_line, programs of DWARF 2 whose sequences begin at an address
 * that a relocation names. NVIDIA's extended opcode 0x90 says that the rows behind it are inlined at an earlier row of
 * the sequence. What is damaged is left out: code is executed without its lines, too.
 */
#ifndef FRONTEND_SASS_LINES_H
#define FRONTEND_SASS_LINES_H

#include "execute/code/language.h"
#include "frontend/sass/cubin.h"

struct sass_lines;

/* NULL: the cubin has none. */
struct sass_lines *sass_lines_read(const struct sass_cubin *cubin);
void sass_lines_free(struct sass_lines *lines);

/* Where the instruction at an address of a section's code comes from, and where that is inlined; NULL files: not known,
 * or nowhere. */
void sass_lines_find(const struct sass_lines *lines, uint32_t section, uint64_t address,
                     struct execute_source_line *source, struct execute_source_line *caller);

#endif
