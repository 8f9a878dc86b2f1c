/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cubins that are damaged as files are (cut, with other bytes in headers, tables, attributes and instructions): each is
 * refused with its place, or executes for a bounded number of instructions; nothing else happens. What a message has to
 * name is known from where the damage was done.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 300, MOST_BYTES = 1 << 22, SECTION_BYTES = 64, EXIT_LOW = 0x794d, NOP_LOW = 0x7918 };

static const char *const cubins[] = {DATA "/pathfinder.sm_75.cubin", DATA "/vecadd.sm_80.cubin",
                                     DATA "/histogram.sm_90.cubin"};

struct image {
    unsigned char *bytes;
    size_t length;
};

static struct image read_image(const char *path)
{
    struct mnp_error error = {{0}};
    struct image image;
    image.bytes = (unsigned char *)mnp_read_file(path, 1 << 20, &image.length, &error);
    assert_non_null(image.bytes);
    return image;
}

static uint64_t number_at(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* ===== execution, bounded ===== */

static void run(struct execute_device *device, const struct execute_code *code, struct mnp_error *error)
{
    const uint32_t one[3] = {1, 1, 1}, block[3] = {64, 1, 1};
    const struct execute_code_function *function = execute_code_function_at(code, 0);
    static const unsigned char zeros[4096];
    unsigned char *storage = calloc((size_t)code->parameter_bytes + 16, 1);
    const void **arguments = calloc((size_t)code->parameters.count + 1, sizeof *arguments);
    struct execute_launch launch;
    for (uint32_t i = 0; i < code->parameters.count; i++)
        arguments[i] = zeros;
    bool small = function->frame_bytes < MOST_BYTES && function->local_bytes < MOST_BYTES / 64 &&
                 code->shared_bytes < MOST_BYTES && code->parameter_bytes <= sizeof zeros;
    if (small && execute_launch_prepare(&launch, code, one, block, 0, arguments, storage, error)) {
        struct execute_cta *cta = execute_device_start(device, &launch, 0);
        for (uint32_t step = 0; step < STEPS; step++)
            for (uint32_t i = 0; i < cta->warp_count; i++)
                if (cta->warps[i].status == EXECUTE_RUNNING)
                    execute_warp_run(&cta->warps[i], 1);
        execute_device_report(device, true, error);
    }
    free(arguments);
    free(storage);
}

/* Loads a cubin, compiles and runs its kernels. What is refused is refused with its place. True: it was compiled. */
static bool take(const unsigned char *bytes, size_t length, struct mnp_error *error)
{
    struct execute_device device;
    uint32_t place = 0;
    bool compiled = true;
    *error = (struct mnp_error){{0}};
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module =
        sass_language.load(&device, "damaged", &(struct execute_text){(const char *)bytes, length}, 1, error);
    assert_int_equal(module == NULL, error->text[0] != 0);
    for (const char *name; module && compiled && (name = sass_language.next_kernel(module, &place));) {
        const struct execute_code *code = sass_language.kernel(module, name, error);
        assert_int_equal(code == NULL, error->text[0] != 0);
        compiled = code != NULL;
        if (code)
            run(&device, code, error);
    }
    compiled &= module != NULL;
    if (!compiled && !strstr(error->text, ", byte ") && !strstr(error->text, ", address 0x") &&
        !strstr(error->text, "cubin, kernel "))
        fail_msg("refused without a place: %s", error->text);
    if (module)
        sass_language.unload(module, &device);
    execute_device_release(&device);
    return compiled;
}

/* The same of a copy that ends where the memory does. */
static bool take_copy(const struct image *image, size_t length, struct mnp_error *error)
{
    unsigned char *copy = malloc(length + !length);
    assert_non_null(copy);
    memcpy(copy, image->bytes, length);
    bool compiled = take(copy, length, error);
    free(copy);
    return compiled;
}

static void assert_names(const struct mnp_error *error, const char *what)
{
    if (!strstr(error->text, what))
        fail_msg("`%s` does not name: %s", error->text, what);
}

/* ===== damage ===== */

static void cut_cubins_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cubins / sizeof *cubins; i++) {
        struct image image = read_image(cubins[i]);
        struct mnp_error error;
        size_t needed = number_at(image.bytes + 40, 8) + SECTION_BYTES * number_at(image.bytes + 60, 2);
        for (size_t length = 0; length < image.length; length += 1 + length / 40) {
            bool whole = take_copy(&image, length, &error);
            assert_false(whole && length < needed); /* the table of sections; what loads segments lies behind it */
        }
        assert_true(take_copy(&image, image.length, &error));
        free(image.bytes);
    }
}

