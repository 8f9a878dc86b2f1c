/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A warp that executes a decoded kernel, and the CTA that it is part of. A step executes one operation for the lanes
 * that are active; lanes that went different ways wait on a stack of (place, meeting place, lanes) until they meet at
 * the branch's immediate post-dominator.
 *
 * State is plain data: indices and offsets, in blocks that the owner of the CTA hands in.
 */
#ifndef EXECUTE_WARP_H
#define EXECUTE_WARP_H

#include "base/error.h"
#include "execute/code/code.h"

enum {
    EXECUTE_STACK_DEPTH = 256,
    EXECUTE_FRAME_DEPTH = 64,
    EXECUTE_MOVES = 16, /* of lanes to other frames while a warp awaits values */
    EXECUTE_MAX_WARPS = 64,
    EXECUTE_STACK_BYTES = 16 * 1024, /* of local memory of a thread, beyond one frame of each function */
    EXECUTE_RESERVED_SHARED = 1024,
    EXECUTE_BARRIERS = 16, /* that a program can name */
    EXECUTE_TMEM_PROMISES = 16,
    EXECUTE_CLUSTER_BARRIER = 16, /* the cluster's, behind those of the CTA */
    EXECUTE_GROUP_BARRIER = 17,   /* the first warpgroup's, behind that */
    EXECUTE_GROUPS = 8,           /* warpgroups of a CTA at most, which has 1024 threads */
    EXECUTE_ALL_BARRIERS = EXECUTE_GROUP_BARRIER + EXECUTE_GROUPS,
    EXECUTE_SEVERAL_BARRIERS = EXECUTE_ALL_BARRIERS, /* where lanes of a warp wait at different ones */
    EXECUTE_POLLS_YIELD = 256 /* times round a polling loop, after which other lanes of the warp go on */,
    EXECUTE_POLLS_YIELD_LIVE = 4 /* the same where a poll takes simulated time */,
    EXECUTE_POLLS_STUCK = 1 << 16,
    EXECUTE_QUIET_LOOPS = 8 /* times round loops without asking memory, after which a warp counts as not polling */,
    EXECUTE_POLLS_ASIDE = 64 /* times round a loop that polls and changes nothing, after which other CTAs go on */
};

struct execute_texture; /* execute/memory/texture.h */

enum execute_status {
    EXECUTE_RUNNING,
    EXECUTE_AT_BARRIER,
    EXECUTE_ENDED,
    EXECUTE_FAULTED,
};

