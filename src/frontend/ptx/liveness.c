/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the frame for a function's virtual references. Liveness is that of one thread: lanes write only their own
 * part of a register, and a write under a guard keeps the old value. Places are then given by linear scan (Poletto and
 * Sarkar, 1999) over the hulls of live ranges; a source's place may be the result's, since every operation has read its
 * sources when it writes. What is in use at once is also the estimate of a kernel's registers.
 */
#include "frontend/ptx/flow.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Bits of all blocks' sets together, beyond which each reference keeps a place of its own. */
#define MOST_BITS (UINT64_C(1) << 31)

struct range { /* of positions: sources of operation i are read at 2i, results written at 2i + 1 */
    uint32_t first, last;
    uint32_t colour;
};

struct liveness {
    struct ptx_decoder *decoder;
    const struct ptx_code_function *place;
    struct ptx_graph graph;
    uint32_t start[PTX_CLASS_COUNT]; /* number of a class's first reference */
    uint32_t count;
    size_t words;                  /* of a set */
    uint64_t *in, *used, *defined; /* [blocks][words] */
    struct range *ranges;          /* [count] */
    uint32_t colours[PTX_CLASS_COUNT];
};

static uint32_t number_of(const struct liveness *l, uint32_t ref)
{
    if (ref == PTX_NO_REF || ref >> PTX_BASE_SHIFT != PTX_BASE_FRAME)
        return PTX_NONE;
    return l->start[ptx_ref_class(ref)] + (ref & ((1u << PTX_CLASS_SHIFT) - 1));
}

/* The references that an operation reads or writes. At most `guard`, three sources and the list. */
static uint32_t sources_of(const struct liveness *l, const struct ptx_op *op, uint32_t out[260])
{
    const uint32_t *list = (const uint32_t *)l->decoder->code->list.items + op->list + op->list_results;
    uint32_t count = 0;
    out[count++] = op->guard;
    if (op->flags & PTX_OP_READS_A)
        out[count++] = op->a;
    if (op->flags & PTX_OP_READS_B)
        out[count++] = op->b;
    if (op->flags & PTX_OP_READS_C)
        out[count++] = op->c;
    for (uint32_t i = 0; i < op->list_sources; i++)
        out[count++] = list[i];
    return count;
}

static uint32_t results_of(const struct liveness *l, const struct ptx_op *op, uint32_t out[260])
{
    const uint32_t *list = (const uint32_t *)l->decoder->code->list.items + op->list;
    uint32_t count = 0;
    if (op->flags & PTX_OP_WRITES_D)
        out[count++] = op->d;
    for (uint32_t i = 0; i < op->list_results; i++)
        out[count++] = list[i];
    return count;
}

static void set_bit(uint64_t *set, uint32_t number)
{
    set[number / 64] |= UINT64_C(1) << number % 64;
}

static bool has_bit(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> number % 64 & 1;
}

static void widen(struct liveness *l, uint32_t number, uint32_t position)
{
    struct range *range = &l->ranges[number];
    range->first = position < range->first ? position : range->first;
    range->last = position > range->last || range->last == PTX_NONE ? position : range->last;
}

/* What each block reads before it writes it, and what it writes for all its lanes; positions go into the ranges. */
static void scan_blocks(struct liveness *l)
{
    for (uint32_t i = 0; i < l->place->op_count; i++) {
        const struct ptx_op *op = ptx_op_at(l->decoder->code, l->place->first_op + i);
        uint64_t *used = l->used + l->graph.block_of[i] * l->words,
                 *defined = l->defined + l->graph.block_of[i] * l->words;
        uint32_t refs[260], count = sources_of(l, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = number_of(l, refs[j]);
            if (number == PTX_NONE)
                continue;
            widen(l, number, 2 * i);
            if (!has_bit(defined, number))
                set_bit(used, number);
        }
        count = results_of(l, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = number_of(l, refs[j]);
            if (number == PTX_NONE)
                continue;
            widen(l, number, 2 * i + 1);
            if (op->guard == PTX_TRUE)
                set_bit(defined, number);
            else if (!has_bit(defined, number))
                set_bit(used, number); /* the lanes without it keep what was there */
        }
    }
}

static void spread(struct liveness *l)
{
    memcpy(l->in, l->used, l->graph.block_count * l->words * sizeof *l->in);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = l->graph.block_count; b-- > 0;) {
            uint64_t *in = l->in + b * l->words;
            const uint64_t *defined = l->defined + b * l->words;
            for (uint32_t e = l->graph.out_first[b]; e < l->graph.out_first[b + 1]; e++) {
                const uint64_t *next = l->in + l->graph.out[e] * l->words;
                for (size_t w = 0; w < l->words; w++) {
                    uint64_t added = next[w] & ~defined[w] & ~in[w];
                    changed |= added != 0;
                    in[w] |= added;
                }
            }
        }
    }
}

