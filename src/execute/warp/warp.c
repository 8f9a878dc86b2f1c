/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter loop, and the shortest operations: lanes, predicates, branches. */
#include "execute/warp/frame.h"

#include "execute/warp/meet.h"
#include "execute/warp/paths.h"
#include "execute/warp/turns.h"

#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias)) large_word;

/* ===== the stack ===== */

static void pop(struct execute_warp *warp)
{
    if (!--warp->depth && warp->held_count)
        execute_meet_unstick(warp);
    if (warp->depth) {
        bool alone = warp->depth == 1 && !warp->held_count;
        warp->parted = alone ? 0 : warp->parted;
        warp->shares_frames &= !alone;
        execute_set_frame(warp);
        return;
    }
    warp->status = EXECUTE_ENDED;
    execute_cta_warp_ended(warp);
}

static void push(struct execute_warp *warp, uint32_t pc, uint32_t meet, uint32_t mask, uint32_t frame)
{
    if (warp->depth + warp->set_aside == EXECUTE_STACK_DEPTH) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(mask | 1u << 31), 0);
        return;
    }
    warp->stack[warp->depth++] = (struct execute_stack_entry){pc, meet, mask, frame};
}

/* Splits the running entry: the lanes of `taken` continue at the target, the others at the next operation. Lanes that
 * would continue at the reconvergence point get no entry of their own; they wait in the entry below. */
static void diverge(struct execute_warp *warp, const struct execute_op *op, uint32_t taken, uint32_t target)
{
    struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    uint32_t other = entry->mask & ~taken, next = entry->pc, frame = entry->frame;
    if (entry->meet == op->reconverge) {
        warp->depth--; /* the entry below waits at the same place, for these lanes too */
    } else {
        entry->pc = op->reconverge;
    }
    if (next != op->reconverge)
        push(warp, next, op->reconverge, other, frame);
    if (target != op->reconverge)
        push(warp, target, op->reconverge, taken, frame);
    if (warp->launch->code->names_members)
        warp->parted |= EXECUTE_PARTED_BY_BRANCH;
    execute_set_frame(warp);
}

/* Branches back without a question, after which a warp no longer polls. Paths of machine code that have turns between
 * their question and their branch all ask first, and then all branch. */
static uint32_t quiet_loops(const struct execute_warp *warp)
{
    return EXECUTE_QUIET_LOOPS + (warp->launch->code->paths ? warp->depth : 0);
}

/* Called at every backward branch: counts iterations of a loop that polls memory. */
static void count_polls(struct execute_warp *warp)
{
    warp->polled |= execute_warp_spins(warp);
    warp->quiet = warp->polled ? 0 : warp->quiet + 1;
    bool asks = warp->quiet < quiet_loops(warp); /* a loop with a question may branch back for other reasons, too */
    bool idle = asks && !warp->changed && (warp->polled || warp->idle);
    warp->polls = asks ? warp->polls + warp->polled : 0;
    warp->idle = idle ? warp->idle + warp->polled : 0;
    warp->cta->asked += warp->polled;
    warp->cta->advanced += !idle;
    warp->polled = warp->changed = false;
    uint32_t limit = warp->cta->port->defer ? EXECUTE_POLLS_YIELD_LIVE : EXECUTE_POLLS_YIELD;
    if (warp->quiet || warp->polls % limit != limit - 1)
        return;
    if (warp->meeting.opened)
        execute_meet_take_in(warp);
    if (warp->launch->code->paths)
        execute_paths_rotate(warp);
    else
        execute_turns_yield(warp, warp->polls / limit);
}

static void branch(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    if (lanes == entry->mask)
        entry->pc = op->target;
    else if (lanes)
        diverge(warp, op, lanes, op->target);
    const struct execute_op *ops = warp->launch->code->ops.items;
    if (lanes && op->target <= (uint32_t)(op - ops))
        count_polls(warp);
}

/* Selects the lanes that branch: each for itself, or all lanes together if the guards of all, or of any, hold. */
static void execute_step_branch(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t here = warp->stack[warp->depth - 1].mask;
    lanes = execute_flow_lanes(warp, op, lanes);
    if (op->variant == EXECUTE_BRANCH_ALL)
        lanes = lanes == here ? here : 0;
    else if (op->variant == EXECUTE_BRANCH_ANY)
        lanes = lanes ? here : 0;
    branch(warp, op, lanes);
}

static void execute_step_jump(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (execute_paths_jump(warp, op, lanes))
        count_polls(warp);
}

/* Taken where lanes of the mask in `a` are elsewhere; with `variant`, where all are here. */
static void execute_step_branch_parted(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t mask = lanes ? ((const word *)execute_at(warp, op->a))[__builtin_ctz(lanes)] : 0;
    mask ^= op->flags & EXECUTE_OP_FLIP_A ? ~0u : 0;
    uint32_t here = warp->stack[warp->depth - 1].mask;
    if (op->flags & EXECUTE_OP_READS_C) /* lanes that disagree count as inactive */
        here &= execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0);
    bool parted = mask & warp->lanes & ~here;
    if (parted != (op->variant != 0))
        branch(warp, op, execute_flow_lanes(warp, op, lanes));
}

