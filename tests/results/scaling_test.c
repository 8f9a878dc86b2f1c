/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions from hand-made records, whose answers follow from a sum: even work, uneven work, and meetings. */
#include "base/file.h"
#include "results/scaling/scaling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WINDOWS = 20, REST = 1000, BYTES = 36000 };

/* The same for all hand-outs but the pool's. */
static struct mnp_meeting meetings(void)
{
    struct mnp_meeting meeting = {.take = 100, .gather = 2000, .message = 300, .byte = 0};
    for (int i = 0; i < MNP_HAND_OUT_COUNT; i++) {
        meeting.pair[i] = i == MNP_HAND_OUT_POOL ? 900 : 500;
        meeting.further[i] = 100;
    }
    return meeting;
}

struct record {
    char folder[64];
    const char *path;
};

/* A record of windows in which unit i takes ticks[i]; a tick is a nanosecond. The last `memory` units are the memory
 * side. */
static void make(struct record *record, const uint32_t *ticks, uint32_t units, uint32_t memory, bool every_cycle)
{
    strcpy(record->folder, "/tmp/maniple-scaling-XXXXXX");
    assert_non_null(mkdtemp(record->folder));
    record->path = mnp_join_path(record->folder, MNP_COSTS_FILE);
    FILE *out = fopen(record->path, "wb");
    assert_non_null(out);
    struct mnp_costs_head head = {.magic = "MNPCOST", .unit_count = units, .window_cycles = every_cycle,
                                  .windows = WINDOWS, .ticks = 1000, .nanoseconds = 1000};
    head.magic[7] = '2';
    fwrite(&head, sizeof head, 1, out);
    for (uint32_t i = 0; i < units; i++) {
        struct mnp_costs_unit unit = {.model = i >= units - memory, .memory = i >= units - memory};
        fwrite(&unit, sizeof unit, 1, out);
    }
    for (uint32_t w = 0; w < WINDOWS; w++) {
        uint32_t window[3] = {units, REST, BYTES};
        fwrite(window, sizeof window, 1, out);
        for (uint32_t i = 0; i < units; i++)
            fwrite(&(struct mnp_cost){i, ticks[i]}, sizeof(struct mnp_cost), 1, out);
    }
    fclose(out);
}

static void discard(struct record *record)
{
    unlink(record->path);
    rmdir(record->folder);
    free((void *)(uintptr_t)record->path);
}

/* Nanoseconds of a window, beside what lies between windows. */
static double window_ns(struct record *record, struct mnp_scaling scaling)
{
    struct mnp_costs_reader reader;
    struct mnp_error error = {""};
    struct mnp_meeting meeting = meetings();
    assert_true(results_costs_open(&reader, record->folder, &error));
    assert_true(results_scaling_compute(&reader, &meeting, &scaling, 1, &error));
    results_costs_close(&reader);
    return scaling.seconds * 1e9 / WINDOWS - REST;
}

#define near(a, b) assert_true((a) - (b) < 0.01 && (b) - (a) < 0.01)
#define on(THREADS, PROCESSES, HAND_OUT)                                                                               \
    window_ns(&record, (struct mnp_scaling){.threads = THREADS, .processes = PROCESSES, .hand_out = HAND_OUT})

static void test_even(void **state)
{
    (void)state;
    const uint32_t ticks[8] = {20000, 20000, 20000, 20000, 20000, 20000, 20000, 20000};
    struct record record;
    make(&record, ticks, 8, 0, false);
    near(on(1, 1, MNP_HAND_OUT_COST), 160000);
    near(on(2, 1, MNP_HAND_OUT_STATIC), 80000 + 500);
    near(on(8, 1, MNP_HAND_OUT_STATIC), 20000 + 500 + 6 * 100);
    near(on(16, 1, MNP_HAND_OUT_DYNAMIC), 20000 + 500 + 14 * 100); /* no unit is divided */
    near(on(1, 4, MNP_HAND_OUT_COST), 40000 + 2 * 2000 + 3 * 300);
    near(on(2, 2, MNP_HAND_OUT_STATIC), 40000 + 500 + 2000 + 300); /* shares of the units that a process owns */
    discard(&record);
}

static void test_uneven(void **state)
{
    (void)state;
    const uint32_t ticks[5] = {90000, 30000, 30000, 30000, 20000};
    struct record record;
    make(&record, ticks, 5, 0, false);
    near(on(2, 1, MNP_HAND_OUT_STATIC), 150000 + 500); /* units 0, 1, 2 | 3, 4 */
    near(on(2, 1, MNP_HAND_OUT_DYNAMIC), 110000 + 500);
    near(on(5, 1, MNP_HAND_OUT_DYNAMIC), 90000 + 500 + 3 * 100); /* the largest unit */
    discard(&record);
}

