/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as a loader passes it to a machine: segments of a 32-bit address space, an entry point, and symbols.
 * Front-ends create programs and machines run them; neither includes the other.
 */
#ifndef MNP_CONTRACT_PROGRAM_H
#define MNP_CONTRACT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mnp_segment {
    uint32_t address;
    uint32_t bytes;            /* size in memory */
    uint32_t stored;           /* leading bytes stored in `data`; the rest is zero */
    const unsigned char *data; /* inside the program's own allocation */
    bool writable, executable;
};

struct mnp_symbol {
    uint32_t address, bytes;
    const char *name; /* inside the program's own allocation */
};

enum { MNP_SEGMENTS = 32, MNP_SOURCE_FILE = 100, MNP_DESCRIPTION = 192 };

struct mnp_program {
    const char *path;    /* owned by the caller of the loader */
    unsigned char *file; /* contents of the file */
    size_t file_bytes;
    struct mnp_segment segments[MNP_SEGMENTS]; /* without overlaps */
    uint32_t segment_count;
    uint32_t entry;
    uint32_t bank_bytes; /* least size of a bank of shared memory (sections .mc_bank of apps/manycore); 0: any */
    struct mnp_symbol *functions; /* sorted by address */
    uint32_t function_count;
};

/* Returns the function that contains an address, or NULL. */
const struct mnp_symbol *mnp_program_function(const struct mnp_program *program, uint32_t address);

/* Writes "file:line" of an address; of the file's name, at most the last MNP_SOURCE_FILE bytes. Returns false if the
 * program has no debug information for the address, or if this build has no DWARF reader. (source_line.c) */
bool mnp_program_source_line(const struct mnp_program *program, uint32_t address, char *text, size_t room);

/* Describes the location of an address for a message: function, offset, and source line if known. MNP_DESCRIPTION bytes
 * are enough. (source_line.c) */
void mnp_program_describe(const struct mnp_program *program, uint32_t address, char *text, size_t room);

/* Frees the loader's allocations. */
void mnp_program_release(struct mnp_program *program);

#endif
