/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tensor maps: the driver's words for a tensor that is known (reference/hopper-blackwell.md, section 3), maps that come
 * back as they were, and those that the driver refuses.
 */
#include "execute/copy/tensor_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A tensor of 16 x 16 halves, copied 16 x 8 at a time. */
static struct execute_tensor_map example(void)
{
    return (struct execute_tensor_map){.address = 0x700000000100,
                                       .dimensions = {16, 16},
                                       .strides = {2, 32},
                                       .box = {16, 8},
                                       .element_strides = {1, 1},
                                       .rank = 2,
                                       .type = EXECUTE_TENSOR_F16};
}

static void test_words(void **unused)
{
    (void)unused;
    struct execute_tensor_map map = example();
    struct mnp_error error = {{0}, 0};
    const uint32_t expected[EXECUTE_TENSOR_MAP_WORDS] = {
        [0] = 0x100, [1] = 0x7000,      [2] = 0x310, [3] = 2,      [8] = 15,
        [9] = 15,    [13] = 0x0f000000, [14] = 7,    [16] = 0x100, [18] = 0x10};
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    assert_true(execute_tensor_map_check(&map, &error));
    execute_tensor_map_encode(&map, words);
    assert_memory_equal(words, expected, sizeof words);
}

/* The first map with a large tensor has bit 21: 65,536 halves, not 65,535 and a row less. */
static void test_large(void **unused)
{
    (void)unused;
    struct execute_tensor_map map = example();
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    map.dimensions[0] = 256;
    map.dimensions[1] = 255;
    map.strides[1] = 512;
    execute_tensor_map_encode(&map, words);
    assert_int_equal(words[2] >> 21, 0);
    map.dimensions[1] = 256;
    execute_tensor_map_encode(&map, words);
    assert_int_equal(words[2] >> 21, 1);
}

static void expect_back(const struct execute_tensor_map *map)
{
    struct execute_tensor_map back;
    struct mnp_error error = {{0}, 0};
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS], again[EXECUTE_TENSOR_MAP_WORDS];
    if (!execute_tensor_map_check(map, &error))
        fail_msg("%s", error.text);
    execute_tensor_map_encode(map, words);
    assert_true(execute_tensor_map_decode(words, &back));
    execute_tensor_map_encode(&back, again);
    assert_memory_equal(words, again, sizeof words);
    assert_int_equal(back.rank, map->rank);
    assert_int_equal(back.type, map->type);
    assert_int_equal(back.swizzle, map->swizzle);
    assert_int_equal(back.promotion, map->promotion);
    assert_int_equal(back.fill_nan, map->fill_nan);
    assert_true(back.address == map->address);
    for (unsigned i = 0; i < map->rank; i++) {
        assert_true(back.dimensions[i] == map->dimensions[i]);
        assert_true(back.strides[i] == map->strides[i]);
        assert_true(map->im2col || back.box[i] == map->box[i]);
        assert_true(i == 0 || back.element_strides[i] == map->element_strides[i]);
    }
    for (unsigned i = 0; map->im2col && i + 2 < map->rank; i++) {
        assert_int_equal(back.lower[i], map->lower[i]);
        assert_int_equal(back.upper[i], map->upper[i]);
    }
}

static void test_round_trips(void **unused)
{
    (void)unused;
    for (uint8_t rank = 1; rank <= 5; rank++)
        for (uint8_t swizzle = 0; swizzle < EXECUTE_TENSOR_SWIZZLE_COUNT; swizzle++) {
            struct execute_tensor_map map = {.address = 0x7fff12345670,
                                             .dimensions = {UINT64_C(1) << 32, 77, 3, 123456, 9},
                                             .strides = {4, 0x3fffffff0, 0xfffffffff0, 48, 160},
                                             .box = {8, 256, 7, 1, 3},
                                             .element_strides = {1, 8, 2, 3, 1},
                                             .rank = rank,
                                             .type = EXECUTE_TENSOR_F32,
                                             .swizzle = swizzle,
                                             .promotion = swizzle % 4,
                                             .fill_nan = swizzle & 1};
            expect_back(&map);
            map.im2col = true;
            map.channels = 8;
            map.pixels = 1024;
            map.lower[0] = rank == 3 ? -32768 : rank == 4 ? -128 : -16;
            map.upper[0] = rank == 3 ? 32767 : rank == 4 ? 127 : 15;
            map.lower[1] = map.lower[2] = -2;
            map.upper[1] = map.upper[2] = -1;
            if (rank >= 3)
                expect_back(&map);
        }
}

