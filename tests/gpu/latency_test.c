/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latencies and throughputs whose answers follow from the machine file. Each is the difference of two runs that differ
 * only in the number of repetitions, so that launch, start and end cancel.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SHORT_RUN = 100, LONG_RUN = 300 };

typedef void body(struct script *script, uint32_t i);

/* Cycles of a kernel of `repeat` bodies; with `warm`, of its second launch. */
static uint64_t cycles(body *each, uint32_t repeat, uint32_t threads, const char *const *overrides, bool warm)
{
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < (warm ? 2u : 1u); kernel++) {
        script_kernel(script, 1, threads);
        for (uint32_t i = 0; i < repeat; i++)
            each(script, i);
    }
    uint64_t result = bench_statistic(script, overrides, warm ? 1 : 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

/* Cycles per body, which must be a whole number. */
static uint64_t per_body(body *each, uint32_t threads, const char *const *overrides, bool warm)
{
    uint64_t difference =
        cycles(each, LONG_RUN, threads, overrides, warm) - cycles(each, SHORT_RUN, threads, overrides, warm);
    assert_int_equal(difference % (LONG_RUN - SHORT_RUN), 0);
    return difference / (LONG_RUN - SHORT_RUN);
}

/* Cycles of the ten last of twelve bodies. */
static uint64_t of_ten_more(body *each, const char *const *overrides)
{
    return cycles(each, 12, 32, overrides, false) - cycles(each, 2, 32, overrides, false);
}

/* ===== arithmetic ===== */

static void dependent_fma(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_FP32, 3, 3);
}

static void independent_fma(struct script *script, uint32_t i)
{
    script_compute(script, MNP_CLASS_FP32, (uint8_t)(8 + i % 16), MNP_ZERO_REGISTER);
}

static void dependent_double(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_FP64, 3, 3);
}

/* A product of 32 bits, and one of 64. */
static void independent_product(struct script *script, uint32_t i)
{
    script_compute(script, MNP_CLASS_IMAD, (uint8_t)(4 + 2 * (i % 8)), 3);
}

static void independent_wide_product(struct script *script, uint32_t i)
{
    struct mnp_static_instruction *product =
        script_compute(script, MNP_CLASS_IMAD, (uint8_t)(4 + 2 * (i % 8)), 3);
    product->destination.count = 2;
    mnp_complete_registers(product);
}

static void independent_double(struct script *script, uint32_t i)
{
    script_compute(script, MNP_CLASS_FP64, (uint8_t)(8 + i % 16), MNP_ZERO_REGISTER);
}

static void test_dependent_arithmetic(void **state)
{
    (void)state;
    assert_int_equal(per_body(dependent_fma, 32, NULL, false), 4);
    assert_int_equal(per_body(dependent_double, 32, NULL, false), 8);
    const char *const slower[] = {"sm.fp32.latency=7", NULL};
    assert_int_equal(per_body(dependent_fma, 32, slower, false), 7);
}

/* 16 lanes take two cycles for a warp; 32 take one; one sub-core's warps share them. */
static void test_throughput_equals_lanes(void **state)
{
    (void)state;
    assert_int_equal(per_body(independent_fma, 32, NULL, false), 2);
    assert_int_equal(per_body(independent_fma, 128, NULL, false), 2);
    assert_int_equal(per_body(independent_fma, 512, NULL, false), 8);
    const char *const wide[] = {"sm.fp32.lanes=32", NULL};
    assert_int_equal(per_body(independent_fma, 512, wide, false), 4);
    const char *const both[] = {"sm.fp32.on_int=true", NULL};
    assert_int_equal(per_body(independent_fma, 512, both, false), 4);
    static const char *const products[] = {"sm.imad.wide=2", NULL};
    assert_int_equal(per_body(independent_product, 512, products, false), 8);
    assert_int_equal(per_body(independent_wide_product, 512, products, false), 16);
    assert_int_equal(per_body(independent_wide_product, 512, NULL, false), 8);
    assert_int_equal(per_body(independent_double, 512, NULL, false), 16);
    const char *const shared[] = {"sm.fp64.lanes=2", "sm.fp64.shared=true", NULL};
    assert_int_equal(per_body(independent_double, 512, shared, false), 256);
}

