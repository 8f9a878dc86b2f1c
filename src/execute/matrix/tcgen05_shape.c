/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction descriptors of tcgen05.mma, and the mapping of rows to lanes of tensor memory (PTX ISA 9.0: instruction
 * descriptors, matrix shapes, data path layouts A to G, which are pictures; CUTLASS, mma_traits_sm100_frag.hpp).
 */
#include "execute/matrix/tcgen05.h"

enum { MOST_N = 256, NONE = 0xff };

/* Types of A and B by their number in the instruction descriptor, types of D, and k. */
static const struct kind {
    uint8_t types[8]; /* enum execute_wgmma_type */
    uint8_t d[4];     /* enum execute_type; kinds with block scaling have only one */
    uint16_t k;
} kinds[] = {
    [EXECUTE_TCGEN05_F16] = {{EXECUTE_WGMMA_F16, EXECUTE_WGMMA_BF16, NONE, NONE, NONE, NONE, NONE, NONE},
                             {EXECUTE_f16, EXECUTE_f32, NONE, NONE},
                             16},
    [EXECUTE_TCGEN05_TF32] = {{NONE, NONE, EXECUTE_WGMMA_TF32, NONE, NONE, NONE, NONE, NONE},
                              {NONE, EXECUTE_f32, NONE, NONE},
                              8},
    [EXECUTE_TCGEN05_F8F6F4] = {{EXECUTE_WGMMA_E4M3, EXECUTE_WGMMA_E5M2, NONE, EXECUTE_WGMMA_E2M3, EXECUTE_WGMMA_E3M2,
                                 EXECUTE_WGMMA_E2M1, NONE, NONE},
                                {EXECUTE_f16, EXECUTE_f32, NONE, NONE},
                                32},
    [EXECUTE_TCGEN05_I8] = {{EXECUTE_WGMMA_U8, EXECUTE_WGMMA_S8, NONE, NONE, NONE, NONE, NONE, NONE},
                            {NONE, NONE, EXECUTE_s32, NONE},
                            32},
    [EXECUTE_TCGEN05_MXF8F6F4] = {{EXECUTE_WGMMA_E4M3, EXECUTE_WGMMA_E5M2, NONE, EXECUTE_WGMMA_E2M3, EXECUTE_WGMMA_E3M2,
                                   EXECUTE_WGMMA_E2M1, NONE, NONE},
                                  {EXECUTE_f32},
                                  32},
    [EXECUTE_TCGEN05_MXF4] = {{NONE, EXECUTE_WGMMA_E2M1_PAIRS, NONE, NONE, NONE, NONE, NONE, NONE}, {EXECUTE_f32}, 64},
    [EXECUTE_TCGEN05_MXF4NVF4] = {{NONE, EXECUTE_WGMMA_E2M1_PAIRS, NONE, NONE, NONE, NONE, NONE, NONE},
                                  {EXECUTE_f32},
                                  64},
};

static uint32_t field(uint32_t word, uint32_t at, uint32_t bits)
{
    return word >> at & ((1u << bits) - 1);
}

static bool is_scaled(uint8_t kind)
{
    return kind >= EXECUTE_TCGEN05_MXF8F6F4;
}

/* ===== which there are ===== */

static bool rows_are_good(uint32_t m, const struct execute_tcgen05_form *form)
{
    bool pair = form->flags & EXECUTE_TCGEN05_PAIR, sparse = form->flags & EXECUTE_TCGEN05_SPARSE;
    if (form->flags & EXECUTE_TCGEN05_WEIGHTS)
        return m == 32 || m == 64 || m == 128;
    if (form->flags & EXECUTE_TCGEN05_A_DOWN)
        return m == (pair ? 256 : 128) || m == 128;
    if (is_scaled(form->kind))
        return m == (pair ? 256 : 128) || (m == 128 && !sparse);
    return pair ? m == 128 || m == 256 : m == 64 || m == 128;
}

static bool columns_are_good(const struct execute_tcgen05_shape *shape, const struct execute_tcgen05_form *form)
{
    bool pair = form->flags & EXECUTE_TCGEN05_PAIR, integers = form->kind == EXECUTE_TCGEN05_I8;
    bool bytes = form->kind == EXECUTE_TCGEN05_F8F6F4 || form->kind == EXECUTE_TCGEN05_MXF8F6F4 || integers;
    uint32_t n = shape->n, step = (integers || (shape->across_b && bytes) ? 16 : 8) << pair;
    if (form->flags & EXECUTE_TCGEN05_WEIGHTS)
        return n == 64 || n == 128 || (n == 256 && !(form->flags & EXECUTE_TCGEN05_SPARSE));
    bool small = integers && !pair && !shape->across_b && (n == 8 || n == 24);
    return n >= 8 && n <= MOST_N && (n % step == 0 || small);
}

