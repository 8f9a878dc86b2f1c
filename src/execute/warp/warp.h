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
    EXECUTE_MOVES = 16, /* maximum number of moves of lanes to other frames while a warp awaits values */
    EXECUTE_MAX_WARPS = 64,
    /* size of a thread's stack in local memory, in addition to one frame of each function */
    EXECUTE_STACK_BYTES = 16 * 1024,
    EXECUTE_RESERVED_SHARED = 1024,
    EXECUTE_BARRIERS = 16, /* that a program can name */
    EXECUTE_TMEM_PROMISES = 16,
    EXECUTE_CLUSTER_BARRIER = 16, /* barrier of the cluster, numbered behind those of the CTA */
    EXECUTE_GROUP_BARRIER = 17,   /* the first warpgroup's, behind that */
    EXECUTE_GROUPS = 8,           /* warpgroups of a CTA at most, which has 1024 threads */
    EXECUTE_ALL_BARRIERS = EXECUTE_GROUP_BARRIER + EXECUTE_GROUPS,
    EXECUTE_SEVERAL_BARRIERS = EXECUTE_ALL_BARRIERS, /* stands for several barriers at which lanes of a warp wait */
    EXECUTE_POLLS_YIELD = 256 /* iterations of a polling loop after which other lanes of the warp run */,
    EXECUTE_POLLS_YIELD_LIVE = 4 /* the same where a poll takes simulated time */,
    EXECUTE_POLLS_STUCK = 1 << 16,
    EXECUTE_QUIET_LOOPS = 8 /* times round loops without asking memory, after which a warp counts as not polling */,
    EXECUTE_POLLS_ASIDE = 64 /* iterations of a loop that polls without changing memory after which other CTAs run */
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
    EXECUTE_FAULT_ADDRESS,  /* outside every allocation */
    EXECUTE_FAULT_MULTIMEM, /* a multicast object, by an instruction that it does not take, or without memory */
    EXECUTE_FAULT_MISALIGNED,
    EXECUTE_FAULT_SHARED, /* outside the CTA's shared memory */
    EXECUTE_FAULT_LOCAL,
    EXECUTE_FAULT_LOCAL_FULL, /* below a thread's stack, in a function that was called */
    EXECUTE_FAULT_PARAMETER,
    EXECUTE_FAULT_TRAP,
    EXECUTE_FAULT_ASSERT,
    EXECUTE_FAULT_STACK,           /* calls nested too deeply */
    EXECUTE_FAULT_TARGET,          /* an indirect call or branch goes nowhere */
    EXECUTE_FAULT_BARRIER,         /* a barrier with an impossible number */
    EXECUTE_FAULT_BARRIER_THREADS, /* barrier with an invalid number of threads */
    EXECUTE_FAULT_TEXTURE,         /* a handle that names no texture */
    EXECUTE_FAULT_MEMORY,          /* the memory of the simulated machine is exhausted */
    EXECUTE_FAULT_TENSOR_MAP,      /* invalid tensor map, or one that does not match the instruction */
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
    EXECUTE_FAULT_MBARRIER_ARRIVE, /* more arrivals than the phase expects */
    EXECUTE_FAULT_MBARRIER_BYTES,  /* more outstanding bytes than the mbarrier can count */
    EXECUTE_FAULT_TMEM_SIZE,       /* tensor memory of a size that there is not */
    EXECUTE_FAULT_TMEM_PERMIT,     /* allocation after the CTA has relinquished its permit */
    /* more columns than are free besides the CTA's own, with no other CTA that could free them */
    EXECUTE_FAULT_TMEM_FULL,
    EXECUTE_FAULT_TMEM_PAIR,      /* the CTAs of a pair have requested different columns */
    EXECUTE_FAULT_TMEM_SHARED,    /* columns that its pair's other CTA has taken for both are not free here */
    EXECUTE_FAULT_TMEM_COLUMNS,   /* columns that are not the CTA's */
    EXECUTE_FAULT_TMEM_LANES,     /* lanes that the warp does not reach, or a matrix cannot begin at */
    EXECUTE_FAULT_TMEM_LEAK,      /* a CTA has ended with tensor memory */
    EXECUTE_FAULT_TCGEN05_SHAPE,  /* an instruction descriptor of a shape or types that its kind has not */
    EXECUTE_FAULT_TCGEN05_MATRIX, /* invalid matrix descriptor, or one that does not match the instruction */
    EXECUTE_FAULT_TCGEN05_PAIR,   /* CTA-pair instruction in a cluster that lacks the peer CTA */
    EXECUTE_FAULT_TCGEN05_ZEROES, /* a zero-column mask that shifts columns further than it may */
    EXECUTE_FAULT_TCGEN05_LANES,  /* executed by more than one thread of a warp at a time */
};

