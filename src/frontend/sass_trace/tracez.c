/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/tracez.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    USUAL_HEADER = 1 << 12,
    MOST_HEADER = 1 << 16,
    MOST_DICTIONARY = 1 << 24,
    BLOCK_NUMBERS = 11, /* number of index words in front of a block's warps */
    BLOCK_BYTES = 4 * BLOCK_NUMBERS,
    WARP_BYTES = 16,
    HEAD_BYTES = 8,       /* size of a warp's header in front of its pieces */
    LINE_ROOM = 64,       /* space for the lines in front of a warp */
    MOST_RATIO = 1 << 16, /* maximum compression ratio of zstd: 128 KiB of equal bytes take four bytes */
};

static const size_t most_block_bytes = (size_t)1 << 31;

struct tracez {
    char *path;
    int file;
    uint64_t size;
    char *header;
    size_t header_length;
    ZSTD_DDict *dictionary; /* NULL: none */
    ZSTD_DCtx *context;
    unsigned char *index; /* the index, in file format */
    size_t index_bytes;
    uint64_t index_at; /* offset of the index; the bytes in front of it belong to warps */
    uint64_t data_at;  /* offset behind the file's head, where the warps' bytes begin */
    uint64_t *blocks;  /* [CTAs of the grid] where a block's warps begin in the index; 0: not found yet */
    uint32_t warps;    /* number of warps of each block */
    unsigned char *piece;
    size_t piece_room;
};

static bool wrong(const struct tracez *tracez, uint64_t at, const char *what, struct mnp_error *error)
{
    return mnp_fail_at(error, tracez->path, 0,
                       "byte %lu: %s; the trace is damaged here, trace again or copy the whole "
                       "file",
                       (unsigned long)at, what);
}

