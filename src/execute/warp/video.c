/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIMD in 32 bits: two or four numbers side by side, as the video instructions of PTX ISA 9.0, section 9.7.19, have
 * it.
 */
#include "execute/warp/frame.h"

static int32_t part(uint32_t word, uint32_t place, uint32_t bits, bool is_signed)
{
    uint32_t moved = word << (32 - bits - place * bits);
    return is_signed ? (int32_t)moved >> (32 - bits) : (int32_t)(moved >> (32 - bits));
}

static int32_t one_part(uint32_t operation, int32_t a, int32_t b)
{
    int32_t average = (a + b + (a + b >= 0)) >> 1; /* halves are rounded away from zero */
    const int32_t results[EXECUTE_VIDEO_COUNT] = {a + b,         a - b,        average, a < b ? b - a : a - b,
                                                  a < b ? a : b, a > b ? a : b};
    return results[operation];
}

static int32_t clamped(int32_t value, uint32_t bits, bool is_signed)
{
    int32_t most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

/* vshl and vshr (section 9.7.18): a word shifted, and a third one added. */
static uint32_t shifted(const struct execute_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t amount = op->combine & EXECUTE_PARTS_FOUR ? b & 31 : b < 32 ? b : 32;
    int64_t wide = op->combine & EXECUTE_PARTS_SIGNED_A ? (int64_t)(int32_t)a : (int64_t)a;
    uint32_t result =
        op->variant == EXECUTE_VIDEO_SHL ? (uint32_t)((uint64_t)wide << amount) : (uint32_t)(wide >> amount);
    return op->combine & EXECUTE_PARTS_SUM ? result + c : result;
}

void execute_step_video(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a), *b = execute_at(warp, op->b), *c = execute_at(warp, op->c);
    uint32_t result[32], count = op->combine & EXECUTE_PARTS_FOUR ? 4 : 2, bits = 32 / count;
    bool shift = op->variant >= EXECUTE_VIDEO_COUNT;
    for (uint32_t lane = 0; lane < 32 && shift; lane++)
        result[lane] = shifted(op, a[lane], b[lane], op->combine & EXECUTE_PARTS_SUM ? c[lane] : 0);
    for (uint32_t lane = 0; lane < 32 && !shift; lane++) {
        uint32_t merged = 0, sum = c[lane];
        for (uint32_t i = 0; i < count; i++) {
            int32_t value = one_part(op->variant, part(a[lane], i, bits, op->combine & EXECUTE_PARTS_SIGNED_A),
                                     part(b[lane], i, bits, op->combine & EXECUTE_PARTS_SIGNED_B));
            if (op->combine & EXECUTE_PARTS_SATURATE)
                value = clamped(value, bits, op->combine & EXECUTE_PARTS_SIGNED_D);
            merged |= ((uint32_t)value & ((1u << bits) - 1)) << i * bits;
            sum += (uint32_t)value;
        }
        result[lane] = op->combine & EXECUTE_PARTS_SUM ? sum : merged;
    }
    execute_blend(execute_to(warp, op->d), result, 4, lanes);
}
