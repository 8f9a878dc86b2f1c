/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same image on several devices of a node: the second device's kernels are made from the first one's, and are
 * operation for operation what the image is compiled to for a device alone that has the second one's addresses. Each
 * word of that is compiled as if it had not been met before, which the first device's are not.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/code/share.h"
#include "execute/device/device.h"
#include "frontend/sass/program.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGES = 1 << 12 };

static uint32_t taken, compiled, changed, in_files;

/* Two references mean the same: constants are told by their values, of one register or two. */
static bool same_ref(const struct execute_code *a, uint32_t p, const struct execute_code *b, uint32_t q)
{
    const unsigned char *of_a = a->constants.items, *of_b = b->constants.items;
    if (p == q && p >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_CONSTANT)
        return true;
    if (p == EXECUTE_NO_REF || q == EXECUTE_NO_REF || p >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_CONSTANT ||
        q >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_CONSTANT)
        return false;
    return memcmp(of_a + (p & EXECUTE_OFFSET_MASK), of_b + (q & EXECUTE_OFFSET_MASK), EXECUTE_SMALL_BYTES) == 0;
}

static bool same_op(const struct execute_code *a, const struct execute_code *b, uint32_t place)
{
    const struct execute_op *p = execute_op_at(a, place), *q = execute_op_at(b, place);
    const uint32_t *list_a = a->list.items, *list_b = b->list.items;
    struct execute_op x = *p, y = *q;
    bool same = same_ref(a, p->a, b, q->a) && same_ref(a, p->b, b, q->b) && same_ref(a, p->c, b, q->c) &&
                same_ref(a, p->d, b, q->d);
    for (uint32_t i = 0; same && i < (uint32_t)p->list_results + p->list_sources; i++)
        same = same_ref(a, list_a[p->list + i], b, list_b[q->list + i]);
    if (x.target != y.target) /* a wide immediate of the code's own */
        same = same && ((const uint64_t *)a->wide.items)[x.target] == ((const uint64_t *)b->wide.items)[y.target];
    if (x.kind == EXECUTE_KIND_MATRIX) {
        const struct execute_matrix_form *forms = a->matrices.items, *others = b->matrices.items;
        same = same && memcmp(&forms[x.matrix], &others[y.matrix], sizeof *forms) == 0;
        x.matrix = y.matrix = 0;
    }
    x.a = x.b = x.c = x.d = x.list = x.target = y.a = y.b = y.c = y.d = y.list = y.target = 0;
    return same && memcmp(&x, &y, sizeof x) == 0;
}

static void compare(const char *file, const char *name, const struct execute_code *made,
                    const struct execute_code *alone)
{
    assert_int_equal(made->ops.count, alone->ops.count);
    for (uint32_t i = 0; i < made->ops.count; i++)
        if (!same_op(made, alone, i))
            fail_msg("%s, %s: operation %u is not what it is on a device alone", file, name, i);
    assert_int_equal(made->bank.count, alone->bank.count);
    assert_memory_equal(made->bank.items, alone->bank.items, made->bank.count * sizeof(struct execute_bank_word));
    assert_memory_equal(made->functions.items, alone->functions.items,
                        made->functions.count * sizeof(struct execute_code_function));
    assert_memory_equal(made->special_offset, alone->special_offset, sizeof made->special_offset);
    assert_int_equal(made->has_values, alone->has_values);
    assert_int_equal(made->names_members, alone->names_members);
    assert_int_equal(made->follows_memory, alone->follows_memory);
    assert_int_equal(made->deep_stack, alone->deep_stack);
}

/* Operations of a code that differ from the first device's. */
static uint32_t differing(const struct execute_code *code, const struct execute_code *first)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < code->ops.count; i++)
        count += memcmp(execute_op_at(code, i), execute_op_at(first, i), sizeof(struct execute_op)) != 0;
    return count;
}

static struct execute_module *load(struct execute_device *device, const char *file, const struct execute_text *text)
{
    struct mnp_error error = {{0}};
    return sass_language.load(device, file, text, 1, &error);
}

static void check_kernel(const char *file, const char *name, struct execute_module *const modules[3])
{
    struct mnp_error error = {{0}};
    const struct execute_code *codes[3];
    for (int i = 0; i < 3; i++)
        codes[i] = sass_language.kernel(modules[i], name, &error);
    assert_true(!codes[0] == !codes[1] && !codes[1] == !codes[2]);
    if (!codes[0])
        return;
    bool shared = codes[0]->share == codes[1]->share;
    assert_null(codes[2]->share);
    compare(file, name, codes[1], codes[2]);
    taken += shared;
    compiled += !shared;
    in_files += shared && codes[0]->share->file >= 0;
    changed += shared && differing(codes[1], codes[0]);
}

static void check_image(const char *file, const struct execute_text *text)
{
    struct mnp_memory memory, other;
    struct execute_device devices[2], alone, *const list[] = {&devices[0], &devices[1]};
    const char *name;
    mnp_memory_init(&memory, PAGES);
    mnp_memory_init(&other, PAGES);
    for (uint32_t i = 0; i < 2; i++)
        execute_device_init_in(&devices[i], &memory, i, NULL);
    execute_device_join(list, 2);
    execute_device_init_in(&alone, &other, 1, NULL);
    struct execute_module *modules[] = {load(&devices[0], file, text), load(&devices[1], file, text),
                                        load(&alone, file, text)};
    uint32_t place = 0;
    if (modules[2])
        ((struct sass_program *)modules[2])->forgets = true;
    while (modules[0] && (name = sass_language.next_kernel(modules[0], &place)))
        check_kernel(file, name, modules);
    if (modules[0]) { /* the first device's goes first */
        sass_language.unload(modules[0], &devices[0]);
        sass_language.unload(modules[1], &devices[1]);
        sass_language.unload(modules[2], &alone);
    }
    execute_device_release(&devices[0]);
    execute_device_release(&devices[1]);
    execute_device_release(&alone);
    mnp_memory_release(&memory);
    mnp_memory_release(&other);
}

static void test_images(void **state)
{
    (void)state;
    DIR *folder = opendir(DATA);
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        struct mnp_error error = {{0}};
        char path[1000];
        size_t length;
        if (!strstr(entry->d_name, ".cubin"))
            continue;
        snprintf(path, sizeof path, "%s/%s", DATA, entry->d_name);
        char *bytes = mnp_read_file(path, 1 << 24, &length, &error);
        assert_non_null(bytes);
        check_image(entry->d_name, &(struct execute_text){.text = bytes, .length = length});
        free(bytes);
    }
    closedir(folder);
    print_message("%u kernels taken, %u with operations of their own, %u by files; %u compiled anew\n", taken, changed,
                  in_files, compiled);
    assert_true(taken > 50 && changed > 0 && in_files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_images)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
