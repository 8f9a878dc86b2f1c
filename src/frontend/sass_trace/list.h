/* SPDX-License-Identifier: BSD-3-Clause */
/* kernelslist.g: host copies and kernels, in the order of the program. */
#ifndef MNP_FRONTEND_SASS_TRACE_LIST_H
#define MNP_FRONTEND_SASS_TRACE_LIST_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct list_entry {
    char *name;              /* in the list; NULL: a host copy, or the name of an entry before */
    char *path;              /* of a kernel's trace, which belongs to the first entry that has it; NULL: a host copy */
    uint64_t address, bytes; /* of the copy */
    uint32_t first;          /* entry of the same path: this one, or one before it */
    uint32_t launch;         /* number of the launch, from 1 */
    uint32_t times;          /* of the first entry: launches of its path */
};

struct list {
    struct list_entry *entries;
    uint32_t count;
    uint32_t kernels;
    uint32_t *places; /* of entries, by their name: a table of 2^bits that is filled to a half at most */
    uint32_t bits, names;
};

/* Reads kernelslist.g. Names are relative to its folder; a name whose file exists only with .xz, .gz or .zst behind it
 * stands for that. All files must exist. */
bool trace_list_read(struct list *list, const char *path, struct mnp_error *error);

/* The same of a list that has been read already: the text, which ends in a zero byte behind `length` and is changed.
 * Names in a list from a pipe that has no folder of its own (/dev/fd/3) are relative to the working directory. */
bool trace_list_parse(struct list *list, char *text, size_t length, const char *path, struct mnp_error *error);
void trace_list_free(struct list *list);

#endif
