/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"

#include "base/arena.h"
#include "frontend/sass_trace/sass_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t fake_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Every third index is a gap in the code from 20 on. */
const char *fake_text(uint32_t index)
{
    static const char *const texts[] = {"1 R1 LDG.E 1 R2 ",    "0 STG.E.64 2 R2 R4 ",   "1 R3 IADD3 2 R3 R4 ",
                                        "1 R5 LDS 1 R6 ",      "1 R7 FFMA 3 R7 R8 R9 ", "0 RED.E.ADD 2 R2 R4 ",
                                        "0 FROB.NICATE 1 R17 "};
    if (index >= FAKE_INSTRUCTIONS || (index >= 20 && index % 3 == 0))
        return NULL;
    return index == FAKE_INSTRUCTIONS - 1 ? "0 EXIT 0 " : texts[index % 7];
}

/* ===== one CTA ===== */

static uint32_t make_mask(uint64_t *state)
{
    switch (fake_random(state) % 6) {
    case 0:
        return 0;
    case 1:
        return (uint32_t)fake_random(state);
    case 2:
        return UINT32_C(1) << fake_random(state) % 32;
    default:
        return UINT32_MAX;
    }
}

static uint64_t make_stride(uint64_t *state)
{
    static const uint64_t strides[] = {4, 0, 8, 127, 128, 0 - UINT64_C(4), 40000, UINT64_C(1) << 40};
    return fake_random(state) % 9 == 8 ? fake_random(state) : strides[fake_random(state) % 8];
}

/* Addresses of one access; returns their words. */
static uint32_t make_addresses(uint64_t *state, struct mnp_record *record, uint64_t *words)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(record->mask);
    uint64_t kind = fake_random(state) % 5, base = UINT64_C(0x7fb000000000) + fake_random(state) % 65536 * 32;
    if (lanes == 0)
        return 0;
    if (kind < 2) {
        words[0] = kind ? base : fake_random(state);
        words[1] = make_stride(state);
        return 2;
    }
    uint32_t width = (uint32_t)(fake_random(state) % 65), shift = (uint32_t)(fake_random(state) % 9);
    uint64_t at = base;
    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t number = width ? fake_random(state) >> (64 - width) << shift : 0;
        at += number;
        words[i] = kind == 2 ? base + number : kind == 3 ? at : base - number;
    }
    mnp_pack_addresses(record, words, lanes);
    return record->address_words;
}

static void make_warp(uint64_t *state, uint64_t count, struct mnp_warp_stream *stream)
{
    struct mnp_record *records = mnp_allocate(count + 1, sizeof *records);
    uint64_t *words = mnp_allocate(count * 32 + 1, sizeof *words), used = 0;
    uint32_t index = 0, mask = UINT32_MAX;
    for (uint64_t i = 0; i < count; i++) {
        if (fake_random(state) % 8 == 0)
            index = (uint32_t)(fake_random(state) % FAKE_INSTRUCTIONS);
        while (!fake_text(index))
            index = (index + 1) % FAKE_INSTRUCTIONS;
        if (fake_random(state) % 5 == 0)
            mask = make_mask(state);
        records[i] = (struct mnp_record){.mask = mask, .index = (uint16_t)index};
        if (index % 7 != 2 && index % 7 != 4 && fake_random(state) % 9)
            records[i].address_words = (uint8_t)make_addresses(state, &records[i], words + used);
        used += records[i].address_words;
        index = (index + 1) % FAKE_INSTRUCTIONS;
    }
    *stream = (struct mnp_warp_stream){.records = records, .count = count, .addresses = words};
}

void fake_cta(const struct fake *fake, uint32_t kernel, uint64_t cta, struct mnp_cta_code *code)
{
    uint64_t state = fake->seed * 1000003 + kernel * UINT64_C(7919) + cta;
    code->instructions = fake->instructions;
    code->warp_count = (fake->threads + 31) / 32;
    code->warps = mnp_allocate(code->warp_count, sizeof *code->warps);
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        uint64_t again = state;
        make_warp(&state, fake_random(&state) % (fake->most_records + 1), &code->warps[warp]);
        if (fake_random(&state) % 2) /* the next one does the same */
            state = again;
    }
    code->block[0] = (uint32_t)(cta % 7 == 3 ? 0 : cta); /* some are not where their number says */
}

