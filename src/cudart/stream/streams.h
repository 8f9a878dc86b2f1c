/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of a program: queues of operations, in simulated time (docs/cuda.md, Time).
 *
 * The host has a clock, which every call advances. The device has another, which advances only inside calls: as far as
 * a call waits, or to the host's time if the call queries. An operation begins when its predecessors have ended and the
 * device's clock has reached the time of the host's call. A kernel's end is exact to the core cycle, a copy's to the
 * femtosecond. If the device is simulated with time, its clock has only multiples of an epoch as values: operations are
 * seen, and copies take effect, at the first multiple at or after their time. So nothing depends on windows or threads.
 */
#ifndef CUDART_STREAMS_H
#define CUDART_STREAMS_H

#include "cudart/base/abi.h"
#include "cudart/device/device.h"

#include <stdbool.h>

struct cudart;
struct cudart_kernel;

/* Owner: streams.c. Operations are begun by clock.c and simulation.c. */
struct cudart_streams {
    struct mnp_array list;   /* struct cudart_stream */
    struct mnp_array events; /* struct cudart_event */
    struct mnp_array marks;  /* struct cudart_mark */
    uint64_t sequence;       /* operations given to streams */
    uint32_t kernels;        /* kernels among them */
};

struct cudart_stream {
    struct cudart_device *device;
    bool used, non_blocking;
    bool of_graph; /* a branch of an executable graph: no handle of the program's names it */
    int priority;
    uint64_t name;                         /* how results speak of it: its handle, or that of its device alone */
    uint32_t capture;                      /* its operations go into a graph (graphs.h); 0: they do not */
    struct mnp_array frontier;             /* uint64_t: nodes that the next one in the capture waits for */
    uint64_t done;                         /* fs: end time of its last finished operation */
    struct cudart_operation *first, *last; /* operations that have not ended; NULL: none */
};

struct cudart_event {
    struct cudart_device *device;
    bool used, recorded, untimed;
    bool interprocess;         /* may be shared with other processes */
    uint32_t shared;           /* its number among the events of all processes (base/sharing.h); 0: it is none */
    uint32_t mark;             /* mark of the latest recording; of a shared one: its own */
    uint32_t capture;          /* capture of the latest recording; 0: none */
    struct mnp_array frontier; /* uint64_t: nodes that it stands for there */
};

/* A mark: passed when a stream has come so far. */
struct cudart_mark {
    bool passed;
    uint64_t time;
};

/* Rows of bytes. */
struct cudart_area {
    uint64_t to, to_pitch, from, from_pitch, width, height;
};

enum cudart_operation_kind {
    CUDART_KERNEL,
    CUDART_COPY,
    CUDART_FILL,
    CUDART_RECORD,   /* records an event: a mark */
    CUDART_WAIT,     /* waits for a mark */
    CUDART_FREE,     /* frees memory */
    CUDART_FUNCTION, /* function of the host */
};

/* One thing that waits in a stream. */
struct cudart_operation {
    enum cudart_operation_kind kind;
    struct cudart_device *device; /* device of its stream; NULL: it belongs to a graph */
    bool started, done;
    bool behind_kernel; /* in its stream, when it was given and that kernel had not ended */
    bool follows;       /* the same, or only events of such a kernel's stream lie between them, */
    uint32_t records;   /* … of which so many are recorded there */
    bool event;         /* a record is that of an event, not one that a call of ours waits for */
    uint64_t issued;    /* fs: the host's time at the call */
    uint64_t sequence;  /* number of the operation in the order of all calls */
    uint32_t number;    /* number of a kernel in that order, from 1 on; with several devices: among its own device's */
    bool in_region;     /* given inside a part of the program that --kernels names (profiler_ranges.h) */
    enum { CUDART_UNDECIDED, CUDART_TIMED, CUDART_BY_VALUE } way; /* that a kernel is executed (simulation.c) */
    uint64_t begins;                                              /* fs: of a copy or a fill that has started */
    uint64_t ends; /* fs: of what has started; MNP_NEVER: not known yet */
    struct cudart_operation *next;
    const struct cudart_kernel *kernel;
    struct execute_launch launch;
    uint64_t stream; /* handle */
    uint64_t stream_name;
    unsigned char *storage; /* a kernel's parameters, or the bytes to be copied, taken at the call; may be NULL */
    struct cudart_area area;
    enum cudart_engine engine; /* engine of a copy */
    uint32_t value;            /* value of a fill, … */
    unsigned bytes_each;       /* … which repeats so many bytes of the value: 1, 2, 4 */
    bool of_graph;             /* its memory may be gone when the graph runs */
    uint32_t mark;
    uint32_t shared, ticket; /* record of an event of several processes that is made, or waited for; 0: none */
    void (*function)(void *);
    void (*callback)(uint64_t, int, void *);
    void *data;
};

