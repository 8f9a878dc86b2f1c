/* SPDX-License-Identifier: BSD-3-Clause */
/* The head and the foot of a packed trace, and its list of commands. */
#ifndef MNP_FRONTEND_MTRACE_DIRECTORY_H
#define MNP_FRONTEND_MTRACE_DIRECTORY_H

#include "contract/instruction.h"
#include "frontend/mtrace/block.h"

struct packed_command {
    enum mnp_command_kind kind;
    uint64_t address, bytes; /* MNP_COMMAND_COPY */
    struct block kernel;     /* MNP_COMMAND_KERNEL: its description */
};

struct directory {
    struct packed_command *commands;
    uint64_t count;
    uint32_t kernels;
};

/* Opens the file and reads its head and foot. */
bool mtrace_directory_open(struct file *file, const char *path, struct directory *directory, struct mnp_error *error);
void mtrace_directory_close(struct file *file, struct directory *directory);

void mtrace_put_head(struct block_writer *writer);
void mtrace_put_command(struct bytes *out, const struct packed_command *command);

/* Writes the directory's block, whose commands are `raw`, and the foot. */
bool mtrace_put_directory(struct block_writer *writer, const struct bytes *raw);

#endif
