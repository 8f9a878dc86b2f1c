/* SPDX-License-Identifier: BSD-3-Clause */
/* CTAs: their warps' blocks, special registers, barriers, calls, and what is said about a fault. */
#include "execute/warp.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    REGISTER_STACK = 16,           /* frames of the largest function that fit */
    LOCAL_STACK_BYTES = 16 * 1024, /* of local memory per thread beyond the kernel's own frame */
    TURN = 4096,                   /* operations of a warp, until the next one's turn */
    POLLING_TURN = 64,
    SLICE = 1 << 16, /* of a CTA that asks memory in loops, until the next one's: it may wait in ways not known here */
};

static uint32_t largest_frame(const struct ptx_code *code)
{
    uint32_t bytes = 0;
    for (uint32_t i = 1; i < code->functions.count; i++)
        if (ptx_code_function_at(code, i)->frame_bytes > bytes)
            bytes = ptx_code_function_at(code, i)->frame_bytes;
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

static struct plan plan_of(const struct ptx_launch *launch)
{
    const struct ptx_code *code = launch->code;
    struct plan plan = {0};
    bool calls = code->functions.count > 1;
    plan.registers = ptx_code_function_at(code, 0)->frame_bytes + (size_t)REGISTER_STACK * largest_frame(code);
    plan.local_per_thread = ptx_code_function_at(code, 0)->local_bytes + (calls ? LOCAL_STACK_BYTES : 0);
    plan.local = (size_t)plan.local_per_thread * 32;
    plan.specials = code->special_bytes;
    plan.shared = round_up(launch->shared_bytes + 128);
    plan.warp = round_up(plan.registers) + round_up(plan.local) + round_up(plan.specials);
    return plan;
}

static void fill(unsigned char *specials, const struct ptx_code *code, enum ptx_special special, uint32_t value)
{
    if (code->special_offset[special] == PTX_NONE)
        return;
    uint32_t *lanes = (uint32_t *)(specials + code->special_offset[special]);
    for (uint32_t i = 0; i < 32; i++)
        lanes[i] = value;
}

static void fill_threads(struct ptx_warp *warp, uint32_t number)
{
    const struct ptx_launch *launch = warp->launch;
    const struct ptx_code *code = launch->code;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = number * 32 + lane;
        uint32_t tid[3] = {thread % launch->block[0], thread / launch->block[0] % launch->block[1],
                           thread / launch->block[0] / launch->block[1]};
        for (uint32_t axis = 0; axis < 3; axis++)
            if (code->special_offset[PTX_SPECIAL_TID_X + axis] != PTX_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[PTX_SPECIAL_TID_X + axis]))[lane] = tid[axis];
        uint32_t masks[] = {1u << lane, (2u << lane) - 1, (1u << lane) - 1, ~((1u << lane) - 1), ~((2u << lane) - 1)};
        for (uint32_t i = 0; i < 5; i++)
            if (code->special_offset[PTX_SPECIAL_LANEMASK_EQ + i] != PTX_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[PTX_SPECIAL_LANEMASK_EQ + i]))[lane] = masks[i];
        if (code->special_offset[PTX_SPECIAL_LANEID] != PTX_NONE)
            ((uint32_t *)(warp->specials + code->special_offset[PTX_SPECIAL_LANEID]))[lane] = lane;
    }
}

