/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region: memory that guest and host share, a file that QEMU maps too. It is read and written by calls and never
 * mapped here, so that a file that was cut off or taken away is an error and no signal.
 */
#ifndef OFFLOAD_REGION_H
#define OFFLOAD_REGION_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct offload_region {
    const char *path;
    int descriptor; /* -1: none */
    uint64_t bytes, tag;
    bool made; /* created by this process, and removed at its end */
};

/* Makes the file, or takes one that is there (after a server that has died, guests still see it), brings it to its
 * size, and writes its head. No other server may use it. */
bool offload_region_open(struct offload_region *region, const char *path, uint64_t bytes, struct mnp_error *error);
void offload_region_close(struct offload_region *region);

/* Whether the file is still the one that guests see: its size and its name are unchanged. */
bool offload_region_is_whole(const struct offload_region *region, struct mnp_error *error);

/* Copies; the caller has checked the place. False: the file has become shorter. */
bool offload_region_read(const struct offload_region *region, uint64_t at, uint64_t bytes, void *to,
                         struct mnp_error *error);
bool offload_region_write(const struct offload_region *region, uint64_t at, uint64_t bytes, const void *from,
                          struct mnp_error *error);

#endif