enum execute_fault {
    EXECUTE_FAULT_NONE,
    EXECUTE_FAULT_ADDRESS, /* outside every allocation */
    EXECUTE_FAULT_MISALIGNED,
    EXECUTE_FAULT_SHARED, /* outside the CTA's shared memory */
    EXECUTE_FAULT_LOCAL,
    EXECUTE_FAULT_PARAMETER,
    EXECUTE_FAULT_TRAP,
    EXECUTE_FAULT_ASSERT,
    EXECUTE_FAULT_STACK,           /* calls nested too deeply */
    EXECUTE_FAULT_TARGET,          /* an indirect call or branch goes nowhere */
    EXECUTE_FAULT_BARRIER,         /* a barrier with an impossible number */
    EXECUTE_FAULT_BARRIER_THREADS, /* … or of an impossible number of threads */
    EXECUTE_FAULT_TEXTURE,         /* a handle that names no texture */
    EXECUTE_FAULT_MEMORY,          /* the memory of the simulated machine is exhausted */
    EXECUTE_FAULT_TENSOR_MAP,      /* a tensor map that is none, or not as the instruction needs it */
    EXECUTE_FAULT_TENSOR_FIELD,    /* a value that a field of a tensor map cannot have */
    EXECUTE_FAULT_INTERLEAVE,      /* a box with a part of an interleaved slice */
    EXECUTE_FAULT_MULTICAST,       /* a multicast to blocks that are not of the cluster */
    EXECUTE_FAULT_WARPGROUP,       /* a warpgroup of fewer than four warps */
    EXECUTE_FAULT_CLUSTER,         /* outside the shared memory of the cluster's CTAs */
    EXECUTE_FAULT_REMOTE,          /* an access to another CTA that models of time do not have */
    EXECUTE_FAULT_WIDE,            /* an atomic that models of time do not have */
    EXECUTE_FAULT_CLUSTER_ENDED,   /* shared memory of a CTA that has ended */
    EXECUTE_FAULT_CLUSTER_ARRIVE,  /* a second arrival at the cluster's barrier before the wait */
    EXECUTE_FAULT_CLUSTER_WAIT,    /* a wait at the cluster's barrier without an arrival */
    EXECUTE_FAULT_MEMBERS,         /* an operation of lanes some of which never come */
    EXECUTE_FAULT_MBARRIER_COUNT,  /* an mbarrier of no or too many arrivals */
    EXECUTE_FAULT_MBARRIER_ARRIVE, /* more arrivals than its phase expects */
    EXECUTE_FAULT_MBARRIER_BYTES,  /* more bytes outstanding than it counts */
    EXECUTE_FAULT_TMEM_SIZE,       /* tensor memory of a size that there is not */
    EXECUTE_FAULT_TMEM_PERMIT,     /* … after the CTA has said that it allocates no more */
    EXECUTE_FAULT_TMEM_FULL,       /* more than the CTA's own, where no other can give it back */
    EXECUTE_FAULT_TMEM_PAIR,       /* other columns than the other CTA of its pair has asked for */
    EXECUTE_FAULT_TMEM_SHARED,     /* columns that its pair's other CTA has taken for both are not free here */
    EXECUTE_FAULT_TMEM_COLUMNS,    /* columns that are not the CTA's */
    EXECUTE_FAULT_TMEM_LANES,      /* lanes that the warp does not reach, or a matrix cannot begin at */
    EXECUTE_FAULT_TMEM_LEAK,       /* a CTA has ended with tensor memory */
    EXECUTE_FAULT_TCGEN05_SHAPE,   /* an instruction descriptor of a shape or types that its kind has not */
    EXECUTE_FAULT_TCGEN05_MATRIX,  /* a matrix descriptor that is none, or not as the instruction needs it */
    EXECUTE_FAULT_TCGEN05_PAIR,    /* half of a pair of CTAs, whose other half the cluster does not have */
    EXECUTE_FAULT_TCGEN05_ZEROES,  /* a zero-column mask that shifts columns further than it may */
    EXECUTE_FAULT_TCGEN05_LANES,   /* more than one thread of a warp at a time */
};

struct execute_warp;

