/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies: moves, cvta of global addresses, and moves and `not` of predicates. Registers like tid are read by S2R, once
 * for each move; grid sizes are operands, like parameters (c[0x0][…]).
 */
#include "frontend/ptx/compile/selector.h"

enum { CHAIN = 16 /* copies of copies that are followed */, NEAR = 64 /* operations between a result and its move */ };

static bool is_special(const struct ptx_selector *s, uint32_t ref, enum execute_special first,
                       enum execute_special last)
{
    const struct execute_code *code = s->decoder->code;
    if (ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_SPECIAL)
        return false;
    for (uint32_t i = first; i <= (uint32_t)last; i++)
        if (code->special_offset[i] != PTX_NONE && code->special_offset[i] == (ref & EXECUTE_OFFSET_MASK))
            return true;
    return false;
}

static bool is_launch_size(const struct ptx_selector *s, uint32_t ref)
{
    return is_special(s, ref, EXECUTE_SPECIAL_NTID_X, EXECUTE_SPECIAL_NTID_Z) ||
           is_special(s, ref, EXECUTE_SPECIAL_NCTAID_X, EXECUTE_SPECIAL_NCTAID_Z);
}

static bool is_move(const struct ptx_selector *s, const struct execute_op *op)
{
    return ptx_select_is(s, op, EXECUTE_LANE_mov_b32) || ptx_select_is(s, op, EXECUTE_LANE_mov_b64) ||
           ptx_select_is(s, op, EXECUTE_LANE_mov_b16);
}

/* The source of a copy; EXECUTE_NO_REF: the operation is not a copy, or an instruction of its own reads the source. */
static uint32_t copied(const struct ptx_selector *s, const struct execute_op *op)
{
    bool move = is_move(s, op);
    bool cvta = op->kind == EXECUTE_KIND_CVTA && op->immediate == 0;
    if (!move && !cvta)
        return EXECUTE_NO_REF;
    bool special = op->a >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_SPECIAL;
    return special && !is_launch_size(s, op->a) ? EXECUTE_NO_REF : op->a;
}

/* The reference that holds the same value as `ref` where `place` reads it. */
static uint32_t origin(const struct ptx_selector *s, uint32_t ref, uint32_t place, bool constants)
{
    for (uint32_t i = 0; i < CHAIN; i++) {
        uint32_t writer = ptx_select_writer(s, ref, place);
        uint32_t from = writer == PTX_NONE ? EXECUTE_NO_REF : copied(s, ptx_select_op(s, writer));
        if (from == EXECUTE_NO_REF || (!constants && !ptx_select_in_frame(from)) ||
            !ptx_select_unchanged(s, from, writer, place))
            break;
        ref = from;
    }
    return ref;
}

static void follow_copies(struct ptx_selector *s, uint32_t place)
{
    struct execute_op *op = ptx_select_op(s, place);
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_source_places(s->decoder->code, op, refs);
    for (uint32_t i = 0; i < count; i++)
        if (ptx_select_in_frame(*refs[i]) && ptx_ref_class(*refs[i]) != PTX_CLASS_PREDICATE)
            *refs[i] = origin(s, *refs[i], place, execute_kind_is(op->kind, EXECUTE_IS_CONSTANTS));
}

/* ===== predicates ===== */

/* The predicate that `ref` is a copy of where `place` reads it; turns `*flip` round for each `not`. */
static uint32_t predicate_origin(const struct ptx_selector *s, uint32_t ref, uint32_t place, bool *flip)
{
    for (uint32_t i = 0; i < CHAIN; i++) {
        uint32_t writer = ptx_select_writer(s, ref, place);
        const struct execute_op *op = writer == PTX_NONE ? NULL : ptx_select_op(s, writer);
        if (!op || op->kind != EXECUTE_KIND_LOGIC || op->variant < EXECUTE_LOGIC_NOT || op->a == EXECUTE_TRUE ||
            !ptx_select_unchanged(s, op->a, writer, place))
            break;
        *flip ^= (op->variant == EXECUTE_LOGIC_NOT) ^ !!(op->flags & EXECUTE_OP_FLIP_A);
        ref = op->a;
    }
    return ref;
}

static void follow_flagged(const struct ptx_selector *s, struct execute_op *op, uint32_t *ref, uint32_t place,
                           uint8_t flag)
{
    bool flip = false;
    *ref = predicate_origin(s, *ref, place, &flip);
    op->flags ^= flip ? flag : 0;
}