struct execute_warp;

/* Memory as seen by warps. In a memory instruction, lane i accesses addresses[i]; its data is at data + i · stride. */
enum { EXECUTE_MEMBERS = 16 /* memories behind a multicast object, at most */ };
#define EXECUTE_NO_MEMBERS UINT32_MAX

struct execute_port {
    void *context;
    /* Return false if an address is outside every allocation; `*lane` is the lane concerned. */
    bool (*read)(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, void *data, size_t stride,
                 uint32_t *lane);
    bool (*write)(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, const void *data,
                  size_t stride, uint32_t *lane);
    /* Returns a pointer to the bytes of an address, for an atomic; NULL: outside every allocation. The function pointer
     * may be NULL: atomics then read and write. */
    unsigned char *(*place)(void *context, uint64_t address, uint32_t bytes);
    /* The bytes at an address of a multicast object, in the memory of each of its devices by number. Returns how many:
     * EXECUTE_NO_MEMBERS where some are missing, 0 if it is no such address. NULL: there are none, or they are accessed
     * elsewhere (`defer`). */
    uint32_t (*members)(void *context, uint64_t address, unsigned char *places[EXECUTE_MEMBERS]);
    /* Whether an address is one of a multicast object, for faults. NULL: there are none. */
    bool (*multicast)(void *context, uint64_t address);
    /* Performs a vprintf; format and arguments are generic addresses. Returns the result of vprintf. */
    int32_t (*print)(void *context, struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments);
    uint64_t (*allocate)(void *context, uint64_t bytes);
    void (*release)(void *context, uint64_t address);
    /* Performs the side effects of `read` or `write` without moving data. May be NULL: no side effects. */
    bool (*touch)(void *context, bool write, uint32_t mask, const uint64_t *addresses, uint32_t bytes, uint32_t *lane);
    /* The texture that a handle names, or NULL. May be NULL itself: there are none. */
    const struct execute_texture *(*texture)(void *context, uint64_t handle);
    /* Whether an access to global memory is performed elsewhere, and its values arrive later. `data`: by lane, the
     * bytes to store, or an atomic's operands at offsets 0 and 8. NULL: never. */
    bool (*defer)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                  const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
    /* Leaves an access to shared memory of other CTAs of the cluster to those; the same, with addresses as
     * contract/live.h has them. NULL: they are reached directly. */
    void (*remote)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                   const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
    /* Async units of the machine (live_async.c); NULL: copies and products are performed immediately. `copy` accepts
     * the copies of all lanes or of none; in the latter case the operation is executed again. */
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
    void (*flipped)(void *context, uint64_t address); /* a phase of the mbarrier has ended */
    /* The warp sleeps. True: the operation is executed again when it has; false: it has. NULL: nothing takes time. */
    bool (*sleep)(void *context, uint32_t nanoseconds);
    /* griddepcontrol; a wait may have to be executed again. NULL: grids follow one another. */
    void (*grid)(void *context, enum execute_grid what);
    /* setmaxnreg: sets the warp's number of registers per thread. Returns false if registers are insufficient; the
     * operation is executed again after other warps have released some. NULL: there are always enough. */
    bool (*registers)(void *context, bool more, uint32_t count);
    /* Tensor memory: `wanted` columns are not free; the operation is executed again after other CTAs have freed some.
     * NULL: this CTA is the only user. */
    void (*columns)(void *context, uint32_t wanted);
    void (*allocated)(void *context, bool given_back); /* some have been taken, or given back. May be NULL */
    /* Notifies the peer CTA, simulated elsewhere, of units that have been allocated for both; 0 units: this CTA has
     * freed some. */
    void (*columns_news)(void *context, uint32_t first, uint32_t units);
    /* A load or store of tensor memory has been performed, and takes its time. */
    void (*moves)(void *context, struct execute_warp *warp, const struct execute_op *op);
    /* Hands over a product, copy or commit of a thread to be performed later (tcgen05.h); NULL: performed
     * immediately. */
    void (*command)(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lane);
    uint64_t (*clock)(void *context); /* cycles of the SM */
    uint64_t (*nanoseconds)(void *context);
    /* Called for every operation that execute_cta_run has executed, and at the end of the CTA. NULL: none. */
    const struct execute_observer *observer;
    /* If nonzero, execute_cta_run returns soon, in any state of the CTA. NULL: never. */
    const _Atomic int *interrupt;
};

