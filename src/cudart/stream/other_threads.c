/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the program: each has a clock of its own where there are several devices. A call that waits for what only
 * another thread can bring about lets others make calls, and gives up when all of them sleep.
 */
#include "cudart/stream/other_threads.h"

#include "cudart/base/state.h"
#include "cudart/base/thread_state.h"
#include "cudart/stream/clock.h"

enum {
    SOON = 200000,    /* ns between two looks at first, */
    LATER = 10000000, /* … and later */
    FIRST = 50,       /* looks */
    QUIET = 150,      /* late looks, one after the other, in which all threads slept */
};

void cudart_load_clock(struct cudart *rt)
{
    struct cudart_thread *thread = cudart_thread();
    if (rt->machine_devices == 1)
        return;
    if (!thread->clocked)
        thread->host = rt->calls.many_threads ? rt->clock->device : rt->clock->host;
    thread->clocked = true;
    rt->clock->host = thread->host;
}

void cudart_keep_clock(struct cudart *rt)
{
    cudart_thread()->host = rt->clock->host;
}

void cudart_wait_for_calls(struct cudart *rt, uint64_t nanoseconds)
{
    cudart_keep_clock(rt);
    cudart_poller_waits(true);
    cudart_let_others(nanoseconds);
    cudart_poller_waits(false);
    cudart_load_clock(rt);
}

struct cudart_awaiting {
    uint64_t calls; /* that there had been when it looked last */
    struct cudart_awaiting *next;
};

static bool await(struct cudart *rt, uint64_t calls)
{
    uint32_t others, own = (uint32_t)rt->interrupt.own_threads, quiet = 0;
    cudart_others_sleep(rt, NULL, &others);
    for (uint32_t looks = 0; others > own && quiet < QUIET; looks++) {
        cudart_wait_for_calls(rt, looks < FIRST ? SOON : LATER);
        if (rt->calls.count != calls || rt->faults.pending || cudart_is_ending(rt))
            return true;
        quiet = cudart_others_sleep(rt, NULL, &others) && looks >= FIRST ? quiet + 1 : 0;
    }
    return false;
}

bool cudart_await_call(struct cudart *rt)
{
    struct cudart_awaiting self = {rt->calls.count, rt->clock->awaiting}, **link = &rt->clock->awaiting;
    rt->clock->awaiting = &self;
    bool called = await(rt, self.calls);
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
    return called;
}

bool cudart_calls_are_seen(const struct cudart *rt)
{
    for (const struct cudart_awaiting *each = rt->clock->awaiting; each; each = each->next)
        if (each->calls != rt->calls.count)
            return false;
    return true;
}
