/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies: zstd's one-call compression; XXH3 of 64 bits. */
#include "frontend/mtrace/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

bool mtrace_fail_in(const struct file *file, uint64_t offset, struct mnp_error *error, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return mnp_fail_at(error, file->path, 0, "at byte %" PRIu64 ": %s; copy the file again or convert the trace again",
                       offset, text);
}

bool mtrace_read_at(const struct file *file, uint64_t offset, void *bytes, size_t length, struct mnp_error *error)
{
    uint8_t *to = bytes;
    while (length) {
        ssize_t got = pread(file->descriptor, to, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mnp_fail_at(error, file->path, 0, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return mtrace_fail_in(file, offset, error, "the file ends here, %zu bytes too early", length);
        to += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

static bool check(const struct file *file, const struct block *block, const char *what, struct mnp_error *error)
{
    if (block->offset < HEAD_BYTES || block->packed > file->length || block->offset > file->length - block->packed)
        return mtrace_fail_in(file, block->offset, error, "%s of %" PRIu32 " bytes does not lie in the file", what,
                              block->packed);
    if (block->raw > most_raw_bytes)
        return mtrace_fail_in(file, block->offset, error, "%s is said to have %" PRIu32 " bytes, more than any", what,
                              block->raw);
    return true;
}

static bool unpack(struct file *file, const struct block *block, const char *what, const uint8_t *packed, uint8_t *raw,
                   struct mnp_error *error)
{
    /* A decompressor costs more to make than a small block to decompress. */
    ZSTD_DCtx *zstd = atomic_exchange(&file->spare, NULL);
    if (!zstd && !(zstd = ZSTD_createDCtx()))
        return mtrace_fail_in(file, block->offset, error, "there is no memory to decompress %s", what);
    size_t got = ZSTD_decompressDCtx(zstd, raw, block->raw, packed, block->packed);
    ZSTD_freeDCtx(atomic_exchange(&file->spare, zstd));
    if (ZSTD_isError(got))
        return mtrace_fail_in(file, block->offset, error, "%s cannot be decompressed: %s", what,
                              ZSTD_getErrorName(got));
    if (got != block->raw)
        return mtrace_fail_in(file, block->offset, error, "%s has %zu bytes instead of %" PRIu32, what, got,
                              block->raw);
    memset(raw + block->raw, 0, BLOCK_SLACK);
    return true;
}

uint8_t *mtrace_block_read(struct file *file, const struct block *block, const char *what, struct mnp_error *error)
{
    if (!check(file, block, what, error))
        return NULL;
    uint8_t *packed = mnp_reallocate(NULL, (size_t)block->packed + 1, 1), *raw = NULL;
    if (mtrace_read_at(file, block->offset, packed, block->packed, error)) {
        if (XXH3_64bits(packed, block->packed) != block->checksum)
            mtrace_fail_in(file, block->offset, error, "%s has a wrong checksum", what);
        else if (ZSTD_getFrameContentSize(packed, block->packed) != block->raw)
            mtrace_fail_in(file, block->offset, error, "%s does not have the length that is said of it", what);
        else
            raw = mnp_reallocate(NULL, (size_t)block->raw + BLOCK_SLACK, 1);
    }
    if (raw && !unpack(file, block, what, packed, raw, error)) {
        free(raw);
        raw = NULL;
    }
    free(packed);
    return raw;
}

void mtrace_put_block(struct bytes *out, const struct block *block)
{
    put64(out, block->offset);
    put32(out, block->packed);
    put32(out, block->raw);
    put64(out, block->checksum);
}

void mtrace_get_block(struct reader *reader, struct block *block)
{
    block->offset = get64(reader);
    block->packed = get32(reader);
    block->raw = get32(reader);
    block->checksum = get64(reader);
}

bool mtrace_block_write(struct block_writer *writer, const struct bytes *raw, struct block *block)
{
    if (raw->length > most_raw_bytes)
        return false;
    writer->packed.length = 0;
    bytes_reserve(&writer->packed, ZSTD_compressBound(raw->length));
    size_t length = ZSTD_compressCCtx(writer->zstd, writer->packed.data, writer->packed.capacity, raw->data,
                                      raw->length, COMPRESSION_LEVEL);
    MNP_REQUIRE(!ZSTD_isError(length), "zstd: %s", ZSTD_getErrorName(length));
    *block = (struct block){.offset = writer->offset,
                            .packed = (uint32_t)length,
                            .raw = (uint32_t)raw->length,
                            .checksum = XXH3_64bits(writer->packed.data, length)};
    fwrite(writer->packed.data, 1, length, writer->stream);
    writer->offset += length;
    return true;
}
