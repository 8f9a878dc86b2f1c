/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One cycle of a sub-core: an instruction is fetched for one warp (fetch.c), and one ready warp issues. Every cycle's
 * issue slot is counted under what became of it; cycles in which nothing can happen are not visited, and their slots
 * are counted in bulk under the class of the last visit, because nothing that decides the execution has changed since.
 * Which of the ready warps issues is a matter of schedulers/.
 */
#include "base/bits.h"
#include "base/range.h"
#include "gpu/sm/async_units.h"
#include "gpu/sm/depend_inline.h"
#include "gpu/sm/events.h"
#include "gpu/sm/fetch_inline.h"
#include "gpu/sm/live.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/sm/reevaluate.h"
#include "gpu/sm/steady_touch.h"
#include "gpu/sm/steady_weight.h"

#include <string.h>

static uint64_t bit(uint32_t place)
{
    return UINT64_C(1) << place;
}

/* ===== issue slots ===== */

static enum sm_slot classify(const struct sm_subcore *s)
{
    if (!s->resident)
        return SM_SLOT_IDLE;
    if (s->stalls.mask[SM_STALL_NONE])
        return s->operands.times.free > s->slots.accounted ? SM_SLOT_OPERANDS : SM_SLOT_PIPE;
    if (s->stalls.mask[SM_STALL_TIMER])
        return SM_SLOT_DEPENDENCE;
    if (s->stalls.mask[SM_STALL_MEMORY])
        return SM_SLOT_MEMORY;
    if (s->stalls.mask[SM_STALL_FETCH])
        return SM_SLOT_FETCH;
    if (s->stalls.mask[SM_STALL_BARRIER] | s->stalls.mask[SM_STALL_FENCE])
        return SM_SLOT_BARRIER;
    return SM_SLOT_DRAINED;
}

/* ===== pipes ===== */

/* Cycles that an instruction of a class keeps its pipe; 0 where the machine has no such unit. */
static void find_cycles(struct sm_pipes *pipes, const struct sm_parameters *p)
{
    for (uint32_t execution = 0; execution < MNP_CLASS_COUNT; execution++) {
        uint64_t lanes = p->execution[execution].lanes;
        pipes->cycles[0][execution] = lanes ? (MNP_WARP_SIZE + lanes - 1) / lanes : 0;
        pipes->odd_classes |= (uint32_t)(lanes == 0) << execution;
    }
    pipes->product_cycles = (p->imad_wide - 1) * pipes->cycles[0][MNP_CLASS_IMAD];
    pipes->odd_classes |= UINT32_C(1) << MNP_CLASS_TENSOR | (uint32_t)(p->fp64_shared != 0) << MNP_CLASS_FP64 |
                          (uint32_t)(p->half_on_fp32 != 0) << MNP_CLASS_HALF |
                          (uint32_t)(p->special_source != 0) << MNP_CLASS_SPECIAL;
}

void sm_issue_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_pipes *pipes = &sm->pipes;
    find_cycles(pipes, p);
    for (uint32_t execution = 0; execution < MNP_CLASS_COUNT; execution++)
        pipes->pipe[0][execution] = execution;
    pipes->pipe[0][MNP_CLASS_IMAD] = p->imad_pipe == SM_IMAD_ON_FP32 ? MNP_CLASS_FP32 : MNP_CLASS_INT;
    if (p->convert_on_sfu)
        pipes->pipe[0][MNP_CLASS_CONVERT] = MNP_CLASS_SFU;
    memcpy(pipes->pipe[1], pipes->pipe[0], sizeof pipes->pipe[1]);
    memcpy(pipes->cycles[1], pipes->cycles[0], sizeof pipes->cycles[1]);
    if (p->fp32_on_int) {
        pipes->pipe[1][MNP_CLASS_FP32] = MNP_CLASS_INT;
        pipes->cycles[1][MNP_CLASS_FP32] = pipes->cycles[0][MNP_CLASS_INT];
    }
    sm->operand_reads = sm_operands_free_reads(p);
    for (uint32_t i = 0; i < p->subcores; i++) {
        sm_slots_become(&sm->state->subcore[i].slots, SM_SLOT_IDLE);
        sm->subcore_next[i] = MNP_NEVER;
    }
}

