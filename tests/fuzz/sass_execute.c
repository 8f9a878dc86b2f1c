/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: machine code that is loaded, compiled, and executed for a bounded number of instructions.
 *
 * An input that begins as ELF does is a cubin, of which all kernels are executed. Of any other one, the first byte
 * chooses the architecture, and the words of 16 bytes behind it are executed four at a time, with an EXIT behind them,
 * in a cubin made here: a word that faults keeps back no more than three.
 */
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 100, MOST_BYTES = 1 << 22, THREADS = 136, BUFFER = 4096, POINTERS = 8, SHARED = 32768 };

/* ===== execution ===== */

static bool is_small(const struct execute_code *code)
{
    const struct execute_code_function *function = execute_code_function_at(code, 0);
    return function->frame_bytes < MOST_BYTES && function->local_bytes * THREADS < MOST_BYTES &&
           code->shared_bytes < MOST_BYTES && code->parameter_bytes <= BUFFER && code->cluster[0] <= 1 &&
           code->cluster[1] <= 1 && code->cluster[2] <= 1;
}

/* One CTA of four warps and a part of a fifth; parameters are addresses of one buffer. */
static void execute(struct execute_device *device, const struct execute_code *code)
{
    const uint32_t one[3] = {1, 1, 1}, block[3] = {THREADS, 1, 1};
    uint64_t values[BUFFER / sizeof(uint64_t)], buffer = execute_device_allocate(device, BUFFER);
    unsigned char *storage = calloc((size_t)code->parameter_bytes + 16, 1);
    const void **arguments = calloc((size_t)code->parameters.count + 1, sizeof *arguments);
    struct execute_launch launch;
    struct mnp_error error = {{0}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = buffer + i % POINTERS * (BUFFER / POINTERS);
    for (uint32_t i = 0; i < code->parameters.count; i++)
        arguments[i] = values;
    execute_device_write(device, buffer, values, sizeof values);
    if (is_small(code) && execute_launch_prepare(&launch, code, one, block, SHARED, arguments, storage, &error)) {
        struct execute_cta *cta = execute_device_start(device, &launch, 0);
        for (uint32_t step = 0; step < STEPS; step++)
            for (uint32_t i = 0; i < cta->warp_count; i++)
                if (cta->warps[i].status == EXECUTE_RUNNING)
                    execute_warp_run(&cta->warps[i], 1);
        execute_device_report(device, true, &error);
    }
    free(arguments);
    free(storage);
}

static void execute_cubin(const uint8_t *image, size_t size)
{
    struct mnp_error error = {{0}};
    struct execute_device device;
    execute_device_init(&device, 64, NULL);
    struct execute_module *module =
        sass_language.load(&device, "fuzz.cubin", &(struct execute_text){(const char *)image, size}, 1, &error);
    uint32_t place = 0;
    if ((module != NULL) != (error.text[0] == 0))
        abort();
    for (const char *name; module && (name = sass_language.next_kernel(module, &place));) {
        struct mnp_error wrong = {{0}};
        const struct execute_code *code = sass_language.kernel(module, name, &wrong);
        if ((code != NULL) != (wrong.text[0] == 0))
            abort();
        if (!code)
            continue;
        free(sass_language.instructions(code));
        execute(&device, code);
    }
    if (module)
        sass_language.unload(module, &device);
    execute_device_release(&device);
}

/* ===== words ===== */

enum { GROUP = 4, HEAD = 64, CODE_AT = 0x200, MOST_WORDS = 64, INFO_AT = CODE_AT + 16 * MOST_WORDS, INFO_BYTES = 36 };
enum {
    NAMES_AT = INFO_AT + 48,
    SYMBOLS_AT = NAMES_AT + 64,
    IMAGE_BYTES = SYMBOLS_AT + 48,
    SECTIONS = 6,
    BANK_BYTES = 256
};

static const char names[] = "\0.text.k\0.nv.info.k\0.symtab\0.strtab\0k\0.nv.constant3"; /* at 1, 9, 20, 28, 36, 38 */

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_section(uint8_t *image, unsigned index, uint32_t name, uint32_t type, uint64_t offset, uint64_t bytes,
                        uint32_t link, uint32_t info)
{
    uint8_t *at = image + HEAD + 64 * index;
    put(at, name, 4);
    put(at + 4, type, 4);
    put(at + 24, offset, 8);
    put(at + 32, bytes, 8);
    put(at + 40, link, 4);
    put(at + 44, info, 4);
}

/* A cubin whose one kernel, of 64 registers and one parameter of 128 bytes, has these words. */
static uint64_t parameters_at(unsigned architecture)
{
    return architecture < 90 ? 0x160 : architecture < 100 ? 0x210 : 0x380;
}

static void make_cubin(uint8_t image[IMAGE_BYTES], unsigned architecture, const uint8_t *words, size_t bytes)
{
    static const uint8_t header[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7}, at_first[] = {4, 0x0a, 8, 0};
    static const uint8_t parameter[] = {4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}; /* 128 << 18 */
    memset(image, 0, IMAGE_BYTES);
    memcpy(image, header, sizeof header);
    put(image + 18, 190, 2);
    put(image + 40, HEAD, 8);
    put(image + 48, architecture, 4);
    put(image + 58, 64, 2);
    put(image + 60, SECTIONS, 2);
    put(image + 62, 4, 2);
    put_section(image, 1, 1, 1, CODE_AT, bytes, 0, 64u << 24);
    put_section(image, 2, 9, 1, INFO_AT, sizeof at_first + 8 + sizeof parameter, 0, 0);
    put_section(image, 3, 20, 2, SYMBOLS_AT, 48, 4, 0);
    put_section(image, 4, 28, 3, NAMES_AT, sizeof names, 0, 0);
    put_section(image, 5, 38, 1, CODE_AT, BANK_BYTES, 0, 0); /* its bytes are those of the code */
    memcpy(image + CODE_AT, words, bytes);
    memcpy(image + INFO_AT, at_first, sizeof at_first);
    put(image + INFO_AT + 8, parameters_at(architecture), 2);
    put(image + INFO_AT + 10, 128, 2);
    memcpy(image + INFO_AT + 12, parameter, sizeof parameter);
    memcpy(image + NAMES_AT, names, sizeof names);
    put(image + SYMBOLS_AT + 24, 36, 4);
    image[SYMBOLS_AT + 28] = 0x12;
    image[SYMBOLS_AT + 29] = 0x10;
    put(image + SYMBOLS_AT + 30, 1, 2);
}

/* MOV or LDC Ri, c[0][…] of addresses from the parameter on, the words, and an EXIT. */
static void execute_words(unsigned architecture, const uint8_t *words, size_t count)
{
    static uint8_t image[IMAGE_BYTES];
    uint8_t code[16 * MOST_WORDS];
    size_t at = 0;
    for (unsigned i = 0; i < 2 * POINTERS; i++, at += 16) {
        uint64_t offset = parameters_at(architecture) + 4 * i, to = (uint64_t)(2 + i) << 16;
        bool moves = architecture < 100; /* what a MOV has no form for is loaded */
        put(code + at, moves ? 0x7a02 | to | offset / 4 << 40 : 0xff007b82 | to | offset << 38, 8);
        put(code + at + 8, moves ? UINT64_C(0x000fe40000000f00) : UINT64_C(0x000e620000000800), 8);
    }
    memcpy(code + at, words, 16 * count);
    at += 16 * count;
    put(code + at, 0x794d, 8);
    put(code + at + 8, UINT64_C(0x000fea0003800000), 8);
    make_cubin(image, architecture, code, at + 16);
    execute_cubin(image, sizeof image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t architectures[] = {75, 80, 86, 89, 90, 70, 100, 120};
    if (size >= 4 && memcmp(data,
                            "\x7f"
                            "ELF",
                            4) == 0) {
        execute_cubin(data, size);
        return 0;
    }
    for (size_t at = 1; at + 16 <= size; at += 16 * GROUP) {
        size_t left = (size - at) / 16;
        execute_words(architectures[data[0] % sizeof architectures], data + at, left < GROUP ? left : GROUP);
    }
    return 0;
}
