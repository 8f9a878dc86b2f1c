/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as a loader hands it to a machine: segments of a 32-bit address space, an entry, and names of places.
 * Front-ends make it, machines run it; neither knows the other.
 */
#ifndef MNP_COMMON_PROGRAM_H
#define MNP_COMMON_PROGRAM_H

#include <stdbool.h>
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

enum { MNP_SEGMENTS = 32 };

struct mnp_program {
    const char *path; /* whoever loads keeps it */
    unsigned char *file;
    struct mnp_segment segments[MNP_SEGMENTS]; /* without overlaps */
    uint32_t segment_count;
    uint32_t entry;
    struct mnp_symbol *functions; /* in order of their addresses */
    uint32_t function_count;
};

/* The function that an address lies in, or NULL. */
const struct mnp_symbol *mnp_program_function(const struct mnp_program *program, uint32_t address);

/* Frees what the loader has allocated. */
void mnp_program_release(struct mnp_program *program);

#endif