/* One lane's part in a memory instruction is addresses[lane]; data stands at data + lane · stride. */
struct execute_port {
    void *context;
    /* False: an address outside every allocation; `*lane` says whose. */
    bool (*read)(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, void *data, size_t stride,
                 uint32_t *lane);
    bool (*write)(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, const void *data,
                  size_t stride, uint32_t *lane);
    /* Where the bytes of an address lie, for an atomic to work on; NULL: outside every allocation. May be NULL itself:
     * an atomic then reads and writes. */
    unsigned char *(*place)(void *context, uint64_t address, uint32_t bytes);
    /* A vprintf: the format's and the arguments' addresses, generic ones. Returns what vprintf returns. */
    int32_t (*print)(void *context, struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments);
    uint64_t (*allocate)(void *context, uint64_t bytes);
    void (*release)(void *context, uint64_t address);
    /* An access that leaves memory, or what would be read, as it is: what `read` and `write` do beside that. May be
     * NULL: nothing. */
    bool (*touch)(void *context, bool write, uint32_t mask, const uint64_t *addresses, uint32_t bytes, uint32_t *lane);
    /* The texture that a handle names, or NULL. May be NULL itself: there are none. */
    const struct execute_texture *(*texture)(void *context, uint64_t handle);
    /* Whether an access to global memory is performed by others, and its values come later. `data`: what is stored, or
     * an atomic's operands at 0 and 8, by lane. NULL: none ever is. */
    bool (*defer)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                  const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
    /* Leaves an access to shared memory of other CTAs of the cluster to those; the same, with addresses as
     * contract/live.h has them. NULL: they are reached directly. */
    void (*remote)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                   const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
    /* Async units of the machine (live_async.c); NULL: copies and products are performed at once. Takes the copies of
     * all lanes or of none; in the latter case the operation is executed again. */
    bool (*copy)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
    void (*product)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
    /* Puts off an operation on mbarriers until the copies that the lanes made (cp.async) have landed: then
     * execute_mbarrier_landed is called. False: the operation is executed again. NULL: they have. */
    bool (*arrival)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                    const uint64_t *addresses);
    /* A group of copies or products of some lanes is closed; or waited for, when the operation may have to be executed
     * again. */
    void (*group)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
    /* The phase of the mbarrier at an address of shared memory has not ended: whether the operation is executed again
     * when it has. */
    bool (*phase)(void *context, uint64_t address);
    void (*flipped)(void *context, uint64_t address); /* it has ended */
    /* The warp sleeps. True: the operation is executed again when it has; false: it has. NULL: nothing takes time. */
    bool (*sleep)(void *context, uint32_t nanoseconds);
    /* griddepcontrol; a wait may have to be executed again. NULL: grids follow one another. */
    void (*grid)(void *context, enum execute_grid what);
    /* setmaxnreg: the warp has so many registers per thread from now on. False: it is executed again when others have
     * given some back. NULL: there are always enough. */
    bool (*registers)(void *context, bool more, uint32_t count);
    /* Tensor memory: `wanted` columns are not free, and the operation is executed again when others have given some
     * back. NULL: the CTA has it alone. */
    void (*columns)(void *context, uint32_t wanted);
    void (*allocated)(void *context, bool given_back); /* some have been taken, or given back. May be NULL */
    /* The other CTA of its pair, which is elsewhere, is to learn of units that have been taken for both; 0: that this
     * one has given some back. */
    void (*columns_news)(void *context, uint32_t first, uint32_t units);
    /* A load or store of tensor memory has been performed, and takes its time. */
    void (*moves)(void *context, struct execute_warp *warp, const struct execute_op *op);
    /* A product, a copy or a commit by a thread is to be performed later (tcgen05.h); NULL: at once. */
    void (*command)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lane);
    uint64_t (*clock)(void *context); /* cycles of the SM */
    uint64_t (*nanoseconds)(void *context);
    /* Sees every operation that execute_cta_run has executed, and the end of the CTA. NULL: nobody looks. */
    const struct execute_observer *observer;
    /* Not 0: execute_cta_run returns soon, whatever the CTA has come to. NULL: never. */
    const _Atomic int *interrupt;
};

struct execute_cta;
struct execute_record;
struct execute_tmem;

struct execute_observer {
    void *context;
    void (*executed)(void *context, const struct execute_warp *warp, const struct execute_record *record);
    void (*ended)(void *context, const struct execute_cta *cta);
};

struct execute_launch {
    const struct execute_code *code;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];             /* CTAs of a cluster along each axis; 0: as 1 */
    bool explicit_cluster;           /* the kernel or the launch has stated it */
    uint32_t threads, warps;         /* per CTA */
    uint32_t registers;              /* per thread: code.registers, or fewer where an estimate would not fit */
    uint32_t dynamic_shared;         /* bytes */
    uint32_t shared_bytes;           /* static and dynamic */
    uint32_t reserved_shared;        /* where the system's part of it begins, if the kernel uses it */
    uint64_t number;                 /* %gridid */
    uint64_t resident;               /* CTAs that the machine holds at once; 0: EXECUTE_RESIDENT */
    uint64_t workspace;              /* %envreg1 and 2: of a cooperative grid; 0: it is none */
    bool prepared;                   /* it stands behind another one in a graph */
    bool bare;                       /* operations of values alone (EXECUTE_OP_VALUE) leave everything as it is */
    bool queued;                     /* it stands behind another one in its stream */
    bool early;                      /* programmatic: it may begin when the grid before it in its stream lets it */
    const unsigned char *parameters; /* [code.parameter_bytes] */
};

