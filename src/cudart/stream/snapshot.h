/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of a program's run (docs/snapshots.md). The machine is kept when a kernel has ended and no other has begun,
 * which is inside a call of the program's that waits. A program itself cannot be kept: to go on from there it runs
 * again, its kernels by value, up to that call; what it has asked for until then, and what memory holds, must be the
 * same, by hashes. Kernels that had been given to the machine are given to it again.
 */
#ifndef CUDART_SNAPSHOT_H
#define CUDART_SNAPSHOT_H

#include "base/error.h"
#include "engine/core/snapshot.h"
#include "engine/count/results.h"
#include "results/files/snapshot_file.h"

struct cudart;
struct cudart_operation;

/* An operation that its stream had not forgotten. Without time the host's clock and the streams are elsewhere when the
 * program gives it again, so that it carries what it had of both. */
struct cudart_snapshot_operation {
    uint64_t sequence;
    uint64_t ended;  /* fs: of a kernel; MNP_NEVER: it had not, and all others had not begun */
    uint64_t issued; /* fs */
    uint64_t flags;  /* bits of enum cudart_snapshot_flag */
};

enum cudart_snapshot_flag { /* truths of an operation, and of its launch */
                            CUDART_BEHIND_KERNEL = 1,
                            CUDART_FOLLOWS = 2,
                            CUDART_EARLY = 4,
                            CUDART_PREPARED = 8,
                            CUDART_QUEUED = 16,
};

/* Owners: snapshot.c; of what concerns going on, snapshot_resume.c. */
struct cudart_snapshots {
    bool wanted;                  /* snapshots are taken, or one is gone on from: calls are hashed */
    bool resuming;                /* the place has not been reached: kernels are executed by value */
    uint64_t calls;               /* a hash of the functions that have been called */
    uint64_t data;                /* hashes of what the host has read, added up */
    uint64_t host, sequence;      /* the host's time, and operations given, when the present call began */
    uint32_t marks;               /* … and marks */
    uint32_t ended, latest;       /* launches up to which all have ended: now, and at the latest snapshot; 0: none */
    uint64_t next;                /* ns of the host's clock: before that none is taken unasked */
    struct mnp_snapshot snapshot; /* the snapshot from which the run continues */
    struct mnp_snapshot_reader reader;            /* reader of its remaining part */
    uint64_t place;                               /* the call */
    struct cudart_snapshot_operation *operations; /* operations that wait for this place */
    uint32_t operation_count;
    uint64_t arrival;             /* fs: the device's time when it was taken; 0: that is over */
    uint64_t executed;            /* kernels, by value, on the way there */
    struct mnp_error error;       /* one could not be written, or taken */
    struct mnp_error state_error; /* defect of the snapshot's bytes; does not name a file */
    bool broken;                  /* the machine has part of a state that was refused: it is not looked at */
};

void cudart_snapshot_init(struct cudart *rt);
/* The properties that a snapshot must match. */
struct results_snapshot_of cudart_snapshot_describe(const struct cudart *rt);
uint64_t cudart_memory_hash(struct cudart *rt); /* a hash of the device's */

/* The host gets to see something, from an address of the device's. */
void cudart_snapshot_see(struct cudart *rt, const void *bytes, size_t length, uint64_t from);

/* Runs the machine in a call that waits, as cudart_run_machine does; takes a snapshot if this is a place for it. Where
 * one is gone on from, the first run is that at whose end it was taken. */
void cudart_snapshot_run(struct cudart *rt, uint64_t until);

/* Whether an operation had not been forgotten by its stream when the snapshot was taken that is gone on from: it waits.
 */
bool cudart_snapshot_holds(const struct cudart *rt, const struct cudart_operation *operation);

/* The run ends here, as it was told to, or as it must. */
void cudart_snapshot_leave(struct cudart *rt, enum mnp_end end, int status);

/* At the program's end: what has become of what was wanted. False: that is an error. */
bool cudart_snapshot_end(struct cudart *rt, struct mnp_error *error);

/* snapshot_resume.c */

/* A call begins: goes on from a snapshot, if this is the place. */
void cudart_snapshot_call(struct cudart *rt, const char *name);

#endif
