/* SPDX-License-Identifier: BSD-3-Clause */
/* The sets of listeners that units have. */
#include "base/error.h"
#include "gpu/listeners/listener.h"

#include <string.h>

static const struct gpu_listener *const all[] = {
#define GPU_LISTENER(LISTENER) &LISTENER,
#include "gpu/listeners/rows.h"
    NULL};

enum { FUNCTIONS = sizeof(struct gpu_listener) / sizeof(void *) };
_Static_assert(FUNCTIONS <= 64, "an event has a bit of the mask");

void gpu_listeners_add(struct gpu_listeners *listeners, const struct gpu_listener *listener, void *own)
{
    uintptr_t functions[FUNCTIONS];
    MNP_REQUIRE(listeners->count + 1 < GPU_LISTENERS_MOST, "no room for the listener %s", listener->name);
    memcpy(functions, listener, sizeof functions);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        listeners->heard |= (uint64_t)(functions[i] != 0) << i;
    listeners->of[listeners->count++] = (struct gpu_listening){listener, own};
}

/* Adds the listeners that have an open function for the unit and want to hear it. */
#define OPEN(FUNCTION, UNIT)                                                                                           \
    for (const struct gpu_listener *const *each = all; *each; each++) {                                                \
        void *own = (*each)->FUNCTION ? (*each)->FUNCTION(UNIT) : NULL;                                                \
        if (own)                                                                                                       \
            gpu_listeners_add(listeners, *each, own);                                                                  \
    }

void gpu_listeners_open_sm(struct gpu_listeners *listeners, struct sm *sm)
{
    OPEN(open_sm, sm)
}

void gpu_listeners_open_partition(struct gpu_listeners *listeners, struct gpu_partition *partition)
{
    OPEN(open_partition, partition)
}

void gpu_listeners_open_dispatch(struct gpu_listeners *listeners, struct dispatch *dispatch)
{
    OPEN(open_dispatch, dispatch)
}

void *gpu_listeners_own(const struct gpu_listeners *listeners, const struct gpu_listener *listener)
{
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->of[i].listener == listener)
            return listeners->of[i].own;
    return NULL;
}

void gpu_listeners_close(struct gpu_listeners *listeners)
{
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->of[i].listener->close)
            listeners->of[i].listener->close(listeners->of[i].own);
    *listeners = (struct gpu_listeners){0};
}

/* ===== events ===== */

/* Calls the function that each listener has for an event, if any. */
#define TELL(UNIT, EVENT, ...)                                                                                         \
    for (const struct gpu_listening *each = listeners->of; each->listener; each++)                                     \
        if (each->listener->EVENT)                                                                                     \
            each->listener->EVENT(each->own, UNIT, __VA_ARGS__);

void gpu_tell_cta_begins(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t slot, uint64_t cycle)
{
    TELL(sm, sm.cta_begins, slot, cycle)
}

void gpu_tell_cta_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t slot, uint64_t cycle)
{
    TELL(sm, sm.cta_ends, slot, cycle)
}

void gpu_tell_warp_begins(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    TELL(sm, sm.warp_begins, warp, cycle)
}

void gpu_tell_warp_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    TELL(sm, sm.warp_ends, warp, cycle)
}

void gpu_tell_kernel_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint64_t launch, uint64_t cycle)
{
    TELL(sm, sm.kernel_ends, launch, cycle)
}

static __attribute__((noinline)) void tell_issued(const struct gpu_listeners *listeners, const struct sm *sm,
                                                  uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    TELL(sm, sm.issued, warp, record, cycle)
}

void gpu_tell_issued(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                     const struct mnp_record *record, uint64_t cycle)
{
    const struct gpu_listening *only = listeners->of;
    if (listeners->count == 1 && only->listener->sm.issued) /* the most frequent event goes on without a frame */
        only->listener->sm.issued(only->own, sm, warp, record, cycle);
    else
        tell_issued(listeners, sm, warp, record, cycle);
}

void gpu_tell_completed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    TELL(sm, sm.completed, warp, cycle)
}

void gpu_tell_shared_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint32_t index,
                              uint32_t conflicts, uint64_t cycle)
{
    TELL(sm, sm.shared_accessed, warp, index, conflicts, cycle)
}

void gpu_tell_memory_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint32_t index,
                              uint32_t sectors, uint64_t cycle)
{
    TELL(sm, sm.memory_accessed, warp, index, sectors, cycle)
}

void gpu_tell_l1d_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp, uint32_t kind,
                           uint32_t sectors, uint32_t missed, uint64_t cycle)
{
    TELL(sm, sm.l1d_accessed, warp, kind, sectors, missed, cycle)
}

void gpu_tell_multiplied(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                         const struct gpu_product *product, uint64_t cycle)
{
    TELL(sm, sm.multiplied, warp, product, cycle)
}

void gpu_tell_requested(const struct gpu_listeners *listeners, const struct sm *sm, const struct gpu_request *request,
                        uint64_t cycle)
{
    TELL(sm, sm.requested, request, cycle)
}

void gpu_tell_replied(const struct gpu_listeners *listeners, const struct sm *sm, const struct gpu_reply *reply,
                      uint64_t cycle)
{
    TELL(sm, sm.replied, reply, cycle)
}

void gpu_tell_visited(const struct gpu_listeners *listeners, const struct sm *sm, uint64_t cycle)
{
    TELL(sm, sm.visited, cycle)
}

void gpu_tell_l2_accessed(const struct gpu_listeners *listeners, const struct gpu_partition *partition, uint32_t kernel,
                          uint32_t kind, uint32_t sectors, uint32_t missed, uint64_t cycle)
{
    TELL(partition, partition.l2_accessed, kernel, kind, sectors, missed, cycle)
}

void gpu_tell_dram_commanded(const struct gpu_listeners *listeners, const struct gpu_partition *partition,
                             uint32_t kernel, uint32_t command, uint64_t cycle)
{
    TELL(partition, partition.dram_commanded, kernel, command, cycle)
}

void gpu_tell_cta_placed(const struct gpu_listeners *listeners, const struct dispatch *dispatch, uint32_t sm,
                         uint32_t launch, uint64_t cta, mnp_time time)
{
    TELL(dispatch, dispatch.cta_placed, sm, launch, cta, time)
}

void gpu_tell_cta_ended(const struct gpu_listeners *listeners, const struct dispatch *dispatch, uint32_t sm,
                        uint32_t launch, uint64_t cta, mnp_time time)
{
    TELL(dispatch, dispatch.cta_ended, sm, launch, cta, time)
}
