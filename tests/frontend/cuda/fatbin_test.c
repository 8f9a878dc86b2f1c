/* SPDX-License-Identifier: BSD-3-Clause */
/* The fat binary reader: containers made by hand and by nvcc, the choice of PTX, and damage of every kind. */
#include "base/file.h"
#include "frontend/cuda/fatbin.h"
#include "frontend/cuda/lz4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

struct container {
    unsigned char bytes[4096];
    size_t used;
};

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void begin(struct container *made)
{
    memset(made, 0, sizeof *made);
    put(made->bytes, CUDA_CONTAINER_MAGIC, 4);
    put(made->bytes + 4, 1, 2);
    put(made->bytes + 6, CUDA_CONTAINER_HEADER, 2);
    made->used = CUDA_CONTAINER_HEADER;
}

/* An entry; `length`: what the data decompress to, 0: plain. */
static void add(struct container *made, unsigned kind, unsigned architecture, uint64_t flags, const void *data,
                size_t bytes, size_t length)
{
    unsigned char *head = made->bytes + made->used;
    put(head, kind, 2);
    put(head + 2, 0x101, 2);
    put(head + 4, CUDA_ENTRY_HEADER, 4);
    put(head + 8, (bytes + 7) / 8 * 8, 8);
    put(head + 16, length ? bytes : 0, 4);
    put(head + 28, architecture, 4);
    put(head + 40, flags, 8);
    put(head + 56, length, 8);
    memcpy(head + CUDA_ENTRY_HEADER, data, bytes);
    made->used += CUDA_ENTRY_HEADER + (bytes + 7) / 8 * 8;
    put(made->bytes + 8, made->used - CUDA_CONTAINER_HEADER, 8);
}

static void add_plain(struct container *made, unsigned architecture, const char *text)
{
    add(made, CUDA_ENTRY_PTX, architecture, 0, text, strlen(text) + 1, 0);
}

static enum cuda_choice choose(const struct container *made, uint32_t architecture, char **text,
                               struct mnp_error *error)
{
    size_t length;
    memset(error, 0, sizeof *error);
    return fatbin_choose("prog", made->bytes, made->used, architecture, text, &length, error);
}

static void expect_text(const struct container *made, uint32_t architecture, const char *expected)
{
    struct mnp_error error;
    char *text;
    assert_int_equal(choose(made, architecture, &text, &error), CUDA_CHOSEN);
    assert_string_equal(text, expected);
    assert_string_equal(error.text, "");
    free(text);
}

static void expect_error(const struct container *made, uint32_t architecture, enum cuda_choice choice,
                         const char *message)
{
    struct mnp_error error;
    char *text;
    assert_int_equal(choose(made, architecture, &text, &error), choice);
    assert_null(text);
    if (!strstr(error.text, message))
        fail_msg("'%s' is not in '%s'", message, error.text);
}

static void highest_not_above_machine(void **state)
{
    (void)state;
    struct container made;
    begin(&made);
    add_plain(&made, 80, "eighty");
    add_plain(&made, 50, "fifty");
    add(&made, CUDA_ENTRY_MACHINE_CODE, 86, 0, "\177ELF", 4, 0);
    add_plain(&made, 90, "ninety");
    expect_text(&made, 50, "fifty");
    expect_text(&made, 79, "fifty");
    expect_text(&made, 80, "eighty");
    expect_text(&made, 89, "eighty");
    expect_text(&made, 90, "ninety");
    expect_text(&made, 120, "ninety");
    expect_error(&made, 20, CUDA_NO_CODE,
                 "no PTX for sm_20 or below (it holds: PTX of 80, PTX of 50, machine code of "
                 "86, PTX of 90); build the program with nvcc -gencode arch=compute_20,code=compute_20, or simulate a "
                 "newer machine");
}

/* What helps besides building it again is what the container has. */
static void remedies(void **state)
{
    (void)state;
    struct container made;
    begin(&made);
    add(&made, CUDA_ENTRY_MACHINE_CODE, 75, 0, "\177ELF", 4, 0);
    expect_error(&made, 75, CUDA_NO_CODE, "code=compute_75, or use --code auto");
    expect_error(&made, 90, CUDA_NO_CODE, "code=compute_90, or simulate an older machine");
    expect_error(&made, 70, CUDA_NO_CODE,
                 "code=compute_70 (of CUDA 12: that of CUDA 13 begins at 75), or simulate a newer machine");
}

