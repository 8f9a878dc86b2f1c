/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in all their forms, and what differs between the versions of the tracer. */
#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *mask, *memory; /* of an LDG.E */
    uint32_t count, words;
    bool list;
    uint64_t addresses[8]; /* the first of them */
} cases[] = {
    {"ffffffff", "4 1 0x1000 4", 32, 2, false, {0x1000, 0x1004, 0x1008, 0x100c}},
    {"ffffffff", "4 1 0x7fb0fc430e00 0", 32, 2, false, {0x7fb0fc430e00, 0x7fb0fc430e00, 0x7fb0fc430e00}},
    {"ffffffff", "4 1 0x1000 -8", 32, 2, false, {0x1000, 0xff8, 0xff0}},
    {"000000f0", "4 1 0x1000 4", 4, 2, false, {0x1000, 0x1004, 0x1008, 0x100c}},
    {"80000001", "4 1 0x1000 16", 2, 2, false, {0x1000, 0x1010}},
    {"00000001", "4 1 0x1000 0", 1, 2, false, {0x1000}},
    {"00000000", "4 1 0x0 0", 0, 0, false, {0}},
    {"00000000", "4 2 0x0", 0, 0, false, {0}},
    {"00000000", "4 0", 0, 0, false, {0}},
    {"0000000f", "4 2 0x1000 16 -32 4", 4, 2, true, {0x1000, 0x1010, 0xff0, 0xff4}},
    {"00000001", "4 2 0x1000", 1, 1, true, {0x1000}},
    {"00000001", "1 0 0x1001", 1, 1, true, {0x1001}},
    {"00010001", "4 0 0x1000 0x2000", 2, 2, true, {0x1000, 0x2000}},
    {"00010001", "4 2 0x1000 -4096", 2, 2, true, {0x1000, 0}},
    {"00000007", "4 0 0x3000 0xFFFFFFFFFFFFFFFF 2000", 3, 2, true, {0x3000, UINT64_MAX, 0x2000}},
    {"00000003", "4 2 0x0 -1", 2, 2, true, {0, UINT64_MAX}},
};

static void check_case(const struct mnp_cta_code *code, size_t i)
{
    const struct mnp_warp_stream *warp = &code->warps[0];
    uint64_t addresses[MNP_WARP_SIZE];
    assert_int_equal(warp->count, 2);
    assert_int_equal(warp->records[0].address_words, cases[i].words);
    assert_int_equal(warp->records[0].record_flags & MNP_RECORD_LIST ? 1 : 0, cases[i].list);
    assert_int_equal(mnp_expand_addresses(&warp->records[0], warp->addresses, addresses), cases[i].count);
    for (uint32_t lane = 0; lane < cases[i].count && (lane == 0 || cases[i].addresses[lane]); lane++)
        assert_int_equal(addresses[lane], cases[i].addresses[lane]);
    assert_int_equal(warp->records[1].address_words, 0);
}

/* Loads the only CTA of a trace and hands it to a check. */
static void with_cta(const struct folder *folder, const char *text,
                     void (*check)(const struct mnp_cta_code *code, size_t number), size_t number)
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = false};
    struct mnp_error error = {{0}};
    struct mnp_command command;
    struct mnp_cta_code code = {0};
    struct mnp_source *source = trace_open(folder_write_kernel(folder, text), &options, &error);
    if (!source || !source->next(source, &command, &error) ||
        !source->load_cta(source, command.kernel, 0, &code, &error))
        fail_msg("%s", error.text);
    check(&code, number);
    source->release_cta(source, &code);
    source->kernel_done(source, command.kernel);
    source->close(source);
}

static void test_addresses(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER BLOCK("0,0,0", WARP("0", "2", "0000 %s 1 R4 LDG.E 1 R2 %s 0 \n0010 ffffffff 0 EXIT 0 0 0 \n")),
                 cases[i].mask, cases[i].memory);
        with_cta(*state, text, check_case, i);
    }
}

/* ===== forms of lists ===== */

/* What is held of a list depends on how far its addresses lie from the first one, at the limits of 16 and 32 bits. */
static void test_forms(void **state)
{
    static const struct {
        int64_t farthest;
        uint32_t lanes, words;
    } forms[] = {{INT16_MAX, 32, 9},
                 {INT16_MIN, 32, 9},
                 {INT16_MAX + 1, 32, 17},
                 {INT16_MIN - 1, 32, 17},
                 {INT32_MAX, 32, 17},
                 {INT32_MIN, 32, 17},
                 {INT64_C(1) << 31, 32, 32},
                 {-(INT64_C(1) << 31) - 1, 32, 32},
                 {INT64_MIN, 32, 32},
                 {8, 1, 1},
                 {8, 2, 2},
                 {8, 3, 2},
                 {8, 5, 2},
                 {8, 6, 3},
                 {INT32_MAX, 4, 3}};
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++)
        for (uint32_t far = 1; far < forms[i].lanes || far == 1; far++) {
            uint64_t words[MNP_WARP_SIZE] = {0}, made[MNP_WARP_SIZE], got[MNP_WARP_SIZE];
            uint32_t lanes = forms[i].lanes;
            struct mnp_record record = {.mask = lanes == 32 ? UINT32_MAX : (1U << lanes) - 1};
            for (uint32_t lane = 0; lane < lanes; lane++)
                words[lane] = made[lane] =
                    UINT64_C(0x7fff80001234) + (lane == far ? (uint64_t)forms[i].farthest : lane);
            mnp_pack_addresses(&record, words, lanes);
            assert_int_equal(record.address_words, forms[i].words);
            assert_int_equal(mnp_expand_addresses(&record, words, got), lanes);
            assert_memory_equal(got, made, lanes * sizeof *got);
        }
}

