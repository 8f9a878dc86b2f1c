/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on shared memory that are loops of compare-and-swap on silicon (compile/swaps.h). Values are those of lanes
 * that act one after the other; and, counted by hand, lanes that want one word take a round each, in each of which the
 * others try, too: of n lanes to a word n attempts, with one load each. A round takes the latencies of LDS, of the
 * sum, of ATOMS and of the branch that waits for its predicate.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32 };

struct form {
    const char *operation, *type, *bits,
        *one; /* what lane l adds is l + 1 times `one`, which lies in a table of both */
    uint32_t bytes;
    bool loops;
};

static const struct form forms[] = {{"add.f32", "f32", "b32", "cvt.rn.f32.u32 %v, %n;", 4, true},
                                    {"add.f64", "f64", "b64", "cvt.rn.f64.u32 %v, %n;", 8, true},
                                    {"add.u64", "u64", "b64", "cvt.u64.u32 %v, %n;", 8, true},
                                    {"max.u64", "u64", "b64", "cvt.u64.u32 %v, %n;", 8, true},
                                    {"add.u32", "u32", "b32", "mov.u32 %v, %n;", 4, false}};

struct outcome {
    uint64_t cycles, atomics, loads, conflicts;
    unsigned char words[LANES * 8], returned[LANES * 8];
};

/* All lanes begin with an atomic on word (lane / share), `times` times; odd lanes alone with `guarded`. */
static void write_source(char *text, size_t room, const struct form *form, const char *space, uint32_t share,
                         uint32_t times, bool guarded)
{
    *text = 0;
    bench_add(text, room,
              ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
              ".reg .u32 %%n, %%a, %%s; .reg .u64 %%g, %%o, %%e; .reg .%s %%v, %%r; .reg .pred %%p;\n"
              ".shared .align 8 .b8 words[256];\n"
              "ld.param.u64 %%g, [out]; mov.u32 %%n, %%tid.x; mul.wide.u32 %%o, %%n, %u; add.u64 %%g, %%g, %%o;\n"
              "mov.u32 %%s, words; mad.lo.u32 %%a, %%n, %u, %%s; st.shared.%s [%%a], 0;\n"
              "and.b32 %%a, %%n, 1; setp.eq.u32 %%p, %%a, 1; div.u32 %%a, %%n, %u; mad.lo.u32 %%a, %%a, %u, %%s;\n"
              "cvt.u64.u32 %%e, %%a; cvta.shared.u64 %%e, %%e; add.u32 %%n, %%n, 1; %s\nmov.b%u %%r, 0; bar.sync 0;\n",
              form->type, form->bytes, form->bytes, form->bits, share, form->bytes, form->one, 8 * form->bytes);
    for (uint32_t i = 0; i < times; i++)
        bench_add(text, room, "%satom%s.%s %%r, [%s], %%v;\n", guarded ? "@%p " : "", space, form->operation,
                  *space ? "%a" : "%e");
    bench_add(text, room,
              "st.global.%s [%%g], %%r; bar.sync 0; sub.u32 %%n, %%n, 1; mad.lo.u32 %%a, %%n, %u, %%s;\n"
              "ld.shared.%s %%v, [%%a]; st.global.%s [%%g+256], %%v; ret; }\n",
              form->type, form->bytes, form->type, form->type);
}

