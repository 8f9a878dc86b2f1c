/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unrolled loops (unroll.h): random counted loops leave the same memory with and without it, and each lane has made as
 * many turns as its counter says; loops are copied where ptxas 13.0 copies them; and loads of four turns wait together.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 400, VALUES = 6, TEXT = 8192, WORDS = 2048, LANES = 32 };

static uint32_t below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(bench_random(state) >> 16) % bound;
}

static void open_bench(struct bench *bench, const char *text, bool unrolls)
{
    memset(bench, 0, sizeof *bench);
    execute_device_init(&bench->device, 4096, open_memstream(&bench->printed, &bench->printed_size));
    bench->device.unrolls = unrolls;
    if (!ptx_program_load(&bench->program, &bench->device, "test.ptx", text, strlen(text), &bench->error))
        fail_msg("%s\n%s", bench->error.text, text);
}

static const struct execute_code *code_of(struct bench *bench)
{
    const struct execute_code *code = ptx_program_kernel(&bench->program, "k", &bench->error);
    if (!code)
        fail_msg("%s", bench->error.text);
    return code;
}

static uint32_t count_of(const struct execute_code *code, enum execute_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < code->ops.count; i++)
        count += execute_op_at(code, i)->kind == kind;
    return count;
}

/* ===== random loops ===== */

