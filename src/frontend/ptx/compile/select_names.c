/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: to an assembler a register that a text writes twice is two values. Here the factors and results of products
 * that may be contracted (select_contract.c) get numbers of their own where a block writes their registers again, so
 * that a product is known by its register.
 */
#include "frontend/ptx/compile/selector.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/live_sets.h"

#include <stdlib.h>

enum { LOOK = 4096 /* operations of a block that are looked at for a name, at most */ };

struct names {
    struct ptx_selector *s;
    struct ptx_live_sets sets; /* made when they are first asked for */
    uint64_t *live;
    bool made, failed;
};

static uint32_t block_end(const struct ptx_selector *s, uint32_t place)
{
    return s->graph.block_first[s->graph.block_of[place] + 1];
}

/* The next operation behind `place` in its block, before `end`, that writes a reference in all lanes; `end`: none. */
static uint32_t next_write(const struct ptx_selector *s, uint32_t place, uint32_t end, uint32_t ref)
{
    for (uint32_t i = place + 1; i < end; i++)
        if (ptx_select_op(s, i)->guard == EXECUTE_TRUE && ptx_select_writes(s, i, ref))
            return i;
    return end;
}

/* Whether anything reads a reference behind the end of a block. */
static bool is_live_behind(struct names *n, uint32_t place, uint32_t ref)
{
    if (!n->made) {
        n->made = true;
        n->failed = !ptx_live_sets_make(&n->sets, n->s->decoder);
        n->live = mnp_allocate(n->sets.words + 1, sizeof *n->live);
    }
    if (n->failed)
        return true;
    ptx_live_out(&n->sets, n->s->graph.block_of[place], n->live);
    uint32_t number = ptx_reference_number(&n->sets, ref);
    return number == PTX_NONE || number >= n->sets.count || ptx_has_bit(n->live, number);
}

static void rename_all(uint32_t *const *refs, uint32_t count, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < count; i++)
        *refs[i] = *refs[i] == from ? to : *refs[i];
}

/* Gives the value that an operation writes a number of its own. */
static void split(struct names *n, uint32_t place, uint32_t ref)
{
    struct ptx_selector *s = n->s;
    struct execute_code *code = s->decoder->code;
    uint32_t *refs[PTX_MOST_REFERENCES], count, end = block_end(s, place);
    if (ptx_select_op(s, place)->guard != EXECUTE_TRUE || end - place > LOOK)
        return;
    uint32_t last = next_write(s, place, end, ref);
    if (last == end && is_live_behind(n, place, ref))
        return;
    uint32_t own = ptx_new_ref(s->decoder, ptx_ref_class(ref));
    count = ptx_result_places(code, ptx_select_op(s, place), refs);
    rename_all(refs, count, ref, own);
    for (uint32_t i = place + 1; i < end && i <= last; i++) {
        count = ptx_source_places(code, ptx_select_op(s, i), refs);
        rename_all(refs, count, ref, own);
        count = i < last ? ptx_result_places(code, ptx_select_op(s, i), refs) : 0;
        rename_all(refs, count, ref, own);
    }
}

/* A factor that is written again in the block, behind the product. */
static void split_factor(struct names *n, uint32_t place, uint32_t ref)
{
    struct ptx_selector *s = n->s;
    uint32_t end = block_end(s, place), first = s->graph.block_first[s->graph.block_of[place]];
    if (!ptx_select_in_frame(ref) || s->writers[ptx_select_number(s, ref)] < 2 || end - first > LOOK ||
        next_write(s, place, end, ref) == end)
        return;
    for (uint32_t i = place; i-- > first;) {
        if (!ptx_select_writes(s, i, ref))
            continue;
        split(n, i, ref);
        return;
    }
}

/* Makes dead operations read and write nothing, so that they keep no value alive. */
static void empty_dead(struct ptx_selector *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i);
        if (s->dead[i])
            *op = ptx_empty_op(EXECUTE_KIND_NOTHING, op->list, op->statement);
    }
}

void ptx_select_names(struct ptx_selector *s)
{
    struct names n = {.s = s};
    empty_dead(s);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct execute_op *op = ptx_select_op(s, i);
        if (ptx_select_form(s, i).kind != PTX_CONTRACT_PRODUCT || op->guard != EXECUTE_TRUE)
            continue;
        split_factor(&n, i, op->a);
        if (op->b != op->a)
            split_factor(&n, i, op->b);
        if (s->writers[ptx_select_number(s, op->d)] > 1)
            split(&n, i, op->d);
    }
    if (n.made)
        ptx_live_sets_free(&n.sets);
    free(n.live);
    ptx_select_count(s);
}
