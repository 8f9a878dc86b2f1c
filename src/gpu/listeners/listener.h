/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listeners: parts of a GPU that only see events, as --timeline and --by-instruction do. A listener is one constant, a
 * row of list.h, that names a function for each event that it hears. Each unit (an SM, a memory partition, the
 * dispatcher) has a set of listeners and a mask of the events that any of them hears: an event that nobody hears costs
 * the test of a bit.
 *
 * A listener keeps a record for each unit, as units run on several threads, outside of the unit's state. It changes
 * nothing of a unit, but for the counters of its own statistics: all other results are the same with it and without.
 */
#ifndef GPU_LISTENERS_LISTENER_H
#define GPU_LISTENERS_LISTENER_H

#include "engine/core/time.h"

#include <stddef.h>
#include <stdint.h>

struct dispatch;
struct gpu_partition;
struct gpu_reply;
struct gpu_request;
struct mnp_record;
struct sm;

struct gpu_product {
    uint64_t operations;    /* multiplications and additions of stored elements */
    uint32_t bits;          /* bits of an operand */
    uint32_t read, written; /* words of sums that are in registers; 0: they are in tensor memory */
};

/* Events of an SM, in cycles of its clock. `own`: the listener's record of the SM. Instructions that --steady passes
 * over are not heard. */
struct gpu_sm_events {
    void (*cta_begins)(void *own, const struct sm *sm, uint32_t slot, uint64_t cycle);
    void (*cta_ends)(void *own, const struct sm *sm, uint32_t slot, uint64_t cycle); /* the slot still has its code */
    void (*warp_begins)(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle);
    void (*warp_ends)(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle); /* its last instruction issues */
    void (*kernel_ends)(void *own, const struct sm *sm, uint64_t launch, uint64_t cycle);

    /* An instruction issues: `record` has its index and its lanes. */
    void (*issued)(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle);
    /* A memory instruction, or one that a stage has taken, completes while its CTA is resident. */
    void (*completed)(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle);

    /* The instruction `index` accesses shared memory; `conflicts`: cycles lost to bank conflicts. */
    void (*shared_accessed)(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t conflicts,
                            uint64_t cycle);
    /* The instruction `index` accesses so many sectors of global or local memory. */
    void (*memory_accessed)(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t sectors,
                            uint64_t cycle);
    /* Sectors are looked up in the L1; `missed` of them are neither there nor on their way. `kind`: enum
     * gpu_request_kind, a read or a write. */
    void (*l1d_accessed)(void *own, const struct sm *sm, uint32_t warp, uint32_t kind, uint32_t sectors,
                         uint32_t missed, uint64_t cycle);

    /* Tensor cores begin a product of a warpgroup or of tensor memory. */
    void (*multiplied)(void *own, const struct sm *sm, uint32_t warp, const struct gpu_product *product,
                       uint64_t cycle);

    void (*requested)(void *own, const struct sm *sm, const struct gpu_request *request,
                      uint64_t cycle);                                                              /* to the GPC */
    void (*replied)(void *own, const struct sm *sm, const struct gpu_reply *reply, uint64_t cycle); /* from it */

    void (*visited)(void *own, const struct sm *sm, uint64_t cycle); /* all stages have had their turns in the cycle */
};

enum gpu_dram_command { GPU_DRAM_ACTIVATE, GPU_DRAM_PRECHARGE, GPU_DRAM_READ, GPU_DRAM_WRITE, GPU_DRAM_REFRESH };

/* Events of a memory partition. `kernel`: the slot whose counters they belong to; 0: the machine's. */
struct gpu_partition_events {
    /* Sectors are looked up in an L2 slice, at a cycle of the L2; `missed` of them are neither there nor on their way.
     * `kind`: enum gpu_request_kind. */
    void (*l2_accessed)(void *own, const struct gpu_partition *partition, uint32_t kernel, uint32_t kind,
                        uint32_t sectors, uint32_t missed, uint64_t cycle);
    /* The DRAM channel issues a command (enum gpu_dram_command), at a cycle of its command clock. A refresh is of all
     * banks, or of one in each pseudo channel. */
    void (*dram_commanded)(void *own, const struct gpu_partition *partition, uint32_t kernel, uint32_t command,
                           uint64_t cycle);
};

/* Events of the dispatcher. `launch`: the number of the CTA's launch; `cta`: its number in the grid. */
struct gpu_dispatch_events {
    void (*cta_placed)(void *own, const struct dispatch *dispatch, uint32_t sm, uint32_t launch, uint64_t cta,
                       mnp_time time); /* `time`: it reaches the SM */
    void (*cta_ended)(void *own, const struct dispatch *dispatch, uint32_t sm, uint32_t launch, uint64_t cta,
                      mnp_time time); /* `time`: it left the SM, as the dispatcher hears now */
};

