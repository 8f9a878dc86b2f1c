/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char machine[] =
    "machine: { name = \"test-gpu\"; kind = \"gpu\"; architecture = 80; description = \"for tests\"; };\n"
    "clock: { core = \"1000MHz\"; noc = \"1000MHz\"; l2 = \"1000MHz\"; dram = \"1000MHz\"; };\n"
    "sm: { count = 4; subcores = 4; warps = 48; ctas = 16;\n"
    "  fp64: { lanes = 8; latency = 8; };\n"
    "  l1d: { size = \"16KiB\"; ways = 8; mshrs = 64; merge = 16; };\n"
    "  l1i: { size = \"0\"; };\n" /* constants, behind it, hit, too */
    "};\n"
    "gpc: { count = 2; code: { size = \"0\"; }; };\n"
    "partition: { count = 3; };\n"
    "l2: { slices_per_partition = 2; slice: { size = \"64KiB\"; ways = 16; }; };\n"
    "dram: { kind = \"hbm2\"; bus_width = \"16\"; burst = 2; data_rate = 2; banks_interleaved = 2;\n"
    "  timing: { ccd = 1; rrd = 3; rcd = 12;\n"
    "  ras = 28; rp = 12; rc = 40; cl = 12; wl = 2; cdlr = 3; wr = 10; ccdl = 2; rtpl = 3; }; };\n"
    "latency: { l1 = 30; shared = 24; l2 = 200; dram = 420; };\n"
    "launch: { kernel = 100; };\n";

struct mnp_session_options bench_options(void)
{
    return (struct mnp_session_options){.request = {.executor = &mnp_executor_serial, .threads = 1}};
}

bool bench_try_several(struct script *const *scripts, uint32_t count, const char *const *overrides,
                       const struct mnp_session_options *options, struct mnp_results *results, struct mnp_error *error)
{
    static const struct mnp_machine_file files[] = {{BENCH_MACHINE, machine}, {NULL, NULL}};
    const char *all[64];
    char devices[32];
    size_t used = 0;
    snprintf(devices, sizeof devices, "gpu.devices=%u", count);
    if (count > 1)
        all[used++] = devices;
    for (size_t i = 0; overrides && overrides[i]; i++)
        all[used++] = overrides[i];
    struct mnp_settings_source from = {
        .machine = BENCH_MACHINE, .built_in = files, .overrides = all, .override_count = used};
    struct mnp_settings *settings = mnp_settings_load(&from, error);
    struct mnp_source *others[8];
    for (uint32_t i = 1; i < count; i++)
        others[i - 1] = script_source(scripts[i]);
    bool done = settings &&
                mnp_session_run_all(
                    &gpu_kind, settings,
                    &(struct mnp_work){.source = script_source(scripts[0]), .others = others, .other_count = count - 1},
                    options, results, error);
    results->machine = NULL;
    mnp_settings_free(settings);
    return done;
}

bool bench_try(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
               struct mnp_results *results, struct mnp_error *error)
{
    return bench_try_several(&script, 1, overrides, options, results, error);
}

void bench_run_until(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
                     struct mnp_results *results)
{
    struct mnp_error error = {{0}};
    mnp_results_init(results, MNP_QUIET);
    bool done = bench_try(script, overrides, options, results, &error);
    if (!done)
        fail_msg("%s", error.text);
}

void bench_run(struct script *script, const char *const *overrides, const struct mnp_session_options *options,
               struct mnp_results *results)
{
    bench_run_until(script, overrides, options, results);
    if (results->end != MNP_END_FINISHED)
        fail_msg("the run ended with %s\n%s", mnp_end_name(results->end), results->report ? results->report : "");
}

void bench_fail(struct script *script, const char *const *overrides, struct mnp_error *error)
{
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    *error = (struct mnp_error){{0}};
    mnp_results_init(&results, MNP_QUIET);
    bench_try(script, overrides, &options, &results, error);
    mnp_results_release(&results);
}

uint64_t bench_statistic(struct script *script, const char *const *overrides, uint32_t kernel, const char *name)
{
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    bench_run(script, overrides, &options, &results);
    assert_true(kernel < results.part_count);
    uint64_t value = mnp_statistics_get(&results.parts[kernel]->statistics, name);
    mnp_results_release(&results);
    return value;
}
