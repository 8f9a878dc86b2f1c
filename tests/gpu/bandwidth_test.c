/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth behind the L1, as programs see it: what one more access of a warp costs, by its width, where ports and
 * timing say what it must. Differences of two runs cancel launch, start and end.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BASE = 1 << 20, SMS = 4, WARPS = 16, CHANNELS = 3, FEW = 16, MORE = 48 };

struct stream {
    enum mnp_memory_operation operation;
    uint32_t width, ctas; /* bytes of a lane; one CTA for an SM */
    uint32_t rounds;      /* accesses after which the addresses come again; 0: never */
    bool warm;            /* the same has been read before */
    bool shared;          /* all CTAs access the same */
    const char *const *overrides;
};

/* Neighbouring warps access neighbouring bytes. */
static uint64_t run(const struct stream *stream, uint32_t accesses)
{
    struct script *script = script_new();
    uint64_t chunk = (uint64_t)stream->width * MNP_WARP_SIZE, round = chunk * WARPS * stream->ctas;
    script_spread(script, stream->shared ? 0 : chunk * WARPS, chunk);
    for (uint32_t kernel = 0; kernel < (stream->warm ? 2u : 1u); kernel++) {
        script_kernel(script, stream->ctas, WARPS * MNP_WARP_SIZE);
        for (uint32_t i = 0; i < accesses; i++) {
            bool store = stream->operation == MNP_STORE;
            uint64_t base = (stream->rounds ? i % stream->rounds : i) * round;
            script_memory(script, stream->operation, MNP_SPACE_GLOBAL, (uint8_t)stream->width,
                          store ? MNP_ZERO_REGISTER : (uint8_t)(8 + i % 32 * 4), MNP_ZERO_REGISTER, base, stream->width)
                ->flags |= MNP_FLAG_BYPASS_L1;
        }
    }
    uint64_t cycles = bench_statistic(script, stream->overrides, stream->warm ? 1 : 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* Narrow accesses are more, for a run that is long beside latencies and refreshes. */
static uint32_t scale(uint32_t width)
{
    return width < 8 ? 8 / width : 1;
}

/* `each`: cycles that one access of every warp takes at the full rate of what bounds them. */
static void expect_rate(const struct stream *stream, double each)
{
    double cycles = (double)(run(stream, MORE * scale(stream->width)) - run(stream, FEW * scale(stream->width)));
    double least = each * (MORE - FEW) * scale(stream->width);
    if (cycles < 0.995 * least || cycles > 1.05 * least)
        fail_msg("%u bytes a lane, %u CTAs: %.0f cycles, where %.0f are expected", stream->width, stream->ctas, cycles,
                 least);
}

static uint32_t sectors_of(uint32_t width)
{
    return width;
}

/* Replies of 8 bytes and 32 for each sector, up to four, pass the SM's port, 40 bytes wide. */
static uint32_t port_cycles(uint32_t width)
{
    uint32_t lines = width > 4 ? width / 4 : 1, sectors = sectors_of(width) / lines;
    return lines * ((8 + 32 * sectors + 39) / 40);
}

static const uint32_t widths[] = {1, 2, 4, 8, 16};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Accesses of a sector are many: latency × bandwidth of them must fit the table of loads. */
#define LOADS "sm.memory.loads=1024"

/* ===== L2 ===== */

static void test_l2_of_one_sm(void **state)
{
    (void)state;
    static const char *const overrides[] = {LOADS, NULL};
    for (uint32_t i = 0; i < WIDTHS; i++)
        expect_rate(&(struct stream){.width = widths[i], .ctas = 1, .rounds = 4, .warm = true, .overrides = overrides},
                    WARPS * port_cycles(widths[i]));
}

/* The port has the network's clock, the SM asks for a line in a cycle of its own: credits bind neither. */
static void test_l2_of_one_sm_on_other_clocks(void **state)
{
    (void)state;
    static const struct {
        const char *clock;
        double cycles; /* of the core, in one of the network */
    } cases[] = {
        {"clock.core=500MHz", 0.5}, {"clock.core=200MHz", 0.2}, {"clock.core=2GHz", 2}, {"clock.noc=500MHz", 2}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const overrides[] = {LOADS, cases[c].clock, NULL};
        for (uint32_t i = 0; i < WIDTHS; i++) {
            double port = port_cycles(widths[i]) * cases[c].cycles, lines = widths[i] > 4 ? widths[i] / 4 : 1;
            expect_rate(
                &(struct stream){.width = widths[i], .ctas = 1, .rounds = 4, .warm = true, .overrides = overrides},
                WARPS * (port > lines ? port : lines));
        }
    }
}

/* Two slices look up, and send, a sector a cycle each. */
static void test_l2_of_all_sms(void **state)
{
    (void)state;
    static const char *const slices[] = {LOADS, "partition.count=1", "l2.slice.size=256KiB", NULL};
    for (uint32_t i = 0; i < WIDTHS; i++)
        expect_rate(&(struct stream){.width = widths[i], .ctas = SMS, .rounds = 4, .warm = true, .overrides = slices},
                    WARPS * SMS * sectors_of(widths[i]) / 2.0);
}

/* Lines that all SMs read: by itself, slices are the bound; looked up and sent once for all four, an SM's port is. */
static void test_l2_of_the_same_lines(void **state)
{
    (void)state;
    static const char *const alone[] = {LOADS, "partition.count=1", "l2.slice.size=256KiB", NULL};
    static const char *const together[] = {LOADS, "partition.count=1", "l2.slice.size=256KiB", "l2.coalesce=4", NULL};
    struct stream stream = {.width = 4, .ctas = SMS, .rounds = 4, .warm = true, .shared = true, .overrides = alone};
    expect_rate(&stream, WARPS * SMS * sectors_of(4) / 2.0);
    stream.overrides = together;
    expect_rate(&stream, WARPS * port_cycles(4));
}

/* Lines that all SMs write: by itself, a slice writes half a sector a cycle; joined by four, the way from a GPC of two
 * SMs to the partition is the bound. */
static void test_writes_to_the_same_lines(void **state)
{
    (void)state;
    static const char *const alone[] = {LOADS,        "partition.count=1",    "l2.slice.size=256KiB",
                                        "l2.port=16", "l2.request_port=4096", NULL};
    static const char *const together[] = {LOADS,        "partition.count=1",    "l2.slice.size=256KiB",
                                           "l2.port=16", "l2.request_port=4096", "l2.coalesce_writes=4",
                                           NULL};
    struct stream stream = {
        .operation = MNP_STORE, .width = 4, .ctas = SMS, .rounds = 4, .warm = true, .shared = true, .overrides = alone};
    expect_rate(&stream, WARPS * SMS * 2 * sectors_of(4) / 2.0);
    stream.overrides = together;
    expect_rate(&stream, WARPS * 2 * port_cycles(4));
}

/* ===== SMs that share a port of the network ===== */

/* The SMs of a port have the bandwidth of one together: replies with data come through it, requests to write go. */
static void test_sms_share_a_port(void **state)
{
    (void)state;
    static const char *const ports[] = {"gpc.port_sms=1", "gpc.port_sms=2", "gpc.port_sms=4"};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t writes = 0; writes < 2; writes++) {
            uint32_t together = i == 0 ? 1 : 2; /* a GPC has two SMs, and none shares a port with those of others */
            const char *const overrides[] = {LOADS, ports[i], "l2.slice.size=256KiB", "l2.request_port=4096", NULL};
            for (uint32_t ctas = 1; ctas <= SMS; ctas += SMS - 1) /* an SM that is alone has all of it */
                expect_rate(&(struct stream){.operation = writes ? MNP_STORE : MNP_LOAD,
                                             .width = 4,
                                             .ctas = ctas,
                                             .rounds = 4,
                                             .warm = true,
                                             .overrides = overrides},
                            WARPS * port_cycles(4) * (ctas > 1 ? together : 1));
        }
}

/* ===== what the SMs of a GPC take together ===== */

/* A line and its header are 136 bytes, and a GPC has two SMs, whose own ports take four cycles for them. */
static void test_sms_of_a_gpc_share_its_width(void **state)
{
    (void)state;
    static const struct {
        const char *width;
        double alone, together; /* cycles of a line */
    } cases[] = {{"gpc.reply_width=34", 4, 8},
                 {"gpc.reply_width=60", 4, 2 * 136 / 60.0},
                 {"gpc.reply_width=17", 8, 16},
                 {"gpc.reply_width=1000", 4, 4}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const overrides[] = {LOADS, cases[i].width, "l2.slice.size=256KiB", NULL};
        struct stream stream = {.width = 4, .ctas = 1, .rounds = 4, .warm = true, .overrides = overrides};
        expect_rate(&stream, WARPS * cases[i].alone);
        stream.ctas = SMS;
        expect_rate(&stream, WARPS * cases[i].together);
    }
}

/* ===== a network of less detail ===== */

/* Ports are no bound any more: lines of a slice of one are looked up at a sector a cycle each, for all SMs. */
static void test_an_ideal_network_leaves_the_slices(void **state)
{
    (void)state;
    static const char *const narrow[] = {LOADS,
                                         "partition.count=1",
                                         "l2.slice.size=256KiB",
                                         "noc.reply_width=8",
                                         "noc.request_width=8",
                                         "ideal.network=true",
                                         NULL};
    for (uint32_t i = 0; i < WIDTHS; i++)
        expect_rate(&(struct stream){.width = widths[i], .ctas = SMS, .rounds = 4, .warm = true, .overrides = narrow},
                    WARPS * SMS * sectors_of(widths[i]) / 2.0);
}

/* An access that is alone takes as long as with ports. */
static void test_an_ideal_network_has_the_same_latency(void **state)
{
    (void)state;
    static const char *const ideal[] = {"ideal.network=true", "sm.l1d.size=4KiB", NULL}, *const ports[] = {
                                                                                             "sm.l1d.size=4KiB", NULL};
    struct script *script = script_new();
    script_kernel(script, 1, 1);
    for (uint64_t i = 0; i < 30; i++)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 2, 2, BASE + i % 20 * 4096, 4);
    assert_int_equal(bench_statistic(script, ideal, 0, "gpu_sim_cycle"),
                     bench_statistic(script, ports, 0, "gpu_sim_cycle"));
    script_free(script);
}

