/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of threads that runs one job after another, the caller being worker 0. Between jobs a worker spins briefly and
 * then sleeps; a job may be given to fewer workers than there are, and the others are not woken.
 */
#ifndef MNP_ENGINE_EXECUTORS_TEAM_H
#define MNP_ENGINE_EXECUTORS_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_team;
struct mnp_side_work;

typedef void mnp_job(void *context, uint32_t worker, uint32_t workers);

/* Starts `threads` - 1 threads. With `pin`, each worker is bound to a processor of those the process may use, as long
 * as there are enough. Where a thread cannot be started, the team is smaller: see mnp_team_size. */
struct mnp_team *mnp_team_start(uint32_t threads, bool pin);
uint32_t mnp_team_size(const struct mnp_team *team);

/* Runs job(context, w, workers) for w = 0 … workers-1, worker 0 on the calling thread, and waits for all. */
void mnp_team_run(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* A team whose workers do side work when they have nothing to do; `side` stays valid. */
struct mnp_team *mnp_team_start_with(uint32_t threads, bool pin, const struct mnp_side_work *side);

/* As mnp_team_run, without those workers that are at side work just now: for jobs that the others do as well. */
void mnp_team_run_free(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context);

/* Wakes the workers that sleep, from number `first` on: there is side work. */
void mnp_team_nudge(struct mnp_team *team, uint32_t first);

void mnp_team_stop(struct mnp_team *team);

#endif
