/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program gives to its streams: operations in queues, in simulated time (DESIGN §3.4).
 *
 * The host has a clock, which every call moves on, and the device another, which moves only inside calls: as far as a
 * call waits, or to the host's time where it asks. An operation begins when what it follows has ended and the device's
 * clock has reached the time at which the host gave it; a kernel's end is exact to the core cycle, a copy's to the
 * femtosecond. Where the device is simulated with time, its clock stands on multiples of an epoch alone: operations are
 * seen, and copies take effect, at the first one at or after their time. So nothing depends on windows or threads.
 */
#ifndef CUDART_QUEUE_H
#define CUDART_QUEUE_H

#include "cudart/context.h"

enum cudart_operation_kind {
    CUDART_KERNEL,
    CUDART_COPY,
    CUDART_FILL,
    CUDART_RECORD,   /* of an event: a mark */
    CUDART_WAIT,     /* for a mark */
    CUDART_FREE,     /* of memory */
    CUDART_FUNCTION, /* of the host */
};

/* One thing that waits in a stream. */
struct cudart_operation {
    enum cudart_operation_kind kind;
    bool started, done;
    uint64_t issued;   /* fs: the host's time at the call */
    uint64_t sequence; /* number of the operation in the order of all calls */
    uint64_t ends;     /* fs: of what has started; MNP_NEVER: not known yet */
    struct cudart_operation *next;
    const struct cudart_kernel *kernel;
    struct execute_launch launch;
    uint64_t stream;        /* handle */
    unsigned char *storage; /* a kernel's parameters, or the bytes to be copied, taken at the call; may be NULL */
    struct cudart_area area;
    uint64_t *engine;    /* of a copy: the engine of the device that it needs; NULL: none */
    uint32_t value;      /* of a fill, */
    unsigned bytes_each; /* which repeats that many of its bytes: 1, 2, 4 */
    uint32_t mark;
    void (*function)(void *);
    void (*callback)(uint64_t, int, void *);
    void *data;
};

/* Puts an operation behind the others of a stream, which must be known. It starts zeroed, but for kind and times. */
struct cudart_operation *cudart_enqueue(struct cudart *rt, uint64_t stream, enum cudart_operation_kind kind);
void cudart_operation_free(struct cudart_operation *operation);

/* Whether the order of streams lets an operation begin now, if it is the first of its own. */
bool cudart_may_begin(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation);
/* When it can begin: the end of what it follows. */
uint64_t cudart_ready(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation);
void cudart_retire(struct cudart_stream *stream); /* the first operation, which is done */

struct cudart_stream *cudart_any_stream(struct cudart *rt, uint64_t handle); /* NULL: unknown */
/* Whether all has ended that it was given, or that its next operation would wait for; and when it had. */
bool cudart_stream_is_empty(const struct cudart *rt, const struct cudart_stream *stream, uint64_t *done);

/* A mark: passed when a stream has come so far. */
struct cudart_mark {
    bool passed;
    uint64_t time;
};
uint32_t cudart_add_mark(struct cudart *rt, uint64_t stream);
const struct cudart_mark *cudart_mark_at(const struct cudart *rt, uint32_t mark);

/* advance.c: lets the device's time go on, to a time, or until a mark has been passed or everything has ended. */
void cudart_advance_to(struct cudart *rt, uint64_t time);
void cudart_advance_past(struct cudart *rt, uint32_t mark);
void cudart_advance_all(struct cudart *rt);
/* Until one of the host's functions has been called, for which the host has waited. */
void cudart_advance_function(struct cudart *rt);

/* idle.c: one more function of the host's waits in a stream. */
void cudart_watch_host(struct cudart *rt);

/* copy.c: what a copy or a fill does to memory. False: there is no memory for it. */
bool cudart_copy_now(struct cudart *rt, const struct cudart_operation *operation);

/* memory.c: frees memory of the device. False: it is none. */
bool cudart_free_now(struct cudart *rt, uint64_t address);

/* execute.c */
void cudart_start_kernel(struct cudart *rt, struct cudart_operation *operation);
/* Runs the machine to a time (MNP_NEVER: until a kernel has ended); returns the device's time. */
uint64_t cudart_run_machine(struct cudart *rt, uint64_t until);

#endif
