/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix fragments: how many bits an element has; products of quads of lanes. */
#ifndef EXECUTE_MATRIX_H
#define EXECUTE_MATRIX_H

#include "execute/types.h"

/* Bits of an element, or 0 for a type that matrices do not have. */
unsigned execute_matrix_bits(enum execute_type type);

/* matrix_quads.c: mma.m8n8k4 of halves, or a step of it. `refs`: registers of D, A, B, C. */
struct execute_warp;
struct execute_matrix_form;
void execute_multiply_quads(struct execute_warp *warp, const struct execute_matrix_form *form, const uint32_t *refs,
                            uint32_t lanes);

#endif
