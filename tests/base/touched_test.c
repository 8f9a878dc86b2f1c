/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pages of private memory have been touched. */
#include "base/touched.h"

#include "base/allocate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 3 * MNP_TOUCHED_ENTRIES + 5, ODD = 100 /* bytes of a last page that is no whole one */ };

/* Whether the system answers: otherwise all memory counts as touched. */
static bool system_answers(const void *memory, size_t size)
{
    struct mnp_page_map map = mnp_page_map_open();
    struct mnp_touched touched;
    mnp_touched_begin(&touched, &map, memory, size);
    bool answers = touched.file >= 0;
    mnp_page_map_close(&map);
    return answers;
}

/* The bytes told of, in all; each of `marks` that is not zero lies in them, and in ascending order. */
static size_t bytes_told(const unsigned char *memory, size_t size, const unsigned char *marks, size_t page)
{
    struct mnp_page_map map = mnp_page_map_open();
    struct mnp_touched touched;
    size_t from, to, end = 0, told = 0, marked = 0;
    mnp_touched_begin(&touched, &map, memory, size);
    while (mnp_touched_next(&touched, &from, &to)) {
        assert_true(from >= end && from < to && to <= size && from % page == 0);
        for (size_t i = from / page; i * page < to; i++)
            marked += marks[i];
        told += to - from;
        end = to;
    }
    for (size_t i = 0; i < PAGES; i++)
        marked -= marks[i];
    assert_int_equal(marked, 0);
    mnp_page_map_close(&map);
    return told;
}

static void test_pages_that_were_written_are_told_of_and_no_others(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (PAGES - 1) * page + ODD;
    unsigned char *memory = mnp_allocate_pages(PAGES * page), marks[PAGES] = {0};
    bool answers = system_answers(memory, size);
    assert_int_equal(bytes_told(memory, size, marks, page), answers ? 0 : size);
    static const size_t written[] = {1, MNP_TOUCHED_ENTRIES - 1, MNP_TOUCHED_ENTRIES, MNP_TOUCHED_ENTRIES + 1,
                                     PAGES - 1};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        memory[written[i] * page + i] = marks[written[i]] = 1;
        size_t last = written[i] == PAGES - 1 ? ODD : page;
        assert_int_equal(bytes_told(memory, size, marks, page), answers ? i * page + last : size);
    }
    mnp_release_pages(memory, PAGES * page);
}

static void test_memory_that_was_read_counts_as_touched(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory = mnp_allocate_pages(PAGES * page), marks[PAGES] = {0};
    if (!system_answers(memory, PAGES * page))
        skip();
    marks[7] = 1 + *(volatile unsigned char *)&memory[7 * page];
    assert_int_equal(bytes_told(memory, PAGES * page, marks, page), page);
    mnp_release_pages(memory, PAGES * page);
}

static void test_a_page_or_less_is_told_of_whole(void **state)
{
    (void)state;
    static const unsigned char small[ODD];
    struct mnp_page_map map = mnp_page_map_open();
    struct mnp_touched touched;
    size_t from, to;
    mnp_touched_begin(&touched, &map, small, ODD);
    assert_true(mnp_touched_next(&touched, &from, &to));
    assert_true(from == 0 && to == ODD);
    assert_false(mnp_touched_next(&touched, &from, &to));
    mnp_touched_begin(&touched, &map, small, 0);
    assert_false(mnp_touched_next(&touched, &from, &to));
    mnp_page_map_close(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_that_were_written_are_told_of_and_no_others),
        cmocka_unit_test(test_memory_that_was_read_counts_as_touched),
        cmocka_unit_test(test_a_page_or_less_is_told_of_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
