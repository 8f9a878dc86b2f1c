/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes (probes/): kernels of which each line is one operation, compiled by nvcc to PTX and to machine code. On the
 * same input, half random and half special numbers, both leave the same memory. Then every word of the sample of
 * words.tsv is executed once, alone, in place of a kernel's first instruction; the coverage is printed.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/ptx/program.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/program.h"
#include "frontend/sass/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 64, INPUTS = 3 * THREADS, OUTPUTS = 200 * THREADS };

static uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static uint32_t operand(uint64_t *state)
{
    static const uint32_t special[] = {0,          1,          2,          0x80000000, 0x7fffffff, 0xffffffff,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff, 0x00800000,
                                       0x3f800000, 0xbf000000, 0x4b000001, 31,         32,         33,
                                       63,         0x7ff00000, 0x7ff80000, 0x43e00000, 0xc1e00000, 0x3fefffff};
    uint32_t value = next(state);
    return value & 1 ? next(state) : special[(value >> 1) % (sizeof special / sizeof *special)];
}

static const struct execute_texture plain_images[5] = {{.size = {64}, .pitch = 256},
                                                       {.size = {16, 8}, .pitch = 64},
                                                       {.size = {8, 4, 4}, .pitch = 32},
                                                       {.size = {16, 0, 4}, .pitch = 64},
                                                       {.size = {8, 4, 2}, .pitch = 32}};
/* Cube maps: the nearest texel and filtered ones, of one cube and of two. */
static const struct execute_texture cube_maps[5] = {{.size = {4, 4, 6}, .pitch = 16},
                                                    {.size = {4, 4, 6}, .pitch = 16},
                                                    {.size = {3, 3, 12}, .pitch = 12},
                                                    {.size = {3, 3, 12}, .pitch = 12},
                                                    {.size = {1, 1, 6}, .pitch = 4}};

/* Images of every geometry, which images.cu and cubes.cu read and write. */
static void add_images(struct execute_device *device, const struct execute_texture shapes[5], uint64_t handles[5])
{
    for (uint32_t i = 0; i < 5; i++) {
        float texels[128];
        struct execute_texture image = shapes[i];
        for (uint32_t k = 0; k < 128; k++)
            texels[k] = (float)(k * (7 + i) % 61) / 4;
        image.address = execute_device_allocate(device, sizeof texels);
        image.channels = 1;
        image.channel_bytes = 4;
        image.kind = EXECUTE_TEXEL_FLOAT;
        image.linear = i & 1;
        image.addressing[0] = EXECUTE_ADDRESS_CLAMP;
        image.addressing[1] = EXECUTE_ADDRESS_BORDER;
        assert_true(execute_device_write(device, image.address, texels, sizeof texels));
        handles[i] = execute_device_add_texture(device, &image);
    }
}

/* What a kernel of a module leaves. NULL: it was refused; otherwise `output`. `faults`: it may fault. */
static const uint32_t *run(const struct execute_language *language, const char *image, size_t length,
                           const char *kernel, uint64_t seed, bool faults, uint32_t output[OUTPUTS],
                           struct mnp_error *error)
{
    static uint32_t values[INPUTS];
    struct execute_device device;
    unsigned char storage[256];
    struct execute_launch prepared;
    uint32_t grid[3] = {strcmp(kernel, "remote") == 0 ? 2 : 1, 1, 1}, block[3] = {THREADS, 1, 1};
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module = language->load(&device, "probe", &(struct execute_text){image, length}, 1, error);
    const struct execute_code *code = module ? language->kernel(module, kernel, error) : NULL;
    if (code) {
        for (uint32_t i = 0; i < INPUTS; i++)
            values[i] = operand(&seed);
        uint64_t in = execute_device_allocate(&device, sizeof values);
        uint64_t out = execute_device_allocate(&device, sizeof(uint32_t) * OUTPUTS);
        uint64_t handles[5] = {out, out, out, out, out};
        const void *arguments[] = {&in, &out, &handles[0], &handles[1], &handles[2], &handles[3], &handles[4], &out};
        if (strcmp(kernel, "surfaces") == 0 || strcmp(kernel, "textures") == 0)
            add_images(&device, plain_images, handles);
        if (strcmp(kernel, "cubes") == 0)
            add_images(&device, cube_maps, handles);
        memset(output, 0, sizeof(uint32_t) * OUTPUTS);
        bool good = execute_device_write(&device, in, values, sizeof values) &&
                    execute_device_write(&device, out, output, sizeof(uint32_t) * OUTPUTS) &&
                    execute_launch_prepare(&prepared, code, grid, block, 0, arguments, storage, error);
        assert_true(good);
        good = execute_device_run(&device, &prepared, error);
        if (!good && !faults)
            fail_msg("%s", error->text);
        execute_device_read(&device, out, output, sizeof(uint32_t) * OUTPUTS);
    }
    if (module)
        language->unload(module, &device);
    execute_device_release(&device);
    return code ? output : NULL;
}

