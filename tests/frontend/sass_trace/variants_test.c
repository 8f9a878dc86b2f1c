/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several instructions at one PC, in one thread block and in different ones: what a block delivers is its own text, the
 * same whichever block is loaded first, and the same as when the trace has no other block.
 */
#include "folder.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

enum { BLOCKS = 60, KINDS = 6, LOADERS = 4, ROUNDS = 40, MOST_LINES = 65537 };

#define FIRST      "0000 ffffffff 1 R1 MOV 0 0 0 \n0010 ffffffff 1 R4 FADD 2 R2 R3 0 0 \n0020 ffffffff 0 EXIT 0 0 0 \n"
#define SECOND     "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 \n0010 ffffffff 1 R4 FMUL 2 R2 R3 0 0 \n" EXIT_AT_20
#define EXIT_AT_20 "0020 ffffffff 0 EXIT 0 0 0 \n"
#define THIRD      "0000 ffffffff 0 STG.E 2 R2 R4 4 1 0x1000 4 0 \n0010 0000ffff 1 R4 FADD 2 R2 R3 0 0 \n"
#define ODD        "0038 ffffffff 1 R1 MOV 0 0 0 \n100000 ffffffff 1 R4 FMUL 2 R2 R3 0 0 \nffff0000 1 0 BRA 0 0 0 \n"
/* Where the index of a variant would be, and the same text at a PC nearby. */
#define HIGH "ffff0 ffffffff 1 R4 FMUL 2 R2 R3 0 0 \nfffe0 ffffffff 1 R4 FADD 2 R2 R3 0 0 \n"

static const struct kind {
    const char *lines;
    const char *count;
} kinds[KINDS] = {{FIRST, "3"},          {SECOND, "3"}, {FIRST SECOND THIRD FIRST HIGH, "13"},
                  {ODD EXIT_AT_20, "4"}, {"", "0"},     {HIGH THIRD SECOND, "7"}};

static size_t add_block(char *text, size_t room, int place, const struct kind *kind)
{
    return (size_t)snprintf(text, room, "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %s\n%s\n#END_TB\n\n",
                            place, kind->count, kind->lines);
}

/* Writes a trace of blocks of all kinds in turn, or of one block of one kind. */
static const char *write_blocks(const struct folder *folder, int count, int first)
{
    static char text[1 << 16];
    size_t length = (size_t)snprintf(text, sizeof text, HEADER_OF("(%d,1,1)", "(32,1,1)", "5"), count);
    for (int i = 0; i < count; i++)
        length += add_block(text + length, sizeof text - length, i, &kinds[(first + i) % KINDS]);
    assert_true(length < sizeof text);
    return folder_write_kernel(folder, text);
}

/* ===== what a block delivers ===== */

static uint64_t digest_of(struct mnp_source *source, const struct mnp_kernel *kernel, const struct mnp_cta_code *code)
{
    uint64_t digest = code->warp_count;
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const uint64_t *words = code->warps[warp].addresses;
        for (uint64_t i = 0; i < code->warps[warp].count; i++) {
            const struct mnp_record *record = &code->warps[warp].records[i];
            uint32_t length;
            const char *text = source->instruction_text(source, kernel, code, record->index, &length);
            assert_non_null(text);
            digest = XXH3_64bits_withSeed(record, sizeof *record, digest);
            digest = XXH3_64bits_withSeed(&code->instructions[record->index], sizeof *code->instructions, digest);
            digest = XXH3_64bits_withSeed(words, record->address_words * sizeof *words, digest);
            digest = XXH3_64bits_withSeed(text, length, digest);
            words += record->address_words;
        }
    }
    return digest;
}

static struct mnp_source *open_first(const char *list, struct mnp_kernel **kernel)
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = false};
    struct mnp_error error = {{0}};
    struct mnp_command command;
    struct mnp_source *source = trace_open(list, &options, &error);
    if (!source || !source->next(source, &command, &error))
        fail_msg("%s", error.text);
    *kernel = command.kernel;
    return source;
}