struct execute_cta;
struct execute_record;
struct execute_tmem;

/* Callbacks that see the execution without changing it: traces, checks, warming of caches. */
struct execute_observer {
    void *context;
    void (*executed)(void *context, const struct execute_warp *warp, const struct execute_record *record);
    void (*ended)(void *context, const struct execute_cta *cta);
};

/* A prepared launch of a kernel (device/launch.c). It is constant while its grid runs. */
struct execute_launch {
    const struct execute_code *code;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];             /* CTAs of a cluster along each axis; 0: as 1 */
    bool explicit_cluster;           /* the kernel or the launch has stated it */
    uint32_t threads, warps;         /* per CTA */
    uint32_t registers;              /* per thread: code.registers, or fewer where an estimate would not fit */
    uint32_t dynamic_shared;         /* bytes */
    uint32_t shared_bytes;           /* static and dynamic */
    uint32_t reserved_shared;        /* offset of the part reserved for the system, if the kernel uses it */
    uint64_t number;                 /* %gridid */
    uint64_t resident;               /* number of CTAs that the machine holds at a time; 0: EXECUTE_RESIDENT */
    uint64_t workspace;              /* %envreg1 and 2: of a cooperative grid; 0: it is none */
    bool prepared;                   /* the launch follows another one in a graph */
    bool bare;                       /* operations that only compute values (EXECUTE_OP_VALUE) are skipped */
    bool queued;                     /* the launch follows another one in its stream, */
    uint32_t records;                /* … and so many records of events between them */
    bool early;                      /* programmatic: it may begin when the grid before it in its stream lets it */
    const unsigned char *parameters; /* [code.parameter_bytes] */
};

/* An entry of the warp's divergence stack (PTX), or a path (machine code, paths.h). The top entry runs: the lanes of
 * `mask` execute the operation `pc` in the call frame `frame`. When `pc` reaches the reconvergence point `meet`, or no
 * lanes are left, the entry is removed, and the entry below, whose mask contains these lanes, continues at `meet`.
 * EXECUTE_NONE as `meet`: there is no such point. */
struct execute_stack_entry {
    uint32_t pc, meet, mask, frame;
};

/* A call frame. It has registers for all lanes of the warp, so that lanes which make the same call from the same frame
 * can share it, even if they are on different paths (call.c). */
struct execute_frame {
    uint32_t function;  /* index in code.functions */
    uint32_t registers; /* offset of the frame's registers */
    uint32_t local;     /* offset of its local memory, bytes per thread */
    uint32_t call;      /* index in code.calls of the call that created the frame; EXECUTE_NONE: the kernel */
    uint32_t caller;    /* the frame that it was called from */
};

