/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs that are made by processes of their own, several at a time. Each has a folder, which appears under its name when
 * the run has ended well, and then is never made again: a killed run leaves a folder with another name, which the next
 * one removes. Standard output and standard error of a run are in log.txt in its folder, or in FOLDER.failed where it
 * failed.
 */
#ifndef MNP_CLI_JOBS_H
#define MNP_CLI_JOBS_H

#include "base/error.h"
#include "cli/progress.h"

#include <sys/types.h>

enum cli_job_state { CLI_JOB_WAITS, CLI_JOB_RUNS, CLI_JOB_DONE, CLI_JOB_FAILED };

struct cli_job {
    char *folder;     /* folder of its results; NULL: it cannot be run, and the user has been told */
    char **words;     /* words of `maniple run` without -o and --threads; a NULL ends them */
    const char *note; /* is kept in FOLDER/job.txt */
    bool limited;     /* a run that a limit stops has ended well */
    enum cli_job_state state;
    pid_t process;
    int status;    /* status of waitpid, where the run failed */
    char *working; /* folder while it runs */
};

struct cli_jobs {
    struct cli_job *list;
    uint32_t count;
    uint32_t parallel; /* at most so many at a time, at least 1 */
    uint32_t threads;  /* threads of each run */
    const char *pieces;
    bool quiet;
};

/* Whether the folder of a job is there: CLI_JOB_DONE, or CLI_JOB_WAITS. */
enum cli_job_state cli_job_look(const char *folder);

/* Makes all runs that are not done, and shows progress. Returns the exit status: 0; 2 when some have failed or `error`
 * says why it has stopped; 130 after an interrupt. */
int cli_jobs_run(struct cli_jobs *jobs, struct mnp_error *error);

/* Removes a folder with all that is in it, where it is there. */
void cli_remove_folder(const char *path);

#endif