/* Each target's lanes in turn: the first one's branch off, the others come here again. */
static void execute_step_branch_indexed(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const word *index = execute_at(warp, op->a);
    const uint32_t *targets = (const uint32_t *)warp->launch->code->targets.items + op->target;
    struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    if (!lanes)
        return;
    uint32_t first = index[__builtin_ctz(lanes)], same = 0;
    if (first >= (uint64_t)op->immediate) {
        execute_fault(warp, EXECUTE_FAULT_TARGET, (uint32_t)__builtin_ctz(lanes), first);
        return;
    }
    for (uint32_t i = 0; i < 32; i++)
        same |= (uint32_t)(index[i] == first) << i;
    same &= lanes;
    if (same == entry->mask) {
        entry->pc = targets[first];
        return;
    }
    if (same != lanes)
        entry->pc--; /* the others execute this again */
    diverge(warp, op, same, targets[first]);
}

/* ===== operations that are too short for a file of their own ===== */

/* The comparison of a test, and its contrary, each combined with a predicate. */
static void run_test(const struct execute_warp *warp, const struct execute_op *op, struct execute_words *w)
{
    static const uint32_t combines[] = {EXECUTE_WORDS_AND, EXECUTE_WORDS_AND, 0, EXECUTE_WORDS_XOR};
    w->a = execute_at(warp, op->a);
    w->b = execute_at(warp, op->b);
    w->in[0] = EXECUTE_ALL_LANES;
    if (op->combine)
        w->in[0] = execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0);
    w->modifiers = combines[op->combine] | (uint32_t)(op->immediate >> 32);
    op->words(w);
}

static void execute_step_test(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_words w;
    run_test(warp, op, &w);
    if (op->list_results)
        execute_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, w.out[1]);
    execute_set_mask(warp, op->d, lanes, w.out[0]);
}

static void execute_step_test_to(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_words w;
    uint32_t result[32];
    run_test(warp, op, &w);
    uint32_t upper = op->variant == EXECUTE_FLOAT_TEST_TO_PAIR ? w.out[1] : 0;
    for (uint32_t i = 0; i < 32; i++)
        result[i] =
            (w.out[0] >> i & 1 ? (uint32_t)op->immediate : 0) | (upper >> i & 1 ? (uint32_t)op->immediate << 16 : 0);
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
}

static void execute_step_select(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t chosen = execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0);
    _Alignas(64) unsigned char result[512];
    memcpy(result, execute_at(warp, op->b), 32u * op->size);
    execute_blend(warp, result, execute_at(warp, op->a), op->size, chosen);
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}

static void execute_step_logic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t a = execute_mask_at(warp, op->a) ^ (op->flags & EXECUTE_OP_FLIP_A ? ~0u : 0);
    uint32_t b =
        op->flags & EXECUTE_OP_READS_B ? execute_mask_at(warp, op->b) ^ (op->flags & EXECUTE_OP_FLIP_B ? ~0u : 0) : 0;
    uint32_t results[] = {a & b, a | b, a ^ b, ~a, a};
    execute_set_mask(warp, op->d, lanes, results[op->variant]);
}

/* Registers that no PTX function reads are not set. */
static inline void run_lanes(const struct execute_warp *warp, const struct execute_op *op, void *to)
{
    struct execute_words w;
    w.d = to;
    w.a = execute_at(warp, op->a);
    w.b = op->flags & EXECUTE_OP_READS_B ? execute_at(warp, op->b) : NULL;
    w.c = op->flags & EXECUTE_OP_READS_C ? execute_at(warp, op->c) : NULL;
    w.modifiers = (uint32_t)op->immediate;
    op->words(&w);
}

static __attribute__((noinline)) void run_some_lanes(struct execute_warp *warp, const struct execute_op *op,
                                                     uint32_t lanes)
{
    _Alignas(64) execute_word result[64];
    run_lanes(warp, op, result);
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}

static inline void execute_step_lanes(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (lanes == EXECUTE_ALL_LANES)
        run_lanes(warp, op, execute_to(warp, op->d));
    else if (lanes)
        run_some_lanes(warp, op, lanes);
}

/* Floating point that no unit of 32 or 64 bits does, or that is rounded otherwise than to nearest. */
static void execute_step_float(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (op->variant == EXECUTE_FLOAT_NUMBER)
        execute_step_lanes(warp, op, lanes);
    else if (op->variant == EXECUTE_FLOAT_TEST)
        execute_step_test(warp, op, lanes);
    else
        execute_step_test_to(warp, op, lanes);
}

/* ===== flow, and what notes that memory is asked or changed ===== */

static void execute_step_call(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    execute_call(warp, op, lanes);
    if (warp->status == EXECUTE_RUNNING)
        execute_set_frame(warp);
}

