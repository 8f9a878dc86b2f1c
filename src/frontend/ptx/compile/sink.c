/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delays operations until their results are needed. The order of execution has long-latency operations as early as
 * possible. An assembler issues these early, too, but computes the rest late; if it lacks registers, it issues fewer
 * loads early. In short blocks, and in loops with enough registers, nothing is moved. An operation moves if the lives
 * of its sources grow by no more than the lives of its results shrink.
 */
#include "frontend/ptx/compile/lives.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 8 /* registers in use in a block in which nothing moves */, FEW_IN_LOOP = 27 };

struct sink {
    struct ptx_lives *lives;
    uint32_t *anchor;               /* [operations] the place that it comes before; its own: it stays */
    uint32_t *first_use, *last_use; /* [references] places in the block; PTX_NONE: none */
    uint32_t *writers;              /* [references] in the block */
    uint64_t *out;                  /* [words] live at the block's end */
    uint32_t barrier;               /* place behind that loads do not pass */
    bool loads;                     /* whether loads move, too */
};

/* Collects facts about all values of a block before anything moves. */
static void look_at_block(struct sink *s, uint32_t first, uint32_t end)
{
    const struct ptx_lives *lives = s->lives;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = first; i < end; i++) {
            uint32_t refs[PTX_MOST_REFERENCES];
            uint32_t sources = ptx_sources_of(lives->decoder->code, ptx_lives_op(lives, i), refs), count = sources;
            for (uint32_t results = 0; results < 2; results++) {
                for (uint32_t j = 0; j < count; j++) {
                    uint32_t number = ptx_reference_number(lives->sets, refs[j]);
                    if (number == PTX_NONE)
                        continue;
                    s->first_use[number] = PTX_NONE;
                    s->writers[number] = pass ? s->writers[number] + results : 0;
                    s->last_use[number] = results ? s->last_use[number] : i;
                }
                count = ptx_results_of(lives->decoder->code, ptx_lives_op(lives, i), refs);
            }
        }
}

/* The position at which an operation's results are first needed; PTX_NONE: it must not move. `*change` is the change of
 * the number of registers in use in between. */
static uint32_t needed_at(const struct sink *s, const struct execute_op *op, int32_t *change)
{
    const struct ptx_lives *lives = s->lives;
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(lives->decoder->code, op, refs), place = PTX_NONE;
    bool load = s->loads && op->kind == EXECUTE_KIND_LOAD && !op->access.strong;
    bool movable = load || op->kind == EXECUTE_KIND_PART || execute_kind_is(op->kind, EXECUTE_IS_PURE);
    if (!movable || op->guard != EXECUTE_TRUE)
        return PTX_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        if (number == PTX_NONE || s->writers[number] != 1 || ptx_has_bit(s->out, number))
            return PTX_NONE;
        place = s->first_use[number] < place ? s->first_use[number] : place;
        *change -= ptx_value_at(lives, number)->width;
    }
    return place != PTX_NONE && load && !op->access.read_only && place > s->barrier ? s->barrier : place;
}

/* Whether an operation's sources are unchanged at a later position. Adds to `*change` the registers of those sources
 * whose lives would become longer. */
static bool sources_last(const struct sink *s, const uint32_t *refs, uint32_t count, uint32_t place, int32_t *change)
{
    const struct ptx_lives *lives = s->lives;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        if (number == PTX_NONE)
            continue;
        if (s->writers[number] > 1 || (s->writers[number] && lives->writers[number] > 1))
            return false;
        if (!ptx_has_bit(s->out, number) && s->last_use[number] < place)
            *change += ptx_value_at(lives, number)->width;
    }
    return true;
}

static void sink_operation(struct sink *s, uint32_t i)
{
    const struct ptx_lives *lives = s->lives;
    const struct execute_op *op = ptx_lives_op(lives, i);
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
    int32_t change = 0;
    uint32_t place = needed_at(s, op, &change);
    if (place != PTX_NONE && place > i + 1 && sources_last(s, refs, count, place, &change) && change <= 0)
        s->anchor[i] = place;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[j]);
        if (number == PTX_NONE)
            continue;
        s->first_use[number] = s->anchor[i] < s->first_use[number] ? s->anchor[i] : s->first_use[number];
        s->last_use[number] = s->anchor[i] > s->last_use[number] ? s->anchor[i] : s->last_use[number];
    }
    uint8_t memory = execute_kinds[op->kind].memory;
    if (execute_kind_is(op->kind, EXECUTE_IS_DIVIDER) || memory == EXECUTE_MEMORY_WRITE ||
        memory == EXECUTE_MEMORY_FENCE)
        s->barrier = i;
}

static bool has_many(const struct ptx_lives *lives, uint32_t b)
{
    const struct ptx_graph *graph = &lives->sets->graph;
    uint32_t most = 0;
    bool loop = false;
    for (uint32_t unit = graph->block_first[b] + b; unit < graph->block_first[b + 1] + b + 1; unit++)
        most = lives->pressure[unit] > most ? lives->pressure[unit] : most;
    for (uint32_t e = graph->out_first[b]; e < graph->out_first[b + 1]; e++)
        loop |= graph->out[e] <= b;
    return most > (loop ? FEW_IN_LOOP : FEW);
}

static void sink_block(struct sink *s, uint32_t b)
{
    const struct ptx_graph *graph = &s->lives->sets->graph;
    uint32_t first = graph->block_first[b], end = graph->block_first[b + 1];
    if (!has_many(s->lives, b))
        return;
    ptx_live_out(s->lives->sets, b, s->out);
    look_at_block(s, first, end);
    s->barrier = end;
    for (uint32_t i = end; i-- > first;)
        sink_operation(s, i);
}

/* Sorts operations by the position before which they are placed; the original order is kept among equals. */
static void reorder(struct ptx_lives *lives, const uint32_t *anchor)
{
    uint32_t ops = lives->sets->graph.op_count;
    uint32_t *next = mnp_allocate((size_t)ops + 1, sizeof *next), *order = mnp_allocate(ops, sizeof *order);
    for (uint32_t i = 0; i < ops; i++)
        next[anchor[i] + 1]++;
    for (uint32_t i = 0; i < ops; i++)
        next[i + 1] += next[i];
    for (uint32_t i = 0; i < ops; i++)
        order[next[anchor[i]]++] = lives->order[i];
    memcpy(lives->order, order, ops * sizeof *order);
    free(next);
    free(order);
}

void ptx_lives_sink(struct ptx_lives *lives, bool loads)
{
    uint32_t ops = lives->sets->graph.op_count, count = lives->sets->count + 1;
    struct sink s = {.lives = lives,
                     .loads = loads,
                     .anchor = mnp_allocate(ops, sizeof *s.anchor),
                     .first_use = mnp_allocate(count, sizeof *s.first_use),
                     .last_use = mnp_allocate(count, sizeof *s.last_use),
                     .writers = mnp_allocate(count, sizeof *s.writers),
                     .out = mnp_allocate(lives->sets->words, sizeof *s.out)};
    for (uint32_t i = 0; i < ops; i++)
        s.anchor[i] = i;
    for (uint32_t b = 0; b < lives->sets->graph.block_count; b++)
        sink_block(&s, b);
    reorder(lives, s.anchor);
    free(s.anchor);
    free(s.first_use);
    free(s.last_use);
    free(s.writers);
    free(s.out);
}
