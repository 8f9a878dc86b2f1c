/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wgmma.mma_async (PTX ISA 9.0, warpgroup-level matrix instructions): each warp of a warpgroup multiplies its sixteen
 * rows of A with all of B. Without a machine the product is computed at issue, and the four warps synchronise at
 * wgmma.fence and wgmma.wait_group (EXECUTE_BARRIER_GROUP), so that operands in shared memory are complete before the
 * first product, and not overwritten before the last. A machine determines when a product is performed (live_async.c).
 *
 * The arithmetic is that of mma.sync (matrix.c): products are exact; sums are accumulated in ascending k, each rounded
 * to single precision (products.c); a sum of halves is rounded again at the end. Matrix descriptors (operand.h) define
 * the layout of elements in shared memory.
 */
#include "execute/lanes/lane_math.h"
#include "execute/matrix/operand.h"
#include "execute/warp/frame.h"

#include <string.h>

enum {
    ROWS = 16,
    MOST_N = 256,
    MOST_K = 64,
    CHUNK = 16,
    CHUNKS = 2, /* chunks of k per row of A; a column of B has twice as many if A is sparse */
    ATOM = 8
};

/* ===== matrices as numbers (products.h) ===== */

static const uint8_t element_bytes[] = {2, 2, 4, 1, 1, 1, 1, 16}; /* indexed by enum execute_wgmma_type */

struct numbers {
    const struct execute_product_table *table;
    float a[MOST_K * ROWS];
    float b[MOST_K * MOST_N];
    float sums[MOST_N / 2 * 32]; /* buffer for the sums, unless they are computed in the registers */
    float *registers[MOST_N / 2];
};

/* A out of registers, which lie as mma.m16n8 has them. */
static void gather_a(const struct execute_wgmma_kept *kept, uint8_t type, struct numbers *numbers)
{
    unsigned char rows[ROWS][CHUNKS * CHUNK];
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy(rows[(lane >> 2) + 8 * (i & 1)] + (i >> 1) * CHUNK + (size_t)(lane & 3) * 4, &kept->a[i][lane], 4);
    for (uint32_t row = 0; row < ROWS; row += ATOM)
        for (uint32_t half = 0; half < CHUNKS; half++) {
            const unsigned char *chunks[ATOM];
            for (uint32_t i = 0; i < ATOM; i++)
                chunks[i] = rows[row + i] + (size_t)half * CHUNK;
            numbers->table->widen(type, chunks, false,
                                  numbers->a + (size_t)half * CHUNK / element_bytes[type] * ROWS + row, ROWS);
        }
}

/* ===== accumulators: registers of 32 lanes ===== */

/* The row of an accumulator's register in a lane, and the column: as mma.m16n8 has them, eight columns after eight. */
static uint32_t row_of(uint32_t reg, uint32_t lane)
{
    return (lane >> 2) + 8 * (reg >> 1 & 1);
}

static uint32_t column_of(uint32_t reg, uint32_t lane)
{
    return 8 * (reg >> 2) + 2 * (lane & 3) + (reg & 1);
}

/* Prepares the accumulators, with their initial values: float registers are used directly if all lanes are active. */
static void prepare_sums(struct execute_warp *warp, const struct execute_wgmma_form *form, const uint32_t *refs,
                         bool adds, uint32_t lanes, struct numbers *numbers)
{
    bool halves = form->d_type == EXECUTE_f16, floats = form->d_type == EXECUTE_f32;
    for (uint32_t reg = 0; reg < form->n / 2u; reg++) {
        bool inside = floats && lanes == EXECUTE_ALL_LANES;
        float *to = inside ? execute_to(warp, refs[reg]) : numbers->sums + (size_t)32 * reg;
        const uint32_t *words = execute_at(warp, refs[halves ? reg / 2 : reg]);
        numbers->registers[reg] = to;
        if (!adds || (!halves && !floats))
            memset(to, 0, 32 * sizeof *to);
        else if (!inside)
            for (uint32_t lane = 0; lane < 32; lane++)
                to[lane] = float_of(halves ? widen_half(words[lane] >> 16 * (reg & 1) & 0xffff) : words[lane]);
    }
}

static void write_sums(struct execute_warp *warp, const struct execute_wgmma_form *form, const uint32_t *refs,
                       uint32_t lanes, const struct numbers *numbers)
{
    bool halves = form->d_type == EXECUTE_f16;
    if (!halves && lanes == EXECUTE_ALL_LANES)
        return;
    for (uint32_t reg = 0; reg < form->n / 2u; reg += 1 + halves) {
        const float *sums = numbers->registers[reg];
        uint32_t words[32];
        for (uint32_t lane = 0; lane < 32; lane++)
            words[lane] = halves ? narrow_to_half(bits_of(sums[lane])) | narrow_to_half(bits_of(sums[32 + lane])) << 16
                                 : bits_of(sums[lane]);
        execute_blend(warp, execute_to(warp, refs[halves ? reg / 2 : reg]), words, 4, lanes);
    }
}