/* Earliest cycle in which a class's pipe, or the other one that takes its instructions, is free. */
static inline uint64_t pipe_free(const struct sm *sm, const struct sm_subcore *s, uint64_t execution)
{
    uint64_t first = s->issue.pipe_free[sm->pipes.pipe[0][execution]];
    uint64_t second = s->issue.pipe_free[sm->pipes.pipe[1][execution]];
    return first < second ? first : second;
}

/* A unit that sub-cores share: returns the cycles that the instruction waits in front of it. Its sub-core's latch is
 * occupied meanwhile, so that each sub-core has at most one instruction waiting, and those are served in order of
 * issue. */
static uint64_t take_shared(struct sm *sm, struct sm_subcore *s, uint32_t execution, uint64_t cycle)
{
    uint64_t start = sm->state->issue.fp64_free > cycle ? sm->state->issue.fp64_free : cycle;
    sm->state->issue.fp64_free = start + sm->pipes.cycles[0][execution];
    s->issue.pipe_free[sm->pipes.pipe[0][execution]] = start > cycle ? start : cycle + 1;
    return start - cycle;
}

/* Arithmetic of half precision on the pipe of another class (conversions have their own): the instruction waits for it
 * in a latch, one at a time, which is where issue sees whether there is room. Returns the cycles that the instruction
 * waits. */
static uint64_t take_multiplier(const struct sm_pipes *pipes, struct sm_subcore *s,
                                const struct mnp_static_instruction *instruction, uint64_t *counters, uint64_t cycle)
{
    uint32_t pipe = instruction->matrix ? MNP_CLASS_FP64 : MNP_CLASS_FP32;
    uint64_t start = mnp_max(s->issue.pipe_free[pipe], cycle), cycles = pipes->cycles[0][MNP_CLASS_HALF];
    s->issue.pipe_free[pipe] = start + cycles;
    s->issue.pipe_free[MNP_CLASS_HALF] = mnp_max(start, cycle + 1);
    counters[SM_PIPE_FIRST + pipe] += cycles;
    return start - cycle;
}

/* The user's error: the program has an instruction that this machine has no unit for. */
static void fault_missing_unit(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                               uint64_t cycle)
{
    const struct mnp_kernel *kernel = sm->codes[sm->warps[warp].cta.slot].kernel;
    const char *name = sm_class_names[instruction->class];
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             "kernel %u (%s): %s at PC %#x needs the execution class %s, which this machine lacks; set "
             "sm.%s.lanes or use another machine",
             kernel->id, kernel->name, sm->device->source->opcode_name(sm->device->source, instruction->opcode),
             instruction->pc, name, name);
    mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
}

/* Occupies the pipe, the second one when the first is not free, for as long as the instruction takes there. */
static inline void take_pipe(const struct sm_pipes *pipes, struct sm_subcore *s, uint32_t execution, uint64_t cycles,
                             uint64_t *counters, uint64_t cycle)
{
    uint32_t pipe = pipes->pipe[0][execution];
    bool busy = s->issue.pipe_free[pipe] > cycle;
    pipe = busy ? pipes->pipe[1][execution] : pipe;
    cycles = busy ? pipes->cycles[1][execution] : cycles;
    s->issue.pipe_free[pipe] = cycle + cycles;
    counters[SM_PIPE_FIRST + pipe] += cycles;
}

/* Cycles that a matrix instruction keeps its pipe, from those of HMMA.16816. Products of doubles have a rate of their
 * own. */
static uint64_t product_cycles(const struct sm_parameters *p, const struct mnp_static_instruction *instruction,
                               uint64_t cycles)
{
    if (mnp_operand_bits(instruction) == 64 && instruction->products) {
        uint64_t products = UINT64_C(1) << (instruction->products - 1); /* each is two operations */
        return (p->subcores * products + p->tensor_fp64 - 1) / p->tensor_fp64;
    }
    return (cycles * instruction->tensor_cycles + 3) / 4;
}

