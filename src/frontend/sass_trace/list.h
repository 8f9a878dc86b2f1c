/* SPDX-License-Identifier: BSD-3-Clause */
/* kernelslist.g: host copies and kernels, in the order of the program. */
#ifndef MNP_FRONTEND_SASS_TRACE_LIST_H
#define MNP_FRONTEND_SASS_TRACE_LIST_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct list_entry {
    char *name;              /* name in the list; NULL: a host copy, or the name of an earlier entry */
    char *path;              /* path of a kernel's trace, owned by the first entry that uses it; NULL: a host copy */
    uint64_t address, bytes; /* range of the copy */
    uint32_t first;          /* entry of the same path: this one, or one before it */
    uint32_t launch;         /* number of the launch, from 1 */
    uint32_t times;          /* first entry of a path: number of its launches */
};

struct list {
    struct list_entry *entries;
    uint32_t count;
    uint32_t kernels;
    uint32_t *places; /* hash table of entries by name, with 2^bits slots, at most half full */
    uint32_t bits, names;
};

/* Reads kernelslist.g. Names are relative to its folder; a name whose file only exists with the suffix .xz, .gz or .zst
 * refers to that file. All files must exist. */
bool trace_list_read(struct list *list, const char *path, struct mnp_error *error);

/* Parses the text of a list, which is zero-terminated behind `length`, and is modified. If the list comes from a pipe
 * without a folder (/dev/fd/3), names are relative to the working directory. */
bool trace_list_parse(struct list *list, char *text, size_t length, const char *path, struct mnp_error *error);
void trace_list_free(struct list *list);

#endif
