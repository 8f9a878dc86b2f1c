/* SPDX-License-Identifier: BSD-3-Clause */
/* Request to `maniple system`, and the guest that follows from it: its file system, QEMU's command line. */
#ifndef MNP_CLI_SYSTEM_H
#define MNP_CLI_SYSTEM_H

#include "base/array.h"
#include "base/error.h"

enum system_control { SYSTEM_PORT, SYSTEM_DOORBELL, SYSTEM_FIFOS };

struct system_options {
    struct mnp_array passed; /* items: char *, options of the server, to be freed */
    struct mnp_array with;   /* items: const char *, files for the guest */
    const char *kernel, *init, *qemu_args, *memory_size;
    char *found_kernel, *found_init; /* `kernel` and `init` where the user has not given them; to be freed */
    enum system_control control;
    bool simulated;
    char **program; /* program of the guest, with its arguments */
    int program_argc;
    struct mnp_error error;
};

/* Places of a system while it runs. */
enum { SYSTEM_PATH = 100 /* longest path of a socket, and of other files beside it */ };
struct system_places {
    char *folder; /* folder of its own; NULL: not made yet */
    char socket[SYSTEM_PATH], doorbell[SYSTEM_PATH], fifos[SYSTEM_PATH], qmp[SYSTEM_PATH], initramfs[SYSTEM_PATH],
        memory[SYSTEM_PATH];
};

/* Writes the guest's file system: program, files, modules, the first process and what it is to do. */
bool cli_system_write_initramfs(const struct system_options *options, const struct system_places *places,
                                struct mnp_error *error);

/* QEMU's command line, NULL-terminated. The words, and the array itself, are never freed: the process becomes QEMU. */
char **cli_system_qemu_words(const struct system_options *options, const struct system_places *places);

#endif