/* Occupies the pipe of an instruction of a class that is special. Returns the cycles that the instruction is late. */
static __attribute__((noinline)) uint64_t take_odd_pipe(struct sm *sm, struct sm_subcore *s, uint32_t warp,
                                                        const struct mnp_static_instruction *instruction,
                                                        uint64_t cycle)
{
    uint32_t execution = instruction->class;
    uint64_t cycles = sm->pipes.cycles[0][execution];
    if (!cycles)
        fault_missing_unit(sm, warp, instruction, cycle);
    if (execution == MNP_CLASS_FP64 && sm->parameters->fp64_shared) {
        sm->views[warp].counters[SM_PIPE_FIRST + MNP_CLASS_FP64] += cycles;
        return take_shared(sm, s, execution, cycle);
    }
    if (execution == MNP_CLASS_HALF && sm->parameters->half_on_fp32 && instruction->group != MNP_GROUP_OTHER)
        return take_multiplier(&sm->pipes, s, instruction, sm->views[warp].counters, cycle);
    if (execution == MNP_CLASS_SPECIAL)
        mnp_raise(&cycles, sm->parameters->special_source * instruction->source_count);
    if (execution == MNP_CLASS_TENSOR && instruction->tensor_cycles)
        cycles = product_cycles(sm->parameters, instruction, cycles);
    take_pipe(&sm->pipes, s, execution, cycles, sm->views[warp].counters, cycle);
    return 0;
}

/* Ready warps whose pipe is free. Which pipes are busy cannot be predicted by the host: there is no branch on it. */
static uint64_t candidates(const struct sm *sm, const struct sm_subcore *s, uint64_t cycle)
{
    uint64_t ready = s->stalls.mask[SM_STALL_NONE], held = 0;
    if (!ready || s->operands.times.free > cycle)
        return 0;
    uint64_t classes = s->stalls.ready_classes; /* there are some */
    if (classes >> MNP_CLASS_MEMORY & 1 && !sm_lsu_has_room(sm, s))
        held = s->stalls.of_class[MNP_CLASS_MEMORY];
    do {
        uint64_t execution = (uint64_t)__builtin_ctzll(classes);
        uint64_t busy = pipe_free(sm, s, execution) > cycle;
        held |= s->stalls.of_class[execution] & (0 - busy);
        classes &= classes - 1;
    } while (classes);
    return ready & ~held;
}

/* Counts arithmetic operations, for rooflines, and parts of divisions of integers. */
static void count_arithmetic(uint64_t *counters, const struct mnp_static_instruction *instruction, uint64_t lanes)
{
    if (instruction->class == MNP_CLASS_TENSOR)
        counters[SM_MATRIX_OPERATIONS] += instruction->products && lanes ? UINT64_C(1) << instruction->products : 0;
    else if (instruction->group != MNP_GROUP_OTHER)
        counters[SM_GROUP_FIRST + instruction->group - 1] += lanes;
}

static void count(uint64_t *counters, const struct mnp_record *record, const struct mnp_static_instruction *instruction)
{
    const uint32_t arithmetic = 1u << MNP_CLASS_FP32 | 1u << MNP_CLASS_HALF | 1u << MNP_CLASS_FP64 |
                                1u << MNP_CLASS_CONVERT | 1u << MNP_CLASS_IMAD | 1u << MNP_CLASS_TENSOR;
    uint64_t lanes = MNP_WARP_SIZE;
    if (record->mask != UINT32_MAX) {
        lanes = mnp_ones(record->mask);
        counters[SM_ZERO_MASK] += lanes == 0;
    }
    counters[SM_WARP_INSTRUCTIONS]++;
    counters[SM_CLASS_FIRST + instruction->class]++;
    counters[SM_LANES_FIRST + instruction->class] += lanes;
    counters[SM_THREAD_INSTRUCTIONS] += lanes;
    if (arithmetic >> instruction->class & 1)
        count_arithmetic(counters, instruction, lanes);
}

/* Whether the instruction goes to the memory pipeline: a constant load, or one without addresses, does not. */
static bool accesses_memory(const struct mnp_static_instruction *instruction, const struct mnp_record *record)
{
    return instruction->class == MNP_CLASS_MEMORY && instruction->space != MNP_SPACE_CONSTANT &&
           (record->address_words || (instruction->space == MNP_SPACE_TEXTURE && record->mask));
}

