/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a device that has been freed, for messages about accesses to it; and addresses of the host's memory. */
#ifndef EXECUTE_FREED_H
#define EXECUTE_FREED_H

#include "base/array.h"
#include "base/regions.h"

/* The allocations freed last, in a ring. */
struct execute_freed {
    struct mnp_array regions; /* struct mnp_region */
    uint32_t next;            /* place of the next one, once the ring is full */
};

void execute_freed_add(struct execute_freed *freed, const struct mnp_region *region);
/* The allocation freed last that held an address. False: none did. */
bool execute_freed_find(const struct execute_freed *freed, uint64_t address, struct mnp_region *region);
void execute_freed_release(struct execute_freed *freed);

/* Whether an address is one of memory that this process has, as the program's own malloc gives it. */
bool execute_is_host_address(uint64_t address);

#endif
