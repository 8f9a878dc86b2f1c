/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multicast objects: ranges of addresses behind which memory of several devices lies. A store goes to the memory of all
 * of them, a reducing load combines what they hold. The addresses are no memory themselves: programs see the objects
 * at addresses that they map, which are translated before an access is performed.
 *
 * Tables change between windows only, by calls of the host.
 */
#ifndef MNP_ENGINE_MEMORY_MULTICAST_H
#define MNP_ENGINE_MEMORY_MULTICAST_H

#include "base/array.h"

#include <stdbool.h>

enum { MNP_MULTICAST_DEVICES = 16, MNP_MULTICAST_SHIFT = 21 /* memory is bound by granules of 2 MiB */ };

#define MNP_MULTICAST_GRANULE (UINT64_C(1) << MNP_MULTICAST_SHIFT)

struct mnp_multicast { /* an object */
    uint64_t address, bytes;
    uint32_t devices;  /* bits, by number */
    uint32_t reserved; /* for alignment */
    uint64_t *bound;   /* [granules · MNP_MULTICAST_DEVICES] address of each device's memory; 0: none is bound */
};

struct mnp_multicasts {
    struct mnp_array objects; /* struct mnp_multicast, by address */
};

void mnp_multicasts_release(struct mnp_multicasts *all);

/* Adds an object without memory. `address` and `bytes`: multiples of MNP_MULTICAST_GRANULE, of no other object's. */
void mnp_multicasts_add(struct mnp_multicasts *all, uint64_t address, uint64_t bytes, uint32_t devices);

/* Removes the object at an address. */
void mnp_multicasts_remove(struct mnp_multicasts *all, uint64_t address);

/* Binds the granule at `address` to memory of a device at `memory`; 0: to none. */
void mnp_multicasts_bind(struct mnp_multicasts *all, uint64_t address, uint32_t device, uint64_t memory);

/* Places behind an address. */
struct mnp_multicast_places {
    uint32_t devices;     /* bits, by number; 0: memory of some devices is not bound, or there is no object */
    const uint64_t *base; /* [MNP_MULTICAST_DEVICES] address of the granule in each device's memory */
};

struct mnp_multicast_places mnp_multicast_at(const struct mnp_multicasts *all, uint64_t address);

/* The address in a device's memory of one that is bound there. */
static inline uint64_t mnp_multicast_member(const struct mnp_multicast_places *places, uint32_t device,
                                            uint64_t address)
{
    return places->base[device] + (address & (MNP_MULTICAST_GRANULE - 1));
}

#endif