/* A live warp executes its next instruction, which may have commands for async units. */
static const struct mnp_record *issue_live(struct sm *sm, uint32_t warp, struct sm_warp *w, struct sm_warp_view *view,
                                           uint64_t cycle)
{
    const struct mnp_static_instruction *instruction =
        &view->instructions[sm_record_elsewhere(view, w->issue.next)->index];
    const struct mnp_record *record = instruction->simple ? sm_live_compute(sm, warp, view, cycle) : NULL;
    if (record)
        return record;
    if (__builtin_expect(sm_async_units_concern(instruction->class), 0))
        sm_async_units_prepare(sm, warp, instruction->class);
    record = sm_live_issue(sm, warp, w, view, cycle);
    if (record && sm->live->commands)
        sm_async_units_take(sm, warp, cycle);
    return record;
}

/* The record of the instruction that is to issue; a live warp executes it now. NULL: that was not possible. */
static inline const struct mnp_record *record_of(struct sm *sm, uint32_t warp, struct sm_warp *w,
                                                 struct sm_warp_view *view, uint64_t cycle)
{
    if (__builtin_expect(!view->records && view->live, 0))
        return issue_live(sm, warp, w, view, cycle);
    sm_progress(sm);
    return sm_record(view, w->issue.next);
}

/* An instruction goes to the memory pipeline, `wait` cycles late. */
static inline void issue_memory(struct sm *sm, uint32_t subcore, uint32_t warp,
                                const struct mnp_static_instruction *instruction, uint64_t wait, uint64_t cycle)
{
    sm_scoreboard_set(sm->views[warp].ready, instruction->destination, SM_PENDING << SM_PIPE_BITS);
    sm_lsu_accept(sm, subcore, warp, instruction, cycle + wait);
    sm_depend_issued(sm, warp, instruction, MNP_NEVER, cycle);
}

#define MAYBE_UNUSED __attribute__((unused)) /* no stage of the machine may take instructions */

/* A stage takes the instruction: it is outstanding, as one of the memory pipeline. */
MAYBE_UNUSED static inline void begin_outstanding(struct sm *sm, uint32_t warp, struct sm_warp *w,
                                                  const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    sm_scoreboard_set(sm->views[warp].ready, instruction->destination, SM_PENDING << SM_PIPE_BITS);
    sm_cta_access(&w->cta);
    sm_depend_issued(sm, warp, instruction, MNP_NEVER, cycle);
}

/* Whether there are stages that take instructions, simple ones too. */
enum {
    SM_STAGES_TAKE = 0
#define SM_STAGE_TAKES(TAKES, HAS_ROOM, ISSUE) +1
#include "gpu/sm/stages/rows.h"
};

/* Gives the instruction to the stage that takes it. False: none does. */
static inline bool issue_to_stage(struct sm *sm, uint32_t warp, struct sm_warp *w, const struct mnp_record *record,
                                  const struct mnp_static_instruction *instruction, uint64_t cycle)
{
#define SM_STAGE_TAKES(TAKES, HAS_ROOM, ISSUE)                                                                         \
    if (__builtin_expect(TAKES(sm->parameters, instruction), 0)) {                                                     \
        begin_outstanding(sm, warp, w, instruction, cycle);                                                            \
        ISSUE(sm, warp, instruction, record, cycle);                                                                   \
        return true;                                                                                                   \
    }
#include "gpu/sm/stages/rows.h"
    (void)sm, (void)warp, (void)w, (void)record, (void)instruction, (void)cycle; /* unused without such stages */
    return false;
}

MAYBE_UNUSED static inline const struct mnp_static_instruction *next_instruction(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    return &view->instructions[sm_record(view, sm->warps[warp].issue.next)->index];
}

/* Whether the stage that takes the warp's next instruction has no room for it. The warp then waits for some. */
static inline bool is_refused(struct sm *sm, uint32_t warp)
{
#define SM_STAGE_TAKES(TAKES, HAS_ROOM, ISSUE)                                                                         \
    if (__builtin_expect(TAKES(sm->parameters, next_instruction(sm, warp)) && !HAS_ROOM(sm), 0)) {                     \
        sm_stall_put(&sm_subcore_of(sm, warp)->stalls, &sm->warps[warp].stall, sm_bit_of(sm, warp), SM_STALL_MEMORY);  \
        sm->state->issue.refused[warp / 64] |= UINT64_C(1) << warp % 64;                                               \
        return true;                                                                                                   \
    }
#include "gpu/sm/stages/rows.h"
    (void)sm, (void)warp;
    return false;
}

