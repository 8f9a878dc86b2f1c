/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Litmus tests of the memory model over two GPUs, for each pair of a scope and a place: two threads of a block, of two
 * blocks of a GPU, and of two GPUs; each variable at home on either GPU; scopes .cta, .gpu and .sys; flags that are
 * relaxed with fences, released and acquired, and volatile with fences. An outcome that the model of PTX forbids never
 * occurs; where a scope is too small it may, and is only counted. Atomics of all widths by three GPUs on one word have
 * sums that counting gives.
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

enum { GPUS = 3, ROUNDS = 6, LINE = 128, BYTES = 4096, POLLS = 400 };
enum place { BLOCK, DEVICE, SYSTEM, PLACES };

static const char *const places[] = {"block", "GPU", "two GPUs"}, *const scopes[] = {"cta", "gpu", "sys"};
static const char *const membars[] = {"cta", "gl", "sys"};

/* ===== machines and launches ===== */

struct node {
    struct bench bench[GPUS];
    struct mnp_source *sources[GPUS];
    struct mnp_memory memory;
};

static void open_node(struct node *node, const char *text)
{
    static struct execute_device *devices[GPUS];
    memset(node, 0, sizeof *node);
    mnp_memory_init(&node->memory, 4096);
    for (uint32_t i = 0; i < GPUS; i++) {
        bench_open_in(&node->bench[i], &node->memory, i, NULL, text);
        devices[i] = &node->bench[i].device;
        node->sources[i] = execute_source_open(devices[i], 90);
    }
    execute_device_join(devices, GPUS);
    for (uint32_t i = 0; i < GPUS; i++)
        for (uint32_t j = 0; j < GPUS; j++)
            execute_device_open(devices[i], j, true);
}

static void launch(struct node *node, uint32_t gpu, const uint32_t grid[3], const uint32_t block[3],
                   const void *const *arguments)
{
    struct bench *bench = &node->bench[gpu];
    const struct execute_code *code = ptx_program_kernel(&bench->program, "k", &bench->error);
    if (!code || !execute_source_launch(node->sources[gpu], code, grid, block, 0, arguments, &bench->error))
        fail_msg("%s", bench->error.text);
}

static void run_node(struct node *node, const struct timed_how *how)
{
    static const char *const links[] = {"fabric.kind=nvlink", "fabric.pairs=[4,2,1]", "fabric.rate=1000", NULL};
    struct timed_how all = *how;
    struct mnp_results results;
    struct mnp_error error = {{0}};
    all.sets = links;
    if (!timed_run_several(node->sources, GPUS, &all, &results, &error))
        fail_msg("%s", error.text);
    if (results.end != MNP_END_FINISHED)
        fail_msg("%s", results.report ? results.report : "the run has not finished");
    mnp_results_release(&results);
}

static void close_node(struct node *node)
{
    for (uint32_t i = 0; i < GPUS; i++) {
        node->sources[i]->close(node->sources[i]);
        bench_close(&node->bench[i]);
    }
    mnp_memory_release(&node->memory);
}

/* ===== litmus tests ===== */

/* A test of two threads, whose bodies work on x (%rd1) and y (%rd2), one line a round, and leave a number in %r9. */
struct litmus {
    enum place place;
    uint32_t x_home, y_home;
    char first[512], second[512];
};

/* Both threads meet by relaxed atomics before each round, once the second one has x in its L1. The first one then waits
 * for a time of its own, longer from round to round. */
