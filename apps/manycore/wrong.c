/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mistakes, to see what the simulator says about them. Argument: 0 a lock that core 2 never releases, 1 two cores that
 * take two locks in opposite order, 2 a loop without end, 3 recursion without end, 4 a misaligned access, 5 an access
 * to nothing, 6 an undefined instruction. Cores from 3 on, or all, make it.
 */
#include "manycore.h"

static MC_SHARED volatile uint32_t locks[2];

static uint32_t __attribute__((noinline)) recurse(uint32_t depth)
{
    volatile uint32_t frame[16];
    frame[depth % 16] = depth;
    return depth == UINT32_MAX ? 0 : recurse(depth + 1) + frame[depth % 16];
}

static void take_both(volatile uint32_t *one, volatile uint32_t *other)
{
    mc_lock(one);
    for (volatile uint32_t i = 0; i < 1000; i++)
        ;
    mc_lock(other);
}

static void lock_wrongly(uint32_t kind)
{
    if (kind == 1 && mc_core() < 2) {
        take_both(&locks[mc_core()], &locks[1 - mc_core()]);
        return;
    }
    mc_lock(&locks[0]);
    if (kind == 1 || mc_core() != 2)
        mc_unlock(&locks[0]);
}

int mc_main(void)
{
    uint32_t kind = mc_argument(1, 0);
    if (kind < 2)
        lock_wrongly(kind);
    else if (mc_core() < 3)
        return 0;
    else if (kind == 2)
        for (;;)
            ;
    else if (kind == 3)
        return (int)recurse(0) & 1;
    else if (kind == 4)
        __asm__ volatile("ldr r0, [%0]" : : "r"(0x80000001) : "r0");
    else if (kind == 5)
        return *(volatile int *)0x70000000;
    else
        __asm__ volatile(".word 0xe7f000f0");
    return 0;
}
