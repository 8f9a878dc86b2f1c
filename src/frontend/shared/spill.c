/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies: zstd's one-call compression; XXH3 of 64 bits. */
#include "frontend/shared/spill.h"

#include "base/allocate.h"
#include "base/arena.h"
#include "base/ending.h"
#include "base/print.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* The file is written in whole blocks of the file system, so that space can be returned completely. */
enum { FILE_BLOCK = 4096, COMPRESSION_LEVEL = 1 };

struct place {                 /* location of a page in the file */
    uint64_t offset, checksum; /* offset and checksum of its bytes */
    uint64_t first_word;
    uint32_t packed, raw; /* bytes in the file, and decompressed */
};

struct spilled_warp {
    struct mnp_paged_warp paged; /* the first member */
    struct spill *spill;
    struct place *places; /* [page_count] */
    uint64_t page_count, count;
    uint64_t offset, length; /* range of all its pages in the file */
    char *memory[2];         /* memory of the page used last, and of the one before */
    size_t room[2];
};

/* ===== the file ===== */

void shared_spill_init(struct spill *spill, uint64_t bound)
{
    *spill = (struct spill){.bound = bound, .end = FILE_BLOCK};
    pthread_mutex_init(&spill->lock, NULL);
}

void shared_spill_release(struct spill *spill)
{
    if (spill->descriptor)
        close(spill->descriptor);
    ZSTD_freeCCtx(spill->compressor);
    ZSTD_freeDCtx(spill->decompressor);
    pthread_mutex_destroy(&spill->lock);
}

static bool fail_write(struct mnp_error *error, int reason)
{
    return mnp_fail_at(error, mnp_temporary_base(), 0,
                       "cannot write a temporary file for the instructions beyond --trace-memory: %s; free space "
                       "there, let TMPDIR name another folder, or raise --trace-memory",
                       strerror(reason));
}

