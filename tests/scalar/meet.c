/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where threads wait for one another.
 *
 * .sync operations: "the executing thread waits until all non-exited threads corresponding to membermask have
 * executed the operation with the same qualifiers and same membermask value" (shfl.sync, vote.sync, match.sync,
 * redux.sync, elect.sync, bar.warp.sync). The manual does not ask for the same place.
 *
 * barrier: "causes the executing thread to wait for all non-exited threads from its warp and marks warps' arrival at
 * the barrier"; sync and red wait "for non-exited threads of all other warps participating in the barrier to arrive".
 * A count is a multiple of the warp's size.
 */
#include "thread.h"

#include <string.h>

static struct thread *lane_of(const struct thread *thread, unsigned lane)
{
    unsigned index = thread->index / LANES * LANES + lane;
    return index < thread->block->count ? &thread->block->threads[index] : NULL;
}

/* ===== operations of a warp's members ===== */

struct meeting {
    uint32_t present; /* lanes that perform the operation together */
    struct thread *members[LANES];
    uint64_t values[LANES]; /* of operand 1 */
};

/* Returns whether every member is there or has exited. */
static bool gather(struct thread *thread, struct meeting *meeting)
{
    const struct scalar_instruction *instruction = thread_instruction(thread);
    memset(meeting, 0, sizeof *meeting);
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct thread *other = thread->mask >> lane & 1 ? lane_of(thread, lane) : NULL;
        if (!other || other->state == THREAD_EXITED)
            continue;
        if (other->state != THREAD_AT_WARP || other->mask != thread->mask ||
            thread_instruction(other)->name != instruction->name)
            return false;
        meeting->present |= 1u << lane;
        meeting->members[lane] = other;
        if (instruction->count > 1)
            meeting->values[lane] = thread_value(other, &thread_instruction(other)->operands[1]);
    }
    return true;
}

static void shuffle(const struct meeting *meeting, unsigned lane)
{
    struct thread *thread = meeting->members[lane];
    const struct scalar_instruction *instruction = thread_instruction(thread);
    uint32_t b = (uint32_t)thread_value(thread, &instruction->operands[2]) & 31;
    uint32_t c = (uint32_t)thread_value(thread, &instruction->operands[3]);
    uint32_t segment = c >> 8 & 31, clamp = c & 31, first = lane & segment, last = first | (clamp & ~segment & 31);
    int j;
    bool inside;
    switch (instruction->words[1]) {
    case WORD_UP:
        j = (int)lane - (int)b;
        inside = j >= (int)last;
        break;
    case WORD_DOWN:
        j = (int)(lane + b);
        inside = j <= (int)last;
        break;
    case WORD_BFLY:
        j = (int)(lane ^ b);
        inside = j <= (int)last;
        break;
    default:
        j = (int)(first | (b & ~segment));
        inside = j <= (int)last;
        break;
    }
    if (!inside)
        j = (int)lane;
    uint64_t found = meeting->present >> j & 1 ? meeting->values[j] : 0xbadbadbad; /* else the manual leaves it open */
    thread_set_second(thread, &instruction->operands[0], inside);
    thread_set(thread, &instruction->operands[0], instruction->type, found);
}

static void vote(const struct meeting *meeting, unsigned lane)
{
    struct thread *thread = meeting->members[lane];
    const struct scalar_instruction *instruction = thread_instruction(thread);
    uint32_t ballot = 0;
    for (unsigned i = 0; i < LANES; i++)
        ballot |= (uint32_t)(meeting->values[i] & 1) << i;
    bool any = ballot != 0, all = ballot == meeting->present;
    enum scalar_word how = instruction->words[1];
    uint64_t result = how == WORD_BALLOT ? ballot : how == WORD_ANY ? any : how == WORD_ALL ? all : all || !any;
    thread_set(thread, &instruction->operands[0], instruction->type, result);
}

static void match(const struct meeting *meeting, unsigned lane)
{
    struct thread *thread = meeting->members[lane];
    const struct scalar_instruction *instruction = thread_instruction(thread);
    uint32_t equal = 0;
    for (unsigned i = 0; i < LANES; i++)
        if (meeting->present >> i & 1 && meeting->values[i] == meeting->values[lane])
            equal |= 1u << i;
    bool all = equal == meeting->present;
    if (instruction->words[0] == WORD_ALL) {
        equal = all ? equal : 0;
        thread_set_second(thread, &instruction->operands[0], all);
    }
    thread_set(thread, &instruction->operands[0], TYPE_U32, equal);
}