/* Record of a step, for timing models. */
struct execute_record {
    uint32_t op;       /* place in code.ops */
    uint32_t mask;     /* lanes that it was executed for */
    uint32_t bytes;    /* bytes per lane of a memory access; 0: none */
    uint8_t space;     /* enum execute_space: resolved, never generic */
    uint32_t remote;   /* lanes that have accessed the shared memory of another CTA of the cluster */
    uint8_t ranks[32]; /* ranks of the remote CTAs */
    uint64_t addresses[32];
};

struct execute_cta;

struct execute_held { /* lanes that wait for others of their warp (aside.h) */
    uint32_t pc, mask;
    uint32_t barrier, key; /* the barrier, and the lanes that meet there */
    uint32_t entries;      /* number of stack entries kept for these lanes at the stack's end */
};

/* Whether a loop comes back to the same registers (spin.c). */
struct execute_spin {
    uint64_t seen;    /* digest of the registers that are compared */
    uint32_t loops;   /* branches back */
    uint32_t left;    /* branches back that are still compared */
    bool spins;       /* the warp will loop forever unless memory changes */
    bool wrote_local; /* since the last branch back */
};

/* Lanes that come to barriers of the CTA or the cluster by several ways (meet.h). */
struct execute_meeting {
    uint32_t met;     /* all lanes of the warp are at barriers: those that must still execute theirs */
    uint32_t arrived; /* the lanes wait for a barrier, `number` of struct execute_met */
    uint32_t opened;  /* the barrier has opened, with `result`, but the lanes have not continued yet */
    uint32_t partly;  /* barriers, one bit each, at which a part of the warp has arrived: `came` */
    bool moved;       /* the last operation was no more than a change of the running lanes */
};

struct execute_met {
    uint8_t number[32];
    uint32_t result[32];
    uint32_t came[EXECUTE_ALL_BARRIERS]; /* lanes, in the barrier's present phase */
};

/* Records that lanes have moved to other frames after requesting values that are still pending. */
struct execute_move {
    uint32_t lanes, from, to;
};

/* The architectural state of a warp. Registers are stored by register, then by lane, so that an operation on 32 lanes
 * is a loop over adjacent words. `bases` has the address of each kind of storage that a reference can name (code/op.h);
 * bases[EXECUTE_BASE_FRAME] changes with the running frame. */
struct execute_warp {
    struct execute_cta *cta;
    const struct execute_launch *launch;
    unsigned char *registers, *specials, *local;
    uint32_t register_bytes, local_bytes; /* per warp; per thread */
    uint32_t number;                      /* index in its CTA */
    uint32_t depth, frames;
    uint32_t lanes; /* that exist and have not exited */
    uint32_t held_count;
    uint32_t set_aside; /* entries at the end of the stack that held lanes keep */
    bool shares_frames; /* frames above the running one may belong to other lanes */
    uint32_t polls;     /* times round a loop, one after the other, that asked memory and left nothing else */
    uint32_t quiet;     /* times round a loop since then, one after the other, that asked nothing */
    uint32_t idle;      /* times round a loop, one after the other, that asked memory and changed nothing */
    bool polled;        /* an atomic or strong load since the last branch back */
    uint32_t mbarrier;  /* address of the mbarrier that it last waited for in vain, plus one; 0: it has not */
    bool changed;       /* a store, or an atomic that made another value, since then; not one that the L2 performs */
    struct execute_spin spin;
    uint8_t parted;      /* enum execute_parted */
    bool awaits;         /* requested values are pending */
    uint32_t move_count; /* number of moves of lanes to other frames since the request: `moves` */
    uint32_t released;   /* lanes whose bar.warp.sync is complete but which have not continued yet */
    uint32_t barrier, barrier_lanes, barrier_op; /* while EXECUTE_AT_BARRIER */
    uint32_t cluster_arrived; /* lanes that have arrived in the present phase of the cluster's barrier */
    uint32_t cluster_passed;  /* lanes whose cluster-barrier phase is complete but which have not waited for it yet */
    bool touches;             /* accesses do not move data, since only values depend on it */
    bool unseen;              /* addresses of accesses need not be reported */
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
    struct execute_record *record; /* NULL: no record is needed */
};

