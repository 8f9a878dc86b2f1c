/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lanes of a warp do together: shuffles, votes, matches, reductions. */
#include "execute/lanes/lane_math.h"
#include "execute/warp/frame.h"

#include <string.h>

static void set_second(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t value)
{
    if (op->list_results)
        execute_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, value);
}

/* ISA 9.0, shfl: c holds the clamp in bits 0-4 and the mask of segments in bits 8-12. A lane that takes part and reads
 * one that does not gets what that one's register holds. */
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

static void give_all(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t value)
{
    uint32_t result[32];
    for (uint32_t i = 0; i < 32; i++)
        result[i] = value;
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
}

/* Lanes that name the same members (ISA 9.0, vote.sync: `membermask`): parts of a warp do this side by side. */
struct group {
    uint32_t lanes;   /* that get the result */
    uint32_t members; /* whose values it is of */
};

/* The group of the first lane of `left`. */
static struct group group_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                             uint32_t left)
{
    struct group group = {left, lanes};
    if (!(op->flags & EXECUTE_OP_READS_B))
        return group;
    const uint32_t *masks = execute_at(warp, op->b);
    uint32_t mask = masks[__builtin_ctz(left)], same = 0;
    for (uint32_t i = 0; i < 32; i++)
        same |= (uint32_t)(masks[i] == mask) << i;
    return (struct group){left & same, lanes & mask};
}

static void vote(struct execute_warp *warp, const struct execute_op *op, struct group group)
{
    uint32_t all = group.members;
    uint32_t holds = (execute_mask_at(warp, op->a) ^ (op->flags & EXECUTE_OP_FLIP_A ? ~0u : 0)) & all;
    switch (op->variant) {
    case EXECUTE_VOTE_ALL:
        execute_set_mask(warp, op->d, group.lanes, holds == all ? ~0u : 0);
        break;
    case EXECUTE_VOTE_ANY:
        execute_set_mask(warp, op->d, group.lanes, holds ? ~0u : 0);
        break;
    case EXECUTE_VOTE_UNIFORM:
        execute_set_mask(warp, op->d, group.lanes, holds == all || !holds ? ~0u : 0);
        break;
    default:
        give_all(warp, op, group.lanes, holds);
        break;
    }
}

static void match(struct execute_warp *warp, const struct execute_op *op, struct group group)
{
    uint64_t values[32];
    uint32_t result[32];
    for (uint32_t i = 0; i < 32; i++)
        values[i] = op->combine ? ((const uint64_t *)execute_at(warp, op->a))[i]
                                : ((const uint32_t *)execute_at(warp, op->a))[i];
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t equal = 0;
        for (uint32_t j = 0; j < 32; j++)
            equal |= (uint32_t)(values[j] == values[i]) << j;
        result[i] = equal & group.members;
    }
    if (op->variant) { /* .all */
        uint32_t all = group.members, same = all && result[__builtin_ctz(all)] == all ? all : 0;
        give_all(warp, op, group.lanes, same);
        set_second(warp, op, group.lanes, same ? ~0u : 0);
        return;
    }
    execute_blend(warp, execute_to(warp, op->d), result, 4, group.lanes);
}

static uint32_t combined(enum execute_atomic_operation operation, bool is_signed, uint32_t value, uint32_t x)
{
    bool below = is_signed ? (int32_t)x < (int32_t)value : x < value;
    switch (operation) {
    case EXECUTE_ATOMIC_ADD:
        return value + x;
    case EXECUTE_ATOMIC_MIN:
        return below ? x : value;
    case EXECUTE_ATOMIC_MAX:
        return below ? value : x;
    case EXECUTE_ATOMIC_AND:
        return value & x;
    case EXECUTE_ATOMIC_OR:
        return value | x;
    default:
        return value ^ x;
    }
}

/* redux.sync of .f32: the least or the greatest. */
static uint32_t extreme_of(const struct execute_op *op, const uint32_t *values, uint32_t members)
{
    uint32_t how = (op->variant == EXECUTE_ATOMIC_MAX ? EXTREME_MOST : 0) |
                   (op->immediate & EXECUTE_REDUX_SIZES ? EXTREME_SIZE : 0) |
                   (op->immediate & EXECUTE_REDUX_NAN ? EXTREME_NAN : 0);
    float value = members ? extreme_input(float_of(values[__builtin_ctz(members)]), how) : 0;
    for (uint32_t rest = members; rest; rest &= rest - 1)
        value = extreme_of_two(value, extreme_input(float_of(values[__builtin_ctz(rest)]), how), how);
    return bits_of(value);
}

static void reduce(struct execute_warp *warp, const struct execute_op *op, struct group group)
{
    const uint32_t *a = execute_at(warp, op->a);
    if (op->immediate & EXECUTE_REDUX_SINGLE) {
        give_all(warp, op, group.lanes, extreme_of(op, a, group.members));
        return;
    }
    uint32_t value = group.members ? a[__builtin_ctz(group.members)] : 0;
    for (uint32_t rest = group.members & (group.members - 1); rest; rest &= rest - 1)
        value = combined((enum execute_atomic_operation)op->variant, op->combine, value, a[__builtin_ctz(rest)]);
    give_all(warp, op, group.lanes, value);
}

static void elect(struct execute_warp *warp, const struct execute_op *op, struct group group)
{
    give_all(warp, op, group.lanes, group.members ? (uint32_t)__builtin_ctz(group.members) : 0);
    set_second(warp, op, group.lanes, group.members & (0 - group.members));
}

static void execute_group(struct execute_warp *warp, const struct execute_op *op, struct group group)
{
    switch (op->kind) {
    case EXECUTE_KIND_VOTE:
        vote(warp, op, group);
        break;
    case EXECUTE_KIND_MATCH:
        match(warp, op, group);
        break;
    case EXECUTE_KIND_REDUX:
        reduce(warp, op, group);
        break;
    default:
        elect(warp, op, group);
        break;
    }
}

void execute_step_active_mask(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    give_all(warp, op, lanes, warp->stack[warp->depth - 1].mask & lanes);
}

void execute_step_together(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    for (uint32_t left = lanes; left;) {
        struct group group = group_of(warp, op, lanes, left);
        execute_group(warp, op, group);
        left &= ~group.lanes;
    }
}
