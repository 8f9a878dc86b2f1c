/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/jobs.h"

#include "base/allocate.h"
#include "base/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = OFFLOAD_PEERS * OFFLOAD_JOBS };

bool offload_jobs_begin(struct offload_jobs *jobs, struct mnp_error *error)
{
    jobs->answer = mnp_allocate(1, sizeof *jobs->answer);
    for (uint32_t i = 0; i < jobs->worker_count; i++)
        if (!offload_worker_start(&jobs->workers[i], jobs->machine, jobs->region, error))
            return false;
    return true;
}

void offload_jobs_end(struct offload_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->worker_count; i++)
        offload_worker_kill(&jobs->workers[i]);
    for (uint32_t i = 0; i < SLOTS; i++)
        free(jobs->jobs[i].request);
    free(jobs->answer);
}

static uint64_t bytes_of(const struct offload_request *request, uint32_t flag)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < request->launch.buffer_count; i++)
        bytes += request->buffers[i].flags & flag ? request->buffers[i].bytes : 0;
    return bytes;
}

static void record(struct offload_jobs *jobs, const struct offload_job *job, uint32_t status,
                   const struct mnp_offload_result *result)
{
    const struct offload_request *request = job->request;
    uint64_t now = offload_now();
    struct offload_record row = {
        .session = job->session,
        .sequence = job->sequence,
        .kind = request->launch.kind,
        .cores = request->launch.cores,
        .status = status,
        .program_status = result->program_status,
        .program_bytes = request->launch.program_bytes,
        .bytes_in = bytes_of(request, MNP_OFFLOAD_IN),
        .bytes_out = status == MNP_OFFLOAD_OK ? bytes_of(request, MNP_OFFLOAD_OUT) : 0,
        .cycles = result->cycles,
        .instructions = result->instructions,
        .femtoseconds = result->femtoseconds,
        .arrived_ns = job->arrived - jobs->records->began_ns,
        .whole_ns = now - job->arrived,
        .queue_ns = (job->started ? job->started : now) - job->arrived,
        .copy_ns = result->copy_ns,
        .run_ns = result->run_ns,
    };
    offload_records_add(jobs->records, &row, false);
}

void offload_jobs_note(struct offload_jobs *jobs, uint64_t session, uint32_t sequence, uint32_t kind, uint32_t status)
{
    struct offload_record row = {.session = session,
                                 .sequence = sequence,
                                 .kind = kind,
                                 .status = status,
                                 .arrived_ns = offload_now() - jobs->records->began_ns};
    offload_records_add(jobs->records, &row, true);
}

/* The job is over; its REPLY has been written. */
static void forget(struct offload_jobs *jobs, struct offload_job *job)
{
    if (job->started)
        jobs->of[job->worker] = NULL;
    job->guest->jobs--;
    job->guest->heard = offload_now(); /* gives the guest time to react to the reply before it counts as idle */
    free(job->request);
    *job = (struct offload_job){0};
}

/* ===== workers ===== */

static void start(struct offload_jobs *jobs, struct offload_job *job, uint32_t worker)
{
    uint64_t limit = jobs->most_milliseconds, asked = job->request->launch.max_milliseconds;
    limit = asked && (!limit || asked < limit) ? asked : limit;
    job->started = offload_now();
    job->deadline = limit ? job->started + limit * UINT64_C(1000000) : 0;
    job->worker = worker;
    jobs->of[worker] = job;
}

static struct offload_job *first_waiting(struct offload_jobs *jobs)
{
    struct offload_job *first = NULL;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (jobs->jobs[i].guest && !jobs->jobs[i].started && (!first || jobs->jobs[i].order < first->order))
            first = &jobs->jobs[i];
    return first;
}

/* Replaces a worker that has ended, or that is executing a launch whose result is no longer needed. */
static bool renew(struct offload_jobs *jobs, uint32_t worker)
{
    struct mnp_error error = {0};
    offload_worker_kill(&jobs->workers[worker]);
    if (offload_worker_start(&jobs->workers[worker], jobs->machine, jobs->region, &error))
        return true;
    mnp_print_text(stderr, "maniple: error: %s\n", error.text);
    return false;
}

