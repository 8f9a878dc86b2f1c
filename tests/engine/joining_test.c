/* SPDX-License-Identifier: BSD-3-Clause */
/* When the units of a machine are joined into one, and for how long. */
#include "engine/executors/joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WINDOW = 2500, CYCLE = 1000, LONG = 256 * CYCLE };

static bool note(struct mnp_joining *joining, enum mnp_joining_way way)
{
    if (joining->joined)
        mnp_joining_note_joined(joining, WINDOW / 2 * 256, LONG);
    else
        mnp_joining_note_divided(joining, way, WINDOW, CYCLE);
    return joining->joined;
}

/* Windows that one thread runs anyway: of a million cycles a hundredth is divided. */
static void alone(void **state)
{
    (void)state;
    struct mnp_joining joining;
    uint64_t divided = 0;
    mnp_joining_init(&joining);
    for (uint64_t cycle = 0; cycle < 1000000;) {
        bool joined = joining.joined;
        note(&joining, MNP_JOINING_ALONE);
        divided += joined ? 0 : 1;
        cycle += joined ? 256 : 1;
    }
    assert_in_range(divided, 2000, 14000);
}

/* Windows that are run together, or of which that is not known yet: it stays divided; and where they take a tenth of
 * the time, too. */
static void together(void **state)
{
    (void)state;
    struct mnp_joining joining;
    mnp_joining_init(&joining);
    for (uint32_t i = 0; i < 100000; i++)
        assert_false(note(&joining, i % 2 ? MNP_JOINING_TOGETHER : MNP_JOINING_UNDECIDED));
    for (uint32_t i = 0; i < 100000; i++)
        assert_false(note(&joining, i % 10 ? MNP_JOINING_ALONE : MNP_JOINING_UNDECIDED));
}

/* Lost time slices in a look decide nothing: neither is it over sooner, nor do they count for more than 20 microseconds
 * each. */
static void lost_slices(void **state)
{
    (void)state;
    struct mnp_joining joining;
    mnp_joining_init(&joining);
    for (uint32_t i = 0; i < 100; i++)
        note(&joining, MNP_JOINING_ALONE);
    mnp_joining_note_divided(&joining, MNP_JOINING_UNDECIDED, 8000000, CYCLE);
    mnp_joining_note_divided(&joining, MNP_JOINING_UNDECIDED, 8000000, CYCLE);
    assert_false(joining.joined);
    for (uint32_t i = 0; i < 3000 && !joining.joined; i++)
        note(&joining, MNP_JOINING_ALONE);
    assert_true(joining.joined);
}

/* Ten times as much to do in the same simulated time ends it at once; twice as much does not. */
static void more(void **state)
{
    (void)state;
    struct mnp_joining joining;
    mnp_joining_init(&joining);
    while (!note(&joining, MNP_JOINING_ALONE))
        continue;
    note(&joining, MNP_JOINING_ALONE);
    mnp_joining_note_joined(&joining, 2 * WINDOW / 2 * 256, LONG);
    assert_true(joining.joined);
    mnp_joining_note_joined(&joining, 10 * WINDOW / 2 * 256, LONG);
    assert_false(joining.joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone), cmocka_unit_test(together),
                                       cmocka_unit_test(lost_slices), cmocka_unit_test(more)};
    return cmocka_run_group_tests_name("joining", tests, NULL, NULL);
}
