/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a kind of statistic (docs/examples/difference). With its file and its row in the list alone,
 * the kind is added up, found by its name, and written as text, as JSON and to a database.
 */
#include "engine/declare/declare.h"
#include "results/database/database.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct mnp_statistic rows[] = {
    MNP_COUNTER_ROW("reads", "sector", ""),
    MNP_COUNTER_ROW("misses", "sector", ""),
    {.name = "hits", .kind = &mnp_kind_difference, .unit = "sector", .help = "", .numerator = "reads",
     .denominator = "misses"},
};
static const struct mnp_model cache = {.name = "cache", MNP_STATISTICS(rows)};
static const struct mnp_model *const models[] = {&cache};

static void fill(struct mnp_results *results)
{
    mnp_results_init(results, MNP_NORMAL);
    mnp_statistics_init(&results->total, models, 1, true);
    mnp_statistics_add(&results->total, &cache, (uint64_t[]){10, 3, 0});
    mnp_statistics_add(&results->total, &cache, (uint64_t[]){20, 5, 0});
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

static void it_is_a_kind(void **state)
{
    (void)state;
    assert_ptr_equal(mnp_statistic_kind_named("difference"), &mnp_kind_difference);
}

static void it_is_written(void **state)
{
    (void)state;
    struct mnp_results results;
    fill(&results);
    char *json = written(&results, results_write_json), *text = written(&results, results_write_text);
    assert_non_null(strstr(json, "\"hits\": {\"value\": 22, \"unit\": \"sector\"}"));
    assert_non_null(strstr(json, "\"hits_per_unit\": {\"value\": {\"cache\": [7, 15]}, \"unit\": \"sector\"}"));
    assert_non_null(strstr(text, "  hits                                                           22 sector"));
    free(json), free(text);
    mnp_results_release(&results);
}

static void it_is_in_the_database(void **state)
{
    (void)state;
    struct mnp_results results;
    struct mnp_error error = {0};
    char path[] = "/tmp/maniple-test-XXXXXX";
    FILE *out = fdopen(mkstemp(path), "wb");
    fill(&results);
    assert_true(results_write_database(&results, out, &error));
    fclose(out);
    sqlite3 *database = results_database_open(path, &error);
    sqlite3_stmt *row = results_sqlite_prepare(
        database,
        "SELECT value.value, statistic.kind FROM value JOIN statistic ON id = statistic WHERE name = 'hits'", &error);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(row, 0), 22);
    assert_string_equal(sqlite3_column_text(row, 1), "difference");
    sqlite3_finalize(row);
    sqlite3_close(database);
    remove(path);
    mnp_results_release(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_kind),
        cmocka_unit_test(it_is_written),
        cmocka_unit_test(it_is_in_the_database),
    };
    return cmocka_run_group_tests_name("example of a kind of statistic", tests, NULL, NULL);
}