static uint64_t load(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta)
{
    struct mnp_cta_code code = {0};
    struct mnp_error error = {{0}};
    uint64_t digest = 0;
    if (source->load_cta(source, kernel, cta, &code, &error))
        digest = digest_of(source, kernel, &code);
    source->release_cta(source, &code);
    return digest;
}

/* The digest of a block of each kind when no other block is there. */
static void load_alone(const struct folder *folder, uint64_t digests[static KINDS])
{
    for (int i = 0; i < KINDS; i++) {
        struct mnp_kernel *kernel;
        struct mnp_source *source = open_first(write_blocks(folder, 1, i), &kernel);
        digests[i] = load(source, kernel, 0);
        source->close(source);
        assert_int_not_equal(digests[i], 0);
        for (int other = 0; other < i; other++)
            assert_int_not_equal(digests[i], digests[other]);
    }
}

/* ===== orders ===== */

static void shuffle(uint64_t *seed, uint64_t order[static BLOCKS])
{
    for (uint64_t i = 0; i < BLOCKS; i++)
        order[i] = i;
    for (uint64_t i = BLOCKS; i > 1; i--) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t other = (*seed >> 33) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

struct shared_load {
    struct mnp_source *source;
    struct mnp_kernel *kernel;
    uint64_t order[BLOCKS], digests[BLOCKS];
    _Atomic uint64_t next;
};

static void *load_some(void *context)
{
    struct shared_load *shared = context;
    for (uint64_t i; (i = shared->next++) < BLOCKS;)
        shared->digests[shared->order[i]] = load(shared->source, shared->kernel, shared->order[i]);
    return NULL;
}

static void test_orders(void **state)
{
    (void)state;
    struct folder folder;
    uint64_t alone[KINDS], seed = 1;
    folder_make(&folder);
    load_alone(&folder, alone);
    const char *list = write_blocks(&folder, BLOCKS, 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct shared_load shared = {.next = 0};
        pthread_t threads[LOADERS];
        int count = round % 2 ? LOADERS : 1;
        shared.source = open_first(list, &shared.kernel);
        shuffle(&seed, shared.order);
        for (int i = 1; i < count; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, load_some, &shared), 0);
        load_some(&shared);
        for (int i = 1; i < count; i++)
            pthread_join(threads[i], NULL);
        shared.source->close(shared.source);
        for (int i = 0; i < BLOCKS; i++)
            assert_int_equal(shared.digests[i], alone[i % KINDS]);
    }
    folder_remove(&folder);
}

/* Two blocks in use at a time have tables of their own. */
static void test_together(void **state)
{
    (void)state;
    struct folder folder;
    struct mnp_error error = {{0}};
    struct mnp_cta_code codes[KINDS] = {{0}};
    struct mnp_kernel *kernel;
    uint64_t alone[KINDS];
    folder_make(&folder);
    load_alone(&folder, alone);
    struct mnp_source *source = open_first(write_blocks(&folder, BLOCKS, 0), &kernel);
    for (int i = 0; i < KINDS; i++)
        assert_true(source->load_cta(source, kernel, (uint64_t)i, &codes[i], &error));
    for (int i = 0; i < KINDS; i++)
        assert_int_equal(digest_of(source, kernel, &codes[i]), alone[i]);
    for (int i = 0; i < KINDS; i++)
        source->release_cta(source, &codes[i]);
    source->close(source);
    folder_remove(&folder);
}

/* ===== indices ===== */

static void test_indices(void **state)
{
    (void)state;
    static const struct {
        uint32_t index, pc;
        const char *opcode;
    } expected[] = {{0, 0, "MOV"},           {1, 16, "FADD"}, {2, 32, "EXIT"},   {65535, 0, "LDG"},
                    {65534, 16, "FMUL"},     {2, 32, "EXIT"}, {65533, 0, "STG"}, {1, 16, "FADD"},
                    {0, 0, "MOV"},           {1, 16, "FADD"}, {2, 32, "EXIT"},   {65532, 0xffff0, "FMUL"},
                    {65531, 0xfffe0, "FADD"}};
    struct folder folder;
    struct mnp_error error = {{0}};
    struct mnp_cta_code code = {0};
    struct mnp_kernel *kernel;
    folder_make(&folder);
    struct mnp_source *source = open_first(write_blocks(&folder, 1, 2), &kernel);
    assert_true(source->load_cta(source, kernel, 0, &code, &error));
    assert_int_equal(code.warps[0].count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t index = code.warps[0].records[i].index;
        assert_int_equal(index, expected[i].index);
        assert_int_equal(code.instructions[index].pc, expected[i].pc);
        assert_string_equal(source->opcode_name(source, code.instructions[index].opcode), expected[i].opcode);
    }
    source->release_cta(source, &code);
    source->close(source);
    folder_remove(&folder);
}

