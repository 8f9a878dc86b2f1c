/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program on several GPUs that exchange values over links: stores, loads and atomics of memory whose home is another
 * GPU, with flags behind fences, and 16 bytes with flags in them, as NCCL's protocols have them. The values are those
 * that the memory model allows, and results are the same in all ways of running.
 */
#include "timed.h"

#include "execute/live/source.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GPUS = 3, THREADS = 64, FLAG = 1024, COUNTER = 1032, PACKETS = 2048, BYTES = 4096 };

/* Each GPU writes to the next one: values and then a flag behind a fence; counts there by atomics; sends packets of 16
 * bytes, two values and two flags, and reads back what it has written. */
static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry talk(.param .u64 pmine, .param .u64 ptheirs, .param .u64 pout, .param .u32 prank)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd1, [pmine]; ld.param.u64 %rd2, [ptheirs]; ld.param.u64 %rd3, [pout]; ld.param.u32 %r1, [prank];\n"
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4; mul.wide.u32 %rd5, %r2, 16;\n"
    "mad.lo.u32 %r3, %r1, 1000, %r2; add.u64 %rd6, %rd2, %rd4; st.global.u32 [%rd6], %r3;\n"
    "membar.sys; bar.sync 0; setp.ne.u32 %p1, %r2, 0; @%p1 bra $packets;\n"
    "mov.u32 %r4, 1; st.relaxed.sys.global.u32 [%rd2+1024], %r4;\n"
    "$wait: ld.acquire.sys.global.u32 %r5, [%rd1+1024]; setp.eq.u32 %p2, %r5, 0; @%p2 bra $wait;\n"
    "$packets: bar.sync 0;\n"
    "add.u64 %rd7, %rd1, %rd4; ld.global.u32 %r6, [%rd7]; add.u64 %rd8, %rd3, %rd4; st.global.u32 [%rd8], %r6;\n"
    "atom.sys.global.add.u32 %r7, [%rd2+1032], 1; red.sys.global.add.u32 [%rd2+1032], 2;\n"
    "ld.relaxed.sys.global.u32 %r8, [%rd6]; st.global.u32 [%rd8+1024], %r8;\n"
    "add.u64 %rd9, %rd2, %rd5; mov.u32 %r9, 7; add.u32 %r10, %r3, 500;\n"
    "st.volatile.global.v4.u32 [%rd9+2048], {%r3, %r9, %r10, %r9};\n"
    "add.u64 %rd10, %rd1, %rd5;\n"
    "$poll: ld.volatile.global.v4.u32 {%r11, %r12, %r13, %r14}, [%rd10+2048];\n"
    "setp.ne.u32 %p3, %r12, 7; @%p3 bra $poll; setp.ne.u32 %p3, %r14, 7; @%p3 bra $poll;\n"
    "add.u32 %r15, %r11, %r13; st.global.u32 [%rd8+2048], %r15; st.global.u32 [%rd8+3072], %r7;\n"
    "ret;\n}\n";

struct program {
    struct bench bench;
    struct mnp_source *source;
    uint64_t mine, out;
};

static void open(struct program *programs, struct mnp_memory *memory)
{
    static struct execute_device *devices[GPUS];
    for (uint32_t i = 0; i < GPUS; i++) {
        bench_open_in(&programs[i].bench, memory, i, NULL, text);
        devices[i] = &programs[i].bench.device;
        programs[i].source = execute_source_open(devices[i], 80);
        programs[i].mine = bench_buffer(&programs[i].bench, NULL, BYTES);
        programs[i].out = bench_buffer(&programs[i].bench, NULL, BYTES);
    }
    execute_device_join(devices, GPUS);
    for (uint32_t i = 0; i < GPUS; i++)
        for (uint32_t j = 0; j < GPUS; j++)
            execute_device_open(devices[i], j, true);
    for (uint32_t i = 0; i < GPUS; i++) {
        struct program *p = &programs[i];
        const uint32_t grid[3] = {1, 1, 1}, block[3] = {THREADS, 1, 1};
        const struct execute_code *code = ptx_program_kernel(&p->bench.program, "talk", &p->bench.error);
        const void *const arguments[] = {&p->mine, &programs[(i + 1) % GPUS].mine, &p->out, &i};
        if (!code || !execute_source_launch(p->source, code, grid, block, 0, arguments, &p->bench.error))
            fail_msg("%s", p->bench.error.text);
    }
}

static void check_values(struct program *programs)
{
    static uint32_t out[BYTES / 4], mine[BYTES / 4];
    for (uint32_t i = 0; i < GPUS; i++) {
        uint32_t before = (i + GPUS - 1) % GPUS, seen = 0;
        bench_read(&programs[i].bench, programs[i].out, out, sizeof out);
        bench_read(&programs[i].bench, programs[i].mine, mine, sizeof mine);
        for (uint32_t t = 0; t < THREADS; t++) {
            assert_int_equal(out[t], before * 1000 + t);
            assert_int_equal(out[256 + t], i * 1000 + t);
            assert_int_equal(out[512 + t], 2 * (before * 1000 + t) + 500);
            assert_true(out[768 + t] < 3 * THREADS);
            seen |= out[768 + t] == 0;
        }
        assert_true(seen); /* one of them came first */
        assert_int_equal(mine[COUNTER / 4], 3 * THREADS);
        assert_int_equal(mine[FLAG / 4], 1);
    }
}

/* All results but the description of the run; to be freed. */
static char *text_of(struct mnp_results *results)
{
    char *text_out = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text_out, &length);
    results->run = (struct mnp_run_info){0};
    results_write_json(results, out);
    fclose(out);
    return text_out;
}

static char *run(const struct timed_how *how)
{
    static struct program programs[GPUS];
    static struct mnp_memory memory;
    struct mnp_results results;
    struct mnp_error error = {{0}};
    struct mnp_source *sources[GPUS];
    memset(programs, 0, sizeof programs);
    mnp_memory_init(&memory, 4096);
    open(programs, &memory);
    for (uint32_t i = 0; i < GPUS; i++)
        sources[i] = programs[i].source;
    if (!timed_run_several(sources, GPUS, how, &results, &error))
        fail_msg("%s", error.text);
    if (results.end != MNP_END_FINISHED)
        fail_msg("%s", results.report ? results.report : "the run has not finished");
    check_values(programs);
    assert_true(mnp_statistics_get(&results.total, "fabric_atomics") > 0);
    char *found = text_of(&results);
    mnp_results_release(&results);
    for (uint32_t i = 0; i < GPUS; i++) {
        programs[i].source->close(programs[i].source);
        bench_close(&programs[i].bench);
    }
    mnp_memory_release(&memory);
    return found;
}

static void test_values(void **state)
{
    (void)state;
    static const char *const straight[] = {"fabric.kind=nvlink", "fabric.pairs=[1,2,1]", NULL};
    static const char *const switched[] = {"fabric.kind=nvlink", "fabric.switches=[2,1]", "fabric.latency=77", NULL};
    const char *const *const machines[] = {straight, switched};
    struct timed_how ways[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 2},
        {.executor = &mnp_executor_window, .threads = 2, .window = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
    };
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        char *first = NULL;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            ways[i].sets = machines[m];
            char *found = run(&ways[i]);
            if (first)
                assert_string_equal(found, first);
            else
                first = strdup(found);
            free(found);
        }
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
