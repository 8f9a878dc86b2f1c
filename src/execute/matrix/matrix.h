/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix fragments: how many bits an element has; products of quads of lanes. */
#ifndef EXECUTE_MATRIX_H
#define EXECUTE_MATRIX_H

#include "execute/code/types.h"

/* matrix_sparse.c: where in its row of A the `x`-th element that is stored is; `metadata`: a register. */
struct execute_matrix_form;
uint32_t execute_sparse_place(const struct execute_matrix_form *form, const uint32_t metadata[32], uint32_t row,
                              uint32_t x);

/* How many selectors a sparse form has. */
uint32_t execute_sparse_selectors(const struct execute_matrix_form *form);

/* matrix_quads.c: mma.m8n8k4 of halves, or a step of it. `refs`: registers of D, A, B, C. */
struct execute_warp;
void execute_multiply_quads(struct execute_warp *warp, const struct execute_matrix_form *form, const uint32_t *refs,
                            uint32_t lanes);

#endif
