/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One cycle of a sub-core: an instruction is fetched for one warp (fetch.c), and one ready warp issues. Every cycle's
 * issue slot is counted under what became of it; cycles in which nothing can happen are not visited, and their slots
 * are counted in bulk under the class of the last visit, because nothing that decides the class has changed since.
 *
 * Policies: greedy then oldest, loose round robin (Rogers et al., MICRO 2012), and the hardware's greedy then youngest
 * (CGGTY: Huerta et al., arXiv 2503.20481).
 */
#include "gpu/sm/depend.h"
#include "gpu/sm/fetch.h"
#include "gpu/sm/live.h"

static uint64_t bit(uint32_t place)
{
    return UINT64_C(1) << place;
}

static uint32_t oldest(const struct sm_subcore *s, uint64_t mask)
{
    uint32_t place = (uint32_t)__builtin_ctzll(mask);
    while (mask & s->older[place]) {
        mask &= s->older[place];
        place = (uint32_t)__builtin_ctzll(mask);
    }
    return place;
}

static uint32_t last_place(uint64_t mask)
{
    return 63 - (uint32_t)__builtin_clzll(mask);
}

/* Warps mostly start in the order of their places: the last is tried first. */
static uint32_t youngest(const struct sm_subcore *s, uint64_t mask)
{
    uint32_t place = last_place(mask);
    while (mask & s->younger[place]) {
        mask &= s->younger[place];
        place = last_place(mask);
    }
    return place;
}

/* ===== issue slots ===== */

static enum sm_slot classify(const struct sm_subcore *s)
{
    if (!s->resident)
        return SM_SLOT_IDLE;
    if (s->hold[SM_HOLD_NONE])
        return s->operands_free > s->accounted ? SM_SLOT_OPERANDS : SM_SLOT_PIPE;
    if (s->hold[SM_HOLD_TIMER])
        return SM_SLOT_DEPENDENCE;
    if (s->hold[SM_HOLD_MEMORY])
        return SM_SLOT_MEMORY;
    if (s->hold[SM_HOLD_FETCH])
        return SM_SLOT_FETCH;
    if (s->hold[SM_HOLD_BARRIER] | s->hold[SM_HOLD_FENCE])
        return SM_SLOT_BARRIER;
    return SM_SLOT_DRAINED;
}

/* ===== issue ===== */

/* Earliest cycle in which a class's pipe, or the other one that takes its instructions, is free. */
static inline uint64_t pipe_free(const struct sm *sm, const struct sm_subcore *s, uint32_t class)
{
    uint64_t first = s->pipe_free[sm->pipe[0][class]], second = s->pipe_free[sm->pipe[1][class]];
    return first < second ? first : second;
}

/* A unit that sub-cores share: returns the cycles that the instruction waits in front of it. Its sub-core's latch is
 * occupied meanwhile, so that each sub-core has at most one instruction waiting, and those are served in order of
 * issue. */
static uint64_t take_shared(struct sm *sm, struct sm_subcore *s, uint32_t class, uint64_t cycle)
{
    uint64_t start = sm->state->fp64_free > cycle ? sm->state->fp64_free : cycle;
    sm->state->fp64_free = start + sm->interval[class];
    s->pipe_free[sm->pipe[0][class]] = start > cycle ? start : cycle + 1;
    return start - cycle;
}

/* The user's error: the program has an instruction that this machine has no unit for. */
static void fault_missing_unit(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                               uint64_t cycle)
{
    const struct mnp_kernel *kernel = sm->codes[sm->warps[warp].cta].kernel;
    const char *class = sm_class_names[instruction->class];
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             "kernel %u (%s): %s at PC %#x needs the execution class %s, which this machine lacks; set "
             "sm.%s.lanes or use another machine",
             kernel->id, kernel->name, sm->device->source->opcode_name(sm->device->source, instruction->opcode),
             instruction->pc, class, class);
    mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
}

/* Occupies the pipe, the second one when the first is not free, for as long as the instruction takes there. */
static inline void take_pipe(const struct sm *sm, struct sm_subcore *s, uint32_t class, uint64_t cycles,
                             uint64_t second_cycles, uint64_t cycle)
{
    uint32_t pipe = sm->pipe[0][class];
    bool busy = s->pipe_free[pipe] > cycle;
    pipe = busy ? sm->pipe[1][class] : pipe;
    s->pipe_free[pipe] = cycle + (busy ? second_cycles : cycles);
}