static void compare(const char *cubin, const char *ptx, const char *const *kernels)
{
    static uint32_t machine[OUTPUTS], text[OUTPUTS];
    char path[300];
    size_t lengths[2];
    struct mnp_error error = {{0}};
    snprintf(path, sizeof path, "%s/%s", DATA, cubin);
    char *code = mnp_read_file(path, 1 << 20, &lengths[0], &error);
    snprintf(path, sizeof path, "%s/%s", DATA, ptx);
    char *source = mnp_read_file(path, 1 << 20, &lengths[1], &error);
    for (; *kernels; kernels++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            if (!run(&sass_language, code, lengths[0], *kernels, seed, false, machine, &error) ||
                !run(&ptx_language, source, lengths[1], *kernels, seed, false, text, &error))
                fail_msg("%s", error.text);
            for (uint32_t i = 0; i < OUTPUTS; i++)
                if (machine[i] != text[i])
                    fail_msg("%s: %s, seed %u: output %u, thread %u: machine code %#x, PTX %#x", cubin, *kernels,
                             (unsigned)seed, i / THREADS, i % THREADS, machine[i], text[i]);
        }
    free(code);
    free(source);
}

static void words_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"whole", "single", "wide", NULL};
    (void)state;
    compare("words.sm_75.cubin", "words.sm_75.ptx", kernels);
    compare("words.sm_80.cubin", "words.sm_75.ptx", kernels);
    compare("words.sm_90.cubin", "words.sm_75.ptx", kernels);
    compare("words.sm_100.cubin", "words.sm_75.ptx", kernels);
    compare("words.sm_120.cubin", "words.sm_75.ptx", kernels);
}

static void products_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"products", NULL};
    (void)state;
    compare("products.sm_90.cubin", "products.sm_75.ptx", kernels);
    compare("products.sm_100.cubin", "products.sm_75.ptx", kernels);
    compare("products.sm_120.cubin", "products.sm_75.ptx", kernels);
}

static void lanes_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"lanes", "matrices", NULL};
    (void)state;
    compare("lanes.sm_80.cubin", "lanes.sm_80.ptx", kernels);
    compare("lanes.sm_90.cubin", "lanes.sm_90.ptx", kernels);
    compare("lanes.sm_100.cubin", "lanes.sm_90.ptx", kernels);
    compare("lanes.sm_120.cubin", "lanes.sm_90.ptx", kernels);
}

static void parts_of_constants_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"narrow", "parts", NULL};
    (void)state;
    compare("narrow.sm_75.cubin", "narrow.sm_75.ptx", kernels);
    compare("narrow.sm_80.cubin", "narrow.sm_75.ptx", kernels);
    compare("narrow.sm_90.cubin", "narrow.sm_75.ptx", kernels);
    compare("narrow.sm_100.cubin", "narrow.sm_75.ptx", kernels);
    compare("narrow.sm_120.cubin", "narrow.sm_75.ptx", kernels);
}

