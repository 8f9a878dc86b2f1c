/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the scalar interpreter, their blocks, and what each file of it offers the others. */
#ifndef TESTS_SCALAR_THREAD_H
#define TESTS_SCALAR_THREAD_H

#include "program.h"
#include "scalar.h"

#include <setjmp.h>

enum { LANES = 32, BARRIERS = 16, FRAMES = 8, LOCAL_BYTES = 64, REGISTERS = 4096 };

enum thread_state { THREAD_READY, THREAD_AT_WARP, THREAD_AT_BARRIER, THREAD_AT_CLUSTER, THREAD_EXITED };

struct frame {
    const struct scalar_function *function;
    unsigned pc;
    uint64_t *registers;
};

struct thread {
    enum thread_state state;
    struct run *run;
    struct block *block;
    unsigned index, lane, place; /* in the block, in the warp, in run->ready */
    unsigned depth;
    struct frame frames[FRAMES];
    uint64_t *file; /* of registers, of all frames */
    unsigned char local[LOCAL_BYTES];
    uint32_t mask;             /* at a .sync operation: its members */
    unsigned barrier, threads; /* at a barrier: its number, and how many threads take part; 0: all */
    bool cluster_arrived;
};

struct block {
    unsigned number, count; /* threads */
    struct thread *threads;
    unsigned char *shared;
    uint32_t arrived[BARRIERS]; /* warps, in the present phase */
};

struct run {
    const struct scalar_module *module;
    const struct scalar_launch *launch;
    struct block *blocks;
    struct thread **ready; /* threads that wait for nothing */
    unsigned ready_count;
    uint64_t random;
    char *message;
    jmp_buf failed;
};

/* thread.c */
_Noreturn __attribute__((format(printf, 2, 3))) void run_fail(struct thread *thread, const char *format, ...);
struct scalar_instruction *thread_instruction(struct thread *thread);
uint64_t thread_value(struct thread *thread, const struct scalar_operand *operand);
void thread_set(struct thread *thread, const struct scalar_operand *operand, enum scalar_type type, uint64_t value);
void thread_set_second(struct thread *thread, const struct scalar_operand *operand, bool value);
void thread_wait(struct thread *thread, enum thread_state state);
void thread_go(struct thread *thread); /* past the instruction that it has waited at */

/* arithmetic.c: the value of an operation on its operands' values */
uint64_t arithmetic(const struct scalar_instruction *instruction, const uint64_t operands[4]);
bool arithmetic_compare(enum scalar_word comparison, enum scalar_type type, uint64_t a, uint64_t b);
uint64_t arithmetic_reduce(enum scalar_word operation, enum scalar_type type, uint64_t a, uint64_t b);
uint64_t arithmetic_truncate(enum scalar_type type, uint64_t value);

/* memory.c */
uint64_t memory_generic(enum scalar_space space, uint64_t address, bool to);             /* cvta */
void memory_access(struct thread *thread, const struct scalar_instruction *instruction); /* ld, st, atom, red */
void memory_mbarrier(struct thread *thread, const struct scalar_instruction *instruction);

/* meet.c: where threads wait for one another */
void meet_warp(struct thread *thread);    /* at a .sync operation */
void meet_barrier(struct thread *thread); /* bar, barrier */
void meet_exit(struct thread *thread);    /* has exited: others may have waited for it alone */

#endif
