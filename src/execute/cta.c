/* SPDX-License-Identifier: BSD-3-Clause */
/* CTAs: their warps' blocks, special registers, barriers, calls, and what is said about a fault. */
#include "execute/warp.h"

#include "base/allocate.h"
#include "base/demangle.h"
#include "execute/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGISTER_STACK = 16,           /* frames of the largest function that fit */
    LOCAL_STACK_BYTES = 16 * 1024, /* of local memory per thread beyond the kernel's own frame */
    TURN = 4096,                   /* operations of a warp, until the next one's turn */
    POLLING_TURN = 64,
    SLICE = 1 << 16, /* of a CTA that asks memory in loops, until the next one's: it may wait in ways not known here */
};

static uint32_t largest_frame(const struct execute_code *code)
{
    uint32_t bytes = 0;
    for (uint32_t i = 1; i < code->functions.count; i++)
        if (execute_code_function_at(code, i)->frame_bytes > bytes)
            bytes = execute_code_function_at(code, i)->frame_bytes;
    return bytes;
}

static size_t round_up(size_t value)
{
    return (value + 127) / 128 * 128;
}

struct plan { /* bytes of each block */
    size_t registers, specials, local, shared, warp;
    uint32_t local_per_thread;
};

static struct plan plan_of(const struct execute_launch *launch)
{
    const struct execute_code *code = launch->code;
    struct plan plan = {0};
    bool calls = code->functions.count > 1;
    plan.registers = execute_code_function_at(code, 0)->frame_bytes + (size_t)REGISTER_STACK * largest_frame(code);
    plan.local_per_thread = execute_code_function_at(code, 0)->local_bytes + (calls ? LOCAL_STACK_BYTES : 0);
    plan.local = (size_t)plan.local_per_thread * 32;
    plan.specials = code->special_bytes;
    plan.shared = round_up(launch->shared_bytes + 128);
    plan.warp = round_up(plan.registers) + round_up(plan.local) + round_up(plan.specials);
    return plan;
}

static void fill(unsigned char *specials, const struct execute_code *code, enum execute_special special, uint32_t value)
{
    if (code->special_offset[special] == EXECUTE_NONE)
        return;
    uint32_t *lanes = (uint32_t *)(specials + code->special_offset[special]);
    for (uint32_t i = 0; i < 32; i++)
        lanes[i] = value;
}

static void fill_threads(struct execute_warp *warp, uint32_t number)
{
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = number * 32 + lane;
        uint32_t tid[3] = {thread % launch->block[0], thread / launch->block[0] % launch->block[1],
                           thread / launch->block[0] / launch->block[1]};
        for (uint32_t axis = 0; axis < 3; axis++)
            if (code->special_offset[EXECUTE_SPECIAL_TID_X + axis] != EXECUTE_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_TID_X + axis]))[lane] = tid[axis];
        uint32_t masks[] = {1u << lane, (2u << lane) - 1, (1u << lane) - 1, ~((1u << lane) - 1), ~((2u << lane) - 1)};
        for (uint32_t i = 0; i < 5; i++)
            if (code->special_offset[EXECUTE_SPECIAL_LANEMASK_EQ + i] != EXECUTE_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_LANEMASK_EQ + i]))[lane] = masks[i];
        if (code->special_offset[EXECUTE_SPECIAL_LANEID] != EXECUTE_NONE)
            ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_LANEID]))[lane] = lane;
    }
}

