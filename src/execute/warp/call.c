/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions: frames of registers and of local memory, parameters and results. */
#include "execute/warp/frame.h"
#include "execute/warp/turns.h"

#include <string.h>

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

static uint32_t end_of(const struct execute_warp *warp, const struct execute_frame *frame)
{
    return frame->registers + execute_code_function_at(warp->launch->code, frame->function)->frame_bytes;
}

/* Frames that lanes are in, or come back to, one bit each. */
static uint64_t frames_in_use(const struct execute_warp *warp)
{
    uint64_t frames = 1;
    for (uint32_t i = 0; i < EXECUTE_STACK_DEPTH; i++)
        if (i < warp->depth || i >= EXECUTE_STACK_DEPTH - warp->set_aside)
            frames |= UINT64_C(1) << warp->stack[i].frame;
    return frames;
}

/* A frame of `bytes` of registers beside those in use, at the lowest place. Returns its number. */
static uint32_t find_room(const struct execute_warp *warp, uint32_t bytes, uint32_t *registers)
{
    uint64_t used = frames_in_use(warp), rest = used;
    *registers = 0;
    while (rest) {
        const struct execute_frame *frame = &warp->frame[__builtin_ctzll(rest)];
        rest &= rest - 1;
        if (*registers < end_of(warp, frame) && frame->registers < *registers + bytes) {
            *registers = end_of(warp, frame);
            rest = used; /* those before may overlap there */
        }
    }
    return ~used ? (uint32_t)__builtin_ctzll(~used) : EXECUTE_FRAME_DEPTH;
}

/* Finds the frame of other lanes that have made the same call from the same frame. A frame has space for all lanes of
 * the warp, so lanes that diverged share it and the number of frames stays bounded. EXECUTE_FRAME_DEPTH: none. */
static uint32_t find_frame(const struct execute_warp *warp, uint32_t callee, uint32_t call)
{
    for (uint64_t rest = frames_in_use(warp) & ~UINT64_C(1); rest; rest &= rest - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(rest);
        const struct execute_frame *frame = &warp->frame[place];
        if (frame->function == callee && frame->call == call && frame->caller == warp->frames - 1)
            return place;
    }
    return EXECUTE_FRAME_DEPTH;
}

static void clear_predicates(struct execute_warp *warp, const struct execute_frame *frame, uint32_t bytes,
                             uint32_t lanes)
{
    execute_word *masks = (execute_word *)(warp->registers + frame->registers);
    for (uint32_t i = 0; i < bytes / sizeof *masks; i++)
        masks[i] &= ~lanes;
}

static void enter_function(struct execute_warp *warp, const struct execute_op *op, uint32_t callee, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    const struct execute_call *call = (const struct execute_call *)code->calls.items + op->target;
    const struct execute_code_function *function = execute_code_function_at(code, callee);
    const struct execute_frame *caller = &warp->frame[warp->frames - 1];
    const struct execute_code_function *outer = execute_code_function_at(code, caller->function);
    uint32_t place = warp->frames, registers = caller->registers + outer->frame_bytes;
    uint32_t known = warp->shares_frames ? find_frame(warp, callee, op->target) : EXECUTE_FRAME_DEPTH;
    if (known < EXECUTE_FRAME_DEPTH) {
        place = known;
        registers = warp->frame[known].registers;
    } else if (warp->shares_frames) {
        place = find_room(warp, function->frame_bytes, &registers);
    }
    struct execute_frame frame = {.function = callee,
                                  .registers = registers,
                                  .local = caller->local + outer->local_bytes,
                                  .call = op->target,
                                  .caller = warp->frames - 1};
    if (place == EXECUTE_FRAME_DEPTH || warp->depth + warp->set_aside == EXECUTE_STACK_DEPTH ||
        frame.registers + function->frame_bytes > warp->register_bytes ||
        frame.local + function->local_bytes > warp->local_bytes) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
        return;
    }
    warp->frame[place] = frame;
    if (known < EXECUTE_FRAME_DEPTH)
        clear_predicates(warp, &frame, function->predicate_bytes, lanes);
    else
        memset(warp->registers + frame.registers, 0, function->predicate_bytes);
    execute_enter(warp, place);
    transfer(warp, call, caller, &warp->frame[place], false, lanes);
    warp->stack[warp->depth++] =
        (struct execute_stack_entry){.pc = function->first_op, .meet = EXECUTE_NONE, .mask = lanes, .frame = place};
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
        if (warp->depth + warp->set_aside + 3 > EXECUTE_STACK_DEPTH) {
            execute_fault(warp, EXECUTE_FAULT_STACK, first, 0);
            return;
        }
        uint32_t after = entry->pc, frame = entry->frame;
        warp->stack[warp->depth++] = (struct execute_stack_entry){after - 1, after, lanes & ~same, frame};
        warp->stack[warp->depth++] = (struct execute_stack_entry){after, after, same, frame};
        warp->parted |= code->names_members ? EXECUTE_PARTED_BY_BRANCH : 0;
    }
    enter_function(warp, op, callee, same);
}

void execute_return(struct execute_warp *warp, bool normally)
{
    const struct execute_frame *callee = &warp->frame[warp->frames - 1], *caller = &warp->frame[callee->caller];
    const struct execute_call *call = (const struct execute_call *)warp->launch->code->calls.items + callee->call;
    if (normally)
        transfer(warp, call, caller, callee, true, warp->stack[warp->depth - 1].mask);
}
