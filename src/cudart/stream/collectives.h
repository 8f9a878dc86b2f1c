/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of NCCL that wait for one another for ever: what each of them waits in. */
#ifndef CUDART_COLLECTIVES_H
#define CUDART_COLLECTIVES_H

#include "engine/count/results.h"

#include <stdbool.h>

struct cudart;

/* Whether a kernel, by its name, is one of NCCL's. */
bool cudart_is_collective(const char *kernel);

/* The machine has stopped as nothing goes on. If kernels of NCCL are among those that had not ended: says in which one
 * the rank of each GPU waits, and that the ranks' calls do not match, which is the program's error. `all`: results,
 * with those of the GPUs. */
void cudart_blame_ranks(struct cudart *rt, const struct mnp_results *all);
/* The same where each GPU's kernels have been named already. */
void cudart_blame_calls(struct cudart *rt);

#endif