static const char frame[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 px, .param .u64 py, .param .u64 pout, .param .u64 pbar, .param .u32 prole)\n{\n"
    ".reg .pred %%p<6>; .reg .b32 %%r<20>; .reg .b64 %%rd<9>;\n"
    "ld.param.u64 %%rd1, [px]; ld.param.u64 %%rd2, [py]; ld.param.u64 %%rd3, [pout]; ld.param.u64 %%rd4, [pbar];\n"
    "ld.param.u32 %%r1, [prole]; mov.u32 %%r2, %%ctaid.x; add.u32 %%r1, %%r1, %%r2; mov.u32 %%r2, %%tid.x;\n"
    "and.b32 %%r3, %%r2, 31; setp.ne.u32 %%p1, %%r3, 0; @%%p1 ret; shr.u32 %%r3, %%r2, 5; add.u32 %%r1, %%r1, %%r3;\n"
    "setp.gt.u32 %%p1, %%r1, 1; @%%p1 ret; mul.wide.u32 %%rd5, %%r1, %d; add.u64 %%rd3, %%rd3, %%rd5;\n"
    "mov.u32 %%r4, 0;\n"
    "$round: setp.eq.u32 %%p2, %%r1, 0; @%%p2 bra $meet; ld.global.u32 %%r5, [%%rd1];\n"
    "$meet: atom.relaxed.sys.global.add.u32 %%r6, [%%rd4], 1; add.u32 %%r4, %%r4, 1; shl.b32 %%r7, %%r4, 1;\n"
    "$wait: ld.relaxed.sys.global.u32 %%r6, [%%rd4]; setp.lt.u32 %%p3, %%r6, %%r7; @%%p3 bra $wait;\n"
    "mov.u32 %%r9, 0; mov.u32 %%r10, 1; @!%%p2 bra $second;\n"
    "mov.u32 %%r14, %%clock; mul.lo.u32 %%r16, %%r4, 150;\n"
    "$delay: mov.u32 %%r15, %%clock; sub.u32 %%r15, %%r15, %%r14; setp.lt.u32 %%p3, %%r15, %%r16; @%%p3 bra $delay;\n"
    "%s bra $next;\n$second: %s\n"
    "$next: st.global.u32 [%%rd3], %%r9; add.u64 %%rd3, %%rd3, 4; add.u64 %%rd1, %%rd1, 128;\n"
    "add.u64 %%rd2, %%rd2, 128;\n"
    "setp.lt.u32 %%p4, %%r4, %d; @%%p4 bra $round;\n"
    "ret;\n}\n";

/* Launches the threads where they belong. GPUs without one have a kernel that ends at once. */
static void launch_litmus(struct node *node, const struct litmus *test, const uint64_t buffers[4])
{
    const uint32_t one[3] = {1, 1, 1}, two[3] = {2, 1, 1}, block[3] = {test->place == BLOCK ? 64 : 32, 1, 1};
    static uint32_t roles[GPUS];
    for (uint32_t i = 0; i < GPUS; i++) {
        roles[i] = i == 0 || (test->place == SYSTEM && i == 1) ? i : 2;
        launch(node, i, test->place == DEVICE ? two : one, block,
               (const void *const[]){&buffers[0], &buffers[1], &buffers[2], &buffers[3], &roles[i]});
    }
}

static void run_litmus(const struct litmus *test, const struct timed_how *how, uint32_t out[2][ROUNDS])
{
    static struct node node;
    static char text[4096];
    uint64_t buffers[4];
    snprintf(text, sizeof text, frame, ROUNDS * 4, test->first, test->second, ROUNDS);
    open_node(&node, text);
    for (uint32_t i = 0; i < 4; i++)
        buffers[i] = bench_buffer(&node.bench[i == 0 ? test->x_home : i == 1 ? test->y_home : 0], NULL, BYTES);
    launch_litmus(&node, test, buffers);
    run_node(&node, how);
    bench_read(&node.bench[0], buffers[2], out, 2 * ROUNDS * sizeof(uint32_t));
    close_node(&node);
}

static const struct timed_how serial = {.executor = &mnp_executor_serial, .threads = 1};
static const struct timed_how windows = {.executor = &mnp_executor_window, .threads = 2};

/* Runs a test with x and y at home on either GPU. The number of rounds whose outcome `bad` tells; results are the same
 * in two ways of running. */
static uint32_t try(struct litmus *test, bool (*bad)(const uint32_t out[2][ROUNDS], uint32_t round))
{
    uint32_t found = 0;
    for (uint32_t homes = 0; homes < 4; homes++) {
        uint32_t out[2][ROUNDS], other[2][ROUNDS];
        test->x_home = homes & 1;
        test->y_home = homes >> 1;
        run_litmus(test, &serial, out);
        run_litmus(test, &windows, other);
        assert_memory_equal(out, other, sizeof out);
        for (uint32_t round = 0; round < ROUNDS; round++)
            found += bad((const uint32_t(*)[ROUNDS])out, round);
    }
    return found;
}

/* Whether a scope holds both threads. */
static bool holds(uint32_t scope, enum place place)
{
    return scope >= (uint32_t)place;
}

static void judge(const char *name, const char *form, uint32_t scope, enum place place, uint32_t found)
{
    print_message("%-16s %-8s .%s %-8s: %u of %u%s\n", name, form, scopes[scope], places[place], found, 4 * ROUNDS,
                  holds(scope, place) ? "" : ", the scope is too small");
    if (holds(scope, place))
        assert_int_equal(found, 0);
}

/* ===== message passing ===== */

enum form { RELAXED, RELEASE, VOLATILE, FORMS };
static const char *const forms[] = {"relaxed", "release", "volatile"};

/* A load or store (`what`: ld or st) as a form and a scope spell it. */
static void spell(char *text, size_t room, const char *what, enum form form, uint32_t scope)
{
    bool volatile_form = form == VOLATILE;
    const char *how = form == RELEASE && !strcmp(what, "ld") ? "acquire" : forms[form];
    snprintf(text, room, "%s.%s%s%s", what, how, volatile_form ? "" : ".", volatile_form ? "" : scopes[scope]);
}

/* Stores that the message waits behind, on the link of its line, while the flag's may be free. */
static const char crowd[] =
    "mov.u32 %r14, 4; $fill: cvt.u64.u32 %rd6, %r14; add.u64 %rd6, %rd6, %rd1; \n"
    "st.relaxed.sys.global.u32 [%rd6], %r10;\n"
    "add.u32 %r14, %r14, 4; setp.le.u32 %p5, %r14, 56; @%p5 bra $fill; st.relaxed.sys.global.u32 [%rd1], %r10;";

/* Leaves 1 where the flag has come without its message, 2 where it has not come, and 0 where both have. */
static void message(struct litmus *test, enum form form, uint32_t scope, bool fenced)
{
    char store[48], load[48], fence[32] = "";
    spell(store, sizeof store, "st", fenced ? form : RELAXED, scope);
    spell(load, sizeof load, "ld", form, scope);
    if (form != RELEASE)
        snprintf(fence, sizeof fence, "%s.%s;", form == VOLATILE ? "membar" : "fence.acq_rel",
                 form == VOLATILE ? membars[scope] : scopes[scope]);
    snprintf(test->first, sizeof test->first, "%s %s %s.global.u32 [%%rd2], %%r10;", crowd, fenced ? fence : "", store);
    snprintf(test->second, sizeof test->second,
             "mov.u32 %%r11, 0; $poll: %s.global.u32 %%r12, [%%rd2]; add.u32 %%r11, %%r11, 1;\n"
             "setp.eq.u32 %%p5, %%r12, 0; setp.lt.and.u32 %%p5, %%r11, %d, %%p5; @%%p5 bra $poll;\n"
             "%s ld.global.u32 %%r13, [%%rd1]; mov.u32 %%r9, 2; setp.eq.u32 %%p5, %%r12, 0; @%%p5 bra $next;\n"
             "xor.b32 %%r9, %%r13, 1;",
             load, POLLS, fence);
}

/* A flag that never comes is as wrong as one without its message. */
static bool bad_message(const uint32_t out[2][ROUNDS], uint32_t round)
{
    return out[1][round] != 0;
}

static void test_message(void **state)
{
    (void)state;
    for (uint32_t form = 0; form < FORMS; form++)
        for (uint32_t scope = 0; scope < 3; scope++)
            for (enum place place = BLOCK; place < PLACES; place++) {
                struct litmus test = {.place = place};
                message(&test, (enum form)form, scope, true);
                judge("message passing", forms[form], scope, place, try(&test, bad_message));
            }
}

/* Without a fence before the flag, it comes before its message: or the test shows nothing. */
static void test_overtaken(void **state)
{
    (void)state;
    struct litmus test = {.place = SYSTEM};
    message(&test, RELAXED, 2, false);
    uint32_t found = try(&test, bad_message);
    print_message("%-16s %-8s      %-8s: %u of %u\n", "message passing", "none", places[SYSTEM], found, 4 * ROUNDS);
    assert_int_not_equal(found, 0);
}

/* ===== store buffering ===== */

static void buffering(struct litmus *test, const char *fence)
{
    static const char body[] = "st.relaxed.sys.global.u32 [%s], %%r10; %s ld.relaxed.sys.global.u32 %%r9, [%s];";
    snprintf(test->first, sizeof test->first, body, "%rd1", fence, "%rd2");
    snprintf(test->second, sizeof test->second, body, "%rd2", fence, "%rd1");
}

static bool bad_buffering(const uint32_t out[2][ROUNDS], uint32_t round)
{
    return !out[0][round] && !out[1][round];
}

static void test_buffering(void **state)
{
    (void)state;
    for (enum place place = BLOCK; place < PLACES; place++) {
        struct litmus test = {.place = place};
        for (uint32_t scope = 0; scope < 3; scope++) {
            char fence[32];
            snprintf(fence, sizeof fence, "fence.sc.%s;", scopes[scope]);
            buffering(&test, fence);
            judge("store buffering", "sc", scope, place, try(&test, bad_buffering));
        }
        buffering(&test, "");
        uint32_t found = try(&test, bad_buffering);
        print_message("%-16s %-8s      %-8s: %u of %u\n", "store buffering", "none", places[place], found, 4 * ROUNDS);
        if (place == SYSTEM)
            assert_int_not_equal(found, 0); /* or the test shows nothing */
    }
}

/* ===== coherence ===== */

static const char *const strong[] = {"relaxed.cta", "relaxed.gpu", "relaxed.sys", "volatile"};

/* The first thread counts x up; the second reads it many times, and leaves how often a value was less than the one
 * before, or 1 where it has seen no value of the round at all. */
static void counting(struct litmus *test, const char *how)
{
    snprintf(test->first, sizeof test->first,
             "$up: st.%s.global.u32 [%%rd1], %%r10; add.u32 %%r10, %%r10, 1;\n"
             "setp.lt.u32 %%p5, %%r10, 20; @%%p5 bra $up;",
             how);
    snprintf(test->second, sizeof test->second,
             "mov.u32 %%r11, 0; mov.u32 %%r13, 0;\n"
             "$read: ld.%s.global.u32 %%r12, [%%rd1]; setp.lt.u32 %%p5, %%r12, %%r13; @%%p5 add.u32 %%r9, %%r9, 1;\n"
             "mov.u32 %%r13, %%r12; add.u32 %%r11, %%r11, 1; setp.lt.u32 %%p5, %%r11, %d;\n"
             "setp.lt.and.u32 %%p5, %%r12, 19, %%p5; @%%p5 bra $read;\n"
             "setp.ne.u32 %%p5, %%r12, 19; @%%p5 mov.u32 %%r9, 1;",
             how, POLLS);
}

static void test_coherence(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 4; how++)
        for (enum place place = BLOCK; place < PLACES; place++) {
            struct litmus test = {.place = place};
            uint32_t scope = how < 3 ? how : 2;
            counting(&test, strong[how]);
            judge("coherence", how < 3 ? "relaxed" : "volatile", scope, place, try(&test, bad_message));
        }
}

