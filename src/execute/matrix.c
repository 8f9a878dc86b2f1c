/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products over fragments. Which element a lane's register holds is, for mma, as the ISA's figures say; for wmma
 * it is not specified, and here element e of a fragment of R registers with E elements each is the number
 * (lane · R · E + register · E + place) mod (elements of the matrix).
 *
 * Products are exact; sums of .f16, .bf16 and .tf32 are taken in ascending k, each rounded to single precision (to
 * nearest even) by one fused operation. Hardware sums groups with truncation, which NVIDIA does not specify.
 */
#include "execute/matrix.h"
#include "execute/frame.h"
#include "execute/lane_math.h"

#include <string.h>

enum {
    MOST = 16 * 256,       /* elements of the largest matrix */
    MOST_HALVES = 16 * 32, /* of the largest of halves */
};

struct fragment {
    enum execute_type type;
    uint32_t rows, columns, registers, per_register, bits;
    char name; /* 'a' … 'd' */
    bool wmma;
};

static struct fragment fragment_of(const struct execute_matrix_form *form, char name, enum execute_type type,
                                   uint32_t registers)
{
    struct fragment f = {
        .type = type, .registers = registers, .name = name, .wmma = form->wmma, .bits = execute_matrix_bits(type)};
    f.rows = name == 'b' ? form->k : form->m;
    f.columns = name == 'a' ? form->k >> form->sparse : form->n;
    f.per_register = f.bits >= 32 ? 1 : 32 / f.bits;
    return f;
}

/* Row · columns + column of an element; ISA 9.0, figures of mma.m16n8k*, m8n8k*. */
static uint32_t place_of(const struct fragment *f, uint32_t lane, uint32_t reg, uint32_t place)
{
    uint32_t group = lane >> 2, in_group = lane & 3, e = f->per_register, row, column;
    if (f->wmma)
        return ((lane * f->registers + reg) * e + place) & (f->rows * f->columns - 1); /* a power of two */
    if (f->name == 'a') {
        uint32_t tall = f->rows == 16;
        row = group + (tall ? 8 * (reg & 1) : 0);
        column = in_group * e + place + (tall ? reg >> 1 : reg) * 4 * e;
    } else if (f->name == 'b') {
        row = in_group * e + place + reg * 4 * e;
        column = group;
    } else if (e == 2) { /* pairs of half precision */
        row = group + 8 * reg;
        column = in_group * 2 + place;
    } else {
        row = group + 8 * (reg >> 1);
        column = in_group * 2 + (reg & 1);
    }
    return row * f->columns + column;
}

static uint64_t element_bits(const struct execute_warp *warp, const struct fragment *f, const uint32_t *refs,
                             uint32_t lane, uint32_t reg, uint32_t place)
{
    if (f->bits == 64)
        return execute_long_at(warp, refs[reg], lane);
    uint32_t word = ((const uint32_t *)execute_at(warp, refs[reg]))[lane];
    return f->bits == 32 ? word : word >> f->bits * place & ((1u << f->bits) - 1);
}

static void gather(const struct execute_warp *warp, const struct fragment *f, const uint32_t *refs, uint64_t *matrix)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t reg = 0; reg < f->registers; reg++)
            for (uint32_t place = 0; place < f->per_register; place++)
                matrix[place_of(f, lane, reg, place)] = element_bits(warp, f, refs, lane, reg, place);
}

static void scatter(struct execute_warp *warp, const struct fragment *f, const uint32_t *refs, const uint64_t *matrix,
                    uint32_t lanes)
{
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        uint64_t large[32];
        uint32_t small[32] = {0};
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t place = 0; place < f->per_register; place++) {
                uint64_t bits = matrix[place_of(f, lane, reg, place)];
                large[lane] = bits;
                small[lane] |= (uint32_t)bits << (f->bits >= 32 ? 0 : f->bits * place);
            }
        if (f->bits == 64 && warp->launch->code->paths)
            execute_blend_pairs(execute_to(warp, refs[reg]), large, lanes);
        else
            execute_blend(execute_to(warp, refs[reg]), f->bits == 64 ? (void *)large : (void *)small,
                          f->bits == 64 ? 8 : 4, lanes);
    }
}

/* ===== sums of products ===== */

static int64_t whole(uint64_t bits, enum execute_type type)
{
    return type == EXECUTE_s8 ? (int8_t)bits : type == EXECUTE_s4 ? (int8_t)(bits << 4) >> 4 : (int64_t)bits;
}

/* The exponent is 120 too small; a subnormal number is a multiple of 2^-9. */
static uint32_t widen_e4m3(uint32_t bits)
{
    uint32_t sign = (bits & 0x80) << 24;
    if ((bits & 0x7f) == 0x7f)
        return EXECUTE_NAN_F32;
    return sign | (bits & 0x78 ? ((bits & 0x7f) << 20) + (120u << 23) : bits_of((float)(bits & 7) * 0x1p-9f));
}

