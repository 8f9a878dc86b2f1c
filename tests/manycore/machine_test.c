/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches by hand-made sequences; the mesh by its analytic latencies, hops and conservation. */
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/executors/executor.h"

/* ===== caches ===== */

static uint64_t misses_of(struct manycore_cache_shape shape, const char *sequence)
{
    uint32_t words[16] = {0};
    uint8_t next[16] = {0}, guess[MANYCORE_GUESSES];
    struct manycore_tags tags = {words, next, guess};
    struct manycore_cache_counters counters = {0};
    for (; *sequence; sequence++) { /* capital letters write */
        bool write = *sequence < 'a';
        manycore_tags_look(&shape, &tags, &counters, (uint32_t)(*sequence | 32) - 'a', write);
    }
    return counters.misses * 100 + counters.write_backs;
}

static void test_replacement(void **state)
{
    (void)state;
    struct manycore_cache_shape fifo = {
        .sets = 1, .ways = 2, .line_shift = 7, .write_back = true, .write_allocate = true, .hit = 1, .miss = 10};
    struct manycore_cache_shape lru = fifo, through = fifo, around = fifo;
    lru.lru = true;
    through.write_back = false;
    around.write_allocate = false;
    assert_int_equal(misses_of(fifo, "abacab"), 500); /* c replaces a, the first in; then a replaces b, b c */
    assert_int_equal(misses_of(lru, "abacab"), 400);  /* c replaces b */
    assert_int_equal(misses_of(fifo, "Abcd"), 401);   /* a is written back */
    assert_int_equal(misses_of(fifo, "aAbcd"), 401);
    assert_int_equal(misses_of(through, "Abcd"), 400);
    assert_int_equal(misses_of(around, "Aa"), 200); /* the write brings nothing in */
    fifo.sets = 3;
    assert_int_equal(misses_of(fifo, "adgadg"), 600); /* one set of three that are no power of two */
    assert_int_equal(misses_of(fifo, "abcabc"), 300);
}

/* ===== the mesh ===== */

enum { WIDTH = 5, HEIGHT = 3, TILES = WIDTH * HEIGHT, LATENCY = 4 };

static const struct manycore_parameters mesh = {
    .block = &manycore_block_model,
    .clock = 1000000000,
    .tiles = TILES,
    .network = MANYCORE_MESH,
    .dspm = 1024,
    .shared_latency = LATENCY,
    .mesh_queue = 2,
    .block_columns = 2,
    .block_rows = 2,
    .service = 1,
    .run_ahead = 100,
    .epoch = 64,
    .width = WIDTH,
    .height = HEIGHT,
    .private_bytes = 65536,
    .bank_bytes = 64,
    .branch = 2,
    .load_use = 1,
    .timing = {.branch = 2, .load_use = 1, .multiply = 1, .long_multiply = 1, .private_access = 1, .scratchpad = 1}};

/* Joins a machine whose blocks are bands, and divides it again, at random. */
static void join_at_random(void *context, mnp_time end)
{
    struct manycore_machine *machine = context;
    mnp_engine_join(&machine->engine, end / 1000003 * 2654435761u >> 13 & 1);
}

/* Runs a program of these words on every tile to its end, or to a cycle. */
static void run_to(struct manycore_machine *machine, const struct manycore_parameters *parameters,
                   struct mnp_program *program, const uint32_t *words, uint32_t count, uint64_t limit)
{
    struct mnp_error error = {""};
    *program = (struct mnp_program){.path = "test", .segment_count = 1, .entry = 0x8000};
    program->segments[0] = (struct mnp_segment){.address = 0x8000,
                                                .bytes = 4 * count,
                                                .stored = 4 * count,
                                                .data = (const unsigned char *)words,
                                                .executable = true};
    memset(machine, 0, sizeof *machine);
    if (!manycore_machine_init(machine, parameters, program, &error))
        fail_msg("%s", error.text);
    struct mnp_run_options options = {
        .executor = &mnp_executor_serial, .threads = 1, .limit = mnp_edge(parameters->clock, limit)};
    machine->common.limit = limit;
    if (parameters->joins) {
        options.on_window = join_at_random;
        options.window = 1700000; /* femtoseconds: some end between two cycles */
        options.context = machine;
    }
    enum mnp_stop stop = mnp_engine_run(&machine->engine, &options);
    if (stop == MNP_STOP_FAULT)
        fail_msg("%s", machine->engine.error.text);
}

static void run(struct manycore_machine *machine, const struct manycore_parameters *parameters,
                struct mnp_program *program, const uint32_t *words, uint32_t count)
{
    run_to(machine, parameters, program, words, count, 200000);
}

