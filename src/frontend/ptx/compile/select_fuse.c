/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fused operations: a product or shift with the sum that uses it (IMAD, IMAD.WIDE, LEA), three summands (IADD3), two
 * logical operations (LOP3), a comparison with the predicate it is combined with (ISETP's third source). Integers wrap
 * around, so all fusions are exact.
 */
#include "frontend/ptx/compile/selector.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Returns the operation that computes a source, if that operation's own sources are unchanged; NULL: it cannot be
 * fused. */
static const struct execute_op *part_of(const struct ptx_selector *s, uint32_t ref, uint32_t place)
{
    uint32_t writer = ptx_select_writer(s, ref, place);
    if (writer == PTX_NONE)
        return NULL;
    const struct execute_op *op = ptx_select_op(s, writer);
    const uint32_t refs[] = {op->a, op->b, op->c};
    for (uint32_t i = 0; i < 3; i++)
        if (op->flags & EXECUTE_OP_READS_A << i && !ptx_select_unchanged(s, refs[i], writer, place))
            return NULL;
    return op;
}

static void make(struct ptx_selector *s, struct execute_op *op, enum execute_lane lane, enum ptx_sass sass, uint32_t a,
                 uint32_t b, uint32_t c)
{
    op->words = s->table->lanes[lane];
    op->sass = (uint8_t)sass;
    op->a = a;
    op->b = b;
    op->c = c;
    op->flags |= EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    op->flags = (uint8_t)(c == EXECUTE_NO_REF ? op->flags & ~EXECUTE_OP_READS_C : op->flags | EXECUTE_OP_READS_C);
}

/* ===== products ===== */

/* Factors of a product of 32 or 64 bits. */
struct product {
    uint32_t a, b;
    enum execute_lane sum; /* the operation that adds a third source to it */
    enum ptx_sass sass;
};

/* A 64-bit factor that is a number of 32 bits, extended. */
static bool extended(const struct ptx_selector *s, uint32_t ref, uint32_t place, uint32_t *narrow, bool *is_signed)
{
    const struct execute_op *op = part_of(s, ref, place);
    if (!op)
        return false;
    *is_signed = ptx_select_is(s, op, EXECUTE_LANE_cvt_s64_s32) || ptx_select_is(s, op, EXECUTE_LANE_cvt_u64_s32);
    *narrow = op->a;
    return *is_signed || ptx_select_is(s, op, EXECUTE_LANE_cvt_u64_u32) ||
           ptx_select_is(s, op, EXECUTE_LANE_cvt_s64_u32);
}

static bool large_product(const struct ptx_selector *s, const struct execute_op *op, struct product *product)
{
    bool of_signed = ptx_select_is(s, op, EXECUTE_LANE_mul_wide_s32);
    if (!of_signed && !ptx_select_is(s, op, EXECUTE_LANE_mul_wide_u32))
        return false;
    *product = (struct product){op->a, op->b, of_signed ? EXECUTE_LANE_mad_wide_s32 : EXECUTE_LANE_mad_wide_u32,
                                PTX_SASS_IMAD_WIDE};
    return true;
}

static bool small_product(const struct ptx_selector *s, const struct execute_op *op, struct product *product)
{
    uint64_t value;
    *product = (struct product){op->a, op->b, EXECUTE_LANE_mad_lo_u32, PTX_SASS_IMAD};
    if (ptx_select_is(s, op, EXECUTE_LANE_mul_lo_u32))
        return true;
    if (!ptx_select_is(s, op, EXECUTE_LANE_shl_b32) || !ptx_select_constant(s, op->b, 4, &value) || value > 31)
        return false;
    product->b = ptx_constant(s->decoder, PTX_CLASS_SMALL, UINT64_C(1) << value);
    product->sass = PTX_SASS_LEA;
    return true;
}

/* Fuses a product into a sum: a 32-bit product that has no other reader; or a 64-bit product that only such sums read,
 * because each of them would take two instructions on its own. */
static bool fuse_sum(struct ptx_selector *s, struct execute_op *op, uint32_t place)
{
    bool large = ptx_select_is(s, op, EXECUTE_LANE_add_u64);
    if (!large && !ptx_select_is(s, op, EXECUTE_LANE_add_u32))
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t ref = side ? op->a : op->b, other = side ? op->b : op->a;
        const struct execute_op *part = part_of(s, ref, place);
        struct product product;
        if (!part || ptx_select_readers(s, ref) != (large ? s->sums[ptx_select_number(s, ref)] : 1))
            continue;
        if (large ? !large_product(s, part, &product) : !small_product(s, part, &product))
            continue;
        make(s, op, product.sum, product.sass, product.a, product.b, other);
        return true;
    }
    return false;
}

