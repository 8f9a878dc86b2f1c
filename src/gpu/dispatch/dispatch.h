/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CTA dispatcher: streams, kernels, launch latency and rate, and the placement of CTAs on SMs.
 *
 * A kernel is requested when the one before it in its stream has ended; `launch.kernel` cycles later (and
 * `launch.first` more if its function has not run before) its CTAs are placed, one every `launch.cta_interval` cycles
 * or as fast as the dispatcher handles CTAs and their ends (`launch.cta_time`, `launch.end_time`), round robin over the
 * SMs that have room for one, in the order that `launch.order` states. It has ended when the news of its last CTA's end
 * has arrived; that news goes on to all SMs.
 * Behind another one of its graph a kernel waits for `launch.graph` in place of that; one that was given to its stream
 * while another was the last one there is requested `launch.gap` later.
 *
 * A kernel with `early` (programmatic dependent launch) is requested when all before it in its stream have ended but
 * one, every CTA of which has released it or has ended. Its CTAs know of that kernel, so that they can wait for the
 * news of its end.
 *
 * Host copies leave their lines in the L2 if memcpy_warms_l2 says so: then partitions are told, one copy in a cycle. A
 * copy of a trace has no time of its own: it waits for the end of all kernels before it, and those behind it wait for
 * it. Those of a program have ended when the dispatcher hears of them.
 *
 * With `launch.flush_l2` kernels run one at a time, and partitions are told to empty their slices in the cycle in which
 * a kernel is requested: `launch.to_sm` cycles later they are empty, which is before its first CTA reaches an SM.
 */
#ifndef GPU_DISPATCH_DISPATCH_H
#define GPU_DISPATCH_DISPATCH_H

#include "contract/instruction.h"
#include "engine/core/engine.h"
#include "engine/count/timeline.h"
#include "gpu/network/packets.h"
#include "gpu/sm/occupancy.h"

enum {
    DISPATCH_SLOTS = GPU_KERNEL_SLOTS,
    DISPATCH_WAY_MAX = 1 << 20, /* cycles to an SM, at most */
};

enum dispatch_order {
    DISPATCH_ORDER_SMS,  /* by their numbers: GPC after GPC */
    DISPATCH_ORDER_GPCS, /* over GPCs in turn, of each part of the L2 one, then over TPCs, then over the SMs of a TPC */
    DISPATCH_ORDERS
};

struct dispatch_parameters {
    uint64_t kernel_latency; /* cycles of latency.clock.core */
    uint64_t first;          /* the same, that the first launch of a function takes more */
    uint64_t gap;            /* between two kernels of a stream, */
    uint64_t record;         /* … and what each record of an event between them adds */
    uint64_t graph_latency;  /* the same, behind a kernel of the same graph; 0: as long */
    uint64_t cta_interval;   /* cycles */
    uint64_t cta_time;       /* thousandths of a cycle that a CTA placed occupies the dispatcher; 0: cta_interval */
    uint64_t end_time;       /* the same, of a CTA's end */
    uint64_t to_sm;          /* the same, of the links to and from the SMs */
    uint64_t order;          /* enum dispatch_order, of the SMs */
    uint64_t concurrent;     /* kernels running at a time */
    uint64_t prefetch;       /* bytes of code at most that SMs fetch while a kernel is being launched */
    uint64_t flush_l2;       /* bool: one at a time, and each finds the L2 empty */
};

enum dispatch_phase {
    DISPATCH_FREE,      /* the slot */
    DISPATCH_WAITING,   /* for the kernel before it in its stream */
    DISPATCH_LAUNCHING, /* requested */
    DISPATCH_RUNNING,   /* CTAs are being placed, or run */
    DISPATCH_ENDED,     /* its counters are to be collected; the slot is kept for two epochs */
};

struct dispatch_kernel {
    uint64_t stream;
    uint64_t cta_count, placed, finished;
    uint64_t requested, starts, ended; /* cycles */
    uint64_t registers, shared;        /* resources of a CTA */
    uint64_t unusable;                 /* registers of an SM that its warps cannot get */
    uint32_t launch;                   /* number of the launch, from 1 */
    uint32_t warps;                    /* warps of a CTA */
    uint32_t phase;                    /* enum dispatch_phase */
    uint32_t collected;
    uint32_t cluster;    /* CTAs of a cluster */
    uint32_t early;      /* the kernel may begin when the previous one in its stream allows it */
    uint64_t released;   /* CTAs that allow the next kernel to begin, or have ended */
    uint32_t before;     /* launch that had not ended when this one began; 0: none */
    uint32_t unanswered; /* number of SMs with unanswered stores of ended CTAs */
};

struct dispatch_group { /* SMs that hold a cluster: first … first + count - 1 */
    uint32_t first, count;
};

