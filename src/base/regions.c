/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/regions.h"

#include "base/range.h"

#include <string.h>

struct node {
    struct mnp_region region;
    uint64_t gap, most; /* gap: free bytes in front of this region; most: the largest gap in this node's subtree */
    uint32_t left, right, priority;
};

static struct node *node_at(const struct mnp_regions *regions, uint32_t place)
{
    return (struct node *)regions->nodes.items + place;
}

static uint64_t most_of(const struct mnp_regions *regions, uint32_t place)
{
    return place ? node_at(regions, place)->most : 0;
}

/* Recomputes a node's `most` after a change of its gap or children. */
static void refresh(const struct mnp_regions *regions, uint32_t place)
{
    struct node *node = node_at(regions, place);
    uint64_t left = most_of(regions, node->left), right = most_of(regions, node->right);
    node->most = node->gap > left ? node->gap : left;
    node->most = node->most > right ? node->most : right;
}

/* Hashes an address (the finalizer of MurmurHash3, Appleby). */
static uint32_t mix(uint64_t address)
{
    address = (address ^ address >> 33) * UINT64_C(0xff51afd7ed558ccd);
    address = (address ^ address >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(address ^ address >> 33);
}

void mnp_regions_init(struct mnp_regions *regions, uint64_t begin, uint64_t end, uint64_t align)
{
    *regions = (struct mnp_regions){.begin = begin, .end = end, .align = align};
}

void mnp_regions_clear(struct mnp_regions *regions)
{
    regions->nodes.count = regions->root = regions->unused = regions->count = 0;
}

void mnp_regions_release(struct mnp_regions *regions)
{
    mnp_array_release(&regions->nodes);
    mnp_regions_clear(regions);
}

/* ===== the tree ===== */

static uint32_t new_node(struct mnp_regions *regions, const struct mnp_region *region, uint64_t gap)
{
    uint32_t place = regions->unused;
    if (place)
        regions->unused = node_at(regions, place)->left;
    else
        mnp_array_add(&regions->nodes, regions->nodes.count ? 1 : 2, sizeof(struct node));
    place = place ? place : regions->nodes.count - 1;
    *node_at(regions, place) = (struct node){*region, gap, gap, 0, 0, mix(region->address)};
    return place;
}

/* Splits a tree into the part below an address and the part at or above it. */
static void split(const struct mnp_regions *regions, uint32_t place, uint64_t address, uint32_t *low, uint32_t *high)
{
    struct node *node = node_at(regions, place);
    if (!place) {
        *low = *high = 0;
        return;
    }
    if (node->region.address < address) {
        *low = place;
        split(regions, node->right, address, &node->right, high);
    } else {
        *high = place;
        split(regions, node->left, address, low, &node->left);
    }
    refresh(regions, place);
}

static uint32_t insert(const struct mnp_regions *regions, uint32_t place, uint32_t new)
{
    struct node *node = node_at(regions, place), *added = node_at(regions, new);
    if (!place || added->priority > node->priority) {
        split(regions, place, added->region.address, &added->left, &added->right);
        refresh(regions, new);
        return new;
    }
    uint32_t *below = added->region.address < node->region.address ? &node->left : &node->right;
    *below = insert(regions, *below, new);
    refresh(regions, place);
    return place;
}

/* Joins two trees; all addresses of `low` lie below all of `high`. */
static uint32_t merge(const struct mnp_regions *regions, uint32_t low, uint32_t high)
{
    struct node *first = node_at(regions, low), *second = node_at(regions, high);
    if (!low || !high)
        return low ? low : high;
    bool above = first->priority > second->priority;
    if (above)
        first->right = merge(regions, first->right, high);
    else
        second->left = merge(regions, low, second->left);
    refresh(regions, above ? low : high);
    return above ? low : high;
}

/* Removes the region at an address, which must exist, and returns the new root. */
static uint32_t erase(struct mnp_regions *regions, uint32_t place, uint64_t address)
{
    struct node *node = node_at(regions, place);
    if (node->region.address == address) {
        uint32_t rest = merge(regions, node->left, node->right);
        node->left = regions->unused;
        regions->unused = place;
        return rest;
    }
    uint32_t *below = address < node->region.address ? &node->left : &node->right;
    *below = erase(regions, *below, address);
    refresh(regions, place);
    return place;
}

/* Changes the gap in front of the region at an address, and updates the path to it. */
static void set_gap(const struct mnp_regions *regions, uint32_t place, uint64_t address, uint64_t gap)
{
    struct node *node = node_at(regions, place);
    if (node->region.address == address)
        node->gap = gap;
    else
        set_gap(regions, address < node->region.address ? node->left : node->right, address, gap);
    refresh(regions, place);
}

/* ===== regions ===== */

bool mnp_regions_before(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region)
{
    const struct node *found = NULL;
    for (uint32_t place = regions->root; place;) {
        const struct node *node = node_at(regions, place);
        bool before = node->region.address <= address;
        found = before ? node : found;
        place = before ? node->right : node->left;
    }
    if (found)
        *region = found->region;
    return found != NULL;
}

bool mnp_regions_behind(const struct mnp_regions *regions, uint64_t address, struct mnp_region *region)
{
    const struct node *found = NULL;
    for (uint32_t place = regions->root; place;) {
        const struct node *node = node_at(regions, place);
        bool behind = node->region.address > address;
        found = behind ? node : found;
        place = behind ? node->left : node->right;
    }
    if (found)
        *region = found->region;
    return found != NULL;
}

/* The first aligned address behind a region, at which another region may begin. */
static uint64_t end_of(const struct mnp_regions *regions, const struct mnp_region *region)
{
    return (region->address + region->bytes + regions->align - 1) / regions->align * regions->align;
}

/* The first address that is free behind the regions in front of an address. */
static uint64_t end_before(const struct mnp_regions *regions, uint64_t address)
{
    struct mnp_region before;
    bool any = address > regions->begin && mnp_regions_before(regions, address - 1, &before);
    return any ? end_of(regions, &before) : regions->begin;
}

/* Finds the lowest gap of at least `bytes` bytes; if there is none, the end of the last region. The caller checks that
 * the space there is sufficient. */
static uint64_t fit(const struct mnp_regions *regions, uint64_t bytes)
{
    uint32_t place = regions->root;
    if (most_of(regions, place) < bytes)
        return end_before(regions, regions->end);
    for (;;) {
        const struct node *node = node_at(regions, place);
        if (most_of(regions, node->left) >= bytes)
            place = node->left;
        else if (node->gap >= bytes)
            return node->region.address - node->gap;
        else
            place = node->right;
    }
}

/* Whether a region at a free address would end before the next one, or before the end of the address space. */
static bool has_room(const struct mnp_regions *regions, uint64_t address, uint64_t bytes)
{
    struct mnp_region behind;
    uint64_t end = mnp_regions_behind(regions, address, &behind) ? behind.address : regions->end;
    return address <= end && end - address >= bytes;
}

uint64_t mnp_regions_take(struct mnp_regions *regions, uint64_t bytes)
{
    return mnp_regions_take_aligned(regions, bytes, regions->align);
}

uint64_t mnp_regions_take_aligned(struct mnp_regions *regions, uint64_t bytes, uint64_t align)
{
    uint64_t gap_begin = fit(regions, bytes), lowest = mnp_round_up(gap_begin, align);
    bool first = has_room(regions, gap_begin, lowest - gap_begin + bytes);
    struct mnp_region made = {first ? lowest : mnp_round_up(fit(regions, bytes + align), align), bytes}, behind;
    if (made.address > regions->end || regions->end - made.address < bytes)
        return 0;
    uint64_t gap = made.address - end_before(regions, made.address);
    if (mnp_regions_behind(regions, made.address, &behind))
        set_gap(regions, regions->root, behind.address, behind.address - end_of(regions, &made));
    uint32_t place = new_node(regions, &made, gap);
    regions->root = insert(regions, regions->root, place);
    regions->count++;
    return made.address;
}

bool mnp_regions_give(struct mnp_regions *regions, uint64_t address)
{
    struct mnp_region region, behind;
    if (!mnp_regions_before(regions, address, &region) || region.address != address)
        return false;
    regions->root = erase(regions, regions->root, address);
    regions->count--;
    if (mnp_regions_behind(regions, address, &behind))
        set_gap(regions, regions->root, behind.address, behind.address - end_before(regions, behind.address));
    return true;
}
