/* SPDX-License-Identifier: BSD-3-Clause */
/* The input of a run: its front-end is chosen by what the file contains, never by its name. */
#ifndef MNP_CLI_INPUT_H
#define MNP_CLI_INPUT_H

#include "base/log.h"
#include "contract/instruction.h"
#include "engine/configure/configuration.h"

struct input_options {
    bool unknown_as_alu;
    uint64_t memory;     /* bytes of loaded instructions beyond which warps are paged from a file; 0: never */
    bool keep_addresses; /* also of opcodes that are not known as accesses to memory */
    bool waits;          /* for a machine whose warps may wait for engines */
};

/* Whether a file is a program, of whatever machine. */
bool cli_input_is_program(const char *path);

/* Refuses text that is no trace, by the ending of its name, with words on how it comes to be simulated. True: it has no
 * such name. */
bool cli_input_refuse_source(const char *path, struct mnp_error *error);

/* Opens an input: a kernelslist.g or a packed trace. NULL: an error. */
struct mnp_source *cli_input_open(const char *path, const struct input_options *options, struct mnp_error *error);

/* Warns before a run if a trace and a machine differ in their architectures; after it, of what was not simulated as it
 * stands in the trace. `source` may be NULL: then there is nothing to say. */
void cli_input_warn_of_machine(const struct mnp_source *source, const struct mnp_settings *settings,
                               struct mnp_log *log);
void cli_input_warn_of_run(const struct mnp_source *source, struct mnp_log *log);

#endif