/* ===== the link between parts of the L2 ===== */

/* Under a linear hash of three partitions of two slices, pieces of 256 bytes go round the partitions; partition 2 lies
 * in the second half, SM 0 in the first. 64 lines of one partition, read or written by 16 warps. */
static uint64_t lines_of_partition(enum mnp_memory_operation operation, uint64_t partition, uint32_t lines,
                                   const char *const *overrides)
{
    struct script *script = script_new();
    script_spread(script, 0, 768);
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        script_kernel(script, 1, WARPS * MNP_WARP_SIZE);
        for (uint32_t i = 0; i < lines; i++)
            script_memory(script, operation, MNP_SPACE_GLOBAL, 4,
                          operation == MNP_STORE ? MNP_ZERO_REGISTER : (uint8_t)(8 + i % 64), MNP_ZERO_REGISTER,
                          partition * 256 + i % 2 * 128 + i % 4 / 2 * WARPS * 768, 4)
                ->flags |= MNP_FLAG_BYPASS_L1;
    }
    uint64_t cycles = bench_statistic(script, overrides, 1, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* A line between the halves takes 128 bytes of the link, whose width need not divide that; partition 2 has the whole of
 * it for its replies, and for the writes of one GPC of two in the first half. Nothing else waits for it. */
static void test_l2_link(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        double width;
    } cases[] = {{"l2.link=8", 8}, {"l2.link=7", 7}, {"l2.link=19", 19}, {"l2.link=0", 32}, {"l2.link=4096", 32}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const overrides[] = {LOADS,        "l2.hash=linear", "l2.halves=2",        "noc.request_width=34",
                                         "sm.count=4", "gpc.count=4",    "noc.reply_width=34", cases[i].link,
                                         NULL};
        for (uint64_t partition = 0; partition < 3; partition += 2)
            for (uint32_t write = 0; write < 2; write++) {
                enum mnp_memory_operation operation = write ? MNP_STORE : MNP_LOAD;
                uint64_t cycles = lines_of_partition(operation, partition, MORE, overrides) -
                                  lines_of_partition(operation, partition, FEW, overrides);
                double expected = (MORE - FEW) * WARPS * 128 / (partition ? cases[i].width : 32);
                if ((double)cycles < 0.99 * expected || (double)cycles > 1.02 * expected)
                    fail_msg("%s, partition %u, %s: %u cycles, where %.0f are expected", cases[i].link,
                             (unsigned)partition, write ? "written" : "read", (unsigned)cycles, expected);
            }
    }
}