/* ===== atomics ===== */

enum { THREADS = 64, ALL = GPUS * THREADS };

/* Each thread of each GPU on the words of GPU 1; %r1 is its number, from 0 to ALL - 1. */
static const char atomics[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 px, .param .u32 prank)\n{\n"
    ".reg .pred %p<3>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<16>; .reg .f32 %f<3>; .reg .f64 %d<3>;\n"
    ".reg .b128 %q<4>;\n"
    "ld.param.u64 %rd1, [px]; ld.param.u32 %r1, [prank]; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 64, %r2;\n"
    "cvt.u64.u32 %rd2, %r1; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %d1, %r1; mov.b32 %r3, 0x3c003c00;\n"
    "atom.sys.global.add.u32 %r4, [%rd1], %r1; atom.sys.global.add.u64 %rd3, [%rd1+128], %rd2;\n"
    "atom.sys.global.add.f32 %f2, [%rd1+256], %f1; atom.sys.global.add.f64 %d2, [%rd1+384], %d1;\n"
    "atom.sys.global.add.noftz.f16x2 %r5, [%rd1+512], %r3; mov.b16 %h1, 1;\n"
    "red.sys.global.max.u32 [%rd1+640], %r1; red.sys.global.max.u64 [%rd1+768], %rd2;\n"
    "red.sys.global.or.b32 [%rd1+896], %r1; red.sys.global.xor.b64 [%rd1+1024], %rd2;\n"
    "atom.sys.global.inc.u32 %r6, [%rd1+1152], 6;\n"
    "$try: ld.relaxed.sys.global.u64 %rd4, [%rd1+1280]; add.u64 %rd5, %rd4, %rd2;\n"
    "atom.sys.global.cas.b64 %rd6, [%rd1+1280], %rd4, %rd5; setp.ne.u64 %p1, %rd6, %rd4; @%p1 bra $try;\n"
    "$half: ld.relaxed.sys.global.b16 %h2, [%rd1+1408]; add.u16 %h3, %h2, %h1;\n"
    "atom.sys.global.cas.b16 %h3, [%rd1+1408], %h2, %h3; setp.ne.u16 %p1, %h3, %h2; @%p1 bra $half;\n"
    "add.u64 %rd7, %rd2, 1; mov.b128 %q1, {%rd7, %rd7}; atom.sys.global.exch.b128 %q2, [%rd1+1536], %q1;\n"
    "mov.b128 {%rd8, %rd9}, %q2; red.sys.global.add.u64 [%rd1+1664], %rd8; red.sys.global.add.u64 [%rd1+1672], %rd9;\n"
    "ret;\n}\n";

static uint64_t word(const unsigned char *memory, size_t at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, memory + at, bytes);
    return value;
}

