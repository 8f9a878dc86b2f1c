/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the L1 serves loads of several lines: tags looked up per cycle, sets that fall together, banks of the data.
 * Expectations: NVIDIA's engineers (developer forum, topic 273699: from Volta on, four sets of four sectors per cycle),
 * counting, and cycles per load measured on an A100 by gpu-strides of te42kyfo/gpu-benches.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BASE = 0x100000, LINE = 128, WARPS = 16 };

/* Sixteen sets; four, as machine files state from Volta on; 32, as on Fermi. The first sizes hold all that is read. */
#define SIXTEEN_SETS "sm.l1d.size=128KiB", "sm.l1d.ways=64"
#define FOUR_SETS    "sm.l1d.size=128KiB", "sm.l1d.ways=256"
#define FERMI        "sm.l1d.size=16KiB", "sm.l1d.ways=4", "sm.l1d.tags=1"

struct loads {
    enum mnp_memory_operation operation;
    uint8_t width;
    bool dependent, past;
    uint32_t lanes;        /* mask */
    uint64_t stride, next; /* bytes from lane to lane, and from one load to the one behind it */
    uint32_t threads;
};

static uint64_t cycles_of(const struct loads *loads, uint32_t repeat, const char *const *overrides)
{
    struct script *script = script_new();
    script_kernel(script, 1, loads->threads);
    for (uint32_t i = 0; i < repeat; i++) {
        uint8_t destination = loads->dependent ? 4 : (uint8_t)(8 + 4 * (i % 32));
        script_memory(script, loads->operation, MNP_SPACE_GLOBAL, loads->width,
                      loads->operation == MNP_STORE ? MNP_ZERO_REGISTER : destination,
                      loads->dependent ? 4 : MNP_ZERO_REGISTER, BASE + i * loads->next, loads->stride)
            ->flags |= loads->past ? MNP_FLAG_BYPASS_L1 : 0;
        script_lanes(script, loads->lanes);
    }
    uint64_t cycles = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* Cycles per load of a warp, or per round of all warps. */
static uint64_t per_load(struct loads loads, const char *const *overrides)
{
    return (cycles_of(&loads, 192, overrides) - cycles_of(&loads, 64, overrides)) / 128;
}

static uint32_t first_lanes(uint32_t count)
{
    return count == 32 ? UINT32_MAX : (1u << count) - 1;
}

/* Lines side by side, each lane's word in a bank of its own: as many cycles as tags are looked up in, and a cycle
 * at least. */
static void test_tags_per_cycle(void **state)
{
    (void)state;
    static const char *const tags[][4] = {{SIXTEEN_SETS, "sm.l1d.tags=1", NULL},
                                          {SIXTEEN_SETS, "sm.l1d.tags=2", NULL},
                                          {SIXTEEN_SETS, "sm.l1d.tags=4", NULL},
                                          {SIXTEEN_SETS, "sm.l1d.tags=8", NULL}};
    for (uint32_t t = 0; t < 4; t++) {
        for (uint32_t lines = 1; lines <= 32; lines *= 2) {
            struct loads loads = {MNP_LOAD, 4, .lanes = first_lanes(lines), .stride = LINE + 4, .threads = 512};
            uint64_t cycles = ((lines - 1) >> t) + 1;
            assert_int_equal(per_load(loads, tags[t]), WARPS * cycles);
            loads = (struct loads){MNP_LOAD, 4, true, .lanes = first_lanes(lines), .stride = LINE + 4, .threads = 32};
            assert_int_equal(per_load(loads, tags[t]), 30 + cycles - 1);
        }
    }
}

/* Words in one bank are read one after another, whatever the tags; 1.5 lines apart, there are two banks. */
static void test_data_banks(void **state)
{
    (void)state;
    static const char *const four[] = {FOUR_SETS, "sm.l1d.tags=4", NULL}, *const one[] = {FOUR_SETS, NULL};
    static const struct {
        uint8_t width;
        uint64_t stride, cycles, line_by_line;
    } cases[] = {{4, 4, 1, 1},     {4, 0, 1, 1},     {4, 8, 2, 2},    {4, 64, 16, 16},  {4, 128, 32, 32},
                 {4, 192, 16, 32}, {4, 256, 32, 32}, {4, 132, 8, 32}, {8, 0, 2, 2},     {8, 8, 2, 2},
                 {8, 16, 4, 4},    {8, 128, 32, 32}, {16, 16, 4, 4},  {16, 128, 32, 32}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loads loads = {MNP_LOAD, cases[i].width, .lanes = UINT32_MAX, .stride = cases[i].stride, .threads = 512};
        assert_int_equal(per_load(loads, four), WARPS * cases[i].cycles);
        assert_int_equal(per_load(loads, one), WARPS * cases[i].line_by_line);
        if (cases[i].width > 4)
            continue;
        loads.dependent = true;
        loads.threads = 32;
        assert_int_equal(per_load(loads, four), 30 + cases[i].cycles - 1);
    }
}

/* Lines 0, 5, 10, 15 … lie in one of four sets that fold a line's number: 0b0000, 0b0101, 0b1010, 0b1111. */
static void test_set_conflicts(void **state)
{
    (void)state;
    static const char *const four[] = {FOUR_SETS, "sm.l1d.tags=4", NULL};
    static const struct {
        uint32_t lanes;
        uint64_t stride, cycles;
    } cases[] = {{0xf, 5 * LINE + 4, 4}, {0xf, LINE + 4, 1}, {0x3, 5 * LINE + 4, 2}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loads loads = {MNP_LOAD, 4, .lanes = cases[i].lanes, .stride = cases[i].stride, .threads = 512};
        assert_int_equal(per_load(loads, four), WARPS * cases[i].cycles);
    }
}

/* One line a cycle, as before Volta: shared by the half warps of 8-byte loads, it is looked up for each. */
static void test_line_by_line(void **state)
{
    (void)state;
    static const char *const fermi[] = {FERMI, NULL};
    for (uint32_t lines = 1; lines <= 32; lines *= 2) {
        struct loads loads = {MNP_LOAD, 4, .lanes = first_lanes(lines), .stride = LINE + 4, .threads = 512};
        assert_int_equal(per_load(loads, fermi), WARPS * lines);
    }
    struct loads loads = {MNP_LOAD, 8, .lanes = UINT32_MAX, .stride = 0, .threads = 512};
    assert_int_equal(per_load(loads, fermi), WARPS * 2);
}

/* Requests leave by the port, one a cycle, however many lines are looked up in one: 32 lines past the L1 take 31 cycles
 * more than one. */
static void test_misses_leave_one_a_cycle(void **state)
{
    (void)state;
    static const char *const tags[][5] = {{FOUR_SETS, "sm.l1d.tags=4", "noc.reply_width=1024", NULL},
                                          {FOUR_SETS, "sm.l1d.tags=1", "noc.reply_width=1024", NULL}};
    for (uint32_t i = 0; i < 2; i++) {
        struct loads all = {MNP_LOAD, 4, true, true, UINT32_MAX, LINE + 4, 0, 32}, one = all;
        one.lanes = 1;
        assert_int_equal(per_load(all, tags[i]) - per_load(one, tags[i]), 31);
    }
}

/* ===== an A100 ===== */

/* Loads of words of `width` bytes, `stride` words apart, at eight places and at eight more 32 lanes further on,
 * `rounds` times: what the warps of the program measured do. */
static struct script *strided(uint8_t width, uint64_t stride, uint32_t threads, uint32_t rounds)
{
    struct script *script = script_new();
    script_kernel(script, 1, threads);
    for (uint32_t i = 0; i < rounds * 16; i++) {
        uint64_t at = (32 * (i / 8 % 2) * stride + 4 * (i % 8)) * width;
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, width, (uint8_t)(8 + 4 * (i % 32)), MNP_ZERO_REGISTER,
                      BASE + at, stride * width);
    }
    return script;
}