static float single(uint64_t bits, enum execute_type type)
{
    uint32_t word = (uint32_t)bits;
    return float_of(type == EXECUTE_f16      ? widen_half(word)
                    : type == EXECUTE_bf16   ? word << 16
                    : type == EXECUTE_tf32   ? word & 0xffffe000u
                    : type == EXECUTE_e5m2x2 ? widen_half(word << 8)
                    : type == EXECUTE_e4m3x2 ? widen_e4m3(word)
                                             : word);
}

static uint64_t integer_sum(const struct execute_matrix_form *form, const uint64_t *a, const uint64_t *b, uint64_t c,
                            uint32_t row, uint32_t column)
{
    int64_t sum = (int32_t)(uint32_t)c;
    for (uint32_t k = 0; k < form->k; k++) {
        uint64_t x = a[row * form->k + k], y = b[k * form->n + column];
        if (form->a_type == EXECUTE_b1)
            sum += (int64_t)(form->and_popc ? x & y : x ^ y);
        else
            sum += whole(x, (enum execute_type)form->a_type) * whole(y, (enum execute_type)form->b_type);
    }
    if (form->saturate)
        return (uint32_t)saturate_s32(sum);
    return (uint32_t)sum;
}

static uint64_t float_sum(const struct execute_matrix_form *form, const uint64_t *a, const uint64_t *b, uint64_t c,
                          uint32_t row, uint32_t column)
{
    if (form->a_type == EXECUTE_f64) {
        double sum = double_of(c);
        for (uint32_t k = 0; k < form->k; k++) {
            double x = double_of(a[row * form->k + k]), y = double_of(b[k * form->n + column]);
            sum = settle(fused2(x, y, sum), x, y, sum);
        }
        return bits_of_double(sum);
    }
    float sum = form->c_type == EXECUTE_f16 ? single(c, EXECUTE_f16) : float_of((uint32_t)c);
    for (uint32_t k = 0; k < form->k; k++)
        sum = fused(single(a[row * form->k + k], (enum execute_type)form->a_type),
                    single(b[k * form->n + column], (enum execute_type)form->b_type), sum);
    sum = canonical(sum);
    return form->d_type == EXECUTE_f16 ? narrow_to_half(bits_of(sum)) : bits_of(sum);
}

/* The same for .f16, a row at a time: a product of two halves is exact in single precision, so that one rounding is
 * left without a fused operation. */
static void half_sums(const struct execute_matrix_form *form, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                      uint64_t *d)
{
    float x[MOST_HALVES], y[MOST_HALVES], sums[32];
    for (uint32_t i = 0; i < form->m * form->k; i++)
        x[i] = single(a[i], EXECUTE_f16);
    for (uint32_t i = 0; i < form->k * form->n; i++)
        y[i] = single(b[i], EXECUTE_f16);
    for (uint32_t row = 0; row < form->m; row++, c += form->n, d += form->n) {
        for (uint32_t j = 0; j < form->n; j++)
            sums[j] = single(c[j], (enum execute_type)form->c_type);
        for (uint32_t k = 0; k < form->k; k++) {
            float factor = x[row * form->k + k];
            for (uint32_t j = 0; j < form->n; j++)
                sums[j] += factor * y[k * form->n + j];
        }
        for (uint32_t j = 0; j < form->n; j++) {
            uint32_t sum = bits_of(canonical(sums[j]));
            d[j] = form->d_type == EXECUTE_f16 ? narrow_to_half(sum) : sum;
        }
    }
}

static void multiply(const struct execute_matrix_form *form, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                     uint64_t *d)
{
    if (form->a_type == EXECUTE_f16) {
        half_sums(form, a, b, c, d);
        return;
    }
    for (uint32_t row = 0; row < form->m; row++)
        for (uint32_t column = 0; column < form->n; column++) {
            uint32_t at = row * form->n + column;
            d[at] = form->d_type == EXECUTE_s32 ? integer_sum(form, a, b, c[at], row, column)
                                                : float_sum(form, a, b, c[at], row, column);
        }
}

/* Of a sparse A: each row with those rows of B that its stored elements are factors of. */
static void multiply_stored(const struct execute_matrix_form *form, const uint32_t *metadata, const uint64_t *a,
                            const uint64_t *b, const uint64_t *c, uint64_t *d)
{
    uint64_t chosen[MOST / 2];
    uint32_t n = form->n;
    struct execute_matrix_form line = *form;
    line.m = 1;
    line.k = form->k / 2;
    for (uint32_t row = 0; row < form->m; row++) {
        for (uint32_t x = 0; x < line.k; x++)
            memcpy(chosen + x * n, b + execute_sparse_place(form, metadata, row, x) * n, sizeof *b * n);
        multiply(&line, a + row * line.k, chosen, c + row * n, d + row * n);
    }
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
    uint64_t a[MOST], b[MOST], c[512], d[512];
    memset(a, 0, sizeof *a * form->m * form->k);
    memset(b, 0, sizeof *b * form->k * form->n);
    memset(c, 0, sizeof *c * form->m * form->n);
    struct fragment fa = fragment_of(form, 'a', (enum execute_type)form->a_type, form->a_count);
    struct fragment fb = fragment_of(form, 'b', (enum execute_type)form->b_type, form->b_count);
    struct fragment fc = fragment_of(form, 'c', (enum execute_type)form->c_type, form->c_count);
    struct fragment fd = fragment_of(form, 'd', (enum execute_type)form->d_type, form->d_count);
    const uint32_t *a_refs = refs + form->d_count, *b_refs = a_refs + form->a_count, *c_refs = b_refs + form->b_count;
    gather(warp, &fa, a_refs, a);
    gather(warp, &fb, b_refs, b);
    gather(warp, &fc, c_refs, c);
    if (form->sparse)
        multiply_stored(form, execute_at(warp, c_refs[form->c_count]), a, b, c, d);
    else
        multiply(form, a, b, c, d);
    scatter(warp, &fd, refs, d, lanes);
}

