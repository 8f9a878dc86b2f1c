/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address space that the devices of a system share, as programs see it: each device has a range of it for its
 * allocations and one for what its kernels allocate, so that an address says in which device's memory it lies. All
 * devices are alike: the map of a device leads an address to the partition that the same address of the first device
 * would lie in.
 */
#ifndef MNP_CONTRACT_SPACE_H
#define MNP_CONTRACT_SPACE_H

#include <stdint.h>

enum { MNP_SPACE_DEVICES = 16 };

/* Allocations of all devices. A device that is alone has all of it, others a part each. */
#define MNP_SPACE_BASE       UINT64_C(0x0000700000000000)
#define MNP_SPACE_END        UINT64_C(0x00007e0000000000)
#define MNP_SPACE_PART_BYTES (UINT64_C(1) << 39)

/* What kernels allocate: of the first device, and of the others, each behind the one before. Nothing of a host's
 * process lies there. */
#define MNP_SPACE_FIRST_HEAP  MNP_SPACE_END
#define MNP_SPACE_OTHER_HEAPS UINT64_C(0x0000600000000000)
#define MNP_SPACE_HEAP_BYTES  (UINT64_C(1) << 40)

static inline uint64_t mnp_space_base(uint32_t device)
{
    return MNP_SPACE_BASE + device * MNP_SPACE_PART_BYTES;
}

static inline uint64_t mnp_space_heap(uint32_t device)
{
    return device ? MNP_SPACE_OTHER_HEAPS + device * MNP_SPACE_HEAP_BYTES : MNP_SPACE_FIRST_HEAP;
}

/* The device of `devices` whose range an address lies in; `user` for addresses outside of all ranges, as those of code,
 * of local memory and of traces. */
static inline uint32_t mnp_space_home(uint64_t address, uint32_t devices, uint32_t user)
{
    uint64_t part = (address - MNP_SPACE_BASE) / MNP_SPACE_PART_BYTES;
    uint64_t heap = (address - MNP_SPACE_OTHER_HEAPS) / MNP_SPACE_HEAP_BYTES;
    if (part < devices)
        return (uint32_t)part;
    if (heap && heap < devices)
        return (uint32_t)heap;
    return address - MNP_SPACE_FIRST_HEAP < MNP_SPACE_HEAP_BYTES ? 0 : user;
}

#endif
