/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Video instructions (ISA 9.0, sections 9.7.18 and 9.7.19).
 * v{add,sub,absdiff,min,max}.dtype.atype.btype{.sat}{.add,.min,.max} d, a{.part}, b{.part}{, c}
 * v{shl,shr}.dtype.atype.u32{.sat}.{clamp,wrap}… ; vset.atype.btype.cmp… ; d.part, a, b, c puts the result into c
 * vmad.dtype.atype.btype{.sat}{.shr7,.shr15,.po} d, {-}a{.part}, {-}b{.part}, {-}c
 * v{add,sub,avrg,absdiff,min,max}{2,4}.dtype.atype.btype{.sat}{.add} d{.mask}, a{.parts}, b{.parts}, c; vset{2,4}
 */
#include "frontend/ptx/compile/decode.h"

#include <string.h>

static const char *const names[EXECUTE_VIDEO_COUNT] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin",
                                                       "vmax", "vset", "vshl",  "vshr",     "vmad"};

/* The operation that an opcode names, and on how many parts; EXECUTE_VIDEO_COUNT: it is no video instruction. */
static uint32_t operation_of(const char *opcode, uint32_t length, uint32_t *parts)
{
    char last = length ? opcode[length - 1] : 0;
    *parts = last == '2' ? 2 : last == '4' ? 4 : 1;
    uint32_t stem = length - (*parts > 1), chosen = 0;
    while (chosen < EXECUTE_VIDEO_COUNT && (strlen(names[chosen]) != stem || memcmp(names[chosen], opcode, stem) != 0))
        chosen++;
    bool exists = *parts == 1 ? chosen != EXECUTE_VIDEO_AVRG : chosen < EXECUTE_VIDEO_SHL;
    return exists ? chosen : EXECUTE_VIDEO_COUNT;
}

bool ptx_is_video(const char *opcode, uint32_t length)
{
    uint32_t parts;
    return operation_of(opcode, length, &parts) < EXECUTE_VIDEO_COUNT;
}

/* ===== parts of registers ===== */

static uint32_t digits_of(const struct ptx_operand *operand)
{
    return operand->parts >> PTX_PARTS_COUNT_SHIFT & 7;
}

static uint32_t digit(const struct ptx_operand *operand, uint32_t number)
{
    return operand->parts >> 3 * number & 7;
}

/* The place that `.b1` or `.h0` of one number names. */
static bool take_place(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint8_t *place)
{
    bool halves = operand->parts & PTX_PARTS_HALVES;
    uint32_t number = digit(operand, 0);
    *place = 0;
    if (!digits_of(operand))
        return true;
    if (digits_of(operand) > 1 || number > (halves ? 1 : 3))
        return ptx_decode_fail(decoder, "parts of a register are .b0 .b1 .b2 .b3 .h0 .h1");
    *place = (uint8_t)(number + (halves ? 5 : 1));
    return true;
}

/* Takes the selectors `.h31` or `.b7531` for the parts of a and b; the one for the lowest position is last. */
static bool take_choice(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t parts, uint8_t base,
                        uint8_t chosen[4])
{
    uint32_t count = digits_of(operand);
    bool halves = operand->parts & PTX_PARTS_HALVES;
    for (uint32_t i = 0; i < 4 && i < parts; i++)
        chosen[i] = (uint8_t)(base + i);
    if (!count)
        return true;
    bool good = count == parts && halves == (parts == 2);
    for (uint32_t i = 0; good && i < 4 && i < count; i++) {
        uint32_t number = digit(operand, count - 1 - i);
        good = number < 2 * parts;
        chosen[i] = (uint8_t)number;
    }
    return good || ptx_decode_fail(decoder, parts == 2 ? "it chooses two halves, .h00 to .h33"
                                                       : "it chooses four bytes, .b0000 to .b7777");
}

/* Takes the mask of computed parts: `.h0`, `.b310`; default: all. */
static bool take_mask(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t parts, uint8_t *mask)
{
    uint32_t count = digits_of(operand), last = parts;
    bool good = !count || (bool)(operand->parts & PTX_PARTS_HALVES) == (parts == 2);
    *mask = (uint8_t)(count ? 0 : (1u << parts) - 1);
    for (uint32_t i = 0; good && i < count; i++) { /* from the highest one down */
        uint32_t number = digit(operand, i);
        good = number < last;
        last = number;
        *mask |= (uint8_t)(1u << number);
    }
    return good || ptx_decode_fail(decoder, parts == 2 ? "its mask is .h0, .h1 or .h10"
                                                       : "its mask names bytes from the highest one down, as .b310");
}

/* ===== words ===== */

static bool take_types(struct ptx_decoder *decoder, struct execute_video_form *form)
{
    bool set = form->operation == EXECUTE_VIDEO_SET,
         shift = form->operation == EXECUTE_VIDEO_SHL || form->operation == EXECUTE_VIDEO_SHR;
    uint32_t needed = set ? 2 : 3, first = set ? 0 : 1;
    bool good = decoder->type_count == needed;
    for (uint32_t i = 0; i < decoder->type_count && good; i++)
        good = decoder->types[i] == EXECUTE_u32 || decoder->types[i] == EXECUTE_s32;
    if (!good || (shift && decoder->types[2] != EXECUTE_u32))
        return ptx_decode_fail(decoder, set     ? "it needs two types, .u32 or .s32"
                                        : shift ? "it needs three types, .u32 or .s32, the last one .u32"
                                                : "it needs three types, .u32 or .s32");
    form->flags |= (uint8_t)((!set && decoder->types[0] == EXECUTE_s32 ? EXECUTE_VIDEO_SIGNED_D : 0) |
                             (decoder->types[first] == EXECUTE_s32 ? EXECUTE_VIDEO_SIGNED_A : 0) |
                             (decoder->types[first + 1] == EXECUTE_s32 ? EXECUTE_VIDEO_SIGNED_B : 0));
    return true;
}

