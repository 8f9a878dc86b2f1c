/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divisors: a whole division of 32 bits begins with a reciprocal, which depends on the divisor alone. ptxas 13.0
 * computes it once for all divisions by one value that the first of them dominates, and in front of loops that do not
 * change it.
 */
#include "frontend/ptx/compile/select.h"
#include "frontend/ptx/compile/selector.h"

#include "base/arena.h"
#include "frontend/ptx/operations/origin.h"

#include <string.h>

enum { MOST = 64 /* divisors of a function that are remembered */ };

struct divisor {
    uint32_t ref, place;
    bool is_signed;
};

/* Whether an operation divides by a value that is no number. */
static bool divides(const struct ptx_selector *s, uint32_t place, bool *is_signed)
{
    const struct execute_op *op = ptx_select_op(s, place);
    const struct ptx_statement *statement = ptx_statement_of(s->decoder->code, op);
    if (s->dead[place] || op->kind != EXECUTE_KIND_LANES || op->sass || !statement ||
        op->b >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_CONSTANT)
        return false;
    const char *text = ptx_name_text(s->decoder->module, statement->name);
    *is_signed = strcmp(text, "div.s32") == 0 || strcmp(text, "rem.s32") == 0;
    return *is_signed || strcmp(text, "div.u32") == 0 || strcmp(text, "rem.u32") == 0;
}

/* Whether all ways to `place` lead through `from`, where the value was the same. */
static bool same_value(const struct ptx_selector *s, uint32_t ref, uint32_t from, uint32_t place)
{
    return ptx_select_dominates(s, from, place) && ptx_select_unchanged(s, ref, from, place);
}

/* The operation that a loop's only way in ends with; PTX_NONE: there are several ways. */
static uint32_t way_in(const struct ptx_selector *s, uint32_t head, uint32_t end)
{
    const struct ptx_graph *graph = &s->graph;
    uint32_t from = PTX_NONE;
    for (uint32_t e = graph->in_first[head]; e < graph->in_first[head + 1]; e++) {
        if (graph->in[e] >= head && graph->in[e] <= end)
            continue;
        if (from != PTX_NONE)
            return PTX_NONE;
        from = graph->in[e];
    }
    uint32_t place = from == PTX_NONE ? PTX_NONE : graph->block_first[from + 1] - 1;
    return place == PTX_NONE || s->dead[place] ? PTX_NONE : place;
}

/* The place in front of the outermost loop that makes all its turns through a division and does not change its divisor;
 * PTX_NONE: there is none. A loop's blocks stand together. */
static uint32_t before_loop(const struct ptx_selector *s, uint32_t ref, uint32_t place)
{
    const struct ptx_edge *edges = s->graph.edges.items;
    uint32_t writer = ptx_select_writer(s, ref, place), block = s->graph.block_of[place], found = PTX_NONE,
             outer = block;
    for (uint32_t i = 0; i < s->graph.edges.count; i++) {
        uint32_t head = edges[i].to, end = edges[i].from;
        if (head > outer || end < block || head > end || (found != PTX_NONE && head == outer))
            continue;
        uint32_t last = s->graph.block_first[end + 1] - 1, in = way_in(s, head, end);
        bool fixed = !ptx_select_in_frame(ref) ||
                     (writer != PTX_NONE && in != PTX_NONE && writer < in && s->graph.block_of[writer] < head);
        if (!fixed || in == PTX_NONE || (last != place && !ptx_select_dominates(s, place, last)))
            continue;
        found = in;
        outer = head;
    }
    return found;
}

void ptx_select_divisors(struct ptx_selector *s)
{
    struct divisor known[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct execute_op *op = ptx_select_op(s, i);
        bool is_signed, again = false;
        if (!divides(s, i, &is_signed))
            continue;
        for (uint32_t j = 0; j < count && !again; j++)
            again = known[j].ref == op->b && known[j].is_signed == is_signed && same_value(s, op->b, known[j].place, i);
        uint32_t before = again || s->decoder->module->unrolls ? PTX_NONE : before_loop(s, op->b, i);
        if (before != PTX_NONE) {
            struct ptx_reciprocal *made = mnp_array_add(&s->decoder->reciprocals, 1, sizeof *made);
            *made = (struct ptx_reciprocal){before, op->b, is_signed};
        }
        op->variant = again || before != PTX_NONE ? PTX_KNOWN_DIVISOR : op->variant;
        if (!again && (op->guard == EXECUTE_TRUE || before != PTX_NONE) && count < MOST)
            known[count++] = (struct divisor){op->b, before == PTX_NONE ? i : before, is_signed};
    }
}
