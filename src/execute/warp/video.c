/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Video instructions of PTX ISA 9.0, sections 9.7.18 and 9.7.19: on one number, or on two or four side by side in a
 * word, with a second operation, or in places of a third word. No GPU since Maxwell has those on one number; where the
 * sequences of ptxas 13.0 depart from the manual, as .sat does, the bits are those of the sequences.
 */
#include "execute/warp/frame.h"

static int64_t extended(uint32_t bits, uint32_t width, bool is_signed)
{
    uint64_t high = (uint64_t)bits << (64 - width);
    return is_signed ? (int64_t)high >> (64 - width) : (int64_t)(high >> (64 - width));
}

/* A byte, a half or all of a word, as struct execute_video_form names places. */
static int64_t part_of(uint32_t word, uint8_t place, bool is_signed)
{
    if (place == 0)
        return extended(word, 32, is_signed);
    if (place <= 4)
        return extended(word >> 8 * (place - 1) & 0xff, 8, is_signed);
    return extended(word >> 16 * (place - 5) & 0xffff, 16, is_signed);
}

static int64_t clamped(int64_t value, uint32_t bits, bool is_signed)
{
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static bool compares(uint8_t comparison, int64_t a, int64_t b)
{
    const bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b}; /* indexed by enum execute_comparison */
    return holds[comparison];
}