/* A number that is shifted and has no other reader: LEA and LEA.HI.X, which take one of 32 bits without sign too. */
static bool fuse_shift(struct ptx_selector *s, struct execute_op *op, uint32_t place, uint32_t ref, uint32_t other)
{
    const struct execute_op *part = part_of(s, ref, place);
    uint64_t shift;
    uint32_t narrow;
    bool is_signed = true;
    if (!part || !ptx_select_is(s, part, EXECUTE_LANE_shl_b64) || ptx_select_readers(s, ref) != 1 ||
        !ptx_select_constant(s, part->b, 4, &shift) || shift > 31)
        return false;
    if (extended(s, part->a, place, &narrow, &is_signed) && !is_signed)
        make(s, op, EXECUTE_LANE_mad_wide_u32, PTX_SASS_LEA_HI_X, narrow,
             ptx_constant(s->decoder, PTX_CLASS_SMALL, UINT64_C(1) << shift), other);
    else
        make(s, op, EXECUTE_LANE_mad_lo_u64, PTX_SASS_LEA_HI_X, part->a,
             ptx_constant(s->decoder, PTX_CLASS_LARGE, UINT64_C(1) << shift), other);
    return true;
}

/* Sums of 64 bits that stay two instructions, and save another: a shift, or the extension of a number of 32 bits. */
static bool fuse_large_sum(struct ptx_selector *s, struct execute_op *op, uint32_t place)
{
    uint32_t narrow;
    bool is_signed;
    if (!ptx_select_is(s, op, EXECUTE_LANE_add_u64))
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t ref = side ? op->a : op->b, other = side ? op->b : op->a;
        if (fuse_shift(s, op, place, ref, other))
            return true;
        if (!extended(s, ref, place, &narrow, &is_signed))
            continue;
        make(s, op, is_signed ? EXECUTE_LANE_mad_wide_s32 : EXECUTE_LANE_mad_wide_u32, PTX_SASS_IADD3_X, narrow,
             ptx_constant(s->decoder, PTX_CLASS_SMALL, 1), other);
        return true;
    }
    return false;
}

/* ===== three summands ===== */

static bool fuse_summands(struct ptx_selector *s, struct execute_op *op, uint32_t place)
{
    if (!ptx_select_is(s, op, EXECUTE_LANE_add_u32))
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t ref = side ? op->a : op->b, other = side ? op->b : op->a;
        const struct execute_op *part = part_of(s, ref, place);
        if (!part || !ptx_select_is(s, part, EXECUTE_LANE_add_u32) || ptx_select_readers(s, ref) != 1)
            continue;
        make(s, op, EXECUTE_LANE_add3_u32, PTX_SASS_IADD3, part->a, part->b, other);
        return true;
    }
    return false;
}

/* ===== logic ===== */

/* The truth table of a logical operation of one or two sources, of which `a` and `b` are the tables; -1: it is none. */
static int truth(const struct ptx_selector *s, const struct execute_op *op, unsigned a, unsigned b)
{
    return ptx_select_is(s, op, EXECUTE_LANE_and_b32)   ? (int)(a & b)
           : ptx_select_is(s, op, EXECUTE_LANE_or_b32)  ? (int)(a | b)
           : ptx_select_is(s, op, EXECUTE_LANE_xor_b32) ? (int)(a ^ b)
           : ptx_select_is(s, op, EXECUTE_LANE_not_b32) ? (int)(~a & 0xff)
                                                        : -1;
}

