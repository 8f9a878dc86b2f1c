/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIMD video instructions (ISA 9.0, section 9.7.19), without masks and selectors of bytes.
 * v{add,sub,avrg,absdiff,min,max}{2,4}.dtype.atype.btype{.sat}{.add} d, a, b, c
 * Of those on whole words: v{shl,shr}.dtype.atype.u32.{clamp,wrap}{.add} d, a, b{, c}
 */
#include "frontend/ptx/compile/decode.h"

#include <string.h>

static const char *const names[EXECUTE_VIDEO_COUNT] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};

bool ptx_is_video(const char *opcode, uint32_t length)
{
    if (length == 4 && (memcmp(opcode, "vshl", 4) == 0 || memcmp(opcode, "vshr", 4) == 0))
        return true;
    for (uint32_t i = 0; i < EXECUTE_VIDEO_COUNT; i++)
        if (strlen(names[i]) + 1 == length && memcmp(names[i], opcode, length - 1) == 0)
            return opcode[length - 1] == '2' || opcode[length - 1] == '4';
    return false;
}

static bool decode_shift(struct ptx_decoder *decoder)
{
    uint32_t refs[3] = {0}, d;
    bool sum = ptx_take_word(decoder, "add"), wrap = ptx_take_word(decoder, "wrap");
    const uint8_t *t = decoder->types;
    if (!wrap && !ptx_take_word(decoder, "clamp"))
        return ptx_decode_fail(decoder, "it needs .clamp or .wrap");
    if (decoder->type_count != 3 || t[2] != EXECUTE_u32 || (t[0] != EXECUTE_u32 && t[0] != EXECUTE_s32) ||
        (t[1] != EXECUTE_u32 && t[1] != EXECUTE_s32))
        return ptx_decode_fail(decoder, "it needs three types, .u32 or .s32, the last one .u32");
    if (!ptx_operand_count_is(decoder, sum ? 4 : 3, sum ? 4 : 3))
        return false;
    for (uint32_t i = 0; i < (sum ? 3u : 2u); i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), EXECUTE_b32, &refs[i]))
            return false;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_VIDEO);
    op->variant = ptx_word_is(&decoder->words[0], "vshl") ? EXECUTE_VIDEO_SHL : EXECUTE_VIDEO_SHR;
    op->combine = (uint8_t)((t[1] == EXECUTE_s32 ? EXECUTE_PARTS_SIGNED_A : 0) | (sum ? EXECUTE_PARTS_SUM : 0) |
                            (wrap ? EXECUTE_PARTS_FOUR : 0));
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = sum ? refs[2] : refs[1];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | (sum ? EXECUTE_OP_READS_C : 0);
    return ptx_all_taken(decoder);
}

bool ptx_decode_video(struct ptx_decoder *decoder)
{
    if (ptx_word_is(&decoder->words[0], "vshl") || ptx_word_is(&decoder->words[0], "vshr"))
        return decode_shift(decoder);
    uint32_t chosen = 0, length = decoder->words[0].length, refs[3], d;
    while (chosen < EXECUTE_VIDEO_COUNT - 1 &&
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
    op->combine = (uint8_t)((decoder->types[0] == EXECUTE_s32 ? EXECUTE_PARTS_SIGNED_D : 0) |
                            (decoder->types[1] == EXECUTE_s32 ? EXECUTE_PARTS_SIGNED_A : 0) |
                            (decoder->types[2] == EXECUTE_s32 ? EXECUTE_PARTS_SIGNED_B : 0) |
                            (saturate ? EXECUTE_PARTS_SATURATE : 0) | (sum ? EXECUTE_PARTS_SUM : 0) |
                            (decoder->words[0].text[length - 1] == '4' ? EXECUTE_PARTS_FOUR : 0));
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return ptx_all_taken(decoder);
}