struct execute_stack_entry {
    uint32_t pc, meet, mask, frame;
};

struct execute_frame {
    uint32_t function;  /* in code.functions */
    uint32_t registers; /* offset of the frame's registers */
    uint32_t local;     /* offset of its local memory, bytes per thread */
    uint32_t call;      /* in code.calls, of the call that made it; EXECUTE_NONE: the kernel */
    uint32_t caller;    /* the frame that it was called from */
};

/* What a step did, for a model of time. */
struct execute_record {
    uint32_t op;       /* place in code.ops */
    uint32_t mask;     /* lanes that it was executed for */
    uint32_t bytes;    /* of a memory access per lane; 0: none */
    uint8_t space;     /* enum execute_space: resolved, never generic */
    uint32_t remote;   /* lanes that have reached the shared memory of another CTA of the cluster, */
    uint8_t ranks[32]; /* and of which */
    uint64_t addresses[32];
};

struct execute_cta;

struct execute_held { /* lanes that wait for others of their warp (aside.h) */
    uint32_t pc, mask;
    uint32_t barrier, key; /* which barrier, and the lanes that meet there */
    uint32_t entries;      /* of the stack, kept for them at its end */
};

/* Whether a loop comes back to the same registers (spin.c). */
struct execute_spin {
    uint64_t seen;    /* digest of the registers that are compared */
    uint32_t loops;   /* branches back */
    uint32_t left;    /* branches back that are still compared */
    bool spins;       /* the warp does the same for ever, if nobody changes memory */
    bool wrote_local; /* since the last branch back */
};

/* Lanes that come to barriers of the CTA or the cluster by several ways (meet.h). */
struct execute_meeting {
    uint32_t met;     /* all of the warp are at barriers: these have still to arrive at theirs */
    uint32_t arrived; /* they wait for a barrier, `number` of struct execute_met */
    uint32_t opened;  /* … which has opened, with `result`, and they have not gone on yet */
    uint32_t partly;  /* barriers, one bit each, at which a part of the warp has arrived: `came` */
    bool moved;       /* the last operation was no more than a change of the running lanes */
};

struct execute_met {
    uint8_t number[32];
    uint32_t result[32];
    uint32_t came[EXECUTE_ALL_BARRIERS]; /* lanes, in the barrier's present phase */
};

/* Lanes have other frames than when values were asked for that are still to come. */
struct execute_move {
    uint32_t lanes, from, to;
};

