/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run-time library of coprocessor programs: every core runs mc_main. Variables are private to each core unless they
 * are marked MC_SHARED; shared memory beyond those is reached by address, bank by bank (mc_bank).
 * After the programming model of Raghav et al., TPDS 2015, and the barriers that it compares (Marongiu et al.).
 */
#ifndef MANYCORE_PROGRAM_H
#define MANYCORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MC_SHARED __attribute__((section(".shared")))

struct mc_place {
    uint32_t core, cores, width, bank_bytes;
};
extern struct mc_place mc_place;

int mc_main(void); /* the program's: its result is the core's exit status */
void mc_exit(int status) __attribute__((noreturn));

static inline uint32_t mc_core(void) { return mc_place.core; }
static inline uint32_t mc_cores(void) { return mc_place.cores; }

/* The bank of shared memory in a core's tile. Its first MC_BANK_RESERVED bytes are the library's
 * (manycore.c says what for); in core 0's bank the MC_SHARED variables come first of all, up to MC_BARRIER_AT. */
enum { MC_BARRIER_AT = 128, MC_BANK_RESERVED = 1536 };
static inline volatile uint32_t *mc_bank(uint32_t core)
{
    return (volatile uint32_t *)(0x80000000u + core * mc_place.bank_bytes);
}

/* At file scope: the program needs banks of this many bytes (a number, no expression). The machine refuses it where
 * banks are smaller, which would otherwise overlap. The library asks for what it needs itself. */
#define MC_BANK_NEEDS(bytes) __asm__(MC_BANK_NOTE(bytes))
#define MC_BANK_NOTE(bytes)  ".pushsection .mc_bank, \"\", %progbits\n\t.word " #bytes "\n\t.popsection"

/* Static scheduling of a loop: this core's share of `count` iterations. */
static inline void mc_share(uint32_t count, uint32_t *from, uint32_t *to)
{
    uint32_t base = count / mc_cores(), more = count % mc_cores(), core = mc_core();
    *from = core * base + (core < more ? core : more);
    *to = *from + base + (core < more ? 1 : 0);
}

/* The core's cycle counter. */
static inline uint32_t mc_cycles(void)
{
    uint32_t cycles;
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(cycles));
    return cycles;
}

/* Of a number by that of the cores. The core has no division: a shift where that does it. */
static inline uint32_t mc_modulo(uint32_t number)
{
    uint32_t cores = mc_cores();
    return cores & (cores - 1) ? number % cores : number & (cores - 1);
}
static inline uint32_t mc_quotient(uint32_t number)
{
    uint32_t cores = mc_cores();
    return cores & (cores - 1) ? number / cores : number >> (31 - __builtin_clz(cores));
}

/* Atomic addition like mc_add, with waits of up to 65,536 rounds, whatever the number of cores. */
uint32_t mc_add_long(volatile uint32_t *at, uint32_t value);

/* A spin lock: a word that is 0 when free, and otherwise the number of its holder + 1. */
void mc_lock(volatile uint32_t *lock);
void mc_unlock(volatile uint32_t *lock);

/* Barriers of all cores: centralised, with a lock and polling (BC); a master that collects the others' flags in its own
 * bank and releases each of them in theirs (B-MSD); the same in a tree of clusters of 16 (BMSD-T). */
void mc_barrier_central(void);
void mc_barrier_master(void);
void mc_barrier_tree(void);
/* A call says what it needs, MC_BANK_RESERVED bytes, as the library's other parts need less; who takes the function's
 * address says so himself (MC_BANK_NEEDS). */
#define mc_barrier_master() (mc_needs_reserved(), mc_barrier_master())
static inline void mc_needs_reserved(void)
{
    __asm__ inline volatile(MC_BANK_NOTE(1536));
}

/* Adds up the values of all cores, at most MC_SUMS of them; core 0 alone gets the sums. Once in a program, or with a
 * barrier in between. */
enum { MC_SUMS = 8 };
void mc_sum(uint64_t *values, uint32_t count);

void mc_print(const char *text);
void mc_print_number(const char *before, uint32_t number, const char *after);

/* The number of the word `index` of the command line (0 is the program), or `otherwise` when there is none. */
uint32_t mc_argument(uint32_t index, uint32_t otherwise);

/* A next pseudo-random number (xorshift). */
static inline uint32_t mc_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Atomic addition by LDREX and STREX; returns the value before. Who fails waits at random, up to twice as long each
 * time but at most about `most` rounds, and tries again. `*state`: of its random numbers, at first 0. */
__attribute__((always_inline)) static inline uint32_t mc_add_within(volatile uint32_t *at, uint32_t value,
                                                                    uint32_t most, uint32_t *state)
{
    for (uint32_t window = 16;; window += window < most ? window : 0) {
        uint32_t old, sum, failed;
        __asm__ volatile("ldrex %0, [%3]\n\tadd %1, %0, %4\n\tstrex %2, %1, [%3]"
                         : "=&r"(old), "=&r"(sum), "=&r"(failed)
                         : "r"(at), "r"(value)
                         : "memory");
        if (!failed)
            return old;
        *state = *state ? *state : mc_core() * 2654435761u + 1;
        for (uint32_t wait = mc_random(state) & (window - 1); wait; wait--)
            __asm__ volatile("");
    }
}

/* The same with a wait of at most some eight rounds for each core: a bound in proportion to the cores that may compete
 * (Anderson, TPDS 1990) keeps nobody asleep when the others have gone. */
__attribute__((noinline, unused)) static uint32_t mc_add(volatile uint32_t *at, uint32_t value)
{
    static uint32_t state;
    return mc_add_within(at, value, 8 * mc_cores(), &state);
}

/* For the end of a program: counts the cores that found their results right; core 0 waits for all and says so. */
int mc_conclude(const char *name, bool right);

#endif
