/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/selector.h"

#include <string.h>

enum { LOOK = 256 }; /* operations of a block that are looked at between two places, at most */

void ptx_select_count(struct ptx_selector *s)
{
    memset(s->writers, 0, s->references * sizeof *s->writers);
    memset(s->readers, 0, s->references * sizeof *s->readers);
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i);
        uint32_t *refs[PTX_MOST_REFERENCES], count = s->dead[i] ? 0 : ptx_source_places(s->decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++)
            if (ptx_select_in_frame(*refs[j]))
                s->readers[ptx_select_number(s, *refs[j])]++;
        count = s->dead[i] ? 0 : ptx_result_places(s->decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_select_number(s, *refs[j]);
            s->writers[number]++;
            s->writer[number] = i;
        }
    }
}

bool ptx_select_constant(const struct ptx_selector *s, uint32_t ref, uint32_t bytes, uint64_t *value)
{
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_CONSTANT)
        return false;
    *value = 0;
    memcpy(value, (const unsigned char *)s->decoder->code->constants.items + (ref & EXECUTE_OFFSET_MASK), bytes);
    return true;
}

/* ===== what is known of values ===== */

bool ptx_select_dominates(const struct ptx_selector *s, uint32_t from, uint32_t to)
{
    uint32_t block = s->graph.block_of[to], above = s->graph.block_of[from];
    if (block == above)
        return from < to;
    for (uint32_t i = 0; i < 4 * LOOK && s->dominator[block] != PTX_NONE && block; i++) {
        block = s->dominator[block];
        if (block == above)
            return true;
    }
    return false;
}

uint32_t ptx_select_writer(const struct ptx_selector *s, uint32_t ref, uint32_t place)
{
    if (!ptx_select_in_frame(ref))
        return PTX_NONE;
    uint32_t number = ptx_select_number(s, ref), writer = s->writer[number];
    bool sure = s->writers[number] == 1 && ptx_select_op(s, writer)->guard == EXECUTE_TRUE;
    return sure && ptx_select_dominates(s, writer, place) ? writer : PTX_NONE;
}

bool ptx_select_writes(const struct ptx_selector *s, uint32_t place, uint32_t ref)
{
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(s->decoder->code, ptx_select_op(s, place), refs);
    for (uint32_t i = 0; i < count; i++)
        if (*refs[i] == ref)
            return true;
    return false;
}

bool ptx_select_unchanged(const struct ptx_selector *s, uint32_t ref, uint32_t from, uint32_t to)
{
    if (!ptx_select_in_frame(ref) || ref == EXECUTE_TRUE || ptx_select_writer(s, ref, from) != PTX_NONE)
        return true;
    if (ref == EXECUTE_CARRY || s->graph.block_of[from] != s->graph.block_of[to] || from > to || to - from > LOOK)
        return false;
    for (uint32_t i = from; i < to; i++)
        if (!s->dead[i] && ptx_select_writes(s, i, ref))
            return false;
    return true;
}

/* ===== what nobody reads ===== */

void ptx_select_sweep(struct ptx_selector *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = s->count; i-- > 0;) {
            struct execute_op *op = ptx_select_op(s, i);
            uint32_t *refs[PTX_MOST_REFERENCES], count, read = 0;
            if (s->dead[i] || !execute_kind_is(op->kind, EXECUTE_IS_PURE))
                continue;
            count = ptx_result_places(s->decoder->code, op, refs);
            for (uint32_t j = 0; j < count; j++)
                read += ptx_select_readers(s, *refs[j]);
            if (read)
                continue;
            s->dead[i] = changed = true;
            count = ptx_source_places(s->decoder->code, op, refs);
            for (uint32_t j = 0; j < count; j++)
                if (ptx_select_in_frame(*refs[j]))
                    s->readers[ptx_select_number(s, *refs[j])]--;
        }
    }
    ptx_select_count(s);
}

/* Whether an atomic may become a reduction: not wide ones, which are pieces, not exchanges, and not acquires, which
 * wait for the value read. */
static bool could_return_nothing(const struct execute_op *op)
{
    const struct execute_access_form *form = &op->access;
    return op->kind == EXECUTE_KIND_ATOMIC && !form->reduction && !form->acquire && !execute_is_wide_atomic(op) &&
           form->operation != EXECUTE_ATOMIC_CAS && form->operation != EXECUTE_ATOMIC_EXCH;
}

void ptx_select_reductions(struct ptx_selector *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i);
        if (s->dead[i] || !could_return_nothing(op) || (op->d != EXECUTE_NO_REF && ptx_select_readers(s, op->d)))
            continue;
        op->access.reduction = true;
        op->d = EXECUTE_NO_REF;
        op->flags &= (uint8_t)~EXECUTE_OP_WRITES_D;
    }
}