/* The same for the classes that are special. Returns the cycles that the instruction is late. */
static __attribute__((noinline)) uint64_t take_odd_pipe(struct sm *sm, struct sm_subcore *s, uint32_t warp,
                                                        const struct mnp_static_instruction *instruction,
                                                        uint64_t cycle)
{
    uint32_t class = instruction->class;
    uint64_t cycles = sm->interval[class];
    if (!cycles)
        fault_missing_unit(sm, warp, instruction, cycle);
    if (class == MNP_CLASS_FP64 && sm->parameters->fp64_shared)
        return take_shared(sm, s, class, cycle);
    if (class == MNP_CLASS_TENSOR && instruction->tensor_cycles)
        cycles = (cycles * instruction->tensor_cycles + 3) / 4;
    take_pipe(sm, s, class, cycles, sm->second_interval[class], cycle);
    return 0;
}

/* Ready warps whose pipe is free. Which pipes are busy cannot be predicted by the host: there is no branch on it. */
static uint64_t candidates(const struct sm *sm, const struct sm_subcore *s, uint64_t cycle)
{
    uint64_t ready = s->hold[SM_HOLD_NONE];
    if (!ready || s->operands_free > cycle)
        return 0;
    if (s->ready_classes >> MNP_CLASS_MEMORY & 1 && !sm_lsu_has_room(sm, s))
        ready &= ~s->class_mask[MNP_CLASS_MEMORY];
    for (uint32_t classes = s->ready_classes; classes; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        uint64_t busy = pipe_free(sm, s, class) > cycle;
        ready &= ~(s->class_mask[class] & (0 - busy));
    }
    return ready;
}

static uint32_t choose(const struct sm *sm, const struct sm_subcore *s, uint64_t ready)
{
    if (sm->parameters->scheduler == SM_LRR)
        return sm_round_robin(ready, s->last_issued);
    if (ready & bit(s->last_issued))
        return s->last_issued;
    return sm->parameters->scheduler == SM_GTO ? oldest(s, ready) : youngest(s, ready);
}

/* The host cannot predict whether there is a destination: where there is none, a register keeps its value. */
static void set_ready(struct sm *sm, uint32_t warp, struct mnp_registers range, uint64_t word)
{
    uint64_t *registers = sm->register_ready + (size_t)warp * SM_REGISTERS + range.first;
    uint64_t some = 0 - (uint64_t)(range.count > 0);
    registers[0] = (word & some) | (registers[0] & ~some);
    for (uint32_t i = 1; i < range.count; i++)
        registers[i] = word;
}

/* Compilers let a branch, or an instruction with a guard, follow 12 or 13 cycles behind the comparison, however short
 * the latency of its class; one that has the predicate among its operands is as near as to any result. `result`: the
 * word of the results. */
static void write_predicates(const struct sm *sm, struct sm_warp *w, const struct mnp_static_instruction *instruction,
                             uint64_t result, uint64_t cycle)
{
    uint64_t ready = cycle + sm->parameters->predicate_latency, own = result >> SM_PIPE_BITS;
    ready = own > ready ? own : ready;
    if (instruction->flags & MNP_FLAG_BRANCH)
        return;
    w->last_predicate = result;
    if (ready > w->predicates)
        w->predicates = ready;
}

static void count(uint64_t *counters, const struct mnp_record *record, uint32_t class)
{
    counters[SM_WARP_INSTRUCTIONS]++;
    counters[SM_CLASS_FIRST + class]++;
    if (record->mask == UINT32_MAX) {
        counters[SM_THREAD_INSTRUCTIONS] += MNP_WARP_SIZE;
        return;
    }
    counters[SM_THREAD_INSTRUCTIONS] += (uint64_t)__builtin_popcount(record->mask);
    counters[SM_ZERO_MASK] += record->mask == 0;
}

/* Whether the instruction goes to the memory pipeline: a constant load, or one without addresses, does not. */
static bool accesses_memory(const struct mnp_static_instruction *instruction, const struct mnp_record *record)
{
    return instruction->class == MNP_CLASS_MEMORY && instruction->space != MNP_SPACE_CONSTANT &&
           (record->address_words || (instruction->space == MNP_SPACE_TEXTURE && record->mask));
}

/* The record of the instruction that is to issue; a live warp executes it now. NULL: that was not possible. */
static inline const struct mnp_record *record_of(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t next = sm->warps[warp].next;
    if (__builtin_expect(!view->records && view->live, 0))
        return sm_live_issue(sm, warp, cycle);
    sm->progressed = true;
    return sm_record(view, next);
}