/* ===== memory ===== */

static void chase_l1(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x10000, 0);
}

static void chase_l2(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x10000 + 128 * i, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

static void chase_shared(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 3, 0, 4);
}

/* Eight bytes of each lane: half of the warp is read after the other. */
static void chase_shared_pairs(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 8, 3, 3, 0, 8);
}

static void chase_shared_pairs_half(struct script *script, uint32_t i)
{
    chase_shared_pairs(script, i);
    script_mask(script, 0x1f);
}

static void test_l1_and_shared_latency(void **state)
{
    (void)state;
    assert_int_equal(per_body(chase_l1, 32, NULL, false), 30);
    assert_int_equal(per_body(chase_shared, 32, NULL, false), 24);
    const char *const other[] = {"latency.l1=47", "latency.shared=33", NULL};
    assert_int_equal(per_body(chase_l1, 32, other, false), 47);
    assert_int_equal(per_body(chase_shared, 32, other, false), 33);
    /* Lanes in one half alone do not wait for the other. */
    uint64_t pairs = per_body(chase_shared_pairs, 32, NULL, false);
    assert_true(pairs >= 24 && pairs <= 26);
    assert_int_equal(per_body(chase_shared_pairs_half, 32, NULL, false), pairs);
}

/* The second launch finds the lines of the first in the L2. */
static void test_l2_latency(void **state)
{
    (void)state;
    assert_int_equal(per_body(chase_l2, 32, NULL, true), 200);
    const char *const other[] = {"latency.l2=261", NULL};
    assert_int_equal(per_body(chase_l2, 32, other, true), 261);
}

/* Wide accesses come back over 64 bytes a cycle from the memory pipeline to the sub-core, at every level: two cycles
 * for four bytes a lane are part of the latency stated, and what is wider takes what it has more. */
static uint8_t width;

static void chase_l2_wide(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, width, 3, 3, 0x10000 + 128 * i, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

static void chase_dram_wide(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, width, 3, 3, UINT64_C(0x10000000) + i * UINT64_C(0x2300), 0);
}

static void test_latency_by_width(void **state)
{
    (void)state;
    for (width = 1; width <= 16; width *= 2) {
        uint64_t more = width > 4 ? width / 2 - 2 : 0;
        assert_int_equal(per_body(chase_l2_wide, 32, NULL, true), 200 + more);
        assert_int_equal(of_ten_more(chase_dram_wide, NULL), 10 * (420 + more));
    }
}

