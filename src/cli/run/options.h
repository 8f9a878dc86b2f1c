/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `maniple run`: read, checked and with their defaults filled in. */
#ifndef MNP_CLI_RUN_OPTIONS_H
#define MNP_CLI_RUN_OPTIONS_H

#include "base/log.h"
#include "cli/verbs.h"
#include "contract/sampling.h"
#include "contract/session.h"
#include "contract/shares.h"
#include "contract/space.h"
#include "engine/configure/configuration.h"
#include "engine/executors/executor.h"

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_GPGPUSIM };

/* Bits: CUDART_CHECK_… has the same numbers. */
enum { RUN_CHECK_RACE = 1, RUN_CHECK_INIT = 2, RUN_CHECK_SYNC = 4 };

/* Options of a CUDA program. */
struct run_program_options {
    int code;          /* 0 machine code where there is some, 1 machine code, 2 PTX, 3 machine code by ptxas */
    bool functional;   /* execution without timing */
    unsigned check;    /* RUN_CHECK_…: errors that are looked for */
    bool bare_values;  /* --values needed */
    const char *trace; /* folder that a trace is recorded into; NULL: none */
    bool trace_warps;  /* … in the form of Accel-Sim 2.0 (.tracez) */
};

struct run_snapshot_options {
    const char *folder, *resume; /* folders; NULL: none */
    uint64_t behind;             /* launch behind which the run ends with a snapshot; 0: none */
};

struct run_output_options {
    enum output_format format;
    const char *folder; /* -o; NULL: none */
    char *patterns;     /* patterns of --sample-statistics, with commas between them: request.sample_statistics */
    bool hash;
    bool long_text; /* all statistics as text */
    bool energy;    /* energies are counted: there is an override for the machine, too */
    bool costs;     /* record what units took, for `maniple scaling` */
    enum mnp_verbosity verbosity;
};

struct run_options {
    const char *input;
    const char *inputs[MNP_SPACE_DEVICES]; /* [input_count] that one, and those of further devices */
    uint32_t input_count;
    char **program; /* behind --, or an input that is one; NULL: none */
    char *bare[2];  /* such an input's words */
    int program_argc;
    uint64_t cores; /* 0: as the machine says */
    enum mnp_core_way core;
    const char *machine; /* NULL: by the input */
    const struct plugin_set *plugins;
    char gpus[24];          /* --gpus, as an override; "": it was not given */
    const char **overrides; /* KEY=VALUE */
    size_t override_count;
    struct mnp_run_request request;
    const char *timeline[2]; /* words of --timeline for pieces of work, and for a window of cycles; NULL: not given */
    bool threads_given;     /* otherwise one for each processor */
    char executor_name[32]; /* name in results: relaxed has the length of its windows in it */
    bool window_given;
    uint64_t relaxed_cycles; /* executor relaxed */
    uint64_t deadline_ns;    /* --max-time, by results_watch_now; 0: none */
    bool unknown_as_alu;
    uint64_t trace_memory; /* bytes */
    bool trace_memory_set; /* by --trace-memory */
    struct run_program_options cuda;
    struct mnp_sampling sampling;
    uint32_t shares;         /* --shares: processes that divide the launches among them; 0: it was not given */
    struct mnp_share share;  /* this process's part of them */
    char share_launches[32]; /* launches that it simulates, as --kernels would state them */
    struct run_snapshot_options snapshot;
    struct run_output_options output;
    struct mnp_error error;
};

/* Reads the command line. Prints help and ends the program where that is asked for. False: `error` is set. */
bool cli_run_options_read(struct run_options *options, const struct command_line *line);
/* Sets the number of threads to that of the processors the process may count on, unless the user has stated it.
 * `neighbours`: processes of the run that share these processors, this one included. */
void cli_run_options_settle_threads(struct run_options *options, uint32_t neighbours);

/* Refuses more GPUs by --gpus than the node has that the machine's files describe. */
bool cli_run_options_check_gpus(const struct run_options *options, const struct mnp_settings *settings,
                                struct mnp_error *error);

void cli_run_options_release(struct run_options *options);

/* How many words of a command line an option of `maniple run` takes, 1 or 2, that begins with this one and is not
 * abbreviated; 0: it is none. */
int cli_run_options_takes(const char *word);

const char *cli_schedule_name(enum mnp_schedule schedule);

#endif
