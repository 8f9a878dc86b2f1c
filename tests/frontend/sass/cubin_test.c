/* SPDX-License-Identifier: BSD-3-Clause */
/* The cubin reader on cubins of our own programs: what CUDA's own tools say of them, and damage at every byte. */
#include "base/file.h"
#include "frontend/sass/cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned char *read_data(const char *path, size_t *length)
{
    struct mnp_error error = {{0}};
    unsigned char *image = (unsigned char *)mnp_read_file(path, 1 << 20, length, &error);
    assert_non_null(image);
    return image;
}

/* vecadd(const float *, const float *, float *, unsigned) of sm_80, as `cuobjdump -elf` shows it. */
static void a_kernel_has_what_its_attributes_say(void **state)
{
    (void)state;
    static const uint32_t offsets[] = {0, 8, 16, 24}, bytes[] = {8, 8, 8, 4};
    struct mnp_error error = {{0}};
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    struct sass_cubin *cubin = sass_cubin_open("vecadd", image, length, &error);
    assert_non_null(cubin);
    assert_int_equal(sass_cubin_architecture(cubin), 80);
    assert_int_equal(sass_cubin_kernel_count(cubin), 1);
    const struct sass_kernel *kernel = sass_cubin_kernel(cubin, 0);
    assert_string_equal(kernel->name, "vecadd");
    assert_true(kernel->entry);
    assert_int_equal(kernel->words, 32);
    assert_int_equal(kernel->registers, 12);
    assert_int_equal(kernel->frame, 0);
    assert_int_equal(kernel->parameters_at, 0x160);
    assert_int_equal(kernel->parameter_bytes, 28);
    assert_int_equal(kernel->parameter_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(kernel->parameters[i].offset, offsets[i]);
        assert_int_equal(kernel->parameters[i].bytes, bytes[i]);
    }
    assert_non_null(kernel->constants[0]);
    assert_int_equal(kernel->constants[0]->bytes, 0x17c);
    sass_cubin_free(cubin);
    free(image);
}

/* The second number of the note: ptxas of CUDA 13.0 writes 75 there for -arch=compute_75 -code=sm_80. */
static void the_source_is_that_of_the_note(void **state)
{
    (void)state;
    static const unsigned char note[] = "NVIDIA Corp\0\2\0P"; /* 0x50 */
    static const struct {
        unsigned char says;
        unsigned is;
    } rows[] = {{80, 80}, {75, 75}, {0, 80}, {86, 80}};
    struct mnp_error error = {{0}};
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    unsigned char *place = memmem(image, length, note, sizeof note - 1);
    assert_non_null(place);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i)
            place[14] = rows[i].says;
        struct sass_cubin *cubin = sass_cubin_open("vecadd", image, length, &error);
        assert_non_null(cubin);
        assert_int_equal(sass_cubin_source(cubin), rows[i].is);
        sass_cubin_free(cubin);
    }
    free(image);
}

/* nvlink writes so of a kernel whose functions call themselves, in code of -G. */
static void a_stack_without_bound_is_not_one_of_4_gib(void **state)
{
    (void)state;
    static const unsigned char head[] = {4, 0x12, 8, 0}; /* a minimum of stack, of 8 bytes: symbol and value */
    struct mnp_error error = {{0}};
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    unsigned char *place = memmem(image, length, head, sizeof head);
    assert_non_null(place);
    memset(place + 8, 0xff, 4);
    struct sass_cubin *cubin = sass_cubin_open("vecadd", image, length, &error);
    assert_non_null(cubin);
    assert_int_equal(sass_cubin_kernel(cubin, 0)->stack, 0);
    sass_cubin_free(cubin);
    free(image);
}

static void shared_memory_is_found(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    size_t length;
    unsigned char *image = read_data(DATA "/histogram.sm_90.cubin", &length);
    struct sass_cubin *cubin = sass_cubin_open("histogram", image, length, &error);
    assert_non_null(cubin);
    assert_int_equal(sass_cubin_architecture(cubin), 90);
    assert_int_equal(sass_cubin_kernel(cubin, 0)->shared_bytes, 2048);
    assert_int_equal(sass_cubin_kernel(cubin, 0)->parameters_at, 0x210);
    sass_cubin_free(cubin);
    free(image);
}

/* Every word and every byte that the reader points to lies inside the image. */
static void read_everything(const struct sass_cubin *cubin, const unsigned char *image, size_t length)
{
    for (size_t i = 0; i < sass_cubin_kernel_count(cubin); i++) {
        const struct sass_kernel *kernel = sass_cubin_kernel(cubin, i);
        assert_in_range(kernel->code->data - image, 0, length);
        assert_in_range(kernel->words * SASS_WORD_BYTES, 0, length - (size_t)(kernel->code->data - image));
        if (kernel->exits)
            assert_in_range(4 * kernel->exit_count, 0, length - (size_t)(kernel->exits - image));
    }
}

static void open_damaged(const unsigned char *image, size_t length)
{
    struct mnp_error error = {{0}};
    struct sass_cubin *cubin = sass_cubin_open("damaged", image, length, &error);
    assert_int_equal(cubin == NULL, error.text[0] != 0);
    if (cubin)
        read_everything(cubin, image, length);
    else
        assert_non_null(strstr(error.text, "byte"));
    sass_cubin_free(cubin);
}

static void cut_cubins_are_refused(void **state)
{
    (void)state;
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    for (size_t cut = 0; cut < length; cut++) {
        unsigned char *part = malloc(cut + 1); /* so that a sanitizer sees a read behind the end */
        assert_non_null(part);
        memcpy(part, image, cut);
        open_damaged(part, cut);
        free(part);
    }
    free(image);
}

static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    for (size_t at = 0; at < length; at++) {
        unsigned char kept = image[at];
        for (unsigned i = 0; i < sizeof values; i++) {
            image[at] = values[i];
            open_damaged(image, length);
        }
        image[at] = kept;
    }
    free(image);
}

static void another_machine_is_named(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    size_t length;
    unsigned char *image = read_data(DATA "/vecadd.sm_80.cubin", &length);
    image[18] = 62; /* x86-64 */
    assert_null(sass_cubin_open("program", image, length, &error));
    assert_non_null(strstr(error.text, "another machine"));
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_what_its_attributes_say),
        cmocka_unit_test(the_source_is_that_of_the_note),
        cmocka_unit_test(a_stack_without_bound_is_not_one_of_4_gib),
        cmocka_unit_test(shared_memory_is_found),
        cmocka_unit_test(cut_cubins_are_refused),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(another_machine_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
