/* SPDX-License-Identifier: BSD-3-Clause */
/* A test for memory that contains only zeros. */
#ifndef MNP_BASE_ZEROS_H
#define MNP_BASE_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether all of `size` bytes (at least one) are zero: the first byte is, and each byte equals the one before it. */
static inline bool mnp_only_zeros(const void *bytes, size_t size)
{
    const unsigned char *first = bytes;
    return *first == 0 && memcmp(first, first + 1, size - 1) == 0;
}

#endif
