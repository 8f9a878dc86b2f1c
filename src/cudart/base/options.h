/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options that `maniple run` passes to the runtime inside the program: lines "key value" in one variable of the
 * environment, written and read here. The command has checked them. A program started without `maniple run` gets
 * defaults.
 */
#ifndef CUDART_OPTIONS_H
#define CUDART_OPTIONS_H

#include "base/error.h"
#include "base/log.h"
#include "contract/sampling.h"
#include "contract/session.h"
#include "contract/shares.h"
#include "engine/executors/executor.h"
#include "engine/executors/processes.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define CUDART_OPTIONS_VARIABLE "MANIPLE_CUDA"

enum { CUDART_CHECK_RACE = 1, CUDART_CHECK_INIT = 2, CUDART_CHECK_SYNC = 4 };

enum cudart_format { CUDART_TEXT, CUDART_JSON, CUDART_GPGPUSIM, CUDART_NO_RESULTS };

/* Choices of the device code to run. */
enum cudart_code_choice { CUDART_CODE_AUTO, CUDART_CODE_SASS, CUDART_CODE_PTX, CUDART_CODE_PTXAS };

struct cudart_options {
    char *text; /* that the others point into; NULL: there was none */
    const char *machine;
    const char **overrides; /* KEY=VALUE */
    size_t override_count;
    uint32_t devices; /* number of devices of the machine; 0: one, for a program started without the command */
    enum cudart_format format;
    const char *folder;
    const char *common_folder; /* the run's, of which `folder` is a part in processes behind the first one */
    const char *program;       /* path as the user wrote it */
    pid_t process;             /* the program's own; processes that inherit MANIPLE_CUDA are its children; 0: unknown */
    const char *plugin_files;  /* plug-ins with maniple/plugin.h, separated by colons; NULL: none */
    const char *plugins;       /* the folder of the plug-ins for MPI; NULL: beside the program */
    enum cudart_code_choice code;
    bool opens;                    /* the program, or one that it starts, may use CUDA: this is unknown in advance */
    bool functional;               /* without timing */
    uint32_t check;                /* CUDART_CHECK_…: errors of the program that are looked for */
    struct mnp_sampling sampling;  /* launches to simulate or record: its texts and flags */
    struct mnp_share share;        /* this process's part of a run that is divided */
    const char *snapshot, *resume; /* folders of snapshots (stream/snapshot.h); NULL: none */
    uint64_t snapshot_at;          /* launches behind which the run ends with one; 0: none */
    const char *version;           /* version of Maniple, for snapshots */
    bool bare;                     /* values that no address or branch depends on are not computed */
    uint64_t deadline; /* ns of the clock that only moves forward (base/ticks.h): the run ends then; 0: never */
    const char *trace; /* folder that a trace is recorded into, of an execution without timing; NULL: none */
    bool trace_warps;  /* … in the form of Accel-Sim 2.0 (.tracez) */
    struct mnp_run_request request;
    const char *executor_name, *schedule_name; /* names as results state them */
    bool long_text;                            /* all statistics as text */
    bool hash, costs;
    int output;        /* file descriptor that results go to; of `process`, as the next one is */
    int process_group; /* file descriptor of the page that processes of a run share (process_group.h); <= 0: none */
    enum mnp_verbosity verbosity;
};

/* Writes the variable's value. */
void cudart_options_write(const struct cudart_options *options, FILE *out);

/* Reads a line of the variable's value without allocating memory. `value` NULL: returns the number in the line, or 1
 * for a flag. Otherwise stores the text, and returns its length. 0: there is no such line. */
long cudart_options_glance(const char *text, const char *key, const char **value);

/* `text`: the variable's value, or NULL. */
bool cudart_options_read(struct cudart_options *options, const char *text, struct mnp_error *error);
void cudart_options_release(struct cudart_options *options);

/* How a session with time is to be run, in the process that runs the program and in those that follow it alike; without
 * any callback. `processes` must outlive it. */
struct mnp_session_options cudart_session_options(const struct cudart_options *options,
                                                  const struct processes *processes);

#endif