static void code_of_one_architecture(void **state)
{
    (void)state;
    struct container made;
    begin(&made);
    add_plain(&made, 90, ".version 8.0\n.target sm_90a\n");
    add_plain(&made, 80, ".version 8.0\n.target sm_80\n");
    add_plain(&made, 100, ".version 8.0\n.target sm_100f\n");
    expect_text(&made, 90, ".version 8.0\n.target sm_90a\n");
    expect_text(&made, 103, ".version 8.0\n.target sm_100f\n");
    expect_text(&made, 120, ".version 8.0\n.target sm_80\n");
}

/* nvcc -gencode arch=compute_90,code=[sm_90,compute_90] -gencode arch=compute_90a,code=[sm_90a,compute_90a], and 100f:
 * both of one architecture stand in one container, in either order, and these flags tell them apart. */
static void for_one_architecture_beside_all(void **state)
{
    (void)state;
    struct container made;
    for (int swapped = 0; swapped < 2; swapped++) {
        begin(&made);
        add(&made, CUDA_ENTRY_PTX, 90, swapped ? CUDA_FLAG_OWN : 0, swapped ? "own" : "any", 4, 0);
        add(&made, CUDA_ENTRY_PTX, 90, swapped ? 0 : CUDA_FLAG_OWN, swapped ? "any" : "own", 4, 0);
        add(&made, CUDA_ENTRY_PTX, 100, CUDA_FLAG_FAMILY, "family", 7, 0);
        expect_text(&made, 90, "own");
        expect_text(&made, 100, "family");
        expect_text(&made, 103, "family");
        expect_text(&made, 120, "any");
    }
}

/* The flags and architectures of nvcc 13's entries, and what each machine may run: CUDA's rules of compatibility. */
static void which_machine_code_runs(void **state)
{
    (void)state;
    const struct cuda_entry any = {.kind = CUDA_ENTRY_MACHINE_CODE, .architecture = 100, .flags = 0x8011};
    const struct cuda_entry own = {.kind = CUDA_ENTRY_MACHINE_CODE, .architecture = 100, .flags = 0x1108011};
    const struct cuda_entry family = {.kind = CUDA_ENTRY_MACHINE_CODE, .architecture = 100, .flags = 0x1208011};
    assert_true(fatbin_runs_on(&any, 100) && fatbin_runs_on(&any, 103));
    assert_false(fatbin_runs_on(&any, 120) || fatbin_runs_on(&any, 90));
    assert_true(fatbin_runs_on(&own, 100));
    assert_false(fatbin_runs_on(&own, 103));
    assert_true(fatbin_runs_on(&family, 100) && fatbin_runs_on(&family, 103));
    assert_false(fatbin_runs_on(&family, 120));
    assert_true(fatbin_rank(&own) > fatbin_rank(&family) && fatbin_rank(&family) > fatbin_rank(&any));
}

static void compressed(void **state)
{
    (void)state;
    struct container made;
    char text[1000], packed[1200];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('a' + i % 7 + i % 3);
    text[sizeof text - 1] = 0;
    size_t bytes = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    begin(&made);
    add(&made, CUDA_ENTRY_PTX, 75, CUDA_FLAG_ZSTD, packed, bytes, sizeof text);
    expect_text(&made, 75, text);
    begin(&made);
    /* "abc", then 9 bytes from 3 back, then "!" and the zero byte. */
    add(&made, CUDA_ENTRY_PTX, 75, CUDA_FLAG_LZ4,
        "\x35"
        "abc\x03\x00\x20!",
        9, 14);
    expect_text(&made, 75, "abcabcabcabc!");
}

static void lz4_blocks(void **state)
{
    (void)state;
    unsigned char out[400], in[16] = {0x1f, 'x', 1, 0, 255, 24, 0x10, 'y'};
    /* 1 literal, a match of 15 + 255 + 24 + 4 = 298 bytes from 1 back, 1 literal. */
    assert_true(fatbin_lz4_decompress(in, 8, out, 300));
    assert_int_equal(out[298], 'x');
    assert_int_equal(out[299], 'y');
    assert_false(fatbin_lz4_decompress(in, 8, out, 299)); /* shorter and longer than it is */
    assert_false(fatbin_lz4_decompress(in, 8, out, 301));
    for (size_t cut = 0; cut < 8; cut++)
        assert_false(fatbin_lz4_decompress(in, cut, out, 300));
    in[2] = 2; /* from before the beginning */
    assert_false(fatbin_lz4_decompress(in, 8, out, 300));
    in[2] = 0;
    assert_false(fatbin_lz4_decompress(in, 8, out, 300));
}

