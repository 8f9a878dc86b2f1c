/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random values for every key of the memory system's geometry, and of the SM's L1: a machine of any positive number of
 * SMs, GPCs, partitions, slices, sets, ways and banks runs to its end and moves what it must, or is refused when it is
 * loaded, with the reason and the key.
 */
#include "bench.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 600, CHANGES = 6, WARPS = 96 };

static const struct key {
    const char *name;
    uint64_t most, unit; /* values are 1 … most times the unit */
    const char *choices[4];
} keys[] = {
    {"sm.count", 9, 1, {0}},
    {"gpc.count", 5, 1, {0}},
    {"partition.count", 21, 1, {0}},
    {"l2.slices_per_partition", 7, 1, {0}},
    {"l2.slice.size", 70, 512, {0}},
    {"l2.slice.ways", 40, 1, {0}},
    {"l2.halves", 5, 1, {0}},
    {"l2.copies", 0, 0, {"false", "true"}},
    {"l2.strong_home", 0, 0, {"false", "true"}},
    {"l2.one_room", 0, 0, {"false", "true"}},
    {"latency.l2_far", 5, 300, {0}},
    {"latency.l2_strong", 5, 300, {0}},
    {"l2.link", 300, 1, {0}},
    {"l2.fetch", 5, 32, {0}},
    {"l2.mshrs", 20, 1, {0}},
    {"l2.merge", 5, 1, {0}},
    {"l2.waiters", 20, 1, {0}},
    {"l2.interleave", 16, 64, {0}},
    {"l2.hash", 0, 0, {"linear", "xor", "ipoly"}},
    {"l2.set_hash", 0, 0, {"linear", "xor", "ipoly"}},
    {"l2.replacement", 0, 0, {"lru", "fifo"}},
    {"l2.latency", 20, 1, {0}},
    {"l2.port", 140, 1, {0}},
    {"l2.request_port", 140, 1, {0}},
    {"l2.packed_store", 33, 1, {0}},
    {"l2.write_port", 140, 1, {0}},
    {"l2.copy_port", 140, 1, {0}},
    {"l2.atomic_interval", 5, 1, {0}},
    {"l2.miss_queue", 9, 1, {0}},
    {"l2.reply_queue", 5, 1, {0}},
    {"dram.kind", 0, 0, {"gddr5", "gddr6", "hbm2", "hbm3"}},
    {"dram.pseudo_channels", 9, 1, {0}},
    {"dram.banks", 70, 1, {0}},
    {"dram.bank_groups", 17, 1, {0}},
    {"dram.bus_width", 40, 1, {0}},
    {"dram.burst", 20, 1, {0}},
    {"dram.data_rate", 9, 1, {0}},
    {"dram.scheduler", 0, 0, {"frfcfs", "fcfs"}},
    {"dram.refresh", 0, 0, {"all", "bank"}},
    {"dram.queue", 9, 1, {0}},
    {"dram.write_queue", 200, 1, {0}},
    {"dram.row", 70, 64, {0}},
    {"dram.bank_interleave", 20, 32, {0}},
    {"dram.banks_interleaved", 17, 1, {0}},
    {"dram.bank_hash", 0, 0, {"linear", "xor", "ipoly"}},
    {"dram.timing.ccd", 9, 1, {0}},
    {"dram.timing.ccdl", 20, 1, {0}},
    {"dram.timing.rrd", 20, 1, {0}},
    {"dram.timing.faw", 90, 1, {0}},
    {"dram.timing.ras", 90, 1, {0}},
    {"dram.timing.rc", 140, 1, {0}},
    {"dram.timing.refi", 900, 1, {0}},
    {"dram.timing.rfc", 200, 1, {0}},
    {"dram.timing.rfcb", 90, 1, {0}},
    {"clock.core", 3000, 1000000, {0}},
    {"clock.l2", 3000, 1000000, {0}},
    {"clock.dram", 4000, 1000000, {0}},
    {"clock.noc", 3000, 1000000, {0}},
    {"noc.request_width", 140, 1, {0}},
    {"noc.reply_width", 140, 1, {0}},
    {"noc.header", 20, 1, {0}},
    {"noc.queue", 9, 1, {0}},
    {"noc.credit_batch", 12, 1, {0}},
    {"ideal.network", 0, 0, {"false", "true"}},
    {"gpc.port_sms", 5, 1, {0}},
    {"gpc.reply_width", 140, 1, {0}},
    {"sm.distinct", 20, 1, {0}},
    {"sm.l1d.size", 64, 1024, {0}},
    {"sm.l1d.ways", 20, 1, {0}},
    {"sm.l1d.mshrs", 9, 1, {0}},
    {"sm.l1d.tags", 34, 1, {0}},
};
enum { KEYS = sizeof keys / sizeof *keys };

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* KEY=VALUE, small values being as likely as large ones. */
static void override(char *text, size_t room, uint64_t *seed)
{
    const struct key *key = &keys[next_random(seed) % KEYS];
    uint32_t choices = 0;
    while (choices < 4 && key->choices[choices])
        choices++;
    if (choices) {
        snprintf(text, room, "%s=%s", key->name, key->choices[next_random(seed) % choices]);
        return;
    }
    uint64_t most = next_random(seed) % 2 ? key->most : (key->most + 7) / 8;
    snprintf(text, room, "%s=%" PRIu64, key->name, (1 + next_random(seed) % most) * key->unit);
}

/* Sectors that the traffic reads at least: each warp loads four and adds to four of its own, and loads one of each of
 * 32 lines, the first of which is one further for each warp. */
enum { READS = WARPS * 4 + WARPS * 4 + WARPS + 31 };

static struct script *traffic(void)
{
    struct script *script = script_new();
    script_kernel(script, WARPS / 2, 64);
    script_spread(script, 256, 128);
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x100000, 4);
    script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 3, 0x200000, 4);
    script_memory(script, MNP_REDUCTION, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 3, 0x300000, 4);
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 4, 3, 0x400000, 128);
    return script;
}

static void every_value_works_or_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 20261121, refused = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        char texts[CHANGES][64];
        const char *overrides[CHANGES + 2] = {"latency.dram=9000"};
        for (uint32_t i = 0; i < CHANGES; i++) {
            override(texts[i], sizeof texts[i], &seed);
            overrides[1 + i] = texts[i];
        }
        struct script *script = traffic();
        struct mnp_results results;
        struct mnp_error error = {{0}};
        struct mnp_session_options options = bench_options();
        mnp_results_init(&results, MNP_QUIET);
        if (!bench_try(script, overrides, &options, &results, &error)) {
            refused++;
            if (!strchr(error.text, '.')) /* no key */
                fail_msg("%s %s %s %s %s %s: %s", texts[0], texts[1], texts[2], texts[3], texts[4], texts[5],
                         error.text);
        } else if (results.end != MNP_END_FINISHED || mnp_statistics_get(&results.total, "gpu_ctas") != WARPS / 2 ||
                   mnp_statistics_get(&results.total, "total_dram_reads") < READS) {
            fail_msg("%s %s %s %s %s %s: ends with %s", texts[0], texts[1], texts[2], texts[3], texts[4], texts[5],
                     mnp_end_name(results.end));
        }
        mnp_results_release(&results);
        script_free(script);
    }
    print_message("%" PRIu64 " of %d machines were refused\n", refused, ROUNDS);
    assert_in_range(refused, ROUNDS / 20, ROUNDS * 3 / 4); /* both happen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_works_or_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
