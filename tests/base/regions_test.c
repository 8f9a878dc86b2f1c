/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions in use: the addresses are those of a first fit that goes through a list, which is written down here. */
#include "base/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEGIN = 0x1000, END = 0x41000, ALIGN = 256, MOST = 512 };

struct list {
    struct mnp_region items[MOST];
    uint32_t count;
};

static uint64_t take(struct list *list, uint64_t bytes)
{
    uint64_t at = BEGIN;
    uint32_t place = 0;
    for (; place < list->count && list->items[place].address - at < bytes; place++)
        at = (list->items[place].address + list->items[place].bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (at > END || END - at < bytes)
        return 0;
    memmove(&list->items[place + 1], &list->items[place], (list->count - place) * sizeof *list->items);
    list->items[place] = (struct mnp_region){at, bytes};
    list->count++;
    return at;
}

static void give(struct list *list, uint32_t place)
{
    list->count--;
    memmove(&list->items[place], &list->items[place + 1], (list->count - place) * sizeof *list->items);
}

static void look(const struct mnp_regions *regions, const struct list *list, uint64_t address)
{
    struct mnp_region found;
    uint32_t behind = 0;
    while (behind < list->count && list->items[behind].address <= address)
        behind++;
    assert_int_equal(mnp_regions_before(regions, address, &found), behind > 0);
    if (behind)
        assert_memory_equal(&found, &list->items[behind - 1], sizeof found);
    assert_int_equal(mnp_regions_behind(regions, address, &found), behind < list->count);
    if (behind < list->count)
        assert_memory_equal(&found, &list->items[behind], sizeof found);
}

static void addresses_are_those_of_a_first_fit(void **state)
{
    struct list list = {.count = 0};
    struct mnp_regions regions;
    uint32_t seed = 1, full = 0;
    (void)state;
    mnp_regions_init(&regions, BEGIN, END, ALIGN);
    for (uint32_t i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t value = seed >> 8;
        if (value % 5 < 3 && list.count < MOST - 1) {
            uint64_t bytes = 1 + value / 8 % 3000, address = take(&list, bytes);
            assert_int_equal(mnp_regions_take(&regions, bytes), address);
            full += address == 0;
        } else if (list.count) {
            uint32_t place = value / 8 % list.count;
            assert_false(mnp_regions_give(&regions, list.items[place].address + 1));
            assert_true(mnp_regions_give(&regions, list.items[place].address));
            give(&list, place);
        }
        look(&regions, &list, BEGIN - 10 + value / 16 % (END - BEGIN + 20));
        assert_int_equal(regions.count, list.count);
    }
    assert_true(full > 100); /* it was full often enough */
    mnp_regions_release(&regions);
}

/* A small gap takes what is small; a large region goes behind a last one that ends anywhere. */
static void aligned_regions_go_behind_small_ones(void **state)
{
    enum { PAGE = 4096 };
    struct mnp_regions regions;
    (void)state;
    mnp_regions_init(&regions, 16 * PAGE, 1024 * PAGE, ALIGN);
    uint64_t first = mnp_regions_take_aligned(&regions, 40 * PAGE, PAGE), last = mnp_regions_take(&regions, 3 * ALIGN);
    assert_int_equal(first, 16 * PAGE);
    assert_int_equal(last, 56 * PAGE);
    assert_true(mnp_regions_give(&regions, first));
    assert_int_equal(mnp_regions_take_aligned(&regions, 100 * PAGE, PAGE), 57 * PAGE);
    assert_int_equal(mnp_regions_take(&regions, 1), 16 * PAGE);
    assert_int_equal(mnp_regions_take_aligned(&regions, 39 * PAGE, PAGE), 17 * PAGE);
    assert_int_equal(mnp_regions_take_aligned(&regions, PAGE, PAGE),
                     157 * PAGE); /* the gaps at 16 and 56 are smaller */
    assert_int_equal(mnp_regions_take_aligned(&regions, 866 * PAGE, PAGE), 158 * PAGE);
    assert_int_equal(mnp_regions_take_aligned(&regions, PAGE, PAGE), 0);
    assert_int_equal(mnp_regions_take(&regions, 3 * ALIGN), 16 * PAGE + ALIGN);
    mnp_regions_release(&regions);
}

/* A million are taken and given back in well under a second; a list would need hours. */
static void many_regions_take_no_time(void **state)
{
    enum { COUNT = 1000000 };
    struct mnp_regions regions;
    (void)state;
    mnp_regions_init(&regions, BEGIN, UINT64_C(1) << 40, ALIGN);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(mnp_regions_take(&regions, 100) == BEGIN + i * ALIGN);
    for (uint64_t i = 0; i < COUNT; i += 2)
        assert_true(mnp_regions_give(&regions, BEGIN + i * ALIGN));
    for (uint64_t i = 0; i < COUNT; i += 2)
        assert_true(mnp_regions_take(&regions, ALIGN) == BEGIN + i * ALIGN);
    mnp_regions_clear(&regions);
    assert_true(mnp_regions_take(&regions, 1) == BEGIN);
    mnp_regions_release(&regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_those_of_a_first_fit),
        cmocka_unit_test(aligned_regions_go_behind_small_ones),
        cmocka_unit_test(many_regions_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
