/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/live_sets.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the total size in bits of a function's sets; liveness is not computed for larger functions. */
#define MOST_BITS (UINT64_C(1) << 31)

uint32_t ptx_reference_number(const struct ptx_live_sets *sets, uint32_t ref)
{
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME)
        return PTX_NONE;
    return sets->start[ptx_ref_class(ref)] + (ref & ((1u << PTX_CLASS_SHIFT) - 1));
}

/* Collects the references that each block reads before writing, and those that it writes for all lanes. */
static void scan_blocks(struct ptx_live_sets *sets, const struct execute_code *code)
{
    for (uint32_t i = 0; i < sets->graph.op_count; i++) {
        const struct execute_op *op = execute_op_at(code, sets->graph.first_op + i);
        uint64_t *used = sets->used + sets->graph.block_of[i] * sets->words,
                 *defined = sets->defined + sets->graph.block_of[i] * sets->words;
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(sets, refs[j]);
            if (number != PTX_NONE && !ptx_has_bit(defined, number))
                ptx_set_bit(used, number);
        }
        count = ptx_results_of(code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(sets, refs[j]);
            if (number == PTX_NONE)
                continue;
            if (op->guard == EXECUTE_TRUE)
                ptx_set_bit(defined, number);
            else if (!ptx_has_bit(defined, number))
                /* a guarded write preserves the old value in other lanes, and therefore reads it */
                ptx_set_bit(used, number);
        }
    }
}

static void spread(struct ptx_live_sets *sets)
{
    memcpy(sets->in, sets->used, sets->graph.block_count * sets->words * sizeof *sets->in);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = sets->graph.block_count; b-- > 0;) {
            uint64_t *in = sets->in + b * sets->words;
            const uint64_t *defined = sets->defined + b * sets->words;
            for (uint32_t e = sets->graph.out_first[b]; e < sets->graph.out_first[b + 1]; e++) {
                const uint64_t *next = sets->in + sets->graph.out[e] * sets->words;
                for (size_t w = 0; w < sets->words; w++) {
                    uint64_t added = next[w] & ~defined[w] & ~in[w];
                    changed |= added != 0;
                    in[w] |= added;
                }
            }
        }
    }
}

bool ptx_live_sets_make(struct ptx_live_sets *sets, const struct ptx_decoder *decoder)
{
    const struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    *sets = (struct ptx_live_sets){.count = 0};
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        sets->start[class] = sets->count;
        sets->count += decoder->counts[class];
    }
    ptx_graph_make(&sets->graph, decoder->code, place->first_op, place->op_count);
    sets->words = sets->count / 64 + 1;
    if ((uint64_t)sets->graph.block_count * sets->words * 64 > MOST_BITS || place->op_count >= UINT32_MAX / 4)
        return false;
    size_t words = (size_t)sets->graph.block_count * sets->words;
    sets->in = mnp_allocate(words, sizeof *sets->in);
    sets->used = mnp_allocate(words, sizeof *sets->used);
    sets->defined = mnp_allocate(words, sizeof *sets->defined);
    scan_blocks(sets, decoder->code);
    spread(sets);
    return true;
}

void ptx_live_sets_free(struct ptx_live_sets *sets)
{
    ptx_graph_free(&sets->graph);
    free(sets->in);
    free(sets->used);
    free(sets->defined);
}

void ptx_live_out(const struct ptx_live_sets *sets, uint32_t block, uint64_t *out)
{
    memset(out, 0, sets->words * sizeof *out);
    for (uint32_t e = sets->graph.out_first[block]; e < sets->graph.out_first[block + 1]; e++)
        for (size_t w = 0; w < sets->words; w++)
            out[w] |= sets->in[sets->graph.out[e] * sets->words + w];
}