/* Writes a block of so many different instructions, none of which has a place of its own. */
static const char *write_many(const struct folder *folder, uint32_t count)
{
    size_t room = 64 * (size_t)MOST_LINES + 4096;
    char *text = malloc(room);
    assert_non_null(text);
    size_t length = (size_t)snprintf(
        text, room, HEADER "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %" PRIu32 "\n", count);
    for (uint32_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, room - length, "%x 1 0 EXIT 0 0 0 \n", 16 * i + 8);
    snprintf(text + length, room - length, "\n#END_TB\n\n");
    const char *list = folder_write_kernel(folder, text);
    free(text);
    return list;
}

static void test_limit(void **state)
{
    (void)state;
    struct folder folder;
    struct totals totals;
    struct mnp_error error = {{0}};
    folder_make(&folder);
    if (!read_trace(write_many(&folder, 65535), false, &totals, &error))
        fail_msg("%s", error.text);
    assert_int_equal(totals.records, 65535);
    assert_false(read_trace(write_many(&folder, 65536), false, &totals, &error));
    assert_non_null(
        strstr(error.text, "kernel-1.traceg:65556: over 65,535 different instructions in one thread block"));
    folder_remove(&folder);
}

/* A damaged block is told of at the same place, whatever was loaded before; opcodes are counted once. */
static void test_errors(void **state)
{
    (void)state;
    static const char text[] = HEADER_OF("(2,1,1)", "(32,1,1)", "5") BLOCK("0,0,0", WARP("0", "3", FIRST))
        BLOCK("1,0,0", WARP("0", "4", SECOND "0030 1 0 NOSUCH 0 0 0 \n"));
    struct folder folder;
    struct totals totals;
    folder_make(&folder);
    const char *list = folder_write_kernel(&folder, text);
    for (uint64_t first = 0; first < 2; first++) {
        struct mnp_kernel *kernel;
        struct mnp_error error = {{0}};
        struct mnp_cta_code code = {0};
        struct mnp_source *source = open_first(list, &kernel);
        if (first == 0)
            assert_int_not_equal(load(source, kernel, 0), 0);
        assert_false(source->load_cta(source, kernel, 1, &code, &error));
        assert_non_null(strstr(error.text, "kernel-1.traceg:36: opcode NOSUCH is not known"));
        source->close(source);
    }
    struct mnp_error error = {{0}};
    assert_true(read_trace(list, true, &totals, &error));
    assert_int_equal(totals.unknown, 1);
    folder_remove(&folder);
}

/* Nothing is executed at all: the streams are empty and point to something. */
static void test_empty(void **state)
{
    (void)state;
    struct folder folder;
    struct mnp_error error = {{0}};
    struct mnp_cta_code code = {0};
    struct mnp_kernel *kernel;
    folder_make(&folder);
    struct mnp_source *source =
        open_first(folder_write_kernel(&folder, HEADER_OF("(1,1,1)", "(64,1,1)", "5")
                                                    BLOCK("0,0,0", WARP("0", "0", "") WARP("1", "0", ""))),
                   &kernel);
    assert_true(source->load_cta(source, kernel, 0, &code, &error));
    assert_int_equal(code.warp_count, 2);
    for (uint32_t warp = 0; warp < 2; warp++) {
        assert_int_equal(code.warps[warp].count, 0);
        assert_non_null(code.warps[warp].records);
        assert_non_null(code.warps[warp].addresses);
    }
    source->release_cta(source, &code);
    source->close(source);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),  cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_indices), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_errors),  cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