/* A statement of a body. Each lane has 64 bytes at %g, and values %r0 to %r5, %d0 to %d5, and predicates %p0, %p1. */
static void add_statement(char *text, uint64_t *state)
{
    static const char *const small[] = {"add.u32", "xor.b32", "mul.lo.u32", "min.s32", "sub.u32", "shl.b32"};
    uint32_t d = below(state, VALUES), a = below(state, VALUES), b = below(state, VALUES), p = below(state, 2);
    static const char *const guards[] = {"@%p0 ", "@!%p0 ", "@%p1 ", "@!%p1 "};
    const char *guard = below(state, 4) ? "" : guards[below(state, 4)];
    switch (below(state, 10)) {
    case 0:
        bench_add(text, TEXT, "%sld.global.b32 %%r%u, [%%g+%u];\n", guard, d, 4 * below(state, 16));
        break;
    case 1:
        bench_add(text, TEXT, "%sst.global.b32 [%%g+%u], %%r%u;\n", guard, 4 * below(state, 16), a);
        break;
    case 2:
        bench_add(text, TEXT, "ld.global.v2.b32 {%%r%u, %%r%u}, [%%g+%u];\n", d, (d + 1) % VALUES, 8 * below(state, 8));
        break;
    case 3:
        bench_add(text, TEXT, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", p, a, b);
        break;
    case 4:
        bench_add(text, TEXT, "%smov.b32 %%r%u, %%r%u;\n", guard, d, a);
        break;
    case 5: /* counts too, and is read by others */
        bench_add(text, TEXT, "%sadd.u32 %%r%u, %%r%u, %u;\n", guard, d, d, 1 + below(state, 9));
        break;
    case 6:
        bench_add(text, TEXT, "mul.wide.u32 %%d%u, %%r%u, %%r%u;\nadd.s64 %%d%u, %%d%u, %%d%u;\n", d, a, b, a, d, b);
        break;
    case 7:
        bench_add(text, TEXT, "%smov.b64 %%d%u, %%d%u;\ncvt.u32.u64 %%r%u, %%d%u;\n", guard, d, a, b, d);
        break;
    default:
        bench_add(text, TEXT, "%s%s %%r%u, %%r%u, %%r%u;\n", guard, small[below(state, 6)], d, a, b);
    }
}

/* A loop of %n turns, which differ from lane to lane: its counter %i goes by `step` to a bound that is 0, another
 * number or a register. %t counts turns. */
static void make_program(char *text, uint64_t *state)
{
    static const int32_t steps[] = {-1, 1, -4, 4, 3, -16};
    bool large = below(state, 3) == 0, equal = below(state, 4) == 0;
    int32_t step = steps[below(state, 6)];
    const char *word = large ? "64" : "32";
    static const char *const bounds[] = {"0", "77", "-5", "%e"};
    const char *bound = bounds[below(state, 4)];
    *text = 0;
    bench_add(text, TEXT,
              ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
              ".reg .b64 %%g, %%w, %%d<%u>; .reg .b32 %%l, %%n, %%t, %%r<%u>; .reg .pred %%q, %%p<2>; "
              ".reg .b%s %%i, %%e, %%s;\n"
              "ld.param.u64 %%g, [in]; mov.u32 %%l, %%laneid; mul.wide.u32 %%w, %%l, 64; add.s64 %%g, %%g, %%w;\n"
              "ld.global.u32 %%n, [%%g]; and.b32 %%n, %%n, 15; add.u32 %%n, %%n, 1; mov.u32 %%t, 0;\n",
              VALUES, VALUES, word);
    bench_add(text, TEXT,
              large ? "cvt.u64.u32 %%s, %%n; cvt.u64.u32 %%e, %%l;\n" : "mov.u32 %%s, %%n; mov.u32 %%e, %%l;\n");
    bench_add(text, TEXT, "mul.lo.s%s %%s, %%s, %d; mov.b%s %%i, %s; sub.s%s %%i, %%i, %%s;\n", word, step, word, bound,
              word);
    for (uint32_t i = 0; i < VALUES; i++)
        bench_add(text, TEXT, "ld.global.b32 %%r%u, [%%g+%u]; cvt.u64.u32 %%d%u, %%r%u;\n", i, 4 * i + 4, i, i);
    bench_add(text, TEXT, "setp.gt.s32 %%p0, %%r0, 0; setp.gt.s32 %%p1, %%r1, 0;\nLOOP:\n");
    uint32_t before = below(state, 5), behind = below(state, 5);
    for (uint32_t i = 0; i < before; i++)
        add_statement(text, state);
    bench_add(text, TEXT, "add.s%s %%i, %%i, %d;\n", word, step);
    if (below(state, 2))
        bench_add(text, TEXT, large ? "cvt.u32.u64 %%r3, %%i;\n" : "xor.b32 %%r3, %%r3, %%i;\n");
    bench_add(text, TEXT, "setp.%s.s%s %%q, %%i, %s;\nadd.u32 %%t, %%t, 1;\n", equal ? "eq" : "ne", word, bound);
    for (uint32_t i = 0; i < behind; i++)
        add_statement(text, state);
    bench_add(text, TEXT, "@%s%%q bra LOOP;\nst.global.b32 [%%g+4096], %%t; st.global.b32 [%%g+4100], %%n;\n",
              equal ? "!" : "");
    for (uint32_t i = 0; i < VALUES; i++)
        bench_add(text, TEXT, "st.global.b32 [%%g+%u], %%r%u; st.global.b64 [%%g+%u], %%d%u;\n", 4104 + 4 * i, i,
                  2048 + 8 * i, i);
    bench_add(text, TEXT, "ret;\n}\n");
    assert_true(strlen(text) + 1 < TEXT);
}

/* Returns whether the code has more operations than without. */
static bool run(const char *text, bool unrolls, uint32_t memory[WORDS], uint32_t *ops)
{
    struct bench bench;
    uint64_t state = 7;
    for (uint32_t i = 0; i < WORDS; i++)
        memory[i] = i < 512 ? (uint32_t)(bench_random(&state) >> 8) : 0;
    open_bench(&bench, text, unrolls);
    *ops = code_of(&bench)->ops.count;
    uint64_t in = bench_buffer(&bench, memory, WORDS * sizeof *memory);
    if (!BENCH_RUN(&bench, "k", 1, LANES, 0, &in))
        fail_msg("%s: %s", text, bench.error.text);
    bench_read(&bench, in, memory, WORDS * sizeof *memory);
    bench_close(&bench);
    return true;
}

static void test_random(void **unused)
{
    (void)unused;
    uint32_t *plain = malloc(WORDS * sizeof *plain), *memory = malloc(WORDS * sizeof *memory), unrolled = 0;
    char *text = malloc(TEXT);
    uint64_t state = 1;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        uint32_t ops, more;
        make_program(text, &state);
        run(text, false, plain, &ops);
        run(text, true, memory, &more);
        unrolled += more > ops;
        if (memcmp(plain, memory, WORDS * sizeof *plain) != 0)
            fail_msg("program %u leaves another memory:\n%s", i, text);
        for (uint32_t lane = 0; lane < LANES; lane++)
            assert_int_equal(memory[1024 + 16 * lane], memory[1024 + 16 * lane + 1]); /* turns */
    }
    assert_in_range(unrolled, PROGRAMS * 3 / 4, PROGRAMS);
    free(plain);
    free(memory);
    free(text);
}

