/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by the names that lists, profilers and simulations give them: mangled, demangled by one library or another,
 * with and without namespaces, parameters and a template's arguments. */
#ifndef MNP_CLI_CORRELATE_KERNELS_H
#define MNP_CLI_CORRELATE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum correlate_choice {
    CORRELATE_NONE,
    CORRELATE_CHOSEN,  /* one, or all instances and overloads of a name without what tells them apart */
    CORRELATE_UNCLEAR, /* several, and none is written as the wanted one */
};

/* Chooses those of `count` names that are the wanted one, the best match of them; `chosen` has a place for each. */
enum correlate_choice cli_correlate_choose(const char *const *names, uint32_t count, const char *wanted, bool *chosen);

#endif
