/* SPDX-License-Identifier: BSD-3-Clause */
/* What the file of a program of the host's says before it runs: which of CUDA's libraries it asks for. */
#ifndef MNP_CLI_RUN_CUDA_PROGRAM_H
#define MNP_CLI_RUN_CUDA_PROGRAM_H

#include "base/error.h"

#include <stdbool.h>

struct cuda_program {
    unsigned version;   /* of the runtime that it is linked with; 0: with none */
    bool holds_runtime; /* which is inside it: nvcc's default */
    unsigned devices;   /* of the machine that it is to run on */
    bool opens;         /* it names none of CUDA's libraries: a script, an interpreter, or what starts other programs */
};

/* Whether what a shell would run for a name is a program for x86-64, or a script that says what runs it. */
bool cli_run_cuda_runs(const char *name);

/* The file that a shell would run for a name, or one of that name in this folder, which comes first; free it. */
char *cli_run_cuda_locate(const char *name);

/* False: it cannot run with our libraries; `error` says why. `maps`: the folder of maps of static runtimes; NULL: none.
 * */
bool cli_cuda_program_check(const char *path, const char *maps, struct cuda_program *found, struct mnp_error *error);

#endif
