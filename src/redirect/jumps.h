/* SPDX-License-Identifier: BSD-3-Clause */
/* Jumps at the entries of a loaded object's static runtime to functions of the drop-in library. */
#ifndef REDIRECT_JUMPS_H
#define REDIRECT_JUMPS_H

#include "redirect/ours.h"
#include "redirect/runtime.h"

/* Writes them, before any code of the object runs. `object` is the loaded one that `runtime` was found in. Returns
 * NULL, or why it cannot be done, a constant text. */
const char *redirect_write(const struct link_map *object, const struct redirect_runtime *runtime,
                           const struct link_map *ours);

#endif