/* An instruction of fixed latency issues, `wait` cycles late. */
static inline void issue_fixed(struct sm *sm, uint32_t warp, struct sm_warp *w, const struct sm_warp_view *view,
                               const struct mnp_static_instruction *instruction, uint64_t wait, uint64_t cycle)
{
    const struct sm_scoreboard *scoreboard = &sm->dependence.scoreboard;
    uint64_t result = scoreboard->result[instruction->class];
    if (instruction->space == MNP_SPACE_CONSTANT) {
        result = sm_constant_issue(sm, w, view->counters, cycle + wait) << SM_PIPE_BITS;
    } else if (instruction->space == MNP_SPACE_SHARED && instruction->class == MNP_CLASS_SPECIAL) {
        result = sm->parameters->phase_latency << SM_PIPE_BITS;
    }
    result += (cycle + wait) << SM_PIPE_BITS;
    sm_scoreboard_set(view->ready, instruction->destination, result);
    if (instruction->flags & MNP_FLAG_PREDICATE)
        sm_scoreboard_set_predicates(scoreboard, &w->dependence.scoreboard, instruction, result, cycle + wait);
    if (view->slow)
        sm_depend_issued(sm, warp, instruction, result >> SM_PIPE_BITS, cycle);
}

/* With ideal.local, an access to local memory is one to registers: what it loads can be read in the next cycle. False:
 * it accesses another memory. */
static __attribute__((noinline)) bool issue_ideal(struct sm *sm, uint32_t warp, const struct sm_warp_view *view,
                                                  const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    const uint64_t *words = view->live
                                ? sm->live->accesses[sm->live->state->free].words
                                : sm_addresses(view, sm->warps[warp].issue.next, sm->warps[warp].issue.address_at);
    if (sm_lsu_space(sm, warp, instruction, words) != MNP_SPACE_LOCAL)
        return false;
    sm_scoreboard_set(sm->views[warp].ready, instruction->destination, (cycle + 1) << SM_PIPE_BITS);
    if (view->slow)
        sm_depend_issued(sm, warp, instruction, cycle + 1, cycle);
    return true;
}

/* The warp goes on: its buffer has room again. A taken branch leads it elsewhere. */
static inline void go_on(const struct sm *sm, struct sm_subcore *s, struct sm_warp *w, const struct sm_warp_view *view,
                         const struct mnp_record *record, uint64_t bit, uint64_t cycle)
{
    w->issue.next++;
    w->issue.address_at += record->address_words;
    if (!sm_buffer_issued(&s->buffers, &w->buffer, bit, w->issue.next, view->count))
        return;
    bool jumped = !view->live || sm->live->jumped;
    sm_buffer_redirect(&w->buffer, jumped ? cycle + sm->parameters->branch_latency : cycle);
}

/* A barrier has issued, or a fence, which may end a group of copies. Returns whether the warp waits there. */
static bool reach_barrier(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                          uint64_t cycle)
{
    if (!(instruction->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE))) {
        if (sm_depend_ends_group(instruction))
            sm_copies_close(sm, warp);
        return false;
    }
    sm->views[warp].counters[SM_BARRIERS]++;
    return sm->views[warp].live ? sm_live_barrier(sm, warp, cycle) : sm_barrier_reach(sm, warp, instruction, cycle);
}

/* Cycles that an instruction of no odd class keeps its pipe, where it is the first of those that it may take. */
static inline uint64_t pipe_cycles(const struct sm_pipes *pipes, const struct mnp_static_instruction *instruction)
{
    uint64_t cycles = pipes->cycles[0][instruction->class];
    if (__builtin_expect(instruction->destination.count > 1, 0) && instruction->class == MNP_CLASS_IMAD)
        cycles += pipes->product_cycles;
    return cycles;
}

/* Lets an instruction that occupies a pipe alone execute, `wait` cycles late: its result has a fixed latency. */
static inline void issue_simple(struct sm *sm, uint32_t warp, const struct sm_warp_view *view,
                                const struct mnp_static_instruction *instruction, uint64_t wait, uint64_t cycle)
{
    const struct sm_scoreboard *scoreboard = &sm->dependence.scoreboard;
    uint64_t result = scoreboard->result[instruction->class] + ((cycle + wait) << SM_PIPE_BITS);
    sm_scoreboard_set(view->ready, instruction->destination, result);
    if (view->slow)
        sm_depend_issued(sm, warp, instruction, result >> SM_PIPE_BITS, cycle);
}

