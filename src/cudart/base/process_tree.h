/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that a program has started, and those that these have: launchers, stores, helpers. */
#ifndef CUDART_PROCESS_TREE_H
#define CUDART_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a process has a child that has not ended. */
bool cudart_has_children(int process);

/* Whether all threads of a process and of its descendants sleep, but for those of `left_out` processes, which are not
 * looked at. `*digest`: differs where one of them has run since another look. */
bool cudart_tree_sleeps(int root, const int *left_out, uint32_t count, uint64_t *digest);

#endif
