/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of machine code name the line of the source (probes/lines.cu), and the one that it is inlined at; damaged line
 * tables do no harm. */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_cubin(const char *path, size_t *length)
{
    struct mnp_error error = {{0}};
    char *image = mnp_read_file(path, 1 << 20, length, &error);
    assert_non_null(image);
    return image;
}

/* What is said of the kernel's fault; "" where it is refused. */
static void run(const char *image, size_t length, const char *kernel, struct mnp_error *error)
{
    struct execute_device device;
    struct execute_launch launch;
    unsigned char storage[64];
    const uint32_t one[3] = {1, 1, 1};
    *error = (struct mnp_error){{0}};
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module =
        sass_language.load(&device, "lines.cubin", &(struct execute_text){image, length}, 1, error);
    const struct execute_code *code = module ? sass_language.kernel(module, kernel, error) : NULL;
    uint64_t out = execute_device_allocate(&device, 256);
    const void *arguments[] = {&out};
    bool fits = code && code->parameter_bytes <= sizeof storage && code->parameters.count == 1;
    if (fits && execute_launch_prepare(&launch, code, one, one, 0, arguments, storage, error))
        assert_false(execute_device_run(&device, &launch, error));
    if (module)
        sass_language.unload(module, &device);
    execute_device_release(&device);
}

static void faults_name_lines(void **state)
{
    (void)state;
    static const char *const paths[] = {DATA "/lines.sm_80.cubin", DATA "/lines.sm_90.cubin"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct mnp_error error;
        size_t length;
        char *image = read_cubin(paths[i], &length);
        run(image, length, "plain", &error);
        assert_non_null(strstr(error.text, "lines.cubin: kernel plain, address 0x"));
        assert_non_null(strstr(error.text, " at /maniple/lines.cu:12, block (0,0,0), thread (0,0,0): `STG`"));
        run(image, length, "inlined", &error);
        assert_non_null(strstr(error.text, " at /maniple/lines.cu:6 inlined at /maniple/lines.cu:18, block"));
        free(image);
    }
}

/* Each byte of the line table, with some values: the fault is the same, whatever is said of its place. */
static void damaged_tables_do_no_harm(void **state)
{
    (void)state;
    static const char values[] = {0, 1, 5, 0x7f, (char)0x80, (char)0x90, (char)0xff};
    static const unsigned char head[] = {2, 0}; /* the version, behind the table's length */
    size_t length;
    char *image = read_cubin(DATA "/lines.sm_80.cubin", &length);
    char *name = memmem(image, length, "/maniple", 9);
    assert_non_null(name);
    char *table = name - 24; /* where lengths, version and operands of opcodes stand */
    assert_memory_equal(table + 4, head, sizeof head);
    for (size_t at = 0; at < 150; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            struct mnp_error error;
            char kept = table[at];
            table[at] = values[i];
            run(image, length, "inlined", &error);
            assert_non_null(strstr(error.text, "kernel inlined, address 0x"));
            table[at] = kept;
        }
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_lines),
        cmocka_unit_test(damaged_tables_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