struct execute_warp {
    struct execute_cta *cta;
    const struct execute_launch *launch;
    unsigned char *registers, *specials, *local;
    uint32_t register_bytes, local_bytes; /* per warp; per thread */
    uint32_t number;                      /* in its CTA */
    uint32_t depth, frames;
    uint32_t lanes; /* that exist and have not exited */
    uint32_t held_count;
    uint32_t set_aside; /* entries at the end of the stack that held lanes keep */
    bool shares_frames; /* frames beyond the running one may be those of other lanes */
    uint32_t polls;     /* times round a loop, one after the other, that asked memory and left nothing else */
    uint32_t quiet;     /* times round a loop since then, one after the other, that asked nothing */
    uint32_t idle;      /* times round a loop, one after the other, that asked memory and changed nothing */
    bool polled;        /* an atomic or strong load since the last branch back */
    uint32_t mbarrier;  /* address of the mbarrier that it last waited for in vain, plus one; 0: it has not */
    bool changed;       /* a store, or an atomic that made another value, since then; not one that the L2 performs */
    struct execute_spin spin;
    uint8_t parted;      /* enum execute_parted */
    bool awaits;         /* values that have been asked for are still to come, */
    uint32_t move_count; /* and lanes have moved to other frames since: `moves` */
    uint32_t released;   /* lanes whose bar.warp.sync is complete, and which have not gone on from it yet */
    uint32_t barrier, barrier_lanes, barrier_op; /* while EXECUTE_AT_BARRIER */
    uint32_t cluster_arrived; /* lanes that have arrived in the present phase of the cluster's barrier */
    uint32_t cluster_passed;  /* lanes whose phase is complete, and which have not waited for it yet */
    bool touches; /* its accesses leave memory and registers as they are: what they would move is a value alone */
    bool unseen;  /* nobody wants to know where it does that */
    uint8_t status, fault;
    uint32_t fault_lane, fault_op;
    uint64_t fault_address;
    const unsigned char *bases[EXECUTE_BASE_COUNT];
    struct execute_meeting meeting;
    struct execute_stack_entry stack[EXECUTE_STACK_DEPTH];
    struct execute_frame frame[EXECUTE_FRAME_DEPTH];
    struct execute_held held[32];
    struct execute_move moves[EXECUTE_MOVES];
    struct execute_met met;
    struct execute_record *record; /* NULL: nobody wants it */
};

struct execute_barrier_state {
    uint32_t expected;        /* threads; 0: nobody has come */
    uint32_t arrived;         /* threads; a warp's last arrival brings those that have exited or never were */
    uint64_t waiting;         /* warps, or lanes of them */
    uint64_t whole;           /* warps all of whose lanes wait */
    uint64_t parts;           /* warps some of whose lanes have arrived */
    uint32_t count, all, any; /* of a reduction */
};

/* CTAs that run at the same time, reach one another's shared memory, and meet at a barrier of their own. */
struct execute_cluster {
    uint32_t size;
    uint32_t phase; /* of the barrier: how often it has been complete */
    bool used;      /* somebody has arrived there */
    bool apart;     /* each CTA knows of itself alone: others say when a phase ends */
    bool arrived;   /* … and it has been said that all of this one's threads are there */
    struct execute_cta *members[EXECUTE_CLUSTER_CTAS]; /* by rank */
};

struct execute_cta {
    const struct execute_launch *launch;
    const struct execute_port *port;
    uint32_t place[3];
    uint64_t number;
    uint32_t sm, sm_count;
    uint32_t rank;                   /* in its cluster */
    struct execute_cluster *cluster; /* in the CTA of rank 0 */
    struct execute_cluster alone;    /* what `cluster` points to until others join, and in the CTA of rank 0 then too */
    unsigned char *shared;
    uint32_t warp_count, ended_warps;
    uint32_t asked;    /* times round loops that ask memory */
    uint32_t advanced; /* times round loops that do anything else, barriers and warps that have ended */
    uint32_t opened;   /* barriers that have opened since somebody reset it, one bit each */
    struct execute_tmem **tmem, *own_tmem; /* tensor memory, made when it is first used: its SM's; or its own */
    uint32_t tmem_units;                   /* of 32 columns, that it has (tmem.h) */
    bool tmem_no_more;                     /* it allocates no more */
    uint8_t tmem_promised[EXECUTE_TMEM_PROMISES][2]; /* taken for it by its pair's other CTA: first unit, and units */
    uint8_t tmem_promises, tmem_returns; /* of these; times that the other has given some back, where it is apart */
    struct execute_barrier_state barriers[EXECUTE_ALL_BARRIERS];
    struct execute_warp warps[EXECUTE_MAX_WARPS];
    unsigned char *bank; /* [code.bank]: 32 lanes of each word */
    /* blocks that the above point into */
    unsigned char *block;
    size_t block_bytes;
};

