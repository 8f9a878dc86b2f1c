/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call that waits for what only another thread of the program can bring about: it lets others make calls, and gives
 * up when all of them sleep.
 */
#include "cudart/stream/other_threads.h"

#include "cudart/base/state.h"
#include "cudart/base/thread_state.h"
#include "cudart/stream/clock.h"

enum {
    SOON = 200000,    /* ns between two looks at first, */
    LATER = 10000000, /* and later */
    FIRST = 50,       /* looks */
    QUIET = 150,      /* late looks, one after the other, in which all threads slept */
};

bool cudart_await_call(struct cudart *rt)
{
    uint64_t calls = rt->calls.count;
    uint32_t others, own = (uint32_t)rt->interrupt.own_threads, quiet = 0;
    cudart_others_sleep(&others);
    for (uint32_t looks = 0; others > own && quiet < QUIET; looks++) {
        cudart_keep_clock(rt);
        cudart_let_others(looks < FIRST ? SOON : LATER);
        cudart_load_clock(rt);
        if (rt->calls.count != calls || rt->faults.pending || cudart_is_ending(rt))
            return true;
        quiet = cudart_others_sleep(&others) && looks >= FIRST ? quiet + 1 : 0;
    }
    return false;
}
