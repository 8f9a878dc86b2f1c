/* SPDX-License-Identifier: BSD-3-Clause */
/* Fibonacci on every core, recursively: calls and stack. Argument: n (16). The check: the same by a loop. */
#include "manycore.h"

static uint32_t __attribute__((noinline)) fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int mc_main(void)
{
    uint32_t n = mc_argument(1, 16), a = 0, b = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = a + b;
        a = b;
        b = next;
    }
    return mc_conclude("fibonacci", fibonacci(n) == a);
}
