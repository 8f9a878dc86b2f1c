/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A weighted sum, whose weights are of the row and of the machine: added over units and kernels, and written as
 * text, as JSON, as samples and to a database. tests/engine/toy adds one over processes.
 */
#include "engine/declare/declare.h"
#include "results/database/database.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct mnp_statistic core_rows[] = {
    MNP_COUNTER_ROW("adds", "instruction", ""),
    MNP_COUNTER_ROW("loads", "instruction", ""),
    MNP_WEIGHTED_ROW("core_energy", "pJ", "", 1000, {"adds", 1, "energy.add"}, {"loads", 1500, NULL}),
    MNP_WEIGHTED_ROW("energy", "pJ", "", 1000, {"core_energy", 1, NULL}, {"reads", 2, "energy.read"}),
    MNP_RATIO_ROW("energy_per_read", "fJ", "", "energy", "reads"),
};
static const struct mnp_statistic memory_rows[] = {MNP_COUNTER_ROW("reads", "sector", "")};
/* Units of these models count while a machine runs; none runs here. */
static mnp_time stay(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    return until;
}

static const struct mnp_model core = {.name = "core", .advance = stay, MNP_STATISTICS(core_rows)};
static const struct mnp_model memory = {.name = "memory", .advance = stay, MNP_STATISTICS(memory_rows)};
static const struct mnp_model *const models[] = {&core, &memory};

static const struct mnp_machine_file built_in[] = {{"tiny", "machine: { description = \"for tests\"; };\n"},
                                                   {NULL, NULL}};
