/* SPDX-License-Identifier: BSD-3-Clause */
/* The scalar interpreter: takes any thread that waits for nothing, and executes some of its instructions. */
#include "thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50 * 1000 * 1000 }; /* more than any program of generate.c takes */

static const uint64_t global_base = UINT64_C(1) << 40;

static uint64_t draw(struct run *run)
{
    uint64_t x = run->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

_Noreturn void run_fail(struct thread *thread, const char *format, ...)
{
    struct run *run = thread->run;
    va_list arguments;
    int length =
        snprintf(run->message, SCALAR_MESSAGE, "line %u, block %u, thread %u: ", thread_instruction(thread)->line,
                 thread->block->number, thread->index);
    va_start(arguments, format);
    vsnprintf(run->message + length, (size_t)(SCALAR_MESSAGE - length), format, arguments);
    va_end(arguments);
    longjmp(run->failed, 1);
}

struct scalar_instruction *thread_instruction(struct thread *thread)
{
    struct frame *frame = &thread->frames[thread->depth];
    return &frame->function->code[frame->pc];
}

static uint64_t special(const struct thread *thread, enum scalar_special special)
{
    const struct scalar_launch *launch = thread->run->launch;
    switch (special) {
    case SPECIAL_TID_X:
        return thread->index % launch->shape[0];
    case SPECIAL_TID_Y:
        return thread->index / launch->shape[0];
    case SPECIAL_NTID_X:
        return launch->shape[0];
    case SPECIAL_NTID_Y:
        return launch->shape[1];
    case SPECIAL_CTAID_X:
        return thread->block->number;
    case SPECIAL_NCTAID_X:
        return launch->blocks;
    case SPECIAL_LANEID:
        return thread->lane;
    case SPECIAL_LANEMASK_LT:
        return (1u << thread->lane) - 1;
    case SPECIAL_CLUSTER_CTARANK:
        return thread->block->number % launch->cluster;
    default:
        return launch->cluster;
    }
}

uint64_t thread_value(struct thread *thread, const struct scalar_operand *operand)
{
    const uint64_t *registers = thread->frames[thread->depth].registers;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return operand->negated ? !registers[operand->number] : registers[operand->number];
    case OPERAND_SPECIAL:
        return special(thread, (enum scalar_special)operand->number);
    case OPERAND_ADDRESS:
        return operand->value + (operand->number >= 0 ? registers[operand->number] : 0);
    case OPERAND_FUNCTION:
        return (uint64_t)operand->number;
    default:
        return operand->value;
    }
}

void thread_set(struct thread *thread, const struct scalar_operand *operand, enum scalar_type type, uint64_t value)
{
    if (operand->kind == OPERAND_REGISTER)
        thread->frames[thread->depth].registers[operand->number] = arithmetic_truncate(type, value);
}

void thread_set_second(struct thread *thread, const struct scalar_operand *operand, bool value)
{
    if (operand->second >= 0)
        thread->frames[thread->depth].registers[operand->second] = value;
}

/* ===== waiting ===== */

static void make_ready(struct thread *thread)
{
    struct run *run = thread->run;
    thread->state = THREAD_READY;
    thread->place = run->ready_count;
    run->ready[run->ready_count++] = thread;
}

void thread_wait(struct thread *thread, enum thread_state state)
{
    struct run *run = thread->run;
    struct thread *last = run->ready[--run->ready_count];
    run->ready[thread->place] = last;
    last->place = thread->place;
    thread->state = state;
}

void thread_go(struct thread *thread)
{
    thread->frames[thread->depth].pc++;
    make_ready(thread);
}

static void leave(struct thread *thread)
{
    thread_wait(thread, THREAD_EXITED);
    meet_exit(thread);
}

/* ===== flow ===== */

static void enter(struct thread *thread, const struct scalar_function *function)
{
    struct frame *frame = &thread->frames[thread->depth];
    if (frame->registers + function->registers > thread->file + REGISTERS)
        run_fail(thread, "more than %d registers", REGISTERS);
    frame->function = function;
    frame->pc = 0;
}