/* ===== versions ===== */

#define START "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = "

static const char *const versions[] = {
    START "1\n\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
          "0 0 0 0 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4\n0 0 0 0 0010 ffffffff 0 EXIT 0 0\n#END_TB",
    START "2\n\n#traces format = x\n\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
          "0 0 0 0 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 \n0 0 0 0 0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
    START "3\n\n#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC\n\n\n#BEGIN_TB\n\n"
          "thread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
          "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 \n0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
    START "4\n-enable lineinfo = 0\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
          "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 \n0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
    START "4\n-enable lineinfo = 1\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
          "17 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 \n18 0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
    START "5\n-enable lineinfo = 1\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
          "17 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 \n0 0010 ffffffff 0 EXIT 0 0 1073742663 \n\n#END_TB\n",
    START "5\n-enable lineinfo = 0\n-cluster dim = (1,1,1)\n\n#BEGIN_TB\n\nthread block = 0,0,0\n"
          "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n\nwarp = 0\ninsts = 2\n"
          "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 \n0010 ffffffff 0 EXIT 0 0 -1 \n\n#END_TB\n",
    START "5\r\n-enable lineinfo = 0\r\n\r\n#BEGIN_TB\r\n\r\nthread block = 0,0,0\r\n\r\nwarp = 0\r\ninsts = 2\r\n"
          "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 \r\n0010 ffffffff 0 EXIT 0 0 0 \r\n\r\n#END_TB\r\n",
};

static void test_versions(void **state)
{
    for (size_t i = 0; i < COUNT(versions); i++)
        with_cta(*state, versions[i], check_case, 0);
}

/* The width in a line can be wrong: the opcode's counts. Memory words of an instruction without memory are dropped. */
static void check_widths(const struct mnp_cta_code *code, size_t number)
{
    (void)number;
    assert_int_equal(code->warps[0].count, 3);
    assert_int_equal(code->warps[0].records[1].address_words, 0);
    uint64_t addresses[MNP_WARP_SIZE];
    assert_int_equal(mnp_expand_addresses(&code->warps[0].records[2], code->warps[0].addresses + 2, addresses), 2);
    assert_int_equal(addresses[1], 0x2008);
}

static void test_widths(void **state)
{
    with_cta(*state,
             HEADER BLOCK("0,0,0", WARP("0", "3",
                                        "0000 ffffffff 1 R4 LDG.E.64 1 R2 4 1 0x1000 8 0 \n"
                                        "0010 ffffffff 1 R4 FADD 1 R2 4 1 0x1000 8 0 \n"
                                        "0020 00000003 0 STG.E.64 2 R2 R4 8 1 0x2000 8 0 \n")),
             check_widths, 0);
}

/* Lines that repeat, wholly or up to their addresses, and lines that nearly do. */
#define LOAD(MASK, REST) "0000 " MASK " 1 R4 LDG.E 1 R2 " REST " 0 \n"
#define ADD(MASK)        "0010 " MASK " 1 R1 FADD 2 R2 R3 0 0 \n"

static void check_repeated(const struct mnp_cta_code *code, size_t number)
{
    static const struct {
        uint32_t mask, index, words;
        uint64_t first;
    } expected[] = {{UINT32_MAX, 0, 2, 0x1000}, {UINT32_MAX, 1, 0, 0},      {UINT32_MAX, 0, 2, 0x1000},
                    {UINT32_MAX, 1, 0, 0},      {UINT32_MAX, 0, 2, 0x2000}, {0xf, 1, 0, 0},
                    {3, 0, 2, 0x3000},          {UINT32_MAX, 1, 0, 0},      {0, 0, 0, 0},
                    {UINT32_MAX, 1, 0, 0},      {UINT32_MAX, 0, 0, 0},      {UINT32_MAX, 1, 0, 0},
                    {UINT32_MAX, 0, 2, 0x1000}, {UINT32_MAX, 1, 0, 0},      {UINT32_MAX, 0, 0, 0},
                    {UINT32_MAX, 2, 0, 0}};
    const uint64_t *words = code->warps[0].addresses;
    (void)number;
    assert_int_equal(code->warps[0].count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct mnp_record *record = &code->warps[0].records[i];
        assert_int_equal(record->mask, expected[i].mask);
        assert_int_equal(record->index, expected[i].index);
        assert_int_equal(record->address_words, expected[i].words);
        if (expected[i].words)
            assert_int_equal(words[0], expected[i].first);
        words += record->address_words;
    }
}

static void test_repeated(void **state)
{
    with_cta(*state,
             HEADER BLOCK("0,0,0", WARP("0", "16",
                                        LOAD("ffffffff", "4 1 0x1000 4") ADD("ffffffff") LOAD(
                                            "ffffffff", "4 1 0x1000 4") ADD("ffffffff") LOAD("ffffffff", "4 1 0x2000 8")
                                            ADD("0000000f") LOAD("00000003", "4 0 0x3000 0x3004") ADD("ffffffff")
                                                LOAD("00000000", "4 1 0 0") ADD("ffffffff") LOAD("ffffffff", "0")
                                                    ADD("ffffffff") LOAD("ffffffff", "4 1 0x1000 4") ADD("ffffffff")
                                                        LOAD("ffffffff", "0") "0020 ffffffff 0 EXIT 0 0 0 \n")),
             check_repeated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_versions), cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_repeated)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
