/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of a many-core machine that have no effect on the machine as it is. */
#ifndef MANYCORE_IDLE_H
#define MANYCORE_IDLE_H

#include "manycore/core/parameters.h"

/* Refuses a key that --set or a sweep states and that the machine has no use for, such as one of a mesh that it does
 * not have: runs that vary it could not differ. Machine files may state such keys, for machines that extend them. */
bool manycore_refuse_idle(const struct manycore_parameters *parameters, const struct mnp_settings *settings,
                          struct mnp_error *error);

#endif
