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

#include "execute/op.h"
#include "execute/texture.h"

enum {
    PTX_STACK_DEPTH = 256,
    PTX_FRAME_DEPTH = 64,
    PTX_MAX_WARPS = 64,
    PTX_RESERVED_SHARED = 1024,
    PTX_BARRIERS = 16,
    PTX_POLLS_YIELD = 256 /* times round a polling loop, after which other lanes of the warp go on */,
    PTX_POLLS_YIELD_LIVE = 4 /* the same where a poll takes simulated time */,
    PTX_POLLS_STUCK = 1 << 16,
    PTX_POLLS_ASIDE = 64 /* times round a loop that polls and changes nothing, after which other CTAs go on */
};

enum ptx_status {
    PTX_RUNNING,
    PTX_AT_BARRIER,
    PTX_ENDED,
    PTX_FAULTED,
};

enum ptx_fault {
    PTX_FAULT_NONE,
    PTX_FAULT_ADDRESS, /* outside every allocation */
    PTX_FAULT_MISALIGNED,
    PTX_FAULT_SHARED, /* outside the CTA's shared memory */
    PTX_FAULT_LOCAL,
    PTX_FAULT_PARAMETER,
    PTX_FAULT_TRAP,
    PTX_FAULT_ASSERT,
    PTX_FAULT_STACK,   /* calls nested too deeply */
    PTX_FAULT_TARGET,  /* an indirect call or branch goes nowhere */
    PTX_FAULT_BARRIER, /* a barrier with an impossible number */
    PTX_FAULT_TEXTURE, /* a handle that names no texture */
    PTX_FAULT_MEMORY,  /* the memory of the simulated machine is exhausted */
};

struct ptx_warp;

/* One lane's part in a memory instruction is addresses[lane]; data stands at data + lane · stride. */
struct ptx_port {
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
    int32_t (*print)(void *context, struct ptx_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments);
    uint64_t (*allocate)(void *context, uint64_t bytes);
    void (*release)(void *context, uint64_t address);
    /* The texture that a handle names, or NULL. May be NULL itself: there are none. */
    const struct ptx_texture *(*texture)(void *context, uint64_t handle);
    /* Whether an access to global memory is performed by others, and its values come later. `data`: what is stored, or
     * an atomic's operands at 0 and 8, by lane. NULL: none ever is. */
    bool (*defer)(void *context, struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes,
                  const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride);
    uint64_t (*clock)(void *context); /* cycles of the SM */
    uint64_t (*nanoseconds)(void *context);
    /* Sees every operation that ptx_cta_run has executed, and the end of the CTA. NULL: nobody looks. */
    const struct ptx_observer *observer;
};

struct ptx_cta;
struct ptx_record;

struct ptx_observer {
    void *context;
    void (*executed)(void *context, const struct ptx_warp *warp, const struct ptx_record *record);
    void (*ended)(void *context, const struct ptx_cta *cta);
};

struct ptx_launch {
    const struct ptx_code *code;
    uint32_t grid[3], block[3];
    uint32_t threads, warps;         /* per CTA */
    uint32_t dynamic_shared;         /* bytes */
    uint32_t shared_bytes;           /* static and dynamic */
    uint32_t reserved_shared;        /* where the system's part of it begins, if the kernel uses it */
    uint64_t number;                 /* %gridid */
    uint64_t resident;               /* CTAs that the machine holds at once; 0: PTX_RESIDENT */
    uint64_t workspace;              /* %envreg1 and 2: of a cooperative grid; 0: it is none */
    const unsigned char *parameters; /* [code.parameter_bytes] */
};

struct ptx_stack_entry {
    uint32_t pc, meet, mask, frame;
};

struct ptx_frame {
    uint32_t function;  /* in code.functions */
    uint32_t registers; /* offset of the frame's registers */
    uint32_t local;     /* offset of its local memory, bytes per thread */
    uint32_t call;      /* in code.calls, of the call that made it; PTX_NONE: the kernel */
};

/* What a step did, for a model of time. */
struct ptx_record {
    uint32_t op;    /* place in code.ops */
    uint32_t mask;  /* lanes that it was executed for */
    uint32_t bytes; /* of a memory access per lane; 0: none */
    uint8_t space;  /* enum ptx_space: resolved, never generic */
    uint64_t addresses[32];
};

struct ptx_cta;

struct ptx_warp {
    struct ptx_cta *cta;
    const struct ptx_launch *launch;
    unsigned char *registers, *specials, *local;
    uint32_t register_bytes, local_bytes; /* per warp; per thread */
    uint32_t number;                      /* in its CTA */
    uint32_t depth, frames;
    uint32_t lanes; /* that exist and have not exited */
    uint32_t polls; /* times round a loop, one after the other, that asked memory and left nothing else */
    uint32_t idle;  /* times round a loop, one after the other, that asked memory and changed nothing */
    bool polled;    /* an atomic or strong load since the last branch back */
    bool changed;   /* a store, or an atomic that made another value, since then */
    bool parted;    /* lanes have gone on while others of theirs polled, and have not met again */
    uint32_t barrier, barrier_variant, barrier_lanes, barrier_op; /* while PTX_AT_BARRIER */
    uint8_t status, fault;
    uint32_t fault_lane, fault_op;
    uint64_t fault_address;
    const unsigned char *bases[PTX_BASE_COUNT];
    struct ptx_stack_entry stack[PTX_STACK_DEPTH];
    struct ptx_frame frame[PTX_FRAME_DEPTH];
    struct ptx_record *record; /* NULL: nobody wants it */
};

