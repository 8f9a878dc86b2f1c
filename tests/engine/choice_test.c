/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice between running windows together and alone, on hosts whose speed either way is known. */
#include "engine/executors/choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WORK = 100000 };

/* Runs windows that take so many ticks; returns how many of them were run alone. */
static uint32_t run(struct mnp_choice *choice, uint32_t windows, uint64_t together, uint64_t alone)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < windows; i++) {
        count += choice->alone;
        mnp_choice_note(choice, choice->alone ? alone : together, WORK);
    }
    return count;
}

/* A second thread that is worth it is never sent away. */
static void free_host(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    assert_int_equal(run(&choice, 10000, WORK * 6 / 10, WORK), 0);
}

/* A second thread that costs more than it does: almost all windows are run alone. */
static void loaded_host(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    assert_true(run(&choice, 10000, 3 * WORK, WORK) > 9850);
    mnp_choice_init(&choice);
    assert_true(run(&choice, 10000, 100 * WORK, WORK) > 9950); /* a time slice is lost: each probe ends at once */
}

/* Where others want the processors when it begins, windows are run alone at first; a second thread is soon tried, and
 * stays where it turns out to be worth it. */
static void doubt(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    mnp_choice_doubt(&choice);
    assert_true(run(&choice, 100, 100 * WORK, WORK) >= 98); /* one that is tried loses a time slice */
    mnp_choice_init(&choice);
    mnp_choice_doubt(&choice);
    uint32_t alone = run(&choice, 10000, WORK / 2, WORK);
    assert_true(alone >= 16 && alone < 200);
}

/* A second thread that gains a little stays, and what alone would take is tried for less than 2 in 100 windows. */
static void small_gain(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    assert_true(run(&choice, 10000, WORK * 9 / 10, WORK) < 200);
}

/* A thread that has slept while windows were run alone takes several windows' time to come: this says nothing of those
 * that follow. */
static void sleeper(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    mnp_choice_doubt(&choice);
    uint32_t alone = 0;
    for (uint32_t i = 0, slept = 1; i < 10000; i++) {
        uint64_t together = slept ? 10 * WORK : WORK / 2;
        slept = choice.alone;
        alone += choice.alone;
        mnp_choice_note(&choice, choice.alone ? WORK : together, WORK);
    }
    assert_true(alone >= 64 && alone < 200);
}

static uint32_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*random >> 33);
}

/* A host on which a slice of 3 ms is lost in so many of a million windows, and a program whose windows have very
 * much to do or very little, from one phase to the next: long ones take little more than half together, short ones
 * nearly all, and up to twice as much on top while the second thread has not had its half of the data for long. What
 * is expected lags behind, as it does. Returns hundredths of the time that one thread takes. */
static uint64_t run_phases(uint32_t lost_in_a_million)
{
    enum { WINDOWS = 40000, SLICE = 8000000, MEETING = 2000, PHASE = 100, WARM = 4000000 };
    static const uint32_t hundredths[] = {90, 90, 65, 65, 54, 54};
    struct mnp_choice choice;
    uint64_t expected = WORK, whole = 0, spent = 0, warm = 0, random = 1, level = 0;
    mnp_choice_init(&choice);
    for (uint32_t i = 0; i < WINDOWS; i++) {
        if (draw(&random) % PHASE == 0)
            level = draw(&random) % 6;
        uint64_t work = (UINT64_C(8000) << level) + draw(&random) % (UINT64_C(8000) << level);
        uint64_t half = work * hundredths[level] / 100 + work * (WARM - warm) / WARM;
        uint64_t ticks = choice.alone ? work : half + MEETING;
        if (draw(&random) % 1000000 < lost_in_a_million && !choice.alone)
            ticks += SLICE;
        if (choice.alone)
            warm -= warm < work / 2 ? warm : work / 2;
        else
            warm = warm + half < WARM ? warm + half : WARM;
        mnp_choice_note(&choice, ticks, expected);
        whole += work;
        spent += ticks;
        expected = expected - expected / 8 + work / 8;
    }
    return 100 * spent / whole;
}

/* Windows that differ, a second thread whose cache is cold when it comes, and rare lost slices keep nobody from a gain;
 * and where slices are lost often, little is lost besides. */
static void phases(void **state)
{
    (void)state;
    assert_in_range(run_phases(0), 50, 68);
    assert_in_range(run_phases(300), 50, 77);
    assert_in_range(run_phases(1000), 50, 81);
    assert_in_range(run_phases(30000), 90, 106);
    assert_in_range(run_phases(300000), 95, 104);
}

/* When the host changes, the choice follows. */
static void change(void **state)
{
    (void)state;
    struct mnp_choice choice;
    mnp_choice_init(&choice);
    run(&choice, 3000, 3 * WORK, WORK);
    run(&choice, 8192, WORK / 2, WORK); /* as long as a choice may hold */
    assert_int_equal(run(&choice, 1000, WORK / 2, WORK), 0);
    run(&choice, 16, 3 * WORK, WORK);
    assert_true(run(&choice, 1000, 3 * WORK, WORK) > 950);
}

/* What a window was worth is seen although threads lost their processors in it, and not seen where nothing else ran. */
static void work_of_a_window(void **state)
{
    (void)state;
    uint64_t even[6] = {10, 11, 10, 9, 10, 12}, lost[6] = {10, 5000, 10, 9, 7000, 12}, few[2] = {5000, 10};
    assert_int_equal(mnp_choice_work(even, 6, 2), 10 + 10 + 9 + 10);
    assert_int_equal(mnp_choice_work(lost, 6, 2), 10 + 10 + 9 + 12);
    assert_int_equal(mnp_choice_work(few, 2, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_host), cmocka_unit_test(loaded_host),
                                       cmocka_unit_test(doubt),     cmocka_unit_test(small_gain),
                                       cmocka_unit_test(sleeper),   cmocka_unit_test(phases),
                                       cmocka_unit_test(change),    cmocka_unit_test(work_of_a_window)};
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
