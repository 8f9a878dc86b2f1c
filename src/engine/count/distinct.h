/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of numbers as counters: how many different ones have been seen. A set lies in consecutive counters of a unit (a
 * row of the kind mnp_kind_distinct), so that it is reset, hashed, saved and gathered from other processes like any
 * counter; joining the sets of two units or kernels is their union.
 *
 * The count is exact as long as no more than the stated number of entries are different. Beyond, only numbers whose
 * hash begins with so many zeros are kept, and each stands for 2^zeros (Gibbons, Distinct sampling for highly-accurate
 * answers to distinct values queries, VLDB 2001): a relative standard deviation of at most 1/sqrt(entries/2). Which
 * numbers are kept depends on the numbers alone, so that the union does not depend on the order of joining.
 */
#ifndef MNP_ENGINE_COUNT_DISTINCT_H
#define MNP_ENGINE_COUNT_DISTINCT_H

#include <stdint.h>

/* Counters of a set that keeps up to `entries` numbers: the count, what is kept, and the table. */
uint32_t mnp_distinct_counters(uint32_t entries);

/* Adds a number below UINT64_MAX to a set of so many counters, which are zero at first. set[0] is the count. */
void mnp_distinct_add(uint64_t *set, uint32_t counters, uint64_t number);

/* Adds the numbers of another set of as many counters. */
void mnp_distinct_join(uint64_t *into, const uint64_t *from, uint32_t counters);

#endif
