/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command hands over to the runtime: whatever it writes, the runtime reads. */
#include "cudart/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 2000, OVERRIDES = 5, TEXT = 40 };

/* The random numbers of a sequence (Vigna's splitmix64). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A text of any bytes but zero, often one that means something in a line; NULL now and then, where that is allowed. */
static const char *draw_text(uint64_t *state, char text[TEXT], bool may_miss)
{
    static const char odd[] = "\n\\n =\t\"";
    if (may_miss && draw(state) % 4 == 0)
        return NULL;
    size_t length = draw(state) % (TEXT - 1);
    for (size_t i = 0; i < length; i++) {
        uint64_t number = draw(state);
        text[i] = number & 1 ? odd[(number >> 1) % (sizeof odd - 1)] : (char)(1 + (number >> 1) % 255);
    }
    text[length] = 0;
    return text;
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same(const struct cudart_options *a, const struct cudart_options *b)
{
    assert_same_text(a->machine, b->machine);
    assert_same_text(a->folder, b->folder);
    assert_same_text(a->program, b->program);
    assert_same_text(a->plugins, b->plugins);
    assert_same_text(a->trace, b->trace);
    assert_same_text(a->executor_name, b->executor_name);
    assert_same_text(a->schedule_name, b->schedule_name);
    assert_int_equal(a->override_count, b->override_count);
    for (size_t i = 0; i < a->override_count; i++)
        assert_string_equal(a->overrides[i], b->overrides[i]);
    assert_int_equal(a->format, b->format);
    assert_int_equal(a->process, b->process);
    assert_int_equal(a->output, b->output);
    assert_int_equal(a->verbosity, b->verbosity);
    assert_int_equal(a->functional, b->functional);
    assert_int_equal(a->hash, b->hash);
    assert_int_equal(a->costs, b->costs);
    assert_int_equal(a->long_text, b->long_text);
    const struct mnp_run_request *x = &a->request, *y = &b->request;
    assert_ptr_equal(x->executor, y->executor);
    assert_int_equal(x->threads, y->threads);
    assert_int_equal(x->schedule, y->schedule);
    assert_int_equal(x->chunk, y->chunk);
    assert_int_equal(x->window_cycles, y->window_cycles);
    assert_int_equal(x->max_cycles, y->max_cycles);
    assert_int_equal(x->no_skip, y->no_skip);
    assert_int_equal(x->sample_cycles, y->sample_cycles);
    assert_same_text(x->sample_statistics, y->sample_statistics);
}

static const struct mnp_executor *draw_executor(uint64_t *state)
{
    size_t count = 0;
    while (mnp_executors[count])
        count++;
    return mnp_executors[draw(state) % count];
}

static void test_round_trip(void **unused)
{
    (void)unused;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t state = round;
        char texts[8][TEXT], overrides[OVERRIDES][TEXT];
        const char *list[OVERRIDES];
        struct cudart_options out = {.overrides = list, .override_count = draw(&state) % (OVERRIDES + 1)}, in;
        for (size_t i = 0; i < out.override_count; i++)
            list[i] = draw_text(&state, overrides[i], false);
        out.machine = draw_text(&state, texts[0], true);
        out.folder = draw_text(&state, texts[1], true);
        out.program = draw_text(&state, texts[2], false);
        out.plugins = draw_text(&state, texts[3], true);
        out.trace = draw_text(&state, texts[4], true);
        out.executor_name = draw_text(&state, texts[5], false);
        out.schedule_name = draw_text(&state, texts[6], false);
        out.format = (enum cudart_format)(draw(&state) % 4);
        out.process = (pid_t)(draw(&state) >> 34);
        out.output = (int)(draw(&state) % 1000);
        out.verbosity = (enum mnp_verbosity)(draw(&state) % 3);
        out.functional = draw(&state) & 1;
        out.hash = draw(&state) & 1;
        out.costs = draw(&state) & 1;
        out.long_text = draw(&state) & 1;
        out.request = (struct mnp_run_request){.executor = draw_executor(&state),
                                               .threads = (uint32_t)(draw(&state) >> 33),
                                               .schedule = (enum mnp_schedule)(draw(&state) % 3),
                                               .chunk = (uint32_t)draw(&state),
                                               .window_cycles = draw(&state),
                                               .max_cycles = draw(&state),
                                               .no_skip = draw(&state) & 1,
                                               .sample_cycles = draw(&state),
                                               .sample_statistics = draw_text(&state, texts[7], true)};
        char *text;
        size_t size;
        struct mnp_error error = {0};
        FILE *file = open_memstream(&text, &size);
        cudart_options_write(&out, file);
        fclose(file);
        assert_true(cudart_options_read(&in, text, &error));
        assert_same(&out, &in);
        cudart_options_release(&in);
        free(text);
    }
}

static void test_mistakes(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"nonsense 4\n", "executor nobody\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cudart_options options;
        struct mnp_error error = {0};
        assert_false(cudart_options_read(&options, texts[i], &error));
        assert_non_null(strstr(error.text, "run the program with `maniple run`"));
        cudart_options_release(&options);
    }
}

static void test_defaults(void **unused)
{
    (void)unused;
    struct cudart_options options;
    struct mnp_error error = {0};
    assert_true(cudart_options_read(&options, NULL, &error));
    assert_int_equal(options.output, 1);
    assert_ptr_equal(options.request.executor, &mnp_executor_window);
    assert_string_equal(options.executor_name, "window");
    cudart_options_release(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
