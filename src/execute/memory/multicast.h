/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multicast objects (engine/memory/multicast.h) as instructions see them. The order in which switches add is not
 * published: values are combined here in the order of the devices' numbers, and rounded after each.
 */
#ifndef EXECUTE_MULTICAST_H
#define EXECUTE_MULTICAST_H

#include "execute/warp/warp.h"

enum { EXECUTE_REDUCED_SINGLE = 128 /* in a type: halves are added as floats of 32 bits, and rounded once */ };

/* The combination of `bytes` bytes, at most 8, of each of several memories. `type`: enum execute_type of the elements,
 * and EXECUTE_REDUCED_SINGLE. */
uint64_t execute_reduce_values(uint8_t operation, uint8_t type, uint32_t bytes, const uint64_t *values, uint32_t count);

/* The type of a reducing load, as execute_reduce_values takes it. */
uint8_t execute_reduced_type(const struct execute_op *op);

/* Loads for the lanes whose addresses are in a multicast object, and returns these. `data`: by lane, `bytes` apart. */
uint32_t execute_load_multicast(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                                const uint64_t *addresses, uint32_t bytes, unsigned char *data);

/* Performs a reduction of a lane on all memories behind an address. Returns 0 if it is in no multicast object. */
uint32_t execute_reduce_multicast(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                                  uint64_t address, uint32_t bytes, const unsigned char *operand);

#endif
