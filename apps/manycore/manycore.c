/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore.h"

struct mc_place mc_place = {1, 1, 1, 1}; /* not zero, so that it lies in .data */

/* ===== semihosting ===== */

static uint32_t call(uint32_t number, const void *argument)
{
    register uint32_t r0 __asm__("r0") = number;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void mc_exit(int status)
{
    const uint32_t words[2] = {0x20026, (uint32_t)status};
    for (;;)
        call(0x20, words);
}

void mc_print(const char *text)
{
    call(0x04, text);
}

static char *put_number(char *end, uint32_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while (number /= 10);
    return end;
}

void mc_print_number(const char *before, uint32_t number, const char *after)
{
    char text[128], digits[12], *at = text, *last = text + sizeof text - 1;
    digits[11] = 0;
    const char *parts[3] = {before, put_number(digits + 11, number), after};
    for (int i = 0; i < 3; i++)
        for (const char *from = parts[i]; *from && at < last; from++)
            *at++ = *from;
    *at = 0;
    mc_print(text); /* one call, so that no other core's text comes between */
}

uint32_t mc_argument(uint32_t index, uint32_t otherwise)
{
    char text[256];
    struct { char *text; uint32_t bytes; } line = {text, sizeof text};
    if (call(0x15, &line) != 0)
        return otherwise;
    const char *at = text;
    for (; index && *at; index--) {
        while (*at && *at != ' ')
            at++;
        while (*at == ' ')
            at++;
    }
    if (*at < '0' || *at > '9')
        return otherwise;
    uint32_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint32_t)(*at - '0');
    return number;
}

/* ===== synchronisation ===== */

static uint32_t swap(volatile uint32_t *at, uint32_t value)
{
    uint32_t old;
    __asm__ volatile("swp %0, %1, [%2]" : "=&r"(old) : "r"(value), "r"(at) : "memory");
    return old;
}

void mc_lock(volatile uint32_t *lock)
{
    while (swap(lock, mc_core() + 1) != 0)
        while (*lock != 0)
            ;
}

void mc_unlock(volatile uint32_t *lock)
{
    *lock = 0;
}

/* The library's words in each bank, from MC_BARRIER_AT on: 0 lock, 1 entered, 2 generation (bank 0); 4 arrival flag,
 * 5 release flag (each bank); 6 and 7 the same of the upper level. */
static volatile uint32_t *words_of(uint32_t core)
{
    return mc_bank(core) + MC_BARRIER_AT / 4;
}

void mc_barrier_central(void)
{
    volatile uint32_t *words = words_of(0);
    uint32_t generation = words[2];
    mc_lock(&words[0]);
    uint32_t entered = ++words[1];
    if (entered == mc_cores()) {
        words[1] = 0;
        words[2] = generation + 1;
        mc_unlock(&words[0]);
        return;
    }
    mc_unlock(&words[0]);
    while (words[2] == generation)
        ;
}

/* One level: cores first, first + step, … of `count` gather at the first. Flags count the barriers passed. */
static void gather(uint32_t first, uint32_t step, uint32_t count, uint32_t flag, uint32_t turn)
{
    for (uint32_t i = 1; i < count; i++)
        while (words_of(first + i * step)[flag] != turn) /* each in a bank of its own: no contention */
            ;
}

static void release(uint32_t first, uint32_t step, uint32_t count, uint32_t flag, uint32_t turn)
{
    for (uint32_t i = 1; i < count; i++)
        words_of(first + i * step)[flag] = turn;
}

static void wait_for_release(uint32_t flag, uint32_t turn)
{
    words_of(mc_core())[flag] = turn;
    while (words_of(mc_core())[flag + 1] != turn)
        ;
}

void mc_barrier_master(void)
{
    static uint32_t turn;
    turn++;
    if (mc_core() != 0) {
        wait_for_release(4, turn);
        return;
    }
    gather(0, 1, mc_cores(), 4, turn);
    release(0, 1, mc_cores(), 5, turn);
}

enum { CLUSTER = 16 };

void mc_barrier_tree(void)
{
    static uint32_t turn;
    uint32_t core = mc_core(), cores = mc_cores(), span = 1;
    turn++;
    /* Upwards: on each level the first of every cluster goes on as a member of the next one. */
    while (span < cores && core % (span * CLUSTER) == 0) {
        uint32_t left = (cores - core + span - 1) / span;
        gather(core, span, left < CLUSTER ? left : CLUSTER, 6, turn);
        span *= CLUSTER;
    }
    if (core != 0)
        wait_for_release(6, turn);
    while (span > 1) { /* and down again */
        span /= CLUSTER;
        uint32_t left = (cores - core + span - 1) / span;
        release(core, span, left < CLUSTER ? left : CLUSTER, 7, turn);
    }
}

int mc_conclude(const char *name, bool right)
{
    volatile uint32_t *words = words_of(0) + 8;
    if (!right)
        mc_add(&words[0], 1);
    mc_barrier_tree();
    if (mc_core() != 0)
        return !right;
    mc_print(name);
    if (words[0])
        mc_print_number(": WRONG on ", words[0], " cores\n");
    else
        mc_print_number(": right on ", mc_cores(), " cores\n");
    return words[0] != 0;
}