static void expect_refused(const struct execute_tensor_map *map, const char *why)
{
    struct mnp_error error = {{0}, 0};
    assert_false(execute_tensor_map_check(map, &error));
    if (!strstr(error.text, why))
        fail_msg("`%s` does not say `%s`", error.text, why);
}

static void test_refusals(void **unused)
{
    (void)unused;
    struct execute_tensor_map map;
#define REFUSED(change, why) (map = example(), (void)(change), expect_refused(&map, why))
    REFUSED(map.rank = 0, "its rank is 0");
    REFUSED(map.rank = 6, "its rank is 6");
    REFUSED(map.interleave = 1, "3 to 5 dimensions");
    REFUSED(map.address += 8, "no multiple of 16");
    REFUSED(map.dimensions[1] = 0, "dimension 1 has 0 elements");
    REFUSED(map.dimensions[0] = (UINT64_C(1) << 32) + 1, "1 to 2^32");
    REFUSED(map.strides[1] = 40, "the stride of dimension 1");
    REFUSED(map.strides[1] = UINT64_C(1) << 40, "below 2^40");
    REFUSED(map.box[1] = 257, "the box has 257 elements in dimension 1");
    REFUSED(map.box[0] = 0, "the box has 0 elements in dimension 0");
    REFUSED(map.box[0] = 12, "rows of 24 bytes; they have to be a multiple of 16");
    REFUSED((map.box[0] = 32, map.swizzle = EXECUTE_TENSOR_SWIZZLE_32B), "with its swizzle they have at most 32");
    REFUSED(map.element_strides[1] = 9, "the element stride of dimension 1 is 9");
    REFUSED((map.type = EXECUTE_TENSOR_U16, map.fill_nan = true), "floating-point numbers alone");
    REFUSED(map.type = 11, "its type");
#undef REFUSED
}

/* tensormap.replace: the words are those of a map that was made with the new values. */
static void test_replace(void **unused)
{
    (void)unused;
    struct execute_tensor_map map = example();
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS], expected[EXECUTE_TENSOR_MAP_WORDS];
    execute_tensor_map_encode(&map, words);
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_ADDRESS, 0, 0x7fffabcdef00));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_DIMENSION, 0, 1024));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_DIMENSION, 1, 4096));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_STRIDE, 0, 2048));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_BOX, 0, 64));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_BOX, 1, 128));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_SWIZZLE, 0, 3));
    assert_true(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_FILL, 0, 1));
    assert_false(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_BOX, 1, 257));
    assert_false(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_STRIDE, 4, 16));
    assert_false(execute_tensor_map_replace(words, EXECUTE_TENSOR_FIELD_ADDRESS, 0, 8));
    map = (struct execute_tensor_map){.address = 0x7fffabcdef00,
                                      .dimensions = {1024, 4096},
                                      .strides = {2, 2048},
                                      .box = {64, 128},
                                      .element_strides = {1, 1},
                                      .rank = 2,
                                      .type = EXECUTE_TENSOR_F16,
                                      .swizzle = EXECUTE_TENSOR_SWIZZLE_128B,
                                      .fill_nan = true};
    execute_tensor_map_encode(&map, expected);
    assert_memory_equal(words, expected, sizeof words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_round_trips), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_replace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