/* Masks that do not name the lane that asks. sm_90 has each lane ask alone (WARPSYNC.EXCLUSIVE). */
static void votes_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"votes", NULL};
    (void)state;
    compare("votes.sm_75.cubin", "votes.sm_75.ptx", kernels);
    compare("votes.sm_80.cubin", "votes.sm_75.ptx", kernels);
}

static void extremes_of_halves_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"extremes", NULL};
    (void)state;
    compare("extremes.sm_90.cubin", "extremes.sm_90.ptx", kernels);
    compare("extremes.sm_100.cubin", "extremes.sm_90.ptx", kernels);
    compare("extremes.sm_120.cubin", "extremes.sm_90.ptx", kernels);
}

static void bytes_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"bytes", NULL};
    (void)state;
    compare("bytes.sm_90.cubin", "bytes.sm_90.ptx", kernels);
    compare("bytes.sm_100.cubin", "bytes.sm_90.ptx", kernels);
    compare("bytes.sm_120.cubin", "bytes.sm_90.ptx", kernels);
}

static void tensors_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"fours", "eights", "small", NULL}, *const fours[] = {"fours", NULL};
    (void)state;
    compare("tensors.sm_80.cubin", "tensors.sm_80.ptx", fours);
    compare("tensors.sm_89.cubin", "tensors.sm_89.ptx", kernels);
    compare("tensors.sm_90.cubin", "tensors.sm_89.ptx", kernels);
    compare("tensors.sm_100.cubin", "tensors.sm_89.ptx", kernels);
    compare("tensors.sm_120.cubin", "tensors.sm_89.ptx", kernels);
}

static const uint32_t *run_file(const char *cubin, const char *kernel, uint64_t seed, uint32_t output[OUTPUTS])
{
    char path[300];
    size_t length;
    struct mnp_error error = {{0}};
    snprintf(path, sizeof path, "%s/%s", DATA, cubin);
    char *code = mnp_read_file(path, 1 << 20, &length, &error);
    assert_non_null(code);
    if (!run(&sass_language, code, length, kernel, seed, false, output, &error))
        fail_msg("%s: %s", cubin, error.text);
    free(code);
    return output;
}

static void accesses_of_256_bits_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"eights", NULL};
    (void)state;
    compare("eights.sm_100.cubin", "eights.sm_100.ptx", kernels);
    compare("eights.sm_120.cubin", "eights.sm_100.ptx", kernels);
}

/* Two floats in a register pair give what they give one by one (probes/pairs.ptx); PTX with them is not read here. */
static void pairs_of_floats_are_floats(void **state)
{
    enum { ROWS = 102 }; /* of differences; the one behind them counts results that are not zero */
    static uint32_t out[OUTPUTS];
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint32_t live = 0;
        run_file("pairs.sm_100.cubin", "pairs", seed, out);
        for (uint32_t i = 0; i < ROWS * THREADS; i++)
            if (out[i])
                fail_msg("seed %u: operation %u, thread %u: %#x", (unsigned)seed, i / THREADS, i % THREADS, out[i]);
        for (uint32_t t = 0; t < THREADS; t++)
            live += out[ROWS * THREADS + t] > 48;
        assert_in_range(live, THREADS / 2, THREADS);
    }
}

/* HFMA2 whose multiplier's halves are crossed, one of them negated. */
static void products_of_complex_numbers_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"complex", NULL};
    (void)state;
    compare("complex.sm_86.cubin", "complex.sm_86.ptx", kernels);
    compare("complex.sm_90.cubin", "complex.sm_86.ptx", kernels);
    compare("complex.sm_100.cubin", "complex.sm_86.ptx", kernels);
    compare("complex.sm_120.cubin", "complex.sm_86.ptx", kernels);
}

/* Floats of eight, six and four bits, and powers of two. */
static void small_floats_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"small", NULL};
    (void)state;
    compare("small.sm_100.cubin", "small.sm_100.ptx", kernels);
    compare("small.sm_120.cubin", "small.sm_100.ptx", kernels);
}