static void fill_specials(struct ptx_warp *warp, uint32_t number)
{
    const struct ptx_cta *cta = warp->cta;
    const struct ptx_launch *launch = warp->launch;
    const struct ptx_code *code = launch->code;
    unsigned char *specials = warp->specials;
    fill_threads(warp, number);
    for (uint32_t axis = 0; axis < 3; axis++) {
        fill(specials, code, PTX_SPECIAL_NTID_X + axis, launch->block[axis]);
        fill(specials, code, PTX_SPECIAL_CTAID_X + axis, cta->place[axis]);
        fill(specials, code, PTX_SPECIAL_NCTAID_X + axis, launch->grid[axis]);
        fill(specials, code, PTX_SPECIAL_CLUSTERID_X + axis, cta->place[axis]);
        fill(specials, code, PTX_SPECIAL_NCLUSTERID_X + axis, launch->grid[axis]);
        fill(specials, code, PTX_SPECIAL_CLUSTER_CTAID_X + axis, 0);
        fill(specials, code, PTX_SPECIAL_CLUSTER_NCTAID_X + axis, 1);
    }
    fill(specials, code, PTX_SPECIAL_CLUSTER_CTARANK, 0);
    fill(specials, code, PTX_SPECIAL_CLUSTER_NCTARANK, 1);
    fill(specials, code, PTX_SPECIAL_ENVREG1, (uint32_t)(launch->workspace >> 32));
    fill(specials, code, PTX_SPECIAL_ENVREG2, (uint32_t)launch->workspace);
    fill(specials, code, PTX_SPECIAL_RESERVED_SMEM_0, launch->reserved_shared);
    fill(specials, code, PTX_SPECIAL_RESERVED_SMEM_1, launch->reserved_shared + PTX_RESERVED_SHARED / 2);
    fill(specials, code, PTX_SPECIAL_WARPID, number);
    fill(specials, code, PTX_SPECIAL_NWARPID, launch->warps);
    fill(specials, code, PTX_SPECIAL_SMID, cta->sm);
    fill(specials, code, PTX_SPECIAL_NSMID, cta->sm_count);
    fill(specials, code, PTX_SPECIAL_DYNAMIC_SMEM_SIZE, launch->dynamic_shared);
    fill(specials, code, PTX_SPECIAL_TOTAL_SMEM_SIZE, launch->shared_bytes);
    fill(specials, code, PTX_SPECIAL_AGGR_SMEM_SIZE, launch->shared_bytes);
    if (code->special_offset[PTX_SPECIAL_GRIDID] != PTX_NONE)
        for (uint32_t lane = 0; lane < 32; lane++)
            ((uint64_t *)(specials + code->special_offset[PTX_SPECIAL_GRIDID]))[lane] = launch->number;
}

static void enter(struct ptx_warp *warp, uint32_t frame)
{
    uint32_t *predicates = (uint32_t *)(warp->registers + warp->frame[frame].registers);
    predicates[0] = PTX_ALL_LANES;
}

static void start_warp(struct ptx_cta *cta, uint32_t number, const struct plan *plan, unsigned char *block)
{
    struct ptx_warp *warp = &cta->warps[number];
    const struct ptx_launch *launch = cta->launch;
    uint32_t threads = launch->threads - number * 32;
    struct ptx_record *record = warp->record;
    memset(warp, 0, offsetof(struct ptx_warp, stack));
    warp->record = record;
    warp->cta = cta;
    warp->launch = launch;
    warp->number = number;
    warp->registers = block;
    warp->local = block + round_up(plan->registers);
    warp->specials = warp->local + round_up(plan->local);
    warp->register_bytes = (uint32_t)plan->registers;
    warp->local_bytes = plan->local_per_thread;
    warp->lanes = threads >= 32 ? PTX_ALL_LANES : (1u << threads) - 1;
    warp->bases[PTX_BASE_FRAME] = warp->registers;
    warp->bases[PTX_BASE_CONSTANT] = launch->code->constants.items;
    warp->bases[PTX_BASE_SPECIAL] = warp->specials;
    warp->depth = warp->frames = 1;
    warp->frame[0] = (struct ptx_frame){.call = PTX_NONE};
    warp->stack[0] = (struct ptx_stack_entry){
        .pc = ptx_code_function_at(launch->code, 0)->first_op, .meet = PTX_NONE, .mask = warp->lanes};
    enter(warp, 0);
    fill_specials(warp, number);
}

/* Room for a CTA, zeroed when it is made. Stacks of calls are large and mostly not used: they are never cleared again,
 * so that what is not used takes no memory. */
static unsigned char *make_room(struct ptx_cta *cta, size_t bytes)
{
    if (bytes > cta->block_bytes) {
        free(cta->block);
        cta->block = mnp_allocate(bytes + 128, 1);
        cta->block_bytes = bytes;
    }
    return cta->block + (128 - (uintptr_t)cta->block % 128);
}

/* The kernel's own registers and local memory begin as zeros; a function's frame is what its caller finds there. */
static void clear_warp(unsigned char *block, const struct plan *plan, const struct ptx_code_function *kernel)
{
    memset(block, 0, kernel->frame_bytes);
    memset(block + round_up(plan->registers), 0, (size_t)kernel->local_bytes * 32);
    memset(block + round_up(plan->registers) + round_up(plan->local), 0, plan->specials);
}

void ptx_cta_start(struct ptx_cta *cta, const struct ptx_launch *launch, const struct ptx_port *port, uint64_t number)
{
    struct plan plan = plan_of(launch);
    MNP_REQUIRE(launch->warps <= PTX_MAX_WARPS, "a CTA of %u warps", launch->warps);
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
        clear_warp(own, &plan, ptx_code_function_at(launch->code, 0));
        start_warp(cta, i, &plan, own);
    }
}

