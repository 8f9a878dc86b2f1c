/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding of A and B of tcgen05.mma to numbers: reads shared and tensor memory, expands a sparse A by its metadata,
 * multiplies both by their scale factors, and zeroes columns of B by a mask (PTX ISA 9.0: packing formats, block
 * scaling, sparse matrices, zero-column mask descriptor; CUTLASS, mma_traits_sm100_frag.hpp, for the places of factors
 * and metadata). Data that tensor memory replicates for several groups of lanes is read from the first group.
 */
#include "execute/copy/tensor_map.h"
#include "execute/cta/tmem.h"
#include "execute/lanes/lane_math.h"
#include "execute/matrix/operand.h"
#include "execute/matrix/tcgen05.h"
#include "execute/warp/frame.h"

#include <string.h>

enum {
    CHUNK = EXECUTE_PRODUCT_CHUNK,
    CHUNKS = 2,    /* chunks of k: 256 bits; B has twice as many if A is sparse */
    A_COLUMNS = 8, /* columns of A in tensor memory */
    QUARTER = 32,  /* lanes */
    LANE_SHIFT = 16,
    COLUMN_MASK = 0xffff,
    MOST_SHIFT = 32 /* maximum column shift of a zero-column mask */
};

/* ===== operands ===== */

uint32_t *execute_tcgen05_columns(struct execute_warp *warp, struct execute_cta *cta,
                                  const struct execute_tcgen05_shape *shape, uint32_t address, uint32_t count)
{
    uint32_t lane = address >> LANE_SHIFT;
    if (lane == 0 || (shape->half && lane == 16))
        return execute_tmem_columns(warp, cta, 0, address, address & COLUMN_MASK, count);
    execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, address);
    return NULL;
}

/* Reads A from tensor memory: eight columns have 256 bits of k. Elements of six bits, and those of four bits in kinds
 * with mixed types, occupy a byte each. */
static bool gather_a(struct execute_warp *warp, struct execute_cta *cta, const struct execute_tcgen05_kept *kept,
                     float *a)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    const struct execute_product_table *table = execute_products_best();
    uint32_t m = shape->rows, each = execute_operand_elements(shape->a_type);
    const uint32_t *cells = execute_tcgen05_columns(warp, cta, shape, (uint32_t)kept->a, A_COLUMNS);
    if (!cells)
        return false;
    cells += kept->a >> LANE_SHIFT;
    for (uint32_t row = 0; row < m; row += 8)
        for (uint32_t half = 0; half < CHUNKS; half++) {
            uint32_t words[8][CHUNK / 4];
            const unsigned char *chunks[8];
            for (uint32_t i = 0; i < 8; i++) {
                chunks[i] = (const unsigned char *)words[i];
                for (uint32_t w = 0; w < CHUNK / 4; w++)
                    words[i][w] =
                        cells[(half * CHUNK / 4 + w) * EXECUTE_TMEM_LANES + execute_tcgen05_lane(shape, row + i)];
            }
            execute_operand_widen(table, shape->a_type, chunks, false, a + (size_t)half * each * m + row, m);
        }
    return true;
}

/* Words along m or n of 32 bits have a swizzle of their own, which others have not (PTX ISA 9.0, type sizes,
 * majorness and swizzles). */
static bool swizzle_is_good(const struct execute_operand *operand, uint8_t type, bool across)
{
    bool pairs = operand->swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B;
    return across && type == EXECUTE_WGMMA_TF32 ? pairs : !pairs;
}

bool execute_tcgen05_operand(struct execute_warp *warp, uint64_t descriptor, uint8_t type, bool across,
                             struct execute_operand *out)
{
    if (execute_operand_of_tcgen05(descriptor, out) && swizzle_is_good(out, type, across))
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_MATRIX, 0, descriptor);
    return false;
}

static uint32_t chunks_of_b(const struct execute_op *op)
{
    return CHUNKS << !!(op->tcgen05.flags & EXECUTE_TCGEN05_SPARSE);
}