/* Ranges reach over every block that a value is live into or out of. */
static void widen_over_blocks(struct liveness *l)
{
    for (uint32_t b = 0; b < l->graph.block_count; b++) {
        uint32_t begin = 2 * l->graph.block_first[b];
        for (size_t w = 0; w < l->words; w++)
            for (uint64_t rest = l->in [b * l->words + w]; rest; rest &= rest - 1)
                widen(l, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), begin);
        for (uint32_t e = l->graph.in_first[b]; e < l->graph.in_first[b + 1]; e++) {
            uint32_t end = 2 * l->graph.block_first[l->graph.in[e] + 1] - 1; /* of the block before */
            for (size_t w = 0; w < l->words; w++)
                for (uint64_t rest = l->in [b * l->words + w]; rest; rest &= rest - 1)
                    widen(l, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), end);
        }
    }
}

struct start { /* of a range, for sorting */
    uint32_t first, number;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

/* One class: the lowest colour whose last range has ended. */
static void colour_class(struct liveness *l, uint32_t class, uint32_t reserved)
{
    uint32_t first = l->start[class], count = l->decoder->counts[class], used = 0, sorted = 0;
    struct start *starts = mnp_allocate(count + 1, sizeof *starts);
    uint32_t *until = mnp_allocate(count + 1, sizeof *until); /* end of each colour's last range, plus one */
    for (uint32_t i = reserved; i < count; i++)
        if (l->ranges[first + i].last != PTX_NONE)
            starts[sorted++] = (struct start){l->ranges[first + i].first, first + i};
    qsort(starts, sorted, sizeof *starts, by_start);
    for (uint32_t i = 0; i < sorted; i++) {
        struct range *range = &l->ranges[starts[i].number];
        uint32_t colour = 0;
        while (colour < used && until[colour] > range->first)
            colour++;
        used += colour == used;
        until[colour] = range->last + 1;
        range->colour = colour + reserved;
    }
    for (uint32_t i = 0; i < reserved && i < count; i++)
        l->ranges[first + i].colour = i;
    l->colours[class] = used + reserved;
    free(starts);
    free(until);
}

static void find_colours(struct liveness *l)
{
    ptx_graph_make(&l->graph, l->decoder->code, l->place->first_op, l->place->op_count);
    l->words = l->count / 64 + 1;
    bool small = (uint64_t)l->graph.block_count * l->words * 64 <= MOST_BITS && l->place->op_count < UINT32_MAX / 4;
    if (small) {
        size_t words = (size_t)l->graph.block_count * l->words;
        l->in = mnp_allocate(words, sizeof *l->in);
        l->used = mnp_allocate(words, sizeof *l->used);
        l->defined = mnp_allocate(words, sizeof *l->defined);
        scan_blocks(l);
        spread(l);
        widen_over_blocks(l);
        for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++)
            colour_class(l, class, class == PTX_CLASS_PREDICATE ? 2 : 0);
        free(l->in);
        free(l->used);
        free(l->defined);
    } else {
        for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
            l->colours[class] = l->decoder->counts[class];
            for (uint32_t i = 0; i < l->decoder->counts[class]; i++)
                l->ranges[l->start[class] + i].colour = i;
        }
    }
    ptx_graph_free(&l->graph);
}

/* ===== places ===== */

struct layout {
    const struct liveness *liveness;
    uint32_t start[PTX_CLASS_COUNT], bytes[PTX_CLASS_COUNT];
};

static uint32_t placed(const struct layout *layout, uint32_t ref)
{
    uint32_t number = number_of(layout->liveness, ref), class = ptx_ref_class(ref);
    if (number == PTX_NONE)
        return ref;
    return layout->start[class] + layout->liveness->ranges[number].colour * layout->bytes[class];
}

static void place_op(struct ptx_decoder *decoder, const struct layout *layout, struct ptx_op *op)
{
    op->guard = placed(layout, op->guard);
    op->d = placed(layout, op->d);
    op->a = placed(layout, op->a);
    op->b = placed(layout, op->b);
    op->c = placed(layout, op->c);
    uint32_t *list = (uint32_t *)decoder->code->list.items + op->list;
    for (uint32_t i = 0; i < (uint32_t)op->list_results + op->list_sources; i++)
        list[i] = placed(layout, list[i]);
}

void ptx_place_references(struct ptx_decoder *decoder)
{
    struct ptx_code_function *place = ptx_code_function_at(decoder->code, decoder->place);
    struct liveness l = {.decoder = decoder, .place = place};
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        l.start[class] = l.count;
        l.count += decoder->counts[class];
    }
    l.ranges = mnp_allocate(l.count + 1, sizeof *l.ranges);
    for (uint32_t i = 0; i < l.count; i++)
        l.ranges[i] = (struct range){PTX_NONE, PTX_NONE, 0};
    find_colours(&l);
    struct layout layout = {.liveness = &l, .bytes = {4, PTX_SMALL_BYTES, PTX_LARGE_BYTES, 512}};
    uint32_t offset = 0;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        layout.start[class] = offset;
        offset = (offset + l.colours[class] * layout.bytes[class] + 127) / 128 * 128;
    }
    place->predicate_bytes = layout.start[PTX_CLASS_SMALL];
    place->large_start = layout.start[PTX_CLASS_LARGE];
    place->frame_bytes = offset;
    place->registers = l.colours[PTX_CLASS_SMALL] + 2 * l.colours[PTX_CLASS_LARGE] + 4 * l.colours[PTX_CLASS_QUAD];
    for (uint32_t i = 0; i < place->op_count; i++)
        place_op(decoder, &layout, ptx_op_at(decoder->code, place->first_op + i));
    free(l.ranges);
}