struct gpu_listener { /* NULL: the event is not heard */
    const char *name;
    /* A unit has been built. Returns the listener's record of it, NULL if it does not listen to that unit. A listener
     * without these functions is added to a unit later (gpu_listeners_add). */
    void *(*open_sm)(struct sm *sm);
    void *(*open_partition)(struct gpu_partition *partition);
    void *(*open_dispatch)(struct dispatch *dispatch);
    void (*close)(void *own); /* the unit is released; NULL: nothing to do */
    struct gpu_sm_events sm;
    struct gpu_partition_events partition;
    struct gpu_dispatch_events dispatch;
};

struct gpu_listening {
    const struct gpu_listener *listener;
    void *own;
};

enum { GPU_LISTENERS_MOST = 8 };

struct gpu_listeners { /* listeners of a unit */
    uint64_t heard;    /* events that any of them hears, by their places in struct gpu_listener */
    uint32_t count;
    struct gpu_listening of[GPU_LISTENERS_MOST];
};

/* Opens the listeners of list.h that want to listen to the unit. */
void gpu_listeners_open_sm(struct gpu_listeners *listeners, struct sm *sm);
void gpu_listeners_open_partition(struct gpu_listeners *listeners, struct gpu_partition *partition);
void gpu_listeners_open_dispatch(struct gpu_listeners *listeners, struct dispatch *dispatch);

/* From now on the listener hears the unit's events. */
void gpu_listeners_add(struct gpu_listeners *listeners, const struct gpu_listener *listener, void *own);

/* The listener's record of the unit; NULL: it does not listen to it. */
void *gpu_listeners_own(const struct gpu_listeners *listeners, const struct gpu_listener *listener);

void gpu_listeners_close(struct gpu_listeners *listeners);

/* Whether any listener of the unit hears the event, which is a member of struct gpu_listener. */
#define GPU_HEARS(UNIT, EVENT)                                                                                         \
    __builtin_expect(                                                                                                  \
        ((UNIT)->listeners.heard & UINT64_C(1) << offsetof(struct gpu_listener, EVENT) / sizeof(void *)) != 0, 0)

/* Notify the listeners of a unit of an event. Called only where GPU_HEARS is true, so they are cold code. */
#define GPU_COLD __attribute__((cold))
GPU_COLD void gpu_tell_cta_begins(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t slot,
                                  uint64_t cycle);
GPU_COLD void gpu_tell_cta_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t slot,
                                uint64_t cycle);
GPU_COLD void gpu_tell_warp_begins(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                   uint64_t cycle);
GPU_COLD void gpu_tell_warp_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                 uint64_t cycle);
GPU_COLD void gpu_tell_kernel_ends(const struct gpu_listeners *listeners, const struct sm *sm, uint64_t launch,
                                   uint64_t cycle);
GPU_COLD void gpu_tell_issued(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                              const struct mnp_record *record, uint64_t cycle);
GPU_COLD void gpu_tell_completed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                 uint64_t cycle);
GPU_COLD void gpu_tell_shared_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                       uint32_t index, uint32_t conflicts, uint64_t cycle);
GPU_COLD void gpu_tell_memory_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                       uint32_t index, uint32_t sectors, uint64_t cycle);
GPU_COLD void gpu_tell_l1d_accessed(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                    uint32_t kind, uint32_t sectors, uint32_t missed, uint64_t cycle);
GPU_COLD void gpu_tell_multiplied(const struct gpu_listeners *listeners, const struct sm *sm, uint32_t warp,
                                  const struct gpu_product *product, uint64_t cycle);
GPU_COLD void gpu_tell_requested(const struct gpu_listeners *listeners, const struct sm *sm,
                                 const struct gpu_request *request, uint64_t cycle);
GPU_COLD void gpu_tell_replied(const struct gpu_listeners *listeners, const struct sm *sm,
                               const struct gpu_reply *reply, uint64_t cycle);
GPU_COLD void gpu_tell_visited(const struct gpu_listeners *listeners, const struct sm *sm, uint64_t cycle);
GPU_COLD void gpu_tell_l2_accessed(const struct gpu_listeners *listeners, const struct gpu_partition *partition,
                                   uint32_t kernel, uint32_t kind, uint32_t sectors, uint32_t missed, uint64_t cycle);
GPU_COLD void gpu_tell_dram_commanded(const struct gpu_listeners *listeners, const struct gpu_partition *partition,
                                      uint32_t kernel, uint32_t command, uint64_t cycle);
GPU_COLD void gpu_tell_cta_placed(const struct gpu_listeners *listeners, const struct dispatch *dispatch, uint32_t sm,
                                  uint32_t launch, uint64_t cta, mnp_time time);
GPU_COLD void gpu_tell_cta_ended(const struct gpu_listeners *listeners, const struct dispatch *dispatch, uint32_t sm,
                                 uint32_t launch, uint64_t cta, mnp_time time);

#define GPU_LISTENER(LISTENER) extern const struct gpu_listener LISTENER;
#include "gpu/listeners/rows.h"

#endif
