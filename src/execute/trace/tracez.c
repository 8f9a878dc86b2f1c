/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/trace/tracez.h"

#include "base/allocate.h"
#include "base/arena.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE_LINES = 2048, LEVEL = 3 };

struct entry { /* an index entry: a block's part of the file */
    uint64_t number;
    size_t at, bytes;
};

struct execute_tracez {
    FILE *out;
    ZSTD_CCtx *context;
    struct entry *entries;
    size_t count;
    FILE *index; /* in the order in which the blocks ended */
    char *text;
    size_t length;
    char *piece;
    size_t room;
};

static void put(FILE *out, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(number >> 8 * i & 0xff), out);
}

struct execute_tracez *execute_tracez_open(FILE *out)
{
    struct execute_tracez *tracez = mnp_allocate(1, sizeof *tracez);
    tracez->out = out;
    tracez->context = ZSTD_createCCtx();
    tracez->index = open_memstream(&tracez->text, &tracez->length);
    MNP_NEED_MEMORY(tracez->context && tracez->index, "a trace");
    ZSTD_CCtx_setParameter(tracez->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(tracez->context, ZSTD_c_checksumFlag, 1); /* a frame that is damaged is refused */
    fputc(0, out);
    put(out, 0, 4); /* no dictionary */
    put(out, PIECE_LINES, 4);
    return tracez;
}

static void end_entry(struct execute_tracez *tracez)
{
    struct entry *last = tracez->count ? &tracez->entries[tracez->count - 1] : NULL;
    fflush(tracez->index);
    if (last)
        last->bytes = tracez->length - last->at;
}

void execute_tracez_block(struct execute_tracez *tracez, const struct execute_tracez_block *block)
{
    end_entry(tracez);
    if ((tracez->count & (tracez->count - 1)) == 0)
        tracez->entries =
            mnp_reallocate(tracez->entries, tracez->count ? 2 * tracez->count : 1, sizeof *tracez->entries);
    tracez->entries[tracez->count++] = (struct entry){.number = block->number, .at = tracez->length};
    const uint32_t *triples[] = {block->place, block->cluster, block->within};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 3; i++)
            put(tracez->index, triples[t][i], 4);
    put(tracez->index, block->rank, 4);
    put(tracez->index, block->warps, 4);
}

/* Returns the end of the first `lines` lines. */
static const char *behind(const char *text, const char *end, uint64_t lines)
{
    for (; lines && text < end; lines--)
        text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    return text;
}

/* A piece's last line ends with it. */
static void write_piece(struct execute_tracez *tracez, const char *text, size_t length)
{
    size_t bound = ZSTD_compressBound(length);
    if (bound > tracez->room) {
        tracez->room = bound;
        tracez->piece = mnp_reallocate(tracez->piece, bound, 1);
    }
    size_t bytes = ZSTD_compress2(tracez->context, tracez->piece, tracez->room, text, length);
    MNP_REQUIRE(!ZSTD_isError(bytes), "zstd: %s", ZSTD_getErrorName(bytes));
    put(tracez->out, bytes, 4);
    fwrite(tracez->piece, 1, bytes, tracez->out);
}

void execute_tracez_warp(struct execute_tracez *tracez, const char *text, size_t length, uint64_t lines)
{
    uint64_t pieces = (lines + PIECE_LINES - 1) / PIECE_LINES;
    put(tracez->index, lines, 4);
    put(tracez->index, pieces, 4);
    put(tracez->index, (uint64_t)ftello(tracez->out), 8);
    put(tracez->out, lines, 4);
    put(tracez->out, pieces, 4);
    for (const char *at = text, *end = text + length; lines;) {
        uint64_t some = lines < PIECE_LINES ? lines : PIECE_LINES;
        const char *next = behind(at, end, some);
        write_piece(tracez, at, (size_t)(next - at) - 1);
        put(tracez->index, some, 4);
        lines -= some;
        at = next;
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const struct entry *)a)->number, y = ((const struct entry *)b)->number;
    return (x > y) - (x < y);
}

void execute_tracez_close(struct execute_tracez *tracez)
{
    end_entry(tracez);
    qsort(tracez->entries, tracez->count, sizeof *tracez->entries, by_number);
    uint64_t at = (uint64_t)ftello(tracez->out);
    put(tracez->out, tracez->count, 4);
    for (size_t i = 0; i < tracez->count; i++)
        fwrite(tracez->text + tracez->entries[i].at, 1, tracez->entries[i].bytes, tracez->out);
    put(tracez->out, at, 8);
    ZSTD_freeCCtx(tracez->context);
    fclose(tracez->index);
    free(tracez->text);
    free(tracez->entries);
    free(tracez->piece);
    free(tracez);
}
