/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the drop-in libcuda.so.1, found by name in the loaded library. An audit module lives in a namespace of
 * its own, so dlsym does not see the program's libraries. */
#ifndef REDIRECT_OURS_H
#define REDIRECT_OURS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the address of an exported function, or 0 if the library has none of that name. */
uintptr_t redirect_exported(const struct link_map *library, const char *name);

/* Whether the library is the drop-in library, not NVIDIA's driver. */
bool redirect_is_ours(const struct link_map *library);

#endif
