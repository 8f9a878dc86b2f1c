/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Volta's products, mma.m8n8k4 of halves: for q from 0 to 3, the eight lanes 4q … 4q + 3 and 16 + 4q … 16 + 4q + 3
 * compute a product of their own. The elements in a lane's registers follow the ISA's figures of mma.m8n8k4. Machine
 * code computes it in steps (HMMA.884), each of which produces two registers of the result. Sums are accumulated as in
 * matrix.c.
 */
#include "execute/matrix/matrix.h"

#include "execute/lanes/lane_math.h"
#include "execute/warp/frame.h"

enum { SIDE = 8, DEPTH = 4 };

static bool is_upper(uint32_t lane)
{
    return lane >= 16;
}

/* Element `i` of a lane's part of A or B, of the line of eight that it is in and the place of the four of k. */
static void place_of_factor(uint32_t lane, uint32_t i, bool along_k, uint32_t *line, uint32_t *k)
{
    uint32_t upper = is_upper(lane) ? 4 : 0;
    *line = (along_k ? lane % 4 : i) + upper;
    *k = along_k ? i : lane % 4;
}

/* Row and column of element `i` of C or D. */
static void place_of_sum(uint32_t lane, uint32_t i, enum execute_type type, uint32_t *row, uint32_t *column)
{
    uint32_t upper = is_upper(lane) ? 4 : 0;
    bool half = type == EXECUTE_f16;
    *row = (half ? lane % 4 : (lane & 1) + (i & 2)) + upper;
    *column = half ? i : (i & 4) + (lane & 2) + (i & 1);
}

static float half_at(const struct execute_warp *warp, const uint32_t *refs, uint32_t lane, uint32_t i)
{
    uint32_t word = ((const uint32_t *)execute_at(warp, refs[i / 2]))[lane];
    return float_of(widen_half(word >> 16 * (i % 2) & 0xffff));
}

struct quads {
    float a[4][SIDE][DEPTH], b[4][SIDE][DEPTH], sums[4][SIDE][SIDE];
};

static void gather_factors(const struct execute_warp *warp, const struct execute_matrix_form *form,
                           const uint32_t *a_refs, const uint32_t *b_refs, struct quads *quads)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < DEPTH; i++) {
            uint32_t line, k, quad = lane / 4 % 4;
            place_of_factor(lane, i, !form->a_column, &line, &k);
            quads->a[quad][line][k] = half_at(warp, a_refs, lane, i);
            place_of_factor(lane, i, form->b_column, &line, &k);
            quads->b[quad][line][k] = half_at(warp, b_refs, lane, i);
        }
}

/* The elements that the form's step has, or all: the first one and how many, of a type. */
static uint32_t first_of(const struct execute_matrix_form *form, enum execute_type type, uint32_t *count)
{
    uint32_t each = type == EXECUTE_f16 ? 4 : 2;
    *count = form->quad_step ? each : SIDE;
    return form->quad_step ? (form->quad_step - 1u) * each : 0;
}

static void gather_sums(const struct execute_warp *warp, const struct execute_matrix_form *form, const uint32_t *refs,
                        struct quads *quads)
{
    enum execute_type type = (enum execute_type)form->c_type;
    uint32_t count, first = first_of(form, type, &count);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row, column;
            place_of_sum(lane, first + i, type, &row, &column);
            quads->sums[lane / 4 % 4][row][column] =
                type == EXECUTE_f16 ? half_at(warp, refs, lane, i)
                                    : float_of(((const uint32_t *)execute_at(warp, refs[i]))[lane]);
        }
}

static void multiply(struct quads *quads)
{
    for (uint32_t quad = 0; quad < 4; quad++)
        for (uint32_t row = 0; row < SIDE; row++)
            for (uint32_t column = 0; column < SIDE; column++) {
                float sum = quads->sums[quad][row][column];
                for (uint32_t k = 0; k < DEPTH; k++)
                    sum = fused(quads->a[quad][row][k], quads->b[quad][column][k], sum);
                quads->sums[quad][row][column] = canonical(sum);
            }
}

static void scatter_sums(struct execute_warp *warp, const struct execute_matrix_form *form, const uint32_t *refs,
                         const struct quads *quads, uint32_t lanes)
{
    enum execute_type type = (enum execute_type)form->d_type;
    uint32_t count, first = first_of(form, type, &count), each = type == EXECUTE_f16 ? 2 : 1;
    for (uint32_t reg = 0; reg < count / each; reg++) {
        uint32_t result[32] = {0};
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t part = 0; part < each; part++) {
                uint32_t row, column;
                place_of_sum(lane, first + reg * each + part, type, &row, &column);
                uint32_t bits = bits_of(quads->sums[lane / 4 % 4][row][column]);
                result[lane] |= each == 2 ? narrow_to_half(bits) << 16 * part : bits;
            }
        execute_blend(warp, execute_to(warp, refs[reg]), result, 4, lanes);
    }
}

void execute_multiply_quads(struct execute_warp *warp, const struct execute_matrix_form *form, const uint32_t *refs,
                            uint32_t lanes)
{
    struct quads quads = {{{{0}}}};
    const uint32_t *a_refs = refs + form->d_count, *b_refs = a_refs + form->a_count, *c_refs = b_refs + form->b_count;
    gather_factors(warp, form, a_refs, b_refs, &quads);
    gather_sums(warp, form, c_refs, &quads);
    multiply(&quads);
    scatter_sums(warp, form, refs, &quads, lanes);
}
