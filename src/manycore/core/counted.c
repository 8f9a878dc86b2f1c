/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads in loops that are only counted. Around a load stand loops: stretches from a target of a branch back to that
 * branch. A fixed point over such a stretch says which registers, and whether the flags, may depend on what the load
 * brought. If no branch of any of its loops does, the number of turns is the same whatever the load brings, so that no
 * core can wait there for another value. What is not known (computed jumps, code without a loop) counts as depending.
 */
#include "manycore/core/counted.h"

#include <string.h>

enum { LONGEST = 128, FLAGS = 1 << 16, CALLER_SAVED = 0x500F }; /* instructions of a loop; beside 16 registers */

/* Data processing, but for what writes the pc. */
static bool is_data(const struct a32_op *op)
{
    return op->handler < A32_DATA_TO_PC;
}

/* A comparison, which writes the flags alone. */
static bool is_test(const struct a32_op *op)
{
    uint32_t opcode = op->handler / 8;
    return is_data(op) && opcode >= A32_TST && opcode <= A32_CMN;
}

/* Registers that an instruction writes for certain, if it is executed. */
static uint32_t written(const struct a32_op *op)
{
    uint32_t flags = is_data(op) && op->handler % 2 ? FLAGS : 0, pair = op->flags & A32_DOUBLE ? 3 : 1;
    if (is_data(op))
        return flags | (is_test(op) ? 0 : 1u << op->d);
    if (op->handler == A32_BLOCK)
        return op->mix == A32_CLASS_LOAD ? op->value : 0;
    return op->mix == A32_CLASS_LOAD ? pair << op->d : 0;
}

/* Registers that may depend on those that it reads, the flags among these. */
static uint32_t depending(const struct a32_op *op)
{
    bool moves = op->mix == A32_CLASS_LOAD || op->mix == A32_CLASS_STORE;
    if (is_data(op) || moves)
        return written(op) | (moves && op->flags & A32_WRITE_BACK ? 1u << op->n : 0);
    return 1u << op->d | 1u << op->n | FLAGS | (op->flags & A32_DOUBLE ? 2u << op->d : 0);
}

/* Whether the flags decide what an instruction does: by its condition, the carry, or otherwise. */
static bool reads_flags(const struct a32_op *op)
{
    uint32_t opcode = op->handler / 8;
    bool carries = opcode == A32_ADC || opcode == A32_SBC || opcode == A32_RSC;
    bool rotates = op->handler / 2 % 4 == A32_SHIFTED && op->shift == 3;
    return op->condition != 14 || (is_data(op) && (carries || rotates)) || op->handler == A32_SELECT ||
           op->handler == A32_MRS;
}

static bool is_call(const struct a32_op *op)
{
    return op->handler == A32_BRANCH_LINK || op->handler == A32_BRANCH_LINK_EXCHANGE;
}

/* Whether an instruction may go elsewhere than to the next one. */
static bool branches(const struct a32_op *op)
{
    return op->handler == A32_BRANCH || op->handler == A32_DATA_TO_PC || op->handler == A32_BRANCH_EXCHANGE ||
           is_call(op) || (op->handler == A32_BLOCK && op->mix == A32_CLASS_LOAD && op->value >> 15) ||
           (op->handler == A32_TRANSFER && op->mix == A32_CLASS_LOAD && op->d == 15);
}

/* A return goes out of the loop; elsewhere a computed jump may lead anywhere. */
static bool is_known(const struct a32_op *op)
{
    return !branches(op) || op->handler == A32_BRANCH || is_call(op) || op->handler == A32_BLOCK ||
           (op->handler == A32_BRANCH_EXCHANGE && op->m == 14);
}

/* Registers that may depend on the load behind an instruction, by those that do before it: a bit each. */
static uint32_t pass(const struct a32_op *op, uint32_t before)
{
    bool depends = (op->uses & before) || (reads_flags(op) && (before & FLAGS));
    if (is_call(op))
        return before & 15 ? before | CALLER_SAVED | FLAGS : before;
    if (depends)
        return before | depending(op);
    return op->condition == 14 ? before & ~written(op) : before;
}

/* The place in a stretch to which a branch leads; `count` and more: out of the loop. */
static uint32_t target_of(const struct manycore_code *code, const struct a32_op *op)
{
    return (op->value - code->address) / 4;
}

/* Whether a branch of the loop from `first` to `last` depends on what the load at `load` brings. */
static bool loop_depends(const struct manycore_code *code, uint32_t first, uint32_t last, uint32_t load)
{
    uint32_t before[LONGEST + 1] = {0};
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = first; i <= last; i++) {
            const struct a32_op *op = &code->ops[i];
            uint32_t in = before[i - first], out = pass(op, in) | (i == load ? written(op) : 0), next[2];
            bool leaves = branches(op) && !is_call(op);
            if (leaves && ((reads_flags(op) && (in & FLAGS)) || (op->uses & in) || !is_known(op)))
                return true;
            next[0] = leaves && op->condition == 14 ? UINT32_MAX : i + 1;
            next[1] = op->handler == A32_BRANCH ? target_of(code, op) : UINT32_MAX;
            for (uint32_t k = 0; k < 2; k++) {
                if (next[k] < first || next[k] > last)
                    continue;
                changes |= (before[next[k] - first] | out) != before[next[k] - first];
                before[next[k] - first] |= out;
            }
        }
    }
    return false;
}

/* Whether the branch at `last` ends a loop around a load, which then begins at `first`. */
static bool ends_loop(const struct manycore_code *code, uint32_t load, uint32_t last, uint32_t *first)
{
    const struct a32_op *op = &code->ops[last];
    *first = target_of(code, op);
    return op->handler == A32_BRANCH && *first <= load && last - *first < LONGEST;
}

/* Whether there is a loop around a load that a branch may leave, and no branch of any such loop depends on it. */
static bool is_counted(const struct manycore_code *code, uint32_t load)
{
    bool any = false, leaves = false;
    for (uint32_t last = load, first; last < code->words && last - load < LONGEST; last++) {
        if (!ends_loop(code, load, last, &first))
            continue;
        if (loop_depends(code, first, last, load))
            return false;
        any = true;
        for (uint32_t i = first; i <= last; i++)
            leaves |= branches(&code->ops[i]) && !is_call(&code->ops[i]) && code->ops[i].condition != 14;
    }
    return any && leaves;
}

void manycore_mark_counted(struct manycore_code *code)
{
    for (uint32_t i = 0; i < code->words; i++) {
        struct a32_op *op = &code->ops[i];
        if (op->mix == A32_CLASS_LOAD && !branches(op) && is_counted(code, i))
            op->flags |= A32_COUNTED;
    }
}
