/* SPDX-License-Identifier: BSD-3-Clause */
/* A fuzzer's input as a file in memory, which the readers can open by its name, and open again for a line's number. */
#ifndef FUZZ_MEMORY_FILE_H
#define FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int file;
    char path[64];
};

static inline void memory_file_open(struct memory_file *memory, const uint8_t *data, size_t size)
{
    memory->file = memfd_create("input", MFD_CLOEXEC);
    if (memory->file < 0 || write(memory->file, data, size) != (ssize_t)size)
        abort();
    snprintf(memory->path, sizeof memory->path, "/proc/self/fd/%d", memory->file);
}

static inline void memory_file_close(struct memory_file *memory)
{
    close(memory->file);
}

#endif
