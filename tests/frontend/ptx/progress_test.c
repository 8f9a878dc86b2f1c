/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent progress of a warp's lanes (progress.cu): kernels that end only if every lane has its turn. */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void run_good(bool good, const struct bench *bench)
{
    if (!good)
        fail_msg("%s", bench->error.text);
}

static void test_hand_on(void **unused)
{
    (void)unused;
    enum { ROUNDS = 3 };
    struct bench bench;
    int found[32 * ROUNDS], rounds = ROUNDS;
    bench_open(&bench, PROGRESS, NULL);
    uint64_t turn = bench_buffer(&bench, &(int){0}, 4), out = bench_buffer(&bench, NULL, sizeof found);
    run_good(BENCH_RUN(&bench, "hand_on", 1, 32, 0, &turn, &out, &rounds), &bench);
    bench_read(&bench, out, found, sizeof found);
    for (int i = 0; i < 32 * ROUNDS; i++)
        assert_int_equal(found[i], 4 * i + i % 4);
    bench_close(&bench);
}

/* Each lane waits for the one above it. */
static void run_down(const char *kernel)
{
    struct bench bench;
    int found[32];
    bench_open(&bench, PROGRESS, NULL);
    uint64_t done = bench_buffer(&bench, NULL, 33 * 4), out = bench_buffer(&bench, NULL, sizeof found);
    run_good(BENCH_RUN(&bench, kernel, 1, 32, 0, &done, &out), &bench);
    bench_read(&bench, out, found, sizeof found);
    for (int i = 0; i < 32; i++)
        assert_int_equal(found[i], i);
    bench_close(&bench);
}

static void test_from_above(void **unused)
{
    (void)unused;
    run_down("from_above");
}

static void test_seldom(void **unused)
{
    (void)unused;
    run_down("seldom");
}

static void test_two_locks(void **unused)
{
    (void)unused;
    enum { ROUNDS = 2, BLOCKS = 2 };
    struct bench bench;
    int counts[6], rounds = ROUNDS;
    bench_open(&bench, PROGRESS, NULL);
    uint64_t locks = bench_buffer(&bench, NULL, 12), out = bench_buffer(&bench, NULL, sizeof counts);
    run_good(BENCH_RUN(&bench, "two_locks", BLOCKS, 32, 0, &locks, &out, &rounds), &bench);
    bench_read(&bench, out, counts, sizeof counts);
    const int half = BLOCKS * 32 * ROUNDS / 2, expected[6] = {half, half, 0, 0, half, half};
    assert_memory_equal(counts, expected, sizeof counts);
    bench_close(&bench);
}

enum { NODES = 700, DEGREE = 9, EDGES = NODES * DEGREE };

struct graph {
    int first[NODES + 1], neighbours[2 * EDGES];
    unsigned char linked[NODES][NODES];
};

/* Some nodes have many neighbours, as in graphs of the internet. */
static void make_graph(struct graph *graph)
{
    uint64_t state = 15;
    for (int e = 0; e < EDGES; e++) {
        unsigned a = (unsigned)(bench_random(&state) >> 20) % NODES, b = (unsigned)(bench_random(&state) >> 20) % NODES;
        a = e % 3 ? a : a % 7;
        if (a != b)
            graph->linked[a][b] = graph->linked[b][a] = 1;
    }
    int count = 0;
    for (int v = 0; v < NODES; v++) {
        graph->first[v] = count;
        for (int u = 0; u < NODES; u++)
            if (graph->linked[v][u])
                graph->neighbours[count++] = u;
    }
    graph->first[NODES] = count;
}

/* The lowest numbers have the highest priority: a node is in when none before it that it knows is. */
static void decide(const struct graph *graph, unsigned char *state)
{
    for (int v = 0; v < NODES; v++) {
        state[v] = 2;
        for (int u = 0; u < v; u++)
            state[v] = graph->linked[v][u] && state[u] == 2 ? 4 : state[v];
    }
}

static void test_independent_set(void **unused)
{
    (void)unused;
    struct bench bench;
    struct graph *graph = calloc(1, sizeof *graph);
    unsigned char state[NODES], expected[NODES], found[NODES];
    int nodes = NODES;
    make_graph(graph);
    decide(graph, expected);
    memset(state, 1, sizeof state);
    bench_open(&bench, PROGRESS, NULL);
    uint64_t first = bench_buffer(&bench, graph->first, sizeof graph->first);
    uint64_t neighbours = bench_buffer(&bench, graph->neighbours, sizeof graph->neighbours);
    uint64_t states = bench_buffer(&bench, state, sizeof state);
    run_good(BENCH_RUN(&bench, "independent_set", 1, 96, 0, &nodes, &first, &neighbours, &states), &bench);
    bench_read(&bench, states, found, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
    bench_close(&bench);
    free(graph);
}

/* Lane 0 polls for what the other warp does late; the other lanes go on, and must not elect one of their own. */
static const char election[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
    ".reg .b64 %words; .reg .b32 %x, %n, %thread; .reg .pred %p, %q;\n"
    "ld.param.u64 %words, [in]; mov.u32 %thread, %tid.x; mov.u32 %n, 0;\n"
    "setp.gt.u32 %p, %thread, 31; @%p bra COUNT; setp.ne.u32 %p, %thread, 0; @%p bra MEET;\n"
    "POLL: ld.volatile.global.u32 %x, [%words]; setp.eq.u32 %q, %x, 0; @%q bra POLL;\n"
    "MEET: elect.sync %x|%p, -1; @%p red.global.add.u32 [%words+4], 1; ret;\n"
    "COUNT: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 3000; @%p bra COUNT;\n"
    "st.volatile.global.u32 [%words], 1; ret;\n}\n";

static void test_election(void **unused)
{
    (void)unused;
    struct bench bench;
    uint32_t found[2];
    bench_open(&bench, NULL, election);
    uint64_t words = bench_buffer(&bench, NULL, sizeof found);
    run_good(BENCH_RUN(&bench, "k", 1, 64, 0, &words), &bench);
    bench_read(&bench, words, found, sizeof found);
    assert_int_equal(found[1], 1);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_on),   cmocka_unit_test(test_from_above),      cmocka_unit_test(test_seldom),
        cmocka_unit_test(test_two_locks), cmocka_unit_test(test_independent_set), cmocka_unit_test(test_election),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