static struct manycore_tile *tile_of(struct manycore_machine *machine, uint32_t tile)
{
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct manycore_block *block = &machine->blocks[i];
        uint32_t x = tile % WIDTH, y = tile / WIDTH;
        if (x - block->left < block->columns && y - block->top < block->rows)
            return &block->tile[manycore_place_of(block, tile, WIDTH)];
    }
    return NULL;
}

static uint64_t count(struct manycore_machine *machine, enum manycore_statistic which)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->block_count; i++) {
        uint64_t counters[MANYCORE_BLOCK_COUNTERS] = {0};
        manycore_block_count(&machine->blocks[i], 0, counters);
        sum += counters[which];
    }
    return sum;
}

static uint32_t distance(uint32_t a, uint32_t b, uint32_t size, bool ring)
{
    uint32_t steps = a > b ? a - b : b - a;
    return ring && size - steps < steps ? size - steps : steps;
}

/* One access from each tile to each bank, alone in the machine: its time is that of the hops. In a torus rings go on
 * over the links between blocks. */
static void check_unloaded_latency(bool torus)
{
    struct manycore_parameters parameters = mesh;
    struct manycore_machine *machine = malloc(sizeof *machine);
    struct mnp_program program;
    parameters.mesh_torus = torus;
    for (uint32_t from = 0; from < TILES; from++) {
        for (uint32_t to = 0; to < TILES; to++) {
            const uint32_t words[] = {0xE3500000 | from, /* cmp r0, #from */
                                      0x1A000001,        /* bne leave */
                                      0xE59F5010,        /* ldr r5, address */
                                      0xE5956000,        /* ldr r6, [r5] */
                                      0xE3A00018,        /* leave: mov r0, #SYS_EXIT */
                                      0xE59F1008,        /* ldr r1, reason */
                                      0xEF123456,        /* svc */
                                      0xEAFFFFFE,        MANYCORE_SHARED + to * 64 + 8, 0x20026};
            run(machine, &parameters, &program, words, sizeof words / 4);
            uint32_t hops =
                distance(from % WIDTH, to % WIDTH, WIDTH, torus) + distance(from / WIDTH, to / WIDTH, HEIGHT, torus);
            uint32_t expected = hops ? 2 * (hops + 1) + LATENCY : LATENCY;
            assert_int_equal(machine->engine.stop, MNP_STOP_HANG); /* nobody tells the engine about the exits here */
            assert_int_equal(tile_of(machine, from)->wait_cycles, expected);
            assert_int_equal(count(machine, MANYCORE_HOPS), 2 * hops);
            assert_int_equal(count(machine, MANYCORE_DELIVERED), hops ? 2 : 0);
            assert_int_equal(count(machine, MANYCORE_BLOCKED_CYCLES), 0);
            manycore_machine_release(machine);
        }
    }
    free(machine);
}

static void test_unloaded_latency(void **state)
{
    (void)state;
    check_unloaded_latency(false);
    check_unloaded_latency(true);
}

/* Every tile stores `times` words to a bank: r4 = address, r6 = counter. `target` 0: all into bank 0; 1: the tile that
 * mirrors it; 2: its neighbour. Nothing may get stuck or lost, with the shortest queues. */
static void test_full_load(void **state)
{
    (void)state;
    struct manycore_parameters parameters = mesh;
    struct manycore_machine *machine = malloc(sizeof *machine);
    struct mnp_program program;
    for (uint32_t target = 0; target < 3; target++) {
        for (uint32_t kind = 0; kind < 4; kind++) {
            uint32_t aim = target == 0   ? 0xE3A05000         /* mov r5, #0 */
                           : target == 1 ? 0xE260500E         /* rsb r5, r0, #14 */
                                         : 0xE2205001;        /* eor r5, r0, #1 */
            const uint32_t words[] = {aim,        0xE355000F, /* cmp r5, #15 */
                                      0x03A05000,             /* moveq r5, #0 */
                                      0xE3A04102,             /* mov r4, #0x80000000 */
                                      0xE0844305,             /* add r4, r4, r5, lsl #6 */
                                      0xE3A06028,             /* mov r6, #40 */
                                      0xE5846000,             /* again: str r6, [r4] */
                                      0xE5947004,             /* ldr r7, [r4, #4] */
                                      0xE2566001,             /* subs r6, r6, #1 */
                                      0x1AFFFFFB,             /* bne again */
                                      0xE3A00018, 0xE59F1000, 0xEF123456, 0x20026};
            parameters.mesh_queue = 1;
            parameters.mesh_arbitration = kind % 2;
            parameters.mesh_selection = kind / 2 == target % 2;
            parameters.mesh_torus = kind / 2;
            run(machine, &parameters, &program, words, sizeof words / 4);
            uint64_t exited = 0;
            for (uint32_t i = 0; i < machine->block_count; i++)
                exited += machine->blocks[i].state->exited;
            assert_int_equal(exited, TILES);
            uint64_t local = target == 0 ? 1 : target == 1 ? 1 : 0; /* tiles whose target is themselves */
            assert_int_equal(count(machine, MANYCORE_S_EVENTS), TILES * 80);
            assert_int_equal(count(machine, MANYCORE_DELIVERED), 2 * 80 * (TILES - local));
            manycore_machine_release(machine);
        }
    }
    free(machine);
}

