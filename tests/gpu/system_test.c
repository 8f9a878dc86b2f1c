/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems of GPUs that share nothing: the results of each in a session of several are, to the last byte, those of the
 * same input on a GPU that is alone, in whatever way they are run; and what more than one GPU cannot do is refused.
 */
#include "bench.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Inputs that differ in all: kernels, streams, ends. */
static struct script *input_of(uint32_t number)
{
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < 2 + number; kernel++) {
        script_kernel(script, 3 + 5 * number + kernel, 64 + 32 * number)->stream = kernel % 2;
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 1, 2, 0x40000 + number * 0x1000, 4);
        script_compute(script, MNP_CLASS_FP32, 3, 1);
        script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 3, 0x80000, 4 + 4 * number);
        script_memory(script, MNP_ATOMIC, MNP_SPACE_GLOBAL, 4, 4, 3, 0x90000, 0);
        script_barrier(script);
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 16, 5, 4, 0xa0000, 64);
        for (uint32_t i = 0; i < 20 * number; i++)
            script_compute(script, MNP_CLASS_SFU, 6, 5);
    }
    script_spread(script, 4096, 256);
    return script;
}

/* All results but the description of the run and the hash of the state; to be freed. */
static char *text_of(struct mnp_results *results)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    results->run = (struct mnp_run_info){0};
    results->hash[0] = 0;
    results_write_json(results, out);
    fclose(out);
    return text;
}

/* Runs inputs first … first + count - 1 in one session. */
static void run(uint32_t first, uint32_t count, const char *const *overrides, const struct mnp_session_options *options,
                struct mnp_results *results)
{
    struct script *scripts[4];
    struct mnp_error error = {{0}};
    mnp_results_init(results, MNP_QUIET);
    for (uint32_t i = 0; i < count; i++)
        scripts[i] = input_of(first + i);
    if (!bench_try_several(scripts, count, overrides, options, results, &error))
        fail_msg("%s", error.text);
    assert_int_equal(results->end, MNP_END_FINISHED);
    for (uint32_t i = 0; i < count; i++)
        script_free(scripts[i]);
}

static char *alone(uint32_t number, const char *const *overrides, const struct mnp_session_options *options,
                   uint64_t *cycles)
{
    struct mnp_results results;
    run(number, 1, overrides, options, &results);
    *cycles = mnp_statistics_get(&results.total, "gpu_sim_cycle");
    char *text = text_of(&results);
    mnp_results_release(&results);
    return text;
}

enum { DEVICES = 3 };

static void check(const char *const *overrides, const struct mnp_session_options *options,
                  const struct mnp_session_options *others)
{
    struct mnp_results results;
    uint64_t cycles[DEVICES], most = 0;
    run(0, DEVICES, overrides, options, &results);
    assert_int_equal(results.device_count, DEVICES);
    assert_int_equal(results.part_count, 0);
    for (uint32_t i = 0; i < DEVICES; i++) {
        char *expected = alone(i, overrides, others, &cycles[i]), *text = text_of(results.devices[i]);
        assert_string_equal(text, expected);
        most = cycles[i] > most ? cycles[i] : most;
        free(text);
        free(expected);
    }
    assert_int_equal(mnp_statistics_get(&results.total, "gpu_sim_cycle"), most);
    assert_true(cycles[0] != cycles[1] && cycles[1] != cycles[2]);
    mnp_results_release(&results);
}

static void test_as_alone(void **state)
{
    (void)state;
    static const char *const machines[][3] = {{NULL},
                                              {"memcpy_warms_l2=true", "launch.flush_l2=true", NULL},
                                              {"clock.l2=777MHz", "clock.dram=1500MHz", NULL}};
    const struct mnp_run_request ways[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 2},
        {.executor = &mnp_executor_window, .threads = 2, .window_cycles = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
        {.executor = &mnp_executor_lockstep, .threads = 2},
    };
    struct mnp_session_options usual = bench_options();
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            check(machines[i], &(struct mnp_session_options){.request = ways[way]}, &usual);
}

