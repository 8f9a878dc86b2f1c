/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the drop-in libcuda.so.1, found in the loaded library by their names: an audit module lives in a
 * namespace of its own, whose dlsym does not see the program's libraries. */
#ifndef REDIRECT_OURS_H
#define REDIRECT_OURS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The address of an exported function; 0: the library has none of that name. */
uintptr_t redirect_exported(const struct link_map *library, const char *name);

/* Whether it is the drop-in library, and not NVIDIA's driver. */
bool redirect_is_ours(const struct link_map *library);

#endif
