/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing by kind of DRAM: values at the clocks of the tables that they are from are those of the tables (Ramulator 2's
 * GDDR6_2000_1350mV_double and LPDDR5_6400, DRAMsim3's HBM2_8Gb_x128 and GDDR5X_8Gb_x32); what a machine states stays.
 */
#include "parts/dram/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct mnp_dram_timing timing_of(enum mnp_dram_kind_name kind, uint64_t hertz, uint64_t burst)
{
    struct mnp_dram_timing timing = {.burst = burst};
    struct mnp_error error = {{0}};
    assert_true(mnp_dram_kind_fill(kind, hertz, &timing, &error));
    return timing;
}

static void assert_timing(const struct mnp_dram_timing *is, const struct mnp_dram_timing *should)
{
    assert_memory_equal(is, should, sizeof *is);
}

static void hbm2_at_1_ns_is_the_table(void **state)
{
    (void)state;
    struct mnp_dram_timing is = timing_of(MNP_DRAM_KIND_HBM2, 1000000000, 2);
    assert_timing(&is, &(struct mnp_dram_timing){.ccd = 2,
                                                 .rrd = 4,
                                                 .rcd = 14,
                                                 .ras = 34,
                                                 .rp = 14,
                                                 .rc = 48,
                                                 .cl = 14,
                                                 .wl = 4,
                                                 .cdlr = 6,
                                                 .wr = 16,
                                                 .ccdl = 4,
                                                 .rtpl = 6,
                                                 .refi = 3900,
                                                 .rfc = 350,
                                                 .faw = 16,
                                                 .rfcb = 160,
                                                 .burst = 2});
}

/* 1754 MHz is a clock of 570.1 ps: the next whole MHz below 570 ps, so that no rounding up adds a cycle. */
static void gddr6_at_570_ps_is_the_table(void **state)
{
    (void)state;
    struct mnp_dram_timing is = timing_of(MNP_DRAM_KIND_GDDR6, 1754000000, 2);
    assert_timing(&is, &(struct mnp_dram_timing){.ccd = 2,
                                                 .rrd = 7,
                                                 .rcd = 26,
                                                 .ras = 53,
                                                 .rp = 26,
                                                 .rc = 79,
                                                 .cl = 24,
                                                 .wl = 6,
                                                 .cdlr = 9,
                                                 .wr = 26,
                                                 .ccdl = 3,
                                                 .rtpl = 4,
                                                 .refi = 3333,
                                                 .rfc = 210,
                                                 .faw = 28,
                                                 .rfcb = 105,
                                                 .burst = 2});
}

static void gddr5x_at_666_ps_is_the_table(void **state)
{
    (void)state;
    struct mnp_dram_timing is = timing_of(MNP_DRAM_KIND_GDDR5X, 1501000000, 2);
    assert_timing(&is, &(struct mnp_dram_timing){.ccd = 2,
                                                 .rrd = 10,
                                                 .rcd = 24,
                                                 .ras = 56,
                                                 .rp = 24,
                                                 .rc = 80,
                                                 .cl = 24,
                                                 .wl = 7,
                                                 .cdlr = 10,
                                                 .wr = 24,
                                                 .ccdl = 3,
                                                 .rtpl = 2,
                                                 .refi = 3799,
                                                 .rfc = 74,
                                                 .faw = 40,
                                                 .rfcb = 30,
                                                 .burst = 2});
}

static void lpddr5x_at_800_mhz_is_the_table(void **state)
{
    (void)state;
    struct mnp_dram_timing is = timing_of(MNP_DRAM_KIND_LPDDR5X, 800000000, 2);
    assert_timing(&is, &(struct mnp_dram_timing){.ccd = 2,
                                                 .rrd = 4,
                                                 .rcd = 15,
                                                 .ras = 34,
                                                 .rp = 15,
                                                 .rc = 49,
                                                 .cl = 20,
                                                 .wl = 11,
                                                 .cdlr = 5,
                                                 .wr = 28,
                                                 .ccdl = 4,
                                                 .rtpl = 4,
                                                 .refi = 3125,
                                                 .rfc = 224,
                                                 .faw = 16,
                                                 .rfcb = 112,
                                                 .burst = 2});
}

static void what_is_stated_stays(void **state)
{
    (void)state;
    struct mnp_dram_timing whole = {.ccd = 4, .rcd = 24, .ras = 55, .rp = 24, .rc = 78, .cl = 24, .burst = 4};
    struct mnp_dram_timing part = {.rfc = 77, .burst = 2}, is = whole;
    struct mnp_error error = {{0}};
    assert_true(mnp_dram_kind_fill(MNP_DRAM_KIND_HBM3, 1000000000, &is, &error));
    assert_timing(&is, &whole);
    assert_true(mnp_dram_kind_fill(MNP_DRAM_KIND_HBM2, 1000000000, &part, &error));
    assert_int_equal(part.rfc, 77);
    assert_int_equal(part.rcd, 14);
}

static void half_a_timing_is_an_error(void **state)
{
    (void)state;
    struct mnp_dram_timing timing = {.ccd = 4, .rcd = 24, .ras = 55, .rc = 78, .cl = 24, .burst = 4};
    struct mnp_error error = {{0}};
    assert_false(mnp_dram_kind_fill(MNP_DRAM_KIND_GDDR6, 1000000000, &timing, &error));
    assert_non_null(strstr(error.text, "dram.timing.rp is missing"));
    assert_non_null(strstr(error.text, "gddr6"));
}

/* Stacks have a bus for row commands (JESD235, JESD238); graphics and mobile memories have one command bus. */
static void command_buses_follow_the_kind(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < MNP_DRAM_KINDS; kind++)
        assert_int_equal(mnp_dram_kinds[kind].row_bus, strncmp(mnp_dram_kind_names[kind], "hbm", 3) == 0);
    assert_null(mnp_dram_kind_names[MNP_DRAM_KINDS]);
}

/* A channel of every kind can be built from its kind's timing, at clocks from 400 MHz to 4 GHz. */
static void every_kind_makes_a_channel(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < MNP_DRAM_KINDS; kind++) {
        for (uint64_t hertz = 400000000; hertz <= 4000000000; hertz += 300000000) {
            struct mnp_dram_shape shape = {.timing = timing_of((enum mnp_dram_kind_name)kind, hertz, 2),
                                           .pseudo_channels = 1,
                                           .banks = 16,
                                           .bank_groups = 4,
                                           .row_bytes = 2048,
                                           .bank_interleave = 256,
                                           .banks_interleaved = 4,
                                           .read_queue = 8,
                                           .write_queue = 8,
                                           .write_high = 6,
                                           .write_low = 2};
            struct mnp_error error = {{0}};
            if (!mnp_dram_check(&shape, &error))
                fail_msg("%s: %s", mnp_dram_kind_names[kind], error.text);
            assert_true(shape.timing.rc >= shape.timing.ras + shape.timing.rp - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hbm2_at_1_ns_is_the_table),     cmocka_unit_test(gddr6_at_570_ps_is_the_table),
        cmocka_unit_test(gddr5x_at_666_ps_is_the_table), cmocka_unit_test(lpddr5x_at_800_mhz_is_the_table),
        cmocka_unit_test(what_is_stated_stays),          cmocka_unit_test(half_a_timing_is_an_error),
        cmocka_unit_test(command_buses_follow_the_kind), cmocka_unit_test(every_kind_makes_a_channel),
    };
    return cmocka_run_group_tests_name("kind", tests, NULL, NULL);
}