static const struct mnp_parameter parameters[] = {
    {.key = "energy.add", .type = MNP_UINT, .unit = "fJ", .fallback = "250", .help = ""},
    {.key = "energy.read", .type = MNP_UINT, .unit = "fJ", .fallback = "10000", .help = ""},
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

static void add_kernel(struct mnp_results *results, uint64_t adds, uint64_t loads, uint64_t reads)
{
    struct mnp_part_results *part = mnp_results_add_part(results, models, 2);
    struct mnp_statistic_set *kernel = &part->statistics;
    part->id = results->part_count;
    kernel->machine = results->machine;
    for (int unit = 0; unit < 2; unit++) { /* the second unit counts as much as the first */
        mnp_statistics_add(kernel, &core, (uint64_t[]){adds, loads, 0, 0, 0});
        mnp_statistics_add(&results->total, &core, (uint64_t[]){adds, loads, 0, 0, 0});
    }
    mnp_statistics_add(kernel, &memory, &reads);
    mnp_statistics_add(&results->total, &memory, &reads);
}

static int make_results(void **state)
{
    struct mnp_results *results = malloc(sizeof *results);
    mnp_results_init(results, MNP_NORMAL);
    results->machine = machine();
    mnp_statistics_init(&results->total, models, 2, true);
    results->total.machine = results->machine;
    add_kernel(results, 3, 1, 5); /* 2 × (3 × 250 + 1500) = 4500 fJ in cores, 5 × 20,000 fJ in memory */
    add_kernel(results, 1, 0, 1); /* 2 × 250 = 500, 20,000 */
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

static const char *text_of(const struct mnp_statistic_set *set, const char *name)
{
    static _Thread_local char text[MNP_NUMBER_TEXT];
    struct mnp_statistic_value value;
    assert_true(mnp_statistics_find(set, name, &value));
    return mnp_statistic_text(text, &value);
}

static void test_sums(void **state)
{
    const struct mnp_results *results = *state;
    assert_string_equal(text_of(&results->parts[0]->statistics, "core_energy"), "4.500000");
    assert_string_equal(text_of(&results->parts[1]->statistics, "core_energy"), "0.500000");
    assert_string_equal(text_of(&results->total, "core_energy"), "5.000000");
    assert_string_equal(text_of(&results->parts[0]->statistics, "energy"), "104.500000");
    assert_string_equal(text_of(&results->total, "energy"), "125.000000");
    assert_string_equal(text_of(&results->total, "energy_per_read"), "20833.333333");
}

static void test_units(void **state)
{
    const struct mnp_results *results = *state;
    const struct mnp_statistic_block *block = mnp_statistics_block(&results->total, &core);
    struct mnp_statistic_value value;
    assert_true(mnp_statistics_read_unit(&results->total, block, 2, 1, &value));
    assert_int_equal(value.numerator, 2250);
    assert_false(mnp_statistics_read_unit(&results->total, block, 3, 1, &value)); /* memory is another unit */
    assert_false(mnp_statistics_read_unit(&results->total, block, 4, 1, &value));
}

/* A sum that does not fit is the greatest number, not a small one. */
static void test_greatest(void **state)
{
    (void)state;
    struct mnp_statistic_set set;
    struct mnp_statistic_value value;
    mnp_statistics_init(&set, models, 2, false);
    mnp_statistics_add(&set, &core, (uint64_t[]){0, UINT64_MAX / 2, 0, 0, 0});
    assert_true(mnp_statistics_find(&set, "core_energy", &value));
    assert_int_equal(value.numerator, UINT64_MAX);
    mnp_statistics_release(&set);
}

static void test_joined_samples(void **state)
{
    const struct mnp_results *results = *state;
    struct mnp_error error = {0};
    struct mnp_samples samples;
    assert_true(mnp_samples_init(&samples, models, 2, "*energy*,adds", 100, &error));
    assert_int_equal(samples.column_count, 4);
    assert_ptr_equal(samples.columns[1].statistic, &core_rows[3]);
    assert_int_equal(samples.columns[0].part_count, 2);
    assert_int_equal(samples.columns[1].part_count, 4); /* the sum within the sum and its two counters, and reads */
    samples.machine = results->machine;
    mnp_samples_release(&samples);
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
        fail_msg("\"%s\" is missing in %s", part, text);
}

static void test_texts(void **state)
{
    char *json = written(*state, results_write_json), *text = written(*state, results_write_text), *formula;
    size_t length;
    has(json, "\"core_energy\": {\"value\": 4.500000, \"unit\": \"pJ\"}");
    has(json, "\"core_energy_per_unit\": {\"value\": {\"core\": [2.250000, 2.250000, 0.250000, 0.250000]}, "
              "\"unit\": \"pJ\"}");
    has(json, "\"energy\": {\"value\": 125.000000, \"unit\": \"pJ\"}");
    has(text, "              125.000000 pJ\n");
    free(json), free(text);
    FILE *out = open_memstream(&formula, &length);
    mnp_kind_weighted.formula(&core_rows[3], "`", out);
    fclose(out);
    assert_string_equal(formula, "(1 × `core_energy` + 2 × `energy.read` × `reads`) / 1000");
    free(formula);
}

static void test_database(void **state)
{
    struct mnp_error error = {0};
    char path[] = "/tmp/maniple-test-XXXXXX";
    FILE *out = fdopen(mkstemp(path), "wb");
    assert_true(results_write_database(*state, out, &error));
    fclose(out);
    sqlite3 *database = results_database_open(path, &error);
    assert_non_null(database);
    sqlite3_stmt *rows = results_sqlite_prepare(
        database,
        "SELECT value.value, kernel, kind, unit FROM value JOIN statistic ON id = statistic WHERE name = 'energy'"
        " ORDER BY kernel",
        &error);
    assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
    assert_true(sqlite3_column_double(rows, 0) == 125);
    assert_string_equal(sqlite3_column_text(rows, 2), "weighted");
    assert_string_equal(sqlite3_column_text(rows, 3), "pJ");
    sqlite3_finalize(rows);
    rows = results_sqlite_prepare(database,
                                  "SELECT sum(value), count(*) FROM unit_value JOIN statistic ON id = statistic"
                                  " WHERE name = 'core_energy'",
                                  &error);
    assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
    assert_true(sqlite3_column_double(rows, 0) == 5);
    assert_int_equal(sqlite3_column_int(rows, 1), 4);
    sqlite3_finalize(rows);
    sqlite3_close(database);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sums, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_units, make_results, free_results),
        cmocka_unit_test(test_greatest),
        cmocka_unit_test_setup_teardown(test_joined_samples, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_texts, make_results, free_results),
        cmocka_unit_test_setup_teardown(test_database, make_results, free_results),
    };
    return cmocka_run_group_tests_name("weighted sums", tests, NULL, NULL);
}
