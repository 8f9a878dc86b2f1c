/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread blocks that are parsed before anyone asks for them are those that are parsed when asked for, and so are the
 * errors; what nobody asks for leaves no trace.
 */
#include "folder.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CTAS = 24, LINES = 400, DAMAGED = 17, ROOM = 1 << 20 };

/* Blocks of one warp, each some 20 KB of text. One has a line too many; every third has an unknown opcode. */
static const char *write_trace(const struct folder *folder)
{
    char *text = malloc(ROOM);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, ROOM, HEADER_OF("(%d,1,1)", "(32,1,1)", "5"), CTAS);
    for (int cta = 0; cta < CTAS; cta++) {
        length += (size_t)snprintf(text + length, ROOM - length,
                                   "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", cta, LINES);
        for (int i = 0; i < LINES - (cta != DAMAGED); i++)
            length += (size_t)snprintf(text + length, ROOM - length, "%04x ffffffff 1 R%d %s 1 R2 4 1 0x%x 4 0 \n",
                                       16 * i, i % 8, cta % 3 == 0 && i == 7 ? "FROBNICATE" : "LDG.E", 4096 * cta + i);
        length += (size_t)snprintf(text + length, ROOM - length, "8000 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n\n");
    }
    assert_true(length < ROOM);
    const char *list = folder_write_kernel(folder, text);
    free(text);
    return list;
}

static struct mnp_source *open_first(const char *list, struct mnp_kernel **kernel)
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = true, .memory = UINT64_C(1) << 30};
    struct mnp_error error = {{0}};
    struct mnp_command command;
    struct mnp_source *source = trace_open(list, &options, &error);
    if (!source || !source->next(source, &command, &error))
        fail_msg("%s", error.text);
    *kernel = command.kernel;
    return source;
}

/* Loads a block into a digest, or its error's text. */
static uint64_t load(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_error *error)
{
    struct mnp_cta_code code = {0};
    struct totals totals = {0};
    if (source->load_cta(source, kernel, cta, &code, error))
        add_cta(&totals, &code);
    source->release_cta(source, &code);
    return totals.digest;
}

static void test_same_blocks(void **state)
{
    static const uint64_t orders[][CTAS] = {{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {16, 0, 17, 20, 1, 18}};
    const char *list = write_trace(*state);
    for (size_t order = 0; order < 3; order++)
        for (int ahead = 0; ahead < 30; ahead += 7) {
            struct mnp_kernel *kernel, *same;
            struct mnp_source *plain = open_first(list, &kernel), *early = open_first(list, &same);
            assert_true(early->ahead_wanted);
            for (int i = 0; i < ahead; i++)
                assert_int_equal(early->work_ahead(early), i < CTAS);
            for (size_t i = 0; i < 6; i++) {
                struct mnp_error expected = {{0}}, got = {{0}};
                uint64_t cta = orders[order][i];
                assert_int_equal(load(early, same, cta, &got), load(plain, kernel, cta, &expected));
                assert_string_equal(got.text, expected.text);
                assert_int_equal(got.text[0] != 0, cta == DAMAGED);
            }
            plain->kernel_done(plain, kernel);
            early->kernel_done(early, same);
            assert_int_equal(early->unknown_opcodes, plain->unknown_opcodes);
            assert_int_equal(plain->unknown_opcodes, 2);
            assert_false(early->work_ahead(early));
            plain->close(plain);
            early->close(early);
        }
}

struct helper {
    struct mnp_source *source;
    _Atomic bool stop;
};

static void *help(void *argument)
{
    struct helper *helper = argument;
    while (!helper->stop)
        helper->source->work_ahead(helper->source);
    return NULL;
}

/* Threads that help while blocks are asked for, and while the kernel ends. */
static void test_threads(void **state)
{
    const char *list = write_trace(*state);
    uint64_t digests[CTAS];
    struct mnp_kernel *kernel;
    struct mnp_error error = {{0}};
    struct mnp_source *plain = open_first(list, &kernel);
    for (uint64_t cta = 0; cta < CTAS; cta++)
        digests[cta] = load(plain, kernel, cta, &error);
    plain->close(plain);
    for (uint64_t last = 1; last <= CTAS; last += 5) {
        struct helper helper = {.source = open_first(list, &kernel)};
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, help, &helper), 0);
        for (uint64_t cta = 0; cta < last; cta++)
            assert_int_equal(load(helper.source, kernel, cta, &error), digests[cta]);
        helper.source->kernel_done(helper.source, kernel);
        helper.stop = true;
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        helper.source->close(helper.source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_blocks), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
