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

/* Changes the room of a block, or makes one of NULL; bytes that are new are undefined. */
void *mnp_reallocate(void *block, size_t count, size_t size);

/* Ends the program with the message that so many bytes were wanted in vain. */
_Noreturn void mnp_out_of_memory(size_t bytes);

#endif