static void reduce(const struct meeting *meeting, unsigned lane)
{
    struct thread *thread = meeting->members[lane];
    const struct scalar_instruction *instruction = thread_instruction(thread);
    unsigned first = (unsigned)__builtin_ctz(meeting->present);
    uint64_t result = meeting->values[first];
    for (unsigned i = first + 1; i < LANES; i++)
        if (meeting->present >> i & 1)
            result = arithmetic_reduce(instruction->words[1], instruction->type, result, meeting->values[i]);
    thread_set(thread, &instruction->operands[0], instruction->type, result);
}

/* Which member is elected is left open: programs must not depend on it. The highest is, where hardware takes the
 * lowest. */
static void elect(const struct meeting *meeting, unsigned lane)
{
    struct thread *thread = meeting->members[lane];
    const struct scalar_instruction *instruction = thread_instruction(thread);
    unsigned leader = 31 - (unsigned)__builtin_clz(meeting->present);
    thread_set_second(thread, &instruction->operands[0], lane == leader);
    thread_set(thread, &instruction->operands[0], TYPE_U32, leader);
}

static void perform(struct thread *thread)
{
    struct meeting meeting;
    enum scalar_operation operation = thread_instruction(thread)->operation;
    if (!gather(thread, &meeting))
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(meeting.present >> lane & 1))
            continue;
        if (operation == SCALAR_SHFL)
            shuffle(&meeting, lane);
        else if (operation == SCALAR_VOTE)
            vote(&meeting, lane);
        else if (operation == SCALAR_MATCH)
            match(&meeting, lane);
        else if (operation == SCALAR_REDUX)
            reduce(&meeting, lane);
        else if (operation == SCALAR_ELECT)
            elect(&meeting, lane);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        if (meeting.present >> lane & 1)
            thread_go(meeting.members[lane]);
}

void meet_warp(struct thread *thread)
{
    const struct scalar_instruction *instruction = thread_instruction(thread);
    thread->mask = (uint32_t)thread_value(thread, &instruction->operands[instruction->count - 1]);
    if (!(thread->mask >> thread->lane & 1))
        run_fail(thread, "lane %u is no member of mask 0x%08x", thread->lane, thread->mask);
    thread_wait(thread, THREAD_AT_WARP);
    perform(thread);
}

/* ===== barriers of a block ===== */

static enum scalar_word barrier_kind(const struct thread *thread)
{
    return thread_instruction((struct thread *)thread)->words[0];
}

static bool at_barrier(const struct thread *thread, unsigned barrier)
{
    return thread->state == THREAD_AT_BARRIER && thread->barrier == barrier;
}

/* Lanes of a warp that have not exited, and those of them that wait at a barrier. */
static uint32_t alive(const struct block *block, unsigned warp)
{
    uint32_t lanes = 0;
    for (unsigned i = warp * LANES; i < block->count && i < (warp + 1) * LANES; i++)
        lanes |= (uint32_t)(block->threads[i].state != THREAD_EXITED) << i % LANES;
    return lanes;
}

static uint32_t waiting(const struct block *block, unsigned warp, unsigned barrier)
{
    uint32_t lanes = 0;
    for (unsigned i = warp * LANES; i < block->count && i < (warp + 1) * LANES; i++)
        lanes |= (uint32_t)at_barrier(&block->threads[i], barrier) << i % LANES;
    return lanes;
}

/* Marks a warp's arrival, once all of its threads have come; those that only arrive go on. */
static void arrive(struct block *block, unsigned warp, unsigned barrier)
{
    uint32_t lanes = alive(block, warp);
    if (!lanes || waiting(block, warp, barrier) != lanes || block->arrived[barrier] >> warp & 1)
        return;
    block->arrived[barrier] |= 1u << warp;
    for (unsigned i = warp * LANES; i < block->count && i < (warp + 1) * LANES; i++)
        if (at_barrier(&block->threads[i], barrier) && barrier_kind(&block->threads[i]) == WORD_ARRIVE)
            thread_go(&block->threads[i]);
}

