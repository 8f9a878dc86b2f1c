/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that helps to simulate a CUDA program which another one, the first, runs (device/ranks.h). The command
 * compiles this file, and not the runtime. */
#ifndef CUDART_FOLLOWER_H
#define CUDART_FOLLOWER_H

#include "cudart/base/options.h"

/* Does as the first process says, to the end of the program. `processes` have been joined. False: an error. */
bool cudart_follow(const struct cudart_options *options, struct processes *processes, struct mnp_error *error);

#endif
