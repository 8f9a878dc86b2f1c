/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the bytes of a tile lie in the host's or the device's memory. On the host a tile's lie together. On a GPU those
 * of 32 tiles, which are the lanes of a warp, are interleaved word by word, so that lanes that read the same place of
 * their own memories read one stretch (Raghav et al., TPDS 2015).
 */
#ifndef MANYCORE_LANES_H
#define MANYCORE_LANES_H

#include "base/device.h"

#include <stdint.h>

enum { MANYCORE_WARP = 32 /* lanes of a GPU's warp */ };

#ifndef MANYCORE_LANES
#define MANYCORE_LANES 1
#endif

/* The byte at an offset into memory of a tile's own, which begins with its lane's first word. Bytes of one word lie
 * together. */
MNP_DEVICE static inline unsigned char *manycore_at(unsigned char *memory, uint32_t offset)
{
#if MANYCORE_LANES == 1
    return memory + offset;
#else
    return memory + offset / 4 * 4 * (uint64_t)MANYCORE_LANES + offset % 4;
#endif
}

#endif
