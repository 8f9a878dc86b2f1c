/* SPDX-License-Identifier: BSD-3-Clause */
#include "sink.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK = 1 << 16 };

struct sink {
    struct mnp_output output;
    enum sink_coding coding;
    int reason; /* errno of the first write that failed */
    z_stream gzip;
    lzma_stream xz;
    ZSTD_CStream *zstd;
    unsigned char chunk[CHUNK]; /* compressed bytes on their way out */
};

const char *sink_ending(enum sink_coding coding)
{
    static const char *const endings[] = {"", ".gz", ".xz", ".zst"};
    return endings[coding];
}

static bool start(struct sink *sink)
{
    switch (sink->coding) {
    case SINK_PLAIN:
        return true;
    case SINK_GZIP:
        return deflateInit2(&sink->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    case SINK_XZ:
        sink->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_easy_encoder(&sink->xz, 2, LZMA_CHECK_CRC32) == LZMA_OK;
    case SINK_ZSTD:
        sink->zstd = ZSTD_createCStream();
        return sink->zstd && !ZSTD_isError(ZSTD_initCStream(sink->zstd, 3));
    }
    return false;
}

struct sink *sink_open(const char *path, enum sink_coding coding, struct mnp_error *error)
{
    struct sink *sink = mnp_allocate(1, sizeof *sink);
    if (mnp_output_open(&sink->output, path, error)) {
        sink->coding = coding;
        if (start(sink))
            return sink;
        mnp_output_discard(&sink->output);
        mnp_fail_at(error, path, 0, "no memory for its compression; use compress=none");
    }
    free(sink);
    return NULL;
}

static void put(struct sink *sink, const void *data, size_t size)
{
    if (!sink->reason && fwrite(data, 1, size, sink->output.stream) != size)
        sink->reason = errno ? errno : EIO;
}

static void write_gzip(struct sink *sink, const void *data, size_t size, bool end)
{
    z_stream *z = &sink->gzip;
    z->next_in = (unsigned char *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    do {
        z->next_out = sink->chunk;
        z->avail_out = CHUNK;
        deflate(z, end ? Z_FINISH : Z_NO_FLUSH);
        put(sink, sink->chunk, CHUNK - z->avail_out);
    } while (z->avail_out == 0);
}

static void write_xz(struct sink *sink, const void *data, size_t size, bool end)
{
    lzma_stream *x = &sink->xz;
    x->next_in = data;
    x->avail_in = size;
    do {
        x->next_out = sink->chunk;
        x->avail_out = CHUNK;
        lzma_ret result = lzma_code(x, end ? LZMA_FINISH : LZMA_RUN);
        if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR && !sink->reason)
            sink->reason = ENOMEM;
        put(sink, sink->chunk, CHUNK - x->avail_out);
    } while (x->avail_out == 0 && !sink->reason);
}

static void write_zstd(struct sink *sink, const void *data, size_t size, bool end)
{
    ZSTD_inBuffer in = {.src = data, .size = size};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = sink->chunk, .size = CHUNK};
        left = ZSTD_compressStream2(sink->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        put(sink, sink->chunk, out.pos);
    } while (!ZSTD_isError(left) && (end ? left > 0 : in.pos < in.size));
}

static void write_some(struct sink *sink, const void *data, size_t size, bool end)
{
    switch (sink->coding) {
    case SINK_PLAIN:
        put(sink, data, size);
        break;
    case SINK_GZIP:
        write_gzip(sink, data, size, end);
        break;
    case SINK_XZ:
        write_xz(sink, data, size, end);
        break;
    case SINK_ZSTD:
        write_zstd(sink, data, size, end);
        break;
    }
}

void sink_write(struct sink *sink, const void *data, size_t size)
{
    const char *at = data;
    for (size_t piece; size; at += piece, size -= piece) {
        piece = size < INT_MAX ? size : INT_MAX; /* zlib counts in 32 bits */
        write_some(sink, at, piece, false);
    }
}

bool sink_failed(const struct sink *sink)
{
    return sink->reason != 0;
}

bool sink_close(struct sink *sink, bool keep, struct mnp_error *error)
{
    if (keep)
        write_some(sink, "", 0, true);
    if (sink->coding == SINK_GZIP)
        deflateEnd(&sink->gzip);
    if (sink->coding == SINK_XZ)
        lzma_end(&sink->xz);
    ZSTD_freeCStream(sink->zstd);
    if (keep && sink->reason)
        mnp_fail_at(error, sink->output.path, 0, "cannot write: %s; free space or choose another folder",
                    strerror(sink->reason));
    bool good =
        keep && !sink->reason && mnp_output_finish(&sink->output, error) && mnp_output_commit(&sink->output, error);
    mnp_output_discard(&sink->output);
    free(sink);
    return good || !keep;
}
