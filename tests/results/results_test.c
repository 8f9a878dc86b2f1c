/* SPDX-License-Identifier: BSD-3-Clause */
/* The writers of results: well-formed JSON with exact numbers, accumulation as GPGPU-Sim's, and folders that are whole
 * or untouched. */
#include "base/file.h"
#include "results/encoding/json.h"
#include "contract/kernel_results.h"
#include "results/write/results.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CYCLES, INSTRUCTIONS, WARPS, IPC, SLOTS, ISSUED, IDLE, LATENCY, WIDTH = LATENCY + 3 };

static const struct mnp_statistic rows[] = {
    [CYCLES] = {.name = "gpu_sim_cycle", .kind = &mnp_kind_counter, .unit = "cycle"},
    [INSTRUCTIONS] = {.name = "gpu_sim_insn", .kind = &mnp_kind_counter, .unit = "instruction"},
    [WARPS] = {.name = "gpgpu_n_tot_w_icount", .kind = &mnp_kind_counter, .unit = "instruction"},
    [IPC] = {.name = "gpu_ipc",
             .kind = &mnp_kind_ratio,
             .unit = "instruction/cycle",
             .numerator = "gpu_sim_insn",
             .denominator = "gpu_sim_cycle",
             .scale = 1},
    [SLOTS] = {.name = "issue_slots", .kind = &mnp_kind_counter, .unit = "slot"},
    [ISSUED] = {.name = "issue_slots_issued", .kind = &mnp_kind_counter, .unit = "slot"},
    [IDLE] = {.name = "issue_slots_idle", .kind = &mnp_kind_counter, .unit = "slot"},
    [LATENCY] = {.name = "latency", .kind = &mnp_kind_histogram, .unit = "cycle", .bins = 3},
};
static const struct mnp_statistic memory_rows[] = {
    {.name = "L2_total_cache_accesses", .kind = &mnp_kind_counter, .unit = "sector"},
    {.name = "total_dram_reads", .kind = &mnp_kind_counter, .unit = "sector"},
};
static const struct mnp_model core = {
    .name = "core", .statistics = rows, .statistic_count = sizeof rows / sizeof *rows};
static const struct mnp_model memory = {.name = "memory", .statistics = memory_rows, .statistic_count = 2};
static const struct mnp_model *const models[] = {&core, &memory};

static const struct mnp_machine_file built_in[] = {{"tiny", "machine: { description = \"for tests\"; };\n"},
                                                   {NULL, NULL}};
static const struct mnp_parameter parameters[] = {
    {.key = "sm.count", .type = MNP_UINT, .unit = "", .fallback = "2", .help = ""},
    {.key = "sm.l1d.size", .type = MNP_SIZE, .unit = "byte", .fallback = "64KiB", .help = ""},
};

static struct mnp_settings *machine(void)
{
    struct mnp_error error = {0};
    struct mnp_settings_source source = {.machine = "tiny", .built_in = built_in};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    assert_non_null(settings);
    assert_true(mnp_settings_fill(settings, parameters, 2, NULL, &error));
    return settings;
}

static void add_kernel(struct mnp_results *results, const char *name, const uint64_t *counters,
                       const uint64_t *accesses)
{
    const uint32_t size[3] = {1, 2, 3};
    struct mnp_part_results *kernel = mnp_results_add_part(results, models, 2);
    mnp_kernel_describe(kernel, results->part_count, name, size, size, 0);
    mnp_statistics_add(&kernel->statistics, &core, counters);
    mnp_statistics_add(&kernel->statistics, &memory, accesses);
    mnp_statistics_merge(&results->total, &kernel->statistics);
}

static int make_results(void **state)
{
    struct mnp_results *results = malloc(sizeof *results);
    mnp_results_init(results, MNP_NORMAL);
    results->machine = machine();
    results->form = &mnp_kernel_form;
    mnp_statistics_init(&results->total, models, 2, false);
    add_kernel(results, "first \"quoted\" \\ \xff \xc3\xa4 \x01", (uint64_t[WIDTH]){30, 10, 5, 0, 60, 20, 40, 1, 2, 3},
               (uint64_t[]){7, 8});
    add_kernel(results, "a name that is longer than the column of the table of kernels",
               (uint64_t[WIDTH]){UINT64_MAX - 30, 3, 1, 0, 4, 4, 0, 0, 0, 0}, (uint64_t[]){1, 2});
    strcpy(results->hash, "0123456789abcdef");
    mnp_warn(&results->log, "odd");
    *state = results;
    return 0;
}

static int free_results(void **state)
{
    struct mnp_results *results = *state;
    struct mnp_settings *settings = (struct mnp_settings *)(uintptr_t)results->machine;
    mnp_results_release(results);
    mnp_settings_free(settings);
    free(results);
    return 0;
}

/* Not inlined: gcc 12 takes what open_memstream keeps until fclose for a dangling pointer. */
__attribute__((noinline)) static char *written(const struct mnp_results *results,
                                               void (*write)(const struct mnp_results *, FILE *))
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    write(results, out);
    fclose(out);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing", part);
}

