/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore.h"

struct mc_place mc_place = {1, 1, 1, 1}; /* not zero, so that it lies in .data */

/* ===== what compilers call of their own accord ===== */

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);

void *memset(void *to, int value, size_t bytes)
{
    for (unsigned char *at = to; bytes; bytes--)
        *at++ = (unsigned char)value;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    const unsigned char *source = from;
    for (unsigned char *at = to; bytes; bytes--)
        *at++ = *source++;
    return to;
}

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

/* Not by SWP, which would write over the holder's number. */
void mc_lock(volatile uint32_t *lock)
{
    uint32_t failed = 1;
    while (failed) {
        uint32_t holder;
        do
            __asm__ volatile("ldrex %0, [%1]" : "=&r"(holder) : "r"(lock) : "memory");
        while (holder != 0);
        __asm__ volatile("strex %0, %1, [%2]" : "=&r"(failed) : "r"(mc_core() + 1), "r"(lock) : "memory");
    }
}

void mc_unlock(volatile uint32_t *lock)
{
    *lock = 0;
}

uint32_t mc_add_long(volatile uint32_t *at, uint32_t value)
{
    static uint32_t state;
    return mc_add_within(at, value, 1u << 16, &state);
}

/*
 * What the library keeps in each bank:
 *   128  words: 0 lock, 1 entered, 2 generation of the centralised barrier, 3 cores that went wrong (all in bank 0);
 *        4 release by the master, 5 release by the cluster's first
 *   192  values that the cluster's first adds up
 *   256  arrivals in this core's clusters: a word for each of 16 members on each of 4 levels
 *   512  arrivals at the master, a byte for each core; in core 0's bank those of the first 1024, and so on
 * Arrivals and releases are counts, so that nobody has to clear them.
 */
enum { CLUSTER = 16, VALUES_AT = 192, MEMBERS_AT = 256, SLAVES_AT = 512, SLAVES = MC_BANK_RESERVED - SLAVES_AT };
MC_BANK_NEEDS(512); /* SLAVES_AT: all but the barrier with a master */

static volatile uint32_t *words_of(uint32_t core)
{
    return mc_bank(core) + MC_BARRIER_AT / 4;
}

void mc_barrier_central(void)
{
    volatile uint32_t *words = words_of(0);
    uint32_t generation = words[2];
    mc_lock(&words[0]);
    uint32_t entered = words[1] + 1;
    if (entered == mc_cores()) {
        words[1] = 0;
        words[2] = generation + 1;
        mc_unlock(&words[0]);
        return;
    }
    words[1] = entered;
    mc_unlock(&words[0]);
    while (words[2] == generation)
        ;
}

static volatile uint8_t *slave(uint32_t core)
{
    return (volatile uint8_t *)mc_bank(core / SLAVES) + SLAVES_AT + core % SLAVES;
}

void(mc_barrier_master)(void)
{
    static uint32_t turn;
    turn++;
    if (mc_core() != 0) {
        *slave(mc_core()) = (uint8_t)turn;
        while (words_of(mc_core())[4] != turn) /* in its own bank: no traffic */
            ;
        return;
    }
    for (uint32_t core = 1; core < mc_cores(); core++)
        while (*slave(core) != (uint8_t)turn)
            ;
    for (uint32_t core = 1; core < mc_cores(); core++)
        words_of(core)[4] = turn;
}

/* Arrivals on a level of the tree at a cluster's first core. */
static volatile uint32_t *members(uint32_t first, uint32_t level)
{
    return mc_bank(first) + MEMBERS_AT / 4 + level * CLUSTER;
}

static uint32_t cluster_size(uint32_t span)
{
    uint32_t size = 1;
    while (size < CLUSTER && mc_core() + size * span < mc_cores())
        size++;
    return size;
}

static void add_values(uint32_t core, uint64_t *values, uint32_t count)
{
    volatile uint64_t *from = (volatile uint64_t *)(mc_bank(core) + VALUES_AT / 4);
    for (uint32_t i = 0; i < count; i++)
        values[i] += from[i];
}

static uint32_t tree_turn;

/* Upwards: on each level the first of every cluster goes on as a member of the next one. Returns the span of the
 * highest cluster whose first this core is. */
static uint32_t arrive(uint64_t *values, uint32_t count)
{
    uint32_t core = mc_core(), span = 1, level = 0;
    tree_turn++;
    for (; span < mc_cores() && (core & (span * CLUSTER - 1)) == 0; span *= CLUSTER, level++) {
        uint32_t size = cluster_size(span);
        for (uint32_t i = 1; i < size; i++) {
            while ((int32_t)(members(core, level)[i] - tree_turn) < 0)
                ;
            add_values(core + i * span, values, count);
        }
    }
    if (core == 0)
        return span;
    volatile uint64_t *mine = (volatile uint64_t *)(mc_bank(core) + VALUES_AT / 4);
    for (uint32_t i = 0; i < count; i++)
        mine[i] = values[i];
    members(core & -(span * CLUSTER), level)[core >> 4 * level & (CLUSTER - 1)] = tree_turn;
    return span;
}

void mc_barrier_tree(void)
{
    uint32_t span = arrive(NULL, 0);
    if (mc_core() != 0)
        while (words_of(mc_core())[5] != tree_turn)
            ;
    while (span > 1) { /* and down again */
        span /= CLUSTER;
        for (uint32_t i = 1, size = cluster_size(span); i < size; i++)
            words_of(mc_core() + i * span)[5] = tree_turn;
    }
}

void mc_sum(uint64_t *values, uint32_t count)
{
    arrive(values, count < MC_SUMS ? count : MC_SUMS);
}

int mc_conclude(const char *name, bool right)
{
    volatile uint32_t *wrong = words_of(0) + 3;
    if (!right)
        mc_add_long(wrong, 1);
    arrive(NULL, 0);
    if (mc_core() != 0)
        return !right;
    mc_print(name);
    uint32_t count = *wrong;
    if (count)
        mc_print_number(": WRONG on ", count, " cores\n");
    else
        mc_print_number(": right on ", mc_cores(), " cores\n");
    return count != 0;
}
