/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heap allocation that never fails: a program that runs out of memory ends with an error message and exit status 2.
 * State of units is allocated in arenas instead (base/arena.h).
 */
#ifndef MNP_BASE_ALLOCATE_H
#define MNP_BASE_ALLOCATE_H

#include <stddef.h>

/* Returns zeroed memory for `count` elements of `size` bytes; free it with free(). */
void *mnp_allocate(size_t count, size_t size);

/* Returns zeroed memory in pages of its own. Only pages that are accessed occupy memory. The heap, in contrast, would
 * clear recycled blocks page by page. Release it with the same size; releasing NULL with size 0 does nothing. */
void *mnp_allocate_pages(size_t bytes);
void mnp_release_pages(void *pages, size_t bytes);

/* Changes the size of a block, or allocates one if `block` is NULL; additional bytes are undefined. */
void *mnp_reallocate(void *block, size_t count, size_t size);

/* Ends the program with a message that an allocation of `bytes` bytes failed. */
_Noreturn void mnp_out_of_memory(size_t bytes);

/* Ends the program because a library failed to allocate an object; `for_what` names the object. */
_Noreturn void mnp_no_memory(const char *for_what);
#define MNP_NEED_MEMORY(condition, for_what)                                                                           \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            mnp_no_memory(for_what);                                                                                   \
    } while (0)

#endif