/* What they are follows from the bytes: a row of A times a column of B, and the sum that it begins with. */
static void sums_may_begin_with_one_register(void **state)
{
    static const char *const kernels[] = {"repeated", NULL};
    static uint32_t out[OUTPUTS];
    (void)state;
    compare("repeated.sm_80.cubin", "repeated.sm_80.ptx", kernels);
    compare("repeated.sm_120.cubin", "repeated.sm_80.ptx", kernels);
    run_file("repeated.sm_80.cubin", "repeated", 5, out);
    uint64_t numbers = 5;
    uint32_t in[INPUTS];
    for (uint32_t k = 0; k < INPUTS; k++)
        in[k] = operand(&numbers);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t warp = t & 32, row = (t & 31) / 4, column = 2 * (t & 3) + (i & 1), sum = 0;
            const uint32_t *a = in + (i & 2 ? THREADS : 0) + warp, *b = in + THREADS + warp;
            for (uint32_t k = 0; k < 16; k++)
                sum += (a[4 * row + k / 4] >> 8 * (k % 4) & 255) * (b[4 * column + k / 4] >> 8 * (k % 4) & 255);
            assert_int_equal(out[i * THREADS + t], sum + in[(i == 3 ? 0 : i) * THREADS + t]);
        }
}

static void products_of_stored_elements_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"halves", "wholes", "eights", NULL};
    static const char *const before[] = {"halves", "wholes", NULL};
    (void)state;
    compare("selected.sm_80.cubin", "selected.sm_89.ptx", before);
    compare("selected.sm_89.cubin", "selected.sm_89.ptx", kernels);
    compare("selected.sm_90.cubin", "selected.sm_89.ptx", kernels);
    compare("selected.sm_100.cubin", "selected.sm_89.ptx", kernels);
    compare("selected.sm_120.cubin", "selected.sm_89.ptx", kernels);
}

/* … and what arithmetic makes of their elements: behind the words of each operation stands how they differ. */
static void vectors_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"vectors", "wide", NULL};
    static const uint8_t words[] = {2, 4, 2, 4, 2, 4, 2, 4, 1, 2, 4, 4, 2, 4, 2, 4, 1, 2, 4, 4, 2, 4, 2, 4, 1, 2, 4, 4};
    static uint32_t output[OUTPUTS];
    struct mnp_error error = {{0}};
    size_t length;
    (void)state;
    compare("vectors.sm_90.cubin", "vectors.sm_90.ptx", kernels);
    compare("vectors.sm_100.cubin", "vectors.sm_90.ptx", kernels);
    compare("vectors.sm_120.cubin", "vectors.sm_90.ptx", kernels);
    char *code = mnp_read_file(DATA "/vectors.sm_90.cubin", 1 << 20, &length, &error);
    assert_non_null(run(&sass_language, code, length, "vectors", 9, false, output, &error));
    for (uint32_t i = 0, row = 0; i < sizeof words; i++, row++) {
        row += words[i];
        for (uint32_t lane = 0; lane < THREADS; lane++)
            if (output[row * THREADS + lane])
                fail_msg("operation %u, thread %u: %#x", i, lane, output[row * THREADS + lane]);
    }
    free(code);
}

static uint32_t table_word(uint32_t i)
{
    return i * 0x9e3779b9 + 0x40490fdb;
}

/* What constants.ptx says of its table. */
static void constants_are_those_of_the_table(void **state)
{
    static const char *const kernels[] = {"constants", NULL};
    static uint32_t out[OUTPUTS];
    (void)state;
    for (uint32_t i = 0; i < 7; i++) {
        char cubin[40];
        snprintf(cubin, sizeof cubin, "constants.sm_%u.cubin",
                 (unsigned)(const uint8_t[]){75, 80, 86, 89, 90, 100, 120}[i]);
        compare(cubin, "constants.sm_75.ptx", kernels);
        run_file(cubin, "constants", 9, out);
        uint64_t numbers = 9;
        for (uint32_t t = 0; t < THREADS; t++) {
            assert_int_equal(out[t], table_word(t));
            assert_int_equal(out[64 + t], table_word(2 * (t & 15) + 2));
            assert_int_equal(out[128 + t], table_word(2 * (t & 15) + 3));
            assert_int_equal(out[192 + t], operand(&numbers) ^ table_word(1));
            assert_int_equal(out[384 + t], table_word(4));
            assert_int_equal(out[448 + t], table_word(5));
        }
    }
}

