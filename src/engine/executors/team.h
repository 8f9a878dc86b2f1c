/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of threads that runs one job after another, the caller being worker 0. Between jobs a worker spins briefly and
 * then sleeps; a job may be given to fewer workers than there are, and the others are not woken.
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
    bool pin;            /* bind each worker to a processor of those the process may use, where there are enough */
    uint32_t neighbours; /* processes of this run on the same processors, this one included; 0: one */
    uint32_t granted;    /* processors that the process may count on; 0: to be found out */
    const struct mnp_side_work *side; /* for workers that have nothing to do; stays valid. NULL: none */
};

/* Starts `threads` - 1 threads. Where they, and those of the neighbours, are more than the processors that the process
 * is granted, they sleep whenever they wait, without spinning. Where a thread cannot be started, the team is smaller:
 * see mnp_team_size. */
struct mnp_team *mnp_team_start_with(const struct mnp_team_options *options);
struct mnp_team *mnp_team_start(uint32_t threads, bool pin);
uint32_t mnp_team_size(const struct mnp_team *team);

/* Processors that a process may count on which shares them with so many neighbours: at least 1. */
uint32_t mnp_team_processors(uint32_t neighbours);

/* What was done with its threads. */
const struct mnp_placed *mnp_team_placed(const struct mnp_team *team);

/* The NUMA node that a worker is bound to; of no meaning where the team is on one node, or not bound. */
uint32_t mnp_team_node(const struct mnp_team *team, uint32_t worker);

/* Runs job(context, w, workers) for w = 0 … workers-1, worker 0 on the calling thread, and waits for all. */
void mnp_team_run(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* As mnp_team_run, without those workers that are at side work just now: for jobs that the others do as well. */
void mnp_team_run_free(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* Wakes the workers that sleep, from number `first` on: there is side work. */
void mnp_team_nudge(struct mnp_team *team, uint32_t first);

/* Gives the caller the processors back that it had before, until it goes on, perhaps on another thread. The workers
 * sleep meanwhile. */
void mnp_team_pause(struct mnp_team *team);
void mnp_team_continue(struct mnp_team *team);

void mnp_team_stop(struct mnp_team *team);

#endif
