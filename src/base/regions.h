/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocator for regions of an address space: finds free space, and the region that contains an address, in logarithmic
 * time. First fit: addresses depend only on the order of the calls.
 *
 * The regions form a treap, i.e. a randomized search tree by address (Seidel and Aragon, Randomized search trees,
 * 1996). Each node also stores the largest gap in its subtree. Priorities are a hash of the address, so that the tree
 * is a function of its contents.
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
    uint64_t begin, end, align; /* bounds of the address space, and alignment of every region's address */
    struct mnp_array nodes;     /* node 0 is unused, so that index 0 means "no node" */
    uint32_t root, unused;      /* unused: head of the list of free nodes; 0: none */
    uint32_t count;             /* number of regions */
};

/* Initialises an empty set of regions in [begin, end); `align` divides `begin`. */
void mnp_regions_init(struct mnp_regions *regions, uint64_t begin, uint64_t end, uint64_t align);
void mnp_regions_clear(struct mnp_regions *regions);
void mnp_regions_release(struct mnp_regions *regions);

/* Allocates `bytes` bytes (at least 1) at the lowest possible address. Returns 0 if there is no space. */
uint64_t mnp_regions_take(struct mnp_regions *regions, uint64_t bytes);

/* Allocates at a multiple of `align`, which is one of the set's own alignment: in the lowest gap of `bytes` bytes if
 * they fit there, otherwise in the lowest gap of `bytes` + `align`. */
uint64_t mnp_regions_take_aligned(struct mnp_regions *regions, uint64_t bytes, uint64_t align);

/* Frees the region that begins at an address. Returns false if there is none. */
bool mnp_regions_give(struct mnp_regions *regions, uint64_t address);

/* Find the last region that begins at or before an address, and the first that begins behind it. Return false if there
 * is none. */
bool mnp_regions_before(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region);
bool mnp_regions_behind(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region);

#endif
