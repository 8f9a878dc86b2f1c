/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests whether memory of this process can be accessed, without accessing it: addresses come from programs and may
 * be wrong. The kernel probes one word of each page. The answer may be outdated if another thread unmaps memory
 * meanwhile. */
#ifndef MNP_BASE_PROBE_H
#define MNP_BASE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Both functions return true for an empty range. */
bool mnp_probe_read(uint64_t address, uint64_t bytes);
bool mnp_probe_write(uint64_t address, uint64_t bytes);

#endif
