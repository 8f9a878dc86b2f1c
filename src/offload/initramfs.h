/* SPDX-License-Identifier: BSD-3-Clause */
/* An initial file system for a guest: an archive in cpio's "newc" format, according to the kernel's document "initramfs
 * buffer format". */
#ifndef OFFLOAD_INITRAMFS_H
#define OFFLOAD_INITRAMFS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct offload_initramfs {
    FILE *out;
    uint32_t count; /* entries so far */
};

/* Names have no leading slash; folders precede their contents. */
void offload_initramfs_folder(struct offload_initramfs *archive, const char *name);
void offload_initramfs_console(struct offload_initramfs *archive); /* dev/console, before there is a devtmpfs */
void offload_initramfs_bytes(struct offload_initramfs *archive, const char *name, const void *bytes, size_t length,
                             uint32_t mode);
bool offload_initramfs_file(struct offload_initramfs *archive, const char *name, const char *path, uint32_t mode,
                            struct mnp_error *error);
void offload_initramfs_end(struct offload_initramfs *archive);

#endif