static bool complete(const struct block *block, unsigned barrier, unsigned threads)
{
    if (threads)
        return (unsigned)__builtin_popcount(block->arrived[barrier]) * LANES >= threads;
    for (unsigned warp = 0; warp * LANES < block->count; warp++)
        if (alive(block, warp) && !(block->arrived[barrier] >> warp & 1))
            return false;
    return true;
}

static const struct scalar_operand *predicate_of(struct thread *thread)
{
    const struct scalar_instruction *instruction = thread_instruction(thread);
    return &instruction->operands[instruction->count - 1];
}

static void give_reduction(struct thread *thread, unsigned held, unsigned all)
{
    const struct scalar_instruction *instruction = thread_instruction(thread);
    enum scalar_word how = instruction->words[1];
    if (instruction->words[0] == WORD_RED)
        thread_set(thread, &instruction->operands[0], instruction->type,
                   how == WORD_POPC  ? held
                   : how == WORD_AND ? held == all
                                     : held > 0);
}

static void settle(struct block *block, unsigned barrier)
{
    unsigned threads = 0, held = 0, all = 0;
    for (unsigned warp = 0; warp * LANES < block->count; warp++)
        arrive(block, warp, barrier);
    for (unsigned i = 0; i < block->count; i++) {
        struct thread *thread = &block->threads[i];
        if (!at_barrier(thread, barrier))
            continue;
        threads = thread->threads;
        all++;
        held += barrier_kind(thread) == WORD_RED && thread_value(thread, predicate_of(thread));
    }
    if (!all || !block->arrived[barrier] || !complete(block, barrier, threads))
        return;
    block->arrived[barrier] = 0;
    for (unsigned i = 0; i < block->count; i++) {
        if (!at_barrier(&block->threads[i], barrier))
            continue;
        give_reduction(&block->threads[i], held, all);
        thread_go(&block->threads[i]);
    }
}

/* ===== barriers of a cluster ===== */

static void settle_cluster(struct thread *thread)
{
    unsigned size = thread->run->launch->cluster;
    struct block *first = &thread->run->blocks[thread->block->number / size * size];
    for (struct block *block = first; block < first + size; block++)
        for (unsigned i = 0; i < block->count; i++)
            if (block->threads[i].state != THREAD_EXITED && !block->threads[i].cluster_arrived)
                return;
    for (struct block *block = first; block < first + size; block++)
        for (unsigned i = 0; i < block->count; i++) {
            block->threads[i].cluster_arrived = false;
            if (block->threads[i].state == THREAD_AT_CLUSTER)
                thread_go(&block->threads[i]);
        }
}

/* arrive marks the thread; wait waits until the mark is taken away, as all have theirs. */
static void meet_cluster(struct thread *thread)
{
    if (thread_instruction(thread)->words[1] == WORD_ARRIVE) {
        thread->cluster_arrived = true;
        thread->frames[thread->depth].pc++;
        settle_cluster(thread);
    } else if (thread->cluster_arrived) {
        thread_wait(thread, THREAD_AT_CLUSTER);
    } else {
        thread->frames[thread->depth].pc++;
    }
}

void meet_barrier(struct thread *thread)
{
    const struct scalar_instruction *instruction = thread_instruction(thread);
    unsigned result = instruction->words[0] == WORD_RED;
    if (instruction->words[0] == WORD_WARP) {
        meet_warp(thread);
        return;
    }
    if (instruction->words[0] == WORD_CLUSTER) {
        meet_cluster(thread);
        return;
    }
    thread->barrier = (unsigned)thread_value(thread, &instruction->operands[result]);
    thread->threads = 0;
    if (instruction->count > 2 * result + 1)
        thread->threads = (unsigned)thread_value(thread, &instruction->operands[result + 1]);
    if (thread->barrier >= BARRIERS || thread->threads % LANES)
        run_fail(thread, "barrier %u of %u threads", thread->barrier, thread->threads);
    thread_wait(thread, THREAD_AT_BARRIER);
    settle(thread->block, thread->barrier);
}

void meet_exit(struct thread *thread)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct thread *other = lane_of(thread, lane);
        if (other && other->state == THREAD_AT_WARP && other->mask >> thread->lane & 1)
            perform(other);
    }
    for (unsigned barrier = 0; barrier < BARRIERS; barrier++)
        settle(thread->block, barrier);
    settle_cluster(thread);
}