static struct outcome run(const struct form *form, const char *space, uint32_t share, uint32_t times, bool guarded)
{
    static const uint32_t one[3] = {1, 1, 1}, lanes[3] = {LANES, 1, 1};
    static char text[1 << 14];
    struct mnp_results results;
    struct outcome outcome;
    struct bench bench;
    write_source(text, sizeof text, form, space, share, times, guarded);
    bench_open(&bench, NULL, text);
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    uint64_t out = bench_buffer(&bench, NULL, 512);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code || !execute_source_launch(source, code, one, lanes, 0, (const void *const[]){&out}, &bench.error) ||
        !timed_run(&bench, source, &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1}, &results))
        fail_msg("%s", bench.error.text);
    const struct mnp_statistic_set *set = &results.parts[0]->statistics;
    outcome.cycles = mnp_statistics_get(set, "gpu_sim_cycle");
    outcome.atomics = mnp_statistics_get(set, "accesses_shared_atomic");
    outcome.loads = mnp_statistics_get(set, "accesses_shared_load");
    outcome.conflicts = mnp_statistics_get(set, "shared_conflict_cycles");
    bench_read(&bench, out, outcome.returned, sizeof outcome.returned);
    bench_read(&bench, out + 256, outcome.words, sizeof outcome.words);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return outcome;
}

static uint64_t number_of(const struct form *form, const unsigned char *data, uint32_t lane)
{
    double twice;
    float single;
    uint64_t large = 0;
    memcpy(&twice, data + (size_t)lane * form->bytes % 256, form->bytes == 8 ? 8 : 0);
    memcpy(&single, data + (size_t)lane * 4, 4);
    memcpy(&large, data + (size_t)lane * form->bytes, form->bytes);
    return form->type[0] == 'u' ? large : form->bytes == 8 ? (uint64_t)twice : (uint64_t)single;
}

/* What the words hold and what was returned: lanes in their order, with one word between `share` of them. */
static void check_values(const struct form *form, const struct outcome *outcome, uint32_t share, bool guarded)
{
    uint64_t words[LANES] = {0};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t *word = &words[lane / share], old = guarded && lane % 2 == 0 ? 0 : *word;
        if (!guarded || lane % 2)
            *word = form->operation[0] == 'm' ? lane + 1 : *word + lane + 1;
        assert_int_equal(number_of(form, outcome->returned, lane), old);
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(number_of(form, outcome->words, lane), words[lane]);
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (uint32_t share = 1; share <= LANES; share *= 2)
            for (uint32_t guarded = 0; guarded < 2; guarded++) {
                struct outcome shared = run(&forms[i], ".shared", share, 1, guarded),
                               generic = run(&forms[i], "", share, 1, guarded);
                check_values(&forms[i], &shared, share, guarded);
                check_values(&forms[i], &generic, share, guarded);
            }
}

/* The lanes of a word take a round each; in round r of n, n - r + 1 of each word try. */
static void test_rounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];
        for (uint32_t share = 1; share <= LANES; share *= 2) {
            struct outcome once = run(form, ".shared", share, 1, false), more = run(form, ".shared", share, 3, false);
            uint32_t rounds = form->loops ? share : 1;
            assert_int_equal(once.atomics, rounds);
            if (form->operation[0] == 'm') { /* the second time nothing changes, so that nobody tries in vain */
                assert_int_equal(more.atomics - once.atomics, 2);
                continue;
            }
            assert_int_equal(more.atomics - once.atomics, 2 * rounds);
            assert_int_equal(more.loads - once.loads, form->loops ? 2 * rounds : 0);
            if (form->bytes == 4 && form->loops)
                assert_int_equal(more.conflicts - once.conflicts, share * (share - 1)); /* twice the sum of r - 1 */
        }
    }
}

/* A round takes as long whatever its lanes, conflicts aside, and longer than both accesses of shared memory. */
static void test_time(void **state)
{
    (void)state;
    uint64_t before = 0, first = 0;
    for (uint32_t share = 1; share <= LANES; share *= 2) {
        struct outcome once = run(&forms[0], ".shared", share, 1, false),
                       more = run(&forms[0], ".shared", share, 9, false);
        uint64_t cycles = (more.cycles - once.cycles) / 8 - (more.conflicts - once.conflicts) / 8;
        first = first ? first : cycles;
        assert_true(first > 2 * 20 + 4);
        assert_in_range(cycles, share * first * 95 / 100, share * first * 105 / 100);
        assert_true(cycles > before);
        before = cycles;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_rounds),
                                       cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
