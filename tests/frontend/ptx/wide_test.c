/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons and exchanges of 128 bits with time. Threads count in both halves of one word, by ones and by threes:
 * the sum is theirs, nobody sees halves of two counts, and each count is found by one thread. Where one half alone is
 * what is expected, nothing is exchanged. The same bytes and states by any number of threads.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 4, THREADS = 48, ROUNDS = 2, COUNTS = BLOCKS * THREADS * ROUNDS };

#define TEXT(...) #__VA_ARGS__
static const char source_text[] = TEXT(
.version 8.3
.target sm_90
.address_size 64
.visible .entry count(.param .u64 word, .param .u64 found)
{
    .reg .b128 %old, %new, %got;
    .reg .u64 %a, %b, %c, %d, %w, %f;
    .reg .u32 %n;
    .reg .pred %p, %q;
    ld.param.u64 %w, [word];
    ld.param.u64 %f, [found];
    mov.u32 %n, 2;
    mov.u64 %a, 0;
    mov.u64 %b, 0;
again:
    add.u64 %c, %a, 1;
    add.u64 %d, %b, 3;
    mov.b128 %old, {%a, %b};
    mov.b128 %new, {%c, %d};
    atom.global.cas.b128 %got, [%w], %old, %new;
    mov.b128 {%c, %d}, %got;
    setp.eq.u64 %p, %a, %c;
    setp.eq.u64 %q, %b, %d;
    and.pred %p, %p, %q;
    mov.u64 %a, %c;
    mov.u64 %b, %d;
    @!%p bra again;
    shl.b64 %d, %b, 2;
    add.u64 %d, %d, %f;
    red.global.add.u32 [%d], 1;
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra again;
    ret;
}
.visible .entry halves(.param .u64 words, .param .u64 out)
{
    .reg .b128 %old, %new, %got;
    .reg .u64 %a, %b, %c, %d, %w, %o, %t;
    .reg .u32 %n;
    ld.param.u64 %w, [words];
    ld.param.u64 %o, [out];
    mov.u32 %n, %tid.x;
    cvt.u64.u32 %t, %n;
    mad.lo.u64 %w, %t, 16, %w;
    mad.lo.u64 %o, %t, 48, %o;
    add.u64 %a, %t, 1;
    add.u64 %b, %t, 2;
    mov.b128 %new, {%b, %w};
    mov.b128 %old, {%t, %b};
    atom.cas.b128 %got, [%w], %old, %new;
    mov.b128 {%c, %d}, %got;
    st.global.v2.u64 [%o], {%c, %d};
    mov.b128 %old, {%a, %a};
    atom.global.cas.b128 %got, [%w], %old, %new;
    mov.b128 {%c, %d}, %got;
    st.global.v2.u64 [%o+16], {%c, %d};
    mov.b128 %old, {%t, %a};
    mov.b128 %new, {%b, %b};
    atom.global.cas.b128 %got, [%w], %old, %new;
    mov.b128 {%c, %d}, %got;
    st.global.v2.u64 [%o+32], {%c, %d};
    ret;
}
);

struct outcome {
    uint64_t words[THREADS][2], out[THREADS][3][2];
    uint32_t found[3 * COUNTS];
    char hash[33];
};

/* The words begin as (thread, thread + 1) of `halves` and as zeros otherwise. */
static void run(const char *kernel, uint32_t blocks, const struct timed_how *how, struct outcome *outcome)
{
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {THREADS, 1, 1};
    struct mnp_results results;
    struct bench bench;
    memset(outcome, 0, sizeof *outcome);
    for (uint32_t i = 0; i < THREADS && kernel[0] == 'h'; i++)
        outcome->words[i][0] = i, outcome->words[i][1] = i + 1;
    bench_open(&bench, NULL, source_text);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    uint64_t words = bench_buffer(&bench, outcome->words, sizeof outcome->words);
    uint64_t found = bench_buffer(&bench, outcome->found, sizeof outcome->found);
    uint64_t out = bench_buffer(&bench, outcome->out, sizeof outcome->out);
    const void *arguments[] = {&words, kernel[0] == 'h' ? &out : &found};
    const struct execute_code *code = ptx_program_kernel(&bench.program, kernel, &bench.error);
    if (!code || !execute_source_launch(source, code, grid, block, 0, arguments, &bench.error) ||
        !timed_run(&bench, source, how, &results))
        fail_msg("%s: %s", kernel, bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    memcpy(outcome->hash, results.hash, sizeof outcome->hash);
    bench_read(&bench, words, outcome->words, sizeof outcome->words);
    bench_read(&bench, found, outcome->found, sizeof outcome->found);
    bench_read(&bench, out, outcome->out, sizeof outcome->out);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
}

/* The answer of one thread, after that of two and four has been found the same. */
static void run_all(const char *kernel, uint32_t blocks, struct outcome *outcome)
{
    static struct outcome other;
    run(kernel, blocks, &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1}, outcome);
    for (uint32_t threads = 2; threads <= 4; threads *= 2) {
        run(kernel, blocks, &(struct timed_how){.executor = &mnp_executor_window, .threads = threads}, &other);
        assert_memory_equal(outcome, &other, sizeof other);
    }
}

static void each_count_is_found_once(void **state)
{
    static struct outcome outcome;
    (void)state;
    run_all("count", BLOCKS, &outcome);
    assert_int_equal(outcome.words[0][0], COUNTS);
    assert_int_equal(outcome.words[0][1], 3 * COUNTS);
    for (uint32_t i = 0; i < 3 * COUNTS; i++) /* upper halves that a count had */
        assert_int_equal(outcome.found[i], i % 3 == 0);
}

static void both_halves_are_compared(void **state)
{
    static struct outcome outcome;
    (void)state;
    run_all("halves", 1, &outcome);
    for (uint32_t i = 0; i < THREADS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(outcome.out[i][k][0], i);
            assert_int_equal(outcome.out[i][k][1], i + 1);
        }
        assert_int_equal(outcome.words[i][0], i + 2);
        assert_int_equal(outcome.words[i][1], i + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_count_is_found_once),
        cmocka_unit_test(both_halves_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