static void headers_of_sections_are_looked_at(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 3, 0x7fffffff, UINT32_MAX, UINT64_MAX - 7, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof cubins / sizeof *cubins; i++) {
        struct image image = read_image(cubins[i]);
        struct mnp_error error;
        uint64_t table = number_at(image.bytes + 40, 8), count = number_at(image.bytes + 60, 2);
        uint32_t refused = 0;
        for (uint64_t field = 4; field < count * SECTION_BYTES; field += 4)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                unsigned char kept[8], *at = image.bytes + table + field;
                unsigned bytes = field % SECTION_BYTES >= 8 && field % 8 == 0 && field % SECTION_BYTES < 40 ? 8 : 4;
                memcpy(kept, at, sizeof kept);
                put(at, values[k], bytes);
                refused += !take(image.bytes, image.length, &error);
                memcpy(at, kept, sizeof kept);
            }
        assert_true(refused > 100);
        free(image.bytes);
    }
}

/* Where the one kernel's code lies in the file. */
static unsigned char *code_of(const struct image *image, size_t *words)
{
    struct mnp_error error = {{0}};
    struct sass_cubin *cubin = sass_cubin_open("code", image->bytes, image->length, &error);
    assert_non_null(cubin);
    unsigned char *code = image->bytes + cubin->kernels[0].code->offset;
    *words = cubin->kernels[0].words;
    sass_cubin_free(cubin);
    return code;
}

