/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products with structured sparsity (mma.sp): the stored half of A has the layout of a matrix with half of k,
 * and metadata give each element's position (PTX ISA 9.0, matrix multiply-accumulate with a sparse A). Of four elements
 * of 8 or 16 bits two are stored, with a two-bit index each; of eight elements of 4 bits two pairs, with two bits each;
 * of two elements of 32 bits one, with four bits. For elements of 16 bits or more, a row's metadata are 16-bit words,
 * with the row eight below in the upper half of the same lane's word; otherwise 32-bit words, with the row eight below
 * in the next lane. The selector states which of a row's four lanes provide metadata: one, two, or all.
 */
#include "execute/code/op.h"
#include "execute/matrix/matrix.h"

static uint32_t bits_of_a(const struct execute_matrix_form *form)
{
    return execute_matrix_bits((enum execute_type)form->a_type);
}

/* The number of lanes of a quad that hold the metadata of a row and of the row eight below. */
static uint32_t lanes_of_selector(const struct execute_matrix_form *form)
{
    uint32_t bits = bits_of_a(form), twice = form->k * bits == 512 ? 2 : 1;
    return (bits >= 16 ? 1 : 2) * twice;
}

uint32_t execute_sparse_selectors(const struct execute_matrix_form *form)
{
    return 4 / lanes_of_selector(form);
}

uint32_t execute_sparse_place(const struct execute_matrix_form *form, const uint32_t metadata[32], uint32_t row,
                              uint32_t x)
{
    uint32_t bits = bits_of_a(form), below = row / 8;
    uint32_t first = row % 8 * 4 + form->selector * lanes_of_selector(form);
    uint32_t bit = bits == 32 ? 4 * x : bits == 4 ? x / 2 * 2 : 2 * x; /* bit offset in the row's metadata */
    uint32_t word = bits >= 16 ? metadata[first + bit / 16] >> (16 * below + bit % 16)
                               : metadata[first + bit / 32 * 2 + below] >> bit % 32;
    switch (bits) {
    case 32:
        return 2 * x + (word >> 1 & 1);
    case 4:
        return x / 4 * 8 + 2 * (word & 3) + x % 2;
    default:
        return x / 2 * 4 + (word & 3);
    }
}
