/* SPDX-License-Identifier: BSD-3-Clause */
/* The states of generators side by side, each far behind the other in one sequence. */
#ifndef MATHLIB_RAND_JUMP_H
#define MATHLIB_RAND_JUMP_H

#include "mathlib/rand/rand.h"

#include <stdbool.h>
#include <stdint.h>

/* Computes the initial states, six words for each of RAND_STREAMS streams. Streams of XORWOW are 2^67 numbers apart,
 * those of MRG32k3a 2^76, according to the documentation of cuRAND. Each stream has already produced `done` numbers.
 * Returns false if memory is insufficient. */
bool rand_jump_xorwow(uint32_t *states, uint64_t seed, uint64_t done);
void rand_jump_mrg(uint32_t *states, uint64_t seed, uint64_t done);

/* Direction numbers of a dimension, from 0 on (Joe and Kuo, 2008); false: there are none for it here. */
bool rand_directions(int dimension, int bits, uint64_t *vectors);

#endif
