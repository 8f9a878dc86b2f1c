/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people write them, and the nearest word. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct accepted {
    const char *text;
    uint64_t value;
};

static void check(const char *(*parse)(const char *, uint64_t *), const struct accepted *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        const char *problem = parse(cases[i].text, &value);
        if (problem)
            fail_msg("%s %s", cases[i].text, problem);
        assert_int_equal(value, cases[i].value);
    }
}

static void refuse(const char *(*parse)(const char *, uint64_t *), const char *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 77;
        if (!parse(cases[i], &value))
            fail_msg("accepted: \"%s\"", cases[i]);
        assert_int_equal(value, 77);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_numbers(void **state)
{
    (void)state;
    static const struct accepted good[] = {
        {"0", 0}, {"42", 42}, {"0x1F", 31}, {"9223372036854775807", INT64_MAX}, {"007", 7}};
    static const char *const bad[] = {"",
                                      "x",
                                      "-1",
                                      "1 ",
                                      " 1",
                                      "1.0",
                                      "1e3",
                                      "0x",
                                      "0xg",
                                      "9223372036854775808",
                                      "+",
                                      "+1",
                                      "-",
                                      "0x8000000000000000",
                                      "99999999999999999999999999"};
    check(mnp_parse_number, good, COUNT(good));
    refuse(mnp_parse_number, bad, COUNT(bad));
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct accepted good[] = {{"0", 0},         {"100", 100},
                                           {"64KiB", 65536}, {"4MiB", 4 << 20},
                                           {"1.5KiB", 1536}, {"2 GiB", UINT64_C(2) << 30},
                                           {"12B", 12},      {"8191TiB", UINT64_C(8191) << 40}};
    static const char *const bad[] = {"",
                                      "KiB",
                                      "64KB",
                                      "64k",
                                      "-1KiB",
                                      "1.0001KiB",
                                      "1KiB ",
                                      "1..5",
                                      "1.5.5",
                                      "9999999TiB",
                                      "0.0000000000001KiB",
                                      "1e3",
                                      "64  KiB",
                                      "99999999999999999999999999999999999999999999999999999999999999"};
    check(mnp_parse_size, good, COUNT(good));
    refuse(mnp_parse_size, bad, COUNT(bad));
}

static void test_clocks(void **state)
{
    (void)state;
    static const struct accepted good[] = {{"1365MHz", 1365000000}, {"3500.5MHz", 3500500000},
                                           {"1.7GHz", 1700000000},  {"32768", 32768},
                                           {"1kHz", 1000},          {"5Hz", 5},
                                           {"0.000001MHz", 1},      {"1132.000001MHz", 1132000001}};
    static const char *const bad[] = {"", "MHz", "1365mhz", "1365Mhz", "0.5Hz", "1.0000001MHz", "-5MHz", "1365 M Hz"};
    check(mnp_parse_hertz, good, COUNT(good));
    refuse(mnp_parse_hertz, bad, COUNT(bad));
}

static void test_written_sizes_and_clocks_are_read_back(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 1, 999999, 1000000, 1000001, 65536, 65537, 3500500000, UINT64_C(1) << 40, INT64_MAX};
    for (size_t i = 0; i < COUNT(values); i++) {
        char text[MNP_NUMBER_TEXT];
        uint64_t value;
        assert_null(mnp_parse_size(mnp_format_size(text, values[i]), &value));
        assert_int_equal(value, values[i]);
        assert_null(mnp_parse_hertz(mnp_format_hertz(text, values[i]), &value));
        assert_int_equal(value, values[i]);
    }
}

static void test_ratios(void **state)
{
    (void)state;
    static const struct {
        uint64_t numerator, scale, denominator;
        const char *text;
    } cases[] = {
        {1, 1, 3, "0.333333"},
        {2, 1, 3, "0.666667"},
        {1, 100, 8, "12.500000"},
        {5, 1, 0, "0.000000"},
        {0, 1, 5, "0.000000"},
        {1, 1, 2000000, "0.000001"},
        {1, 1, 2000001, "0.000000"},
        {UINT64_MAX, 100, 1, "1844674407370955161500.000000"},
        {UINT64_MAX, 1, UINT64_MAX, "1.000000"},
    };
    char text[MNP_NUMBER_TEXT];
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(mnp_format_ratio(text, cases[i].numerator, cases[i].scale, cases[i].denominator),
                            cases[i].text);
    assert_string_equal(mnp_format_ratio_decimals(text, 7, 1, 2, 0), "4");
    assert_string_equal(mnp_format_ratio_decimals(text, 0, 1, 2, 2), "0.00");
}

static void test_grouped(void **state)
{
    (void)state;
    char text[MNP_NUMBER_TEXT];
    assert_string_equal(mnp_format_grouped(text, 0), "0");
    assert_string_equal(mnp_format_grouped(text, 999), "999");
    assert_string_equal(mnp_format_grouped(text, 1000), "1,000");
    assert_string_equal(mnp_format_grouped(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "machines", "machine", "models"};
    assert_string_equal(mnp_nearest_word("rum", words, 4), "run");
    assert_string_equal(mnp_nearest_word("machin", words, 4), "machine");
    assert_string_equal(mnp_nearest_word("MODELS", words, 4), "models");
    assert_null(mnp_nearest_word("quixotic", words, 4));
    assert_null(mnp_nearest_word("", words, 0));
    char longest[1000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_null(mnp_nearest_word(longest, words, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_clocks),       cmocka_unit_test(test_written_sizes_and_clocks_are_read_back),
        cmocka_unit_test(test_ratios),       cmocka_unit_test(test_grouped),
        cmocka_unit_test(test_nearest_word),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