static void fill_specials(struct execute_warp *warp, uint32_t number)
{
    const struct execute_cta *cta = warp->cta;
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    unsigned char *specials = warp->specials;
    fill_threads(warp, number);
    for (uint32_t axis = 0; axis < 3; axis++) {
        fill(specials, code, EXECUTE_SPECIAL_NTID_X + axis, launch->block[axis]);
        fill(specials, code, EXECUTE_SPECIAL_CTAID_X + axis, cta->place[axis]);
        fill(specials, code, EXECUTE_SPECIAL_NCTAID_X + axis, launch->grid[axis]);
        fill(specials, code, EXECUTE_SPECIAL_CLUSTERID_X + axis, cta->place[axis]);
        fill(specials, code, EXECUTE_SPECIAL_NCLUSTERID_X + axis, launch->grid[axis]);
        fill(specials, code, EXECUTE_SPECIAL_CLUSTER_CTAID_X + axis, 0);
        fill(specials, code, EXECUTE_SPECIAL_CLUSTER_NCTAID_X + axis, 1);
    }
    fill(specials, code, EXECUTE_SPECIAL_CLUSTER_CTARANK, 0);
    fill(specials, code, EXECUTE_SPECIAL_CLUSTER_NCTARANK, 1);
    fill(specials, code, EXECUTE_SPECIAL_ENVREG1, (uint32_t)(launch->workspace >> 32));
    fill(specials, code, EXECUTE_SPECIAL_ENVREG2, (uint32_t)launch->workspace);
    fill(specials, code, EXECUTE_SPECIAL_RESERVED_SMEM_0, launch->reserved_shared);
    fill(specials, code, EXECUTE_SPECIAL_RESERVED_SMEM_1, launch->reserved_shared + EXECUTE_RESERVED_SHARED / 2);
    fill(specials, code, EXECUTE_SPECIAL_WARPID, number);
    fill(specials, code, EXECUTE_SPECIAL_NWARPID, launch->warps);
    fill(specials, code, EXECUTE_SPECIAL_SMID, cta->sm);
    fill(specials, code, EXECUTE_SPECIAL_NSMID, cta->sm_count);
    fill(specials, code, EXECUTE_SPECIAL_DYNAMIC_SMEM_SIZE, launch->dynamic_shared);
    fill(specials, code, EXECUTE_SPECIAL_TOTAL_SMEM_SIZE, launch->shared_bytes);
    fill(specials, code, EXECUTE_SPECIAL_AGGR_SMEM_SIZE, launch->shared_bytes);
    if (code->special_offset[EXECUTE_SPECIAL_GRIDID] != EXECUTE_NONE)
        for (uint32_t lane = 0; lane < 32; lane++)
            ((uint64_t *)(specials + code->special_offset[EXECUTE_SPECIAL_GRIDID]))[lane] = launch->number;
}

static void enter(struct execute_warp *warp, uint32_t frame)
{
    uint32_t *predicates = (uint32_t *)(warp->registers + warp->frame[frame].registers);
    predicates[0] = EXECUTE_ALL_LANES;
}

static void start_warp(struct execute_cta *cta, uint32_t number, const struct plan *plan, unsigned char *block)
{
    struct execute_warp *warp = &cta->warps[number];
    const struct execute_launch *launch = cta->launch;
    uint32_t threads = launch->threads - number * 32;
    struct execute_record *record = warp->record;
    memset(warp, 0, offsetof(struct execute_warp, stack));
    warp->record = record;
    warp->cta = cta;
    warp->launch = launch;
    warp->number = number;
    warp->registers = block;
    warp->local = block + round_up(plan->registers);
    warp->specials = warp->local + round_up(plan->local);
    warp->register_bytes = (uint32_t)plan->registers;
    warp->local_bytes = plan->local_per_thread;
    warp->lanes = threads >= 32 ? EXECUTE_ALL_LANES : (1u << threads) - 1;
    warp->bases[EXECUTE_BASE_FRAME] = warp->registers;
    warp->bases[EXECUTE_BASE_CONSTANT] = launch->code->constants.items;
    warp->bases[EXECUTE_BASE_SPECIAL] = warp->specials;
    warp->depth = warp->frames = 1;
    warp->frame[0] = (struct execute_frame){.call = EXECUTE_NONE};
    warp->stack[0] = (struct execute_stack_entry){
        .pc = execute_code_function_at(launch->code, 0)->first_op, .meet = EXECUTE_NONE, .mask = warp->lanes};
    enter(warp, 0);
    fill_specials(warp, number);
}

/* Room for a CTA, zeroed when it is made. Stacks of calls are large and mostly not used: they are never cleared again,
 * so that what is not used takes no memory. */