static void call(struct thread *thread, const struct scalar_instruction *instruction)
{
    struct frame *frame = &thread->frames[thread->depth];
    const struct scalar_function *function =
        &thread->run->module->functions[thread_value(thread, &instruction->operands[0])];
    uint64_t *registers = frame->registers + frame->function->registers;
    if (thread->depth + 1 == FRAMES)
        run_fail(thread, "calls are too deep");
    for (unsigned i = 0; i < function->parameters; i++)
        registers[function->results + i] = thread_value(thread, &instruction->operands[1 + instruction->results + i]);
    thread->depth++;
    thread->frames[thread->depth].registers = registers;
    enter(thread, function);
}

static void leave_function(struct thread *thread)
{
    if (thread->depth == 0) {
        leave(thread);
        return;
    }
    const uint64_t *results = thread->frames[thread->depth--].registers;
    const struct scalar_instruction *instruction = thread_instruction(thread);
    for (unsigned i = 0; i < instruction->results; i++)
        thread_set(thread, &instruction->operands[1 + i], TYPE_U64, results[i]);
    thread->frames[thread->depth].pc++;
}

static void jump(struct thread *thread, const struct scalar_instruction *instruction)
{
    struct frame *frame = &thread->frames[thread->depth];
    if (instruction->operation == SCALAR_BRA) {
        frame->pc = (unsigned)instruction->operands[0].number;
        return;
    }
    const struct scalar_table *table = &frame->function->tables[instruction->operands[1].number];
    uint64_t index = thread_value(thread, &instruction->operands[0]);
    if (index >= table->count)
        run_fail(thread, "brx.idx to %llu of %u", (unsigned long long)index, table->count);
    frame->pc = (unsigned)table->targets[index];
}

/* ===== what one thread does alone ===== */

static bool combine(enum scalar_word how, bool a, bool b)
{
    return how == WORD_AND ? a && b : how == WORD_OR ? a || b : how == WORD_XOR ? a != b : a;
}

static void compare(struct thread *thread, const struct scalar_instruction *instruction)
{
    const struct scalar_operand *operands = instruction->operands;
    bool found = arithmetic_compare(instruction->words[0], instruction->type, thread_value(thread, &operands[1]),
                                    thread_value(thread, &operands[2]));
    bool other = instruction->count > 3 && thread_value(thread, &operands[3]);
    thread_set_second(thread, &operands[0], combine(instruction->words[1], !found, other));
    thread_set(thread, &operands[0], TYPE_PRED, combine(instruction->words[1], found, other));
}

static void compute(struct thread *thread, const struct scalar_instruction *instruction)
{
    uint64_t values[SCALAR_OPERANDS] = {0};
    enum scalar_type type = instruction->words[0] == WORD_WIDE ? TYPE_U64 : instruction->type;
    for (unsigned i = 1; i < instruction->count; i++)
        values[i - 1] = thread_value(thread, &instruction->operands[i]);
    bool divides = instruction->operation == SCALAR_DIV || instruction->operation == SCALAR_REM;
    if (divides && arithmetic_truncate(type, values[1]) == 0)
        run_fail(thread, "division by zero");
    thread_set(thread, &instruction->operands[0], type, arithmetic(instruction, values));
}

static void map(struct thread *thread, const struct scalar_instruction *instruction)
{
    uint64_t address = thread_value(thread, &instruction->operands[1]);
    if (instruction->operation == SCALAR_MAPA)
        address |= (thread_value(thread, &instruction->operands[2]) + 1) << 24;
    else
        address = memory_generic(instruction->space, address, instruction->words[0] == WORD_TO);
    thread_set(thread, &instruction->operands[0], instruction->type, address);
}

/* Returns whether the thread goes to the next instruction: it does not where it waits, or has gone elsewhere. */
static bool execute(struct thread *thread, const struct scalar_instruction *instruction)
{
    switch (instruction->operation) {
    case SCALAR_BRA:
    case SCALAR_BRX:
        jump(thread, instruction);
        return false;
    case SCALAR_CALL:
        call(thread, instruction);
        return false;
    case SCALAR_RET:
        leave_function(thread);
        return false;
    case SCALAR_EXIT:
        leave(thread);
        return false;
    case SCALAR_SHFL:
    case SCALAR_VOTE:
    case SCALAR_MATCH:
    case SCALAR_REDUX:
    case SCALAR_ELECT:
        meet_warp(thread);
        return false;
    case SCALAR_BARRIER:
        meet_barrier(thread);
        return false;
    case SCALAR_MBARRIER:
        memory_mbarrier(thread, instruction);
        return true;
    case SCALAR_LD:
    case SCALAR_ST:
    case SCALAR_ATOM:
    case SCALAR_RED:
        memory_access(thread, instruction);
        return true;
    case SCALAR_SETP:
        compare(thread, instruction);
        return true;
    case SCALAR_CVTA:
    case SCALAR_MAPA:
        map(thread, instruction);
        return true;
    case SCALAR_NOTHING:
        return true;
    default:
        compute(thread, instruction);
        return true;
    }
}