static void test_json(void **state)
{
    char *text = written(*state, results_write_json);
    json_error_t problem;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &problem);
    if (!root)
        fail_msg("line %d: %s", problem.line, problem.text);
    assert_string_equal(json_string_value(json_object_get(root, "format")), "maniple-results-1");
    json_t *kernels = json_object_get(root, "kernels");
    assert_int_equal(json_array_size(kernels), 2);
    json_t *kernel = json_array_get(kernels, 0);
    assert_string_equal(json_string_value(json_object_get(kernel, "name")),
                        "first \"quoted\" \\ \xef\xbf\xbd \xc3\xa4 \x01");
    json_t *sm = json_object_get(json_object_get(root, "machine"), "sm");
    assert_true(json_real_value(json_object_get(json_object_get(sm, "l1d"), "size")) == 65536);
    json_t *total = json_object_get(root, "total");
    assert_string_equal(json_string_value(json_object_get(total, "hash")), "0123456789abcdef");
    has(text, "\"gpu_ipc\": {\"value\": 0.333333, \"unit\": \"instruction/cycle\"}");
    has(text, "\"gpu_sim_cycle\": {\"value\": 18446744073709551615, \"unit\": \"cycle\"}");
    has(text, "\"latency\": {\"value\": [1, 2, 3], \"bounds\": [0, 1], \"unit\": \"cycle\"}");
    has(text, "\"grid\": [1, 2, 3]");
    has(text, "{\"text\": \"odd\", \"count\": 1}");
    json_decref(root);
    free(text);
}

static void test_values_per_unit(void **state)
{
    (void)state;
    struct mnp_results results;
    mnp_results_init(&results, MNP_NORMAL);
    mnp_statistics_init(&results.total, models, 2, true);
    mnp_statistics_add(&results.total, &memory, (uint64_t[]){1, 2});
    mnp_statistics_add(&results.total, &memory, (uint64_t[]){3, 4});
    char *text = written(&results, results_write_json);
    has(text, "\"total_dram_reads_per_unit\": {\"value\": {\"memory\": [2, 4]}, \"unit\": \"sector\"}");
    free(text);
    mnp_results_release(&results);
}

static void test_text(void **state)
{
    char *text = written(*state, results_write_text);
    has(text, "Machine tiny: for tests");
    has(text, "  issued                    37.50 %  ###############\n");
    has(text, "  idle                      62.50 %  #########################\n");
    has(text, "State hash 0123456789abcdef");
    has(text, "a name that is longer than the..");
    free(text);
}

static void test_gpgpusim(void **state)
{
    char *text = written(*state, results_write_gpgpusim);
    has(text, "kernel_launch_uid = 1\n");
    has(text, "gpu_sim_insn = 10\n");
    has(text, "gpu_tot_sim_insn = 10\n");
    has(text, "gpu_sim_insn = 3\n");
    has(text, "gpu_tot_sim_insn = 13\n");
    has(text, "gpgpu_n_tot_w_icount = 6\n");
    has(text, "\tL2_total_cache_accesses = 7\n");
    has(text, "\tL2_total_cache_accesses = 8\n");
    has(text, "total dram reads = 10\n");
    const char *heading = strstr(text, "----- host");
    assert_non_null(heading);
    assert_true(strstr(text, "gpgpu_simulation_rate") > heading);
    free(text);
}

/* What the contract covers: nothing outside "run" and the lines under the heading tells executors apart. */
static void test_only_run_differs(void **state)
{
    struct mnp_results *results = *state;
    char *json = written(results, results_write_json), *text = written(results, results_write_text);
    char *lines = written(results, results_write_gpgpusim);
    results->run = (struct mnp_run_info){.input = "x", .executor = "y", .threads = 7, .wall_ns = 1, .host = "z"};
    char *json2 = written(results, results_write_json), *text2 = written(results, results_write_text);
    char *lines2 = written(results, results_write_gpgpusim);
    assert_string_equal(text, text2);
    assert_string_equal(strstr(json, "\"machine\":"), strstr(json2, "\"machine\":"));
    *strstr(lines, "----- host") = *strstr(lines2, "----- host") = 0;
    assert_string_equal(lines, lines2);
    free(json), free(json2), free(text), free(text2), free(lines), free(lines2);
}

static void test_save(void **state)
{
    struct mnp_results *results = *state;
    struct mnp_error error = {0};
    char folder[] = "/tmp/maniple-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = {"results.json", "results.sqlite", "stats.txt", "machine.resolved"};
    assert_true(results_save(results, folder, NULL, 0, &error));
    for (int i = 0; i < 4; i++) {
        char *path = mnp_join_path(folder, names[i]);
        assert_int_equal(unlink(path), 0);
        free(path);
    }
    /* A full disk: stats.txt cannot be written, so results.json does not appear either. */
    char *full = mnp_join_path(folder, "stats.txt");
    assert_int_equal(symlink("/dev/full", full), 0);
    assert_false(results_save(results, folder, NULL, 0, &error));
    has(error.text, "stats.txt: cannot write: No space left on device");
    unlink(full);
    free(full);
    assert_int_equal(rmdir(folder), 0); /* nothing was left behind */

    memset(&error, 0, sizeof error);
    assert_false(results_save(results, "/nowhere", NULL, 0, &error));
    has(error.text, "/nowhere/results.json: cannot write: ");
}

static void test_no_kernels(void **state)
{
    (void)state;
    struct mnp_results results;
    mnp_results_init(&results, MNP_NORMAL);
    results.end = MNP_END_HANG;
    char *text = written(&results, results_write_text), *lines = written(&results, results_write_gpgpusim);
    char *json = written(&results, results_write_json);
    json_t *root = json_loads(json, 0, NULL);
    assert_non_null(root);
    has(text, "the run ended by: hang");
    json_decref(root);
    free(text), free(lines), free(json);
    mnp_results_release(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_json, make_results, free_results),
        cmocka_unit_test(test_values_per_unit),
        cmocka_unit_test_setup_teardown(test_text, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_gpgpusim, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_only_run_differs, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_save, make_results, free_results),
        cmocka_unit_test(test_no_kernels),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
