/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register allocation in the frame for a function's virtual references.
 *
 * Liveness is that of one thread: lanes write only their own part of a register, and a guarded write preserves the old
 * value. Places are assigned by linear scan (Poletto and Sarkar, 1999) over the hulls of live ranges; a source may
 * share its place with the result, because every operation reads its sources before it writes. The number of machine
 * registers of a kernel is estimated elsewhere (registers.h).
 */
#include "frontend/ptx/compile/liveness.h"
#include "frontend/ptx/compile/live_sets.h"
#include "frontend/ptx/compile/registers.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct range { /* range of positions: sources of operation i are read at 2i, results written at 2i + 1 */
    uint32_t first, last;
    uint32_t colour;
};

struct liveness {
    struct ptx_decoder *decoder;
    const struct execute_code_function *place;
    struct ptx_live_sets sets;
    struct range *ranges; /* [sets.count] */
    uint32_t colours[PTX_CLASS_COUNT];
};

static void widen(struct liveness *l, uint32_t number, uint32_t position)
{
    struct range *range = &l->ranges[number];
    range->first = position < range->first ? position : range->first;
    range->last = position > range->last || range->last == PTX_NONE ? position : range->last;
}

/* Extends ranges from the first to the last read or write. */
static void widen_over_uses(struct liveness *l)
{
    const struct execute_code *code = l->decoder->code;
    for (uint32_t i = 0; i < l->place->op_count; i++) {
        const struct execute_op *op = execute_op_at(code, l->place->first_op + i);
        uint32_t refs[PTX_MOST_REFERENCES], sources = ptx_sources_of(code, op, refs);
        for (uint32_t written = 0; written < 2; written++) {
            uint32_t count = written ? ptx_results_of(code, op, refs) : sources;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t number = ptx_reference_number(&l->sets, refs[j]);
                if (number != PTX_NONE)
                    widen(l, number, 2 * i + written);
            }
        }
    }
}

/* Ranges reach over every block that a value is live into or out of. */
static void widen_over_blocks(struct liveness *l)
{
    for (uint32_t b = 0; b < l->sets.graph.block_count; b++) {
        uint32_t begin = 2 * l->sets.graph.block_first[b];
        for (size_t w = 0; w < l->sets.words; w++)
            for (uint64_t rest = l->sets.in [b * l->sets.words + w]; rest; rest &= rest - 1)
                widen(l, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), begin);
        for (uint32_t e = l->sets.graph.in_first[b]; e < l->sets.graph.in_first[b + 1]; e++) {
            /* last position of the preceding block */
            uint32_t end = 2 * l->sets.graph.block_first[l->sets.graph.in[e] + 1] - 1;
            for (size_t w = 0; w < l->sets.words; w++)
                for (uint64_t rest = l->sets.in [b * l->sets.words + w]; rest; rest &= rest - 1)
                    widen(l, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), end);
        }
    }
}

struct start { /* start of a range, for sorting */
    uint32_t first, number;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

/* Colours one class: each range gets the lowest colour whose last range has ended. */
static void colour_class(struct liveness *l, uint32_t class, uint32_t reserved)
{
    uint32_t first = l->sets.start[class], count = l->decoder->counts[class], used = 0, sorted = 0;
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

static void find_colours(struct liveness *l, bool known)
{
    if (known) {
        widen_over_uses(l);
        widen_over_blocks(l);
        for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++)
            colour_class(l, class, class == PTX_CLASS_PREDICATE ? 2 : 0);
        return;
    }
    /* without liveness, each reference has a place of its own */
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        l->colours[class] = l->decoder->counts[class];
        for (uint32_t i = 0; i < l->decoder->counts[class]; i++)
            l->ranges[l->sets.start[class] + i].colour = i;
    }
}

/* ===== places ===== */

struct layout {
    const struct liveness *liveness;
    uint32_t start[PTX_CLASS_COUNT], bytes[PTX_CLASS_COUNT];
};

static uint32_t placed(const struct layout *layout, uint32_t ref)
{
    uint32_t number = ptx_reference_number(&layout->liveness->sets, ref), class = ptx_ref_class(ref);
    if (number == PTX_NONE)
        return ref;
    return layout->start[class] + layout->liveness->ranges[number].colour * layout->bytes[class];
}

static void place_op(struct ptx_decoder *decoder, const struct layout *layout, struct execute_op *op)
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
    struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    struct liveness l = {.decoder = decoder, .place = place};
    bool known = ptx_live_sets_make(&l.sets, decoder);
    l.ranges = mnp_allocate(l.sets.count + 1, sizeof *l.ranges);
    for (uint32_t i = 0; i < l.sets.count; i++)
        l.ranges[i] = (struct range){PTX_NONE, PTX_NONE, 0};
    find_colours(&l, known);
    struct layout layout = {.liveness = &l, .bytes = {4, EXECUTE_SMALL_BYTES, EXECUTE_LARGE_BYTES, 512}};
    uint32_t offset = 0;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        layout.start[class] = offset;
        offset = (offset + l.colours[class] * layout.bytes[class] + 127) / 128 * 128;
    }
    place->predicate_bytes = layout.start[PTX_CLASS_SMALL];
    place->large_start = layout.start[PTX_CLASS_LARGE];
    place->quad_start = layout.start[PTX_CLASS_QUAD];
    place->frame_bytes = offset;
    place->registers =
        known ? ptx_estimate_registers(decoder, &l.sets)
              : l.colours[PTX_CLASS_SMALL] + 2 * l.colours[PTX_CLASS_LARGE] + 4 * l.colours[PTX_CLASS_QUAD];
    for (uint32_t i = 0; i < place->op_count; i++)
        place_op(decoder, &layout, execute_op_at(decoder->code, place->first_op + i));
    free(l.ranges);
    ptx_live_sets_free(&l.sets);
}
