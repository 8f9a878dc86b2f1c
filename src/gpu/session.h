/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A GPU that is run in pieces of simulated time, its source being given more work in between: what a program's calls
 * need. Time goes on from piece to piece, and state, statistics, samples and hashes with it.
 *
 * A piece ends at the end of the epoch in which a kernel has ended (options.open_ended), so that whoever reacts to that
 * does so at a time of the fixed grid, which depends neither on windows nor on threads (DESIGN §2.4). New work is
 * seen from the time on at which the session stands.
 */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include "gpu/gpu.h"
#include "gpu/parameters.h"

struct gpu_session;

/* Builds the machine. `parameters`, which must have been checked, `source`, `results`, which the caller has
 * initialised, and what the options point to must outlive it. NULL: an error of the user's. */
struct gpu_session *gpu_session_open(const struct gpu_parameters *parameters, struct mnp_source *source,
                                     const struct gpu_run_options *options, struct mnp_results *results,
                                     struct mnp_error *error);

/* Runs to `until`, a multiple of the epoch, or MNP_NEVER. NOT_YET: it has been reached. FINISHED: a kernel has ended,
 * or with a source that has ended, all of them. Any other stop is the last one; of a fault, `error` is set. */
enum mnp_stop gpu_session_run(struct gpu_session *session, mnp_time until, struct mnp_error *error);

/* Lets the dispatcher look at the source again. */
void gpu_session_wake(struct gpu_session *session);

/* Something from outside will happen at a time, which kernels may be waiting for: until then it is no livelock. */
void gpu_session_expect(struct gpu_session *session, mnp_time time);

mnp_time gpu_session_now(const struct gpu_session *session);
mnp_time gpu_session_epoch(const struct gpu_session *session); /* the distance of the grid */

/* Whether all kernels that it knows have ended. */
bool gpu_session_is_idle(const struct gpu_session *session);

/* Fills in the results, once, at the end. Kernels under way are partial. */
void gpu_session_collect(struct gpu_session *session);
void gpu_session_release(struct gpu_session *session);

#endif
