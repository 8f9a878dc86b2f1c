/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/cuda/fatbin.h"

#include "base/arena.h"
#include "frontend/cuda/lz4.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static uint64_t number_at(const unsigned char *at, unsigned bytes) /* little-endian, of any alignment */
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static bool damaged(const struct cuda_fatbin *fatbin, uint64_t offset, const char *what, struct mnp_error *error)
{
    return mnp_fail(error, "%s: fat binary, byte %" PRIu64 ": %s; build the program again", fatbin->name, offset, what);
}

uint64_t fatbin_bytes(const unsigned char *image)
{
    if (number_at(image, 4) != CUDA_CONTAINER_MAGIC)
        return 0;
    uint64_t bytes = number_at(image + 6, 2) + number_at(image + 8, 8);
    return bytes < CUDA_CONTAINER_HEADER ? 0 : bytes;
}

bool fatbin_open(struct cuda_fatbin *fatbin, const char *name, const unsigned char *image, uint64_t bytes,
                 struct mnp_error *error)
{
    *fatbin = (struct cuda_fatbin){name, image, bytes, 0};
    if (bytes < CUDA_CONTAINER_HEADER)
        return damaged(fatbin, 0, "it ends inside its header", error);
    if (number_at(image, 4) != CUDA_CONTAINER_MAGIC)
        return damaged(fatbin, 0, "this is no fat binary (its first word should be 0xba55ed50)", error);
    if (number_at(image + 4, 2) != 1)
        return damaged(fatbin, 4, "its format has another version than 1, the one of CUDA 10 to 13", error);
    uint64_t header = number_at(image + 6, 2), content = number_at(image + 8, 8);
    if (header < CUDA_CONTAINER_HEADER || header > bytes || content > bytes - header)
        return damaged(fatbin, 8, "its entries do not fit its size", error);
    fatbin->bytes = header + content;
    fatbin->at = header;
    return true;
}

bool fatbin_next(struct cuda_fatbin *fatbin, struct cuda_entry *entry, struct mnp_error *error)
{
    uint64_t left = fatbin->bytes - fatbin->at;
    const unsigned char *head = fatbin->image + fatbin->at;
    if (left == 0)
        return false;
    if (left < CUDA_ENTRY_HEADER)
        return damaged(fatbin, fatbin->at, "an entry ends inside its header", error);
    uint64_t header = number_at(head + 4, 4), payload = number_at(head + 8, 8);
    if (header < CUDA_ENTRY_HEADER || header > left || payload > left - header)
        return damaged(fatbin, fatbin->at, "an entry is longer than the fat binary", error);
    *entry = (struct cuda_entry){.kind = (uint16_t)number_at(head, 2),
                                 .architecture = (uint32_t)number_at(head + 28, 4),
                                 .flags = number_at(head + 40, 8),
                                 .offset = fatbin->at,
                                 .data = head + header,
                                 .bytes = payload};
    if (entry->flags & (CUDA_FLAG_LZ4 | CUDA_FLAG_ZSTD)) {
        uint64_t compressed = number_at(head + 16, 4); /* the payload is padded behind it */
        entry->text_bytes = number_at(head + 56, 8);
        if (compressed > payload)
            return damaged(fatbin, fatbin->at, "an entry's compressed content is longer than the entry", error);
        entry->bytes = compressed;
        if (entry->text_bytes == 0)
            return damaged(fatbin, fatbin->at, "an entry's compressed content has no length", error);
    }
    fatbin->at += header + payload;
    return true;
}

static bool decompress(const struct cuda_entry *entry, unsigned char *content)
{
    if (entry->flags & CUDA_FLAG_LZ4)
        return fatbin_lz4_decompress(entry->data, entry->bytes, content, entry->text_bytes);
    return ZSTD_decompress(content, entry->text_bytes, entry->data, entry->bytes) == entry->text_bytes;
}

unsigned char *fatbin_content(const struct cuda_fatbin *fatbin, const struct cuda_entry *entry, size_t *length,
                              struct mnp_error *error)
{
    uint64_t bytes = entry->text_bytes ? entry->text_bytes : entry->bytes;
    /* LZ4 makes at most 255 bytes from one; zstd states the size of a frame itself, which its reader checks. */
    bool impossible = entry->flags & CUDA_FLAG_LZ4 && bytes / 256 > entry->bytes;
    if (bytes > CUDA_MAX_PTX || impossible ||
        (entry->flags & CUDA_FLAG_ZSTD && ZSTD_getFrameContentSize(entry->data, entry->bytes) != bytes)) {
        damaged(fatbin, entry->offset, "an entry states an impossible length of its content", error);
        return NULL;
    }
    unsigned char *content = mnp_allocate(bytes + 1, 1);
    if (!entry->text_bytes)
        memcpy(content, entry->data, bytes);
    else if (!decompress(entry, content)) {
        damaged(fatbin, entry->offset, "an entry cannot be decompressed", error);
        free(content);
        return NULL;
    }
    *length = bytes;
    return content;
}