/* Gives an instruction that may do more to the stage or pipeline that it is for, `wait` cycles late. */
static inline void issue_other(struct sm *sm, uint32_t subcore, uint32_t warp, const struct sm_warp_view *view,
                               const struct mnp_record *record, const struct mnp_static_instruction *instruction,
                               uint64_t wait, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    bool given = issue_to_stage(sm, warp, w, record, instruction, cycle + wait);
    bool memory = !given && accesses_memory(instruction, record);
    if (__builtin_expect(memory && sm->parameters->ideal_local, 0))
        given = issue_ideal(sm, warp, view, instruction, cycle + wait);
    if (!given && memory)
        issue_memory(sm, subcore, warp, instruction, wait, cycle);
    else if (!given)
        issue_fixed(sm, warp, w, view, instruction, wait, cycle);
}

static inline void issue(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint32_t place,
                         struct sm_warp_view *view, const struct mnp_record *record, uint64_t cycle)
{
    struct sm_warp *w = view->warp;
    uint32_t warp = view->number;
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    uint32_t execution = instruction->class;
    count(view->counters, record, instruction);
    if (GPU_HEARS(sm, sm.issued))
        gpu_tell_issued(&sm->listeners, sm, warp, record, cycle);
    uint64_t wait = 0;
    if (__builtin_expect(sm->pipes.odd_classes >> execution & 1, 0))
        wait = take_odd_pipe(sm, s, warp, instruction, cycle);
    else
        take_pipe(&sm->pipes, s, execution, pipe_cycles(&sm->pipes, instruction), view->counters, cycle);
    if (sm_operands_may_wait(sm, s, view, instruction, cycle))
        wait += sm_operands_read(sm, subcore, warp, instruction, cycle);
    bool simple = instruction->simple && !SM_STAGES_TAKE;
    if (simple)
        issue_simple(sm, warp, view, instruction, wait, cycle);
    else
        issue_other(sm, subcore, warp, view, record, instruction, wait, cycle);
    uint32_t silent = view->silent | (execution == MNP_CLASS_BRANCH); /* its lanes say nothing of the next one */
    sm_scoreboard_set_active(&w->dependence.scoreboard, record->mask & (silent - 1));
    go_on(sm, s, w, view, record, bit(place), cycle);
    if (w->issue.next == view->count)
        sm_cta_warp_ended(sm, warp, cycle);
    else if (simple || !(instruction->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE | MNP_FLAG_FENCE)) ||
             !reach_barrier(sm, warp, instruction, cycle))
        sm_depend_next(sm, s, view, w, bit(place), cycle + 1);
}

/* Whether a stage takes the instruction, which then does more than execute. */
static bool goes_to_stage(const struct sm *sm, const struct mnp_static_instruction *instruction)
{
#define SM_STAGE_TAKES(TAKES, HAS_ROOM, ISSUE)                                                                         \
    if (TAKES(sm->parameters, instruction))                                                                            \
        return true;
#include "gpu/sm/stages/rows.h"
    (void)sm, (void)instruction;
    return false;
}

/* Whether a live warp's next instruction has what it needs: values from the L2, room on the way there, a fence what it
 * covers. */
static bool may_pass(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    if (sm_live_waits(sm, warp))
        return false;
    if (instruction->class == MNP_CLASS_MEMORY && !sm_lsu_has_room(sm, sm_subcore_of(sm, warp)))
        return false;
    uint32_t flags = instruction->flags & (MNP_FLAG_FENCE | MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE);
    return flags != MNP_FLAG_FENCE || !sm_depend_fence_holds(sm, warp, instruction, cycle);
}

/* The same as record_of, but a live warp need not give the addresses of its accesses, unless the L2 performs them or is
 * told of them. */
static const struct mnp_record *pass_record(struct sm *sm, uint32_t warp, bool told, uint64_t cycle)
{
    if (!sm->views[warp].live || told)
        return record_of(sm, warp, &sm->warps[warp], &sm->views[warp], cycle);
    sm->live->core.passes = true;
    const struct mnp_record *record = record_of(sm, warp, &sm->warps[warp], &sm->views[warp], cycle);
    sm->live->core.passes = false;
    return record;
}

