/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA program whose machine is spread over processes (DESIGN §2.11). The first one runs the program; the others
 * follow (cudart/follower.c): before each piece of simulated time they are told what the program has done to the
 * device, and then all of them run the piece.
 */
#ifndef CUDART_RANKS_H
#define CUDART_RANKS_H

#include "base/error.h"
#include "cudart/base/rank_commands.h"

struct cudart;
struct mnp_source;

/* The first process's side; each does nothing where there is one process. */
bool cudart_join_ranks(struct cudart *rt, struct mnp_error *error);
void cudart_command_ranks(struct cudart *rt, enum cudart_rank_action action, uint64_t until);
/* Prints the output of the source's kernels from the last piece. */
void cudart_print_of_ranks(struct cudart *rt, struct mnp_source *source);
void cudart_end_ranks(struct cudart *rt);

#endif
