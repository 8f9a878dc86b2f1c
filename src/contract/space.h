/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address space that the devices of a system share, as programs see it. Each device has one range for its
 * allocations and one for its device-side heap, so that an address identifies the device whose memory holds it. All
 * devices are alike: a device maps an address to the partition of the corresponding address of the first device.
 */
#ifndef MNP_CONTRACT_SPACE_H
#define MNP_CONTRACT_SPACE_H

#include <stdbool.h>
#include <stdint.h>

enum { MNP_SPACE_DEVICES = 16 };

/* Range of allocations of all devices. A single device owns the whole range; several devices own one part each. */
#define MNP_SPACE_BASE       UINT64_C(0x0000700000000000)
#define MNP_SPACE_END        UINT64_C(0x00007e0000000000)
#define MNP_SPACE_PART_BYTES (UINT64_C(1) << 39)

/* Device-side heaps (malloc in kernels): the first device's, and those of the other devices, one after another. The
 * host process maps nothing in these ranges. */
#define MNP_SPACE_FIRST_HEAP  MNP_SPACE_END
#define MNP_SPACE_OTHER_HEAPS UINT64_C(0x0000600000000000)
#define MNP_SPACE_HEAP_BYTES  (UINT64_C(1) << 40)

/* Multicast objects (engine/memory/multicast.h), in the part of the heaps that device 0 does not need. No device owns
 * these addresses, and programs do not see them. */
#define MNP_SPACE_MULTICAST       MNP_SPACE_OTHER_HEAPS
#define MNP_SPACE_MULTICAST_BYTES MNP_SPACE_HEAP_BYTES

static inline bool mnp_space_is_multicast(uint64_t address)
{
    return address - MNP_SPACE_MULTICAST < MNP_SPACE_MULTICAST_BYTES;
}

static inline uint64_t mnp_space_base(uint32_t device)
{
    return MNP_SPACE_BASE + device * MNP_SPACE_PART_BYTES;
}

static inline uint64_t mnp_space_heap(uint32_t device)
{
    return device ? MNP_SPACE_OTHER_HEAPS + device * MNP_SPACE_HEAP_BYTES : MNP_SPACE_FIRST_HEAP;
}

/* Returns the device, below `devices`, whose range contains the address. Returns `user` for addresses outside all
 * ranges: code, local memory, and addresses of traces, which may lie where programs have multicast objects. */
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
