/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts that are built into a program in compressed form (xz), such as generated PTX. data/ptx/embed.py writes their
 * tables. This file includes nothing else of src/base, because libraries use it on its own.
 */
#ifndef MNP_BASE_PACKED_H
#define MNP_BASE_PACKED_H

#include <stddef.h>

struct mnp_packed {
    const char *name; /* NULL ends a table */
    const unsigned char *bytes;
    size_t count;      /* compressed size in bytes */
    size_t characters; /* length of the text */
};

/* Returns the text of a name, zero-terminated; free it with mnp_unpacked_free. On failure it returns NULL and sets
 * `*why` to a message, or to NULL if the table has no such name. */
char *mnp_unpack(const struct mnp_packed *table, const char *name, const char **why);
void mnp_unpacked_free(char *text); /* NULL: does nothing */

#endif