/* A whole number held to `bits` bits, with a sign or without. */
static uint32_t held_to(uint32_t number, uint32_t bits, bool is_signed)
{
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0, most = least + (INT64_C(1) << bits) - 1;
    int64_t value = (int32_t)number;
    return (uint32_t)(value < least ? least : value > most ? most : value) & ((UINT32_C(1) << bits) - 1);
}

/* cvt.pack's own description: both numbers side by side, the third one's lower bits above them. */
static void packs_are_those_of_their_description(void **state)
{
    static uint32_t out[OUTPUTS];
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        char cubin[40];
        snprintf(cubin, sizeof cubin, "packs.sm_%u.cubin", (unsigned)(const uint8_t[]){80, 86, 90, 100, 120}[i]);
        run_file(cubin, "packs", 11 + i, out);
        uint32_t in[INPUTS];
        uint64_t numbers = 11 + i;
        for (uint32_t k = 0; k < INPUTS; k++)
            in[k] = operand(&numbers);
        for (uint32_t k = 0; k < 16 * THREADS; k++) {
            uint32_t t = k % THREADS, row = k / THREADS, bits = 16u >> row % 8 / 2, b = in[THREADS + t];
            b = row < 8 ? b : (b & 15) - 2 * (b & 8);
            uint32_t upper = bits == 16 ? 0 : in[2 * THREADS + t] << 2 * bits;
            if (out[k] != (upper | held_to(in[t], bits, row & 1) << bits | held_to(b, bits, row & 1)))
                fail_msg("%s: row %u, thread %u: %#x", cubin, row, t, out[k]);
        }
    }
}

static void stores_in_a_cluster_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"remote", NULL};
    (void)state;
    compare("remote.sm_90.cubin", "remote.sm_90.ptx", kernels);
    compare("remote.sm_100.cubin", "remote.sm_90.ptx", kernels);
    compare("remote.sm_120.cubin", "remote.sm_90.ptx", kernels);
}

static void multicast_objects_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"many", NULL};
    (void)state;
    compare("many.sm_90.cubin", "many.sm_90.ptx", kernels);
    compare("many.sm_100.cubin", "many.sm_90.ptx", kernels);
    compare("many.sm_120.cubin", "many.sm_90.ptx", kernels);
}

static void images_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"surfaces", "textures", NULL}, *const reductions[] = {"surfaces", NULL};
    static const char *const directions[] = {"cubes", NULL};
    (void)state;
    compare("images.sm_75.cubin", "images.sm_75.ptx", kernels);
    compare("images.sm_80.cubin", "images.sm_75.ptx", kernels);
    compare("images.sm_90.cubin", "images.sm_75.ptx", kernels);
    compare("images.sm_100.cubin", "images.sm_75.ptx", kernels);
    compare("images.sm_120.cubin", "images.sm_75.ptx", kernels);
    compare("cubes.sm_80.cubin", "cubes.sm_75.ptx", directions);
    compare("cubes.sm_90.cubin", "cubes.sm_75.ptx", directions);
    compare("cubes.sm_120.cubin", "cubes.sm_75.ptx", directions);
    compare("reductions.sm_75.cubin", "reductions.sm_75.ptx", reductions);
    compare("reductions.sm_80.cubin", "reductions.sm_75.ptx", reductions);
    compare("reductions.sm_90.cubin", "reductions.sm_75.ptx", reductions);
    compare("reductions.sm_100.cubin", "reductions.sm_75.ptx", reductions);
    compare("reductions.sm_120.cubin", "reductions.sm_75.ptx", reductions);
}

