/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/other_processes.h"

#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/state.h"
#include "cudart/stream/other_threads.h"

#include <stdio.h>
#include <string.h>

enum { SOON = 5000000 /* ns: the longest wait before the calls of other threads are looked at */ };

/* Reports the activity of other processes, after the report on this process's kernels. */
static void tell_of_others(const struct cudart *rt)
{
    const struct cudart_sharing *sharing = &rt->sharing;
    for (uint32_t i = 0; i < sharing->page->count && i < CUDART_SHARING_MEMBERS; i++) {
        const struct cudart_sharing_member *each = &sharing->page->members[i];
        char name[CUDART_SHARING_NAME], doing[CUDART_SHARING_DOING];
        struct mnp_error error = {{0}};
        if (i == sharing->self || !each->meets)
            continue;
        cudart_sharing_name(each, name);
        cudart_sharing_doing(sharing, each, doing);
        mnp_fail(&error, "… while %s %s", name, doing);
        cudart_say(&error);
    }
}

bool cudart_await_processes(struct cudart *rt, const char *kernel)
{
    uint64_t calls = rt->calls.count;
    char awaited[CUDART_SHARING_KERNEL];
    snprintf(awaited, sizeof awaited, kernel ? "its kernel %s" : "an event%s", kernel ? kernel : "");
    cudart_sharing_wait_for(&rt->sharing, awaited);
    for (;;) {
        if (cudart_sharing_is_stuck(&rt->sharing)) {
            tell_of_others(rt);
            return false;
        }
        cudart_keep_clock(rt);
        cudart_unlock();
        cudart_sharing_await(&rt->sharing, SOON);
        cudart_lock();
        cudart_load_clock(rt);
        if (rt->calls.count != calls || rt->sharing.page->moves != rt->sharing.seen || rt->faults.pending ||
            cudart_is_ending(rt))
            return true;
    }
}

const char *cudart_own_name(const struct cudart *rt, char name[CUDART_SHARING_NAME + 2])
{
    name[0] = 0;
    if (cudart_sharing_meets(&rt->sharing)) {
        cudart_sharing_name(&rt->sharing.page->members[rt->sharing.self], name);
        strcat(name, ": ");
    }
    return name;
}
