/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolved values as a tree: "sm.l1d.size" is the value `size` in the group `l1d` of the group `sm`. */
#ifndef MNP_ENGINE_CONFIGURE_TREE_H
#define MNP_ENGINE_CONFIGURE_TREE_H

#include "engine/configure/configuration.h"

/* Visits `count` values. A group is visited at the position of its first value, with its members in their order. `all`:
 * include values whose flag (mnp_parameter.shown_with) is false. */
void mnp_tree_walk(const struct mnp_resolved *resolved, size_t count, bool all,
                   const struct mnp_settings_visitor *visitor);

#endif
