/* SPDX-License-Identifier: BSD-3-Clause */
/* Small operations on unsigned numbers: minimum, maximum, bounds, and rounding to units. */
#ifndef MNP_BASE_RANGE_H
#define MNP_BASE_RANGE_H

#include "base/device.h"

#include <stdbool.h>
#include <stdint.h>

MNP_DEVICE static inline uint64_t mnp_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

MNP_DEVICE static inline uint64_t mnp_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Variants for 32 bits, so that results need no cast. */
MNP_DEVICE static inline uint32_t mnp_min32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

MNP_DEVICE static inline uint32_t mnp_max32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Lowers a bound to a value that lies below it. */
MNP_DEVICE static inline void mnp_lower(uint64_t *bound, uint64_t value)
{
    *bound = mnp_min(*bound, value);
}

/* Raises a bound to a value that lies above it. */
MNP_DEVICE static inline void mnp_raise(uint64_t *bound, uint64_t value)
{
    *bound = mnp_max(*bound, value);
}

/* Limits the value to [least, most]. */
MNP_DEVICE static inline uint64_t mnp_clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return mnp_min(mnp_max(value, least), most);
}

MNP_DEVICE static inline bool mnp_is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

/* Divides and rounds up; `unit` is not 0 and value + unit is below 2^64. */
MNP_DEVICE static inline uint64_t mnp_divide_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit;
}

/* Rounds up to a multiple of `unit`, under the same conditions. */
MNP_DEVICE static inline uint64_t mnp_round_up(uint64_t value, uint64_t unit)
{
    return mnp_divide_up(value, unit) * unit;
}

#endif