static void execute_step_exit(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    lanes = execute_flow_lanes(warp, op, lanes);
    warp->lanes &= ~lanes;
    execute_cluster_left(warp);
    if (warp->meeting.partly)
        execute_barrier_left(warp);
    for (uint32_t i = 0; i < warp->depth; i++)
        warp->stack[i].mask &= ~lanes;
    if (warp->held_count)
        execute_paths_left(warp);
}

static void execute_step_return(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (warp->frames == 1) {
        execute_step_exit(warp, op, lanes);
    } else {
        execute_return(warp, true);
        pop(warp);
    }
}

static void execute_step_trap(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    (void)op;
    execute_fault(warp, EXECUTE_FAULT_TRAP, (uint32_t)__builtin_ctz(lanes), 0);
}

static void execute_step_surface_store(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    warp->changed = true;
    execute_step_surface(warp, op, lanes);
}

static void execute_step_grid(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    (void)lanes;
    if (port->grid)
        port->grid(port->context, (enum execute_grid)op->variant);
}

static void execute_step_sleep(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    execute_sleeps(warp, op->a, lanes);
}

/* `variant`: more, else fewer. In machine code `d` is a predicate that says that it has been done. */
static void execute_step_registers(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    (void)lanes;
    bool done = !port->registers || port->registers(port->context, op->variant, (uint32_t)op->immediate);
    if (done && (op->flags & EXECUTE_OP_WRITES_D))
        execute_set_mask(warp, op->d, execute_shared_lanes(warp), EXECUTE_ALL_LANES);
}

static void step(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    switch ((enum execute_kind)op->kind) {
#define X(enumerator, name, class, memory, flags, instruction, executor)                                               \
    case EXECUTE_KIND_##enumerator:                                                                                    \
        executor(warp, op, lanes);                                                                                     \
        break;
        EXECUTE_KINDS(X)
#undef X
    case EXECUTE_KIND_COUNT:
        break;
    }
}

void execute_warp_settle(struct execute_warp *warp)
{
    const struct execute_op *ops = warp->launch->code->ops.items;
    while (warp->status == EXECUTE_RUNNING || warp->status == EXECUTE_AT_BARRIER) {
        const struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
        if (entry->pc == entry->meet || !entry->mask)
            pop(warp);
        else if (__builtin_expect(!warp->parted, 1) || !execute_turns_wait(warp, ops))
            return;
    }
}

bool execute_warp_compute(struct execute_warp *warp, uint32_t *lanes)
{
    if (warp->status != EXECUTE_RUNNING || warp->parted)
        return false;
    struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    const struct execute_launch *launch = warp->launch;
    const struct execute_op *op = (const struct execute_op *)launch->code->ops.items + entry->pc;
    bool lane_by_lane = op->kind == EXECUTE_KIND_LANES;
    if ((!lane_by_lane && op->kind != EXECUTE_KIND_WORDS) || entry->pc + 1 == entry->meet)
        return false;
    entry->pc++;
    uint32_t active = entry->mask & (execute_mask_at(warp, op->guard) ^ op->guard_flip);
    *lanes = active;
    if (!active || (launch->bare && op->flags & EXECUTE_OP_VALUE))
        return true;
    if (lane_by_lane)
        execute_step_lanes(warp, op, active);
    else
        execute_step_words(warp, op, active);
    return true;
}

static bool always_steps(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_BRANCH || op->kind == EXECUTE_KIND_RETURN;
}

uint64_t execute_warp_run(struct execute_warp *warp, uint64_t limit)
{
    const struct execute_op *ops = warp->launch->code->ops.items;
    uint8_t left = warp->launch->bare ? EXECUTE_OP_VALUE : 0;
    uint64_t executed = 0;
    while (executed < limit && warp->status == EXECUTE_RUNNING) {
        struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
        if (entry->pc == entry->meet || !entry->mask) {
            pop(warp);
            continue;
        }
        if (__builtin_expect(warp->parted, 0) && execute_turns_wait(warp, ops))
            continue;
        const struct execute_op *op = &ops[entry->pc++];
        uint32_t lanes = entry->mask & (execute_mask_at(warp, op->guard) ^ op->guard_flip);
        executed++;
        if (warp->record) {
            warp->record->op = entry->pc - 1;
            warp->record->mask = lanes;
            warp->record->bytes = warp->record->remote = 0;
        }
        if (op->flags & left) {
            if (lanes && execute_kinds[op->kind].memory != EXECUTE_MEMORY_NONE)
                execute_step_touch(warp, op, lanes);
        } else if (op->kind == EXECUTE_KIND_LANES) { /* the most frequent of PTX */
            execute_step_lanes(warp, op, lanes);
        } else if (op->kind == EXECUTE_KIND_BARRIER) {
            warp->meeting.moved = false;
            if (lanes && execute_meet_concerns(warp, lanes))
                execute_meet(warp, op, lanes);
            else if (lanes && execute_barrier(warp, op, lanes, false))
                break;
        } else if (op->kind == EXECUTE_KIND_WORDS) { /* the most frequent of machine code */
            if (lanes)
                execute_step_words(warp, op, lanes);
        } else if (lanes || always_steps(op)) {
            step(warp, op, lanes);
        }
    }
    return executed;
}
