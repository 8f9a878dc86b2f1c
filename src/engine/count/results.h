/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run yields, as plain data: filled in by a machine, written by src/results. It stands below the machines, so
 * that they need not know how results are written.
 */
#ifndef MNP_ENGINE_COUNT_RESULTS_H
#define MNP_ENGINE_COUNT_RESULTS_H

#include "base/log.h"
#include "engine/configure/configuration.h"
#include "engine/core/placed.h"
#include "engine/count/samples.h"

/* How the run went: everything that may differ between executors and hosts. */
struct mnp_run_info {
    const char *input;
    const char *executor, *schedule;
    uint32_t threads; /* of each process */
    uint32_t processes;
    uint64_t exchanges, exchange_bytes, exchange_ns; /* between processes: as the first of them counts them; bytes of */
    uint64_t exchange_bytes_of_all;                  /* all, the most of all in one window, and of one process in one */
    uint64_t exchange_most_of_all, exchange_most_of_one;
    uint64_t window_cycles; /* longest window, in core cycles; 0: as long as is safe */
    bool no_skip;
    uint64_t wall_ns, cpu_ns; /* of the whole run; CPU time is user and system time of all threads */
    uint64_t peak_bytes;      /* greatest resident memory */
    uint64_t windows, unit_runs;
    char shortest_link[96]; /* the link that sets the lookahead */
    char host[64];
    uint32_t host_processors;
    struct mnp_placed placed;
};

enum mnp_end {
    MNP_END_FINISHED,
    MNP_END_LIMIT,       /* --max-cycles */
    MNP_END_HANG,        /* nothing can happen any more */
    MNP_END_LIVELOCK,    /* only the same spinning instructions repeat */
    MNP_END_INTERRUPTED, /* by the user */
};

struct mnp_kernel_results {
    uint32_t id;
    char name[256];
    uint32_t grid[3], block[3];
    uint64_t stream;
    bool partial; /* the run ended before the kernel */
    struct mnp_statistic_set statistics;
};

/* How far a run has come. */
struct mnp_progress {
    uint32_t kernels_ended, kernel_count; /* count 0: unknown */
    uint64_t ctas_done, ctas_known;       /* of the kernels under way */
    uint64_t cycles;                      /* core cycles so far */
    uint64_t warp_instructions;
};

struct mnp_results {
    struct mnp_run_info run;
    const struct mnp_settings *machine;  /* resolved; the caller's */
    struct mnp_kernel_results **kernels; /* in order of their launches */
    uint32_t kernel_count;
    struct mnp_statistic_set total;
    uint32_t mesh_width, mesh_height; /* of a machine with a mesh, whose tiles are the model "tile"; otherwise 0 */
    struct mnp_samples *samples; /* statistics over time; NULL: none were asked for */
    char hash[33]; /* final state hash, hexadecimal */
    enum mnp_end end;
    uint32_t program_status; /* what the simulated program has returned, where it has a status; otherwise 0 */
    char *report;       /* of a hang or livelock: who waits for what; may be NULL; freed with the results */
    struct mnp_log log; /* warnings */
};

void mnp_results_init(struct mnp_results *results, enum mnp_verbosity verbosity);
void mnp_results_release(struct mnp_results *results);

/* Adds a kernel, zeroed but for its statistics, which get a block for each model. Its address stays valid. */
struct mnp_kernel_results *mnp_results_add_kernel(struct mnp_results *results, const struct mnp_model *const *models,
                                                  uint32_t model_count);

/* How a run has ended, that of a fault apart: the reason, the state hash, and what a hang or livelock waits for. */
void mnp_results_end(struct mnp_results *results, struct mnp_engine *engine, enum mnp_stop stop);

/* How it was run, as far as the engine knows. `hertz`: the clock whose cycles count. */
void mnp_results_describe(struct mnp_results *results, const struct mnp_engine *engine, uint64_t hertz);

/* The word for an end, as results state it: "finished", "limit", "hang", "livelock", "interrupted". */
const char *mnp_end_name(enum mnp_end end);

/* The exit status that an end calls for. */
int mnp_end_status(enum mnp_end end);

#endif