struct dispatch_config {
    const struct dispatch_parameters *parameters; /* these two stay valid */
    const struct sm_parameters *sm;
    struct mnp_source *source;
    uint64_t hertz;                      /* core clock */
    uint64_t launch_cycles;              /* core cycles from the request of a kernel to its first CTA */
    uint64_t gap_cycles;                 /* core cycles between two kernels of a stream, */
    uint64_t record_cycles;              /* … and those of each record of an event between them */
    uint64_t first_cycles;               /* core cycles by which the first launch of a function takes longer */
    uint64_t graph_cycles;               /* core cycles of a launch behind a kernel of the same graph */
    const uint32_t *order;               /* SMs in the order in which CTAs are placed; stays valid */
    uint32_t partitions;                 /* number of partitions of the machine */
    bool copies_warm;                    /* host copies warm the L2; otherwise they are passed over */
    const struct dispatch_group *groups; /* groups of SMs that hold clusters; stay valid */
    uint32_t group_count;                /* 0: there are no clusters */
    const uint8_t *places;               /* places of SMs in their GPCs, by SM; stays valid */
};

struct dispatch_choice { /* options of a run; all zero: the default */
    /* --kernels; NULL: all. `name` NULL: not known yet. */
    bool (*selects)(const void *context, uint32_t launch, const char *name);
    const void *selection; /* its context */
    bool stops_at_ends;    /* the run is to stop at the end of the epoch in which a kernel has ended */
};

enum dispatch_statistic {
    DISPATCH_GPU_SIM_CYCLE,
    DISPATCH_KERNEL_LAUNCH_CYCLE,
    DISPATCH_GPU_CTAS,
};

extern const struct mnp_model dispatch_model;

struct dispatch;

/* Creates the dispatcher, as the first unit of a machine. Its ports are connected by the number of the SM, or of the
 * partition. Free with dispatch_release, after the engine's release. */
struct dispatch *dispatch_create(struct mnp_engine *engine, const struct dispatch_config *config);
void dispatch_release(struct dispatch *dispatch);

struct mnp_unit *dispatch_unit(const struct dispatch *dispatch);

/* The time of a cycle of its clock. */
mnp_time dispatch_time(const struct dispatch *dispatch, uint64_t cycle);

/* The front-end's descriptions of the kernels that are known, by slot: they come and go while the machine runs. */
struct mnp_kernel **dispatch_descriptions(struct dispatch *dispatch);

/* timeline.c: from now on records when CTAs lie on which SM; the record, CTAs that lie on SMs ending now. */
void dispatch_timeline_open(struct dispatch *dispatch);
const struct mnp_timeline *dispatch_timeline_close(struct dispatch *dispatch, mnp_time now);

/* Before a run: what is particular about it. */
void dispatch_choose(struct dispatch *dispatch, const struct dispatch_choice *choice);

/* Tells it that epochs have so many core cycles: freezing does, and whoever relaxes the engine afterwards. */
void dispatch_relax(struct dispatch *dispatch, uint64_t epoch_cycles);

/* A kernel is under way as the run stops at a core cycle: counts the launch latency that has passed. */
void dispatch_cut(struct dispatch *dispatch, uint32_t slot, uint64_t cycle);

/* A kernel that has ended and whose counters nobody has collected yet: its slot, or 0. Between windows only. */
uint32_t dispatch_ended_slot(const struct dispatch *dispatch);
void dispatch_collected(struct dispatch *dispatch, uint32_t slot);

/* A function has run without time: its next launch is not its first. Between windows only. */
void dispatch_has_run(struct dispatch *dispatch, const char *kernel, uint64_t code_bytes);

/* Whether no kernel is known that has not ended, and no copy waits. Between windows only. */
bool dispatch_is_idle(const struct dispatch *dispatch);

/* The kernel in a slot, from 1; the number of kernels that have ended; the cycle in which the last one ended. For calls
 * between windows only. */
const struct dispatch_kernel *dispatch_kernel_in(const struct dispatch *dispatch, uint32_t slot);
uint32_t dispatch_kernels_ended(const struct dispatch *dispatch);
uint64_t dispatch_last_end(const struct dispatch *dispatch);

/* ===== snapshots; between windows only ===== */

struct mnp_snapshot;
struct mnp_snapshot_reader;

/* The last launch before which all have ended, as far as they are known; 0: none. */
uint32_t dispatch_all_ended(const struct dispatch *dispatch);
bool dispatch_has_placed(const struct dispatch *dispatch); /* whether CTAs of a kernel that has not ended are placed */
bool dispatch_is_over(const struct dispatch *dispatch);    /* whether in addition no kernels are to come */

/* How far the source has been read; and the same with another source, which has not been read, behind the state's
 * restoring. */
void dispatch_keep(const struct dispatch *dispatch, struct mnp_snapshot *snapshot);
bool dispatch_take(struct dispatch *dispatch, struct mnp_snapshot_reader *reader);

#endif