/* A walk over the operations that have not ended: stream by stream, in the order in which each got them. It begins with
 * zeros; no operation may come or go meanwhile. */
struct cudart_walk {
    uint32_t stream; /* the one behind those that the walk has come to */
    struct cudart_operation *next;
};

struct cudart_operation *cudart_walk_next(const struct cudart *rt, struct cudart_walk *walk); /* NULL: no more */

/* The capture ends: no stream takes part in it any more. */
void cudart_leave_capture(struct cudart *rt, uint32_t capture);
/* Whether what a capture would not see can be done now, such as an allocation; captures that forbid it are spoilt. */
enum cuda_error cudart_may_be_unseen(struct cudart *rt);
/* Whether what is given to a stream goes into a graph. */
bool cudart_is_captured(const struct cudart *rt, uint64_t stream);
/* Memory that a captured stream allocates, as the next node of its capture. */
void cudart_capture_allocation(struct cudart *rt, uint64_t stream, uint64_t address, uint64_t bytes);
/* Whether something may be given to a stream, captures considered; a capture that forbids it is spoilt. */
enum cuda_error cudart_may_enqueue(struct cudart *rt, uint64_t stream);
/* Whether a call may wait for a stream; NULL: for all. */
enum cuda_error cudart_may_wait(struct cudart *rt, const struct cudart_stream *stream);

/* Puts an operation behind the others of a stream, which must be known, or into the graph that it is captured into, or
 * into the node that is built. It starts zeroed, but for kind and times. */
struct cudart_operation *cudart_enqueue(struct cudart *rt, uint64_t stream, enum cudart_operation_kind kind);

/* A kernel, just put into its stream, may begin before the one before it has ended: whether there is such a one. Where
 * it has gone into a graph, that remembers it. */
bool cudart_may_overlap(struct cudart *rt, const struct cudart_operation *kernel, uint64_t stream);

/* Whether the order of streams lets an operation begin now, if it is the first of its own. */
bool cudart_may_begin(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation);
/* When it can begin: the end of what it follows. */
uint64_t cudart_ready(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation);
void cudart_retire(struct cudart_stream *stream); /* the first operation, which is done */

struct cudart_stream *cudart_any_stream(struct cudart *rt, uint64_t handle); /* that programs know; NULL: unknown */
bool cudart_stream_known(const struct cudart *rt, uint64_t stream);
/* The legacy default stream of its device. */
bool cudart_is_legacy(const struct cudart *rt, const struct cudart_stream *stream);
enum cuda_error cudart_create_stream(struct cudart_device *device, uint64_t *out, unsigned flags, int priority);
enum cuda_error cudart_destroy_stream(struct cudart *rt, uint64_t stream);
/* A branch of an executable graph: its handle is for what puts operations into streams, and for nothing else. */
uint64_t cudart_make_branch(struct cudart_device *device);
void cudart_end_branch(struct cudart *rt, uint64_t branch);
/* Whether all has ended that it was given, or that its next operation would wait for; and when it had. */
bool cudart_stream_is_empty(const struct cudart *rt, const struct cudart_stream *stream, uint64_t *done);

uint32_t cudart_add_mark(struct cudart *rt, uint64_t stream);
const struct cudart_mark *cudart_mark_at(const struct cudart *rt, uint32_t mark);
void cudart_pass_mark(struct cudart *rt, uint32_t mark, uint64_t time);

const struct cudart_event *cudart_event_of(const struct cudart *rt, uint64_t handle); /* NULL: unknown */
enum cuda_error cudart_create_event(struct cudart_device *device, uint64_t *out, unsigned flags);
enum cuda_error cudart_destroy_event(struct cudart *rt, uint64_t handle);
/* An event of this device that stands for one of several processes. */
enum cuda_error cudart_open_event(struct cudart_device *device, uint64_t *out, uint32_t shared);
/* `external`: in a capture, as a node of its own (cudaEventRecordExternal, cudaEventWaitExternal). */
enum cuda_error cudart_record_event(struct cudart *rt, uint64_t handle, uint64_t stream, bool external);
/* The same in a stream that no capture has, a branch of a graph among them. */
enum cuda_error cudart_record_now(struct cudart *rt, uint64_t handle, uint64_t stream);
enum cuda_error cudart_wait_event(struct cudart *rt, uint64_t stream, uint64_t handle, bool external);

void cudart_forget_streams(struct cudart_device *device); /* the device is reset: all of its work has ended */

#endif
