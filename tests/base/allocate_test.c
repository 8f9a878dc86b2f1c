/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of their own: zeros, and room for those alone that are touched, also where others were given back before. */
#include "base/allocate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* Pages of this process that are in memory. */
static long resident(void)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &size, &pages), 2);
    fclose(file);
    return pages;
}

static void untouched_pages_take_no_room(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 4096 * page;
    (void)state;
    for (int round = 0; round < 3; round++) {
        long before = resident();
        unsigned char *pages = mnp_allocate_pages(bytes);
        for (size_t at = 0; at < bytes; at += 64 * page) {
            assert_int_equal(pages[at], 0);
            pages[at] = 1;
        }
        long taken = resident() - before; /* 64 pages, and what the system counts late */
        mnp_release_pages(pages, bytes);
        assert_in_range(taken, 0, 2048);
    }
    mnp_release_pages(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(untouched_pages_take_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