void ptx_cta_release(struct ptx_cta *cta)
{
    free(cta->block);
    cta->block = NULL;
    cta->block_bytes = 0;
}

/* ===== calls ===== */

static void copy_local(struct ptx_warp *warp, uint32_t to, uint32_t from, uint32_t bytes, uint32_t lanes)
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

static void transfer(struct ptx_warp *warp, const struct ptx_call *call, const struct ptx_frame *caller,
                     const struct ptx_frame *callee, bool results, uint32_t lanes)
{
    const struct ptx_code *code = warp->launch->code;
    const struct ptx_transfer *transfers = code->transfers.items;
    const struct ptx_code_function *function = ptx_code_function_at(code, callee->function);
    uint32_t count = results ? call->result_count : call->argument_count;
    uint32_t theirs = results ? function->result_count : function->parameter_count;
    const struct ptx_transfer *outer = transfers + call->first_transfer + (results ? 0 : call->result_count);
    const struct ptx_transfer *inner = transfers + function->first_transfer + (results ? 0 : function->result_count);
    for (uint32_t i = 0; i < count && i < theirs; i++) {
        uint32_t bytes = outer[i].bytes < inner[i].bytes ? outer[i].bytes : inner[i].bytes;
        uint32_t out = caller->local + outer[i].offset, in = callee->local + inner[i].offset;
        copy_local(warp, results ? out : in, results ? in : out, bytes, lanes);
    }
}

/* The function that a value names, or PTX_NONE. */
static uint32_t function_at(const struct ptx_code *code, uint64_t value)
{
    uint64_t number = (value - PTX_FUNCTION_WINDOW) / 16;
    if (value < PTX_FUNCTION_WINDOW || value % 16 || number >= code->module->functions.count)
        return PTX_NONE;
    return code->function_index[number];
}

