/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lanes of a warp do together: shuffles, votes, matches, reductions. */
#include "frontend/ptx/warp.h"

#include <string.h>

static void set_second(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes, uint32_t value)
{
    if (op->list_results)
        ptx_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, value);
}

/* ISA 9.0, shfl: c holds the clamp in bits 0-4 and the mask of segments in bits 8-12. A lane that takes part and reads
 * one that does not gets what that one's register holds. */
static void shuffle(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    const uint32_t *a = ptx_at(warp, op->a), *b = ptx_at(warp, op->b), *c = ptx_at(warp, op->c);
    uint32_t result[32], inside = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t segments = c[lane] >> 8 & 31, clamp = c[lane] & 31, amount = b[lane] & 31;
        uint32_t most = (lane & segments) | (clamp & ~segments), least = lane & segments, source = 0;
        bool good = false;
        switch (op->variant) {
        case PTX_SHUFFLE_UP:
            source = lane - amount;
            good = (int32_t)source >= (int32_t)most;
            break;
        case PTX_SHUFFLE_DOWN:
            source = lane + amount;
            good = source <= most;
            break;
        case PTX_SHUFFLE_BUTTERFLY:
            source = lane ^ amount;
            good = source <= most;
            break;
        default:
            source = least | (amount & ~segments);
            good = source <= most;
            break;
        }
        result[lane] = a[good ? source & 31 : lane];
        inside |= (uint32_t)good << lane;
    }
    ptx_blend(ptx_to(warp, op->d), result, 4, lanes);
    set_second(warp, op, lanes, inside);
}

static void give_all(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes, uint32_t value)
{
    uint32_t result[32];
    for (uint32_t i = 0; i < 32; i++)
        result[i] = value;
    ptx_blend(ptx_to(warp, op->d), result, 4, lanes);
}

static void vote(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    uint32_t holds = (ptx_mask_at(warp, op->a) ^ (op->flags & PTX_OP_FLIP_A ? ~0u : 0)) & lanes;
    switch (op->variant) {
    case PTX_VOTE_ALL:
        ptx_set_mask(warp, op->d, lanes, holds == lanes ? ~0u : 0);
        break;
    case PTX_VOTE_ANY:
        ptx_set_mask(warp, op->d, lanes, holds ? ~0u : 0);
        break;
    case PTX_VOTE_UNIFORM:
        ptx_set_mask(warp, op->d, lanes, holds == lanes || !holds ? ~0u : 0);
        break;
    default:
        give_all(warp, op, lanes, holds);
        break;
    }
}

static void match(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    uint64_t values[32];
    uint32_t result[32];
    for (uint32_t i = 0; i < 32; i++)
        values[i] =
            op->combine ? ((const uint64_t *)ptx_at(warp, op->a))[i] : ((const uint32_t *)ptx_at(warp, op->a))[i];
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t equal = 0;
        for (uint32_t j = 0; j < 32; j++)
            equal |= (uint32_t)(values[j] == values[i]) << j;
        result[i] = equal & lanes;
    }
    if (op->variant) { /* .all */
        uint32_t first = (uint32_t)__builtin_ctz(lanes), same = result[first] == lanes ? lanes : 0;
        give_all(warp, op, lanes, same);
        set_second(warp, op, lanes, same ? ~0u : 0);
        return;
    }
    ptx_blend(ptx_to(warp, op->d), result, 4, lanes);
}

static void reduce(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    const uint32_t *a = ptx_at(warp, op->a);
    uint32_t value = a[__builtin_ctz(lanes)];
    for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
        uint32_t x = a[__builtin_ctz(rest)];
        bool below = op->combine ? (int32_t)x < (int32_t)value : x < value;
        switch (op->variant) {
        case PTX_ATOMIC_ADD:
            value += x;
            break;
        case PTX_ATOMIC_MIN:
            value = below ? x : value;
            break;
        case PTX_ATOMIC_MAX:
            value = below ? value : x;
            break;
        case PTX_ATOMIC_AND:
            value &= x;
            break;
        case PTX_ATOMIC_OR:
            value |= x;
            break;
        default:
            value ^= x;
            break;
        }
    }
    give_all(warp, op, lanes, value);
}

void ptx_execute_together(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    switch (op->kind) {
    case PTX_KIND_SHUFFLE:
        shuffle(warp, op, lanes);
        break;
    case PTX_KIND_VOTE:
        vote(warp, op, lanes);
        break;
    case PTX_KIND_MATCH:
        match(warp, op, lanes);
        break;
    case PTX_KIND_REDUX:
        reduce(warp, op, lanes);
        break;
    case PTX_KIND_ELECT:
        give_all(warp, op, lanes, (uint32_t)__builtin_ctz(lanes));
        set_second(warp, op, lanes, lanes & (0 - lanes));
        break;
    default:
        give_all(warp, op, lanes, warp->stack[warp->depth - 1].mask & lanes);
        break;
    }
}
