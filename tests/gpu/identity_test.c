/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract on whole GPUs: every statistic and every epoch hash is the same for any threads, window, schedule and
 * executor, in whatever order units run, and when every cycle is visited. The reference is serial, in windows of one
 * cycle, visiting all.
 */
#include "../sanitized.h"
#include "bench.h"
#include "engine/core/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

struct outcome {
    XXH64_hash_t statistics, epochs;
    uint64_t cycles;
};

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    uint64_t words[3] = {*(uint64_t *)context, hashes->end, hashes->hash};
    *(uint64_t *)context = XXH3_64bits(words, sizeof words);
}

static XXH64_hash_t hash_set(const struct mnp_statistic_set *set, XXH64_hash_t seed)
{
    for (uint32_t i = 0; i < set->block_count; i++)
        seed = XXH3_64bits_withSeed(set->blocks[i].values, mnp_statistic_width(set->blocks[i].model) * sizeof(uint64_t),
                                    seed);
    return seed;
}

static struct outcome run(struct script *script, const char *const *overrides, struct mnp_session_options options)
{
    struct mnp_results results;
    uint64_t epochs = 0;
    options.on_epoch = on_epoch;
    options.context = &epochs;
    bench_run(script, overrides, &options, &results);
    struct outcome outcome = {.epochs = epochs, .cycles = mnp_statistics_get(&results.total, "gpu_sim_cycle")};
    for (uint32_t i = 0; i < results.part_count; i++)
        outcome.statistics = hash_set(&results.parts[i]->statistics, outcome.statistics);
    outcome.statistics = hash_set(&results.total, outcome.statistics);
    outcome.statistics = XXH3_64bits_withSeed(results.hash, strlen(results.hash), outcome.statistics);
    mnp_results_release(&results);
    return outcome;
}

/* Whether all of the matrix runs, as in make test-long. */
static bool is_full(void)
{
    const char *matrix = getenv("MANIPLE_MATRIX");
    return matrix && strcmp(matrix, "full") == 0;
}

/* Random machines and programs: one of each machine if not all run, fewer where a sanitizer makes each slow. */
static uint64_t programs(void)
{
    return TEST_SANITIZED ? 2 : is_full() ? 8 : 4;
}

/* Seed of a machine and its program. The third of all takes a quarter of the time; another of its machine is
 * short. */
static uint64_t seed_of(uint64_t program)
{
    return program == 2 && !is_full() ? 10 : program;
}

/* Number of threads for windows of so many cycles. Many threads that meet in every cycle spend their time on waiting
 * for processors if there are few: they do so in make test-long alone. */
static uint32_t threads_for(uint32_t threads, uint64_t window)
{
    return threads > 2 && window == 1 && !is_full() ? 2 : threads;
}

/* ===== scripts ===== */

static uint64_t next_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *seed;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t scattered(uint32_t lane)
{
    return 0x100000 + (lane * 2654435761u) % 65536 / 4 * 4;
}

static void add_random_instruction(struct script *script, uint64_t *seed)
{
    uint8_t to = (uint8_t)(next_random(seed) % 12), from = (uint8_t)(next_random(seed) % 12);
    uint64_t base = 0x40000 + next_random(seed) % 4096 * 32;
    uint64_t constants = base / 32; /* of one line, of several, or the same for all lanes */
    uint8_t width = (uint8_t)(1u << next_random(seed) % 5);
    switch (next_random(seed) % 12) {
    case 0:
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, width, to, from, base, width);
        break;
    case 1:
        script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, width, MNP_ZERO_REGISTER, from, base, width);
        break;
    case 2:
        script_scatter(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, to, from, scattered);
        break;
    case 3:
        script_memory(script, MNP_ATOMIC, MNP_SPACE_GLOBAL, 4, to, from, base, 0);
        break;
    case 4:
        script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, to, from, 0, next_random(seed) % 16 * 4);
        break;
    case 5:
        script_barrier(script);
        break;
    case 6:
        script_compute(script, MNP_CLASS_SYNC, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER)->flags |= MNP_FLAG_FENCE;
        break;
    case 8:
        script_memory(script, MNP_LOAD, MNP_SPACE_CONSTANT, 4, to, from, next_random(seed) % 4096 * 16,
                      constants % 3 * 36);
        break;
    case 7:
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, to, from, base, 4)->flags |= MNP_FLAG_BYPASS_L1;
        break;
    case 9: {
        struct mnp_static_instruction *load = script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, to, from, base, 4);
        script_control(script, load, (uint8_t)(next_random(seed) % 4), (uint8_t)(next_random(seed) % 6),
                       (uint8_t)(next_random(seed) % 7), (uint8_t)(next_random(seed) % 128));
        break;
    }
    case 10: /* more reads of one register bank than its port has time for */
        script_reads(script, MNP_CLASS_INT, from & 14, to & 14, (from + to) & 14);
        break;
    default: {
        static const enum mnp_execution_class classes[] = {MNP_CLASS_INT, MNP_CLASS_FP32, MNP_CLASS_FP64,
                                                           MNP_CLASS_SFU, MNP_CLASS_IMAD, MNP_CLASS_CONVERT};
        script_compute(script, classes[next_random(seed) % 6], to, from);
    }
    }
}

