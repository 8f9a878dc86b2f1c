/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of real programs, where they are at hand: counts that are known from elsewhere. */
#include "folder.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct expected {
    const char *name;
    uint64_t kernels, records, threads;
    uint64_t sectors; /* 0: not known */
    uint32_t architecture;
} expected[] = {{"bfs-rodinia-2.0-ft", 16, 159509, 1280630, 90629, 80},
                {"vectoradd-50000", 1, 26601, 801056, 0, 80},
                {"simtune-ffmakernel-1-32-10", 1, 1328, 42432, 0, 90},
                {"simtune-ffmakernel-1-32-20", 1, 2648, 84672, 0, 90}};

static const char *list_of(const char *name, char path[static 1024])
{
    const char *folder = real_traces();
    if (!folder) {
        print_message("no real traces beside the source tree: not tested\n");
        skip();
    }
    snprintf(path, 1024, "%s/%s/kernelslist.g", folder, name);
    return path;
}

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char path[1024];
        struct totals totals;
        struct mnp_error error = {{0}};
        if (!read_trace(list_of(expected[i].name, path), false, &totals, &error))
            fail_msg("%s", error.text);
        assert_int_equal(totals.kernels, expected[i].kernels);
        assert_int_equal(totals.records, expected[i].records);
        assert_int_equal(totals.threads, expected[i].threads);
        assert_int_equal(totals.architecture, expected[i].architecture);
        if (expected[i].sectors)
            assert_int_equal(totals.sectors, expected[i].sectors);
    }
}

/* ===== several threads ===== */

enum { LOADERS = 4, MOST_CTAS = 1024 };

struct shared_load {
    struct mnp_source *source;
    struct mnp_kernel *kernel;
    uint64_t digests[MOST_CTAS];
    _Atomic uint64_t next;
    bool descending;
};

static void *load_some(void *context)
{
    struct shared_load *shared = context;
    for (uint64_t i; (i = shared->next++) < shared->kernel->cta_count;) {
        uint64_t cta = shared->descending ? shared->kernel->cta_count - 1 - i : i;
        struct mnp_cta_code code = {0};
        struct mnp_error error = {{0}};
        struct totals totals = {0};
        if (shared->source->load_cta(shared->source, shared->kernel, cta, &code, &error))
            add_cta(&totals, &code);
        shared->source->release_cta(shared->source, &code);
        shared->digests[cta] = totals.digest;
    }
    return NULL;
}

static void load_all(struct mnp_source *source, struct mnp_kernel *kernel, int threads, bool descending,
                     uint64_t digests[static MOST_CTAS])
{
    struct shared_load shared = {.source = source, .kernel = kernel, .descending = descending};
    pthread_t ids[LOADERS];
    assert_true(kernel->cta_count <= MOST_CTAS);
    for (int i = 1; i < threads; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, load_some, &shared), 0);
    load_some(&shared);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    for (uint64_t i = 0; i < kernel->cta_count; i++)
        digests[i] = shared.digests[i];
}

/* Digests of all CTAs of the first kernel of a trace. */
static uint64_t digest_first_kernel(const char *list, int threads, bool descending, uint64_t digests[static MOST_CTAS])
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = false};
    struct mnp_error error = {{0}};
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    struct mnp_source *source = trace_open(list, &options, &error);
    assert_non_null(source);
    while (command.kind == MNP_COMMAND_COPY)
        assert_true(source->next(source, &command, &error));
    assert_int_equal(command.kind, MNP_COMMAND_KERNEL);
    load_all(source, command.kernel, threads, descending, digests);
    uint64_t count = command.kernel->cta_count;
    source->close(source); /* with the kernel still open */
    return count;
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"vectoradd-50000", "bfs-rodinia-2.0-ft"};
    for (size_t i = 0; i < 2; i++) {
        char path[1024];
        uint64_t one[MOST_CTAS], many[MOST_CTAS];
        uint64_t count = digest_first_kernel(list_of(names[i], path), 1, false, one);
        for (int round = 0; round < 6; round++) {
            assert_int_equal(digest_first_kernel(path, round ? LOADERS : 1, round & 1, many), count);
            for (uint64_t cta = 0; cta < count; cta++) {
                assert_int_not_equal(one[cta], 0);
                assert_int_equal(one[cta], many[cta]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
