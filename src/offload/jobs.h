/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that wait or run, in the order of their arrival, and the coprocessors that they run on. */
#ifndef OFFLOAD_JOBS_H
#define OFFLOAD_JOBS_H

#include "offload/guest.h"
#include "offload/record.h"
#include "offload/worker.h"

enum {
    OFFLOAD_JOBS = 32, /* maximum number of waiting or running launches of a session */
};

struct offload_job {
    struct offload_guest *guest; /* NULL: there is no job here */
    struct offload_request *request;
    uint64_t session, order;
    uint32_t sequence;
    uint64_t arrived, started, deadline; /* host time; started 0: it waits; deadline 0: none */
    uint32_t worker;
};

struct offload_jobs {
    struct offload_job jobs[OFFLOAD_PEERS * OFFLOAD_JOBS];
    struct offload_worker workers[OFFLOAD_MOST_COPROCESSORS];
    struct offload_job *of[OFFLOAD_MOST_COPROCESSORS]; /* the job that each works on */
    uint32_t worker_count;
    uint64_t order;
    const struct offload_machine *machine;
    const struct offload_region *region;
    uint32_t most_milliseconds;
    struct offload_records *records;
    struct offload_answer *answer; /* room for one */
};

bool offload_jobs_begin(struct offload_jobs *jobs, struct mnp_error *error);
void offload_jobs_end(struct offload_jobs *jobs);

/* Adds a launch, whose ownership passes to the queue. Returns false if there are too many. */
bool offload_jobs_add(struct offload_jobs *jobs, struct offload_guest *guest, uint32_t sequence,
                      struct offload_request *request);

/* Ends a launch of a guest, or all if `all` is set; each gets its REPLY. Returns false if no launch has that number. */
bool offload_jobs_cancel(struct offload_jobs *jobs, struct offload_guest *guest, uint32_t sequence, bool all);

/* A worker's socket has something to say: a result, or that the worker is gone. */
void offload_jobs_hear(struct offload_jobs *jobs, uint32_t worker);

/* Ends launches whose time limit has passed; returns the milliseconds until the next deadline, or -1 if there is
 * none. */
int offload_jobs_watch(struct offload_jobs *jobs);

/* Writes a line about a launch that was refused, too. */
void offload_jobs_note(struct offload_jobs *jobs, uint64_t session, uint32_t sequence, uint32_t kind, uint32_t status);

#endif