/* Under a linear hash of three partitions of two slices, pieces of 256 bytes go round the partitions. */
static void chase_partition_0(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

static void chase_partition_2(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 2 * 256, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

/* SM 0 lies in the first half with partitions 0 and 1, partition 2 in the other. */
static void test_far_l2_latency(void **state)
{
    (void)state;
    static const struct {
        const char *far, *clock;
        uint64_t near, latency;
    } cases[] = {
        {"latency.l2_far=0", "clock.core=1GHz", 200, 200},
        {"latency.l2_far=200", "clock.core=1GHz", 200, 200},
        {"latency.l2_far=289", "clock.core=1GHz", 200, 289},
        {"latency.l2_far=290", "clock.core=200MHz", 30 + 170 / 5, 30 + 260 / 5}, /* what is more is the network's */
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const halves[] = {"l2.hash=linear", "l2.halves=2", cases[c].far, cases[c].clock, NULL};
        const char *const whole[] = {"l2.hash=linear", cases[c].far, cases[c].clock, NULL};
        assert_int_equal(per_body(chase_partition_0, 32, halves, true), cases[c].near);
        assert_int_equal(per_body(chase_partition_2, 32, halves, true), cases[c].latency);
        assert_int_equal(per_body(chase_partition_2, 32, whole, true), cases[c].near);
    }
}

static void chase_4_kib(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x1000, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

static void chase_12_kib(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x3000, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

/* SM 0 lies in the first half: so does address 0, and one with two of the bits; one with one of them does not. */
static void test_halves_by_address(void **state)
{
    (void)state;
    const char *const halves[] = {"partition.count=4", "l2.halves=2", "l2.half_bits=[12,13]", "latency.l2_far=289",
                                  NULL};
    assert_int_equal(per_body(chase_partition_0, 32, halves, true), 200);
    assert_int_equal(per_body(chase_4_kib, 32, halves, true), 289);
    assert_int_equal(per_body(chase_12_kib, 32, halves, true), 200);
}

/* Pieces of 256 bytes in partition 2, one after the other. */
static void chase_pieces_2(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, (2 + 3 * (uint64_t)i) * 256, 0)->flags |=
        MNP_FLAG_BYPASS_L1;
}

/* Cycles of `count` dependent loads of pieces that a host copy has left in the L2, `rounds` times, by one SM; less
 * those of one load of each round. */
static uint64_t chase_warm(uint32_t count, uint32_t rounds, const char *const *settings)
{
    uint64_t cycles[2];
    for (uint32_t run = 0; run < 2; run++) {
        struct script *script = script_new();
        script_copy(script, 0, 1 << 16);
        script_kernel(script, 1, 32);
        for (uint32_t round = 0; round < rounds; round++)
            for (uint32_t i = 0; i < (run ? count : 1); i++)
                chase_pieces_2(script, i);
        cycles[run] = bench_statistic(script, settings, 0, "gpu_sim_cycle");
        script_free(script);
    }
    return cycles[1] - cycles[0];
}

/* Sectors that a chase of `count` loads brings to the other part. */
static uint64_t crossed_sectors(uint32_t count, const char *const *settings)
{
    struct script *script = script_new();
    script_copy(script, 0, 1 << 16);
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < count; i++)
        chase_pieces_2(script, i);
    uint64_t sectors = bench_statistic(script, settings, 0, "L2_crossed");
    script_free(script);
    return sectors;
}

/* A part of the L2 that keeps copies of other parts' lines goes the longer way once. */
static void test_copies_of_the_far_half(void **state)
{
    (void)state;
    const char *const copies[] = {"l2.hash=linear",   "l2.halves=2", "l2.copies=true", "memcpy_warms_l2=true",
                                  "latency.l2_far=289", NULL};
    const char *const none[] = {"l2.hash=linear", "l2.halves=2", "memcpy_warms_l2=true", "latency.l2_far=289", NULL};
    assert_int_equal(chase_warm(21, 1, copies), 20 * 289);
    assert_int_equal(chase_warm(21, 2, copies), 20 * 289 + 20 * 200);
    assert_int_equal(chase_warm(21, 5, copies), 20 * 289 + 4 * 20 * 200);
    assert_int_equal(chase_warm(21, 2, none), 2 * 20 * 289);
    assert_int_equal(crossed_sectors(21, copies), 21);
}

#define STRONG "l2.copies=true", "l2.strong_home=true"

/* Cycles of a chain of 20 accesses to pieces of `partition` that a host copy has left in the L2, by one SM, in the last
 * of so many kernels, between which the L1 forgets what it has. */
static uint64_t chase_kernels(enum mnp_memory_operation operation, bool strong, uint64_t partition, uint32_t kernels,
                              const char *const *settings)
{
    uint64_t cycles[2];
    for (uint32_t run = 0; run < 2; run++) {
        struct script *script = script_new();
        script_copy(script, 0, 1 << 16);
        for (uint32_t kernel = 0; kernel < kernels; kernel++) {
            script_kernel(script, 1, 32);
            for (uint32_t i = 0; i < (run ? 21 : 1); i++)
                script_memory(script, operation, MNP_SPACE_GLOBAL, 4, 3, 3, (partition + 3 * (uint64_t)i) * 256, 0)
                    ->flags |= strong ? MNP_FLAG_BYPASS_L1 : 0;
        }
        cycles[run] = bench_statistic(script, settings, kernels - 1, "gpu_sim_cycle");
        script_free(script);
    }
    return cycles[1] - cycles[0];
}

/* With l2.strong_home a strong read is answered where its line belongs and leaves no copy: it takes latency.l2 in
 * the nearer half, and in the other what brings the mean to latency.l2_strong, or latency.l2_far. Plain reads find
 * copies. */
static void test_strong_reads(void **state)
{
    (void)state;
    static const struct {
        const char *strong, *clock;
        uint64_t near, far, first; /* cycles of a strong read in either half, of a plain one's first use */
    } cases[] = {
        {"latency.l2_strong=0", "clock.core=1GHz", 200, 289, 289},
        {"latency.l2_strong=200", "clock.core=1GHz", 200, 200, 289},
        {"latency.l2_strong=230", "clock.core=1GHz", 200, 260, 289},
        {"latency.l2_strong=231", "clock.core=1GHz", 200, 262, 289},
        {"latency.l2_strong=244", "clock.core=1GHz", 200, 288, 289},
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const home[] = {"l2.hash=linear",     "l2.halves=2",   "memcpy_warms_l2=true", STRONG,
                                    "latency.l2_far=289", cases[c].strong, cases[c].clock,         NULL};
        for (uint32_t kernels = 1; kernels <= 2; kernels++) {
            assert_int_equal(chase_kernels(MNP_LOAD, true, 0, kernels, home), 20 * cases[c].near);
            assert_int_equal(chase_kernels(MNP_LOAD, true, 2, kernels, home), 20 * cases[c].far);
            assert_int_equal(chase_kernels(MNP_LOAD, false, 0, kernels, home), 20 * cases[c].near);
            assert_int_equal(chase_kernels(MNP_LOAD, false, 2, kernels, home),
                             20 * (kernels == 1 ? cases[c].first : cases[c].near));
        }
        assert_int_equal(chase_kernels(MNP_ATOMIC, true, 2, 1, home) - chase_kernels(MNP_ATOMIC, true, 0, 1, home),
                         20 * (cases[c].far - cases[c].near));
        assert_int_equal(crossed_sectors(21, home), 0);
    }
}

/* A set of eight ways in each of two slices: of pieces of one partition, 8 in a part's share of them, and 16 in all. */
static uint64_t of_rounds(const char *statistic, void (*load)(struct script *, uint32_t), uint32_t count, uint32_t ctas,
                          uint32_t rounds)
{
    const char *const small[] = {"l2.hash=linear",     "l2.halves=2",        "l2.copies=true",
                                 "latency.l2_far=289", "l2.slice.size=1KiB", "l2.slice.ways=8", NULL};
    struct script *script = script_new();
    script_kernel(script, ctas, 32);
    for (uint32_t i = 0; i < rounds * count; i++)
        load(script, i % count);
    uint64_t value = bench_statistic(script, small, 0, statistic);
    script_free(script);
    return value;
}

/* Pieces of 256 bytes in partition 0. */
static void chase_pieces_0(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 3 * (uint64_t)i * 256, 0)->flags |= MNP_FLAG_BYPASS_L1;
}

/* Cycles of a round of a chain by one SM, of the second half. */
static uint64_t a_round(void (*load)(struct script *, uint32_t), uint32_t count)
{
    return of_rounds("gpu_sim_cycle", load, count, 1, 4) - of_rounds("gpu_sim_cycle", load, count, 1, 3);
}

/* One SM has room in its half for half of the ways: more of the other half's lines are found there, more of its own
 * come from DRAM in each round. What both halves read is in the L2 as long as one of them has it. */
static void test_room_of_copies(void **state)
{
    (void)state;
    assert_int_equal(a_round(chase_pieces_2, 8), 8 * 200);
    assert_int_equal(a_round(chase_pieces_2, 10), 10 * 289);
    assert_int_equal(a_round(chase_pieces_2, 16), 16 * 289);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_2, 16, 1, 4), 16);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_2, 18, 1, 4), 4 * 18);
    assert_int_equal(a_round(chase_pieces_0, 8), 8 * 200);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_0, 8, 1, 4), 8);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_0, 10, 1, 4), 4 * 10);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_0, 10, 4, 4), 10);
    assert_int_equal(of_rounds("total_dram_reads", chase_pieces_0, 16, 4, 4), 16);
}

