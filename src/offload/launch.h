/* SPDX-License-Identifier: BSD-3-Clause */
/* Execution of one launch: builds the coprocessor, fills its memory from the region, runs the program, copies results
 * back. */
#ifndef OFFLOAD_LAUNCH_H
#define OFFLOAD_LAUNCH_H

#include "contract/kind.h"
#include "offload/decode.h"
#include "offload/region.h"

/* The coprocessor, as configured by the server's options. Strings outlive it. */
struct offload_machine {
    const char *name;
    const char *const *overrides; /* KEY=VALUE */
    size_t override_count;
    const struct mnp_machine_kind *const *kinds; /* NULL-terminated */
    const struct mnp_joined *joined;             /* parts of plug-ins; NULL: none */
    const struct mnp_machine_file *built_in;
    uint32_t threads;          /* threads for a launch */
    const char *self;          /* PTX: the path of `maniple` */
    const char *kernel_runner; /* PTX: path of the program that launches a kernel */
    bool runs_kernels;         /* PTX: its kind takes them */
    const char *folder;        /* PTX: for the results of runs; a worker's, which the server removes */
};

enum {
    OFFLOAD_MOST_COPROCESSORS = 64, /* limit of a server */
    /* limit of a program's output, and of the statistics text; the rest is truncated */
    OFFLOAD_TEXT_ROOM = 16384,
    OFFLOAD_MESSAGE_ROOM = 4096,
};

struct offload_text {
    char *bytes; /* free it */
    size_t length, room;
};

/* The outcome of a launch: the payload of its REPLY, in parts. */
struct offload_outcome {
    enum mnp_offload_status status;
    struct mnp_offload_result result; /* without the lengths of the texts */
    struct offload_text output, statistics, message;
};

/* The settings of the machine with its number of cores (0: its own). NULL: an error. */
struct mnp_settings *offload_machine_settings(const struct offload_machine *machine,
                                              const struct mnp_machine_kind **kind, uint32_t cores,
                                              struct mnp_error *error);

void offload_outcome_release(struct offload_outcome *outcome);

/* Appends to a text as much as there is room for. */
void offload_text_add(struct offload_text *text, const void *bytes, size_t count);

/* For launches of each kind: converts an error to an outcome. */
void offload_fail(struct offload_outcome *outcome, enum mnp_offload_status status, const struct mnp_error *error);
uint64_t offload_now(void); /* host time in nanoseconds */

/* launch_elf.c, launch_ptx.c */
void offload_launch_elf(const struct offload_machine *machine, const struct offload_region *region,
                        const struct offload_request *request, struct offload_outcome *outcome);
void offload_launch_ptx(const struct offload_machine *machine, const struct offload_region *region,
                        const struct offload_request *request, struct offload_outcome *outcome);

#endif