/* Reads `count` columns of B, from `first` on, to `to`. */
static bool read_b(struct execute_operand_reader *reader, const struct execute_op *op,
                   const struct execute_tcgen05_kept *kept, uint32_t first, uint32_t count, float *to)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    const struct execute_operand_part part = {
        .first = first, .count = count, .stride = shape->n, .type = shape->b_type, .across = shape->across_b};
    reader->chunks = chunks_of_b(op);
    return execute_tcgen05_operand(reader->warp, kept->b, shape->b_type, shape->across_b, &reader->operand) &&
           execute_operand_read(reader, execute_products_best(), &part, to);
}

bool execute_tcgen05_tape_half(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                               const struct execute_tcgen05_kept *kept, unsigned char *half)
{
    float numbers[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_N]; /* buffer for unused numbers */
    struct execute_operand_tape tape = {.bytes = half};
    struct execute_operand_reader reader = {.warp = warp, .cta = cta, .tape = &tape};
    return read_b(&reader, op, kept, 0, kept->shape.n / 2u, numbers);
}

static bool read_halves(struct execute_warp *warp, const struct execute_op *op, const struct execute_tcgen05_kept *kept,
                        unsigned char *const halves[2], float *b)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct execute_operand_tape tape = {.bytes = halves[i], .plays = true};
        struct execute_operand_reader reader = {.warp = warp, .cta = warp->cta, .tape = &tape};
        if (!read_b(&reader, op, kept, 0, kept->shape.n / 2u, b + i * kept->shape.n / 2))
            return false;
    }
    return true;
}

static bool read_a(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                   const struct execute_tcgen05_kept *kept, float *a)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    struct execute_operand_reader reader = {.warp = warp, .cta = cta, .chunks = CHUNKS};
    const struct execute_operand_part part = {
        .count = shape->rows, .stride = shape->rows, .type = shape->a_type, .across = shape->across_a};
    if (op->tcgen05.flags & EXECUTE_TCGEN05_A_TMEM)
        return gather_a(warp, cta, kept, a);
    return execute_tcgen05_operand(warp, kept->a, shape->a_type, shape->across_a, &reader.operand) &&
           execute_operand_read(&reader, execute_products_best(), &part, a);
}

/* ===== a sparse A ===== */

/* The four bits of a row's metadata for a group of elements. For 16- and 32-bit elements, eight lanes hold the metadata
 * of half of k, followed by eight for the other half, and the upper half of a word belongs to the row eight below; for
 * other types a row's 64 bits are in its own lane. */
static uint32_t nibble_of(const struct execute_tcgen05_shape *shape, const uint32_t *cells, uint32_t row,
                          uint32_t group)
{
    bool wide = shape->a_type <= EXECUTE_WGMMA_TF32;
    uint32_t place = wide ? row / 16 * 16 + group / 4 * 8 + row % 8 : row;
    uint32_t bit = wide ? row / 8 % 2 * 16 + group % 4 * 4 : group % 8 * 4, column = wide ? 0 : group / 8;
    return cells[column * EXECUTE_TMEM_LANES + execute_tcgen05_lane(shape, place)] >> bit & 15;
}

/* The position in its row of the x-th stored element: of two 32-bit elements one is stored, with a four-bit index; of
 * four elements, or four pairs of four bits, two, with a two-bit index each. */
static uint32_t place_in_row(const struct execute_tcgen05_shape *shape, const uint32_t *cells, uint32_t row, uint32_t x)
{
    if (shape->a_type == EXECUTE_WGMMA_TF32)
        return 2 * x + (nibble_of(shape, cells, row, x) >> 1 & 1);
    if (shape->a_type == EXECUTE_WGMMA_E2M1_PAIRS)
        return x / 4 * 8 + (nibble_of(shape, cells, row, x / 4) >> x / 2 % 2 * 2 & 3) * 2 + x % 2;
    return x / 2 * 4 + (nibble_of(shape, cells, row, x / 2) >> x % 2 * 2 & 3);
}