/* Samples, CTAs and instructions are written down by device, too. */
static void test_records(void **state)
{
    (void)state;
    struct mnp_session_options options = bench_options();
    options.request.sample_cycles = 100;
    options.request.timeline_work = true;
    options.request.by_instruction = true;
    check(NULL, &options, &options);
}

/* The state hash, and so all state, is the same for any way of running several. */
static void test_hash(void **state)
{
    (void)state;
    char first[33] = "";
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (uint32_t window = 0; window < 2; window++) {
            struct mnp_results results;
            struct mnp_session_options options = {
                .request = {.executor = &mnp_executor_window, .threads = threads, .window_cycles = window}};
            run(0, 2, NULL, &options, &results);
            if (!first[0])
                strcpy(first, results.hash);
            assert_string_equal(results.hash, first);
            mnp_results_release(&results);
        }
}

/* Units are named by their device where there are several, also of a run that is stopped. */
static void test_names(void **state)
{
    (void)state;
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    struct script *scripts[2] = {input_of(0), input_of(1)};
    struct mnp_error error = {{0}};
    mnp_results_init(&results, MNP_QUIET);
    options.request.max_cycles = 500;
    bool done = bench_try_several(scripts, 2, NULL, &options, &results, &error);
    assert_true(done);
    assert_int_equal(results.end, MNP_END_LIMIT);
    assert_int_equal(results.devices[0]->end, MNP_END_LIMIT);
    assert_true(strncmp(results.run.shortest_link, "gpu 0 ", 6) == 0);
    mnp_results_release(&results);
    script_free(scripts[0]);
    script_free(scripts[1]);
}

static void expect_refusal(uint32_t count, const char *override, const struct mnp_session_options *options,
                           const char *part)
{
    struct mnp_results results;
    struct script *scripts[2] = {input_of(0), input_of(1)};
    struct mnp_error error = {{0}};
    mnp_results_init(&results, MNP_QUIET);
    assert_false(bench_try_several(scripts, count, (const char *const[]){override, NULL}, options, &results, &error));
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    mnp_results_release(&results);
    script_free(scripts[0]);
    script_free(scripts[1]);
}

/* A fault ends the run of all, and says whose it is. */
static void test_faults(void **state)
{
    (void)state;
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    struct script *scripts[2] = {input_of(0), script_new()};
    struct mnp_error error = {{0}};
    script_kernel(scripts[1], 1, 2048); /* more warps than an SM holds */
    mnp_results_init(&results, MNP_QUIET);
    assert_false(bench_try_several(scripts, 2, NULL, &options, &results, &error));
    if (strncmp(error.text, "gpu 1: kernel 1 (", 17) != 0)
        fail_msg("%s", error.text);
    mnp_results_release(&results);
    script_free(scripts[0]);
    script_free(scripts[1]);
}

static bool pause(void *context, struct mnp_session *session, uint32_t part)
{
    (void)context, (void)session, (void)part;
    return true;
}

static bool selects(const void *selection, uint32_t part, const char *name)
{
    (void)selection, (void)part, (void)name;
    return true;
}

static void test_refusals(void **state)
{
    (void)state;
    struct mnp_session_options options = bench_options();
    expect_refusal(1, "gpu.devices=2", &options, "give one for each GPU, or --set gpu.devices=1");
    expect_refusal(2, "gpu.devices=1", &options, "give one for each GPU, or --set gpu.devices=2");
    expect_refusal(2, "gpu.devices=17", &options, "gpu.devices");
    expect_refusal(2, "fabric.kind=nvlink", &options, "fabric.pairs");
    options.on_pause = pause;
    expect_refusal(2, "gpu.devices=2", &options, "--snapshot");
    options = bench_options();
    options.selects = selects;
    expect_refusal(2, "gpu.devices=2", &options, "--kernels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_alone), cmocka_unit_test(test_records), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_faults),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