static unsigned char *make_room(struct execute_cta *cta, size_t bytes)
{
    if (bytes > cta->block_bytes) {
        free(cta->block);
        cta->block = mnp_allocate(bytes + 128, 1);
        cta->block_bytes = bytes;
    }
    return cta->block + (128 - (uintptr_t)cta->block % 128);
}

/* The kernel's own registers and local memory begin as zeros; a function's frame is what its caller finds there. */
static void clear_warp(unsigned char *block, const struct plan *plan, const struct execute_code_function *kernel)
{
    memset(block, 0, kernel->frame_bytes);
    memset(block + round_up(plan->registers), 0, (size_t)kernel->local_bytes * 32);
    memset(block + round_up(plan->registers) + round_up(plan->local), 0, plan->specials);
}

void execute_cta_start(struct execute_cta *cta, const struct execute_launch *launch, const struct execute_port *port,
                       uint64_t number)
{
    struct plan plan = plan_of(launch);
    MNP_REQUIRE(launch->warps <= EXECUTE_MAX_WARPS, "a CTA of %u warps", launch->warps);
    unsigned char *block = make_room(cta, plan.shared + plan.warp * launch->warps);
    memset(block, 0, plan.shared);
    cta->launch = launch;
    cta->port = port;
    cta->number = number;
    cta->place[0] = (uint32_t)(number % launch->grid[0]);
    cta->place[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    cta->place[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    cta->shared = block;
    cta->warp_count = launch->warps;
    cta->ended_warps = 0;
    cta->opened = 0;
    memset(cta->barriers, 0, sizeof cta->barriers);
    for (uint32_t i = 0; i < launch->warps; i++) {
        unsigned char *own = block + plan.shared + plan.warp * i;
        clear_warp(own, &plan, execute_code_function_at(launch->code, 0));
        start_warp(cta, i, &plan, own);
    }
}

void execute_cta_release(struct execute_cta *cta)
{
    free(cta->block);
    cta->block = NULL;
    cta->block_bytes = 0;
}

/* ===== calls ===== */

static void copy_local(struct execute_warp *warp, uint32_t to, uint32_t from, uint32_t bytes, uint32_t lanes)
{
    if (to + bytes > warp->local_bytes || from + bytes > warp->local_bytes)
        return;
    for (uint32_t i = 0; i < bytes; i++)
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            warp->local[(to + i) / 4 * 128 + lane * 4 + (to + i) % 4] =
                warp->local[(from + i) / 4 * 128 + lane * 4 + (from + i) % 4];
        }
}

static void transfer(struct execute_warp *warp, const struct execute_call *call, const struct execute_frame *caller,
                     const struct execute_frame *callee, bool results, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    const struct execute_transfer *transfers = code->transfers.items;
    const struct execute_code_function *function = execute_code_function_at(code, callee->function);
    uint32_t count = results ? call->result_count : call->argument_count;
    uint32_t theirs = results ? function->result_count : function->parameter_count;
    const struct execute_transfer *outer = transfers + call->first_transfer + (results ? 0 : call->result_count);
    const struct execute_transfer *inner =
        transfers + function->first_transfer + (results ? 0 : function->result_count);
    for (uint32_t i = 0; i < count && i < theirs; i++) {
        uint32_t bytes = outer[i].bytes < inner[i].bytes ? outer[i].bytes : inner[i].bytes;
        uint32_t out = caller->local + outer[i].offset, in = callee->local + inner[i].offset;
        copy_local(warp, results ? out : in, results ? in : out, bytes, lanes);
    }
}

/* The function that a value names, or EXECUTE_NONE. */
static uint32_t function_at(const struct execute_code *code, uint64_t value)
{
    uint64_t number = (value - EXECUTE_FUNCTION_WINDOW) / 16;
    if (value < EXECUTE_FUNCTION_WINDOW || value % 16 || number >= code->function_count)
        return EXECUTE_NONE;
    return code->function_index[number];
}

static void enter_function(struct execute_warp *warp, const struct execute_op *op, uint32_t callee, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    const struct execute_call *call = (const struct execute_call *)code->calls.items + op->target;
    const struct execute_code_function *function = execute_code_function_at(code, callee);
    const struct execute_frame *caller = &warp->frame[warp->frames - 1];
    const struct execute_code_function *outer = execute_code_function_at(code, caller->function);
    struct execute_frame frame = {.function = callee,
                                  .registers = caller->registers + outer->frame_bytes,
                                  .local = caller->local + outer->local_bytes,
                                  .call = op->target};
    if (warp->frames == EXECUTE_FRAME_DEPTH || warp->depth == EXECUTE_STACK_DEPTH ||
        frame.registers + function->frame_bytes > warp->register_bytes ||
        frame.local + function->local_bytes > warp->local_bytes) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
        return;
    }
    warp->frame[warp->frames] = frame;
    memset(warp->registers + frame.registers, 0, function->predicate_bytes);
    enter(warp, warp->frames);
    transfer(warp, call, caller, &warp->frame[warp->frames], false, lanes);
    warp->stack[warp->depth++] = (struct execute_stack_entry){
        .pc = function->first_op, .meet = EXECUTE_NONE, .mask = lanes, .frame = warp->frames};
}

