/* SPDX-License-Identifier: BSD-3-Clause */
#include "timed.h"

#include "execute/live/source.h"
#include "gpu/system/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char machine[] =
    "machine: { name = \"ptx-gpu\"; kind = \"gpu\"; architecture = 80; description = \"for tests\"; };\n"
    "livelock = 200000;\n"
    "clock: { core = \"1000MHz\"; noc = \"1000MHz\"; l2 = \"1000MHz\"; dram = \"1000MHz\"; };\n"
    "sm: { count = 4; subcores = 4; warps = 48; ctas = 16; fp64: { lanes = 8; latency = 8; };\n"
    "  mbarrier: { latency = 24; };\n"
    "  l1d: { size = \"16KiB\"; ways = 8; mshrs = 64; merge = 16; }; };\n"
    "gpc: { count = 2; };\npartition: { count = 3; };\nsm2sm: { lanes = 4; reach = [5, 0]; };\n"
    "l2: { slices_per_partition = 2; slice: { size = \"64KiB\"; ways = 16; }; };\n"
    "dram: { kind = \"hbm2\"; bus_width = \"16\"; burst = 2; data_rate = 2; timing: { ccd = 1; rrd = 3; rcd = 12;\n"
    "  ras = 28; rp = 12; rc = 40; cl = 12; wl = 2; cdlr = 3; wr = 10; ccdl = 2; rtpl = 3; }; };\n"
    "latency: { l1 = 30; shared = 24; l2 = 200; dram = 420; };\nlaunch: { kernel = 100; };\n";

bool timed_run_several(struct mnp_source *const *sources, uint32_t count, const struct timed_how *how,
                       struct mnp_results *results, struct mnp_error *error)
{
    static const struct mnp_machine_file files[] = {{"ptx-gpu", machine}, {NULL, NULL}};
    char devices[32];
    const char *overrides[16] = {devices, how->set};
    size_t override_count = how->set ? 2 : 1;
    for (const char *const *set = how->sets; set && *set; set++)
        overrides[override_count++] = *set;
    snprintf(devices, sizeof devices, "gpu.devices=%u", count);
    struct mnp_settings_source settings_source = {
        .machine = "ptx-gpu", .built_in = files, .overrides = overrides, .override_count = override_count};
    struct mnp_session_options options = {.request = {.executor = how->executor,
                                                      .threads = how->threads,
                                                      .window_cycles = how->window,
                                                      .no_skip = how->no_skip,
                                                      .max_cycles = how->max_cycles}};
    struct mnp_settings *settings = mnp_settings_load(&settings_source, error);
    mnp_results_init(results, MNP_QUIET);
    bool good =
        settings &&
        mnp_session_run_all(&gpu_kind, settings,
                            &(struct mnp_work){.source = sources[0], .others = sources + 1, .other_count = count - 1},
                            &options, results, error);
    mnp_settings_free(settings);
    results->machine = NULL;
    return good;
}

bool timed_run(struct bench *bench, struct mnp_source *source, const struct timed_how *how, struct mnp_results *results)
{
    bool good = timed_run_several(&source, 1, how, results, &bench->error);
    fflush(bench->device.out);
    return good;
}

uint64_t timed_number_by(const char *text, uint32_t sm, size_t bytes, const struct timed_how *how)
{
    struct mnp_results results;
    struct bench bench;
    uint64_t number;
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, sizeof number), buffer = bench_buffer(&bench, NULL, bytes);
    struct mnp_source *source = execute_source_open(&bench.device, sm);
    const uint32_t one[3] = {1, 1, 1};
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code ||
        !execute_source_launch(source, code, one, one, 0, (const void *const[]){&out, &buffer}, &bench.error) ||
        !timed_run(&bench, source, how, &results))
        fail_msg("%s: %s", bench.error.text, text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    bench_read(&bench, out, &number, sizeof number);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return number;
}

uint64_t timed_number(const char *text, uint32_t sm, size_t bytes, const char *set)
{
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1, .set = set};
    return timed_number_by(text, sm, bytes, &how);
}