static struct script *random_script(uint64_t seed)
{
    struct script *script = script_new();
    for (uint32_t kernels = 1 + (uint32_t)(next_random(&seed) % 3); kernels; kernels--) {
        struct mnp_kernel *kernel =
            script_kernel(script, 1 + (uint32_t)(next_random(&seed) % 24), 1 + (uint32_t)(next_random(&seed) % 256));
        kernel->stream = next_random(&seed) % 2;
        kernel->shared_bytes = (uint32_t)(next_random(&seed) % 20000);
        kernel->code_bytes = kernel->shared_bytes % 3000;
        for (uint32_t i = 0; i < 40; i++)
            add_random_instruction(script, &seed);
    }
    script_spread(script, next_random(&seed) % 64 * 128, next_random(&seed) % 64 * 32);
    return script;
}

/* ===== tests ===== */

static const char *const *machine_of(uint64_t seed)
{
    static const char *const machines[][28] = {
        {"sm.l1i.size=128KiB",
         "gpc.code.size=128KiB",
         "l2.halves=2",
         "l2.copies=true",
         "latency.l2_far=290",
         "l2.one_room=true",
         "l2.strong_home=true",
         "latency.l2_strong=222",
         "gpc.reply_width=50",
         "l2.link=24",
         "launch.order=gpcs",
         "memcpy_warms_l2=true",
         "sm.l1d.tags=4",
         "launch.prefetch=128KiB",
         "l2.fetch=64",
         "sm.imad.wide=2",
         "l2.coalesce=4",
         "sm.l1d.prefetcher=stride",
         "sm.scheduler=cawa",
         "l2.coalesce_writes=3",
         "l2.replacement=ship",
         "sm.distinct=3",
         "launch.cta_time=740",
         "launch.end_time=410",
         "sm.constant.granule=64",
         NULL},
        {"clock.core=345MHz",
         "clock.l2=1313MHz",
         "clock.dram=877MHz",
         "sm.scheduler=lrr",
         "sm.l1i.size=1KiB",
         "sm.l1i.ways=2",
         "sm.l0i.size=256",
         "sm.l0i.ways=1",
         "sm.l0i.misses=3",
         "gpc.code.size=512",
         "gpc.code.ways=1",
         "sm.operands=read-ports",
         "sm.memory.queue=1",
         "sm.dependence=control-bits",
         "dram.pseudo_channels=2",
         "dram.burst=4",
         "dram.timing.refi=900",
         "dram.timing.rfcb=90",
         "dram.refresh=bank",
         "dram.timing.faw=14",
         "ideal.network=true",
         "gpc.port_sms=3",
         NULL},
        {"sm.count=7",
         "gpc.count=3",
         "partition.count=5",
         "clock.dram=3500.5MHz",
         "l2.slices_per_partition=3",
         "sm.l1i.size=128KiB",
         "gpc.code.size=128KiB",
         "l2.halves=2",
         "latency.l2_far=243",
         "l2.link=40",
         "l2.fetch=128",
         "l2.coalesce=16",
         "l2.coalesce_writes=16",
         "launch.order=gpcs",
         "launch.first=77",
         "sm.scheduler=ccws",
         "sm.l1d.replacement=dead-block",
         "l2.replacement=drrip",
         "ideal.network=true",
         "sm.distinct=200",
         NULL},
        {"gpc.port_sms=2",
         "gpc.reply_width=13",
         "noc.request_width=8",
         "noc.reply_width=16",
         "sm.l1d.mshrs=4",
         "sm.memory.loads=6",
         "sm.l1i.size=2KiB",
         "sm.l1i.misses=1",
         "sm.l0i.size=0",
         "sm.memory.egress=2",
         "sm.memory.joined_stores=3",
         "sm.barrier_interval=3",
         "l2.packed_store=24",
         "sm.operands=collector",
         "sm.scheduler=cggty",
         "sm.dependence=control-bits",
         "sm.l1d.write=allocate",
         "sm.l1d.written_share=40",
         "sm.l1d.tags=3",
         "launch.prefetch=1KiB",
         "sm.l1d.replacement=ship",
         "sm.l1i.replacement=drrip",
         "l2.replacement=dead-block",
         NULL},
    };
    return machines[seed % 4];
}

static void expect_same(const struct outcome *reference, struct script *script, const char *const *overrides,
                        struct mnp_session_options options)
{
    const struct mnp_run_request *request = &options.request;
    struct outcome outcome = run(script, overrides, options);
    if (outcome.statistics != reference->statistics || outcome.epochs != reference->epochs)
        fail_msg("executor %s, %u threads, schedule %d, window %lu%s: %lu cycles instead of %lu, statistics %s, "
                 "epochs %s",
                 request->executor->name, request->threads, (int)request->schedule,
                 (unsigned long)request->window_cycles, request->no_skip ? ", no skip" : "",
                 (unsigned long)outcome.cycles, (unsigned long)reference->cycles,
                 outcome.statistics == reference->statistics ? "equal" : "differ",
                 outcome.epochs == reference->epochs ? "equal" : "differ");
}

