/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that the lanes of a warp perform together: shuffles; votes, matches and reductions in the forms of machine
 * code. */
#include "execute/warp/frame.h"

static void set_second(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t value)
{
    if (op->list_results)
        execute_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, value);
}

/* ISA 9.0, shfl: c holds the clamp in bits 0-4 and the mask of segments in bits 8-12. An active lane that reads an
 * inactive one gets the content of that lane's register. */
void execute_step_shuffle(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a), *b = execute_at(warp, op->b), *c = execute_at(warp, op->c);
    uint32_t result[32], inside = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t segments = c[lane] >> 8 & 31, clamp = c[lane] & 31, amount = b[lane] & 31;
        uint32_t most = (lane & segments) | (clamp & ~segments), least = lane & segments, source = 0;
        bool good = false;
        switch (op->variant) {
        case EXECUTE_SHUFFLE_UP:
            source = lane - amount;
            good = (int32_t)source >= (int32_t)most;
            break;
        case EXECUTE_SHUFFLE_DOWN:
            source = lane + amount;
            good = source <= most;
            break;
        case EXECUTE_SHUFFLE_BUTTERFLY:
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
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
    set_second(warp, op, lanes, inside);
}

void execute_step_active_mask(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    execute_word result[32];
    for (uint32_t i = 0; i < 32; i++)
        result[i] = lanes;
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
}

/* Lanes that name the same members (ISA 9.0, vote.sync: `membermask`): parts of a warp do this side by side. */
struct group {
    uint32_t lanes;   /* that get the result */
    uint32_t members; /* members that contribute values */
};

/* The group of the first lane of `left`. */
static struct group group_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                             uint32_t left)
{
    struct group group = {left, lanes};
    if (!(op->flags & EXECUTE_OP_READS_B))
        return group;
    const uint32_t *masks = execute_at(warp, op->b);
    uint32_t mask = masks[__builtin_ctz(left)], differ = 0, same = 0;
    for (uint32_t i = 0; i < 32; i++)
        differ |= masks[i] ^ mask;
    for (uint32_t i = 0; i < 32 && differ; i++)
        same |= (uint32_t)(masks[i] == mask) << i;
    return (struct group){differ ? left & same : left, lanes & mask};
}

void execute_step_together(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    bool votes = op->kind == EXECUTE_KIND_VOTE;
    _Alignas(64) execute_word result[32], scratch[32];
    struct execute_words w;
    w.d = result;
    w.a = op->flags & EXECUTE_OP_READS_A && !votes ? execute_at(warp, op->a) : NULL;
    w.in[0] = votes ? execute_mask_at(warp, op->a) ^ (op->flags & EXECUTE_OP_FLIP_A ? ~0u : 0) : 0;
    w.modifiers = (uint32_t)op->immediate;
    w.predicates = scratch;
    for (uint32_t left = lanes; left;) {
        struct group group = group_of(warp, op, lanes, left);
        w.lanes = group.members;
        op->words(&w);
        if (op->size)
            execute_blend(warp, execute_to(warp, op->d), result, 4, group.lanes);
        else
            execute_set_mask(warp, op->d, group.lanes, w.out[0]);
        set_second(warp, op, group.lanes, w.out[0]);
        left &= ~group.lanes;
    }
}