uint32_t sm_issue_pass_row(struct sm *sm, uint32_t warp, struct mnp_live_row *row, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    if (!view->live || view->live->polls || sm_live_waits(sm, warp))
        return 0;
    sm_live_row(sm, warp, row, cycle);
    for (uint32_t i = 0; i < row->count; i++) {
        const struct mnp_record record = {.mask = row->done[i].mask};
        count(view->counters, &record, &view->instructions[row->done[i].index]);
    }
    view->counters[SM_STEADY_INSTRUCTIONS] += row->count;
    if (row->told)
        sm_steady_tell(sm, warp, &view->instructions[row->done[row->count - 1].index], cycle);
    w->issue.next += row->count;
    return row->count;
}

enum sm_passed sm_issue_pass(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    const struct mnp_static_instruction *instruction = &view->instructions[sm_record(view, w->issue.next)->index];
    if (goes_to_stage(sm, instruction) || (view->live && view->live->polls))
        return SM_NEVER_PASSED;
    if (view->live && !may_pass(sm, warp, instruction, cycle))
        return SM_NOT_PASSED;
    bool told = sm_steady_tells(sm, instruction);
    const struct mnp_record *record = pass_record(sm, warp, told, cycle);
    if (!record)
        return SM_NOT_PASSED;
    count(view->counters, record, instruction);
    view->counters[SM_STEADY_INSTRUCTIONS]++;
    if (view->live && sm_live_executed_at_l2(sm) && accesses_memory(instruction, record))
        issue_memory(sm, sm->subcore_of[warp], warp, instruction, 0, cycle);
    else if (view->live && told)
        sm_steady_tell(sm, warp, instruction, cycle);
    w->issue.next++;
    w->issue.address_at += record->address_words;
    if (w->issue.next == view->count) {
        sm_cta_warp_ended(sm, warp, cycle);
        return SM_PASSED_LAST;
    }
    bool barrier = instruction->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE | MNP_FLAG_FENCE);
    return barrier && reach_barrier(sm, warp, instruction, cycle) ? SM_PASSED_LAST : SM_PASSED;
}

/* The next cycle in which a sub-core has something to do whose buffers are full. */
static inline uint64_t next_cycle(const struct sm *sm, const struct sm_subcore *s, uint64_t cycle)
{
    uint64_t next = sm_stall_next_timer(&s->stalls, cycle), operands = s->operands.times.free;
    if (s->stalls.ready_classes && operands > cycle) /* the class of the slot may change there, if nothing issues */
        return operands < next ? operands : next;
    for (uint32_t classes = s->stalls.ready_classes; classes; classes &= classes - 1) {
        uint32_t execution = (uint32_t)__builtin_ctz(classes);
        if (execution == MNP_CLASS_MEMORY && !sm_lsu_has_room(sm, s))
            continue; /* the memory pipeline wakes the sub-core when it has room again */
        uint64_t free = pipe_free(sm, s, execution);
        free = free > cycle ? free : cycle + 1;
        next = free < next ? free : next;
    }
    return next;
}

/* Sees to the timers of cycle `cycle`; there are some. */
static inline void see_to_timers(struct sm *sm, struct sm_subcore *s, struct sm_warp_view *views, uint64_t cycle)
{
    for (uint64_t due = sm_stall_take_timers(&s->stalls, cycle); due; due &= due - 1) {
        const struct sm_warp_view *view = sm_view_at(sm, views, (uint32_t)__builtin_ctzll(due));
        const struct sm_depend_view *depend = &view->depend;
        struct sm_warp *w = view->warp;
        if (__builtin_expect(w->stall.why == SM_STALL_TIMER && depend->sure, 1))
            sm_stall_release(&s->stalls, &w->stall, due & (0 - due), depend->sure - 1u);
        else if (w->stall.why == SM_STALL_TIMER && depend->slowly && depend->at <= cycle)
            sm_stall_release(&s->stalls, &w->stall, due & (0 - due), depend->slowly - 1u);
        else
            sm_reevaluate_timer(sm, view->number, cycle);
    }
}