static inline void issue(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint32_t place,
                         const struct mnp_record *record, uint64_t cycle)
{
    uint32_t warp = sm_warp_of(sm, subcore, place);
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    uint32_t class = instruction->class;
    count(view->counters, record, class);
    uint64_t wait = 0;
    if (__builtin_expect(sm->odd_classes >> class & 1, 0))
        wait = take_odd_pipe(sm, s, warp, instruction, cycle);
    else
        take_pipe(sm, s, class, sm->interval[class], sm->second_interval[class], cycle);
    if (sm_operands_may_wait(sm, s, view, instruction, cycle))
        wait += sm_operands_read(sm, subcore, warp, instruction, cycle);
    if (accesses_memory(instruction, record)) {
        set_ready(sm, warp, instruction->destination, SM_PENDING << SM_PIPE_BITS);
        sm_lsu_accept(sm, s, subcore, warp, instruction->space == MNP_SPACE_SHARED, cycle + wait);
        sm_depend_sent(sm, warp, instruction, cycle);
    } else {
        uint64_t result = sm->result[class];
        if (instruction->space == MNP_SPACE_CONSTANT) {
            result = sm->parameters->constant_latency << SM_PIPE_BITS;
            view->counters[SM_CONSTANT_ACCESSES]++;
        }
        result += (cycle + wait) << SM_PIPE_BITS;
        set_ready(sm, warp, instruction->destination, result);
        if (instruction->flags & MNP_FLAG_PREDICATE)
            write_predicates(sm, w, instruction, result, cycle + wait);
        if (view->use_control)
            sm_control_issued(sm, warp, instruction, result >> SM_PIPE_BITS, cycle);
    }
    w->active = record->mask & (0 - (uint32_t)!(view->slow | (class == MNP_CLASS_BRANCH)));
    w->next++;
    w->address_at += record->address_words;
    sm_fetch_refill(sm, s, w, view, bit(place), cycle);
    if (w->next == view->count)
        sm_cta_warp_ended(sm, warp, cycle);
    else if (instruction->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE))
        sm_cta_barrier(sm, warp, instruction, cycle);
    else
        sm_depend_next(sm, s, warp, w, bit(place), cycle + 1);
}

/* The next cycle in which a sub-core has something to do whose buffers are full. */
static inline uint64_t next_cycle(const struct sm *sm, const struct sm_subcore *s, uint64_t cycle)
{
    uint64_t next = sm_depend_next_timer(s, cycle);
    for (uint32_t classes = s->ready_classes; classes; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        if (class == MNP_CLASS_MEMORY && !sm_lsu_has_room(sm, s))
            continue; /* the memory pipeline wakes the sub-core when it has room again */
        uint64_t free = pipe_free(sm, s, class);
        if (s->operands_free > cycle)
            free = s->operands_free; /* the class of the slot may change there */
        free = free > cycle ? free : cycle + 1;
        next = free < next ? free : next;
    }
    return next;
}

static inline void run_subcore(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint64_t *counters,
                               uint64_t cycle)
{
    sm_issue_account(s, counters, cycle);
    if (s->timer_slots >> (cycle % SM_TIMER_SLOTS) & 1)
        sm_depend_timers(sm, s, subcore, cycle);
    if (s->room)
        sm_fetch_instruction(sm, s, subcore, cycle);
    if (sm_fetch_may_ask(sm, s))
        sm_fetch_ask(sm, subcore, cycle);
    uint64_t ready = candidates(sm, s, cycle);
    if (ready) {
        uint32_t place = choose(sm, s, ready);
        const struct mnp_record *record = record_of(sm, sm_warp_of(sm, subcore, place), cycle);
        s->last_issued = (uint16_t)place;
        if (record) {
            counters[SM_ISSUE_SLOT_FIRST + SM_SLOT_ISSUED]++;
            counters[SM_ISSUE_SLOTS]++;
            s->accounted = cycle + 1;
            issue(sm, s, subcore, place, record, cycle);
        }
    }
    s->slot_class = (uint16_t)classify(s);
    bool again = s->room || sm_fetch_may_ask(sm, s);
    sm->subcore_next[subcore] = again ? cycle + 1 : next_cycle(sm, s, cycle);
}

uint64_t sm_issue_cycle(struct sm *sm, uint64_t cycle)
{
    uint64_t *counters = mnp_counters(sm->unit, sm->state->owner); /* the CTA may end with what issues here */
    uint64_t next = MNP_NEVER;
    uint32_t subcores = (uint32_t)sm->parameters->subcores;
    struct sm_subcore *s = sm->state->subcore;
    for (uint32_t i = 0; i < subcores; i++, s++) {
        if (sm->subcore_next[i] <= cycle || sm->unit->no_skip)
            run_subcore(sm, s, i, counters, cycle);
        next = sm->subcore_next[i] < next ? sm->subcore_next[i] : next; /* what one does wakes no other in its cycle */
    }
    return next;
}

void sm_issue_wake(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    uint64_t *next = &sm->subcore_next[sm->subcore_of[warp]];
    if (cycle < *next)
        *next = cycle;
}
