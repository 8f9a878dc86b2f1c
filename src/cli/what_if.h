/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple report --what-if`: runs that measure what findings of the rules estimate. */
#ifndef MNP_CLI_WHAT_IF_H
#define MNP_CLI_WHAT_IF_H

#include "plugin/plugin.h"
#include "results/rules/rules.h"

enum { CLI_WHAT_IF = 5 }; /* findings that are measured */

/* Makes the run once more for each of the first findings that keys of the machine lift, with these keys set and all
 * else as the command line of the run says, or sampled where no key does (pace.h), and fills in what was measured. Then
 * once more with the limits of two lifted together, and of all that can be, if there are two (results/rules/joint.h).
 * What cannot be run once more is said on standard error, and stays an estimate. The run's plug-ins are loaded from
 * where they were, if they are the same still, unless `plugins` has them. False: nothing can be run; `error` says
 * why. */
bool cli_what_if(const struct results_reading *reading, const struct plugin_set *plugins,
                 struct results_findings *findings, struct mnp_error *error);

/* The same for a run of the coprocessor: once more for each of the keys that may lift what its cores wait for. */
bool cli_what_if_tiles(struct results_reading *reading, const struct plugin_set *plugins, struct mnp_error *error);

#endif
