/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * createpolicy (PTX ISA 9.0): the L2's treatment of lines accessed with the policy. It has no effect on timing. Its
 * value is that of ptxas of CUDA 13.0, so that programs that compare or store policies see the same values: in the
 * upper half, from bit 20 on, four bits with the fraction in sixteenths minus one, the second priority, and the first
 * one.
 */
#include "frontend/ptx/compile/decode.h"

#include <math.h>
#include <string.h>

enum { SECOND_FIRST = 0x10, EVERY = 0x100, SIXTEENTHS = 16 };

static const struct {
    const char *word;
    uint32_t bits;
} priorities[] = {
    {"L2::evict_normal", 0x00}, {"L2::evict_first", 0x20}, {"L2::evict_last", 0x40}, {"L2::evict_unchanged", 0x60}};

/* Takes the bits of the first priority and of the second one; the latter requires `evict_first` or
 * `evict_unchanged`. */
static bool take_priorities(struct ptx_decoder *decoder, uint32_t *bits)
{
    size_t row = 0, count = sizeof priorities / sizeof *priorities;
    uint32_t place = 1;
    while (place < decoder->word_count && decoder->words[place].taken)
        place++;
    while (row < count && !(place < decoder->word_count && ptx_word_is(&decoder->words[place], priorities[row].word)))
        row++;
    if (row == count)
        return ptx_decode_fail(decoder, "it needs a priority: .L2::evict_last, .L2::evict_normal, .L2::evict_first or "
                                        ".L2::evict_unchanged");
    *bits = EVERY | priorities[row].bits;
    ptx_take_word(decoder, priorities[row].word);
    if (ptx_take_word(decoder, "L2::evict_first"))
        *bits |= SECOND_FIRST;
    else
        ptx_take_word(decoder, "L2::evict_unchanged");
    return true;
}

/* The fraction of a constant in sixteenths minus one; a fraction in a register counts as all. */
static bool fraction_bits(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t *bits)
{
    uint32_t ref;
    *bits = SIXTEENTHS - 1;
    if (operand->kind != PTX_OPERAND_SINGLE && operand->kind != PTX_OPERAND_DOUBLE)
        return operand->kind == PTX_OPERAND_REGISTER
                   ? ptx_source(decoder, operand, EXECUTE_f32, &ref)
                   : ptx_decode_fail(decoder, "the fraction is a floating-point number, as 0.5");
    uint64_t value = operand->value;
    double fraction;
    float single;
    if (operand->kind == PTX_OPERAND_SINGLE) {
        memcpy(&single, &value, sizeof single);
        fraction = (double)single;
    } else {
        memcpy(&fraction, &value, sizeof fraction);
    }
    if (!(fraction > 0 && fraction <= 1))
        return ptx_decode_fail(decoder, "the fraction lies above 0.0 and up to 1.0");
    *bits = (uint32_t)ceil(fraction * SIXTEENTHS) - 1;
    return true;
}

/* The address and the two sizes of createpolicy.range. */
static bool check_range(struct ptx_decoder *decoder)
{
    ptx_take_word(decoder, "global");
    if (!ptx_operand_count_is(decoder, 4, 4))
        return false;
    const struct ptx_operand *address = ptx_operand_of(decoder, 1);
    uint32_t ref;
    if (!address->memory)
        return ptx_decode_fail(decoder, "an address in brackets is needed here");
    return ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_u32, &ref) &&
           ptx_source(decoder, ptx_operand_of(decoder, 3), EXECUTE_u32, &ref);
}

static bool emit_copy(struct ptx_decoder *decoder, uint32_t from)
{
    uint32_t to;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_b64, &to))
        return false;
    ptx_emit_move(decoder, to, from, 8);
    return true;
}

bool ptx_decode_policy(struct ptx_decoder *decoder)
{
    uint32_t bits = 0, fraction = SIXTEENTHS - 1, ref = 0;
    if (decoder->type_count != 1 || decoder->types[0] != EXECUTE_b64)
        return ptx_decode_fail(decoder, "it needs its type, .b64");
    if (ptx_take_word(decoder, "cvt"))
        return (ptx_take_word(decoder, "L2") || ptx_decode_fail(decoder, "it needs .L2")) && ptx_all_taken(decoder) &&
               ptx_operand_count_is(decoder, 2, 2) &&
               ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_b64, &ref) && emit_copy(decoder, ref);
    bool range = ptx_take_word(decoder, "range");
    if (!range && !ptx_take_word(decoder, "fractional"))
        return ptx_decode_fail(decoder, "it is .fractional, .range or .cvt");
    if (range ? !check_range(decoder) : !ptx_operand_count_is(decoder, 1, 2))
        return false;
    if (!take_priorities(decoder, &bits) || !ptx_all_taken(decoder))
        return false;
    const struct ptx_operand *share = range ? NULL : ptx_operand_of(decoder, 1);
    if (share && !fraction_bits(decoder, share, &fraction))
        return false;
    return emit_copy(decoder, ptx_constant(decoder, PTX_CLASS_LARGE, (uint64_t)(bits | fraction) << 52));
}