void execute_call(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    const struct execute_call *call = (const struct execute_call *)code->calls.items + op->target;
    if (call->callee != EXECUTE_NONE) {
        enter_function(warp, op, call->callee, lanes);
        return;
    }
    const uint64_t *targets = execute_at(warp, op->a);
    uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
    for (uint32_t i = 0; i < 32; i++)
        same |= (uint32_t)(targets[i] == targets[first]) << i;
    same &= lanes;
    uint32_t callee = function_at(code, targets[first]);
    if (callee == EXECUTE_NONE || callee == 0) {
        execute_fault(warp, EXECUTE_FAULT_TARGET, first, targets[first]);
        return;
    }
    struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    if (same != lanes) { /* the others call theirs when these are back */
        if (warp->depth + 3 > EXECUTE_STACK_DEPTH) {
            execute_fault(warp, EXECUTE_FAULT_STACK, first, 0);
            return;
        }
        uint32_t after = entry->pc, frame = entry->frame;
        warp->stack[warp->depth++] = (struct execute_stack_entry){after - 1, after, lanes & ~same, frame};
        warp->stack[warp->depth++] = (struct execute_stack_entry){after, after, same, frame};
    }
    enter_function(warp, op, callee, same);
}

void execute_return(struct execute_warp *warp, bool normally)
{
    const struct execute_frame *callee = &warp->frame[warp->frames - 1], *caller = &warp->frame[warp->frames - 2];
    const struct execute_call *call = (const struct execute_call *)warp->launch->code->calls.items + callee->call;
    if (normally)
        transfer(warp, call, caller, callee, true, warp->stack[warp->depth - 1].mask);
}

/* ===== barriers ===== */

static uint32_t live_warps(const struct execute_cta *cta)
{
    return cta->warp_count - cta->ended_warps;
}

static bool is_complete(const struct execute_cta *cta, const struct execute_barrier_state *barrier)
{
    if (!barrier->arrived)
        return false;
    return barrier->expected ? barrier->arrived >= barrier->expected
                             : (uint32_t)__builtin_popcountll(barrier->waiting) >= live_warps(cta);
}

static void give_result(struct execute_warp *warp, const struct execute_barrier_state *barrier, uint32_t variant)
{
    const struct execute_op *op = execute_op_at(warp->launch->code, warp->barrier_op);
    if (variant == EXECUTE_BARRIER_POPC) {
        uint32_t values[32];
        for (uint32_t i = 0; i < 32; i++)
            values[i] = barrier->count;
        execute_blend(execute_to(warp, op->d), values, 4, warp->barrier_lanes);
    } else if (variant == EXECUTE_BARRIER_AND || variant == EXECUTE_BARRIER_OR) {
        bool holds = variant == EXECUTE_BARRIER_AND ? barrier->all : barrier->any;
        execute_set_mask(warp, op->d, warp->barrier_lanes, holds ? ~0u : 0);
    }
}