static char *text_of(const char *path)
{
    struct mnp_error error = {{0}};
    size_t bytes, length;
    char *image = mnp_read_file(path, 65536, &bytes, &error), *text = NULL;
    assert_non_null(image);
    assert_int_equal(fatbin_bytes((unsigned char *)image), bytes);
    assert_int_equal(fatbin_choose(path, (unsigned char *)image, bytes, 86, &text, &length, &error), CUDA_CHOSEN);
    free(image);
    return text;
}

static void made_by_nvcc(void **state)
{
    (void)state;
    char *plain = text_of(DATA "/none.fatbin"), *lz4 = text_of(DATA "/speed.fatbin");
    char *zstd = text_of(DATA "/balance.fatbin");
    assert_non_null(strstr(plain, ".visible .entry twice("));
    assert_string_equal(lz4, plain);
    assert_string_equal(zstd, plain);
    free(plain);
    free(lz4);
    free(zstd);
}

static void damage(void **state)
{
    (void)state;
    struct container made, good;
    begin(&good);
    add_plain(&good, 75, "text");
    made = good;
    made.bytes[0] = 0;
    expect_error(&made, 86, CUDA_DAMAGED, "prog: fat binary, byte 0: this is no fat binary");
    made = good;
    made.bytes[4] = 2;
    expect_error(&made, 86, CUDA_DAMAGED, "byte 4: its format has another version");
    made = good;
    made.used--;
    expect_error(&made, 86, CUDA_DAMAGED, "byte 8: its entries do not fit its size");
    made = good;
    put(made.bytes + 16 + 8, UINT64_MAX, 8);
    expect_error(&made, 86, CUDA_DAMAGED, "byte 16: an entry is longer than the fat binary");
    made = good;
    put(made.bytes + 16 + 4, 8, 4);
    expect_error(&made, 86, CUDA_DAMAGED, "byte 16: an entry is longer than the fat binary");
    begin(&made);
    add(&made, CUDA_ENTRY_PTX, 75, CUDA_FLAG_ZSTD, "rubbish", 8, 100);
    expect_error(&made, 86, CUDA_DAMAGED, "an entry states an impossible length of its content");
    begin(&made);
    add(&made, CUDA_ENTRY_PTX, 75, CUDA_FLAG_LZ4,
        "\x35"
        "abc\x09\x00\x20!",
        9, 14);
    expect_error(&made, 86, CUDA_DAMAGED, "byte 16: an entry cannot be decompressed; build the program again");
    begin(&made);
    add(&made, CUDA_ENTRY_PTX, 75, CUDA_FLAG_LZ4, "abcdefgh", 8, 1 << 20);
    expect_error(&made, 86, CUDA_DAMAGED, "an impossible length");
    begin(&made);
    expect_error(&made, 86, CUDA_NO_CODE, "(it holds: nothing)");
}

/* Every prefix, and every byte changed, of a real one: an answer, and an error where there is no text. */
static void all_damage_to_a_real_one(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    size_t bytes, length;
    char *image = mnp_read_file(DATA "/speed.fatbin", 65536, &bytes, &error);
    for (size_t i = 0; i < 2 * bytes; i++) {
        char *text;
        memset(&error, 0, sizeof error);
        unsigned char *copy = malloc(i < bytes ? i + 1 : bytes); /* of the exact size, for the sanitizers */
        memcpy(copy, image, i < bytes ? i : bytes);
        if (i >= bytes)
            copy[i - bytes] ^= 0x55;
        bool chosen = fatbin_choose("prog", copy, i < bytes ? i : bytes, 86, &text, &length, &error) == CUDA_CHOSEN;
        assert_int_equal(chosen, text != NULL);
        assert_int_equal(chosen, error.text[0] == 0);
        assert_false(chosen && i < bytes);
        free(text);
        free(copy);
    }
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_not_above_machine),
        cmocka_unit_test(remedies),
        cmocka_unit_test(code_of_one_architecture),
        cmocka_unit_test(for_one_architecture_beside_all),
        cmocka_unit_test(which_machine_code_runs),
        cmocka_unit_test(compressed),
        cmocka_unit_test(lz4_blocks),
        cmocka_unit_test(made_by_nvcc),
        cmocka_unit_test(damage),
        cmocka_unit_test(all_damage_to_a_real_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