enum { SLICES = 2 };

/* Lines written to a slice take it whole cycles by l2.write_port, lines read by l2.port, which is 32. */
static void test_l2_writes(void **state)
{
    (void)state;
    static const struct {
        const char *port;
        uint32_t cycles; /* of a line written */
    } cases[] = {{"l2.write_port=0", 4},  {"l2.write_port=24", 6},   {"l2.write_port=21", 7},
                 {"l2.write_port=16", 8}, {"l2.request_port=32", 5}, {"l2.request_port=17", 8}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const overrides[] = {
            LOADS, "l2.hash=linear", "noc.request_width=136", "noc.reply_width=136", cases[i].port, NULL};
        for (uint32_t write = 0; write < 2; write++) {
            enum mnp_memory_operation operation = write ? MNP_STORE : MNP_LOAD;
            uint64_t cycles =
                lines_of_partition(operation, 0, MORE, overrides) - lines_of_partition(operation, 0, FEW, overrides);
            uint64_t expected = (uint64_t)(MORE - FEW) * WARPS * (write ? cases[i].cycles : 4) / SLICES;
            if (cycles * 100 < 99 * expected || cycles * 100 > 102 * expected)
                fail_msg("%s, %s: %u cycles, where %u are expected", cases[i].port, write ? "written" : "read",
                         (unsigned)cycles, (unsigned)expected);
        }
    }
}

