/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on masks of 32 bits: lanes of a warp, sectors of a line. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* Returns the number of one bits. The baseline processor has no instruction for it, so the compiler would call a
 * table-driven function, which costs twice as much as these sums of neighbours. */
static inline uint32_t mnp_ones(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#endif