/* Prepares a CTA for running; its blocks are allocated the first time and kept for the next CTA. */
void execute_cta_start(struct execute_cta *cta, const struct execute_launch *launch, const struct execute_port *port,
                       uint64_t number);
void execute_cta_release(struct execute_cta *cta);

/* Executes up to `limit` operations of a running warp; returns how many. */
uint64_t execute_warp_run(struct execute_warp *warp, uint64_t limit);

/* Whether other lanes of the warp could run in the place of those that do. */
bool execute_warp_has_turns(const struct execute_warp *warp);

/* Brings a running warp to its next operation, whose place is then that of the top of its stack, or to its end. */
void execute_warp_settle(struct execute_warp *warp);

/* The data of a store: those of its lanes, `stride` bytes apart. */
void execute_collect(const struct execute_warp *warp, const struct execute_op *op, unsigned char *data, size_t stride);
/* The results of a load (`data`: by lane, `stride` bytes apart) or an atomic go to its registers. */
void execute_deliver(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const unsigned char *data,
                     size_t stride);

/* Whether no warp of the CTA can do anything but poll memory, or wait at barriers for those that do. */
bool execute_cta_is_polling(const struct execute_cta *cta);

enum execute_cta_state {
    EXECUTE_CTA_ENDED,
    EXECUTE_CTA_FAULTED,
    EXECUTE_CTA_POLLS, /* perhaps for what another CTA does: it can be run again */
    EXECUTE_CTA_STUCK, /* at barriers that nobody will complete */
};

/* Runs the warps in turn until the CTA has ended, or it is another CTA's turn; returns the operations executed. */
uint64_t execute_cta_run(struct execute_cta *cta, enum execute_cta_state *state);
/* Whether a warp of the CTA can go on. */
bool execute_cta_runs(const struct execute_cta *cta);

/* ===== cluster.c ===== */

/* CTAs of a cluster: at least one. */
uint32_t execute_cluster_size(const struct execute_launch *launch);
/* The rank in its cluster of a CTA at a place in the grid. */
uint32_t execute_cluster_rank(const uint32_t place[3], const uint32_t size[3]);
/* The number in the grid of a CTA, by its cluster's number and its rank. */
uint64_t execute_cluster_cta(const struct execute_launch *launch, uint64_t cluster, uint32_t rank);
/* Puts CTAs that have been started, [size] by rank, into one cluster; none has run yet. */
void execute_cluster_join(struct execute_cta *const *members, uint32_t size);
/* A CTA that has been started is of a cluster whose other CTAs are elsewhere: its members are NULL but for itself. */
void execute_cluster_part(struct execute_cta *cta);
/* … and the present phase of the barrier has ended for it. Sets cta.opened. */
void execute_cluster_end_phase(struct execute_cta *cta);
/* Whether a warp of the CTA waits at the cluster's barrier. */
bool execute_cluster_waits(const struct execute_cta *cta);
/* What is said about a cluster that waits for ever at its barrier: kernel, block, phase, who has not come. */
bool execute_cluster_describe(const struct execute_cta *cta, struct mnp_error *error);
/* States the cluster of a launch that has been prepared; a kernel's own must be the same. False: an impossible one. */
bool execute_launch_cluster(struct execute_launch *launch, const uint32_t cluster[3], struct mnp_error *error);

/* After a failed assertion, puts what CUDA says of it in front of an error: file, line, function, block, thread and
 * expression, which are read from the simulated memory. */
void execute_assert_describe(struct execute_warp *warp, struct mnp_error *error);

/* Writes a kernel's name and where an operation of it comes from: "kernel K at file.cu:12", with the line that this one
 * is inlined at; where the source is not known, "kernel K". EXECUTE_PLACE_BYTES bytes are enough for most of them. */