/* A script's sectors that have crossed for their first use, in a machine whose SM 0 is in the half of partition 0. */
static uint64_t crossed(struct script *script)
{
    const char *const copies[] = {"l2.hash=linear",     "l2.halves=2",        "l2.copies=true",
                                  "latency.l2_far=289", "l2.slice.size=80KiB", "l2.slice.ways=10", NULL};
    uint64_t sectors = bench_statistic(script, copies, 0, "L2_crossed");
    script_free(script);
    return sectors;
}

/* What is written is written where it belongs, and copies of it are gone; CTAs go round the SMs, of which each second
 * pair is in the other half. */
static void test_what_crosses(void **state)
{
    (void)state;
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < 6; i++)
        chase_pieces_2(script, i / 2);
    chase_partition_0(script, 0);
    assert_int_equal(crossed(script), 3);
    script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < 3; i++) {
        chase_pieces_2(script, 0);
        script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, 255, 3, 2 * 256, 0)->flags |= MNP_FLAG_BYPASS_L1;
    }
    assert_int_equal(crossed(script), 3);
    script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < 200; i++) /* all over two slices of ten ways */
        chase_pieces_2(script, i);
    for (uint32_t i = 0; i < 200; i += 2) /* what is written in one of them is nothing to the other */
        script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, 255, 3, (2 + 3 * (uint64_t)i) * 256, 0)->flags |=
            MNP_FLAG_BYPASS_L1;
    for (uint32_t i = 1; i < 200; i += 2)
        chase_pieces_2(script, i);
    assert_int_equal(crossed(script), 200);
    script = script_new();
    script_kernel(script, 4, 32); /* two of four CTAs are in the half that it belongs to, and two ask for one copy */
    chase_pieces_2(script, 0);
    assert_int_equal(crossed(script), 1);
}

