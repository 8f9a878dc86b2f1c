/* SPDX-License-Identifier: BSD-3-Clause */
/* How the user wants a run to be made, of whatever machine. The machine turns it into options of the engine, whose
 * times are no cycles. Nothing here changes a statistic, but for executor relaxed and where the run ends. */
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
    bool timeline;          /* calls of a host program are written down */
    bool timeline_work;     /* pieces of work are, too */
    uint64_t timeline_from, timeline_to; /* core cycles: what is inside a unit that overlaps them; to 0: none */
    bool by_instruction;                 /* what each instruction costs is tallied */
    const char *sample_statistics;       /* patterns, see engine/count/samples.h; NULL: the usual ones */
};

#endif