void fake_release(struct mnp_cta_code *code)
{
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        free((void *)(uintptr_t)code->warps[warp].records);
        free((void *)(uintptr_t)code->warps[warp].addresses);
    }
    free(code->warps);
    *code = (struct mnp_cta_code){0};
}

/* All of a record but its place in the table of instructions, which is each reader's own. */
static bool same_record(const struct mnp_record *a, const struct mnp_record *b)
{
    return a->mask == b->mask && a->address_words == b->address_words && a->record_flags == b->record_flags;
}

bool same_cta(const struct mnp_cta_code *a, const struct mnp_cta_code *b)
{
    if (a->warp_count != b->warp_count || memcmp(a->block, b->block, sizeof a->block) != 0)
        return false;
    for (uint32_t warp = 0; warp < a->warp_count; warp++) {
        const struct mnp_warp_stream *x = &a->warps[warp], *y = &b->warps[warp];
        uint64_t words = 0;
        if (x->count != y->count)
            return false;
        for (uint64_t i = 0; i < x->count; i++) {
            if (!same_record(&x->records[i], &y->records[i]))
                return false;
            words += x->records[i].address_words;
        }
        if (words && memcmp(x->addresses, y->addresses, words * sizeof *x->addresses) != 0)
            return false;
    }
    return true;
}

/* ===== the source ===== */

static bool next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    struct fake *fake = (struct fake *)source;
    uint32_t at = fake->at++;
    (void)error;
    *command = (struct mnp_command){.kind = MNP_COMMAND_END};
    if (at < fake->copies) {
        *command = (struct mnp_command){.kind = MNP_COMMAND_COPY, .address = UINT64_MAX - at, .bytes = at};
    } else if (at < fake->copies + fake->kernels) {
        fake->kernel = (struct mnp_kernel){.id = at - fake->copies + 1,
                                           .grid = {fake->ctas, 1, 1},
                                           .block = {fake->threads, 1, 1},
                                           .cta_count = fake->ctas,
                                           .threads = fake->threads,
                                           .shared_bytes = 100 + at,
                                           .registers = 32,
                                           .architecture = 80,
                                           .stream = UINT64_MAX,
                                           .shared_base = UINT64_C(0x7f0000000000),
                                           .local_base = UINT64_C(0x7e0000000000)};
        snprintf(fake->kernel.name, sizeof fake->kernel.name, "kernel%u", at);
        memset(fake->kernel.name + 8, 'x', at % 2 ? 247 : 0); /* as long as a name may be */
        *command = (struct mnp_command){.kind = MNP_COMMAND_KERNEL, .kernel = &fake->kernel};
    }
    return true;
}

static bool load_cta(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                     struct mnp_error *error)
{
    const struct fake *fake = (struct fake *)source;
    if (cta == fake->fail_at)
        return mnp_fail(error, "this thread block is not to be had");
    fake_cta(fake, kernel->id, cta, code);
    return true;
}

static void release_cta(struct mnp_source *source, struct mnp_cta_code *code)
{
    (void)source;
    fake_release(code);
}

static void kernel_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    (void)source;
    (void)kernel;
}

static const char *instruction_text(const struct mnp_source *source, const struct mnp_kernel *kernel,
                                    const struct mnp_cta_code *code, uint32_t index, uint32_t *length)
{
    (void)source;
    (void)code;
    (void)kernel;
    const char *text = fake_text(index);
    *length = text ? (uint32_t)strlen(text) : 0;
    return text;
}

void fake_open(struct fake *fake, uint64_t seed)
{
    *fake = (struct fake){.source = {.next = next,
                                     .load_cta = load_cta,
                                     .release_cta = release_cta,
                                     .kernel_done = kernel_done,
                                     .instruction_text = instruction_text},
                          .seed = seed,
                          .kernels = 1,
                          .ctas = 8,
                          .threads = 96,
                          .most_records = 60,
                          .fail_at = UINT64_MAX};
    for (uint32_t i = 0; i < FAKE_INSTRUCTIONS; i++)
        fake->instructions[i].pc = 16 * i;
}