static void chase_dram(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, UINT64_C(0x10000000) + i * UINT64_C(0x2300), 0);
}

/* Cold loads that each find their bank closed: latency.dram more for each, to the cycle. */
static void test_dram_latency(void **state)
{
    (void)state;
    enum { FEW = 2, MORE = 12 };
    static const struct {
        const char *overrides[4];
        uint64_t latency;
    } cases[] = {{{NULL}, 420}, {{"latency.dram=533", NULL}, 533}, {{"latency.l2=240", "latency.dram=470", NULL}, 470}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t cycles[2];
        for (uint32_t run = 0; run < 2; run++) {
            struct script *script = script_new();
            script_kernel(script, 1, 32);
            for (uint32_t i = 0; i < (run ? MORE : FEW); i++)
                chase_dram(script, i);
            cycles[run] = bench_statistic(script, cases[c].overrides, 0, "gpu_sim_cycle");
            assert_int_equal(bench_statistic(script, cases[c].overrides, 0, "dram_row_misses"), run ? MORE : FEW);
            script_free(script);
        }
        assert_int_equal(cycles[1] - cycles[0], (MORE - FEW) * cases[c].latency);
    }
}

/* Where halves of the L2 keep copies, the same is the mean over lines of both: of ten here four are far, 90 cycles. */
static void test_dram_latency_of_halves(void **state)
{
    (void)state;
    static const char *const copies[] = {"l2.hash=linear", "l2.halves=2", "l2.copies=true", "latency.l2_far=290", NULL};
    assert_int_equal(of_ten_more(chase_dram, copies), 6 * (420 - 45) + 4 * (420 + 45));
}

/* Both halves, or all quarters, of a line whose bank is closed. */
static uint32_t sectors_of_line, first_sector;

static void chase_sectors(struct script *script, uint32_t i)
{
    uint64_t line = UINT64_C(0x10000000) + i / sectors_of_line * UINT64_C(0x2300);
    uint64_t sector = (first_sector + i) % sectors_of_line;
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, line + 32 * sector, 0);
}

/* A chain through all sectors of blocks of l2.fetch: latency.dram for the first, whichever it is, latency.l2 for the
 * others, which came with it. Where single sectors are asked for, what comes with them is read in vain, and nobody
 * waits for it. */