static void follow_predicates(struct ptx_selector *s, uint32_t place)
{
    struct execute_op *op = ptx_select_op(s, place);
    bool flip = false;
    op->guard = predicate_origin(s, op->guard, place, &flip);
    op->guard_flip ^= flip ? ~0u : 0;
    if (op->kind == EXECUTE_KIND_LOGIC) {
        follow_flagged(s, op, &op->a, place, EXECUTE_OP_FLIP_A);
        if (op->flags & EXECUTE_OP_READS_B)
            follow_flagged(s, op, &op->b, place, EXECUTE_OP_FLIP_B);
    } else if (op->kind == EXECUTE_KIND_SELECT ||
               ((op->kind == EXECUTE_KIND_TEST || op->kind == EXECUTE_KIND_TEST_TO) && op->combine)) {
        follow_flagged(s, op, &op->c, place, EXECUTE_OP_FLIP_C);
    }
}

void ptx_select_copies(struct ptx_selector *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i);
        follow_copies(s, i);
        follow_predicates(s, i);
        if (op->kind == EXECUTE_KIND_LANES && op->a >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_SPECIAL &&
            !is_launch_size(s, op->a) &&
            (ptx_select_is(s, op, EXECUTE_LANE_mov_b32) || ptx_select_is(s, op, EXECUTE_LANE_mov_b64)))
            op->sass = PTX_SASS_S2R;
    }
    ptx_select_count(s);
}

/* ===== moves behind results ===== */

static uint32_t count_of(uint32_t *const *refs, uint32_t count, uint32_t ref)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += *refs[i] == ref;
    return found;
}

/* Makes the sources of an operation that are `from` into `to`; with EXECUTE_NO_REF only says how many they are. */
static uint32_t rename_sources(const struct ptx_selector *s, uint32_t place, uint32_t from, uint32_t to)
{
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_source_places(s->decoder->code, ptx_select_op(s, place), refs);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (*refs[i] != from)
            continue;
        found++;
        if (to != EXECUTE_NO_REF)
            *refs[i] = to;
    }
    return found;
}

/* The range in which x, written at `writer`, and d, its copy by `move`, are interchangeable: from the writer on,
 * provided that d is not accessed before the move, until d is written again. Returns the end of the range; `writer` if
 * it is empty. */
static uint32_t shared_until(const struct ptx_selector *s, uint32_t writer, uint32_t move, uint32_t d)
{
    uint32_t end = s->graph.block_first[s->graph.block_of[writer] + 1], last = move + NEAR < end ? move + NEAR : end;
    for (uint32_t i = writer + 1; i < move; i++)
        if (!s->dead[i] && (ptx_select_writes(s, i, d) || rename_sources(s, i, d, EXECUTE_NO_REF)))
            return writer;
    for (uint32_t i = move + 1; i < last; i++)
        if (!s->dead[i] && ptx_select_writes(s, i, d))
            return i + 1; /* an operation reads its sources before it writes */
    return last;
}

/* `x = …; …; d = x`, where all other reads of x are in between or behind: lets the result go directly to d. */
static bool coalesce(struct ptx_selector *s, uint32_t place)
{
    struct execute_op *move = ptx_select_op(s, place);
    uint32_t x = move->a, d = move->d, found = 0;
    if (!is_move(s, move) || move->guard != EXECUTE_TRUE || !ptx_select_in_frame(x) || x == d)
        return false;
    uint32_t writer = ptx_select_writer(s, x, place);
    if (writer == PTX_NONE || s->graph.block_of[writer] != s->graph.block_of[place] || place - writer > NEAR)
        return false;
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(s->decoder->code, ptx_select_op(s, writer), refs);
    uint32_t end = shared_until(s, writer, place, d);
    for (uint32_t i = writer + 1; i < end; i++)
        found += s->dead[i] ? 0 : rename_sources(s, i, x, EXECUTE_NO_REF);
    if (found != ptx_select_readers(s, x) || count_of(refs, count, d) || count_of(refs, count, x) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++)
        *refs[i] = *refs[i] == x ? d : *refs[i];
    for (uint32_t i = writer + 1; i < end; i++)
        if (!s->dead[i])
            rename_sources(s, i, x, d);
    s->readers[ptx_select_number(s, d)] += found - 1;
    s->readers[ptx_select_number(s, x)] = 0;
    s->writer[ptx_select_number(s, d)] = writer;
    return true;
}

void ptx_select_coalesce(struct ptx_selector *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->dead[i])
            s->dead[i] = coalesce(s, i);
    ptx_select_count(s);
}
