/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the host's memory ahead of use. They change no state, and any address is allowed. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

enum { MNP_HOST_LINE = 64 /* bytes of a line of the host's caches */ };

/* Asks the host's memory for the lines that hold `bytes` bytes from `from` on. */
static inline void mnp_prefetch(const void *from, size_t bytes)
{
    uintptr_t end = (uintptr_t)from + bytes;
    for (uintptr_t line = (uintptr_t)from & -(uintptr_t)MNP_HOST_LINE; line < end; line += MNP_HOST_LINE)
        __builtin_prefetch((const void *)line);
}

#endif
