/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices between memory and fragments (fragment.h): wmma.load and wmma.store, ldmatrix and stmatrix, movmatrix. */
#include "execute/matrix/fragment.h"

enum { MOST = 8 * 128 /* elements of the largest matrix of wmma */, MOST_LONG = 8 * 8 };

/* A matrix as it lies in memory: pieces of eight bits or more, line after line. */
struct lines {
    uint64_t base, pitch;          /* bits from line to line */
    uint32_t pieces, shift, piece; /* number of pieces of all lines; log2 of the pieces of a line; bits of a piece */
};

static struct lines lines_of(const struct execute_warp *warp, const struct execute_matrix_form *form,
                             const struct execute_fragment *f, const struct execute_op *op, uint32_t first)
{
    uint64_t base[32];
    uint32_t length = form->column ? f->rows : f->columns, piece = f->bits < 8 ? 8 : f->bits;
    uint32_t stride = op->b != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->b))[first] : length;
    execute_addresses(warp, op->a, form->wide_address, op->immediate, base);
    return (struct lines){.base = base[first],
                          .pitch = (uint64_t)stride * f->bits,
                          .pieces = f->rows * f->columns * f->bits / piece,
                          .shift = (uint32_t)__builtin_ctz(length * f->bits / piece),
                          .piece = piece};
}

/* Moves all pieces, which are `bytes` bytes each and contiguous; their number is a multiple of 32. */
static bool move(struct execute_warp *warp, const struct execute_matrix_form *form, const struct lines *lines,
                 bool write, void *pieces, uint32_t bytes)
{
    for (uint32_t at = warp->touches ? lines->pieces - 32 : 0; at < lines->pieces; at += 32) {
        uint64_t addresses[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t line = (at + lane) >> lines->shift, place = (at + lane) & ((1u << lines->shift) - 1);
            addresses[lane] = lines->base + (line * lines->pitch + place * lines->piece) / 8;
        }
        if (!execute_access(warp, (enum execute_space)form->space, write, EXECUTE_ALL_LANES, addresses,
                            lines->piece / 8, (unsigned char *)pieces + (size_t)at * bytes, bytes))
            return false;
    }
    return true;
}

/* Elements of fewer than eight bits, of which a byte has some. */
static void pack(const uint32_t *matrix, uint32_t count, uint32_t bits, uint32_t *packed)
{
    for (uint32_t i = 0; i < count; i++) {
        packed[i] = 0;
        for (uint32_t n = 0; n < 8 / bits; n++)
            packed[i] |= matrix[i * (8 / bits) + n] << bits * n;
    }
}

static void unpack(const uint32_t *packed, uint32_t count, uint32_t bits, uint32_t *matrix)
{
    for (uint32_t i = 0; i < count * (8 / bits); i++)
        matrix[i] = packed[i / (8 / bits)] >> bits * (i % (8 / bits)) & ((1u << bits) - 1);
}

static void access_words(struct execute_warp *warp, const struct execute_matrix_form *form,
                         const struct execute_fragment *f, const struct execute_places *places, const uint32_t *refs,
                         const struct lines *lines, bool load, uint32_t lanes)
{
    uint32_t matrix[MOST], packed[MOST / 2], *pieces = f->bits < 8 ? packed : matrix;
    if (!load) {
        execute_fragment_gather(warp, f, places, refs, matrix);
        if (f->bits < 8)
            pack(matrix, lines->pieces, f->bits, packed);
        move(warp, form, lines, true, pieces, 4);
        return;
    }
    for (uint32_t i = 0; i < lines->pieces; i++)
        pieces[i] = 0;
    if (!move(warp, form, lines, false, pieces, 4))
        return;
    if (f->bits < 8)
        unpack(packed, lines->pieces, f->bits, matrix);
    execute_fragment_scatter(warp, f, places, refs, matrix, lanes);
}

/* wmma.load and wmma.store: element (row, column) lies at row · stride + column, or the other way round. */
void execute_step_wmma_access(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_matrix_form *form =
        (const struct execute_matrix_form *)warp->launch->code->matrices.items + op->matrix;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    struct execute_fragment f =
        execute_fragment_of(form, (char)form->fragment, (enum execute_type)form->a_type, form->a_count);
    struct lines lines = lines_of(warp, form, &f, op, (uint32_t)__builtin_ctz(lanes));
    struct execute_places places;
    if (warp->touches) {
        move(warp, form, &lines, !op->variant, NULL, f.bits < 64 ? 4 : 8);
        return;
    }
    execute_fragment_places(&f, form->column ? 1 : f.columns, form->column ? f.rows : 1, &places);
    if (f.bits < 64) {
        access_words(warp, form, &f, &places, refs, &lines, op->variant, lanes);
        return;
    }
    uint64_t matrix[MOST_LONG];
    if (!op->variant)
        execute_fragment_gather_long(warp, &f, &places, refs, matrix);
    if (move(warp, form, &lines, !op->variant, matrix, 8) && op->variant)
        execute_fragment_scatter_long(warp, &f, &places, refs, matrix, lanes);
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
    for (uint32_t i = 0; !store && !warp->touches && i < count; i++) {
        uint32_t result[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t row = lane >> 2, column = 2 * (lane & 3);
            uint32_t low = trans ? rows[8 * i + column][row] : rows[8 * i + row][column];
            uint32_t high = trans ? rows[8 * i + column + 1][row] : rows[8 * i + row][column + 1];
            result[lane] = low | high << 16;
        }
        execute_blend(warp, execute_to(warp, refs[i]), result, 4, lanes);
    }
}

/* 8 x 32 numbers of four bits, of which a lane holds eight of a row side by side, to bytes as a product of bytes takes
 * them: four of the row's first half in the first register, four of its second half in the other one. */
static void spread_fours(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a);
    uint32_t result[64] = {0};
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t column = 16 * (i / 4) + 4 * (lane & 3) + i % 4;
            uint32_t four = a[(lane & ~3u) + column / 8] >> 4 * (column % 8) & 15;
            result[lane + 32 * (i / 4)] |= four << 8 * (i % 4);
        }
    uint32_t *to = execute_to(warp, op->d); /* two registers, one behind the other */
    execute_blend(warp, to, result, 4, lanes);
    execute_blend(warp, to + 32, result + 32, 4, lanes);
}

void execute_step_transpose(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a);
    uint32_t result[32];
    if (op->variant) {
        spread_fours(warp, op, lanes);
        return;
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        /* transposition: element (row, column) is taken from (column, row) */
        uint32_t row = lane >> 2, column = 2 * (lane & 3);
        uint32_t low = a[column * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        uint32_t high = a[(column + 1) * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        result[lane] = low | high << 16;
    }
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
}