static bool types_are_good(const struct execute_tcgen05_shape *shape, const struct execute_tcgen05_form *form)
{
    bool integers = form->kind == EXECUTE_TCGEN05_I8;
    bool d = shape->d_type != EXECUTE_f16 || form->kind != EXECUTE_TCGEN05_F16 ||
             (shape->a_type == EXECUTE_WGMMA_F16 && shape->b_type == EXECUTE_WGMMA_F16);
    bool packed = (shape->across_a && shape->a_type >= EXECUTE_WGMMA_E2M3) ||
                  (shape->across_b && shape->b_type >= EXECUTE_WGMMA_E2M3);
    return d && !packed && !(integers && (shape->negate_a || shape->negate_b));
}

/* Checks the place of factors in a column's word: one, two or four bytes at a multiple of as many; for four bytes only
 * one place is possible. */
static bool factors_are_good(const struct execute_tcgen05_shape *shape, const struct execute_tcgen05_form *form)
{
    if (!is_scaled(form->kind))
        return true;
    if (shape->fractions && (form->kind != EXECUTE_TCGEN05_MXF4NVF4 || form->factors != 4))
        return false;
    return shape->factor_a % form->factors == 0 && shape->factor_b % form->factors == 0;
}

/* ===== layouts ===== */

/* Computes the rows per CTA and their lanes. In weight-stationary products, and in those of a pair with 64 rows each,
 * parts of N use separate lanes; other shapes may leave half of the lanes unused. */
static void lay_out(struct execute_tcgen05_shape *shape, const struct execute_tcgen05_form *form)
{
    bool pair = form->flags & EXECUTE_TCGEN05_PAIR;
    shape->rows = (uint16_t)(pair ? shape->m / 2 : shape->m);
    bool apart = form->flags & EXECUTE_TCGEN05_WEIGHTS || (pair && !(form->flags & EXECUTE_TCGEN05_SPARSE));
    shape->parts = (uint8_t)(apart ? EXECUTE_TCGEN05_MOST_M / shape->rows : 1);
    shape->half = !apart && shape->rows < EXECUTE_TCGEN05_MOST_M;
}

uint32_t execute_tcgen05_lane(const struct execute_tcgen05_shape *shape, uint32_t row)
{
    return shape->half ? row / 16 * 32 + row % 16 : row;
}

bool execute_tcgen05_read_shape(uint32_t word, const struct execute_tcgen05_form *form,
                                struct execute_tcgen05_shape *shape)
{
    const struct kind *row = &kinds[form->kind];
    bool sparse = form->flags & EXECUTE_TCGEN05_SPARSE, scaled = is_scaled(form->kind);
    *shape = (struct execute_tcgen05_shape){.m = (uint16_t)(field(word, 24, 5) << 4),
                                            .n = (uint16_t)(field(word, 17, 6) << 3),
                                            .k = (uint16_t)(row->k << sparse),
                                            .a_type = row->types[field(word, 7, 3)],
                                            .b_type = row->types[field(word, 10, 3)],
                                            .d_type = row->d[scaled ? 0 : field(word, 4, 2)],
                                            .saturate = field(word, 3, 1),
                                            .negate_a = field(word, 13, 1),
                                            .negate_b = field(word, 14, 1),
                                            .across_a = field(word, 15, 1),
                                            .across_b = field(word, 16, 1),
                                            .selector = (uint8_t)(sparse && !scaled ? field(word, 0, 2) : 0),
                                            .factor_a = (uint8_t)field(word, 29, 2),
                                            .factor_b = (uint8_t)field(word, 4, 2),
                                            .fractions = !field(word, 23, 1)};
    bool narrow = kinds[form->kind].k == 32; /* the metadata then has only one place */
    if (sparse != (bool)field(word, 2, 1) || (narrow && shape->selector) ||
        (form->kind >= EXECUTE_TCGEN05_MXF4 && field(word, 31, 1)) || shape->a_type == NONE || shape->b_type == NONE ||
        shape->d_type == NONE || !rows_are_good(shape->m, form))
        return false;
    lay_out(shape, form);
    return columns_are_good(shape, form) && types_are_good(shape, form) && factors_are_good(shape, form);
}