/* Expands the stored elements of A to the full matrix. */
static bool spread(struct execute_warp *warp, struct execute_cta *cta, const struct execute_tcgen05_kept *kept,
                   struct execute_tcgen05_numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    float stored[EXECUTE_TCGEN05_MOST_K / 2 * EXECUTE_TCGEN05_MOST_M];
    uint32_t address = kept->places[EXECUTE_TCGEN05_METADATA] + shape->selector, rows = shape->rows;
    const uint32_t *cells =
        execute_tcgen05_columns(warp, cta, shape, address, shape->a_type <= EXECUTE_WGMMA_TF32 ? 1 : 2);
    if (!cells)
        return false;
    cells += address >> LANE_SHIFT;
    memcpy(stored, numbers->a, sizeof *stored * shape->k / 2 * rows);
    memset(numbers->a, 0, sizeof *stored * shape->k * rows);
    memset(numbers->stored, 0, (size_t)shape->k * rows);
    for (uint32_t x = 0; x < shape->k / 2u; x++)
        for (uint32_t row = 0; row < rows; row++) {
            size_t at = (size_t)place_in_row(shape, cells, row, x) * rows + row;
            numbers->a[at] = stored[x * rows + row];
            numbers->stored[at] = true;
        }
    return true;
}

/* ===== .ashift ===== */

/* Replaces each row by the one above it, as in tcgen05.shift; the first row is kept, the last one is dropped. */
static void shift_rows(const struct execute_tcgen05_shape *shape, struct execute_tcgen05_numbers *numbers)
{
    for (size_t k = 0, rows = shape->rows; k < shape->k; k++) {
        memmove(numbers->a + k * rows + 1, numbers->a + k * rows, (rows - 1) * sizeof *numbers->a);
        memmove(numbers->stored + k * rows + 1, numbers->stored + k * rows, (rows - 1) * sizeof *numbers->stored);
    }
}

/* ===== factors ===== */

static float factor_of(uint32_t bits, bool fractions)
{
    if (fractions) { /* ue4m3 */
        float subnormal = (float)(int32_t)(bits & 7) * 0x1p-9f, normal = float_of(((bits & 0x7f) << 20) + (120u << 23));
        return (bits & 0x7f) == 0x7f ? float_of(EXECUTE_NAN_F32) : bits & 0x78 ? normal : subnormal;
    }
    return bits == 0xff ? float_of(EXECUTE_NAN_F32) : bits ? float_of(bits << 23) : float_of(1u << 22); /* 2^-127 */
}

struct factors {     /* factors of A's rows or B's columns */
    uint32_t place;  /* address of the factors */
    uint32_t count;  /* number of rows or columns */
    uint32_t part;   /* number of them per group of lanes */
    uint32_t spread; /* lanes from one such part to the next */
    uint32_t byte;   /* byte of the first factor in a column's word */
};

/* Reads scale factors. Factors of 32 rows or columns are in 32 lanes, those of the next 32 in the next column: for rows
 * in each row's own quarter of the lanes, for columns in the first quarter of their part. Returns false on a fault. */
static bool read_factors(struct execute_warp *warp, struct execute_cta *cta, const struct execute_tcgen05_kept *kept,
                         const struct factors *factors, uint32_t each, float *to)
{
    uint32_t columns = (factors->part + QUARTER - 1) / QUARTER, column = factors->place & COLUMN_MASK;
    const uint32_t *cells = execute_tmem_columns(warp, cta, 0, factors->place, column, columns);
    if (!cells)
        return false;
    if (factors->place >> LANE_SHIFT) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, factors->place);
        return false;
    }
    for (uint32_t i = 0; i < factors->count; i++) {
        uint32_t within = i % factors->part, lane = i / factors->part * factors->spread + within % QUARTER;
        if (!factors->spread)
            lane = i;
        uint32_t word = cells[within / QUARTER * EXECUTE_TMEM_LANES + lane];
        for (uint32_t f = 0; f < each; f++)
            to[f * factors->count + i] = factor_of(word >> 8 * (factors->byte + f) & 0xff, kept->shape.fractions);
    }
    return true;
}

/* Whether products with such factors surely are normal numbers of single precision. */
static bool are_moderate(const float *factors, uint32_t count)
{
    bool all = true;
    for (uint32_t i = 0; i < count; i++)
        all &= !(factors[i] < 0x1p-40f || factors[i] > 0x1p40f);
    return all;
}

static void scale(const float *factors, uint32_t count, uint32_t k, uint32_t length, float *numbers)
{
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t x = 0; x < count; x++)
            numbers[(size_t)i * count + x] *= factors[i / length * count + x];
}