/* One of the ready warps issues. */
static inline void issue_one(struct sm *sm, struct sm_subcore *s, struct sm_warp_view *views, uint32_t subcore,
                             uint64_t ready, uint64_t *counters, uint64_t cycle)
{
    uint64_t scheduler = sm->parameters->scheduler;
    uint32_t place;
    if (__builtin_expect(scheduler >= SM_SCHEDULERS, 0)) {
        place = sm_parts_choose(sm, subcore, ready, cycle);
        if (place == SM_NO_PLACE)
            return;
    } else {
        place = sm_scheduler_choose(&s->scheduler, scheduler, ready, s->issue.last);
    }
    struct sm_warp_view *view = sm_view_at(sm, views, place);
    if (is_refused(sm, view->number))
        return;
    struct sm_warp *w = view->warp;
    const struct mnp_record *record = record_of(sm, view->number, w, view, cycle);
    s->issue.last = place;
    if (record) {
        sm_slots_issued(&s->slots, counters, cycle);
        issue(sm, s, subcore, place, view, record, cycle);
    } else if (w->stall.why != SM_STALL_BARRIER) { /* the live warp has to try again later */
        sm_reevaluate(sm, view->number, cycle + 1);
    }
}

/* Counts the slots before `cycle`. */
static inline void account(struct sm_slots *slots, uint64_t *counters, uint64_t cycle)
{
    if (slots->accounted != cycle)
        sm_slots_account(slots, counters, cycle);
}

static inline void run_subcore(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint64_t *counters,
                               uint64_t cycle)
{
    struct sm_warp_view *views = sm->views + subcore;
    account(&s->slots, counters, cycle);
    if (sm_stall_timers_due(&s->stalls, cycle))
        see_to_timers(sm, s, views, cycle);
    if (s->buffers.room)
        sm_fetch_instruction(sm, s, views, subcore, cycle);
    bool asks = sm_fetch_may_ask(sm, s);
    if (asks) {
        sm_fetch_ask(sm, subcore, cycle);
        asks = sm_fetch_may_ask(sm, s);
    }
    uint64_t ready = candidates(sm, s, cycle);
    if (ready)
        issue_one(sm, s, views, subcore, ready, counters, cycle);
    uint64_t next = s->buffers.room || asks ? cycle + 1 : next_cycle(sm, s, cycle);
    sm->subcore_next[subcore] = next;
    if (s->slots.accounted != next || next >= sm->stay_end) /* otherwise no slot is left before the next visit */
        sm_slots_become(&s->slots, classify(s));
}

/* The cycle of all sub-cores that have something to do in it, or of all. Returns the next one in which any has. */
static inline uint64_t run_subcores(struct sm *sm, uint64_t cycle, bool all)
{
    uint64_t *counters = mnp_counters(sm->unit, sm->state->cta.owner); /* the CTA may end with what issues here */
    uint64_t next = MNP_NEVER;
    uint32_t subcores = (uint32_t)sm->parameters->subcores;
    struct sm_subcore *s = sm->state->subcore;
    sm->subcores_due = MNP_NEVER;
    for (uint32_t i = 0; i < subcores; i++, s++) {
        uint64_t *due = &sm->subcore_next[i];
        if (*due <= cycle || all)
            run_subcore(sm, s, i, counters, cycle);
        next = *due < next ? *due : next; /* a sub-core wakes no other one in the same cycle */
    }
    next = next < sm->subcores_due ? next : sm->subcores_due;
    sm->subcores_due = next;
    return next;
}

/* Whether the sub-cores alone have something to do in cycle `next` and in those before it. */
static inline bool are_alone(const struct sm *sm, uint64_t next)
{
    return sm->often_due > next && sm->seldom_due > next && !(sm->recheck[0] | sm->recheck[1]);
}

uint64_t sm_issue_cycles(struct sm *sm, uint64_t cycle, uint64_t end)
{
    bool all = sm->unit->no_skip, alone = !all && !GPU_HEARS(sm, sm.visited);
    if (sm_is_passing(sm)) {
        sm->subcores_due = MNP_NEVER;
        return cycle;
    }
    for (;;) {
        uint64_t next = run_subcores(sm, cycle, all);
        if (!alone || next >= end || !are_alone(sm, next))
            return cycle;
        sm_note_progress(sm, cycle);
        cycle = next;
        mnp_visit(sm->unit, cycle);
    }
}