static void enter_function(struct ptx_warp *warp, const struct ptx_op *op, uint32_t callee, uint32_t lanes)
{
    const struct ptx_code *code = warp->launch->code;
    const struct ptx_call *call = (const struct ptx_call *)code->calls.items + op->target;
    const struct ptx_code_function *function = ptx_code_function_at(code, callee);
    const struct ptx_frame *caller = &warp->frame[warp->frames - 1];
    const struct ptx_code_function *outer = ptx_code_function_at(code, caller->function);
    struct ptx_frame frame = {.function = callee,
                              .registers = caller->registers + outer->frame_bytes,
                              .local = caller->local + outer->local_bytes,
                              .call = op->target};
    if (warp->frames == PTX_FRAME_DEPTH || warp->depth == PTX_STACK_DEPTH ||
        frame.registers + function->frame_bytes > warp->register_bytes ||
        frame.local + function->local_bytes > warp->local_bytes) {
        ptx_fault(warp, PTX_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
        return;
    }
    warp->frame[warp->frames] = frame;
    memset(warp->registers + frame.registers, 0, function->predicate_bytes);
    enter(warp, warp->frames);
    transfer(warp, call, caller, &warp->frame[warp->frames], false, lanes);
    warp->stack[warp->depth++] =
        (struct ptx_stack_entry){.pc = function->first_op, .meet = PTX_NONE, .mask = lanes, .frame = warp->frames};
}

void ptx_execute_call(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    const struct ptx_code *code = warp->launch->code;
    const struct ptx_call *call = (const struct ptx_call *)code->calls.items + op->target;
    if (call->callee != PTX_NONE) {
        enter_function(warp, op, call->callee, lanes);
        return;
    }
    const uint64_t *targets = ptx_at(warp, op->a);
    uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
    for (uint32_t i = 0; i < 32; i++)
        same |= (uint32_t)(targets[i] == targets[first]) << i;
    same &= lanes;
    uint32_t callee = function_at(code, targets[first]);
    if (callee == PTX_NONE || callee == 0) {
        ptx_fault(warp, PTX_FAULT_TARGET, first, targets[first]);
        return;
    }
    struct ptx_stack_entry *entry = &warp->stack[warp->depth - 1];
    if (same != lanes) { /* the others call theirs when these are back */
        if (warp->depth + 3 > PTX_STACK_DEPTH) {
            ptx_fault(warp, PTX_FAULT_STACK, first, 0);
            return;
        }
        uint32_t after = entry->pc, frame = entry->frame;
        warp->stack[warp->depth++] = (struct ptx_stack_entry){after - 1, after, lanes & ~same, frame};
        warp->stack[warp->depth++] = (struct ptx_stack_entry){after, after, same, frame};
    }
    enter_function(warp, op, callee, same);
}

void ptx_execute_return(struct ptx_warp *warp, bool normally)
{
    const struct ptx_frame *callee = &warp->frame[warp->frames - 1], *caller = &warp->frame[warp->frames - 2];
    const struct ptx_call *call = (const struct ptx_call *)warp->launch->code->calls.items + callee->call;
    if (normally)
        transfer(warp, call, caller, callee, true, warp->stack[warp->depth - 1].mask);
}

/* ===== barriers ===== */

static uint32_t live_warps(const struct ptx_cta *cta)
{
    return cta->warp_count - cta->ended_warps;
}

static bool is_complete(const struct ptx_cta *cta, const struct ptx_barrier_state *barrier)
{
    if (!barrier->arrived)
        return false;
    return barrier->expected ? barrier->arrived >= barrier->expected
                             : (uint32_t)__builtin_popcountll(barrier->waiting) >= live_warps(cta);
}

static void give_result(struct ptx_warp *warp, const struct ptx_barrier_state *barrier, uint32_t variant)
{
    const struct ptx_op *op = ptx_op_at(warp->launch->code, warp->barrier_op);
    if (variant == PTX_BARRIER_POPC) {
        uint32_t values[32];
        for (uint32_t i = 0; i < 32; i++)
            values[i] = barrier->count;
        ptx_blend(ptx_to(warp, op->d), values, 4, warp->barrier_lanes);
    } else if (variant == PTX_BARRIER_AND || variant == PTX_BARRIER_OR) {
        bool holds = variant == PTX_BARRIER_AND ? barrier->all : barrier->any;
        ptx_set_mask(warp, op->d, warp->barrier_lanes, holds ? ~0u : 0);
    }
}

static void open_barrier(struct ptx_cta *cta, struct ptx_barrier_state *barrier)
{
    for (uint64_t rest = barrier->waiting; rest; rest &= rest - 1) {
        struct ptx_warp *warp = &cta->warps[__builtin_ctzll(rest)];
        warp->status = PTX_RUNNING;
        give_result(warp, barrier, warp->barrier_variant);
    }
    cta->opened |= 1u << (barrier - cta->barriers);
    memset(barrier, 0, sizeof *barrier);
}

bool ptx_execute_barrier(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    struct ptx_cta *cta = warp->cta;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), number = ((const uint32_t *)ptx_at(warp, op->a))[lane];
    uint32_t threads = op->b != PTX_NO_REF ? ((const uint32_t *)ptx_at(warp, op->b))[lane] : 0;
    if (number >= PTX_BARRIERS || threads % 32) {
        ptx_fault(warp, PTX_FAULT_BARRIER, lane, number >= PTX_BARRIERS ? number : threads);
        return true;
    }
    struct ptx_barrier_state *barrier = &cta->barriers[number];
    if (!barrier->arrived)
        barrier->all = 1;
    barrier->expected = threads ? threads : barrier->expected;
    barrier->arrived += 32;
    cta->advanced++;
    if (op->c != PTX_NO_REF) {
        uint32_t holds = (ptx_mask_at(warp, op->c) ^ (op->flags & PTX_OP_FLIP_C ? ~0u : 0)) & lanes;
        barrier->count += (uint32_t)__builtin_popcount(holds);
        barrier->all &= holds == lanes;
        barrier->any |= holds != 0;
    }
    if (op->variant != PTX_BARRIER_ARRIVE) {
        barrier->waiting |= UINT64_C(1) << warp->number;
        warp->status = PTX_AT_BARRIER;
        warp->barrier = number;
        warp->barrier_variant = op->variant;
        warp->barrier_lanes = lanes;
        warp->barrier_op = (uint32_t)(op - (const struct ptx_op *)warp->launch->code->ops.items);
    }
    if (is_complete(cta, barrier))
        open_barrier(cta, barrier);
    return warp->status != PTX_RUNNING;
}

void ptx_cta_warp_ended(struct ptx_warp *warp)
{
    struct ptx_cta *cta = warp->cta;
    cta->ended_warps++;
    cta->advanced++;
    for (uint32_t i = 0; i < PTX_BARRIERS && live_warps(cta); i++)
        if (is_complete(cta, &cta->barriers[i]))
            open_barrier(cta, &cta->barriers[i]);
}

