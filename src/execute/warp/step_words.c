/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on words (words.h) of a warp: locates the operands, and preserves inactive lanes. */
#include "execute/lanes/words.h"
#include "execute/warp/frame.h"

#include <stddef.h>

enum { OUTS = 3, INS_SHIFT = 2, INS = 3, FLIP_SHIFT = 4, UNIFORM = 0x80 }; /* layout of op.variant */

static const execute_word *source(const struct execute_warp *warp, uint32_t ref)
{
    return ref == EXECUTE_NO_REF ? NULL : execute_at(warp, ref);
}

/* `written`: lanes of the predicates that are written. */
static void with_predicates(struct execute_warp *warp, const struct execute_op *op, uint32_t written,
                            struct execute_words *w)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint32_t outs = op->variant & OUTS, ins = op->variant >> INS_SHIFT & INS;
    if (op->target)
        w->predicates = execute_to(warp, op->target);
    w->out[0] = w->out[1] = 0;
    for (uint32_t i = 0; i < ins; i++)
        w->in[i] = execute_mask_at(warp, list[outs + i]) ^ (op->variant >> (FLIP_SHIFT + i) & 1 ? ~0u : 0);
    op->words(w);
    for (uint32_t i = 0; i < outs; i++)
        execute_set_mask(warp, list[i], written, w->out[i]);
}

void execute_step_words(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) execute_word scratch[64];
    uint32_t written = op->variant & UNIFORM ? execute_shared_lanes(warp) : lanes;
    execute_word *d = op->d == EXECUTE_NO_REF ? scratch : execute_to(warp, op->d);
    struct execute_words w; /* unread members are not initialised, because this is the most frequent operation */
    w.d = written == EXECUTE_ALL_LANES ? d : scratch;
    w.a = source(warp, op->a);
    w.b = source(warp, op->b);
    w.c = source(warp, op->c);
    w.modifiers = (uint32_t)op->immediate;
    w.lanes = lanes;
    w.in[0] = w.in[1] = w.in[2] = 0;
    w.predicates = scratch;
    if (op->variant & ~UNIFORM || op->target)
        with_predicates(warp, op, op->combine ? lanes : written, &w);
    else
        op->words(&w);
    if (w.d != d) {
        execute_blend(warp, d, scratch, 4, written);
        if (op->size == 8)
            execute_blend(warp, d + 32, scratch + 32, 4, written);
    }
}