/* Executors that meet in every cycle: three cores and two units of the memory side. */
static void test_every_cycle(void **state)
{
    (void)state;
    const uint32_t ticks[5] = {6000, 6000, 6000, 2000, 2000};
    struct record record;
    make(&record, ticks, 5, 2, true);
    near(on(3, 1, MNP_HAND_OUT_LOCKSTEP), 6000 + 4000 + 600); /* the memory side follows the cores */
    near(on(2, 1, MNP_HAND_OUT_OPENMP), 12000 + 4000 + 500);  /* cores 0 and 2 | 1 */
    near(on(1, 1, MNP_HAND_OUT_POOL), 18000 + 4000 + 900);    /* one worker, which the main thread waits for */
    near(on(3, 1, MNP_HAND_OUT_POOL), 6000 + 4000 + 1000);
    near(on(2, 1, MNP_HAND_OUT_DOMAINS), 18000 + 500);      /* one thread has all cores */
    near(on(4, 1, MNP_HAND_OUT_DOMAINS), 6000 + 700);       /* the memory side beside them */
    discard(&record);
}

/* A loop's counter serves one thread at a time, and is asked for every core, those too that have nothing to do. */
static void test_taking(void **state)
{
    (void)state;
    const uint32_t uneven[5] = {6000, 6000, 1000, 6000, 2000}, little[5] = {10, 10, 10, 10, 2000};
    struct record record;
    make(&record, uneven, 5, 1, true);
    near(on(1, 1, MNP_HAND_OUT_OPENMP_DYNAMIC), 4 * 100 + 19000 + 2000);
    /* Thread 0: 100 to 6100, 6200 to 7200; thread 1: 200 to 6200, 6300 to 12300. */
    near(on(2, 1, MNP_HAND_OUT_OPENMP_DYNAMIC), 12300 + 2000 + 500);
    near(on(2, 1, MNP_HAND_OUT_OPENMP), 12000 + 2000 + 500); /* 6000 + 1000 | 6000 + 6000 */
    discard(&record);
    make(&record, little, 5, 1, true);
    near(on(4, 1, MNP_HAND_OUT_OPENMP_DYNAMIC), 4 * 100 + 10 + 2000 + 700); /* bounded by the counter */
    discard(&record);
}

/* What exchanges take: messages, and bytes of packets and of what is gathered. */
static void test_exchange(void **state)
{
    (void)state;
    const uint32_t ticks[2] = {10000, 10000};
    struct record record;
    struct mnp_costs_reader reader;
    struct mnp_error error = {""};
    struct mnp_meeting meeting = meetings();
    struct mnp_scaling scaling = {.threads = 1, .processes = 3, .hand_out = MNP_HAND_OUT_COST};
    meeting.byte = 0.5;
    make(&record, ticks, 2, 0, false);
    assert_true(results_costs_open(&reader, record.folder, &error));
    assert_true(results_scaling_compute(&reader, &meeting, &scaling, 1, &error));
    /* Of 36,000 bytes, each of three processes has a third, and sends two thirds of it; of each other it gathers what
     * it sees ahead, how much it sends, and how much to each process. */
    const double gathered = sizeof(struct mnp_outlook) + 8 + 3 * 8;
    near(scaling.exchange * 1e9 / WINDOWS, 2 * 2000 + 2 * 300 + 0.5 * (8000 + 2 * gathered));
    near(scaling.meetings, scaling.exchange);
    results_costs_close(&reader);
    discard(&record);
}

/* A window of little work is given to one thread, and meets nobody. */
static void test_little_work(void **state)
{
    (void)state;
    const uint32_t ticks[4] = {500, 500, 500, 500};
    struct record record;
    make(&record, ticks, 4, 0, false);
    near(on(8, 1, MNP_HAND_OUT_COST), 2000);
    near(on(4, 1, MNP_HAND_OUT_STATIC), 500 + 700);
    discard(&record);
}

static void test_damage(void **state)
{
    (void)state;
    const uint32_t ticks[2] = {1, 1};
    struct record record;
    struct mnp_error error = {""};
    struct mnp_costs_reader reader;
    struct mnp_scaling scaling = {.threads = 1, .processes = 1};
    struct mnp_meeting meeting = meetings();
    make(&record, ticks, 2, 0, false);
    assert_return_code(truncate(record.path, 300), 0);
    assert_true(results_costs_open(&reader, record.folder, &error));
    assert_false(results_scaling_compute(&reader, &meeting, &scaling, 1, &error));
    assert_non_null(strstr(error.text, "is damaged in window"));
    results_costs_close(&reader);
    assert_return_code(truncate(record.path, 20), 0);
    error.text[0] = 0;
    assert_false(results_costs_open(&reader, record.folder, &error));
    assert_non_null(strstr(error.text, "is no record of costs"));
    results_costs_close(&reader);
    discard(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_even), cmocka_unit_test(test_uneven),
                                       cmocka_unit_test(test_every_cycle),
        cmocka_unit_test(test_taking), cmocka_unit_test(test_little_work),
                                       cmocka_unit_test(test_exchange), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
