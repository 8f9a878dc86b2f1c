/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors: the first one stays, control characters cannot steer a terminal, and what is wrong stands behind any name. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void first_one_stays(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    assert_false(mnp_fail_at(&error, "a\tb", 7, "no %s", "such\nthing"));
    assert_false(mnp_fail(&error, "another"));
    assert_string_equal(error.text, "a\\x09b:7: no such\\x0athing");
}

/* CUTLASS's kernels have names of more than 2,000 characters. */
static void long_names(void **state)
{
    (void)state;
    char name[3000];
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "_ZN7cutlass", 11);
    memcpy(name + sizeof name - 4, "End", 4);
    struct mnp_error error = {{0}};
    mnp_fail(&error, "program: kernel %s, address 0x10: it is wrong; do otherwise", name);
    assert_memory_equal(error.text, "program: kernel _ZN7cutlassxxx", 30);
    assert_non_null(strstr(error.text, "xxx...xxx"));
    const char *end = "xxxEnd, address 0x10: it is wrong; do otherwise";
    assert_string_equal(error.text + strlen(error.text) - strlen(end), end);

    name[600] = 0; /* a text that has room is left as it is */
    memset(&error, 0, sizeof error);
    mnp_fail(&error, "%s is wrong", name);
    assert_int_equal(strlen(error.text), 600 + strlen(" is wrong"));
}

/* Many words, each short: cut at the end. */
static void long_texts(void **state)
{
    (void)state;
    char words[3000];
    for (size_t i = 0; i < sizeof words; i++)
        words[i] = i % 10 ? 'w' : ' ';
    words[sizeof words - 1] = 0;
    struct mnp_error error = {{0}};
    mnp_fail(&error, "%s", words);
    assert_memory_equal(error.text, words, 1000);
    assert_true(strlen(error.text) < sizeof error.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_one_stays),
        cmocka_unit_test(long_names),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
