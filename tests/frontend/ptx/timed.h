/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels on a small GPU with time, for tests: four SMs, three partitions of two L2 slices. */
#ifndef TESTS_PTX_TIMED_H
#define TESTS_PTX_TIMED_H

#include "bench.h"

#include "contract/instruction.h"
#include "engine/count/results.h"
#include "engine/executors/executor.h"

struct timed_how {
    const struct mnp_executor *executor;
    uint32_t threads;
    uint32_t window; /* longest window in cycles; 0: as long as is safe */
    bool no_skip;
    uint64_t max_cycles;     /* 0: no limit */
    const char *set;         /* KEY=VALUE that overrides the machine; NULL: none */
    const char *const *sets; /* more of them, NULL-terminated; NULL: none */
};

/* Runs all launches of the source. `*results` is to be released by mnp_results_release. False: bench->error. */
bool timed_run(struct bench *bench, struct mnp_source *source, const struct timed_how *how,
               struct mnp_results *results);

/* The same for `count` sources, one for each GPU of a system. */
bool timed_run_several(struct mnp_source *const *sources, uint32_t count, const struct timed_how *how,
                       struct mnp_results *results, struct mnp_error *error);

/* The number that one thread of kernel k(.param .u64 out, .param .u64 buffer) writes to `out`; `sm`: the module's
 * target, 80; `bytes`: of the buffer. Ends the test where it does not run. */
uint64_t timed_number_by(const char *text, uint32_t sm, size_t bytes, const struct timed_how *how);
uint64_t timed_number(const char *text, uint32_t sm, size_t bytes, const char *set);

#endif
