/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether memory of this process can be accessed, without accessing it: addresses come from programs, which may be
 * wrong. The kernel tries a word of each page. Another thread may unmap memory right behind the question. */
#ifndef MNP_BASE_PROBE_H
#define MNP_BASE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Both are true for no bytes at all. */
bool mnp_probe_read(uint64_t address, uint64_t bytes);
bool mnp_probe_write(uint64_t address, uint64_t bytes);

#endif
