/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of the file: a zstd frame. Its offset, lengths and XXH3 checksum are stored elsewhere. */
#ifndef MNP_FRONTEND_MTRACE_BLOCK_H
#define MNP_FRONTEND_MTRACE_BLOCK_H

#include "base/error.h"
#include "frontend/mtrace/bytes.h"

#include <stdatomic.h>
#include <stdio.h>

struct block {
    uint64_t offset;
    uint32_t packed, raw; /* bytes in the file, and decompressed */
    uint64_t checksum;    /* XXH3 of the bytes in the file */
};

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

struct file { /* being read */
    int descriptor;
    char *path;
    uint64_t length;
    _Atomic(struct ZSTD_DCtx_s *) spare; /* an idle decompressor, or NULL */
};

/* An error in the file at a byte; true is never returned. */
bool mtrace_fail_in(const struct file *file, uint64_t offset, struct mnp_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads exactly these bytes; from any thread. */
bool mtrace_read_at(const struct file *file, uint64_t offset, void *bytes, size_t length, struct mnp_error *error);

enum { BLOCK_SLACK = 8 }; /* zero bytes behind a block's, so that its last ones may be loaded eight at a time */

/* Reads, checks and decompresses a block; `what` describes it for messages. The caller frees the result. NULL: an
 * error. */
uint8_t *mtrace_block_read(struct file *file, const struct block *block, const char *what, struct mnp_error *error);

void mtrace_put_block(struct bytes *out, const struct block *block);
void mtrace_get_block(struct reader *reader, struct block *block);

struct block_writer {
    FILE *stream;
    uint64_t offset; /* bytes written */
    struct ZSTD_CCtx_s *zstd;
    struct bytes packed;
};

/* Compresses and writes; a failure to write shows in the stream. False: too long. */
bool mtrace_block_write(struct block_writer *writer, const struct bytes *raw, struct block *block);

#endif
