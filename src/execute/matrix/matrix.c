/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products over fragments (fragment.h).
 *
 * Products are exact; sums of .f16, .bf16 and .tf32 are taken in ascending k, each rounded to single precision (to
 * nearest even) by one fused operation. Hardware sums groups with truncation, which NVIDIA does not specify. Of whole
 * numbers of up to eight bits, single precision holds what one instruction adds up.
 */
#include "execute/lanes/lane_math.h"
#include "execute/lanes/products.h"
#include "execute/matrix/fragment.h"

#include <string.h>

enum { MOST = 16 * 128, MOST_LONG = 16 * 16, MOST_SINGLE_BITS = 16 * 256, MOST_WHOLE = 8, VECTOR = 16 };

/* ===== products of numbers that single precision holds ===== */

/* Maps a type to the one used by products.c, and to the required conversion of its bits. */
static uint8_t kind_of(enum execute_type type)
{
    switch (type) {
    case EXECUTE_f16:
        return EXECUTE_WGMMA_F16;
    case EXECUTE_bf16:
        return EXECUTE_WGMMA_BF16;
    case EXECUTE_tf32:
        return EXECUTE_WGMMA_TF32;
    case EXECUTE_e4m3x2:
        return EXECUTE_WGMMA_E4M3;
    case EXECUTE_e5m2x2:
        return EXECUTE_WGMMA_E5M2;
    case EXECUTE_s8:
        return EXECUTE_WGMMA_S8;
    default:
        return EXECUTE_WGMMA_U8;
    }
}

/* A register's elements as numbers, [place][lane]. */
static void numbers_of(const struct execute_product_table *table, const struct execute_fragment *f,
                       const uint32_t *words, float *numbers)
{
    uint32_t bits[8 * 32], mask = f->bits < 32 ? (1u << f->bits) - 1 : ~0u;
    uint32_t sign = f->type == EXECUTE_s4 ? 8 : 0;
    for (uint32_t place = 0; place < f->per_register; place++)
        for (uint32_t lane = 0; lane < 32; lane++)
            bits[32 * place + lane] = ((words[lane] >> f->bits * place & mask) ^ sign) - sign;
    table->numbers(kind_of(f->type), bits, numbers, 32 * f->per_register);
}

static void gather_halves(const struct execute_warp *warp, const struct execute_product_table *table,
                          const struct execute_fragment *f, const struct execute_places *places, const uint32_t *refs,
                          float *to)
{
    bool adjacent = places->parts[1] == places->parts[0] + 1;
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        float numbers[64], *low = to + places->parts[2 * reg], *high = to + places->parts[2 * reg + 1];
        table->halves(execute_at(warp, refs[reg]), numbers);
        for (uint32_t lane = places->first; lane < 32 && adjacent; lane++)
            memcpy(low + places->lanes[lane], numbers + (size_t)2 * lane, 2 * sizeof *numbers);
        for (uint32_t lane = places->first; lane < 32 && !adjacent; lane++)
            low[places->lanes[lane]] = numbers[2 * lane], high[places->lanes[lane]] = numbers[2 * lane + 1];
    }
}

static void gather_numbers(const struct execute_warp *warp, const struct execute_product_table *table,
                           const struct execute_fragment *f, const struct execute_places *places, const uint32_t *refs,
                           float *to)
{
    if (f->type == EXECUTE_f16) {
        gather_halves(warp, table, f, places, refs, to);
        return;
    }
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        float converted[8 * 32];
        const uint32_t *words = execute_at(warp, refs[reg]);
        const float *numbers = f->type == EXECUTE_f32 ? (const float *)words : converted;
        if (f->type != EXECUTE_f32)
            numbers_of(table, f, words, converted);
        for (uint32_t place = 0; place < f->per_register; place++) {
            float *part = to + places->parts[reg * f->per_register + place];
            for (uint32_t lane = places->first; lane < 32; lane++)
                part[places->lanes[lane]] = numbers[32 * place + lane];
        }
    }
}

static void scatter_numbers(struct execute_warp *warp, const struct execute_fragment *f,
                            const struct execute_places *places, const uint32_t *refs, const float *from,
                            uint32_t lanes)
{
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        uint32_t words[32];
        const float *low = from + places->parts[reg * f->per_register], *high = from + places->parts[2 * reg + 1];
        for (uint32_t lane = 0; lane < 32 && f->type != EXECUTE_f16; lane++)
            words[lane] = bits_of(low[places->lanes[lane]]);
        for (uint32_t lane = 0; lane < 32 && f->type == EXECUTE_f16; lane++)
            words[lane] = narrow_to_half(bits_of(low[places->lanes[lane]])) |
                          narrow_to_half(bits_of(high[places->lanes[lane]])) << 16;
        execute_blend(warp, execute_to(warp, refs[reg]), words, 4, lanes);
    }
}

