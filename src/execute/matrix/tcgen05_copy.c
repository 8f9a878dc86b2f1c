/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.cp: shared to tensor memory, some rows to the lanes of several warps, elements of four and six bits with
 * bytes of their own; and tcgen05.shift.
 */
#include "execute/cta/tmem.h"
#include "execute/matrix/tcgen05.h"
#include "execute/warp/frame.h"

#include <string.h>

enum {
    CHUNK = EXECUTE_PRODUCT_CHUNK,
    QUARTER = 32, /* lanes */
    SHIFTED = 8,  /* columns */
    LANE_SHIFT = 16,
    COLUMN_MASK = 0xffff
};

/* ===== copies ===== */

static const struct copy {
    uint8_t rows, chunks; /* shape of the source: rows, and chunks of 16 bytes */
    uint8_t times;        /* number of copies of the source in tensor memory */
    uint8_t spread;       /* lanes of tensor memory from one row to the next */
} copies[] = {
    [EXECUTE_TCGEN05_128X256B] = {128, 2, 1, 1},     [EXECUTE_TCGEN05_4X256B] = {4, 2, 1, 32},
    [EXECUTE_TCGEN05_128X128B] = {128, 1, 1, 1},     [EXECUTE_TCGEN05_64X128B_02_13] = {64, 1, 2, 1},
    [EXECUTE_TCGEN05_64X128B_01_23] = {64, 1, 2, 1}, [EXECUTE_TCGEN05_32X128B] = {32, 1, 4, 1},
};

uint32_t execute_tcgen05_copy_bytes(const struct execute_tcgen05_form *form)
{
    return (uint32_t)copies[form->kind].rows * copies[form->kind].chunks * CHUNK;
}

/* The lane of a row's n-th copy: warps 0 and 2, and 1 and 3, have the same, or 0 and 1, and 2 and 3; or all four. */
static uint32_t target_of(uint8_t kind, uint32_t row, uint32_t time)
{
    if (kind == EXECUTE_TCGEN05_64X128B_01_23)
        return row / 32 * 64 + time * 32 + row % 32;
    return row * copies[kind].spread + time * copies[kind].rows;
}

static void put_chunk(uint32_t *cells, const unsigned char *chunk, uint8_t bits)
{
    unsigned char bytes[CHUNK];
    memcpy(bytes, chunk, CHUNK);
    if (bits)
        execute_operand_unpack(bits == 4 ? EXECUTE_WGMMA_E2M1 : EXECUTE_WGMMA_E2M3, chunk, bytes);
    for (uint32_t w = 0; w < CHUNK / 4; w++)
        memcpy(&cells[w * EXECUTE_TMEM_LANES], bytes + (size_t)w * 4, 4);
}

bool execute_tcgen05_copy(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                          const struct execute_tcgen05_kept *kept)
{
    const struct copy *shape = &copies[op->tcgen05.kind];
    struct execute_operand_reader reader = {.warp = warp, .cta = cta, .chunks = shape->chunks};
    uint32_t lane = kept->d >> LANE_SHIFT, most = op->tcgen05.kind == EXECUTE_TCGEN05_4X256B ? 31 : 0;
    uint32_t *cells = execute_tmem_columns(warp, cta, 0, kept->d, kept->d & COLUMN_MASK, shape->chunks * CHUNK / 4);
    if (!cells)
        return false;
    if (lane > most) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, kept->d);
        return false;
    }
    if (!execute_tcgen05_operand(warp, kept->b, EXECUTE_WGMMA_U8, false, &reader.operand))
        return false;
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint32_t part = 0; part < shape->chunks; part++) {
            const unsigned char *chunk = execute_operand_chunk(&reader, row, part);
            for (uint32_t time = 0; time < shape->times && chunk; time++)
                put_chunk(cells + (size_t)part * CHUNK / 4 * EXECUTE_TMEM_LANES + lane +
                              target_of(op->tcgen05.kind, row, time),
                          chunk, op->tcgen05.scale);
            if (!chunk)
                return false;
        }
    return true;
}

/* ===== shifts ===== */

/* Moves lanes 0 to 30 of a warp's 32, in eight columns, to lanes 1 to 31; lane 0 keeps its values. */
bool execute_tcgen05_shift(struct execute_warp *warp, struct execute_cta *cta, const struct execute_tcgen05_kept *kept)
{
    uint32_t lane = kept->d >> LANE_SHIFT;
    uint32_t *cells = execute_tmem_columns(warp, cta, 0, kept->d, kept->d & COLUMN_MASK, SHIFTED);
    if (!cells)
        return false;
    if (lane % QUARTER || lane >= EXECUTE_TMEM_LANES) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, kept->d);
        return false;
    }
    for (uint32_t column = 0; column < SHIFTED; column++) {
        uint32_t *from = cells + (size_t)column * EXECUTE_TMEM_LANES + lane;
        memmove(from + 1, from, (QUARTER - 1) * sizeof *from);
    }
    return true;
}