enum { EXECUTE_PLACE_BYTES = 640 };
void execute_describe_place(const struct execute_code *code, uint32_t op, char *text, size_t room);
/* … and, where the source is not known, in the program that was compiled. */
void execute_describe_line(const struct execute_code *code, uint32_t op, char *text, size_t room);

/* The same of the operation that a warp is at, or of the barrier where it waits; nothing of one that has ended. */
void execute_warp_describe_place(const struct execute_warp *warp, char *text, size_t room);

/* The barriers of the CTA, one bit each, at which a warp waits; and how many threads have come to some of them, in
 * words: "barrier 1 has 32 of 64 threads". */
uint32_t execute_barriers_of(const struct execute_warp *warp);
void execute_barriers_describe(const struct execute_cta *cta, uint32_t barriers, char *text, size_t room);

/* What a fault is, as an error with kernel, source line, block and thread. */
void execute_fault_describe(const struct execute_warp *warp, struct mnp_error *error);

/* ===== between the files of the executor ===== */

#define EXECUTE_ALL_LANES 0xffffffffu

/* The first fault of a warp stays. */
void execute_fault(struct execute_warp *warp, enum execute_fault fault, uint32_t lane, uint64_t address);

/* Executors of kinds (kinds.h): one operation, for some of the warp's lanes. */
void execute_step_convert(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_parameter(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_load(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_store(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_copy_async(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* memory.c: the registers side by side that a wide atomic returns. */
void execute_deliver_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                                 const unsigned char *data, size_t stride);
void execute_step_mbarrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* store_async.c: stores of machine code whose bytes arrive at an mbarrier, as `complete` says. */
typedef bool execute_completion(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint32_t bytes);
void execute_step_store_async(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                              execute_completion *complete);
void execute_step_tensor_copy(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tensor_map(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tmem_allocate(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tmem_load(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tmem_store(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tcgen05(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_tcgen05_commit(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_wgmma(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_async_group(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_surface(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_texture(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_video(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_matrix(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_matrix_rows(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_wmma_access(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_transpose(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_shuffle(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_active_mask(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_together(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_carry(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_insert(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_pack(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_unpack(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_lop3_predicate(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_testp(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_clock(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_address(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_in_space(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_cluster_address(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_system(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* memory.c: what is left of an operation of values alone: which addresses it accesses, if anybody wants to know. */
void execute_step_touch(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* What accesses to other CTAs' shared memory state as the operation of an atomic beside enum execute_atomic_operation:
 * that it is one of shared memory, or an operation on an mbarrier (enum execute_mbarrier), with what op.combine says.
 * */
enum {
    EXECUTE_REMOTE_SHARED = 0x40,
    EXECUTE_REMOTE_MBARRIER = 0x80,
    EXECUTE_REMOTE_COMBINED = 0x20,
    EXECUTE_REMOTE_OPERATION = 0x1f
};

/* An object whose phases expect so many arrivals, at its beginning. */
uint64_t execute_mbarrier_begin(uint32_t arrivals);

/* Writes what an object's phase lacks: "phase of parity 0 lacks 1 of 2 arrivals and 128 bytes". */
void execute_mbarrier_describe(uint64_t object, char *text, size_t room);

/* The object that such an operation leaves, and what is wrong with it, as a fault. */
uint64_t execute_mbarrier_result(uint8_t operation, uint64_t old, uint64_t number);
enum execute_fault execute_mbarrier_fault(uint8_t operation, uint64_t old, uint64_t number);

/* A copy of `bytes` bytes has come to its end at the mbarrier at addresses[lane]. False: a fault. */
bool execute_mbarrier_complete(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint32_t bytes);

/* An arrival at the mbarrier at addresses[lane]. False: a fault. */
bool execute_mbarrier_arrive(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses);

/* Performs for a lane an operation that was put off (execute_port.arrival). False: a fault. */
bool execute_mbarrier_landed(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                             const uint64_t *addresses);

/* wgmma: what a warp's part of a product reads of its registers when it is issued. They may have other values when the
 * product is performed: an assembler, too, keeps them only until the wait. */
struct execute_wgmma_kept {
    uint64_t from_a, from_b; /* descriptors */
    bool adds;               /* to the sums that are there */
    uint8_t selector;        /* of a sparse A: which threads have the metadata */
    uint32_t a[4][32];       /* A out of registers */
    uint32_t metadata[32];   /* of a sparse A */
};
void execute_wgmma_keep(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                        struct execute_wgmma_kept *kept);
/* The product itself. A fault: an operand lies outside the shared memory. */
void execute_wgmma_multiply(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                            const struct execute_wgmma_kept *kept);

/* At a branch back: whether the warp goes round without end, unless others change memory (spin.c). */
bool execute_warp_spins(struct execute_warp *warp);

/* Calls (call.c), and barriers (barrier.c); of a barrier: whether the lanes wait, or it is a fault. `parted`: the lanes
 * of the warp come by several ways, and those that wait are seen to by the caller (meet.h). */
void execute_call(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_return(struct execute_warp *warp, bool normally);
bool execute_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted);
/* The number that an operation names, and its threads; 0: all. */
void execute_barrier_named(const struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                           uint32_t *number, uint32_t *threads);
/* What a reduction at a barrier gives to lanes: each lane's word has the count, and in its highest bits whether all and
 * whether any predicates hold. */
enum { EXECUTE_BARRIER_COUNT_BITS = 30 };
void execute_barrier_results(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                             const uint32_t results[32]);
/* Of a warp whose lanes have come by several ways: those that wait at a barrier may go on, as it has opened; returns
 * them. */
uint32_t execute_barrier_opened(struct execute_warp *warp, uint32_t number, uint32_t result);
/* Whether a barrier opens for a CTA of which so many warps have not ended. */
bool execute_barrier_is_complete(const struct execute_barrier_state *barrier, uint32_t live_warps);
/* Lanes have exited, which no barrier waits for any more. */
void execute_barrier_left(struct execute_warp *warp);
/* Machine code: words of constant banks (bank.c), instructions over words, paths (paths.h). */
void execute_bank_fill(struct execute_cta *cta);
void execute_step_words(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge_set(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* What the system does for a lane of machine code, whose register R4 is at `arguments`. */
void execute_paths_system(struct execute_warp *warp, uint32_t function, uint32_t arguments, uint32_t lane);
void execute_cta_warp_ended(struct execute_warp *warp);
bool execute_cluster_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted);
/* Lanes have exited, for which the cluster's barrier does not wait any more. */
void execute_cluster_left(struct execute_warp *warp);
/* Where the lane's bytes of shared::cluster lie. NULL: a fault. */
unsigned char *execute_cluster_place(struct execute_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes);

/* One access of any space: reads or writes `bytes` at addresses (in that space) of the lanes. False: a fault. */
bool execute_access(struct execute_warp *warp, enum execute_space space, bool write, uint32_t lanes,
                    const uint64_t *addresses, uint32_t bytes, void *data, size_t stride);
/* Leaves an access to others, if the port does; returns the lanes that remain to be performed here. */
uint32_t execute_defer(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                       const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
/* The same for shared memory of other CTAs of the cluster, where the port leaves that to them. */
uint32_t execute_defer_remote(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                              const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
/* Resolves generic addresses; all lanes must lie in one space, or the lanes of the first one's space are returned. */
uint32_t execute_resolve(const uint64_t *addresses, uint32_t lanes, enum execute_space *space, uint64_t *resolved);
void execute_addresses(const struct execute_warp *warp, uint32_t ref, bool wide, int64_t offset,
                       uint64_t addresses[32]);
/* The same of an access, with the register that is added. */
void execute_access_addresses(const struct execute_warp *warp, const struct execute_op *op, int64_t offset,
                              uint64_t addresses[32]);

#endif