/* Reads bytes of the file, all of which must be there. */
static bool read_at(const struct tracez *tracez, uint64_t at, void *to, size_t bytes, struct mnp_error *error)
{
    if (at > tracez->size || bytes > tracez->size - at)
        return wrong(tracez, at, "the file ends in the middle of what should be here", error);
    for (size_t have = 0; have < bytes;) {
        ssize_t got = pread(tracez->file, (char *)to + have, bytes - have, (off_t)(at + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return mnp_fail_at(error, tracez->path, 0, "cannot be read: %s",
                               got ? strerror(errno) : "it became shorter");
        have += (size_t)got;
    }
    return true;
}

static uint32_t number(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t wide(const unsigned char *from)
{
    return number(from) | (uint64_t)number(from + 4) << 32;
}

/* ===== the file ===== */

/* Whether a file begins with a header that a zero byte ends, which no plain or compressed text does. */
static bool has_zero_ended_header(struct tracez *tracez)
{
    struct stat about;
    if (fstat(tracez->file, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    tracez->size = (uint64_t)about.st_size;
    struct mnp_error ignored = {{0}};
    for (size_t most = USUAL_HEADER, bytes; most <= MOST_HEADER; most *= 16) {
        bytes = tracez->size < most ? (size_t)tracez->size : most;
        tracez->header = mnp_reallocate(tracez->header, bytes + 1, 1);
        tracez->header[bytes] = 0;
        if (!read_at(tracez, 0, tracez->header, bytes, &ignored) || tracez->header[0] != '-')
            return false;
        tracez->header_length = strlen(tracez->header);
        if (strstr(tracez->header, "#BEGIN_TB"))
            return false;
        if (tracez->header_length < bytes)
            return tracez->header[tracez->header_length - 1] == '\n';
    }
    return false;
}

static bool read_dictionary(struct tracez *tracez, struct mnp_error *error)
{
    unsigned char head[HEAD_BYTES];
    uint64_t at = tracez->header_length + 1;
    if (!read_at(tracez, at, head, sizeof head, error))
        return false;
    uint32_t bytes = number(head);
    tracez->data_at = at + sizeof head + bytes;
    if (bytes == 0)
        return true;
    if (bytes > MOST_DICTIONARY)
        return wrong(tracez, at, "a dictionary of more than 16 MiB", error);
    void *dictionary = mnp_allocate(bytes, 1);
    bool good = read_at(tracez, at + sizeof head, dictionary, bytes, error);
    if (good && !(tracez->dictionary = ZSTD_createDDict(dictionary, bytes)))
        good = wrong(tracez, at + sizeof head, "zstd does not take this dictionary", error);
    free(dictionary);
    return good;
}

static bool read_index(struct tracez *tracez, struct mnp_error *error)
{
    unsigned char place[8];
    if (tracez->size < tracez->data_at + 4 + sizeof place)
        return wrong(tracez, tracez->size, "the file ends before its index", error);
    if (!read_at(tracez, tracez->size - sizeof place, place, sizeof place, error))
        return false;
    tracez->index_at = wide(place);
    if (tracez->index_at < tracez->data_at || tracez->index_at > tracez->size - sizeof place - 4)
        return wrong(tracez, tracez->size - sizeof place, "the index is said to lie outside the file's data", error);
    tracez->index_bytes = (size_t)(tracez->size - sizeof place - tracez->index_at);
    tracez->index = mnp_allocate(tracez->index_bytes, 1);
    return read_at(tracez, tracez->index_at, tracez->index, tracez->index_bytes, error);
}

/* NULL: it is none. */
static struct tracez *begin(const char *path)
{
    struct tracez *tracez = mnp_allocate(1, sizeof *tracez);
    tracez->path = strdup(path);
    tracez->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (tracez->path && tracez->file >= 0 && has_zero_ended_header(tracez))
        return tracez;
    trace_tracez_close(tracez);
    return NULL;
}

bool trace_tracez_is(const char *path)
{
    struct tracez *tracez = begin(path);
    trace_tracez_close(tracez);
    return tracez != NULL;
}

bool trace_tracez_open(struct tracez **opened, const char *path, struct mnp_error *error)
{
    *opened = NULL;
    struct tracez *tracez = begin(path);
    if (!tracez) /* the text parser reports the error */
        return true;
    tracez->context = ZSTD_createDCtx();
    if (!tracez->context)
        mnp_fail_at(error, path, 0, "no memory to read it; free memory");
    else if (read_dictionary(tracez, error) && read_index(tracez, error)) {
        *opened = tracez;
        return true;
    }
    trace_tracez_close(tracez);
    return false;
}

void trace_tracez_close(struct tracez *tracez)
{
    if (!tracez)
        return;
    if (tracez->file >= 0)
        close(tracez->file);
    ZSTD_freeDDict(tracez->dictionary);
    ZSTD_freeDCtx(tracez->context);
    free(tracez->path);
    free(tracez->header);
    free(tracez->index);
    free(tracez->blocks);
    free(tracez->piece);
    free(tracez);
}

const char *trace_tracez_header(const struct tracez *tracez, size_t *length)
{
    *length = tracez->header_length;
    return tracez->header;
}

/* ===== the index ===== */

/* The index position behind the warps that begin at `at`; 0: they exceed the index. */
static uint64_t pass_warps(const struct tracez *tracez, uint64_t at, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        if (tracez->index_bytes - at < WARP_BYTES)
            return 0;
        uint64_t pieces = number(tracez->index + at + 4);
        at += WARP_BYTES;
        if ((tracez->index_bytes - at) / 4 < pieces)
            return 0;
        at += 4 * pieces;
    }
    return at;
}

/* Derives the shape of clusters from a block's place in its cluster: all have the same shape, so the largest place
 * determines it. */
static void note_cluster(const unsigned char *block, uint32_t size[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t within = number(block + 4 * (6 + i));
        if (within < INT32_MAX && within + 1 > size[i])
            size[i] = within + 1;
    }
}

/* Whether a block's place in its cluster, and the cluster's place, agree with the block's place in the grid. */
static bool fits_cluster(const unsigned char *block, const uint32_t size[3])
{
    uint32_t within[3];
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        uint32_t place = number(block + 4 * i), cluster = number(block + 4 * (3 + i));
        within[i] = number(block + 4 * (6 + i));
        fits &= place == (uint64_t)cluster * size[i] + within[i];
    }
    return fits && number(block + 36) == within[0] + size[0] * (within[1] + size[1] * within[2]);
}

static bool find_block(struct tracez *tracez, const struct mnp_kernel *kernel, uint64_t *at, struct mnp_error *error)
{
    const unsigned char *block = tracez->index + *at;
    uint64_t where = tracez->index_at + *at;
    if (tracez->index_bytes - *at < BLOCK_BYTES)
        return wrong(tracez, where, "the index ends inside a thread block", error);
    uint32_t x = number(block), y = number(block + 4), z = number(block + 8);
    if (x >= kernel->grid[0] || y >= kernel->grid[1] || z >= kernel->grid[2])
        return wrong(tracez, where, "a thread block lies outside the grid", error);
    if (number(block + 40) != tracez->warps)
        return wrong(tracez, where + 40, "a thread block has another number of warps than its threads make", error);
    uint64_t place = x + (uint64_t)kernel->grid[0] * (y + (uint64_t)kernel->grid[1] * z);
    if (tracez->blocks[place])
        return wrong(tracez, where, "a thread block stands in the index twice", error);
    tracez->blocks[place] = *at + BLOCK_BYTES;
    *at = pass_warps(tracez, *at + BLOCK_BYTES, tracez->warps);
    return *at || wrong(tracez, where, "the index ends inside the warps of this thread block", error);
}

/* Blocks must agree in their clusters; tracers for GPUs that have none write zeros. */
static bool check_clusters(const struct tracez *tracez, struct mnp_kernel *kernel, struct mnp_error *error)
{
    uint32_t size[3] = {1, 1, 1};
    for (uint64_t i = 0; i < kernel->cta_count; i++)
        note_cluster(tracez->index + tracez->blocks[i] - BLOCK_BYTES, size);
    if (size[0] == 1 && size[1] == 1 && size[2] == 1)
        return true;
    for (uint64_t i = 0; i < kernel->cta_count; i++)
        if (!fits_cluster(tracez->index + tracez->blocks[i] - BLOCK_BYTES, size))
            return wrong(tracez, tracez->index_at + tracez->blocks[i] - BLOCK_BYTES,
                         "a thread block's place in its cluster is not that of its place in the grid", error);
    for (int i = 0; i < 3; i++)
        if (kernel->grid[i] % size[i])
            return wrong(tracez, tracez->index_at, "the grid is no multiple of its clusters", error);
    memcpy(kernel->cluster, size, sizeof kernel->cluster);
    return true;
}

bool trace_tracez_index(struct tracez *tracez, struct mnp_kernel *kernel, struct mnp_error *error)
{
    uint64_t count = number(tracez->index), at = 4;
    tracez->warps = (kernel->threads + MNP_WARP_SIZE - 1) / MNP_WARP_SIZE;
    if (count != kernel->cta_count)
        return mnp_fail_at(error, tracez->path, 0,
                           "byte %lu: the index has %lu of the %lu thread blocks of the grid; trace again",
                           (unsigned long)tracez->index_at, (unsigned long)count, (unsigned long)kernel->cta_count);
    if (count > tracez->index_bytes / BLOCK_BYTES)
        return wrong(tracez, tracez->index_at, "the index has no room for the thread blocks that it states", error);
    tracez->blocks = mnp_allocate(count, sizeof *tracez->blocks);
    for (uint64_t i = 0; i < count; i++)
        if (!find_block(tracez, kernel, &at, error))
            return false;
    if (at != tracez->index_bytes)
        return wrong(tracez, tracez->index_at + at, "the index goes on behind its last thread block", error);
    return check_clusters(tracez, kernel, error);
}

/* ===== a block ===== */

struct text {
    char *at; /* the caller's, which grows */
    size_t length, capacity;
};

static char *make_room(struct text *text, size_t bytes)
{
    if (text->capacity - text->length < bytes) {
        text->capacity = text->length + bytes + (text->length + bytes) / 8;
        text->at = mnp_reallocate(text->at, text->capacity, 1);
    }
    return text->at + text->length;
}

static uint64_t count_lines(const char *text, size_t length)
{
    uint64_t lines = 0;
    for (const char *at = text, *end = text + length; at < end; lines++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    return lines;
}

/* Decompresses a piece, whose frame of `bytes` bytes has been read, and appends it to the text with a final newline. */
static bool decompress(struct tracez *tracez, uint64_t at, size_t bytes, uint32_t lines, struct text *text,
                       struct mnp_error *error)
{
    unsigned long long size = ZSTD_getFrameContentSize(tracez->piece, bytes);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return wrong(tracez, at, "expected a frame of zstd that states its size", error);
    if (size / MOST_RATIO > bytes)
        return wrong(tracez, at, "a frame of zstd states a size that its bytes cannot hold", error);
    if (size > most_block_bytes - text->length)
        return wrong(tracez, at, "the text of a thread block is longer than 2 GiB", error);
    char *to = make_room(text, (size_t)size + 1);
    size_t got =
        ZSTD_decompress_usingDDict(tracez->context, to, (size_t)size, tracez->piece, bytes, tracez->dictionary);
    if (ZSTD_isError(got) || got != size)
        return wrong(tracez, at, ZSTD_isError(got) ? ZSTD_getErrorName(got) : "a frame of zstd is shorter than it says",
                     error);
    if (got && to[got - 1] != '\n')
        to[got++] = '\n';
    if (count_lines(to, got) != lines)
        return wrong(tracez, at, "a piece has another number of instructions than the index says", error);
    text->length += got;
    return true;
}

/* Reads a warp's pieces; `entry`: its index entry. */
static bool read_warp(struct tracez *tracez, const unsigned char *entry, struct text *text, struct mnp_error *error)
{
    unsigned char head[HEAD_BYTES];
    uint32_t pieces = number(entry + 4);
    uint64_t at = wide(entry + 8);
    if (!read_at(tracez, at, head, sizeof head, error))
        return false;
    if (at < tracez->data_at || number(head) != number(entry) || number(head + 4) != pieces)
        return wrong(tracez, at, "a warp is not what the index says of it", error);
    at += sizeof head;
    for (uint32_t i = 0; i < pieces; i++) {
        if (!read_at(tracez, at, head, 4, error))
            return false;
        uint32_t bytes = number(head);
        if (at > tracez->index_at || bytes > tracez->index_at - at)
            return wrong(tracez, at, "a piece is said to reach into the index", error);
        if (bytes > tracez->piece_room) {
            tracez->piece_room = bytes + bytes / 8;
            tracez->piece = mnp_reallocate(tracez->piece, tracez->piece_room, 1);
        }
        if (!read_at(tracez, at + 4, tracez->piece, bytes, error) ||
            !decompress(tracez, at + 4, bytes, number(entry + WARP_BYTES + 4 * i), text, error))
            return false;
        at += 4 + (uint64_t)bytes;
    }
    return true;
}

bool trace_tracez_block(struct tracez *tracez, uint64_t place, char **buffer, size_t *capacity, size_t *length,
                        struct mnp_error *error)
{
    struct text text = {.at = *buffer, .capacity = *capacity};
    uint64_t at = tracez->blocks[place];
    const unsigned char *block = tracez->index + at - BLOCK_BYTES;
    char *line = make_room(&text, LINE_ROOM);
    text.length += (size_t)snprintf(line, LINE_ROOM, "thread block = %u,%u,%u\n\n", number(block), number(block + 4),
                                    number(block + 8));
    bool good = true;
    for (uint32_t w = 0; w < tracez->warps && good; w++) {
        const unsigned char *entry = tracez->index + at;
        line = make_room(&text, LINE_ROOM);
        text.length += (size_t)snprintf(line, LINE_ROOM, "warp = %u\ninsts = %u\n", w, number(entry));
        good = read_warp(tracez, entry, &text, error);
        *make_room(&text, 1) = '\n';
        text.length++;
        at += WARP_BYTES + 4 * (uint64_t)number(entry + 4);
    }
    *buffer = text.at;
    *capacity = text.capacity;
    *length = text.length;
    return good;
}
