/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts that are built into a program in compressed form (xz), such as generated PTX. data/ptx/embed.py writes their
 * tables. Stands alone: libraries that know nothing else of src/base use it, too.
 */
#ifndef MNP_BASE_PACKED_H
#define MNP_BASE_PACKED_H

#include <stddef.h>

struct mnp_packed {
    const char *name; /* NULL ends a table */
    const unsigned char *bytes;
    size_t count;      /* bytes as built in */
    size_t characters; /* length of the text */
};

/* The text of that name, ending in a zero byte; free it with mnp_unpacked_free. NULL: `*why` says why, and is itself
 * NULL if the table has no such name. */
char *mnp_unpack(const struct mnp_packed *table, const char *name, const char **why);
void mnp_unpacked_free(char *text); /* NULL: does nothing */

#endif
