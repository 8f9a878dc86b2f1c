/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of an address space that are in use: where the next one fits, and which one an address lies in, in
 * logarithmic time however many there are. First fit: addresses depend on the order of the calls alone.
 *
 * A tree by addresses whose nodes know the largest gap below them (a treap: Seidel and Aragon, Randomized search trees,
 * 1996; priorities are a mixture of the address's bits, so that the tree is a function of its contents).
 */
#ifndef MNP_BASE_REGIONS_H
#define MNP_BASE_REGIONS_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct mnp_region {
    uint64_t address, bytes;
};

struct mnp_regions {
    uint64_t begin, end, align; /* of the address space, and of every region's address */
    struct mnp_array nodes;     /* the first is none */
    uint32_t root, unused;      /* the first of the nodes that are not in use; 0: none */
    uint32_t count;             /* regions */
};

/* No regions, in [begin, end); `align` divides begin. */
void mnp_regions_init(struct mnp_regions *regions, uint64_t begin, uint64_t end, uint64_t align);
void mnp_regions_clear(struct mnp_regions *regions);
void mnp_regions_release(struct mnp_regions *regions);

/* The lowest address at which `bytes` (1 or more) fit, now in use. 0: there is no room. */
uint64_t mnp_regions_take(struct mnp_regions *regions, uint64_t bytes);

/* The region that begins at an address is no longer in use. False: none does. */
bool mnp_regions_give(struct mnp_regions *regions, uint64_t address);

/* The last region that begins at or before an address, and the first that begins behind it. False: there is none. */
bool mnp_regions_before(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region);
bool mnp_regions_behind(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region);

#endif