static void test_fetch(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[2];
        uint32_t sectors;
    } cases[] = {{{"l2.fetch=64", NULL}, 2}, {{"l2.fetch=128", NULL}, 4}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sectors_of_line = cases[c].sectors;
        for (first_sector = 0; first_sector < sectors_of_line; first_sector++) {
            uint64_t more = cycles(chase_sectors, 12, 32, cases[c].overrides, false) -
                            cycles(chase_sectors, 4, 32, cases[c].overrides, false);
            uint32_t blocks = 8 / sectors_of_line;
            assert_int_equal(more, blocks * 420 + (8 - blocks) * 200);
        }
        assert_int_equal(of_ten_more(chase_dram, cases[c].overrides), 10 * 420);
        struct script *script = script_new();
        script_kernel(script, 1, 32);
        for (uint32_t i = 0; i < 10; i++)
            chase_dram(script, i);
        assert_int_equal(bench_statistic(script, cases[c].overrides, 0, "dram_accesses"), 10 * sectors_of_line);
        script_free(script);
    }
}

/* The same where it was measured with clocks that are no multiples of one another: a miss still always costs the same
 * number of L2 cycles. */
static void test_latency_across_clocks(void **state)
{
    (void)state;
    static const char *const overrides[] = {"clock.dram=877MHz", "latency.clock.dram=877MHz", NULL};
    uint64_t before = 0;
    for (uint32_t loads = 1; loads <= 12; loads++) {
        uint64_t taken = cycles(chase_dram, loads, 32, overrides, false);
        if (before)
            assert_int_equal(taken - before, 420);
        before = taken;
    }
}

/* ===== other clocks than those of the measurement ===== */

/* Core cycles that a further load of a chain to DRAM takes, on the average of ten. */
static uint64_t dram_cycles(const char *const *overrides)
{
    uint64_t ten = of_ten_more(chase_dram, overrides);
    assert_int_equal(ten % 10, 0);
    return ten / 10;
}

/* All clocks of the machine are 1 GHz, latencies 30, 200 and 420 ns. Of the 200 the SM's part is as long as an L1 hit,
 * 30 core cycles. The slice has 20 cycles of the L2's clock (l2.latency), the network the rest of 150. A read of DRAM
 * takes rcd + cl + a burst and the crossing, 26 cycles of the DRAM's clock, and the rest of 220 goes with the L2's. */
static void test_each_clock_has_its_part(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[9];
        uint64_t l1, l2, dram; /* core cycles; 0: not asked */
    } cases[] = {
        {{"clock.core=500MHz", NULL}, 30, 30 + 170 / 2, 30 + 390 / 2},
        {{"clock.core=200MHz", NULL}, 30, 30 + 170 / 5, 30 + 390 / 5},
        {{"clock.core=2GHz", NULL}, 30, 30 + 170 * 2, 30 + 390 * 2},
        {{"clock.noc=500MHz", "l2.latency=20", NULL}, 30, 30 + 20 + 150 * 2, 30 + 20 + 150 * 2 + 220},
        {{"clock.l2=500MHz", "l2.latency=20", NULL}, 30, 30 + 20 * 2 + 150, 30 + 20 * 2 + 150 + 26 + 194 * 2},
        {{"clock.dram=500MHz", NULL}, 30, 200, 420 + 26},
        {{"clock.core=500MHz", "clock.noc=500MHz", "clock.l2=500MHz", "clock.dram=500MHz", NULL}, 30, 200, 420},
        {{"clock.core=500MHz", "latency.l2=240", "latency.dram=480", NULL}, 30, 30 + 210 / 2, 30 + 450 / 2},
        {{"clock.core=500MHz", "latency.clock.core=500MHz", NULL}, 30, 200, 420},
        /* Periods that are no whole numbers of femtoseconds. */
        {{"latency.clock.core=1755MHz", "latency.clock.noc=1755MHz", "latency.clock.l2=1755MHz", "latency.l1=41",
          "latency.l2=263", "clock.core=345MHz", "clock.noc=345MHz", "clock.l2=345MHz", NULL},
         41,
         263,
         0},
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const *overrides = cases[c].overrides;
        uint64_t l1 = per_body(chase_l1, 32, overrides, false), l2 = per_body(chase_l2, 32, overrides, true);
        uint64_t dram = cases[c].dram ? dram_cycles(overrides) : 0;
        if (l1 != cases[c].l1 || l2 != cases[c].l2 || dram != cases[c].dram)
            fail_msg("%s: L1 %lu, L2 %lu, DRAM %lu cycles", overrides[0], (unsigned long)l1, (unsigned long)l2,
                     (unsigned long)dram);
    }
}