static void open_barrier(struct execute_cta *cta, struct execute_barrier_state *barrier)
{
    for (uint64_t rest = barrier->waiting; rest; rest &= rest - 1) {
        struct execute_warp *warp = &cta->warps[__builtin_ctzll(rest)];
        warp->status = EXECUTE_RUNNING;
        give_result(warp, barrier, warp->barrier_variant);
    }
    cta->opened |= 1u << (barrier - cta->barriers);
    memset(barrier, 0, sizeof *barrier);
}

bool execute_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_cta *cta = warp->cta;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), number = ((const uint32_t *)execute_at(warp, op->a))[lane];
    uint32_t threads = op->b != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->b))[lane] : 0;
    if (number >= EXECUTE_BARRIERS || threads % 32) {
        execute_fault(warp, EXECUTE_FAULT_BARRIER, lane, number >= EXECUTE_BARRIERS ? number : threads);
        return true;
    }
    struct execute_barrier_state *barrier = &cta->barriers[number];
    if (!barrier->arrived)
        barrier->all = 1;
    barrier->expected = threads ? threads : barrier->expected;
    barrier->arrived += 32;
    cta->advanced++;
    if (op->c != EXECUTE_NO_REF) {
        uint32_t holds = (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) & lanes;
        barrier->count += (uint32_t)__builtin_popcount(holds);
        barrier->all &= holds == lanes;
        barrier->any |= holds != 0;
    }
    if (op->variant != EXECUTE_BARRIER_ARRIVE) {
        barrier->waiting |= UINT64_C(1) << warp->number;
        warp->status = EXECUTE_AT_BARRIER;
        warp->barrier = number;
        warp->barrier_variant = op->variant;
        warp->barrier_lanes = lanes;
        warp->barrier_op = (uint32_t)(op - (const struct execute_op *)warp->launch->code->ops.items);
    }
    if (is_complete(cta, barrier))
        open_barrier(cta, barrier);
    return warp->status != EXECUTE_RUNNING;
}

void execute_cta_warp_ended(struct execute_warp *warp)
{
    struct execute_cta *cta = warp->cta;
    cta->ended_warps++;
    cta->advanced++;
    for (uint32_t i = 0; i < EXECUTE_BARRIERS && live_warps(cta); i++)
        if (is_complete(cta, &cta->barriers[i]))
            open_barrier(cta, &cta->barriers[i]);
}

bool execute_cta_is_polling(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING && cta->warps[i].polls < EXECUTE_POLLS_STUCK)
            return false;
    return true;
}

/* Whether every warp that runs has only polled, and for long enough. */
static bool is_idle(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING && cta->warps[i].idle < EXECUTE_POLLS_ASIDE)
            return false;
    return true;
}

static bool runs(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING)
            return true;
    return false;
}

/* A warp that polls soon makes room for the one that it waits for. */
static uint64_t turn_of(const struct execute_warp *warp)
{
    return warp->idle ? POLLING_TURN : TURN;
}

/* Takes a warp's turn in single operations, each of which is shown. */
static uint64_t run_observed(struct execute_warp *warp, uint64_t limit)
{
    const struct execute_observer *observer = warp->cta->port->observer;
    struct execute_record record;
    uint64_t executed = 0;
    warp->record = &record;
    while (executed < limit && warp->status == EXECUTE_RUNNING && execute_warp_run(warp, 1)) {
        executed++;
        if (warp->status != EXECUTE_FAULTED)
            observer->executed(observer->context, warp, &record);
    }
    warp->record = NULL;
    return executed;
}