char *fatbin_entry_text(const struct cuda_fatbin *fatbin, const struct cuda_entry *entry, size_t *length,
                        struct mnp_error *error)
{
    char *text = (char *)fatbin_content(fatbin, entry, length, error);
    if (text)
        *length = strnlen(text, *length); /* plain text is padded with zeros */
    return text;
}

bool fatbin_runs_on(const struct cuda_entry *entry, uint32_t architecture)
{
    bool own = entry->flags & CUDA_FLAG_OWN, family = entry->flags & CUDA_FLAG_FAMILY;
    bool close = family || entry->kind == CUDA_ENTRY_MACHINE_CODE;
    return entry->architecture <= architecture && (!own || entry->architecture == architecture) &&
           (!close || entry->architecture / 10 == architecture / 10);
}

uint32_t fatbin_rank(const struct cuda_entry *entry)
{
    unsigned special = entry->flags & CUDA_FLAG_OWN ? 2 : entry->flags & CUDA_FLAG_FAMILY ? 1 : 0;
    return entry->architecture < UINT32_MAX / 4 ? 4 * entry->architecture + special : 0;
}

/* Code for one architecture or family only is also marked in its text, in case no flag of the entry says so. */
static bool runs_on(const char *text, uint32_t code, uint32_t machine)
{
    const char *target = strstr(text, "\n.target");
    target = target ? strstr(target, "sm_") : NULL;
    if (!target)
        return true;
    const char *suffix = target + 3 + strspn(target + 3, "0123456789");
    return *suffix == 'a' ? code == machine : *suffix == 'f' ? code / 10 == machine / 10 : true;
}

/* Finds the highest-ranking PTX entry for a machine that ranks below `below`; returns false if there is none, or on
 * damage. */
static bool best_below(const struct cuda_fatbin *fatbin, uint32_t architecture, uint32_t below, struct cuda_entry *best,
                       struct mnp_error *error)
{
    struct cuda_fatbin reader = *fatbin;
    struct cuda_entry entry;
    bool found = false;
    while (fatbin_next(&reader, &entry, error)) {
        if (entry.kind != CUDA_ENTRY_PTX || !fatbin_runs_on(&entry, architecture) || fatbin_rank(&entry) >= below ||
            (found && fatbin_rank(&entry) <= fatbin_rank(best)))
            continue;
        *best = entry;
        found = true;
    }
    return found && !error->text[0];
}

/* Suggests a remedy, depending on whether the container has code of this, a newer or an older architecture. */
static const char *other_remedy(const struct cuda_fatbin *fatbin, uint32_t architecture)
{
    struct cuda_fatbin reader = *fatbin;
    struct cuda_entry entry;
    struct mnp_error ignored = {{0}};
    bool newer = false, older = false, own = false;
    while (fatbin_next(&reader, &entry, &ignored)) {
        newer |= entry.architecture > architecture;
        own |= entry.kind == CUDA_ENTRY_MACHINE_CODE && fatbin_runs_on(&entry, architecture);
        older |= entry.architecture < architecture;
    }
    return own     ? ", or use --code auto"
           : newer ? ", or simulate a newer machine"
           : older ? ", or simulate an older machine"
                   : "";
}

/* Reports the code that the container has instead, as an error. */
static void describe_missing(const struct cuda_fatbin *fatbin, uint32_t architecture, struct mnp_error *error)
{
    struct cuda_fatbin reader = *fatbin;
    struct cuda_entry entry;
    char held[400] = "";
    size_t used = 0;
    while (fatbin_next(&reader, &entry, error) && used < sizeof held - 32)
        used += (size_t)snprintf(held + used, sizeof held - used, "%s%s of %u", used ? ", " : "",
                                 entry.kind == CUDA_ENTRY_PTX ? "PTX" : "machine code", entry.architecture);
    mnp_fail(error,
             "%s: its fat binary has no PTX for sm_%u or below (it holds: %s); build the program with nvcc -gencode "
             "arch=compute_%u,code=compute_%u%s%s",
             fatbin->name, architecture, held[0] ? held : "nothing", architecture, architecture,
             architecture >= 50 && architecture < 75 ? " (of CUDA 12: that of CUDA 13 begins at 75)" : "",
             other_remedy(fatbin, architecture));
}

enum cuda_choice fatbin_choose(const char *name, const unsigned char *image, uint64_t bytes, uint32_t architecture,
                               char **text, size_t *length, struct mnp_error *error)
{
    struct cuda_fatbin fatbin;
    struct cuda_entry best;
    uint32_t below = UINT32_MAX;
    *text = NULL;
    if (!fatbin_open(&fatbin, name, image, bytes, error))
        return CUDA_DAMAGED;
    while (best_below(&fatbin, architecture, below, &best, error)) {
        *text = fatbin_entry_text(&fatbin, &best, length, error);
        if (!*text)
            return CUDA_DAMAGED;
        if (runs_on(*text, best.architecture, architecture))
            return CUDA_CHOSEN;
        free(*text);
        *text = NULL;
        below = fatbin_rank(&best);
    }
    if (error->text[0])
        return CUDA_DAMAGED;
    describe_missing(&fatbin, architecture, error);
    return CUDA_NO_CODE;
}