/* Adds integer sums, which a float holds exactly for one instruction, to the 32-bit accumulators. */
static void add_integers(struct execute_warp *warp, const struct execute_wgmma_form *form, const uint32_t *refs,
                         const float *sums, bool adds, uint32_t lanes)
{
    for (uint32_t reg = 0; reg < form->n / 2u; reg++) {
        uint32_t words[32];
        const uint32_t *old = execute_at(warp, refs[reg]);
        for (uint32_t lane = 0; lane < 32; lane++) {
            int64_t sum = (int64_t)sums[32 * reg + lane] + (adds ? (int32_t)old[lane] : 0);
            words[lane] = form->flags & EXECUTE_WGMMA_SATURATE ? (uint32_t)saturate_s32(sum) : (uint32_t)sum;
        }
        execute_blend(warp, execute_to(warp, refs[reg]), words, 4, lanes);
    }
}

/* ===== single bits: sums of a AND b ===== */

static bool read_bits(const struct execute_operand_reader *reader, uint32_t row, uint64_t bits[4])
{
    for (uint32_t half = 0; half < CHUNKS; half++) {
        const unsigned char *chunk = execute_operand_chunk(reader, row, half);
        if (!chunk)
            return false;
        memcpy(bits + (size_t)2 * half, chunk, CHUNK);
    }
    return true;
}

static void gather_bits(const struct execute_wgmma_kept *kept, uint64_t a[ROWS][4])
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy((unsigned char *)a[(lane >> 2) + 8 * (i & 1)] + (i >> 1) * CHUNK + (lane & 3) * 4, &kept->a[i][lane],
                   4);
}

static bool multiply_bits(struct execute_warp *warp, const struct execute_wgmma_form *form,
                          const struct execute_wgmma_kept *kept, const struct execute_operand_reader *of_a,
                          const struct execute_operand_reader *of_b, float *sums)
{
    uint64_t a[ROWS][4], b[4];
    bool good = true;
    if (form->flags & EXECUTE_WGMMA_A_REGISTERS)
        gather_bits(kept, a);
    for (uint32_t row = 0; row < ROWS && good && !(form->flags & EXECUTE_WGMMA_A_REGISTERS); row++)
        good = read_bits(of_a, warp->number % 4 * ROWS + row, a[row]);
    for (uint32_t reg = 0; reg < form->n / 2u; reg++)
        for (uint32_t lane = 0; lane < 32 && good && (good = read_bits(of_b, column_of(reg, lane), b)); lane++) {
            int sum = 0;
            for (uint32_t i = 0; i < 4; i++)
                sum += __builtin_popcountll(a[row_of(reg, lane)][i] & b[i]);
            sums[32 * reg + lane] = (float)sum;
        }
    return good;
}

/* ===== a sparse A ===== */

/* The position in its row of the `x`-th stored element of a row of A (PTX ISA 9.0, sparse wgmma, metadata layouts). Of
 * four elements two are stored, with a two-bit index each; of two 32-bit elements one is stored, with four bits. For
 * elements of 16 and 32 bits, two of the four threads of a row have the metadata, for half of k each, with those of the
 * row eight below in the upper half of the word. For 8 bits, two threads have the metadata of the row, and the other
 * two those of the row eight below. */
static uint32_t place_in_row(const struct execute_wgmma_kept *kept, uint32_t bytes, uint32_t row, uint32_t x)
{
    uint32_t bit = bytes == 4 ? 4 * x : 2 * x, quad = row % 8 * 4, below = row / 8, word;
    if (bytes == 1)
        word = kept->metadata[quad + bit / 32 * 2 + below] >> bit % 32;
    else
        word = kept->metadata[quad + 2 * kept->selector + bit / 16] >> (16 * below + bit % 16);
    return bytes == 4 ? 2 * x + (word >> 1 & 1) : x / 2 * 4 + (word & 3);
}

static bool is_finite(const float *numbers, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; i++)
        finite &= numbers[i] - numbers[i] == 0;
    return finite;
}

/* Multiplies stored elements only: an unstored element must not be multiplied by an infinity. */
static void multiply_stored(const struct execute_wgmma_kept *kept, uint32_t bytes, uint32_t n, struct numbers *numbers)
{
    for (uint32_t reg = 0; reg < n / 2; reg++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t row = row_of(reg, lane), column = column_of(reg, lane);
            const float *b = numbers->b + (column & ~7u) + column % 2 * 4 + column % 8 / 2;
            float *sum = &numbers->registers[reg][lane];
            for (uint32_t x = 0; x < 32 / bytes; x++) {
                float product = numbers->a[x * ROWS + row] * b[(size_t)place_in_row(kept, bytes, row, x) * n];
                *sum += product;
            }
            *sum = canonical(*sum);
        }
}

