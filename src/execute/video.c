/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIMD video instructions (ISA 9.0, section 9.7.19): two or four numbers side by side in 32 bits, without masks and
 * selectors of bytes. v{add,sub,avrg,absdiff,min,max}{2,4}.dtype.atype.btype{.sat}{.add} d, a, b, c
 */
#include "execute/warp.h"
#include "frontend/ptx/compile/decode.h"

#include <string.h>

enum { VIDEO_ADD, VIDEO_SUB, VIDEO_AVRG, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_COUNT };

/* What op->combine says. */
enum {
    PARTS_SIGNED_A = 1,
    PARTS_SIGNED_B = 2,
    PARTS_SIGNED_D = 4,
    PARTS_SATURATE = 8,
    PARTS_SUM = 16,
    PARTS_FOUR = 32
};

static const char *const names[VIDEO_COUNT] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};

bool ptx_is_video(const char *opcode, uint32_t length)
{
    for (uint32_t i = 0; i < VIDEO_COUNT; i++)
        if (strlen(names[i]) + 1 == length && memcmp(names[i], opcode, length - 1) == 0)
            return opcode[length - 1] == '2' || opcode[length - 1] == '4';
    return false;
}

bool ptx_decode_video(struct ptx_decoder *decoder)
{
    uint32_t chosen = 0, length = decoder->words[0].length, refs[3], d;
    while (chosen < VIDEO_COUNT - 1 &&
           (strlen(names[chosen]) + 1 != length || memcmp(names[chosen], decoder->words[0].text, length - 1) != 0))
        chosen++;
    bool good = decoder->type_count == 3;
    for (uint32_t i = 0; i < decoder->type_count && good; i++)
        good = decoder->types[i] == EXECUTE_u32 || decoder->types[i] == EXECUTE_s32;
    if (!good || !ptx_operand_count_is(decoder, 4, 4))
        return ptx_decode_fail(decoder, "it needs three types, .u32 or .s32, and four operands");
    for (uint32_t i = 0; i < 3; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), EXECUTE_b32, &refs[i]))
            return false;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &d))
        return false;
    bool saturate = ptx_take_word(decoder, "sat"), sum = ptx_take_word(decoder, "add");
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_VIDEO);
    op->variant = (uint8_t)chosen;
    op->combine = (uint8_t)((decoder->types[0] == EXECUTE_s32 ? PARTS_SIGNED_D : 0) |
                            (decoder->types[1] == EXECUTE_s32 ? PARTS_SIGNED_A : 0) |
                            (decoder->types[2] == EXECUTE_s32 ? PARTS_SIGNED_B : 0) | (saturate ? PARTS_SATURATE : 0) |
                            (sum ? PARTS_SUM : 0) | (decoder->words[0].text[length - 1] == '4' ? PARTS_FOUR : 0));
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return ptx_all_taken(decoder);
}

static int32_t part(uint32_t word, uint32_t place, uint32_t bits, bool is_signed)
{
    uint32_t moved = word << (32 - bits - place * bits);
    return is_signed ? (int32_t)moved >> (32 - bits) : (int32_t)(moved >> (32 - bits));
}

static int32_t one_part(uint32_t operation, int32_t a, int32_t b)
{
    const int32_t results[VIDEO_COUNT] = {a + b,         a - b,        (a + b + 1) >> 1, a < b ? b - a : a - b,
                                          a < b ? a : b, a > b ? a : b};
    return results[operation];
}

static int32_t clamped(int32_t value, uint32_t bits, bool is_signed)
{
    int32_t most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

void execute_step_video(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a), *b = execute_at(warp, op->b), *c = execute_at(warp, op->c);
    uint32_t result[32], count = op->combine & PARTS_FOUR ? 4 : 2, bits = 32 / count;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t merged = 0, sum = c[lane];
        for (uint32_t i = 0; i < count; i++) {
            int32_t value = one_part(op->variant, part(a[lane], i, bits, op->combine & PARTS_SIGNED_A),
                                     part(b[lane], i, bits, op->combine & PARTS_SIGNED_B));
            if (op->combine & PARTS_SATURATE)
                value = clamped(value, bits, op->combine & PARTS_SIGNED_D);
            merged |= ((uint32_t)value & ((1u << bits) - 1)) << i * bits;
            sum += (uint32_t)value;
        }
        result[lane] = op->combine & PARTS_SUM ? sum : merged;
    }
    execute_blend(execute_to(warp, op->d), result, 4, lanes);
}