/* Creates an unnamed file; on file systems that do not support it, a file that is unlinked immediately. */
static int make_file(void)
{
    int descriptor = open(mnp_temporary_base(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0)
        return descriptor;
    char *name;
    if (asprintf(&name, "%s/maniple-XXXXXX", mnp_temporary_base()) < 0)
        return -1;
    descriptor = mkostemp(name, O_CLOEXEC);
    int reason = errno;
    if (descriptor >= 0)
        unlink(name);
    free(name);
    errno = reason;
    return descriptor;
}

static bool open_file(struct spill *spill, struct mnp_error *error)
{
    if (atomic_load(&spill->descriptor))
        return true;
    pthread_mutex_lock(&spill->lock);
    int descriptor = spill->descriptor ? spill->descriptor : make_file(), reason = errno;
    if (descriptor >= 0)
        atomic_store(&spill->descriptor, descriptor);
    pthread_mutex_unlock(&spill->lock);
    return descriptor >= 0 || fail_write(error, reason);
}

static bool write_all(const struct spill *spill, const char *bytes, size_t length, uint64_t offset,
                      struct mnp_error *error)
{
    while (length) {
        ssize_t written = pwrite(spill->descriptor, bytes, length, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail_write(error, written ? errno : ENOSPC);
        bytes += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

/* ===== writing ===== */

struct spilled *shared_spilled_start(struct spill *spill, uint32_t warp_count)
{
    struct spilled *spilled = mnp_allocate(1, sizeof *spilled);
    *spilled = (struct spilled){
        .spill = spill, .warps = mnp_allocate(warp_count, sizeof *spilled->warps), .warp_count = warp_count};
    return spilled;
}

struct packing { /* the pages of a warp on their way to the file */
    ZSTD_CCtx *zstd;
    char *raw, *packed;
    size_t raw_room, packed_room, length;
};

static void reserve(char **memory, size_t *room, size_t bytes)
{
    if (*room >= bytes)
        return;
    *room = bytes + bytes / 2;
    *memory = mnp_reallocate(*memory, *room, 1);
}

/* Appends a page; returns its address words. */
static uint64_t pack_page(struct packing *packing, const struct mnp_record *records, uint64_t count,
                          const uint64_t *addresses, struct place *place)
{
    uint64_t words = 0;
    for (uint64_t i = 0; i < count; i++)
        words += records[i].address_words;
    size_t record_bytes = count * sizeof *records, raw = record_bytes + words * sizeof *addresses;
    reserve(&packing->raw, &packing->raw_room, raw);
    memcpy(packing->raw, records, record_bytes);
    if (words)
        memcpy(packing->raw + record_bytes, addresses, words * sizeof *addresses);
    reserve(&packing->packed, &packing->packed_room, packing->length + ZSTD_compressBound(raw));
    char *to = packing->packed + packing->length;
    size_t length = ZSTD_compressCCtx(packing->zstd, to, packing->packed_room - packing->length, packing->raw, raw,
                                      COMPRESSION_LEVEL);
    MNP_REQUIRE(!ZSTD_isError(length), "zstd: %s", ZSTD_getErrorName(length));
    place->offset = packing->length; /* relative to the warp's first page */
    place->checksum = XXH3_64bits(to, length);
    place->packed = (uint32_t)length;
    place->raw = (uint32_t)raw;
    packing->length += length;
    return words;
}

static void pack_warp(struct packing *packing, struct spilled_warp *warp, const struct mnp_warp_stream *stream)
{
    warp->count = stream->count;
    warp->page_count = (stream->count + MNP_PAGE_RECORDS - 1) / MNP_PAGE_RECORDS;
    warp->places = mnp_allocate(warp->page_count, sizeof *warp->places);
    uint64_t word = 0;
    for (uint64_t page = 0; page < warp->page_count; page++) {
        uint64_t first = page * MNP_PAGE_RECORDS, left = stream->count - first;
        warp->places[page].first_word = word;
        word += pack_page(packing, stream->records + first, left < MNP_PAGE_RECORDS ? left : MNP_PAGE_RECORDS,
                          stream->addresses + word, &warp->places[page]);
    }
}

static void fetch(struct mnp_paged_warp *paged, uint64_t number);

bool shared_spilled_add(struct spilled *spilled, uint32_t number, struct mnp_warp_stream *stream,
                        struct mnp_error *error)
{
    struct spill *spill = spilled->spill;
    struct spilled_warp *warp = &spilled->warps[number];
    if (!open_file(spill, error))
        return false;
    struct packing packing = {.zstd = atomic_exchange(&spill->compressor, NULL)};
    if (!packing.zstd)
        packing.zstd = ZSTD_createCCtx();
    MNP_NEED_MEMORY(packing.zstd, "zstd");
    pack_warp(&packing, warp, stream);
    ZSTD_freeCCtx(atomic_exchange(&spill->compressor, packing.zstd));
    warp->spill = spill;
    warp->length = (packing.length + FILE_BLOCK - 1) / FILE_BLOCK * FILE_BLOCK;
    warp->offset = atomic_fetch_add(&spill->end, warp->length);
    warp->paged =
        (struct mnp_paged_warp){.last = {.number = UINT64_MAX}, .before = {.number = UINT64_MAX}, .fetch = fetch};
    bool good = write_all(spill, packing.packed, packing.length, warp->offset, error);
    free(packing.raw);
    free(packing.packed);
    *stream = (struct mnp_warp_stream){.count = stream->count, .paged = &warp->paged};
    return good;
}

void shared_spilled_free(struct spilled *spilled)
{
    for (uint32_t i = 0; i < spilled->warp_count; i++) {
        struct spilled_warp *warp = &spilled->warps[i];
        if (warp->length) /* a file system that cannot do this keeps the room until the end */
            fallocate(spilled->spill->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)warp->offset,
                      (off_t)warp->length);
        spill_go(spilled->spill, warp->room[0] + warp->room[1]);
        free(warp->memory[0]);
        free(warp->memory[1]);
        free(warp->places);
    }
    free(spilled->warps);
    free(spilled);
}

/* ===== reading ===== */

/* Ends the program, because the simulation cannot continue without the spilled data, as if memory were exhausted. */
static _Noreturn void lost(const char *reason)
{
    mnp_print_text(
        stderr,
        "maniple: %s: the temporary file for the instructions beyond --trace-memory cannot be read back: %s; check "
        "the disk, let TMPDIR name another folder, or raise --trace-memory\n",
        mnp_temporary_base(), reason);
    mnp_end_inside(MNP_EXIT_USER);
}

static void read_all(const struct spill *spill, char *bytes, size_t length, uint64_t offset)
{
    while (length) {
        ssize_t got = pread(spill->descriptor, bytes, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            lost(got ? strerror(errno) : "it is too short");
        bytes += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
}

static void read_page(struct spill *spill, const struct place *place, uint64_t offset, char *raw)
{
    char brief[1 << 13], *packed = place->packed <= sizeof brief ? brief : mnp_allocate(place->packed, 1);
    read_all(spill, packed, place->packed, offset + place->offset);
    if (XXH3_64bits(packed, place->packed) != place->checksum)
        lost("it was changed");
    ZSTD_DCtx *zstd = atomic_exchange(&spill->decompressor, NULL);
    if (!zstd)
        zstd = ZSTD_createDCtx();
    MNP_NEED_MEMORY(zstd, "zstd");
    if (ZSTD_decompressDCtx(zstd, raw, place->raw, packed, place->packed) != place->raw)
        lost("it was changed");
    ZSTD_freeDCtx(atomic_exchange(&spill->decompressor, zstd));
    if (packed != brief)
        free(packed);
}

static void fetch(struct mnp_paged_warp *paged, uint64_t number)
{
    struct spilled_warp *warp = (struct spilled_warp *)paged;
    MNP_REQUIRE(number < warp->page_count, "an instruction beyond the end of its warp");
    const struct place *place = &warp->places[number];
    char *memory = warp->memory[1];
    size_t room = warp->room[1];
    warp->memory[1] = warp->memory[0];
    warp->room[1] = warp->room[0];
    paged->before = paged->last;
    if (room < place->raw || room > 4 * (size_t)place->raw) {
        free(memory);
        memory = mnp_reallocate(NULL, place->raw, 1);
        spill_come(warp->spill, place->raw);
        spill_go(warp->spill, room);
        room = place->raw;
    }
    warp->memory[0] = memory;
    warp->room[0] = room;
    read_page(warp->spill, place, warp->offset, memory);
    uint64_t first = number * MNP_PAGE_RECORDS, left = warp->count - first;
    uint64_t records = left < MNP_PAGE_RECORDS ? left : MNP_PAGE_RECORDS;
    paged->last =
        (struct mnp_record_page){.number = number,
                                 .first_word = place->first_word,
                                 .records = (const struct mnp_record *)memory,
                                 .addresses = (const uint64_t *)(memory + records * sizeof(struct mnp_record))};
}