static void parts_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"parts", "spaces", "arrivals", NULL};
    static const char *const before[] = {"parts", "spaces", NULL}; /* sm_75 has no barriers in shared memory */
    (void)state;
    compare("parts.sm_75.cubin", "parts.sm_75.ptx", before);
    compare("parts.sm_80.cubin", "parts.sm_80.ptx", kernels);
    compare("parts.sm_90.cubin", "parts.sm_90.ptx", kernels);
    compare("parts.sm_100.cubin", "parts.sm_90.ptx", kernels);
    compare("parts.sm_120.cubin", "parts.sm_90.ptx", kernels);
}

/* Parts of matrices lie where wmma's abstract layout and ptxas's loads for Volta both bring them. */
static void matrices_of_volta_are_those_of_ptx(void **state)
{
    static const char *const kernels[] = {"volta", "quads", NULL};
    (void)state;
    compare("volta.sm_70.cubin", "volta.sm_70.ptx", kernels);
}

/* ===== every form once ===== */

/* The first code of a kernel in a cubin, as tests/frontend/sass/cubin_test.c finds it: the words of vecadd. */
static unsigned char *code_of(char *image, size_t length)
{
    struct mnp_error error = {{0}};
    struct sass_cubin *cubin = sass_cubin_open("probe", (unsigned char *)image, length, &error);
    unsigned char *code = NULL;
    assert_non_null(cubin);
    for (size_t i = 0; i < cubin->kernel_count && !code; i++)
        if (cubin->kernels[i].entry)
            code = (unsigned char *)(uintptr_t)cubin->kernels[i].code->data;
    sass_cubin_free(cubin);
    return code;
}

/* BRA.U and BRA.U.ANY: lanes that are together branch together, where all want to, or any does. Odd numbers want to go
 * round a loop that adds 16; of 32 random numbers some are odd and some are even. */
static void lanes_branch_as_one(void **state)
{
    static uint32_t output[OUTPUTS];
    enum { BRANCH = 0xc0, UNIFORM = 1, ANY = 1 << 20 };
    struct mnp_error error = {{0}};
    size_t length;
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        char *image = mnp_read_file(DATA "/agree.sm_80.cubin", 1 << 20, &length, &error);
        struct sass_word *word = (struct sass_word *)(void *)(code_of(image, length) + BRANCH);
        word->low |= way ? (uint64_t)UNIFORM << 32 : 0;
        word->high |= way == 2 ? ANY : 0;
        for (uint64_t seed = 1; seed <= 8; seed++) {
            uint64_t numbers = seed;
            if (!run(&sass_language, image, length, "agree", seed, false, output, &error))
                fail_msg("%s", error.text);
            for (uint32_t i = 0; i < THREADS; i++) {
                uint32_t value = operand(&numbers);
                bool round = way ? way == 1 : !(value & 1);
                assert_int_equal(output[i], 1 + (round ? 16 * (value % 3 + 1) : 0));
            }
        }
        free(image);
    }
}

struct coverage {
    uint32_t words, executed;
    char names[256][16]; /* mnemonics that were executed */
    uint32_t name_count;
};

static void note(struct coverage *coverage, const char *text)
{
    char name[16] = {0};
    while (*text == '@')
        text = strchr(text, ' ') + 1;
    memcpy(name, text, strcspn(text, ". ;\t\n") < 15 ? strcspn(text, ". ;\t\n") : 15);
    for (uint32_t i = 0; i < coverage->name_count; i++)
        if (strcmp(coverage->names[i], name) == 0)
            return;
    memcpy(coverage->names[coverage->name_count++], name, sizeof name);
}

/* What docs/sass.md says is not executed of Blackwell's. */
static bool is_refused(const char *text)
{
    static const char *const begins[] = {"UTC",     "LDTM",   "STTM",   "UVIRTCOUNT",    "OMMA",
                                         "QMMA.SF", "FHADD",  "FHFMA",  "HFMA2.OOB",     "HFMA2.BF16_V2.OOB",
                                         "STSM.8",  "LDSM.U", "LDSM.8", "UGETNEXTWORKID"};
    static const char *const has[] = {".E3M2",    ".E2M3",     ".E2M1", ".E8.",           "MULTICAST.2CTA",
                                      ".GATHER4", ".SCATTER4", "D.W",   "DST_G_BYTE_MASK"};
    bool refused = false;
    while (*text == '@')
        text = strchr(text, ' ') + 1;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        refused |= strncmp(text, begins[i], strlen(begins[i])) == 0;
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        refused |= strstr(text, has[i]) != NULL;
    refused &= strncmp(text, "UTMAPF", 6) != 0; /* a hint */
    refused &= strncmp(text, "F2FP", 4) != 0;
    return refused;
}