/* Counters that come to their bound only when they have wrapped around: lane 0 begins at it, lane 1 behind it. */
static void test_wrapped(void **unused)
{
    (void)unused;
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
        ".reg .b64 %g, %w; .reg .b32 %l, %i, %t; .reg .pred %q;\n"
        "ld.param.u64 %g, [in]; mov.u32 %l, %laneid; mul.wide.u32 %w, %l, 4; add.s64 %g, %g, %w;\n"
        "mul.lo.u32 %i, %l, 4096; add.u32 %i, %i, 12288; mov.u32 %t, 0;\n"
        "LOOP: add.u32 %t, %t, 1; add.s32 %i, %i, 4096; setp.ne.s32 %q, %i, 12288; @%q bra LOOP;\n"
        "st.global.b32 [%g], %t; ret;\n}\n";
    uint32_t turns[2] = {0, 0};
    struct bench bench;
    open_bench(&bench, text, true);
    uint64_t in = bench_buffer(&bench, turns, sizeof turns);
    assert_true(BENCH_RUN(&bench, "k", 1, 2, 0, &in));
    bench_read(&bench, in, turns, sizeof turns);
    assert_int_equal(turns[0], 1 << 20);
    assert_int_equal(turns[1], (1 << 20) - 1);
    bench_close(&bench);
}

/* ===== as ptxas has it ===== */

static const char frame[] = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 sh[];\n"
                            ".visible .entry k(.param .u64 in)\n{\n"
                            ".reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .f32 %%f<40>; .reg .b64 %%rd<9>;\n"
                            "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, sh; mul.wide.s32 %%rd2, "
                            "%%r1, 4; mov.f32 %%f1, 0f00000000; "
                            "mov.f32 %%f2, %%f1;\n"
                            "LOOP: %s\n%s add.s32 %%r1, %%r1, -1; setp.ne.s32 %%p1, %%r1, 0; @%%p1 bra LOOP;\n"
                            "st.shared.f32 [%%r2], %%f1; ret;\n}\n";

/* Loads of global memory in the code of a loop with that body. */
static uint32_t loads_of(const char *pragma, const char *body)
{
    struct bench bench;
    char text[TEXT];
    snprintf(text, sizeof text, frame, pragma, body);
    open_bench(&bench, text, true);
    uint32_t count = count_of(code_of(&bench), EXECUTE_KIND_LOAD);
    bench_close(&bench);
    return count;
}

/* The same load, sums and products often enough. */
static uint32_t loads_with(uint32_t loads, const char *each, uint32_t count)
{
    char body[TEXT / 2] = "";
    for (uint32_t i = 0; i < loads; i++)
        bench_add(body, sizeof body,
                  "ld.global.f32 %%f%u, [%%rd1]; add.s64 %%rd1, %%rd1, %%rd2; fma.rn.f32 %%f1, %%f%u, %%f%u, %%f1;\n",
                  i + 3, i + 3, i + 3);
    for (uint32_t i = 0; i < count; i++)
        bench_add(body, sizeof body, "%s", each);
    return loads_of("", body);
}

static void test_copies(void **unused)
{
    (void)unused;
    static const char load[] = "ld.global.f32 %f3, [%rd1]; add.s64 %rd1, %rd1, %rd2; fma.rn.f32 %f1, %f3, %f3, %f1;\n";
    assert_int_equal(loads_of("", load), 7);
    assert_int_equal(loads_of(".pragma \"nounroll\";", load), 1);
    assert_int_equal(loads_with(15, "", 0), 7 * 15);
    assert_int_equal(loads_with(16, "", 0), 16);
    assert_int_equal(loads_with(1, "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 38), 7);
    assert_int_equal(loads_with(1, "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 60), 1);
    assert_int_equal(loads_with(1, "sqrt.rn.f32 %f1, %f1;\n", 1), 1);
    assert_int_equal(loads_with(1, "ex2.approx.f32 %f1, %f1;\n", 1), 7);
}

/* ===== time ===== */

static uint64_t cycles_of(const char *text, bool unrolls)
{
    struct mnp_results results;
    struct bench bench;
    open_bench(&bench, text, unrolls);
    uint64_t in = bench_buffer(&bench, NULL, 65536);
    const uint32_t one[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    assert_true(
        execute_source_launch(source, code_of(&bench), one, block, 64, (const void *const[]){&in}, &bench.error));
    if (!timed_run(&bench, source, &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1}, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    uint64_t cycles = mnp_statistics_get(&results.parts[0]->statistics, "gpu_sim_cycle");
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return cycles;
}

/* A turn of this loop waits for its load, which the L1 has: 30 cycles and the sum's 4. Of 32 turns, the unrolled loop
 * waits in eight. */
static void test_time(void **unused)
{
    (void)unused;
    char text[TEXT];
    snprintf(text, sizeof text, frame, "", "ld.global.f32 %f3, [%rd1]; add.f32 %f1, %f3, %f1;\n");
    uint64_t plain = cycles_of(text, false), unrolled = cycles_of(text, true);
    assert_in_range(plain - unrolled, 24 * 30, 24 * 30 + 32 * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_wrapped),
                                       cmocka_unit_test(test_copies), cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
