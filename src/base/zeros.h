/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that holds nothing. */
#ifndef MNP_BASE_ZEROS_H
#define MNP_BASE_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether all of `size` bytes, at least one, are zero: the first is, and each is like the one before it. */
static inline bool mnp_only_zeros(const void *bytes, size_t size)
{
    const unsigned char *first = bytes;
    return *first == 0 && memcmp(first, first + 1, size - 1) == 0;
}

#endif
