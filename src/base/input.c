/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies: zlib inflate, liblzma stream decoder, zstd streaming decompression; each is fed from one buffer. */
#include "base/input.h"

#include "base/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* FIRST_BYTES: size of the first read, because many files are opened for their headers only */
enum { RAW_BYTES = 1 << 18, FIRST_BYTES = 1 << 14 };

enum coding { PLAIN, GZIP, XZ, ZSTD };

struct mnp_input {
    int file;
    enum coding coding;
    char *path;
    unsigned char *raw; /* [RAW_BYTES] as read from the file */
    size_t at, filled;
    bool raw_ended;
    bool frame_ended; /* at the end of a compressed stream: the file may end here */
    z_stream gzip;
    lzma_stream xz;
    ZSTD_DStream *zstd;
};

/* Reads from the file into the given buffer. Returns a negative number on an error. */
static ssize_t read_file(const struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    ssize_t got;
    do
        got = read(input->file, buffer, size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        mnp_fail_at(error, input->path, 0, "cannot be read: %s; check the disk or copy the file again",
                    strerror(errno));
    return got;
}

/* Refills the raw buffer if it is used up. Returns false on an error. */
static bool refill(struct mnp_input *input, struct mnp_error *error)
{
    if (input->at < input->filled || input->raw_ended)
        return true;
    ssize_t got = read_file(input, input->raw, input->filled ? RAW_BYTES : FIRST_BYTES, error);
    if (got < 0)
        return false;
    input->at = 0;
    input->filled = (size_t)got;
    input->raw_ended = got == 0;
    return true;
}

static bool corrupt(const struct mnp_input *input, const char *why, struct mnp_error *error)
{
    static const char *const names[] = {"plain", "gzip", "xz", "zstd"};
    return mnp_fail_at(error, input->path, 0, "the %s data are corrupt or truncated (%s); copy or make the file again",
                       names[input->coding], why);
}

static bool start_decoder(struct mnp_input *input, struct mnp_error *error)
{
    bool started = true;
    if (input->coding == GZIP) {
        started = inflateInit2(&input->gzip, 15 + 32) == Z_OK;
    } else if (input->coding == XZ) {
        input->xz = (lzma_stream)LZMA_STREAM_INIT;
        started = lzma_stream_decoder(&input->xz, UINT64_C(256) << 20, LZMA_CONCATENATED) == LZMA_OK;
    } else if (input->coding == ZSTD) {
        input->zstd = ZSTD_createDStream();
        started = input->zstd != NULL;
    }
    return started || mnp_fail_at(error, input->path, 0, "no memory for its decompression");
}

static enum coding recognise(const unsigned char *head, size_t length)
{
    static const struct {
        enum coding coding;
        size_t length;
        unsigned char magic[6];
    } known[] = {{GZIP, 2, {0x1f, 0x8b}}, {XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}}, {ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length >= known[i].length && memcmp(head, known[i].magic, known[i].length) == 0)
            return known[i].coding;
    return PLAIN;
}

struct mnp_input *mnp_input_open(const char *path, struct mnp_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) {
        mnp_fail_at(error, path, 0, "cannot be opened: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return NULL;
    }
    if (S_ISDIR(about.st_mode)) {
        mnp_fail_at(error, path, 0, "is a folder; name a file");
        close(file);
        return NULL;
    }
    struct mnp_input *input = mnp_allocate(1, sizeof *input);
    input->file = file;
    input->path = mnp_allocate(strlen(path) + 1, 1);
    strcpy(input->path, path);
    input->raw = mnp_allocate(RAW_BYTES, 1);
    if (refill(input, error)) {
        input->coding = recognise(input->raw, input->filled);
        if (start_decoder(input, error))
            return input;
    }
    mnp_input_close(input);
    return NULL;
}

/* Returns first the bytes that were read to detect the format; afterwards, reads directly into the caller's buffer. */
static int64_t read_plain(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    if (input->at == input->filled)
        return read_file(input, buffer, size, error);
    size_t bytes = input->filled - input->at < size ? input->filled - input->at : size;
    memcpy(buffer, input->raw + input->at, bytes);
    input->at += bytes;
    return (int64_t)bytes;
}

/* One step of each decoder: consumes raw bytes, returns the bytes produced, or -1 with an error. */
static int64_t step_gzip(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    z_stream *z = &input->gzip;
    if (input->frame_ended && input->at < input->filled)
        inflateReset(z);
    z->next_in = input->raw + input->at;
    z->avail_in = (uInt)(input->filled - input->at);
    z->next_out = buffer;
    z->avail_out = (uInt)(size < 1 << 30 ? size : 1 << 30);
    uInt room = z->avail_out;
    int result = inflate(z, Z_NO_FLUSH);
    input->at = input->filled - z->avail_in;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        corrupt(input, z->msg ? z->msg : "inflate", error);
        return -1;
    }
    input->frame_ended = result == Z_STREAM_END;
    return room - z->avail_out;
}

static int64_t step_xz(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    lzma_stream *x = &input->xz;
    x->next_in = input->raw + input->at;
    x->avail_in = input->filled - input->at;
    x->next_out = buffer;
    x->avail_out = size;
    lzma_ret result = lzma_code(x, input->raw_ended ? LZMA_FINISH : LZMA_RUN);
    input->at = input->filled - x->avail_in;
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR) {
        corrupt(input, result == LZMA_MEMLIMIT_ERROR ? "it wants over 256 MiB to decompress" : "xz", error);
        return -1;
    }
    input->frame_ended = result == LZMA_STREAM_END;
    return (int64_t)(size - x->avail_out);
}

static int64_t step_zstd(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    ZSTD_inBuffer in = {.src = input->raw, .size = input->filled, .pos = input->at};
    ZSTD_outBuffer out = {.dst = buffer, .size = size};
    size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
    input->at = in.pos;
    if (ZSTD_isError(result)) {
        corrupt(input, ZSTD_getErrorName(result), error);
        return -1;
    }
    input->frame_ended = result == 0;
    return (int64_t)out.pos;
}

int64_t mnp_input_read(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error)
{
    if (input->coding == PLAIN)
        return read_plain(input, buffer, size, error);
    for (;;) {
        if (!refill(input, error))
            return -1;
        if (input->raw_ended && input->frame_ended)
            return 0;
        int64_t got = input->coding == GZIP ? step_gzip(input, buffer, size, error)
                      : input->coding == XZ ? step_xz(input, buffer, size, error)
                                            : step_zstd(input, buffer, size, error);
        if (got != 0)
            return got;
        if (input->raw_ended && !input->frame_ended) {
            corrupt(input, "it ends too early", error);
            return -1;
        }
    }
}

void mnp_input_close(struct mnp_input *input)
{
    if (input->coding == GZIP)
        inflateEnd(&input->gzip);
    if (input->coding == XZ)
        lzma_end(&input->xz);
    ZSTD_freeDStream(input->zstd);
    close(input->file);
    free(input->raw);
    free(input->path);
    free(input);
}
