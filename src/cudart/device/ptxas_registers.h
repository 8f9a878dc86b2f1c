/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers that an assembler has given the kernels of a fat binary: beside a text of PTX there often is machine code
 * made of it, for this architecture or another one. Its numbers are nearer to those of a GPU than an estimate is.
 */
#ifndef CUDART_PTXAS_REGISTERS_H
#define CUDART_PTXAS_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

/* Adds to a text of PTX, chosen from the container, what the machine code nearest to the architecture says of its
 * kernels, as pragmas (frontend/ptx/text/parse_source.c). Nothing where there is none of Volta or later. */
void cudart_note_registers(const unsigned char *container, uint64_t bytes, uint32_t architecture, char **text,
                           size_t *length);

#endif
