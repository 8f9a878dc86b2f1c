/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts in the file of a host program, read before it runs: which of CUDA's libraries it asks for. */
#ifndef MNP_CLI_RUN_CUDA_PROGRAM_H
#define MNP_CLI_RUN_CUDA_PROGRAM_H

#include "base/error.h"

#include <stdbool.h>

struct cuda_program {
    unsigned version;   /* version of the runtime that it is linked with; 0: it has none */
    bool holds_runtime; /* the runtime is inside the program: nvcc's default */
    unsigned devices;   /* devices of the machine that it is to run on */
    bool opens;         /* the file names no library of CUDA: a script, an interpreter, a starter of other programs */
};

/* Whether what a shell would run for a name is a program for x86-64, or a script that says what runs it. */
bool cli_run_cuda_runs(const char *name);

/* The file that a shell would run for a name, or one of that name in this folder, which comes first; free it. */
char *cli_run_cuda_locate(const char *name);

/* False: it cannot run with our libraries; `error` says why. `maps`: the folder of maps of static runtimes; NULL: none.
 * */
bool cli_cuda_program_check(const char *path, const char *maps, struct cuda_program *found, struct mnp_error *error);

#endif
