/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes of images as columns in machine code (UTMALDG.IM2COL, UTMASTG.IM2COL): kernels that ptxas (13.0, sm_90a) made
 * of data/columns.sm_90.ptx leave what their PTX leaves, whose boxes tensor_test.c holds against loops over pixels.
 * Offsets are large enough to show how the register has them.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/copy/tensor_map.h"
#include "execute/device/device.h"
#include "frontend/ptx/program.h"
#include "frontend/sass/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 16384, CHANNELS = 16, PIXELS = 40 };

struct memory {
    uint32_t before[WORDS], tensor[WORDS], out[WORDS];
};

/* A tensor of as many dimensions, C = 16, of which a copy takes 40 pixels. */
static struct execute_tensor_map map_of(uint8_t rank, uint64_t address)
{
    static const uint32_t sizes[] = {CHANNELS, 19, 9, 3, 2};
    struct execute_tensor_map map = {.address = address,
                                     .rank = rank,
                                     .type = EXECUTE_TENSOR_F16,
                                     .im2col = true,
                                     .channels = CHANNELS,
                                     .pixels = PIXELS};
    for (uint32_t i = 0; i < rank; i++) {
        map.dimensions[i] = sizes[i];
        map.element_strides[i] = 1;
        map.strides[i] = i ? map.strides[i - 1] * sizes[i - 1] : 2;
    }
    for (uint32_t i = 0; i + 2 < rank; i++) {
        map.lower[i] = -1;
        map.upper[i] = -2;
    }
    return map;
}

static void run(const struct execute_language *language, const char *path, const char *kernel, uint8_t rank,
                const uint32_t offsets[3], struct memory *memory)
{
    struct execute_device device;
    struct mnp_error error = {{0}};
    size_t length;
    char *text = mnp_read_file(path, 1 << 20, &length, &error);
    assert_non_null(text);
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module = language->load(&device, path, &(struct execute_text){text, length}, 1, &error);
    const struct execute_code *code = module ? language->kernel(module, kernel, &error) : NULL;
    if (!code)
        fail_msg("%s", error.text);
    uint64_t state = 5;
    for (uint32_t i = 0; i < WORDS; i++)
        memory->tensor[i] = (uint32_t)((state = state * UINT64_C(6364136223846793005) + 1) >> 32);
    memcpy(memory->before, memory->tensor, sizeof memory->before);
    memset(memory->out, 0, sizeof memory->out);
    uint64_t tensor = execute_device_allocate(&device, sizeof memory->tensor),
             at = execute_device_allocate(&device, 256);
    uint64_t out = execute_device_allocate(&device, sizeof memory->out);
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS], first = 0;
    struct execute_tensor_map map = map_of(rank, tensor);
    if (!execute_tensor_map_check(&map, &error))
        fail_msg("%s", error.text);
    execute_tensor_map_encode(&map, words);
    assert_true(execute_device_write(&device, tensor, memory->tensor, sizeof memory->tensor) &&
                execute_device_write(&device, at, words, sizeof words) &&
                execute_device_write(&device, out, memory->out, sizeof memory->out));
    const void *arguments[] = {&at, &out, &first, &offsets[0], &offsets[1], &offsets[2]};
    unsigned char storage[256];
    struct execute_launch launch;
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    if (!execute_launch_prepare(&launch, code, grid, block, 0, arguments, storage, &error) ||
        !execute_device_run(&device, &launch, &error))
        fail_msg("%s: %s", kernel, error.text);
    assert_true(execute_device_read(&device, tensor, memory->tensor, sizeof memory->tensor) &&
                execute_device_read(&device, out, memory->out, sizeof memory->out));
    language->unload(module, &device);
    execute_device_release(&device);
    free(text);
}

static void test_columns(void **unused)
{
    (void)unused;
    static const struct {
        const char *kernel;
        uint8_t rank;
        uint32_t offsets[3];
    } cases[] = {{"images3", 3, {3, 0, 0}}, {"images3", 3, {12, 9, 9}}, {"images4", 4, {2, 1, 0}},
                 {"images4", 4, {7, 5, 9}}, {"images5", 5, {0, 0, 0}},  {"images5", 5, {1, 2, 1}},
                 {"images5", 5, {9, 4, 1}}, {"puts4", 4, {0, 0, 0}}};
    static struct memory machine, text;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t some = 0;
        run(&ptx_language, DATA "/columns.sm_90.ptx", cases[i].kernel, cases[i].rank, cases[i].offsets, &text);
        run(&sass_language, DATA "/columns.sm_90.cubin", cases[i].kernel, cases[i].rank, cases[i].offsets, &machine);
        for (uint32_t k = 0; k < WORDS; k++)
            some |= text.out[k] | (text.before[k] ^ text.tensor[k]);
        assert_int_not_equal(some, 0);
        if (memcmp(&machine, &text, sizeof text) != 0)
            fail_msg("%s with offsets %u, %u, %u", cases[i].kernel, cases[i].offsets[0], cases[i].offsets[1],
                     cases[i].offsets[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