static void multiply_sparse(const struct execute_wgmma_kept *kept, uint32_t bytes, uint32_t n, bool exact,
                            struct numbers *numbers)
{
    uint32_t k = 64 / bytes;
    float whole[MOST_K * ROWS] = {0};
    if (!is_finite(numbers->b, k * n)) {
        multiply_stored(kept, bytes, n, numbers);
        return;
    }
    for (uint32_t x = 0; x < k / 2; x++)
        for (uint32_t row = 0; row < ROWS; row++)
            whole[place_in_row(kept, bytes, row, x) * ROWS + row] = numbers->a[x * ROWS + row];
    numbers->table->multiply(numbers->registers, whole, numbers->b, n, k, exact);
}

/* ===== the instruction ===== */

static void negate(float *numbers, uint32_t count, bool wanted)
{
    for (uint32_t i = 0; i < count && wanted; i++)
        numbers[i] = -numbers[i];
}

/* A and B become numbers. False: a fault. */
static bool read_numbers(struct execute_warp *warp, const struct execute_wgmma_form *form,
                         const struct execute_wgmma_kept *kept, const struct execute_operand_reader *of_a,
                         const struct execute_operand_reader *of_b, struct numbers *numbers)
{
    uint32_t k = 32u / element_bytes[form->a_type], first = warp->number % 4 * ROWS;
    const struct execute_operand_part part_a = {
        first, ROWS, ROWS, form->a_type, form->flags & EXECUTE_WGMMA_TRANSPOSE_A, false};
    const struct execute_operand_part part_b = {
        0, form->n, form->n, form->b_type, form->flags & EXECUTE_WGMMA_TRANSPOSE_B, true};
    if (form->flags & EXECUTE_WGMMA_A_REGISTERS)
        gather_a(kept, form->a_type, numbers);
    else if (!execute_operand_read(of_a, numbers->table, &part_a, numbers->a))
        return false;
    if (!execute_operand_read(of_b, numbers->table, &part_b, numbers->b))
        return false;
    bool minus = form->flags & EXECUTE_WGMMA_NEGATE_A, minus_b = form->flags & EXECUTE_WGMMA_NEGATE_B;
    negate(numbers->a, ROWS * k, minus != minus_b);
    return true;
}

bool execute_wgmma_adds(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    return !(op->wgmma.flags & EXECUTE_WGMMA_FRESH) &&
           (op->c == EXECUTE_NO_REF ||
            (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) >> __builtin_ctz(lanes) & 1);
}

void execute_wgmma_keep(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                        struct execute_wgmma_kept *kept)
{
    const struct execute_wgmma_form *form = &op->wgmma;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list + 2 * op->list_results;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    kept->from_a = form->flags & EXECUTE_WGMMA_A_REGISTERS ? 0 : execute_long_at(warp, op->a, first);
    kept->from_b = execute_long_at(warp, op->b, first);
    kept->adds = execute_wgmma_adds(warp, op, lanes);
    for (uint32_t i = 0; i < 4 && form->flags & EXECUTE_WGMMA_A_REGISTERS; i++)
        memcpy(kept->a[i], execute_at(warp, *refs++), sizeof kept->a[i]);
    if (form->flags & EXECUTE_WGMMA_SPARSE)
        memcpy(kept->metadata, execute_at(warp, *refs), sizeof kept->metadata);
    kept->selector = (uint8_t)op->immediate;
}

void execute_wgmma_multiply(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                            const struct execute_wgmma_kept *kept)
{
    const struct execute_wgmma_form *form = &op->wgmma;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    bool integers = form->d_type == EXECUTE_s32;
    bool sparse = form->flags & EXECUTE_WGMMA_SPARSE;
    struct execute_operand_reader of_a = {warp, warp->cta, execute_operand_of_wgmma(kept->from_a), CHUNKS, NULL};
    struct execute_operand_reader of_b = {warp, warp->cta, execute_operand_of_wgmma(kept->from_b), CHUNKS << sparse,
                                          NULL};
    bool exact = form->a_type != EXECUTE_WGMMA_BF16 && form->a_type != EXECUTE_WGMMA_TF32;
    struct numbers numbers;
    numbers.table = execute_products_best();
    prepare_sums(warp, form, refs, kept->adds, lanes, &numbers);
    if (form->a_type == EXECUTE_WGMMA_B1) {
        if (!multiply_bits(warp, form, kept, &of_a, &of_b, numbers.sums))
            return;
    } else {
        if (!read_numbers(warp, form, kept, &of_a, &of_b, &numbers))
            return;
        if (sparse)
            multiply_sparse(kept, element_bytes[form->a_type], form->n, exact, &numbers);
        else
            numbers.table->multiply(numbers.registers, numbers.a, numbers.b, form->n, 32u / element_bytes[form->a_type],
                                    exact);
    }
    if (integers)
        add_integers(warp, form, refs, numbers.sums, kept->adds, lanes);
    else
        write_sums(warp, form, refs, lanes, &numbers);
}

void execute_step_wgmma(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    struct execute_wgmma_kept kept;
    warp->changed = true;
    if (port->product) {
        port->product(port->context, warp, op, lanes);
        return;
    }
    execute_wgmma_keep(warp, op, lanes, &kept);
    execute_wgmma_multiply(warp, op, lanes, &kept);
}
