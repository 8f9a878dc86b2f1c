/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of which half of A is not stored (mma.sp): what is stored lies as the elements of a matrix with half of k
 * do, and metadata say where it belongs (PTX ISA 9.0, matrix multiply-accumulate with a sparse A).
 *
 * Of four elements of 8 or 16 bits two are stored, with two bits of metadata each; of eight elements of 4 bits two
 * pairs, with two bits each; of two elements of 32 bits one, with four bits. A row's metadata are words of 16 bits
 * where elements have 16 or more, the row eight below in the upper half of the same lane; otherwise words of 32 bits,
 * the row below in the next lane. The selector says which lanes of the four that have a row: the first one, two, or
 * all.
 */
#include "execute/code/op.h"
#include "execute/matrix/matrix.h"

static uint32_t bits_of_a(const struct execute_matrix_form *form)
{
    return execute_matrix_bits((enum execute_type)form->a_type);
}

/* Lanes of four that have the metadata of a row and of the one eight below. */
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
    uint32_t bit = bits == 32 ? 4 * x : bits == 4 ? x / 2 * 2 : 2 * x; /* of the row's metadata */
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
