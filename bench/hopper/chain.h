// SPDX-License-Identifier: BSD-3-Clause
// Lines of memory in an order of no pattern, the same in each run.
#ifndef BENCH_HOPPER_CHAIN_H
#define BENCH_HOPPER_CHAIN_H

#include <cstdint>
#include <cstdlib>

// All numbers below `lines`; free it.
static uint32_t *shuffled(long lines)
{
    uint32_t *order = (uint32_t *)malloc(lines * sizeof *order);
    uint64_t state = 88172645463325252u;
    for (long i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (long i = lines - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        long j = (long)(state % (uint64_t)(i + 1));
        uint32_t kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    return order;
}

#endif