/* Latencies that pipelines alone exceed, and links that no machine could hold the packets of. */
static void test_impossible_latencies(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[6], *key, *why;
    } cases[] = {
        {{"latency.l2=36", NULL}, "latency.l2", "state at least 38"},
        {{"latency.clock.noc=1MHz", NULL}, "latency.l2", "state at least 2036"},
        {{"latency.dram=225", NULL}, "latency.dram", "state at least 226"},
        {{"latency.l2_strong=230", NULL}, "latency.l2_strong", "l2.strong_home = true"},
        {{"l2.halves=2", STRONG, "latency.l2_far=289", "latency.l2_strong=199"}, "latency.l2_strong", "200 to 244"},
        {{"l2.halves=2", STRONG, "latency.l2_far=289", "latency.l2_strong=245"}, "latency.l2_strong", "200 to 244"},
        {{"latency.clock.dram=100MHz", NULL}, "latency.dram", "state at least 460"},
        {{"latency.clock.core=1MHz", "latency.clock.noc=3GHz", NULL}, "latency.l2", "100000 is the most"},
        {{"latency.clock.core=1MHz", "launch.to_sm=1048577", NULL}, "launch.to_sm", "1048576"},
        {{"latency.clock.core=1MHz", "launch.to_sm=1049", NULL}, "launch.to_sm", "1048576 is the most"},
        {{"latency.clock.core=1MHz", "clock.core=1MHz", "latency.clock.l2=999999", NULL}, "latency.clock.l2", "small"},
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct script *script = script_new();
        struct mnp_error error;
        bench_fail(script, cases[c].overrides, &error);
        if (!strstr(error.text, cases[c].key) || !strstr(error.text, cases[c].why))
            fail_msg("%s: \"%s\"", cases[c].overrides[0], error.text);
        script_free(script);
    }
}

/* Lanes touch one bank with `step` words between them: min(32, step) different words in the worst bank. */
static void test_bank_conflicts(void **state)
{
    (void)state;
    static const struct {
        uint64_t stride;
        uint32_t ways;
    } cases[] = {{4, 1}, {8, 2}, {16, 4}, {32, 8}, {64, 16}, {128, 32}, {0, 1}, {12, 1}, {132, 1}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t result[2];
        for (uint32_t run = 0; run < 2; run++) {
            struct script *script = script_new();
            script_kernel(script, 1, 32);
            for (uint32_t i = 0; i < (run ? LONG_RUN : SHORT_RUN); i++)
                script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 3, 0, cases[c].stride);
            result[run] = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
            script_free(script);
        }
        assert_int_equal((result[1] - result[0]) / (LONG_RUN - SHORT_RUN), 24 + cases[c].ways - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_arithmetic),
        cmocka_unit_test(test_throughput_equals_lanes),
        cmocka_unit_test(test_l1_and_shared_latency),
        cmocka_unit_test(test_l2_latency),
        cmocka_unit_test(test_far_l2_latency),
        cmocka_unit_test(test_halves_by_address),
        cmocka_unit_test(test_copies_of_the_far_half),
        cmocka_unit_test(test_strong_reads),
        cmocka_unit_test(test_room_of_copies),
        cmocka_unit_test(test_dram_latency_of_halves),
        cmocka_unit_test(test_what_crosses),
        cmocka_unit_test(test_latency_by_width),
        cmocka_unit_test(test_dram_latency),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_latency_across_clocks),
        cmocka_unit_test(test_each_clock_has_its_part),
        cmocka_unit_test(test_impossible_latencies),
        cmocka_unit_test(test_bank_conflicts),
    };
    return cmocka_run_group_tests_name("gpu latency", tests, NULL, NULL);
}