uint64_t execute_cta_run(struct execute_cta *cta, enum execute_cta_state *state)
{
    uint64_t executed = 0, before;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].idle = cta->warps[i].idle != 0;
    cta->asked = cta->advanced = 0;
    do {
        before = executed;
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct execute_warp *warp = &cta->warps[i];
            if (warp->status == EXECUTE_RUNNING)
                executed +=
                    cta->port->observer ? run_observed(warp, turn_of(warp)) : execute_warp_run(warp, turn_of(warp));
            if (warp->status == EXECUTE_FAULTED) {
                *state = EXECUTE_CTA_FAULTED;
                return executed;
            }
        }
        if (executed == before && !runs(cta)) {
            *state = cta->ended_warps == cta->warp_count ? EXECUTE_CTA_ENDED : EXECUTE_CTA_STUCK;
            if (cta->port->observer && *state == EXECUTE_CTA_ENDED)
                cta->port->observer->ended(cta->port->observer->context, cta);
            return executed;
        }
    } while (!runs(cta) || (!is_idle(cta) && (!cta->asked || executed < SLICE)));
    *state = EXECUTE_CTA_POLLS;
    return executed;
}

/* ===== faults ===== */

/* A file's name without what is longer than the end of it that messages show. */
static const char *short_name(const char *file)
{
    enum { SHOWN = 100 };
    size_t length = strlen(file);
    return length > SHOWN ? file + length - SHOWN : file;
}

void execute_describe_place(const struct execute_code *code, uint32_t op, char *text, size_t room)
{
    struct execute_location location = code->module->language->locate(code, op);
    const struct execute_source_line *source = &location.source, *caller = &location.caller;
    char *name = mnp_demangle(code->name), inlined[160] = "";
    if (source->file && caller->file)
        snprintf(inlined, sizeof inlined, " inlined at %s:%u", short_name(caller->file), caller->line);
    if (source->file)
        snprintf(text, room, "kernel %.200s at %s:%u%s", name, short_name(source->file), source->line, inlined);
    else
        snprintf(text, room, "kernel %s", name);
    free(name);
}

void execute_warp_describe_place(const struct execute_warp *warp, char *text, size_t room)
{
    text[0] = 0;
    if (!warp->depth)
        return;
    bool waits = warp->status == EXECUTE_AT_BARRIER;
    uint32_t op = waits ? warp->barrier_op : warp->stack[warp->depth - 1].pc;
    execute_describe_place(warp->launch->code, op, text, room);
}

void execute_fault_describe(const struct execute_warp *warp, struct mnp_error *error)
{
    static const char *const texts[] = {
        [EXECUTE_FAULT_ADDRESS] = "an access outside every allocation, at address",
        [EXECUTE_FAULT_MISALIGNED] = "a misaligned access, at address",
        [EXECUTE_FAULT_SHARED] = "an access outside the block's shared memory, at address",
        [EXECUTE_FAULT_LOCAL] = "an access outside the thread's local memory, at address",
        [EXECUTE_FAULT_PARAMETER] = "an access outside the kernel's parameters, at address",
        [EXECUTE_FAULT_TRAP] = "a trap",
        [EXECUTE_FAULT_ASSERT] = "a failed assertion",
        [EXECUTE_FAULT_STACK] = "calls or branches are nested too deeply",
        [EXECUTE_FAULT_TARGET] = "an indirect call or branch to nowhere, value",
        [EXECUTE_FAULT_BARRIER] = "an impossible barrier, number",
        [EXECUTE_FAULT_TEXTURE] = "a handle that names no texture,",
        [EXECUTE_FAULT_MEMORY] = "the memory of the machine is exhausted, at address",
    };
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    struct execute_location location = code->module->language->locate(code, warp->fault_op);
    uint32_t thread = warp->number * 32 + warp->fault_lane;
    char place[EXECUTE_PLACE_BYTES], value[24] = "";
    execute_describe_place(code, warp->fault_op, place, sizeof place);
    if (warp->fault != EXECUTE_FAULT_TRAP && warp->fault != EXECUTE_FAULT_ASSERT && warp->fault != EXECUTE_FAULT_STACK)
        snprintf(value, sizeof value, " 0x%lx", (unsigned long)warp->fault_address);
    mnp_fail(error, "%s:%u: %s, block (%u,%u,%u), thread (%u,%u,%u): `%s`: %s%s", location.file, location.line,
             place, warp->cta->place[0], warp->cta->place[1], warp->cta->place[2], thread % launch->block[0],
             thread / launch->block[0] % launch->block[1], thread / launch->block[0] / launch->block[1], location.text,
             texts[warp->fault], value);
}