struct ptx_barrier_state {
    uint32_t expected;        /* threads; 0: nobody has come */
    uint32_t arrived;         /* threads, in whole warps */
    uint64_t waiting;         /* warps */
    uint32_t count, all, any; /* of a reduction */
};

struct ptx_cta {
    const struct ptx_launch *launch;
    const struct ptx_port *port;
    uint32_t place[3];
    uint64_t number;
    uint32_t sm, sm_count;
    unsigned char *shared;
    uint32_t warp_count, ended_warps;
    uint32_t asked;    /* times round loops that ask memory */
    uint32_t advanced; /* times round loops that do anything else, barriers and warps that have ended */
    uint32_t opened; /* barriers that have opened since somebody reset it, one bit each */
    struct ptx_barrier_state barriers[PTX_BARRIERS];
    struct ptx_warp warps[PTX_MAX_WARPS];
    /* blocks that the above point into */
    unsigned char *block;
    size_t block_bytes;
};

/* Prepares a CTA for running; its blocks are allocated the first time and kept for the next CTA. */
void ptx_cta_start(struct ptx_cta *cta, const struct ptx_launch *launch, const struct ptx_port *port, uint64_t number);
void ptx_cta_release(struct ptx_cta *cta);

/* Executes up to `limit` operations of a running warp; returns how many. */
uint64_t ptx_warp_run(struct ptx_warp *warp, uint64_t limit);

/* Brings a running warp to its next operation, whose place is then that of the top of its stack, or to its end. */
void ptx_warp_settle(struct ptx_warp *warp);

/* Whether an operation may send the flow elsewhere than to the one behind it. */
bool ptx_op_is_flow(const struct ptx_op *op);

/* The results of a load (`data`: by lane, `stride` bytes apart) or an atomic go to its registers. */
/* The data of a store: those of its lanes, one after the other. */
void ptx_collect(const struct ptx_warp *warp, const struct ptx_op *op, unsigned char *data, size_t stride);
void ptx_deliver(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes, const unsigned char *data,
                 size_t stride);

/* Whether no warp of the CTA can do anything but poll memory, or wait at barriers for those that do. */
bool ptx_cta_is_polling(const struct ptx_cta *cta);

enum ptx_cta_state {
    PTX_CTA_ENDED,
    PTX_CTA_FAULTED,
    PTX_CTA_POLLS, /* perhaps for what another CTA does: it can be run again */
    PTX_CTA_STUCK, /* at barriers that nobody will complete */
};

/* Runs the warps in turn until the CTA has ended, or it is another CTA's turn; returns the operations executed. */
uint64_t ptx_cta_run(struct ptx_cta *cta, enum ptx_cta_state *state);

/* What a fault is, as an error with kernel, source line, block and thread. */
void ptx_fault_describe(const struct ptx_warp *warp, struct mnp_error *error);

/* ===== between the files of the executor ===== */

#define PTX_ALL_LANES 0xffffffffu

static inline const void *ptx_at(const struct ptx_warp *warp, uint32_t ref)
{
    return warp->bases[ref >> PTX_BASE_SHIFT] + (ref & PTX_OFFSET_MASK);
}

static inline void *ptx_to(struct ptx_warp *warp, uint32_t ref)
{
    return (unsigned char *)warp->bases[PTX_BASE_FRAME] + ref;
}

static inline uint32_t ptx_mask_at(const struct ptx_warp *warp, uint32_t ref)
{
    return *(const uint32_t *)(warp->bases[PTX_BASE_FRAME] + ref);
}

static inline void ptx_set_mask(struct ptx_warp *warp, uint32_t ref, uint32_t lanes, uint32_t value)
{
    uint32_t *mask = (uint32_t *)((unsigned char *)warp->bases[PTX_BASE_FRAME] + ref);
    *mask = (*mask & ~lanes) | (value & lanes);
}

/* Copies the lanes of a result; size 4, 8 or 16 bytes. */
void ptx_blend(void *to, const void *from, uint32_t size, uint32_t lanes);
void ptx_fault(struct ptx_warp *warp, enum ptx_fault fault, uint32_t lane, uint64_t address);

void ptx_execute_float(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_convert(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_memory(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_atomic(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_mbarrier(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_copy_bulk(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_surface(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_texture(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_video(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_matrix(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_together(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_misc(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_system(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_call(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_execute_return(struct ptx_warp *warp, bool normally);
bool ptx_execute_barrier(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes);
void ptx_cta_warp_ended(struct ptx_warp *warp);

/* One access of any space: reads or writes `bytes` at addresses (in that space) of the lanes. False: a fault. */
bool ptx_access(struct ptx_warp *warp, enum ptx_space space, bool write, uint32_t lanes, const uint64_t *addresses,
                uint32_t bytes, void *data, size_t stride);
/* Leaves an access to others, if the port does; returns the lanes that remain to be performed here. */
uint32_t ptx_defer(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes, const uint64_t *addresses,
                   uint32_t bytes, const void *data, size_t stride);
/* Resolves generic addresses; all lanes must lie in one space, or the lanes of the first one's space are returned. */
uint32_t ptx_resolve(const uint64_t *addresses, uint32_t lanes, enum ptx_space *space, uint64_t *resolved);
void ptx_addresses(const struct ptx_warp *warp, uint32_t ref, bool wide, int64_t offset, uint64_t addresses[32]);

#endif