static int64_t computed(const struct execute_video_form *form, int64_t a, int64_t b)
{
    switch (form->operation) {
    case EXECUTE_VIDEO_ADD:
        return a + b;
    case EXECUTE_VIDEO_SUB:
        return a - b;
    case EXECUTE_VIDEO_AVRG: /* halves are rounded away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    case EXECUTE_VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case EXECUTE_VIDEO_MIN:
        return a < b ? a : b;
    case EXECUTE_VIDEO_MAX:
        return a > b ? a : b;
    case EXECUTE_VIDEO_SET:
        return compares(form->comparison, a, b);
    default:
        break;
    }
    uint64_t amount = form->flags & EXECUTE_VIDEO_WRAP ? b & 31 : (uint32_t)b < 32 ? (uint32_t)b : 32;
    return form->operation == EXECUTE_VIDEO_SHL ? (int64_t)((uint64_t)a << amount) : a >> amount;
}

/* vmad: a · b + c, shifted right. As in the expansion by ptxas 13.0, whole words and c are treated as signed whatever
 * their types. */
static int64_t product(const struct execute_video_form *form, int64_t a, int64_t b, uint32_t c)
{
    bool is_signed =
        form->flags & (EXECUTE_VIDEO_SIGNED_A | EXECUTE_VIDEO_SIGNED_B | EXECUTE_VIDEO_NEGATE | EXECUTE_VIDEO_NEGATE_C);
    int64_t sum = (int64_t)(int32_t)a * (int32_t)b, third = (int32_t)c;
    sum = form->flags & EXECUTE_VIDEO_NEGATE ? -sum : sum;
    sum += form->flags & EXECUTE_VIDEO_NEGATE_C ? -third : third;
    sum += form->flags & EXECUTE_VIDEO_PLUS_ONE ? 1 : 0;
    if (!is_signed && form->flags & EXECUTE_VIDEO_SATURATE && form->scale)
        return clamped((int64_t)((uint64_t)sum >> form->scale), 32, false);
    sum >>= form->scale;
    return form->flags & EXECUTE_VIDEO_SATURATE ? clamped(sum, 32, is_signed) : sum;
}

/* The second operation, on numbers of 64 bits. */
static uint32_t combined(const struct execute_video_form *form, int64_t value, uint32_t c)
{
    bool is_signed = form->flags & EXECUTE_VIDEO_SIGNED_D;
    bool below = is_signed ? value < (int32_t)c : (uint64_t)value < c;
    switch (form->second) {
    case EXECUTE_SECOND_ADD:
        return (uint32_t)value + c;
    case EXECUTE_SECOND_MIN:
        return below ? (uint32_t)value : c;
    case EXECUTE_SECOND_MAX:
        return below ? c : (uint32_t)value;
    default:
        return (uint32_t)value;
    }
}

static bool is_shift(const struct execute_video_form *form)
{
    return form->operation == EXECUTE_VIDEO_SHL || form->operation == EXECUTE_VIDEO_SHR;
}

/* .sat of shifts saturates to a whole word, wherever the result goes; a left shift is computed with 34 bits. */
static int64_t saturated_shift(const struct execute_video_form *form, int64_t value)
{
    bool is_signed = form->flags & EXECUTE_VIDEO_SIGNED_D, left = form->operation == EXECUTE_VIDEO_SHL;
    if (!left && !is_signed && !(form->flags & EXECUTE_VIDEO_SIGNED_A))
        return (int32_t)value;
    value = left ? (int64_t)((uint64_t)value << 30) >> 30 : value;
    return (int32_t)clamped(value, 32, is_signed);
}

/* .sat: unsigned whole words have only the lower bound; parts of words have the upper bound of unsigned parts. */
static int64_t saturated(const struct execute_video_form *form, int64_t value, uint32_t width)
{
    bool is_signed = form->flags & EXECUTE_VIDEO_SIGNED_D;
    if (is_shift(form))
        return saturated_shift(form, value);
    if (width == 32)
        return is_signed ? clamped(value, 32, true) : value < 0 ? 0 : (uint32_t)value;
    uint64_t most = (UINT64_C(1) << (width - is_signed)) - 1;
    uint64_t bits = is_signed ? (uint32_t)clamped(value, 32, true) : (uint64_t)value;
    return (int64_t)(bits > most ? most : bits);
}

/* Inserts the result into its part of c; for the upper half, bits are taken from the result's upper half. */
static uint32_t placed(uint8_t place, uint32_t value, uint32_t c)
{
    if (place > 4)
        return place == 5 ? (value & 0xffff) | (c & 0xffff0000u) : (value & 0xffff0000u) | (c & 0xffff);
    uint32_t shift = 8u * (place - 1), mask = 0xffu << shift;
    return (value << shift & mask) | (c & ~mask);
}

static uint32_t one_number(const struct execute_video_form *form, uint32_t a, uint32_t b, uint32_t c)
{
    bool signed_a = form->flags & EXECUTE_VIDEO_SIGNED_A, signed_b = form->flags & EXECUTE_VIDEO_SIGNED_B;
    int64_t x = part_of(a, form->a[0], signed_a), y = part_of(b, form->b[0], signed_b);
    if (form->operation == EXECUTE_VIDEO_MAD)
        return (uint32_t)product(form, x, y, c);
    int64_t value = computed(form, x, y);
    if (form->flags & EXECUTE_VIDEO_SATURATE)
        value = saturated(form, value, form->d == 0 ? 32 : form->d <= 4 ? 8 : 16);
    return form->d ? placed(form->d, (uint32_t)value, c) : combined(form, value, c);
}

static uint32_t side_by_side(const struct execute_video_form *form, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t count = form->parts, width = 32 / count, sum = c, merged = c;
    uint64_t both = (uint64_t)b << 32 | a;
    for (uint32_t i = 0; i < count; i++) {
        if (!(form->d >> i & 1))
            continue;
        uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);
        int64_t x =
            extended((uint32_t)(both >> width * form->a[i]) & mask, width, form->flags & EXECUTE_VIDEO_SIGNED_A);
        int64_t y =
            extended((uint32_t)(both >> width * form->b[i]) & mask, width, form->flags & EXECUTE_VIDEO_SIGNED_B);
        int64_t value = computed(form, x, y);
        if (form->flags & EXECUTE_VIDEO_SATURATE)
            value = clamped(value, width, form->flags & EXECUTE_VIDEO_SIGNED_D);
        sum += (uint32_t)value;
        merged = (merged & ~(mask << width * i)) | ((uint32_t)value & mask) << width * i;
    }
    return form->second ? sum : merged;
}

void execute_step_video(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a), *b = execute_at(warp, op->b), *c = execute_at(warp, op->c);
    uint32_t result[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        result[lane] = op->video.parts == 1 ? one_number(&op->video, a[lane], b[lane], c[lane])
                                            : side_by_side(&op->video, a[lane], b[lane], c[lane]);
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
}
