/* SPDX-License-Identifier: BSD-3-Clause */
/* What the warps of a machine print between two windows: put into the order of time, and handed on to the process that
 * prints. Arrays hold struct execute_printed; these functions take them, and free them. */
#ifndef EXECUTE_PRINTED_H
#define EXECUTE_PRINTED_H

#include "execute/device/device.h"

struct execute_printed { /* a call of printf */
    uint64_t cycle;
    uint32_t core;
    uint32_t number;       /* among those of the core since the last window */
    struct mnp_array text; /* char */
};

void execute_printed_show(struct execute_device *device, struct mnp_array all);

/* As bytes for another process: *bytes is to be freed. Returns how many there are. */
size_t execute_printed_pack(struct mnp_array all, void **bytes);

#endif