static void hand_out(struct offload_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->worker_count; i++) {
        struct offload_job *job = jobs->of[i] ? NULL : first_waiting(jobs);
        if (!job)
            continue;
        bool asked = (jobs->workers[i].process || renew(jobs, i)) &&
                     (offload_worker_ask(&jobs->workers[i], job->request) ||
                      (renew(jobs, i) && offload_worker_ask(&jobs->workers[i], job->request)));
        if (asked)
            start(jobs, job, i);
    }
}

/* ===== the life of a launch ===== */

bool offload_jobs_add(struct offload_jobs *jobs, struct offload_guest *guest, uint32_t sequence,
                      struct offload_request *request)
{
    struct offload_job *job = NULL;
    for (uint32_t i = 0; i < SLOTS && guest->jobs < OFFLOAD_JOBS && !job; i++)
        job = jobs->jobs[i].guest ? NULL : &jobs->jobs[i];
    if (!job)
        return false;
    *job = (struct offload_job){.guest = guest,
                                .request = request,
                                .session = guest->session,
                                .order = jobs->order++,
                                .sequence = sequence,
                                .arrived = offload_now()};
    guest->jobs++;
    hand_out(jobs);
    return true;
}

/* Ends a job that produced no result of its own. */
static void drop(struct offload_jobs *jobs, struct offload_job *job, enum mnp_offload_status status,
                 const char *message)
{
    struct mnp_offload_result nothing = {0};
    bool started = job->started;
    uint32_t worker = job->worker;
    record(jobs, job, status, &nothing);
    offload_guest_refuse(job->guest, job->sequence, status, message);
    forget(jobs, job);
    if (started)
        renew(jobs, worker);
}

bool offload_jobs_cancel(struct offload_jobs *jobs, struct offload_guest *guest, uint32_t sequence, bool all)
{
    bool found = false;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct offload_job *job = &jobs->jobs[i];
        if (job->guest != guest || !(all || job->sequence == sequence))
            continue;
        drop(jobs, job, MNP_OFFLOAD_CANCELLED, "cancelled");
        found = true;
    }
    if (found)
        hand_out(jobs);
    return found;
}

/* Forwards the worker's reply, with the time in the queue added. */
static void pass_on(struct offload_jobs *jobs, struct offload_job *job, struct offload_answer *answer)
{
    struct mnp_offload_result result;
    memcpy(&result, answer->payload, sizeof result);
    result.queue_ns = job->started - job->arrived;
    memcpy(answer->payload, &result, sizeof result);
    record(jobs, job, answer->status, &result);
    offload_guest_reply(job->guest, job->sequence, answer->status, answer->payload, answer->length);
    forget(jobs, job);
}

void offload_jobs_hear(struct offload_jobs *jobs, uint32_t worker)
{
    struct offload_job *job = jobs->of[worker];
    if (!offload_worker_answer(&jobs->workers[worker], jobs->answer)) {
        if (job)
            drop(jobs, job, MNP_OFFLOAD_LOST, "the simulation has ended unexpectedly; the server's log may say why");
        else
            offload_worker_kill(&jobs->workers[worker]); /* started again when it is needed */
    } else if (job) {
        pass_on(jobs, job, jobs->answer);
    }
    hand_out(jobs);
}

int offload_jobs_watch(struct offload_jobs *jobs)
{
    uint64_t now = offload_now(), next = UINT64_MAX;
    for (uint32_t i = 0; i < jobs->worker_count; i++) {
        struct offload_job *job = jobs->of[i];
        if (!job || !job->deadline)
            continue;
        if (job->deadline <= now) {
            drop(jobs, job, MNP_OFFLOAD_LIMIT, "the program did not end within the host time that it may take");
            hand_out(jobs);
        } else if (job->deadline < next) {
            next = job->deadline;
        }
    }
    return next == UINT64_MAX ? -1 : (int)((next - now) / 1000000 + 1);
}
