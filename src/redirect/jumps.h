/* SPDX-License-Identifier: BSD-3-Clause */
/* Jumps at the entries of a loaded object's static runtime to functions of the drop-in library. */
#ifndef REDIRECT_JUMPS_H
#define REDIRECT_JUMPS_H

#include "redirect/ours.h"
#include "redirect/runtime.h"

/* Writes the jumps, before any code of the object runs. `object` is the loaded object in which `runtime` was found.
 * Returns NULL, or a constant text that says why it failed. */
const char *redirect_write(const struct link_map *object, const struct redirect_runtime *runtime,
                           const struct link_map *ours);

#endif