/* ===== memory ===== */

/* wmma.load and wmma.store: element (row, column) lies at row · stride + column, or the other way round. */
void execute_step_wmma_access(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_matrix_form *form =
        (const struct execute_matrix_form *)warp->launch->code->matrices.items + op->matrix;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    struct fragment f = fragment_of(form, (char)form->fragment, (enum execute_type)form->a_type, form->a_count);
    uint64_t matrix[MOST], base[32];
    memset(matrix, 0, sizeof *matrix * f.rows * f.columns);
    uint32_t first = (uint32_t)__builtin_ctz(lanes), unit = f.bits < 8 ? 8 : f.bits; /* bits that are moved together */
    uint32_t stride = op->b != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->b))[first]
                      : form->column          ? f.rows
                                              : f.columns;
    execute_addresses(warp, op->a, form->wide_address, op->immediate, base);
    if (!op->variant)
        gather(warp, &f, refs, matrix);
    uint32_t total = f.rows * f.columns, step = unit / f.bits;
    for (uint32_t at = 0; at < total; at += 32 * step) {
        uint64_t addresses[32], data[32] = {0};
        uint32_t taking = 0;
        for (uint32_t lane = 0; lane < 32 && at + lane * step < total; lane++) {
            uint32_t element = at + lane * step; /* counted along memory */
            uint32_t length = form->column ? f.rows : f.columns, line = element / length, place = element % length;
            addresses[lane] = base[first] + ((uint64_t)line * stride + place) * f.bits / 8;
            taking |= 1u << lane;
            for (uint32_t i = 0; i < step && !op->variant; i++) {
                uint32_t index = form->column ? (place + i) * f.columns + line : line * f.columns + place + i;
                data[lane] |= matrix[index] << (f.bits * i);
            }
        }
        if (!execute_access(warp, (enum execute_space)form->space, !op->variant, taking, addresses, unit / 8, data, 8))
            return;
        for (uint32_t lane = 0; lane < 32 && op->variant && (taking >> lane & 1); lane++) {
            uint32_t element = at + lane * step;
            uint32_t length = form->column ? f.rows : f.columns, line = element / length, place = element % length;
            for (uint32_t i = 0; i < step; i++) {
                uint32_t index = form->column ? (place + i) * f.columns + line : line * f.columns + place + i;
                matrix[index] = f.bits == 64 ? data[lane] : data[lane] >> f.bits * i & ((UINT64_C(1) << f.bits) - 1);
            }
        }
    }
    if (op->variant)
        scatter(warp, &f, refs, matrix, lanes);
}

/* ldmatrix and stmatrix: lane 8·i + r has the address of row r of matrix i; a lane's register i holds two elements. */
void execute_step_matrix_rows(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint64_t addresses[32];
    uint16_t rows[32][8] = {{0}};
    uint32_t count = op->access.count, taking = count == 4 ? lanes : lanes & ((1u << 8 * count) - 1);
    bool store = op->combine, trans = op->variant;
    execute_access_addresses(warp, op, op->immediate, addresses);
    for (uint32_t i = 0; store && i < count; i++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t word = ((const uint32_t *)execute_at(warp, refs[i]))[lane], row = lane >> 2,
                     column = 2 * (lane & 3);
            for (uint32_t j = 0; j < 2; j++)
                rows[8 * i + (trans ? column + j : row)][trans ? row : column + j] = (uint16_t)(word >> 16 * j);
        }
    if (!taking || !execute_access(warp, (enum execute_space)op->access.space, store, taking, addresses, 16, rows, 16))
        return;
    for (uint32_t i = 0; !store && i < count; i++) {
        uint32_t result[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t row = lane >> 2, column = 2 * (lane & 3);
            uint32_t low = trans ? rows[8 * i + column][row] : rows[8 * i + row][column];
            uint32_t high = trans ? rows[8 * i + column + 1][row] : rows[8 * i + row][column + 1];
            result[lane] = low | high << 16;
        }
        execute_blend(execute_to(warp, refs[i]), result, 4, lanes);
    }
}

void execute_step_transpose(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a);
    uint32_t result[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t row = lane >> 2, column = 2 * (lane & 3); /* element (row, column) is what (column, row) was */
        uint32_t low = a[column * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        uint32_t high = a[(column + 1) * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        result[lane] = low | high << 16;
    }
    execute_blend(execute_to(warp, op->d), result, 4, lanes);
}