/* Cycles of `lines` lines of a partition, read by each of 16 warps of SM 0 after they have been written: so its half of
 * the L2 has no copies of those that belong to the other. `rounds` times. */
static uint64_t first_reads(uint64_t partition, uint32_t lines, uint32_t rounds, const char *const *overrides)
{
    struct script *script = script_new();
    script_spread(script, 0, 768);
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        script_kernel(script, 1, WARPS * MNP_WARP_SIZE);
        for (uint32_t i = 0; i < lines * (kernel ? rounds : 1); i++)
            script_memory(script, kernel ? MNP_LOAD : MNP_STORE, MNP_SPACE_GLOBAL, 4,
                          kernel ? (uint8_t)(8 + i % 64) : MNP_ZERO_REGISTER, MNP_ZERO_REGISTER,
                          partition * 256 + i % 2 * 128 + (uint64_t)(i % lines / 2) * WARPS * 768, 4)
                ->flags |= MNP_FLAG_BYPASS_L1;
    }
    uint64_t cycles = bench_statistic(script, overrides, 1, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* A line that a half of the L2 takes in from the other keeps a slice for 128 bytes by l2.copy_port beside its four
 * cycles of reading; one of its own, and one that it has, for these alone. */
static void test_l2_copies(void **state)
{
    (void)state;
    static const struct {
        const char *port;
        uint32_t cycles; /* of a line taken in */
    } cases[] = {{"l2.copy_port=0", 0}, {"l2.copy_port=32", 4}, {"l2.copy_port=24", 6}, {"l2.copy_port=16", 8}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const overrides[] = {LOADS,
                                         "l2.hash=linear",
                                         "l2.halves=2",
                                         "l2.copies=true",
                                         "latency.l2_far=300",
                                         "noc.request_width=136",
                                         "noc.reply_width=136",
                                         "l2.slice.size=256KiB",
                                         cases[i].port,
                                         NULL};
        for (uint64_t partition = 0; partition < 3; partition += 2) {
            uint64_t few = first_reads(partition, 32, 1, overrides), more = first_reads(partition, 96, 1, overrides);
            uint64_t twice = first_reads(partition, 96, 2, overrides), lines = 64 * WARPS / SLICES;
            uint64_t again = first_reads(partition, 96, 3, overrides) - twice;
            uint64_t expected = lines * (4 + (partition ? cases[i].cycles : 0));
            if ((more - few) * 100 < 98 * expected || (more - few) * 100 > 102 * expected)
                fail_msg("%s, partition %u: %u cycles, where %u are expected", cases[i].port, (unsigned)partition,
                         (unsigned)(more - few), (unsigned)expected);
            expected = 96 * WARPS / SLICES * 4;
            if (again * 100 < 98 * expected || again * 100 > 102 * expected)
                fail_msg("%s, partition %u, again: %u cycles, where %u are expected", cases[i].port,
                         (unsigned)partition, (unsigned)again, (unsigned)expected);
        }
    }
}

/* All SMs read all partitions: a quarter of the data goes through the link in either direction, and the half that does
 * not, on the same ports, costs no time of its own. */
static void test_l2_link_under_load(void **state)
{
    (void)state;
    static const char *const narrow[] = {LOADS, "partition.count=4", "l2.halves=2", "l2.link=16", NULL};
    static const char *const wide[] = {LOADS, "partition.count=4", "l2.halves=2", "l2.link=24", NULL};
    static const uint32_t bytes[] = {4, 8, 16};
    for (uint32_t i = 0; i < 3; i++) {
        double data = WARPS * SMS * 32.0 * bytes[i];
        struct stream stream = {.width = bytes[i], .ctas = SMS, .rounds = 4, .warm = true, .overrides = narrow};
        expect_rate(&stream, data / 4 / 16);
        stream.overrides = wide;
        expect_rate(&stream, data / 4 / 24);
    }
}

/* ===== DRAM ===== */

static const char *const dram[] = {LOADS, "dram.timing.ccdl=1", NULL};
static const char *const refreshed[] = {LOADS, "dram.timing.ccdl=1", "dram.timing.refi=1000", "dram.timing.rfc=100",
                                        NULL};

/* A channel moves a sector a cycle, but while it is refreshed. */
static void test_dram(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WIDTHS; i++) {
        double least = (double)WARPS * SMS * sectors_of(widths[i]) / CHANNELS;
        expect_rate(&(struct stream){.width = widths[i], .ctas = SMS, .overrides = dram}, least);
        expect_rate(&(struct stream){.width = widths[i], .ctas = SMS, .overrides = refreshed}, least * 1000 / 900);
    }
}