/* A word and an EXIT behind it, in place of a kernel's first instructions. Whatever it does to memory that is not there
 * is a fault; what is refused is counted. */
static void execute_alone(const char *image, size_t length, size_t place, const char *kernel, struct sass_word word,
                          const char *text, struct coverage *coverage)
{
    static uint32_t output[OUTPUTS];
    static const uint64_t exit_word[2] = {UINT64_C(0x000000000000794d), UINT64_C(0x000fea0003800000)};
    struct mnp_error error = {{0}};
    char *copy = malloc(length);
    memcpy(copy, image, length);
    memcpy(copy + place, &word, sizeof word);
    memcpy(copy + place + sizeof word, exit_word, sizeof exit_word);
    bool refused = is_refused(text);
    coverage->words += !refused;
    if (run(&sass_language, copy, length, kernel, 1, true, output, &error)) {
        coverage->executed += refused ? UINT32_C(1) << 30 : 1; /* a form that is executed is no longer to be listed */
        note(coverage, text);
    } else if (!refused) {
        print_message("# not executed: %s: %s\n", text,
                      strstr(error.text, "address") ? strstr(error.text, "address") : error.text);
    }
    free(copy);
}

static const struct carrier {
    unsigned from; /* architecture */
    const char *file, *kernel;
} carriers[] = {{75, "constants.sm_75.cubin", "constants"},  {80, "constants.sm_80.cubin", "constants"},
                {86, "constants.sm_86.cubin", "constants"},  {89, "constants.sm_89.cubin", "constants"},
                {90, "constants.sm_90.cubin", "constants"},  {100, "constants.sm_100.cubin", "constants"},
                {120, "constants.sm_120.cubin", "constants"}};
enum { CARRIERS = sizeof carriers / sizeof *carriers };

