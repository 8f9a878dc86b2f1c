/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers of 64 bits that look random and depend on a number alone: SplitMix64 (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014, figure 17).
 */
#ifndef MNP_BASE_MIX_H
#define MNP_BASE_MIX_H

#include <stdint.h>

/* Distance of the states of two draws that follow one another. */
#define MNP_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The two multiplications of the mixer, for those who use the upper half alone. */
static inline uint64_t mnp_mix_upper(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
}

/* The whole mixer, a bijection. */
static inline uint64_t mnp_mix(uint64_t z)
{
    z = mnp_mix_upper(z);
    return z ^ z >> 31;
}

#endif
