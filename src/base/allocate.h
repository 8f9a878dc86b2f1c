/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory from the heap that is never refused: a program that has run out of memory ends with an error message and exit
 * status 2. State of units lies in arenas instead (base/arena.h).
 */
#ifndef MNP_BASE_ALLOCATE_H
#define MNP_BASE_ALLOCATE_H

#include <stddef.h>

/* Zeroed memory for `count` elements of `size` bytes; free it with free(). */
void *mnp_allocate(size_t count, size_t size);

/* Zeroed memory in pages of its own, of which only those take room that are touched: what the heap hands out a second
 * time, it would clear first, page by page. Give it back with the same number of bytes; NULL and 0 are nothing. */
void *mnp_allocate_pages(size_t bytes);
void mnp_release_pages(void *pages, size_t bytes);

/* Changes the room of a block, or makes one of NULL; bytes that are new are undefined. */
void *mnp_reallocate(void *block, size_t count, size_t size);

/* Ends the program with the message that so many bytes were wanted in vain. */
_Noreturn void mnp_out_of_memory(size_t bytes);

/* The same of what a library should have made: `for_what`. */
_Noreturn void mnp_no_memory(const char *for_what);
#define MNP_NEED_MEMORY(condition, for_what)                                                                           \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            mnp_no_memory(for_what);                                                                                   \
    } while (0)

#endif
