/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAGE = 4096 };

static void probes_pages(void **state)
{
    (void)state;
    unsigned char *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    uint64_t at = (uint64_t)pages;
    memset(pages, 7, 4 * PAGE);
    assert_int_equal(mprotect(pages + 2 * PAGE, PAGE, PROT_READ), 0);
    assert_int_equal(munmap(pages + 3 * PAGE, PAGE), 0);
    assert_true(mnp_probe_read(at, 3 * PAGE) && mnp_probe_read(at + 1, 3 * PAGE - 1));
    assert_true(mnp_probe_write(at, 2 * PAGE) && mnp_probe_write(at + 3, 5));
    assert_false(mnp_probe_write(at + PAGE, PAGE + 1)); /* the third page can be read alone */
    assert_false(mnp_probe_read(at, 3 * PAGE + 1));
    assert_false(mnp_probe_read(at + 3 * PAGE - 1, 2));
    assert_true(mnp_probe_read(at + 3 * PAGE, 0) && mnp_probe_write(0, 0));
    for (unsigned i = 0; i < 2 * PAGE; i++)
        assert_int_equal(pages[i], 7);
    munmap(pages, 3 * PAGE);
}

static void refuses_wild_addresses(void **state)
{
    (void)state;
    static const uint64_t wild[] = {0, 1, 0x1234000, UINT64_C(1) << 47, UINT64_C(1) << 63, UINT64_MAX - 7, UINT64_MAX};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        assert_false(mnp_probe_read(wild[i], 1) || mnp_probe_write(wild[i], 1));
        assert_false(mnp_probe_read(wild[i], UINT64_MAX) || mnp_probe_write(wild[i], UINT64_MAX));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probes_pages), cmocka_unit_test(refuses_wild_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
