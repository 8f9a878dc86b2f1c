/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of others as each output language needs them, and formats as stdio writes them. */
#include "base/print.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_put(void (*put)(const char *text, FILE *out), const char *text, const char *expected)
{
    char *got = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&got, &length);
    put(text, out);
    fclose(out);
    assert_string_equal(got, expected);
    free(got);
}

#define EXPECT_PRINT(print, expected, ...)                                                                             \
    do {                                                                                                               \
        char *got = NULL;                                                                                              \
        size_t length = 0;                                                                                             \
        FILE *out = open_memstream(&got, &length);                                                                     \
        int written = print(out, __VA_ARGS__);                                                                         \
        fclose(out);                                                                                                   \
        assert_string_equal(got, expected);                                                                            \
        assert_int_equal(written, strlen(expected));                                                                   \
        free(got);                                                                                                     \
    } while (0)

static void terminal(void **state)
{
    (void)state;
    expect_put(mnp_put_text, "plain, \xc3\xa9 and \xe4\xb8\xad", "plain, \xc3\xa9 and \xe4\xb8\xad");
    expect_put(mnp_put_text, "\033]0;x\a", "\\x1b]0;x\\x07");
    expect_put(mnp_put_text, "a\nb\r", "a\\x0ab\\x0d");
    expect_put(mnp_put_text,
               "\x9b"
               "1m\xc2\x9b",
               "\\x9b1m\\xc2\\x9b");
    expect_put(mnp_put_text, "cut \xe2\x82", "cut \\xe2\\x82");
    expect_put(mnp_put_text,
               "\xe2\x80\xae"
               "evil",
               "\\xe2\\x80\\xaeevil");
    expect_put(mnp_put_text, "\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80");
    expect_put(mnp_put_lines, "a\n\033b\n", "a\n\\x1bb\n");
}

static void html(void **state)
{
    (void)state;
    expect_put(mnp_put_html, "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    expect_put(mnp_put_html, "\" onload='x' &", "&quot; onload=&#39;x&#39; &amp;");
    expect_put(mnp_put_html, "\x01\xff", "\xef\xbf\xbd\xef\xbf\xbd");
    char text[2000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    char cut[1004];
    memset(cut, 'a', 1000);
    memcpy(cut + 1000, "\xe2\x80\xa6", 4);
    expect_put(mnp_put_html, text, cut);
}

static void markdown(void **state)
{
    (void)state;
    expect_put(mnp_put_markdown, "a|b\nc", "a\\|b c");
    expect_put(mnp_put_markdown, "<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;");
    expect_put(mnp_put_markdown, "[a](javascript:b) *c* `d`", "\\[a\\](javascript:b) \\*c\\* \\`d\\`");
    expect_put(mnp_put_markdown, "sgemm_nn _x_", "sgemm_nn \\_x\\_");
    expect_put(mnp_put_code, "plain", "`plain`");
    expect_put(mnp_put_code, "a`b``", "``` a`b`` ```");
    expect_put(mnp_put_code, "a\nb", "`a b`");
}

static void csv(void **state)
{
    (void)state;
    expect_put(mnp_put_csv, "plain", "plain");
    expect_put(mnp_put_csv, "a,\"b\"\nc", "\"a,\"\"b\"\"\nc\"");
}

static void shell(void **state)
{
    (void)state;
    expect_put(mnp_put_shell, "a/b-c.d=1", "a/b-c.d=1");
    expect_put(mnp_put_shell, "o'brien; $(rm x)", "'o'\\''brien; $(rm x)'");
    expect_put(mnp_put_shell, "", "''");
}

static void formats(void **state)
{
    (void)state;
    EXPECT_PRINT(mnp_print_text, "[\\x1b    ] [  ab] 100 %", "[%-8s] [%*.2s] 100 %%", "\033", 4, "abc");
    EXPECT_PRINT(mnp_print_text, "-5 18446744073709551615 ff 00042 -7 3", "%d %" PRIu64 " %x %05d %lld %zu", -5,
                 UINT64_MAX, 255, 42, -7ll, (size_t)3);
    EXPECT_PRINT(mnp_print_text, "+1.50   2.000 1e+10 x \\x0a", "%+.2f %7.*f %g %c %c", 1.5, 3, 2.0, 1e10, 'x', '\n');
    EXPECT_PRINT(mnp_print_text, "  7|7  |-1", "%3u|%-3u|%ld", 7u, 7u, -1l);
    EXPECT_PRINT(mnp_print_html, "<td>&lt;b&gt;<td>4", "<td>%s<td>%d", "<b>", 4);
    EXPECT_PRINT(mnp_print_markdown, "| a\\|b |", "| %s |", "a|b");
    EXPECT_PRINT(mnp_print_csv, "1,\"a,b\"", "%d,%s", 1, "a,b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal), cmocka_unit_test(html),  cmocka_unit_test(markdown),
        cmocka_unit_test(csv),      cmocka_unit_test(shell), cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
