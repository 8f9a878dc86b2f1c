/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a kernel's trace, from its header to the records of its blocks, plain or compressed. */
#include "memory_file.h"

#include "base/arena.h"
#include "frontend/sass_trace/parse.h"

#include <stdlib.h>

enum { MOST_BLOCKS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every address once, so that a sanitizer sees those that lie outside. */
static void read_records(const struct mnp_cta_code *code)
{
    uint64_t sum = 0;
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const uint64_t *words = code->warps[warp].addresses;
        for (uint64_t i = 0; i < code->warps[warp].count; i++) {
            const struct mnp_record *record = &code->warps[warp].records[i];
            uint64_t addresses[MNP_WARP_SIZE];
            uint32_t count = mnp_expand_addresses(record, words, addresses);
            words += record->address_words;
            for (uint32_t lane = 0; lane < count; lane++)
                sum += addresses[lane];
            sum += code->instructions[record->index].pc;
        }
    }
    __asm__ volatile("" : : "r"(sum)); /* keeps the reads from being optimised away */
}

static bool read_block(struct kernel_file *file, uint64_t cta, struct mnp_error *error)
{
    struct cta_text *text = kernel_file_take(file, cta, error);
    if (!text)
        return false;
    struct cta_buffers *buffers = mnp_allocate(1, sizeof *buffers);
    struct mnp_cta_code code = {0};
    bool good = parse_cta(file, text, buffers, &code, error);
    if (good)
        read_records(&code);
    cta_buffers_free(buffers);
    kernel_file_give_back(file, text);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file memory;
    struct mnp_error error = {{0}};
    memory_file_open(&memory, data, size);
    struct kernel_file *file = kernel_file_open(memory.path, 1, size & 1, &error);
    bool good = file != NULL;
    for (uint64_t cta = 0; good && cta < file->kernel.cta_count && cta < MOST_BLOCKS; cta++)
        good = read_block(file, cta, &error);
    if (file)
        kernel_file_close(file);
    if (good != (error.text[0] == 0))
        abort(); /* a failure without a message, or the other way round */
    memory_file_close(&memory);
    return 0;
}
