/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of versions of the static runtime, for files without symbols. A map (data/runtimes) contains hashes of those
 * stretches of the runtime's code that no relocation changes, and for each function its offset and a hash of its first
 * bytes. A map matches if all of these hashes match. */
#ifndef REDIRECT_MAP_H
#define REDIRECT_MAP_H

#include "redirect/runtime.h"

/* Searches for a runtime by the maps in a folder. */
enum redirect_state redirect_map(const struct redirect_object *object, const char *folder,
                                 struct redirect_runtime *runtime);

#endif
