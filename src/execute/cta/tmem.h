/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tensor memory of Blackwell's data-centre GPUs (PTX ISA 9.0, tensor memory): 512 columns of 128 lanes of 32 bits per
 * SM, of which CTAs allocate powers of two from 32 on. An address has the lane in its upper half, and the column in its
 * lower half. An allocation uses the lowest free multiple of its size, as machine code does (UTCATOMSWS
 * .FIND_AND_SET.ALIGN; cicuvc/nvidia-sass-document), and is initially zero, so that a program that reads uninitialised
 * columns sees the same values in every run. Without a machine, each CTA has a tensor memory of its own. The two CTAs
 * of a pair (.cta_group::2) allocate the same columns.
 */
#ifndef EXECUTE_TMEM_H
#define EXECUTE_TMEM_H

#include "execute/warp/warp.h"

enum { EXECUTE_TMEM_LANES = 128, EXECUTE_TMEM_COLUMNS = 512, EXECUTE_TMEM_UNIT = 32 /* columns, allocated together */ };

struct execute_tmem {
    uint32_t cells[EXECUTE_TMEM_COLUMNS][EXECUTE_TMEM_LANES];
    const struct execute_cta *owner[EXECUTE_TMEM_COLUMNS / EXECUTE_TMEM_UNIT]; /* NULL: free */
};

/* Returns a column of a CTA's tensor memory; `count` columns from `column` on must be allocated to it. NULL: they are
 * not, which is a fault of the warp at that address. */
uint32_t *execute_tmem_columns(struct execute_warp *warp, struct execute_cta *cta, uint32_t lane, uint32_t address,
                               uint32_t column, uint32_t count);

/* Number of columns of a load or store, from the column of its address on. */
uint32_t execute_tmem_width(const struct execute_tmem_form *form);

/* Columns that the other CTA of its pair has taken for this one, too (tcgen05.alloc.cta_group::2), in units. False:
 * they are not free here. */
bool execute_tmem_promise(struct execute_cta *cta, uint32_t first, uint32_t units);

/* The CTA starts with none, and has ended: a fault of its last warp if it has kept some. */
void execute_tmem_start(struct execute_cta *cta);
void execute_tmem_end(struct execute_warp *last);

#endif