/* The executors of other simulators. */
static void expect_others_same(const struct outcome *reference, struct script *script, const char *const *overrides,
                               uint64_t seed)
{
    static const char *const names[] = {"lockstep", "domains", "pool", "openmp"};
    for (uint32_t i = seed % 2; i < 4; i += 2) { /* half of them for each seed */
        struct mnp_session_options options = bench_options();
        options.request.executor = mnp_executor_find(names[i]);
        options.request.threads = 1 + (uint32_t)(seed / 2 + i) % 3;
        options.request.window_cycles = (seed + i) % 4 != 0;
        options.request.schedule = (enum mnp_schedule)((seed + i) % 3);
        options.request.chunk = (uint32_t)(seed % 3);
        if (options.request.executor) /* openmp may not be built */
            expect_same(reference, script, overrides, options);
    }
}

static void test_matrix(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 4, 7, 16};
    static const uint64_t windows[] = {1, 5, 0};
    for (uint64_t i = 0; i < programs(); i++) {
        uint64_t seed = seed_of(i);
        struct script *script = random_script(seed);
        const char *const *overrides = machine_of(seed);
        struct mnp_session_options options = bench_options();
        options.request.no_skip = true;
        options.request.window_cycles = 1;
        struct outcome reference = run(script, overrides, options);
        assert_true(reference.cycles > 100);
        for (uint32_t w = 0; w < 3; w++) {
            options = bench_options();
            options.request.window_cycles = windows[w];
            expect_same(&reference, script, overrides, options);
        }
        options.request.no_skip = true;
        expect_same(&reference, script, overrides, options);
        for (uint32_t c = 0; c < 18; c++) {
            if ((c + seed) % (is_full() ? 3 : 7)) /* some of the combinations for each seed */
                continue;
            options = bench_options();
            options.request.executor = &mnp_executor_window;
            options.request.window_cycles = windows[(c / 2 + seed) % 3];
            options.request.threads = threads_for(threads[c % 6], options.request.window_cycles);
            options.request.schedule = (enum mnp_schedule)(c / 6);
            options.worth = 1; /* threads from the first window on, however little there is to do */
            options.request.no_skip = (c + seed) % 5 == 0;
            expect_same(&reference, script, overrides, options);
        }
        expect_others_same(&reference, script, overrides, seed);
        script_free(script);
    }
}

/* ===== another order ===== */

/* One thread that runs the units of each window in another random order: Wang & Gao's table IV, where the order of the
 * clusters is an input of the simulator. */
static void run_shuffled(struct mnp_engine *engine)
{
    uint64_t seed = 7;
    uint32_t *order = malloc(engine->unit_count * sizeof *order);
    assert_non_null(order);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        order[i] = i;
    while (mnp_window_begin(engine)) {
        for (uint32_t i = engine->unit_count; i > 1; i--) {
            uint32_t other = (uint32_t)(next_random(&seed) % i), unit = order[i - 1];
            order[i - 1] = order[other];
            order[other] = unit;
        }
        for (uint32_t i = 0; i < engine->unit_count; i++)
            if (mnp_window_concerns(engine, order[i]))
                mnp_window_run_unit(engine, order[i]);
        mnp_executor_end_alone(engine);
    }
    free(order);
}

static void test_order(void **state)
{
    (void)state;
    static const struct mnp_executor shuffled = {.name = "shuffled", .summary = "", .run = run_shuffled};
    for (uint64_t i = 0; i < programs(); i++) {
        uint64_t seed = seed_of(i);
        struct script *script = random_script(seed);
        const char *const *overrides = machine_of(seed);
        struct outcome reference = run(script, overrides, bench_options());
        struct mnp_session_options options = bench_options();
        options.request.executor = &shuffled;
        expect_same(&reference, script, overrides, options);
        options.request.window_cycles = 1;
        expect_same(&reference, script, overrides, options);
        script_free(script);
    }
}

static void test_relaxed(void **state)
{
    (void)state;
    static const uint64_t cycles[] = {3, 50, 1000};
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct script *script = random_script(seed);
        const char *const *overrides = machine_of(seed);
        struct outcome exact = run(script, overrides, bench_options());
        for (uint32_t i = 0; i < 3; i++) {
            struct mnp_session_options options = bench_options();
            options.request.executor = &mnp_executor_relaxed;
            options.request.window_cycles = cycles[i];
            options.request.threads = 1;
            struct outcome reference = run(script, overrides, options);
            options.request.threads = 3;
            options.request.schedule = MNP_SCHEDULE_DYNAMIC;
            expect_same(&reference, script, overrides, options);
            if (cycles[i] <= 3) /* no longer than the lookahead: nothing is relaxed */
                expect_same(&exact, script, overrides, options);
        }
        script_free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_relaxed)};
    return cmocka_run_group_tests_name("gpu identity", tests, NULL, NULL);
}