/* Returns whether the thread goes on: it does not where it waits, nor where it has gone back, as it may be polling. */
static bool step(struct thread *thread)
{
    struct frame *frame = &thread->frames[thread->depth];
    const struct scalar_instruction *instruction = &frame->function->code[frame->pc];
    unsigned from = frame->pc;
    if (instruction->guard >= 0 && frame->registers[instruction->guard] == (uint64_t)instruction->guard_negated)
        frame->pc++;
    else if (execute(thread, instruction))
        frame->pc++;
    return thread->state == THREAD_READY && frame->pc > from;
}

/* ===== a launch ===== */

static void begin(struct run *run, const struct scalar_function *kernel)
{
    const struct scalar_launch *launch = run->launch;
    unsigned count = launch->shape[0] * launch->shape[1];
    run->blocks = calloc(launch->blocks, sizeof *run->blocks);
    run->ready = calloc((size_t)launch->blocks * count, sizeof *run->ready);
    for (unsigned b = 0; b < launch->blocks; b++) {
        struct block *block = &run->blocks[b];
        block->number = b;
        block->count = count;
        block->threads = calloc(count, sizeof *block->threads);
        block->shared = calloc(1, run->module->shared_bytes + 1);
        for (unsigned i = 0; i < count; i++) {
            struct thread *thread = &block->threads[i];
            *thread = (struct thread){.run = run, .block = block, .index = i, .lane = i % LANES};
            thread->file = thread->frames[0].registers = calloc(REGISTERS, sizeof *thread->file);
            enter(thread, kernel);
            thread->file[0] = global_base;
            thread->file[1] = launch->word;
            make_ready(thread);
        }
    }
}

static void end(struct run *run)
{
    for (unsigned b = 0; b < run->launch->blocks; b++) {
        for (unsigned i = 0; i < run->blocks[b].count; i++)
            free(run->blocks[b].threads[i].file);
        free(run->blocks[b].threads);
        free(run->blocks[b].shared);
    }
    free(run->blocks);
    free(run->ready);
}

/* A thread that waits for ever, if there is one. */
static struct thread *stuck(struct run *run)
{
    for (unsigned b = 0; b < run->launch->blocks; b++)
        for (unsigned i = 0; i < run->blocks[b].count; i++)
            if (run->blocks[b].threads[i].state != THREAD_EXITED)
                return &run->blocks[b].threads[i];
    return NULL;
}

/* Threads have turns of one or of many instructions, by the launch's seed. */
static void take_turns(struct run *run)
{
    unsigned longest = 1u << draw(run) % 8;
    for (unsigned steps = 0; run->ready_count;) {
        struct thread *thread = run->ready[draw(run) % run->ready_count];
        uint64_t turn = 1 + draw(run) % longest;
        do
            steps++;
        while (step(thread) && --turn > 0);
        if (steps > STEPS)
            run_fail(thread, "more than %d steps", STEPS);
    }
    struct thread *thread = stuck(run);
    if (thread)
        run_fail(thread, "waits for ever at %s", thread_instruction(thread)->name);
}

bool scalar_run(const struct scalar_module *module, const struct scalar_launch *launch, char message[SCALAR_MESSAGE])
{
    struct run *run = &(struct run){.module = module, .launch = launch, .random = launch->order, .message = message};
    int kernel = scalar_function(module, launch->kernel);
    if (kernel < 0 || module->functions[kernel].parameters != 2) {
        snprintf(message, SCALAR_MESSAGE, "there is no kernel %s of two parameters", launch->kernel);
        return false;
    }
    volatile bool finished = false;
    if (!setjmp(run->failed)) {
        begin(run, &module->functions[kernel]);
        take_turns(run);
        finished = true;
    }
    end(run);
    return finished;
}