static const char *const ampere[] = {FOUR_SETS, "sm.l1d.tags=4", NULL};

/* Thousandths by which a value is off what was measured. */
static uint64_t error_of(uint64_t value, uint64_t measured)
{
    return (value > measured ? value - measured : measured - value) * 1000 / measured;
}

enum { STRIDES = 65, LOADS = 16 };

/* l1tex__t_output_wavefronts per load, in hundredths, at strides of 0 to 64 words of 4 and of 8 bytes. */
static const uint16_t measured_tags[2][STRIDES] = {
    {100, 100,  124,  162,  189,  219, 236, 267, 283, 303,  331, 364, 357, 401,  400,  444,  467,
     510, 510,  560,  530,  600,  610, 620, 620, 700, 710,  730, 730, 800, 800,  850,  830,  880,
     890, 900,  890,  920,  940,  940, 980, 930, 930, 900,  930, 980, 990, 1010, 1040, 1020, 1020,
     950, 1020, 1110, 1050, 1050, 960, 920, 950, 950, 1000, 980, 920, 880, 800},
    {100,  122,  192,  242,  286,  333,  367,  404,  475,  510,  540,  610,  640,  710,  760,  800,  860,
     890,  920,  940,  980,  930,  930,  1000, 1050, 1020, 1020, 1050, 950,  940,  1000, 920,  830,  900,
     1030, 960,  960,  970,  1060, 1190, 1350, 1050, 1020, 970,  1020, 1160, 1210, 1170, 1240, 1160, 1120,
     980,  1070, 1280, 1160, 1150, 1000, 960,  970,  980,  1090, 1060, 930,  910,  800}};

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

