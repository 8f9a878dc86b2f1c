/* SPDX-License-Identifier: BSD-3-Clause */
/* Running scripts on a machine in a test, and reading statistics of the results. */
#ifndef TESTS_GPU_BENCH_H
#define TESTS_GPU_BENCH_H

#include "gpu/system/kind.h"
#include "script.h"

#include "engine/executors/executor.h"

/* A small machine, stated in bench.c, with all clocks equal: latencies are then exact to the cycle. Fetches always hit
 * unless sm.l1i.size is overridden. */
#define BENCH_MACHINE "test-gpu"

/* Runs a script; `overrides` are KEY=VALUE, NULL-terminated, or NULL. The run must finish. */
void bench_run(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
               struct mnp_results *results);

/* The same for a run that may be stopped by its limit. */
void bench_run_until(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
                     struct mnp_results *results);

/* Runs a script, if the machine can be built; false: an error. The results must have been initialised. */
bool bench_try(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
               struct mnp_results *results, struct mnp_error *error);

/* The same for `count` scripts, one for each GPU: without a word of `overrides`, as many. */
bool bench_try_several(struct script *const *scripts, uint32_t count, const char *const *overrides,
                       const struct mnp_session_options *options, struct mnp_results *results, struct mnp_error *error);

/* The error text of a run that must fail; empty when it does not. Static storage of the caller's error. */
void bench_fail(struct script *script, const char *const *overrides, struct mnp_error *error);

/* A statistic of kernel number `kernel`, from 0, on the default options. */
uint64_t bench_statistic(struct script *script, const char *const *overrides, uint32_t kernel, const char *name);

struct mnp_session_options bench_options(void);

#endif