/* Bands of columns that are joined and divided again at any time, with packets on their way between them, tiles that
 * wait for their own bank, spin, or call: all state is that of blocks which stay as they are. */
static void test_joined(void **state)
{
    (void)state;
    struct manycore_machine *machine = malloc(sizeof *machine);
    struct mnp_program program;
    const uint32_t words[] = {0xE2205005, /* eor r5, r0, #5 */
                              0xE355000F, /* cmp r5, #15 */
                              0x23A05000, /* movhs r5, #0 */
                              0xE3A04102, /* mov r4, #0x80000000 */
                              0xE0848300, /* add r8, r4, r0, lsl #6: the own bank */
                              0xE0844305, /* add r4, r4, r5, lsl #6: another one's */
                              0xE3A06028, /* mov r6, #40 */
                              0xE5846000, /* again: str r6, [r4] */
                              0xE5987000, /* spin: ldr r7, [r8] */
                              0xE1570006, /* cmp r7, r6 */
                              0x8AFFFFFC, /* bhi spin: it is written by the partner, later or never */
                              0xE5947004, /* ldr r7, [r4, #4] */
                              0xE2566001, /* subs r6, r6, #1 */
                              0x1AFFFFF8, /* bne again */
                              0xE3A00018, 0xE59F1000, 0xEF123456, 0x20026};
    for (uint32_t kind = 0; kind < 24; kind++) {
        struct manycore_parameters parameters = mesh;
        parameters.mesh_queue = 1 + kind % 3;
        parameters.mesh_torus = kind / 3 % 2;
        parameters.mesh_selection = kind / 6 % 2;
        uint64_t limit = kind < 12 ? 150 + 37 * kind : 200000, hash[2], hops[2], blocked[2], events[2];
        for (uint32_t joins = 0; joins < 2; joins++) {
            parameters.joins = joins;
            parameters.block_rows = joins ? HEIGHT : 2;
            run_to(machine, &parameters, &program, words, sizeof words / 4, limit);
            assert_int_equal(machine->whole != NULL, joins);
            hash[joins] = mnp_engine_hash(&machine->engine);
            hops[joins] = count(machine, MANYCORE_HOPS);
            blocked[joins] = count(machine, MANYCORE_BLOCKED_CYCLES);
            events[joins] = count(machine, MANYCORE_S_EVENTS);
            manycore_machine_release(machine);
        }
        assert_int_equal(hops[0], hops[1]);
        assert_int_equal(events[0], events[1]);
        assert_int_equal(blocked[0], blocked[1]);
        assert_int_equal(hash[0], hash[1]);
    }
    free(machine);
}

/* The state of a tile, without the contents of caches and memories, with the queues of the machine files. */
static void test_state_of_a_tile(void **state)
{
    (void)state;
    struct manycore_parameters parameters = mesh;
    struct manycore_machine *machine = malloc(sizeof *machine);
    struct mnp_program program;
    const uint32_t words[] = {0xE3A00018, 0xE59F1000, 0xEF123456, 0x20026};
    parameters.tiles = 256;
    parameters.width = parameters.height = parameters.block_columns = parameters.block_rows = 16;
    parameters.mesh_queue = 4;
    run(machine, &parameters, &program, words, sizeof words / 4);
    assert_int_equal(machine->block_count, 1);
    size_t bytes = machine->blocks[0].unit->state.used / parameters.tiles;
    print_message("state of a tile: %zu bytes\n", bytes);
    assert_in_range(bytes, 1000, 2047);
    assert_int_equal(machine->blocks[0].pool.used, 0); /* the program has written nothing */
    manycore_machine_release(machine);
    free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replacement), cmocka_unit_test(test_unloaded_latency),
                                       cmocka_unit_test(test_full_load), cmocka_unit_test(test_joined),
                                       cmocka_unit_test(test_state_of_a_tile)};
    return cmocka_run_group_tests_name("manycore machine", tests, NULL, NULL);
}