static bool goes_elsewhere(const char *text)
{
    static const char *const names[] = {"BRA", "BRX", "CALL", "RET", "JMP", "JMX", "EXIT"};
    while (*text == '@')
        text = strchr(text, ' ') + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void execute_line(char *line, char *const images[CARRIERS], const size_t lengths[CARRIERS],
                         const size_t places[CARRIERS], struct coverage *coverage)
{
    char *rest = line;
    unsigned architecture = (unsigned)atoi(strsep(&rest, "\t"));
    strsep(&rest, "\t");
    const char *digits = strsep(&rest, "\t");
    uint32_t which = 0;
    while (which + 1 < CARRIERS && carriers[which + 1].from <= architecture)
        which++;
    char half[17] = "";
    struct sass_word word;
    memcpy(half, digits, 16);
    word.high = strtoull(half, NULL, 16);
    word.low = strtoull(digits + 16, NULL, 16);
    word.low = (word.low & ~UINT64_C(0xf000)) | 0x7000; /* no guard */
    if (!goes_elsewhere(rest))
        execute_alone(images[which], lengths[which], places[which], carriers[which].kernel, word, rest, coverage);
}

/* What an instruction says beyond what is known of it is refused by name. */
static void what_is_not_known_is_refused(void **state)
{
    static uint32_t output[OUTPUTS];
    static const struct {
        unsigned architecture;
        struct sass_word word;
        const char *message;
    } cases[] = {
        {86, {UINT64_C(0x000000160c04723c), UINT64_C(0x041ff00003801804)}, "the uniform predicate behind C"},
        {90, {UINT64_C(0x0000000c0b0b7248), UINT64_C(0x004fca0007900100)}, "its second predicate"},
        {80, {UINT64_C(0x000000ff00007202), UINT64_C(0x000fe20000000700)}, "`MOV R0, RZ, 0x7` is not executed"},
        {90, {UINT64_C(0x00000000003f782f), UINT64_C(0x000fe20000840000)}, "its predicate"},
        {75, {UINT64_C(0x0000034000057ab9), UINT64_C(0x000fe40000000800)}, "no multiple of four bytes"},
        {75, {UINT64_C(0x0000030000057ab9), UINT64_C(0x000fe40010000800)}, "bit 92 of 0x"},
        {80, {UINT64_C(0x0000000c0b0d7221), UINT64_C(0x020fca0001c00800)}, "bits 75, 86-88 of 0x"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mnp_error error = {{0}};
        size_t length;
        uint32_t which = 0;
        char path[300];
        while (which + 1 < CARRIERS && carriers[which + 1].from <= cases[i].architecture)
            which++;
        snprintf(path, sizeof path, "%s/%s", DATA, carriers[which].file);
        char *image = mnp_read_file(path, 1 << 20, &length, &error);
        memcpy(code_of(image, length), &cases[i].word, sizeof cases[i].word);
        assert_null(run(&sass_language, image, length, carriers[which].kernel, 1, true, output, &error));
        if (!strstr(error.text, cases[i].message))
            fail_msg("`%s` does not say: %s", error.text, cases[i].message);
        free(image);
    }
}

static void every_form_is_executed(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    struct coverage coverage = {0};
    char *images[CARRIERS], path[300], *line = NULL;
    size_t lengths[CARRIERS], places[CARRIERS], length;
    for (uint32_t i = 0; i < CARRIERS; i++) {
        snprintf(path, sizeof path, "%s/%s", DATA, carriers[i].file);
        images[i] = mnp_read_file(path, 1 << 20, &lengths[i], &error);
        places[i] = (size_t)(code_of(images[i], lengths[i]) - (unsigned char *)images[i]);
    }
    char *text = mnp_read_file(DATA "/words.tsv", 1 << 22, &length, &error), *rest = text;
    assert_non_null(text);
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#')
            execute_line(line, images, lengths, places, &coverage);
    print_message("# %u of %u words executed, %u mnemonics\n", coverage.executed, coverage.words, coverage.name_count);
    assert_int_equal(coverage.executed, coverage.words);
    for (uint32_t i = 0; i < CARRIERS; i++)
        free(images[i]);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_ptx),
        cmocka_unit_test(products_are_those_of_ptx),
        cmocka_unit_test(lanes_are_those_of_ptx),
        cmocka_unit_test(parts_of_constants_are_those_of_ptx),
        cmocka_unit_test(votes_are_those_of_ptx),
        cmocka_unit_test(lanes_branch_as_one),
        cmocka_unit_test(bytes_are_those_of_ptx),
        cmocka_unit_test(extremes_of_halves_are_those_of_ptx),
        cmocka_unit_test(tensors_are_those_of_ptx),
        cmocka_unit_test(accesses_of_256_bits_are_those_of_ptx),
        cmocka_unit_test(pairs_of_floats_are_floats),
        cmocka_unit_test(small_floats_are_those_of_ptx),
        cmocka_unit_test(products_of_complex_numbers_are_those_of_ptx),
        cmocka_unit_test(sums_may_begin_with_one_register),
        cmocka_unit_test(products_of_stored_elements_are_those_of_ptx),
        cmocka_unit_test(vectors_are_those_of_ptx),
        cmocka_unit_test(constants_are_those_of_the_table),
        cmocka_unit_test(packs_are_those_of_their_description),
        cmocka_unit_test(stores_in_a_cluster_are_those_of_ptx),
        cmocka_unit_test(multicast_objects_are_those_of_ptx),
        cmocka_unit_test(images_are_those_of_ptx),
        cmocka_unit_test(parts_are_those_of_ptx),
        cmocka_unit_test(matrices_of_volta_are_those_of_ptx),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(every_form_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
