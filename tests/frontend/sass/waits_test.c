/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits for copies in machine code. ARRIVES.LDGSTSBAR takes effect when copies of lanes have landed.
 * cp.async.bulk.wait_group and its form .read are the same DEPBAR.LE; behind the first ptxas has CCTL.IVALL, behind the
 * second nothing. Words as ptxas 13.0 orders them for sm_90a, and otherwise.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t flush[2] = {0x00000000000079b7, 0x0001e20000000000},
                      wait[2] = {0x000080000000791a, 0x000fc80000000000},
                      invalidate[2] = {0x00000000ff00798f, 0x000fe80002000000},
                      leave[2] = {0x000000000000794d, 0x000fea0003800000},
                      nothing[2] = {0x0000000000007918, 0x000fc00000000000};

enum { ALONE = 100 }; /* a wait that takes no time of a fence, as there are no other copies */

static bool is_wait(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_ASYNC_GROUP && op->variant != EXECUTE_GROUP_COPIES_COMMIT;
}

static bool is_arrival(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_MBARRIER && op->access.landed;
}

/* The first such operation of a kernel of these words; NOP fills it up. -1: there is none. */
static int first_in(const uint64_t *const *words, uint32_t count, bool (*is)(const struct execute_op *op))
{
    struct mnp_error error = {{0}};
    struct execute_device device;
    size_t length, at = 0;
    uint32_t place = 0;
    char *image = mnp_read_file(DATA "/constants.sm_90.cubin", 1 << 20, &length, &error);
    assert_non_null(image);
    struct sass_cubin *cubin = sass_cubin_open("waits", (unsigned char *)image, length, &error);
    assert_non_null(cubin);
    for (size_t k = 0; k < cubin->kernel_count; k++)
        if (cubin->kernels[k].entry) {
            at = (size_t)((const char *)cubin->kernels[k].code->data - image);
            for (uint32_t i = 0; i < cubin->kernels[k].words; i++)
                memcpy(image + at + 16 * (size_t)i, i < count ? words[i] : nothing, 16);
        }
    sass_cubin_free(cubin);
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module =
        sass_language.load(&device, "waits", &(struct execute_text){image, length}, 1, &error);
    const struct execute_code *code =
        module ? sass_language.kernel(module, sass_language.next_kernel(module, &place), &error) : NULL;
    if (!code)
        fail_msg("%s", error.text);
    const struct execute_op *ops = code->ops.items;
    int found = -1;
    for (uint32_t i = 0; i < count && found < 0; i++)
        if (is(&ops[i]))
            found = ops[i].variant + ops[i].combine * ALONE;
    sass_language.unload(module, &device);
    execute_device_release(&device);
    free(image);
    return found;
}

static int wait_in(const uint64_t *const *words, uint32_t count)
{
    return first_in(words, count, is_wait);
}

static void test_arrivals(void **unused)
{
    (void)unused;
    static const uint64_t arrival[2] = {0x00000000ff0079b0, 0x000fe20008000a47},
                          bytes[2] = {0x00000000ff0079b0, 0x000fe80008000a87};
    const uint64_t *arrives[] = {arrival, leave}, *completes[] = {bytes, leave}, *none[] = {leave};
    assert_int_equal(first_in(arrives, 2, is_arrival), EXECUTE_MBARRIER_ARRIVE);
    assert_int_equal(first_in(completes, 2, is_arrival), EXECUTE_MBARRIER_COMPLETE);
    assert_int_equal(first_in(none, 1, is_arrival), -1);
}

static void test_waits(void **unused)
{
    (void)unused;
    const uint64_t *all[] = {flush, wait, invalidate, leave},
                   *later[] = {flush, wait, nothing, nothing, invalidate, leave};
    assert_int_equal(wait_in(all, 4), EXECUTE_GROUP_COPIES_WAIT + ALONE);
    assert_int_equal(wait_in(later, 6), EXECUTE_GROUP_COPIES_WAIT + ALONE);
    const uint64_t *read[] = {flush, wait, leave}, *others[] = {flush, wait, flush, wait, invalidate, leave},
                   *none[] = {nothing, wait, invalidate, leave};
    assert_int_equal(wait_in(read, 3), EXECUTE_GROUP_COPIES_WAIT_READ + ALONE);
    assert_int_equal(wait_in(others, 6), EXECUTE_GROUP_COPIES_WAIT_READ + ALONE);
    assert_int_equal(wait_in(none, 4), -1); /* of code without bulk copies */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_arrivals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