/* The other counter, l1tex__data_pipe_lsu_wavefronts, reads what the banks make expect at all strides: the greatest
 * common divisor with 32 or, for each half warp of 8-byte loads, with 16; one where all lanes read one word. */
static void test_counters_of_an_a100(void **state)
{
    (void)state;
    uint64_t sum = 0;
    for (uint32_t wide = 0; wide < 2; wide++) {
        for (uint32_t stride = 0; stride < STRIDES; stride++) {
            struct script *script = strided(wide ? 8 : 4, stride, 32, 1);
            struct mnp_session_options options = bench_options();
            struct mnp_results results;
            bench_run(script, ampere, &options, &results);
            const struct mnp_statistic_set *counted = &results.parts[0]->statistics;
            uint64_t tags = mnp_statistics_get(counted, "L1D_tag_wavefronts") * 100 / LOADS;
            uint64_t data = mnp_statistics_get(counted, "L1D_data_wavefronts");
            uint64_t conflicts = stride ? greatest_divisor(stride, wide ? 16 : 32) : 1;
            assert_int_equal(data, LOADS * (wide ? 2 * conflicts : conflicts));
            uint64_t error = error_of(tags, measured_tags[wide][stride]);
            assert_in_range(error, 0, 200);
            sum += error;
            mnp_results_release(&results);
            script_free(script);
        }
    }
    assert_in_range(sum / (2 * STRIDES), 0, 22); /* 2.2 % on average */
}

/* Cycles per load of many warps: the greater of the two counters, on silicon as here. */
static void test_strides_of_an_a100(void **state)
{
    (void)state;
    static const struct {
        uint8_t width;
        uint16_t stride, measured; /* hundredths of a cycle */
    } cases[] = {{4, 1, 102},  {4, 2, 200},   {4, 3, 163},   {4, 7, 267}, {4, 8, 800},  {4, 31, 850},
                 {4, 40, 980}, {4, 53, 1110}, {4, 64, 3200}, {8, 1, 201}, {8, 11, 610}, {8, 24, 1600}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t cycles[2];
        for (uint32_t run = 0; run < 2; run++) {
            struct script *script = strided(cases[i].width, cases[i].stride, 32 * WARPS, run ? 6 : 2);
            cycles[run] = bench_statistic(script, ampere, 0, "gpu_sim_cycle");
            script_free(script);
        }
        uint64_t per_load = (cycles[1] - cycles[0]) * 100 / (4 * LOADS * WARPS);
        assert_in_range(error_of(per_load, cases[i].measured), 0, 125);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags_per_cycle),
        cmocka_unit_test(test_data_banks),
        cmocka_unit_test(test_set_conflicts),
        cmocka_unit_test(test_line_by_line),
        cmocka_unit_test(test_misses_leave_one_a_cycle),
        cmocka_unit_test(test_strides_of_an_a100),
        cmocka_unit_test(test_counters_of_an_a100),
    };
    return cmocka_run_group_tests_name("gpu wavefronts", tests, NULL, NULL);
}