static void check_atomics(const unsigned char *memory)
{
    uint64_t sum = ALL * (ALL - 1) / 2, all_or = 0, all_xor = 0, last = word(memory, 1536, 8);
    float single;
    double full;
    for (uint64_t i = 0; i < ALL; i++) {
        all_or |= i;
        all_xor ^= i;
    }
    memcpy(&single, memory + 256, sizeof single);
    memcpy(&full, memory + 384, sizeof full);
    assert_int_equal(word(memory, 0, 4), sum);
    assert_int_equal(word(memory, 128, 8), sum);
    assert_true(single == (float)sum && full == (double)sum);
    assert_int_equal(word(memory, 512, 4), 0x5a005a00); /* 192 of each half */
    assert_int_equal(word(memory, 640, 4), ALL - 1);
    assert_int_equal(word(memory, 768, 8), ALL - 1);
    assert_int_equal(word(memory, 896, 4), all_or);
    assert_int_equal(word(memory, 1024, 8), all_xor);
    assert_int_equal(word(memory, 1152, 4), ALL % 7);
    assert_int_equal(word(memory, 1280, 8), sum);
    assert_int_equal(word(memory, 1408, 2), ALL);
    assert_int_equal(word(memory, 1544, 8), last); /* both halves are of one thread */
    assert_int_equal(word(memory, 1664, 8) + last, sum + ALL);
    assert_int_equal(word(memory, 1672, 8) + last, sum + ALL);
}

static void test_atomics(void **state)
{
    (void)state;
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {THREADS, 1, 1};
    static struct node node;
    static unsigned char memory[BYTES];
    open_node(&node, atomics);
    uint64_t x = bench_buffer(&node.bench[1], NULL, BYTES);
    static uint32_t ranks[GPUS];
    for (uint32_t i = 0; i < GPUS; i++) {
        ranks[i] = i;
        launch(&node, i, grid, block, (const void *const[]){&x, &ranks[i]});
    }
    run_node(&node, &windows);
    bench_read(&node.bench[1], x, memory, sizeof memory);
    close_node(&node);
    check_atomics(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_message), cmocka_unit_test(test_overtaken),
                                       cmocka_unit_test(test_buffering), cmocka_unit_test(test_coherence),
                                       cmocka_unit_test(test_atomics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
