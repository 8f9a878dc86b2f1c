/* SPDX-License-Identifier: BSD-3-Clause */
/* What fuzz targets do with a kernel's trace: it is read to its end, whole and paged, and every address looked at. */
#ifndef FUZZ_KERNEL_FILE_H
#define FUZZ_KERNEL_FILE_H

#include "base/arena.h"
#include "frontend/sass_trace/parse.h"

#include <stdlib.h>

enum { MOST_BLOCKS = 64 };

struct sums {
    uint64_t sum;
    uint64_t records;
};

/* Reads every address once, so that a sanitizer sees those that lie outside. */
static inline struct sums read_records(const struct mnp_cta_code *code)
{
    struct sums sums = {0};
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const struct mnp_warp_stream *stream = &code->warps[warp];
        uint64_t word = 0;
        for (uint64_t i = 0; i < stream->count; i++) {
            const struct mnp_record *record =
                stream->records ? &stream->records[i] : mnp_paged_record(stream->paged, i);
            const uint64_t *words =
                stream->records ? stream->addresses + word : mnp_paged_words(stream->paged, i, word);
            uint64_t addresses[MNP_WARP_SIZE];
            uint32_t count = mnp_expand_addresses(record, words, addresses);
            word += record->address_words;
            for (uint32_t lane = 0; lane < count; lane++)
                sums.sum = sums.sum * 31 + addresses[lane];
            sums.sum = sums.sum * 31 + code->instructions[record->index].pc + record->mask;
        }
        sums.records += stream->count;
    }
    return sums;
}

/* Parses a text under a bound of memory; 0: none. */
static inline bool parse_text(struct kernel_file *file, const struct cta_text *text, uint64_t bound, struct sums *sums,
                              struct mnp_error *error)
{
    struct cta_buffers *buffers = mnp_allocate(1, sizeof *buffers);
    struct mnp_cta_code code = {0};
    struct spill spill;
    struct parse_means means = {.spill = &spill, .memo = trace_memo_new()};
    shared_spill_init(&spill, bound);
    bool good = trace_parse_cta(file, text, buffers, &means, &code, error);
    if (good)
        *sums = read_records(&code);
    if (good && file->places) { /* the place may be read again */
        const uint32_t *grid = file->kernel.grid;
        uint64_t place = ((uint64_t)code.block[2] * grid[1] + code.block[1]) * grid[0] + code.block[0];
        file->places[place / 64] &= ~(UINT64_C(1) << place % 64);
    }
    trace_cta_buffers_free(buffers);
    trace_memo_free(means.memo);
    shared_spill_release(&spill);
    return good;
}

static inline bool read_block(struct kernel_file *file, uint64_t cta, bool paged, struct mnp_error *error)
{
    struct cta_text *text = trace_kernel_file_take(file, cta, error);
    if (!text)
        return false;
    struct sums whole, pages;
    bool good = parse_text(file, text, 0, &whole, error);
    if (good && paged &&
        (!parse_text(file, text, 1, &pages, error) || whole.sum != pages.sum || whole.records != pages.records))
        abort(); /* what is paged is not what lies in memory */
    trace_kernel_file_give_back(file, text);
    return good;
}

/* Reads the blocks of a trace under a path; a failure has a message, and nothing else has. */
static inline void read_kernel_file(const char *path, bool keep, bool paged)
{
    struct mnp_error error = {{0}};
    struct kernel_file *file = trace_kernel_file_open(path, 1, keep, &error);
    bool good = file != NULL;
    for (uint64_t cta = 0; good && cta < file->kernel.cta_count && cta < MOST_BLOCKS; cta++)
        good = read_block(file, cta, paged, &error);
    if (file)
        trace_kernel_file_close(file);
    if (good != (error.text[0] == 0))
        abort(); /* a failure without a message, or the other way round */
}

#endif