bool ptx_cta_is_polling(const struct ptx_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == PTX_RUNNING && cta->warps[i].polls < PTX_POLLS_STUCK)
            return false;
    return true;
}

/* Whether every warp that runs has only polled, and for long enough. */
static bool is_idle(const struct ptx_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == PTX_RUNNING && cta->warps[i].idle < PTX_POLLS_ASIDE)
            return false;
    return true;
}

static bool runs(const struct ptx_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == PTX_RUNNING)
            return true;
    return false;
}

/* A warp that polls soon makes room for the one that it waits for. */
static uint64_t turn_of(const struct ptx_warp *warp)
{
    return warp->idle ? POLLING_TURN : TURN;
}

/* Takes a warp's turn in single operations, each of which is shown. */
static uint64_t run_observed(struct ptx_warp *warp, uint64_t limit)
{
    const struct ptx_observer *observer = warp->cta->port->observer;
    struct ptx_record record;
    uint64_t executed = 0;
    warp->record = &record;
    while (executed < limit && warp->status == PTX_RUNNING && ptx_warp_run(warp, 1)) {
        executed++;
        if (warp->status != PTX_FAULTED)
            observer->executed(observer->context, warp, &record);
    }
    warp->record = NULL;
    return executed;
}

uint64_t ptx_cta_run(struct ptx_cta *cta, enum ptx_cta_state *state)
{
    uint64_t executed = 0, before;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].idle = cta->warps[i].idle != 0;
    cta->asked = cta->advanced = 0;
    do {
        before = executed;
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct ptx_warp *warp = &cta->warps[i];
            if (warp->status == PTX_RUNNING)
                executed += cta->port->observer ? run_observed(warp, turn_of(warp)) : ptx_warp_run(warp, turn_of(warp));
            if (warp->status == PTX_FAULTED) {
                *state = PTX_CTA_FAULTED;
                return executed;
            }
        }
        if (executed == before && !runs(cta)) {
            *state = cta->ended_warps == cta->warp_count ? PTX_CTA_ENDED : PTX_CTA_STUCK;
            if (cta->port->observer && *state == PTX_CTA_ENDED)
                cta->port->observer->ended(cta->port->observer->context, cta);
            return executed;
        }
    } while (!runs(cta) || (!is_idle(cta) && (!cta->asked || executed < SLICE)));
    *state = PTX_CTA_POLLS;
    return executed;
}

/* ===== faults ===== */

void ptx_fault_describe(const struct ptx_warp *warp, struct mnp_error *error)
{
    static const char *const texts[] = {
        [PTX_FAULT_ADDRESS] = "an access outside every allocation, at address",
        [PTX_FAULT_MISALIGNED] = "a misaligned access, at address",
        [PTX_FAULT_SHARED] = "an access outside the block's shared memory, at address",
        [PTX_FAULT_LOCAL] = "an access outside the thread's local memory, at address",
        [PTX_FAULT_PARAMETER] = "an access outside the kernel's parameters, at address",
        [PTX_FAULT_TRAP] = "a trap",
        [PTX_FAULT_ASSERT] = "a failed assertion",
        [PTX_FAULT_STACK] = "calls or branches are nested too deeply",
        [PTX_FAULT_TARGET] = "an indirect call or branch to nowhere, value",
        [PTX_FAULT_BARRIER] = "an impossible barrier, number",
        [PTX_FAULT_TEXTURE] = "a handle that names no texture,",
        [PTX_FAULT_MEMORY] = "the memory of the machine is exhausted, at address",
    };
    const struct ptx_code *code = warp->launch->code;
    const struct ptx_launch *launch = warp->launch;
    const struct ptx_op *op = ptx_op_at(code, warp->fault_op);
    const struct ptx_statement *statement =
        op->statement < code->module->statements.count ? ptx_statement_at(code->module, op->statement) : NULL;
    const struct ptx_function *entry = ptx_function_at(code->module, code->entry);
    uint32_t thread = warp->number * 32 + warp->fault_lane;
    mnp_fail(error, "%s:%u: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): `%s`: %s%s%.0lx", code->module->source_name,
             statement ? statement->line : 0, ptx_name_text(code->module, entry->name), warp->cta->place[0],
             warp->cta->place[1], warp->cta->place[2], thread % launch->block[0],
             thread / launch->block[0] % launch->block[1], thread / launch->block[0] / launch->block[1],
             statement ? ptx_name_text(code->module, statement->name) : "ret", texts[warp->fault],
             warp->fault_address ? " 0x" : "", (unsigned long)warp->fault_address);
}
