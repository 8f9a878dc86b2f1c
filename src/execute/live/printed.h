/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a machine's warps between two windows: sorted by time, and passed to the process that prints. Arrays hold
 * struct execute_printed; these functions take ownership of them. */
#ifndef EXECUTE_PRINTED_H
#define EXECUTE_PRINTED_H

#include "execute/device/device.h"

struct execute_printed { /* a call of printf */
    uint64_t cycle;
    uint32_t core;
    uint32_t number;       /* sequence number in the core since the last window */
    struct mnp_array text; /* char */
};

void execute_printed_show(struct execute_device *device, struct mnp_array all);

/* Serialises output for another process; the caller frees *bytes. Returns the number of bytes. */
size_t execute_printed_pack(struct mnp_array all, void **bytes);

#endif