enum { TABLE_A = 0xf0, TABLE_B = 0xcc, TABLE_C = 0xaa }; /* truth tables of lop3's three sources */

static bool fuse_logic(struct ptx_selector *s, struct execute_op *op, uint32_t place)
{
    if (truth(s, op, 0, 0) < 0)
        return false;
    bool single = ptx_select_is(s, op, EXECUTE_LANE_not_b32);
    for (uint32_t side = 0; side < (single ? 1 : 2); side++) {
        uint32_t ref = side ? op->b : op->a, other = single ? op->a : side ? op->a : op->b;
        const struct execute_op *part = part_of(s, ref, place);
        int inner = part ? truth(s, part, TABLE_A, TABLE_B) : -1;
        if (inner < 0 || ptx_select_readers(s, ref) != 1)
            continue;
        bool part_single = ptx_select_is(s, part, EXECUTE_LANE_not_b32);
        op->immediate = truth(s, op, (unsigned)inner, TABLE_C) << EXECUTE_WORDS_LOGIC_SHIFT;
        other = single ? part->a : other;
        make(s, op, EXECUTE_LANE_lop3_b32, PTX_SASS_LOP3, part->a, part_single ? other : part->b, other);
        return true;
    }
    return false;
}

/* ===== predicates ===== */

/* p = a < b; q = p and r: one comparison with three sources. */
static bool fuse_test(struct ptx_selector *s, struct execute_op *op, uint32_t place)
{
    static const enum execute_combine combines[] = {EXECUTE_COMBINE_AND, EXECUTE_COMBINE_OR, EXECUTE_COMBINE_XOR};
    if (op->kind != EXECUTE_KIND_LOGIC || op->variant > EXECUTE_LOGIC_XOR || op->a == op->b)
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t ref = side ? op->a : op->b, other = side ? op->b : op->a;
        uint8_t flip = side ? EXECUTE_OP_FLIP_A : EXECUTE_OP_FLIP_B,
                other_flip = side ? EXECUTE_OP_FLIP_B : EXECUTE_OP_FLIP_A;
        const struct execute_op *part = part_of(s, ref, place);
        if (!part || part->kind != EXECUTE_KIND_TEST || part->combine || part->list_results || op->flags & flip ||
            ptx_select_readers(s, ref) != 1)
            continue;
        struct execute_op fused = *part;
        fused.guard = op->guard;
        fused.guard_flip = op->guard_flip;
        fused.d = op->d;
        fused.c = other;
        fused.combine = (uint8_t)combines[op->variant];
        fused.flags |= (uint8_t)(EXECUTE_OP_READS_C | (op->flags & other_flip ? EXECUTE_OP_FLIP_C : 0));
        *op = fused;
        return true;
    }
    return false;
}

static void count_sources(struct ptx_selector *s, struct execute_op *op, uint32_t change)
{
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_source_places(s->decoder->code, op, refs);
    bool sum = ptx_select_is(s, op, EXECUTE_LANE_add_u64);
    for (uint32_t i = 0; i < count; i++) {
        if (!ptx_select_in_frame(*refs[i]))
            continue;
        s->readers[ptx_select_number(s, *refs[i])] += change;
        s->sums[ptx_select_number(s, *refs[i])] += sum ? change : 0;
    }
}

void ptx_select_fuse(struct ptx_selector *s)
{
    s->sums = mnp_allocate(s->references + 1, sizeof *s->sums);
    memset(s->readers, 0, s->references * sizeof *s->readers);
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->dead[i])
            count_sources(s, ptx_select_op(s, i), 1);
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i), before = *op;
        bool fused = !s->dead[i] && (fuse_sum(s, op, i) || fuse_large_sum(s, op, i) || fuse_summands(s, op, i) ||
                                     fuse_logic(s, op, i) || fuse_test(s, op, i));
        if (fused) {
            count_sources(s, &before, UINT32_MAX);
            count_sources(s, op, 1);
        }
    }
    free(s->sums);
}