static bool apply_factors(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                          const struct execute_tcgen05_kept *kept, struct execute_tcgen05_numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    uint32_t each = op->tcgen05.factors, rows = shape->rows, n = shape->n;
    const struct factors of_a = {kept->places[EXECUTE_TCGEN05_FACTORS_A], rows, rows, 0, shape->factor_a};
    const struct factors of_b = {kept->places[EXECUTE_TCGEN05_FACTORS_B], n, n / shape->parts, rows, shape->factor_b};
    if (!read_factors(warp, cta, kept, &of_a, each, numbers->factors_a) ||
        !read_factors(warp, cta, kept, &of_b, each, numbers->factors_b))
        return false;
    numbers->factor_length = shape->k / each;
    numbers->one_by_one = !are_moderate(numbers->factors_a, each * rows) || !are_moderate(numbers->factors_b, each * n);
    if (!numbers->one_by_one) {
        scale(numbers->factors_a, rows, shape->k, numbers->factor_length, numbers->a);
        scale(numbers->factors_b, n, shape->k, numbers->factor_length, numbers->b);
    }
    return true;
}

/* ===== columns of zeros ===== */

/* The number of columns of B by which the start of a zero-column mask is shifted. Returns false, with a fault, if it is
 * too large or, if columns are contiguous in chunks, not a multiple of a chunk. */
static bool shift_of(struct execute_warp *warp, const struct execute_tcgen05_kept *kept, uint32_t *columns)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    *columns = kept->zeroes >> 56 & 0x3f;
    if (*columns <= (shape->m == 32 ? MOST_SHIFT / 2 : MOST_SHIFT) &&
        !(shape->across_b && *columns % execute_operand_elements(shape->b_type)))
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_ZEROES, 0, kept->zeroes);
    return false;
}

/* A zero-column mask: in each part of N spans of columns that are used and of others that are zero, in turn. */
static bool is_zero(uint64_t mask, uint32_t part, uint32_t column)
{
    uint32_t start = mask >> 8 * part & 0xff, skipped = (mask >> 40 & 0xff) + 1, used = (mask >> 48 & 0xff) + 1;
    bool first = mask >> (32 + part) & 1;
    uint32_t at = (column + start) % (skipped + used);
    return (mask >> 39 & 1) && (first ? at < skipped : at >= used);
}

static void clear_columns(const struct execute_tcgen05_kept *kept, float *b)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    uint32_t part = shape->n / shape->parts;
    for (uint32_t column = 0; column < shape->n; column++)
        for (uint32_t k = 0; k < shape->k && is_zero(kept->zeroes, column / part, column % part); k++)
            b[(size_t)k * shape->n + column] = 0;
}

/* ===== all of it ===== */

static bool is_finite(const float *numbers, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; i++)
        finite &= numbers[i] - numbers[i] == 0;
    return finite;
}

bool execute_tcgen05_read_numbers(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                                  const struct execute_tcgen05_kept *kept, unsigned char *const halves[2],
                                  struct execute_tcgen05_numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    struct execute_operand_reader reader = {.warp = warp, .cta = cta};
    bool sparse = op->tcgen05.flags & EXECUTE_TCGEN05_SPARSE;
    uint32_t first = 0;
    numbers->one_by_one = false;
    numbers->factor_length = 0;
    if (op->tcgen05.flags & EXECUTE_TCGEN05_ZEROES && !shift_of(warp, kept, &first))
        return false;
    if (!read_a(warp, cta, op, kept, numbers->a))
        return false;
    for (uint32_t i = 0; i < (uint32_t)shape->rows * shape->k >> sparse && shape->negate_a != shape->negate_b; i++)
        numbers->a[i] = -numbers->a[i];
    if (sparse && !spread(warp, cta, kept, numbers))
        return false;
    if (op->tcgen05.flags & EXECUTE_TCGEN05_A_DOWN)
        shift_rows(shape, numbers);
    if (halves ? !read_halves(warp, op, kept, halves, numbers->b)
               : !read_b(&reader, op, kept, first, shape->n, numbers->b))
        return false;
    if (op->tcgen05.flags & EXECUTE_TCGEN05_ZEROES)
        clear_columns(kept, numbers->b);
    if (op->tcgen05.factors && !apply_factors(warp, cta, op, kept, numbers))
        return false;
    numbers->one_by_one |= sparse && !is_finite(numbers->b, (uint32_t)shape->k * shape->n);
    return true;
}