static bool take_words(struct ptx_decoder *decoder, struct execute_video_form *form)
{
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    bool one = form->parts == 1, mad = form->operation == EXECUTE_VIDEO_MAD;
    if (form->operation == EXECUTE_VIDEO_SET) {
        while (form->comparison < 6 && !ptx_take_word(decoder, comparisons[form->comparison]))
            form->comparison++;
        if (form->comparison == 6)
            return ptx_decode_fail(decoder, "it needs a comparison: .eq .ne .lt .le .gt .ge");
    } else if (ptx_take_word(decoder, "sat")) {
        form->flags |= EXECUTE_VIDEO_SATURATE;
    }
    if (form->operation == EXECUTE_VIDEO_SHL || form->operation == EXECUTE_VIDEO_SHR) {
        bool wrap = ptx_take_word(decoder, "wrap");
        if (!wrap && !ptx_take_word(decoder, "clamp"))
            return ptx_decode_fail(decoder, "it needs .clamp or .wrap");
        form->flags |= wrap ? EXECUTE_VIDEO_WRAP : 0;
    }
    if (mad) {
        form->scale = ptx_take_word(decoder, "shr7") ? 7 : ptx_take_word(decoder, "shr15") ? 15 : 0;
        form->flags |= ptx_take_word(decoder, "po") ? EXECUTE_VIDEO_PLUS_ONE : 0;
        return true;
    }
    form->second = ptx_take_word(decoder, "add")          ? EXECUTE_SECOND_ADD
                   : one && ptx_take_word(decoder, "min") ? EXECUTE_SECOND_MIN
                   : one && ptx_take_word(decoder, "max") ? EXECUTE_SECOND_MAX
                                                          : EXECUTE_SECOND_NONE;
    return true;
}

/* ===== all ===== */

static bool take_signs(struct ptx_decoder *decoder, struct execute_video_form *form)
{
    bool minus[3];
    for (uint32_t i = 0; i < 3; i++) {
        const struct ptx_operand *operand = ptx_operand_of(decoder, 1 + i);
        minus[i] = operand && operand->parts & PTX_PARTS_MINUS;
    }
    bool any = minus[0] || minus[1] || minus[2];
    if (any && form->operation != EXECUTE_VIDEO_MAD)
        return ptx_decode_fail(decoder, "`-` stands before a register in vmad alone; negate it first (neg)");
    if (any && form->flags & EXECUTE_VIDEO_PLUS_ONE)
        return ptx_decode_fail(decoder, "`.po` does not go with `-`");
    if (minus[0] != minus[1] && minus[2])
        return ptx_decode_fail(decoder, "`-` stands before the product or before the third source, not both");
    form->flags |=
        (uint8_t)((minus[0] != minus[1] ? EXECUTE_VIDEO_NEGATE : 0) | (minus[2] ? EXECUTE_VIDEO_NEGATE_C : 0));
    return true;
}

static bool take_parts(struct ptx_decoder *decoder, struct execute_video_form *form)
{
    const struct ptx_operand *d = ptx_operand_of(decoder, 0), *a = ptx_operand_of(decoder, 1),
                             *b = ptx_operand_of(decoder, 2), *c = ptx_operand_of(decoder, 3);
    if (c && digits_of(c))
        return ptx_decode_fail(decoder, "the third source is a whole register");
    if (form->parts > 1)
        return take_mask(decoder, d, form->parts, &form->d) && take_choice(decoder, a, form->parts, 0, form->a) &&
               take_choice(decoder, b, form->parts, form->parts, form->b);
    if ((form->second || form->operation == EXECUTE_VIDEO_MAD) && digits_of(d))
        return ptx_decode_fail(decoder, "its result is a whole register");
    return take_place(decoder, d, &form->d) && take_place(decoder, a, &form->a[0]) &&
           take_place(decoder, b, &form->b[0]);
}

bool ptx_decode_video(struct ptx_decoder *decoder)
{
    struct execute_video_form form = {0};
    uint32_t refs[3], d, parts;
    form.operation = (uint8_t)operation_of(decoder->words[0].text, decoder->words[0].length, &parts);
    form.parts = (uint8_t)parts;
    if (!take_types(decoder, &form) || !take_words(decoder, &form))
        return false;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    uint32_t sources =
        parts > 1 || form.second || form.operation == EXECUTE_VIDEO_MAD || (first && digits_of(first)) ? 3 : 2;
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources) || !take_signs(decoder, &form) ||
        !take_parts(decoder, &form))
        return false;
    for (uint32_t i = 0; i < sources; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), EXECUTE_b32, &refs[i]))
            return false;
    if (!ptx_destination(decoder, first, EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_VIDEO);
    op->video = form;
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = sources == 3 ? refs[2] : refs[1];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return ptx_all_taken(decoder);
}
