/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that waits outside the runtime for a function of its own that stands in a stream: then nothing would let the
 * device go on. A thread looks whether calls have stopped while such functions are waited for and all threads of the
 * program sleep, and lets the device go on in their place; the host's clock is then that of the function. This looks
 * at what threads do, not at a clock, unless the host computes for seconds.
 */
#include "cudart/stream/callback_thread.h"

#include "cudart/base/interrupt.h"
#include "cudart/base/state.h"
#include "cudart/base/thread_state.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"

#include <time.h>

enum {
    LOOK = 10000000, /* ns between two looks */
    QUIET = 3,       /* looks, one after the other, in which all threads slept */
    PATIENCE = 500,  /* looks after which one that computes is waited for no longer */
};

/* Lets the device go on until no function waits. */
static void go_on(struct cudart *rt, bool computing)
{
    if (computing)
        mnp_warn(&rt->simulation->results.log,
                 "the program has computed for seconds while a function of its own waited in a "
                 "stream: results may differ from run to run");
    while (rt->clock->functions && !rt->faults.pending && !rt->calls.reported)
        cudart_advance_function(rt);
}

static void *look(void *context)
{
    struct cudart *rt = context;
    struct timespec interval = {.tv_nsec = LOOK};
    struct cudart_asleep asleep = {0};
    uint64_t calls = 0;
    uint32_t quiet = 0, looks = 0;
    for (;;) {
        nanosleep(&interval, NULL);
        cudart_lock();
        bool waits = rt->clock->functions && !rt->turn.calling && rt->calls.count == calls;
        looks = waits ? looks + 1 : 0;
        quiet = waits && cudart_others_sleep(rt, &asleep, NULL) ? quiet + 1 : 0;
        calls = rt->calls.count;
        bool over = rt->calls.reported;
        if (!over && (quiet >= QUIET || looks >= PATIENCE))
            go_on(rt, quiet < QUIET);
        cudart_unlock();
        if (over)
            return NULL;
    }
}

void cudart_watch_host(struct cudart *rt)
{
    pthread_t thread;
    cudart_expect_function(rt);
    if (rt->clock->watched || !rt->simulation->timed)
        return;
    rt->clock->watched = pthread_create(&thread, NULL, look, rt) == 0;
    if (!rt->clock->watched)
        return;
    pthread_detach(thread);
    cudart_own_thread(rt);
}