/* Every bit of the first instructions, and every operation in the place of the first one. */
static void other_instructions_are_refused_or_executed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cubins / sizeof *cubins; i++) {
        struct image image = read_image(cubins[i]);
        struct mnp_error error;
        size_t words;
        unsigned char *code = code_of(&image, &words);
        for (size_t bit = 0; bit < 128 * 12; bit += 1) {
            code[bit / 8] ^= (unsigned char)(1u << bit % 8);
            take(image.bytes, image.length, &error);
            code[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        unsigned char kept[16];
        memcpy(kept, code, sizeof kept);
        for (uint32_t operation = 0; operation < 1 << 12; operation += 5) {
            put(code, operation | 0x7000, 2);
            if (!take(image.bytes, image.length, &error))
                assert_names(&error, ", address 0x0");
        }
        memcpy(code, kept, sizeof kept);
        free(image.bytes);
    }
}

static void what_is_refused_is_named(void **state)
{
    (void)state;
    struct image image = read_image(DATA "/vecadd.sm_80.cubin");
    struct mnp_error error;
    size_t words;
    unsigned char *code = code_of(&image, &words);
    put(code + 16 * 3, 0x7fff, 2);
    assert_false(take(image.bytes, image.length, &error));
    assert_names(&error, "kernel vecadd, address 0x30: no form of sm_80 has these bits: operation 0xfff");
    put(code + 16 * 3, 0x794d, 8); /* EXIT, with one bit more than it has, and with two */
    put(code + 16 * 3 + 8, UINT64_C(0x000fea0003800100), 8);
    assert_false(take(image.bytes, image.length, &error));
    assert_names(&error,
                 "address 0x30: bit 72 of 0x000fea0003800100000000000000794d means nothing known in EXIT of sm_80");
    assert_null(strstr(error.text, "use --code"));
    put(code + 16 * 3 + 8, UINT64_C(0x000fea0003800300), 8);
    assert_false(take(image.bytes, image.length, &error));
    assert_names(&error,
                 "address 0x30: bits 72-73 of 0x000fea0003800300000000000000794d mean nothing known in EXIT of sm_80");
    put(code + 16 * 3, UINT64_C(0x7947) | UINT64_C(0x7ffffff0) << 32, 8); /* BRA, two thousand million bytes on */
    put(code + 16 * 3 + 8, UINT64_C(0x000fea0003800000), 8);
    assert_false(take(image.bytes, image.length, &error));
    assert_names(&error, "kernel vecadd, address 0x30: `BRA");
    assert_names(&error, "its target, which lies outside its function");
    image.bytes[48] = image.bytes[49] = 61;
    assert_false(take(image.bytes, image.length, &error));
    assert_names(&error, "cubin, header, byte 48: its code is for sm_61");
    free(image.bytes);
}

/* Without an EXIT control comes to where no instruction is. */
static void code_without_an_end_faults(void **state)
{
    (void)state;
    struct image image = read_image(DATA "/vecadd.sm_80.cubin");
    struct mnp_error error;
    size_t words;
    unsigned char *code = code_of(&image, &words);
    for (size_t i = 0; i < words; i++) {
        put(code + 16 * i, NOP_LOW, 8);
        put(code + 16 * i + 8, UINT64_C(0x000fc00000000000), 8);
    }
    assert_true(take(image.bytes, image.length, &error));
    assert_names(&error, "to nowhere, value 0x200");
    put(code, EXIT_LOW, 8);
    put(code + 8, UINT64_C(0x000fea0003800000), 8);
    assert_true(take(image.bytes, image.length, &error));
    assert_string_equal(error.text, "");
    free(image.bytes);
}

/* Gives the first symbol whose name has room for it a name that begins with `beginning`. */
static void rename_symbol(struct image *image, const struct sass_cubin *cubin, const char *beginning)
{
    for (size_t i = 0; i < sass_cubin_symbol_count(cubin); i++) {
        size_t place = (size_t)(cubin->symbols[i].name - (const char *)image->bytes);
        if (strlen(cubin->symbols[i].name) < strlen(beginning))
            continue;
        assert_true(place < image->length);
        memcpy(image->bytes + place, beginning, strlen(beginning));
        return;
    }
    fail_msg("no symbol has room for %s", beginning);
}

/* A relocation of a kind that nobody knows, one of a name that nothing defines, and one behind its section's end; and
 * the first where the module has functions by which kernels launch others. */
static void relocations_are_looked_at(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset, type_and_symbol;
        const char *names, *symbol;
    } rows[] = {{0, 250, "cubin, .text.vecadd, byte 0: a relocation of type 250 for"},
                {0, 250, "byte 0: launches from kernels (dynamic parallelism) are not supported", "__cudaCDP2"},
                {0x4000, 2, "byte 0: a relocation lies behind the end of its section"},
                {0, UINT64_C(9999) << 32 | 2, "byte 0: a relocation names a symbol that is not there"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image image = read_image(DATA "/vecadd.sm_80.cubin");
        struct mnp_error error = {{0}};
        struct sass_cubin *cubin = sass_cubin_open("cubin", image.bytes, image.length, &error);
        uint64_t table = number_at(image.bytes + 40, 8);
        for (uint32_t k = 0; k < cubin->section_count; k++) /* that of debugging becomes the code's */
            if (strcmp(cubin->sections[k].name, ".rel.debug_frame") == 0) {
                put(image.bytes + table + SECTION_BYTES * k + 44, cubin->kernels[0].section, 4);
                put(image.bytes + cubin->sections[k].offset, rows[i].offset, 8);
                uint64_t own = rows[i].type_and_symbol >> 32 ? 0 : UINT64_C(1) << 32;
                put(image.bytes + cubin->sections[k].offset + 8, rows[i].type_and_symbol | own, 8);
            }
        if (rows[i].symbol)
            rename_symbol(&image, cubin, rows[i].symbol);
        sass_cubin_free(cubin);
        assert_false(take(image.bytes, image.length, &error));
        assert_names(&error, rows[i].names);
        free(image.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_cubins_are_refused),
        cmocka_unit_test(headers_of_sections_are_looked_at),
        cmocka_unit_test(other_instructions_are_refused_or_executed),
        cmocka_unit_test(what_is_refused_is_named),
        cmocka_unit_test(code_without_an_end_faults),
        cmocka_unit_test(relocations_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
