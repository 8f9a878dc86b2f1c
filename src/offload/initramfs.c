/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/initramfs.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDER = 0040000, REGULAR = 0100000, CHARACTERS = 0020000, LARGEST = 256 << 20 };

static void pad(FILE *out, size_t length)
{
    static const char zeros[4];
    fwrite(zeros, 1, -length & 3, out);
}

/* Appends an entry: a header of 110 characters with numbers of 8 hexadecimal digits; the name; the contents. Name and
 * contents are padded to multiples of 4 bytes. */
static void entry(struct offload_initramfs *archive, const char *name, uint32_t mode, size_t length, uint32_t major,
                  uint32_t minor)
{
    size_t name_bytes = strlen(name) + 1;
    fprintf(archive->out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++archive->count, mode, 0, 0, 1,
            0, (unsigned)length, 0, 0, major, minor, (unsigned)name_bytes, 0);
    fwrite(name, 1, name_bytes, archive->out);
    pad(archive->out, 110 + name_bytes);
}

void offload_initramfs_folder(struct offload_initramfs *archive, const char *name)
{
    entry(archive, name, FOLDER | 0755, 0, 0, 0);
}

void offload_initramfs_console(struct offload_initramfs *archive)
{
    entry(archive, "dev/console", CHARACTERS | 0600, 0, 5, 1);
}

void offload_initramfs_bytes(struct offload_initramfs *archive, const char *name, const void *bytes, size_t length,
                             uint32_t mode)
{
    entry(archive, name, REGULAR | mode, length, 0, 0);
    fwrite(bytes, 1, length, archive->out);
    pad(archive->out, length);
}

bool offload_initramfs_file(struct offload_initramfs *archive, const char *name, const char *path, uint32_t mode,
                            struct mnp_error *error)
{
    size_t length;
    char *bytes = mnp_read_file(path, LARGEST, &length, error);
    if (bytes)
        offload_initramfs_bytes(archive, name, bytes, length, mode);
    free(bytes);
    return bytes != NULL;
}

void offload_initramfs_end(struct offload_initramfs *archive)
{
    entry(archive, "TRAILER!!!", 0, 0, 0, 0);
}