/* Sums of one instruction join whole numbers of 32 bits. */
static void scatter_whole(struct execute_warp *warp, const struct execute_fragment *f,
                          const struct execute_places *places, const uint32_t *refs, const uint32_t *before,
                          const float *from, bool saturate, uint32_t lanes)
{
    uint32_t words[MOST_WHOLE][32];
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        const uint32_t *old = execute_at(warp, before[reg]);
        for (uint32_t lane = 0; lane < 32; lane++) {
            int64_t sum = (int32_t)old[lane] + (int64_t)from[places->parts[reg] + places->lanes[lane]];
            words[reg][lane] = saturate ? (uint32_t)saturate_s32(sum) : (uint32_t)sum;
        }
    }
    for (uint32_t reg = 0; reg < f->registers; reg++) /* a result may lie where another one's sum was */
        execute_blend(warp, execute_to(warp, refs[reg]), words[reg], 4, lanes);
}

struct parts {
    struct execute_fragment a, b, c, d;
    const uint32_t *a_refs, *b_refs, *c_refs, *d_refs;
};

/* Sparse A: multiplies each row with those rows of B that correspond to its stored elements. The row is replicated,
 * because rows are multiplied in groups of four. */
static void multiply_stored(const struct execute_product_table *table, const struct execute_matrix_form *form,
                            const uint32_t *metadata, float *const *lines, const float *a, const float *b, bool exact)
{
    float chosen[MOST / 2];
    uint32_t stored = form->k / 2;
    for (uint32_t row = 0; row < form->m; row++) {
        for (uint32_t x = 0; x < stored; x++)
            memcpy(chosen + (size_t)x * VECTOR, b + (size_t)execute_sparse_place(form, metadata, row, x) * VECTOR,
                   VECTOR * sizeof *b);
        float *const line[4] = {lines[row], lines[row], lines[row], lines[row]};
        table->multiply_lines(line, chosen, VECTOR, a + (size_t)row * stored,
                              (struct execute_product_pitch){.k = 1, .column = 0}, 4, stored, exact);
    }
}

static void multiply_numbers(struct execute_warp *warp, const struct execute_matrix_form *form, const struct parts *p,
                             uint32_t lanes)
{
    const struct execute_product_table *table = execute_products_best();
    _Alignas(64) float a[MOST], b[MOST], sums[32 * VECTOR], *lines[32];
    struct execute_places places;
    /* Vectors go along the rows, or, of narrow matrices, down the columns; of small ones the rest is 0. Rows of a
     * sparse A each have their own factors. */
    bool along = form->n >= VECTOR || form->sparse, whole = form->d_type == EXECUTE_s32;
    uint32_t count = along ? form->m : form->n, length = along ? form->n : form->m;
    uint32_t stride = length < VECTOR ? VECTOR : length, down = along ? stride : 1, right = along ? 1 : stride;
    if (length < VECTOR) {
        memset(along ? b : a, 0, sizeof *a * form->k * VECTOR);
        memset(sums, 0, sizeof sums);
    }
    execute_fragment_places(&p->a, along ? p->a.columns : 1, along ? 1 : stride, &places);
    gather_numbers(warp, table, &p->a, &places, p->a_refs, a);
    execute_fragment_places(&p->b, along ? stride : 1, along ? 1 : form->k, &places);
    gather_numbers(warp, table, &p->b, &places, p->b_refs, b);
    for (uint32_t i = 0; i < count; i++)
        lines[i] = sums + (size_t)i * stride;
    execute_fragment_places(&p->c, down, right, &places);
    if (whole)
        memset(sums, 0, sizeof sums);
    else
        gather_numbers(warp, table, &p->c, &places, p->c_refs, sums);
    /* Products of types with the exponent range of single precision may be too small to be exact. */
    bool exact = form->a_type != EXECUTE_bf16 && form->a_type != EXECUTE_tf32;
    if (form->sparse)
        multiply_stored(table, form, execute_at(warp, p->c_refs[form->c_count]), lines, a, b, exact);
    else
        table->multiply_lines(lines, along ? b : a, stride, along ? a : b,
                              (struct execute_product_pitch){.k = 1, .column = form->k}, count, form->k, exact);
    execute_fragment_places(&p->d, down, right, &places);
    if (whole)
        scatter_whole(warp, &p->d, &places, p->d_refs, p->c_refs, sums, form->saturate, lanes);
    else
        scatter_numbers(warp, &p->d, &places, p->d_refs, sums, lanes);
}

