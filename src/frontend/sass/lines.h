/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line tables of cubins (nvcc -lineinfo): section .debug_line, programs of DWARF 2 whose sequences begin at an address
 * given by a relocation. NVIDIA's extended opcode 0x90 states that the following rows are inlined at an earlier row of
 * the sequence. Damaged parts are ignored, because code can be executed without lines.
 */
#ifndef FRONTEND_SASS_LINES_H
#define FRONTEND_SASS_LINES_H

#include "execute/code/language.h"
#include "frontend/sass/cubin.h"

struct sass_lines;

/* NULL: the cubin has none. */
struct sass_lines *sass_lines_read(const struct sass_cubin *cubin);
void sass_lines_free(struct sass_lines *lines);

/* Finds the source line of an instruction, by its address in a section, and the line into which that is inlined; a file
 * is NULL if unknown or absent. */
void sass_lines_find(const struct sass_lines *lines, uint32_t section, uint64_t address,
                     struct execute_source_line *source, struct execute_source_line *caller);

#endif