/* ===== misses outstanding ===== */

/* Cycles of `lines` misses of one SM, each of another line: of the L1 alone where the L2 has been warmed. */
static uint64_t misses(uint32_t lines, bool warm, const char *const *overrides)
{
    struct script *script = script_new();
    script_spread(script, 0, (uint64_t)lines * 128);
    for (uint32_t kernel = 0; kernel < (warm ? 2u : 1u); kernel++) {
        script_kernel(script, 1, 4 * MNP_WARP_SIZE);
        for (uint32_t i = 0; i < lines; i++)
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, (uint8_t)(8 + i % 64), MNP_ZERO_REGISTER, i * 128, 0);
    }
    uint64_t cycles = bench_statistic(script, overrides, warm ? 1 : 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

static void expect_misses(bool warm, double each, const char *const *overrides)
{
    double cycles = (double)(misses(60, warm, overrides) - misses(20, warm, overrides)), expected = 4 * 40 * each;
    if (cycles < 0.95 * expected || cycles > 1.05 * expected)
        fail_msg("%s: %.0f cycles, where %.0f are expected", overrides[0], cycles, expected);
}

/* With few miss entries, each is taken again as soon as its line has come: as many misses end in a latency (less what
 * lies in front of the look-up and behind the fill) as there are entries. */
static void test_mshrs(void **state)
{
    (void)state;
    enum { FRONT = 11, FILL = 4 };
    static const char *const l1[][2] = {
        {"sm.l1d.mshrs=2", NULL}, {"sm.l1d.mshrs=4", NULL}, {"sm.l1d.mshrs=8", NULL}, {"sm.l1d.mshrs=16", NULL}};
    for (uint32_t i = 0; i < 4; i++)
        expect_misses(true, (200.0 - FRONT - FILL) / (2 << i), l1[i]);
    /* One slice: a miss is longer than a hit by the 220 cycles between latency.l2 and latency.dram, less the 12 of rcd,
     * as neighbouring lines find their row open. */
    static const char *const l2[][4] = {{"l2.mshrs=1", "partition.count=1", "l2.slices_per_partition=1", NULL},
                                        {"l2.mshrs=2", "partition.count=1", "l2.slices_per_partition=1", NULL},
                                        {"l2.mshrs=4", "partition.count=1", "l2.slices_per_partition=1", NULL}};
    for (uint32_t i = 0; i < 3; i++)
        expect_misses(false, (420.0 - 200 - 12) / (1 << i), l2[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l2_of_one_sm),
        cmocka_unit_test(test_l2_of_one_sm_on_other_clocks),
        cmocka_unit_test(test_l2_of_all_sms),
        cmocka_unit_test(test_l2_of_the_same_lines),
        cmocka_unit_test(test_writes_to_the_same_lines),
        cmocka_unit_test(test_sms_share_a_port),
        cmocka_unit_test(test_sms_of_a_gpc_share_its_width),
        cmocka_unit_test(test_an_ideal_network_leaves_the_slices),
        cmocka_unit_test(test_an_ideal_network_has_the_same_latency),
        cmocka_unit_test(test_l2_link),
        cmocka_unit_test(test_l2_writes),
        cmocka_unit_test(test_l2_copies),
        cmocka_unit_test(test_l2_link_under_load),
        cmocka_unit_test(test_dram),
        cmocka_unit_test(test_mshrs),
    };
    return cmocka_run_group_tests_name("gpu bandwidth", tests, NULL, NULL);
}