/* ===== double precision ===== */

static void multiply_doubles(struct execute_warp *warp, const struct execute_matrix_form *form, const struct parts *p,
                             uint32_t lanes)
{
    uint64_t a[MOST_LONG], b[MOST_LONG], sums[MOST_LONG];
    struct execute_places places;
    execute_fragment_places(&p->a, form->k, 1, &places);
    execute_fragment_gather_long(warp, &p->a, &places, p->a_refs, a);
    execute_fragment_places(&p->b, form->n, 1, &places);
    execute_fragment_gather_long(warp, &p->b, &places, p->b_refs, b);
    execute_fragment_places(&p->c, form->n, 1, &places);
    execute_fragment_gather_long(warp, &p->c, &places, p->c_refs, sums);
    for (uint32_t row = 0; row < form->m; row++)
        for (uint32_t column = 0; column < form->n; column++) {
            double sum = double_of(sums[row * form->n + column]);
            for (uint32_t k = 0; k < form->k; k++) {
                double x = double_of(a[row * form->k + k]), y = double_of(b[k * form->n + column]);
                sum = settle(fused2(x, y, sum), x, y, sum);
            }
            sums[row * form->n + column] = bits_of_double(sum);
        }
    execute_fragment_places(&p->d, form->n, 1, &places);
    execute_fragment_scatter_long(warp, &p->d, &places, p->d_refs, sums, lanes);
}

/* ===== single bits ===== */

static void multiply_bits(struct execute_warp *warp, const struct execute_matrix_form *form, const struct parts *p,
                          uint32_t lanes)
{
    uint32_t a[MOST_SINGLE_BITS], b[MOST_SINGLE_BITS], sums[MOST_LONG];
    struct execute_places places;
    execute_fragment_places(&p->a, form->k, 1, &places);
    execute_fragment_gather(warp, &p->a, &places, p->a_refs, a);
    execute_fragment_places(&p->b, 1, form->k, &places);
    execute_fragment_gather(warp, &p->b, &places, p->b_refs, b);
    execute_fragment_places(&p->c, form->n, 1, &places);
    execute_fragment_gather(warp, &p->c, &places, p->c_refs, sums);
    for (uint32_t row = 0; row < form->m; row++)
        for (uint32_t column = 0; column < form->n; column++) {
            const uint32_t *x = a + (size_t)row * form->k, *y = b + (size_t)column * form->k;
            int64_t sum = (int32_t)sums[row * form->n + column];
            for (uint32_t k = 0; k < form->k; k++)
                sum += form->and_popc ? x[k] & y[k] : x[k] ^ y[k];
            sums[row * form->n + column] = form->saturate ? (uint32_t)saturate_s32(sum) : (uint32_t)sum;
        }
    execute_fragment_places(&p->d, form->n, 1, &places);
    execute_fragment_scatter(warp, &p->d, &places, p->d_refs, sums, lanes);
}

void execute_step_matrix(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_matrix_form *form =
        (const struct execute_matrix_form *)warp->launch->code->matrices.items + op->matrix;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    if (form->quads) {
        execute_multiply_quads(warp, form, refs, lanes);
        return;
    }
    struct parts p = {
        .a = execute_fragment_of(form, 'a', (enum execute_type)form->a_type, form->a_count),
        .b = execute_fragment_of(form, 'b', (enum execute_type)form->b_type, form->b_count),
        .c = execute_fragment_of(form, 'c', (enum execute_type)form->c_type, form->c_count),
        .d = execute_fragment_of(form, 'd', (enum execute_type)form->d_type, form->d_count),
        .d_refs = refs,
    };
    p.a_refs = refs + form->d_count, p.b_refs = p.a_refs + form->a_count, p.c_refs = p.b_refs + form->b_count;
    if (form->a_type == EXECUTE_f64)
        multiply_doubles(warp, form, &p, lanes);
    else if (form->a_type == EXECUTE_b1)
        multiply_bits(warp, form, &p, lanes);
    else
        multiply_numbers(warp, form, &p, lanes);
}
