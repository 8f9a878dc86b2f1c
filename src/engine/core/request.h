/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's options for a run, independent of the machine. The machine converts them to options of the engine, whose
 * times are not in cycles. They do not change statistics, except executor relaxed and limits of the run. */
#ifndef MNP_ENGINE_CORE_REQUEST_H
#define MNP_ENGINE_CORE_REQUEST_H

#include "engine/core/engine.h"

struct mnp_run_request {
    const struct mnp_executor *executor;
    uint32_t threads;
    enum mnp_schedule schedule;
    uint32_t chunk;         /* executor openmp: units handed out at a time; 0: one */
    const char *assign;     /* cores of each thread, by hand (engine/executors/split.h); NULL: as the executor likes */
    uint64_t window_cycles; /* longest window in core cycles; 0: as long as is safe. Executor relaxed: its windows */
    uint64_t max_cycles;    /* core cycle at which to stop; 0: no limit */
    bool no_skip;           /* every unit visits every cycle of its clock */
    uint64_t sample_cycles; /* interval of statistics over time, in core cycles; 0: none */
    bool timeline;          /* record the calls of a host program */
    bool timeline_work;     /* record pieces of work as well */
    /* core cycles: pieces of work that overlap this interval are recorded; to 0: none */
    uint64_t timeline_from, timeline_to;
    bool by_instruction;           /* count costs by instruction */
    const char *sample_statistics; /* patterns, see engine/count/samples.h; NULL: the default statistics */
};

#endif