struct execute_barrier_state {
    uint32_t expected;        /* expected threads; 0: no thread has arrived */
    uint32_t arrived;         /* threads; a warp's last arrival brings those that have exited or never were */
    uint64_t waiting;         /* warps, or lanes of them, that wait */
    uint64_t whole;           /* warps whose lanes are all waiting */
    uint64_t parts;           /* warps with some arrived lanes */
    uint32_t count, all, any; /* reduction: count, and whether all and any predicates hold */
};

/* CTAs that run at the same time, reach one another's shared memory, and meet at a barrier of their own. */
struct execute_cluster {
    uint32_t size;
    uint32_t phase; /* number of completed phases of the barrier */
    bool used;      /* threads have arrived at it */
    bool apart;     /* each CTA only knows itself: the end of a phase is signalled from outside */
    bool arrived;   /* apart: all threads of this CTA have arrived, and this has been reported */
    struct execute_cta *members[EXECUTE_CLUSTER_CTAS]; /* indexed by rank */
};

struct execute_cta {
    const struct execute_launch *launch;
    const struct execute_port *port;
    uint32_t place[3];
    uint64_t number;
    uint32_t sm, sm_count;
    uint32_t rank;                   /* rank in its cluster */
    struct execute_cluster *cluster; /* points to the state in the CTA of rank 0 */
    struct execute_cluster alone;    /* the state that `cluster` points to for a CTA alone, and in the CTA of rank 0 */
    unsigned char *shared;
    uint32_t warp_count, ended_warps;
    uint32_t asked;    /* times round loops that ask memory */
    uint32_t advanced; /* times round loops that do anything else, barriers and warps that have ended */
    uint32_t opened;   /* barriers that have opened since the last reset, one bit each */
    struct execute_tmem **tmem, *own_tmem; /* tensor memory, made when it is first used: its SM's; or its own */
    uint32_t tmem_units;                   /* allocated units of 32 columns of tensor memory (tmem.h) */
    bool tmem_no_more;                     /* the CTA has relinquished the permit to allocate */
    uint8_t tmem_promised[EXECUTE_TMEM_PROMISES][2]; /* taken for it by its pair's other CTA: first unit, and units */
    /* number of entries of tmem_promised; number of times that the peer, if it is simulated elsewhere, has freed
     * units */
    uint8_t tmem_promises, tmem_returns;
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

/* Executes the next operation of a warp that is settled (execute_warp_settle) if it changes no more than values of
 * registers, after which the warp is settled too. `*lanes`: those that it is executed for. No record is made. Returns
 * false, without effect, if it is another one, or if anything else of the warp has to be looked at. */
bool execute_warp_compute(struct execute_warp *warp, uint32_t *lanes);

/* Whether other lanes of the warp could run in the place of those that do. */
bool execute_warp_has_turns(const struct execute_warp *warp);

/* Advances a running warp to its next operation, which is then at the top of its stack, or to its end. */
void execute_warp_settle(struct execute_warp *warp);

/* Collects the data of a store: that of its lanes, `stride` bytes apart. */
void execute_collect(const struct execute_warp *warp, const struct execute_op *op, unsigned char *data, size_t stride);
/* The results of a load (`data`: by lane, `stride` bytes apart) or an atomic go to its registers. */
void execute_deliver(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const unsigned char *data,
                     size_t stride);

/* Whether no warp of the CTA can do anything but poll memory, or wait at barriers for those that do. */
bool execute_cta_is_polling(const struct execute_cta *cta);

enum execute_cta_state {
    EXECUTE_CTA_ENDED,
    EXECUTE_CTA_FAULTED,
    EXECUTE_CTA_POLLS, /* polling, possibly for a change by another CTA: can be run again */
    EXECUTE_CTA_STUCK, /* deadlocked at barriers */
};

/* Runs the warps in turn until the CTA has ended, or it is another CTA's turn; returns the operations executed. */
uint64_t execute_cta_run(struct execute_cta *cta, enum execute_cta_state *state);
/* Whether a warp of the CTA can run. */
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
/* Declares that a started CTA belongs to a cluster whose other CTAs are simulated elsewhere: the other members are
 * NULL. */
void execute_cluster_part(struct execute_cta *cta);
/* Ends the current phase of the cluster's barrier for such a CTA. Sets cta.opened. */
void execute_cluster_end_phase(struct execute_cta *cta);
/* Whether a warp of the CTA waits at the cluster's barrier. */
bool execute_cluster_waits(const struct execute_cta *cta);
/* Describes a cluster that is deadlocked at its barrier: kernel, block, phase, missing CTAs. */
bool execute_cluster_describe(const struct execute_cta *cta, struct mnp_error *error);
/* States the cluster of a launch that has been prepared; a kernel's own must be the same. False: an impossible one. */
bool execute_launch_cluster(struct execute_launch *launch, const uint32_t cluster[3], struct mnp_error *error);

/* After a failed assertion, prefixes CUDA's message to an error: file, line, function, block, thread and expression,
 * which are read from the simulated memory. */
void execute_assert_describe(struct execute_warp *warp, struct mnp_error *error);

/* Writes a kernel's name and the source location of an operation: "kernel K at file.cu:12", with the line into which it
 * is inlined; if the source is unknown, "kernel K". EXECUTE_PLACE_BYTES bytes are enough for most locations. */
enum { EXECUTE_PLACE_BYTES = 640 };
void execute_describe_place(const struct execute_code *code, uint32_t op, char *text, size_t room);
/* Like execute_describe_place; if the source is unknown, gives the location in the compiled program. */
void execute_describe_line(const struct execute_code *code, uint32_t op, char *text, size_t room);

/* Describes the operation at which a warp is, or the barrier where it waits; nothing if it has ended. */
void execute_warp_describe_place(const struct execute_warp *warp, char *text, size_t room);

/* The barriers of the CTA at which a warp waits, one bit each; and a description of the threads that have arrived at
 * some of them: "barrier 1 has 32 of 64 threads". */
uint32_t execute_barriers_of(const struct execute_warp *warp);
void execute_barriers_describe(const struct execute_cta *cta, uint32_t barriers, char *text, size_t room);

/* Converts a fault to an error with kernel, source line, block and thread. */
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
/* store_async.c: stores of machine code whose bytes arrive at an mbarrier; `complete` performs the arrival. */
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
/* memory.c: records the space and all lanes' addresses of an access, for timing models and traces; `bytes`: of a lane.
 */
void execute_record_access(struct execute_warp *warp, enum execute_space space, uint32_t bytes,
                           const uint64_t *addresses);
/* memory.c: determines only the addresses that an access touches, if they are needed, without moving data. */
void execute_step_touch(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* Operation codes of accesses to other CTAs' shared memory, in addition to enum execute_atomic_operation: a marker for
 * shared memory, or an operation on an mbarrier (enum execute_mbarrier) combined with op.combine. */
enum {
    EXECUTE_REMOTE_SHARED = 0x40,
    EXECUTE_REMOTE_MBARRIER = 0x80,
    EXECUTE_REMOTE_COMBINED = 0x20,
    EXECUTE_REMOTE_OPERATION = 0x1f
};

/* Initial value of an mbarrier whose phases expect `arrivals` arrivals. */
uint64_t execute_mbarrier_begin(uint32_t arrivals);

/* Describes the missing arrivals and bytes of the current phase: "phase of parity 0 lacks 1 of 2 arrivals and 128
 * bytes". */
void execute_mbarrier_describe(uint64_t object, char *text, size_t room);

/* Computes the new value of an mbarrier, and a fault if the operation is invalid. */
uint64_t execute_mbarrier_result(uint8_t operation, uint64_t old, uint64_t number);
enum execute_fault execute_mbarrier_fault(uint8_t operation, uint64_t old, uint64_t number);

/* Completes a copy of `bytes` bytes at the mbarrier at addresses[lane]. Returns false on a fault. */
bool execute_mbarrier_complete(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint32_t bytes);

/* An arrival at the mbarrier at addresses[lane]. False: a fault. */
bool execute_mbarrier_arrive(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses);

/* Performs for a lane an operation that was put off (execute_port.arrival). False: a fault. */
bool execute_mbarrier_landed(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                             const uint64_t *addresses);

/* wgmma: registers that a warp's part of a product reads at issue. They may have changed when the product is performed,
 * because compiled code preserves them only until the wait. */
struct execute_wgmma_kept {
    uint64_t from_a, from_b; /* descriptors */
    bool adds;               /* adds to the existing sums */
    uint8_t selector;        /* sparse A: selects the threads that hold the metadata */
    uint32_t a[4][32];       /* A out of registers */
    uint32_t metadata[32];   /* sparse A: metadata */
};
/* Whether the product of these lanes adds to the existing sums. */
bool execute_wgmma_adds(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_wgmma_keep(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                        struct execute_wgmma_kept *kept);
/* The product itself. A fault: an operand lies outside the shared memory. */
void execute_wgmma_multiply(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                            const struct execute_wgmma_kept *kept);

/* At a backward branch: whether the warp loops forever unless memory changes (spin.c). */
bool execute_warp_spins(struct execute_warp *warp);

/* Calls (call.c), and barriers (barrier.c); of a barrier: whether the lanes wait, or it is a fault. `parted`: the lanes
 * of the warp come by several ways, and those that wait are seen to by the caller (meet.h). */
void execute_call(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_return(struct execute_warp *warp, bool normally);
bool execute_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted);
/* The number that an operation names, and its threads; 0: all. */
void execute_barrier_named(const struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                           uint32_t *number, uint32_t *threads);
/* Result of a reduction at a barrier: each lane's word has the count and, in its highest bits, whether all and whether
 * any predicates hold. */
enum { EXECUTE_BARRIER_COUNT_BITS = 30 };
void execute_barrier_results(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                             const uint32_t results[32]);
/* For a diverged warp: lets lanes that wait at a barrier continue, since it has opened; returns them. */
uint32_t execute_barrier_opened(struct execute_warp *warp, uint32_t number, uint32_t result);
/* Whether a barrier opens for a CTA with so many warps that have not ended. */
bool execute_barrier_is_complete(const struct execute_barrier_state *barrier, uint32_t live_warps);
/* Lanes have exited; barriers no longer wait for them. */
void execute_barrier_left(struct execute_warp *warp);
/* Machine code: words of constant banks (bank.c), instructions over words, paths (paths.h). */
void execute_bank_fill(struct execute_cta *cta);
void execute_step_words(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge_set(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* Executes a system function for a lane of machine code, whose register R4 is at `arguments`. */
void execute_paths_system(struct execute_warp *warp, uint32_t function, uint32_t arguments, uint32_t lane);
void execute_cta_warp_ended(struct execute_warp *warp);
bool execute_cluster_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted);
/* Lanes have exited; the cluster's barrier no longer waits for them. */
void execute_cluster_left(struct execute_warp *warp);
/* Returns a pointer to a lane's bytes of shared::cluster. NULL: a fault. */
unsigned char *execute_cluster_place(struct execute_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes);

/* Performs one access to any space: reads or writes `bytes` bytes at the lanes' addresses in that space. Returns false
 * on a fault. */
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
/* Computes the addresses of an access, including the register that is added. */
void execute_access_addresses(const struct execute_warp *warp, const struct execute_op *op, int64_t offset,
                              uint64_t addresses[32]);

#endif
