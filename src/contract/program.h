/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as a loader hands it to a machine: segments of a 32-bit address space, an entry, and names of places.
 * Front-ends make it, machines run it; neither knows the other.
 */
#ifndef MNP_CONTRACT_PROGRAM_H
#define MNP_CONTRACT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mnp_segment {
    uint32_t address;
    uint32_t bytes;            /* in memory */
    uint32_t stored;           /* the first ones, which `data` holds; the others are zero */
    const unsigned char *data; /* inside the program's own block */
    bool writable, executable;
};

struct mnp_symbol {
    uint32_t address, bytes;
    const char *name; /* inside the program's own block */
};

enum { MNP_SEGMENTS = 32, MNP_SOURCE_FILE = 100, MNP_DESCRIPTION = 192 };

struct mnp_program {
    const char *path; /* whoever loads keeps it */
    unsigned char *file; /* as it was read */
    size_t file_bytes;
    struct mnp_segment segments[MNP_SEGMENTS]; /* without overlaps */
    uint32_t segment_count;
    uint32_t entry;
    struct mnp_symbol *functions; /* in order of their addresses */
    uint32_t function_count;
};

/* The function that an address lies in, or NULL. */
const struct mnp_symbol *mnp_program_function(const struct mnp_program *program, uint32_t address);

/* Writes "file:line" of an address, at most the last MNP_SOURCE_FILE bytes of the file's name. False where the program
 * has no debug information for it, or this build no reader of it. (source_line.c) */
bool mnp_program_source_line(const struct mnp_program *program, uint32_t address, char *text, size_t room);

/* Writes where an address lies, for a message: function, offset, and the source line if it is known. MNP_DESCRIPTION
 * bytes are enough. (source_line.c) */
void mnp_program_describe(const struct mnp_program *program, uint32_t address, char *text, size_t room);

/* Frees what the loader has allocated. */
void mnp_program_release(struct mnp_program *program);

#endif
