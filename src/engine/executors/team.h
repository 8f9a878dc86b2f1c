/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of threads that runs one job after another; the caller is worker 0. Between jobs a worker spins briefly and
 * then sleeps. A job may use fewer workers than there are; the others are not woken.
 */
#ifndef MNP_ENGINE_EXECUTORS_TEAM_H
#define MNP_ENGINE_EXECUTORS_TEAM_H

#include "engine/core/placed.h"

#include <stdbool.h>
#include <stdint.h>

struct mnp_team;
struct mnp_side_work;

typedef void mnp_job(void *context, uint32_t worker, uint32_t workers);

struct mnp_team_options {
    uint32_t threads;
    bool pin;            /* bind each worker to a processor that the process may use, if there are enough */
    uint32_t neighbours; /* number of processes of this run on the same processors, including this one; 0: one */
    uint32_t granted;    /* number of processors available to the process; 0: to be determined */
    const struct mnp_side_work *side; /* side work for idle workers; stays valid. NULL: none */
};

/* Starts `threads` - 1 threads. If these and the neighbours' threads outnumber the processors granted to the process,
 * waiting threads sleep immediately, without spinning. If a thread cannot be started, the team is smaller: see
 * mnp_team_size. */
struct mnp_team *mnp_team_start_with(const struct mnp_team_options *options);
struct mnp_team *mnp_team_start(uint32_t threads, bool pin);
uint32_t mnp_team_size(const struct mnp_team *team);

/* Number of processors available to a process that shares them with `neighbours` processes: at least 1. */
uint32_t mnp_team_processors(uint32_t neighbours);

/* The placement of its threads. */
const struct mnp_placed *mnp_team_placed(const struct mnp_team *team);

/* The NUMA node to which a worker is bound; undefined if the team is on one node, or not bound. */
uint32_t mnp_team_node(const struct mnp_team *team, uint32_t worker);

/* Runs job(context, w, workers) for w = 0 … workers-1, worker 0 on the calling thread, and waits for all. */
void mnp_team_run(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* Like mnp_team_run, but leaves out workers that are doing side work: for jobs that the other workers can complete
 * alone. */
void mnp_team_run_free(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* Wakes sleeping workers, from number `first` on, because there is side work. */
void mnp_team_nudge(struct mnp_team *team, uint32_t first);

/* Restores the caller's former processor affinity until it continues, possibly on another thread. The workers sleep
 * meanwhile. */
void mnp_team_pause(struct mnp_team *team);
void mnp_team_continue(struct mnp_team *team);

void mnp_team_stop(struct mnp_team *team);

#endif
