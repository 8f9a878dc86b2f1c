/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong in a program compiled with -lineinfo (lines.cu) is told with the line of its source. */
#include "bench.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The line of lines.cu that ends with "mark: MARK". */
static unsigned line_of(const char *mark)
{
    struct mnp_error error = {{0}};
    char wanted[64];
    size_t length;
    char *text = mnp_read_file(LINES ".cu", 1 << 20, &length, &error);
    assert_non_null(text);
    snprintf(wanted, sizeof wanted, "// mark: %s\n", mark);
    const char *found = strstr(text, wanted);
    assert_non_null(found);
    unsigned line = 1;
    for (const char *p = text; p < found; p++)
        line += *p == '\n';
    free(text);
    return line;
}

static void expect(struct bench *bench, bool good, const char *text)
{
    assert_false(good);
    if (!strstr(bench->error.text, text))
        fail_msg("`%s` does not say `%s`", bench->error.text, text);
    bench->error.text[0] = 0;
}

static void test_lines(void **unused)
{
    (void)unused;
    struct bench bench;
    char text[200];
    bench_open(&bench, LINES ".ptx", NULL);
    uint64_t values = bench_buffer(&bench, NULL, 4096), out = bench_buffer(&bench, NULL, 4096);
    snprintf(text, sizeof text, "kernel outside(float const*, float*) at lines.cu:%u inlined at lines.cu:%u, block",
             line_of("inlined"), line_of("caller"));
    expect(&bench, BENCH_RUN(&bench, "_Z7outsidePKfPf", 1, 32, 0, &values, &out), text);
    snprintf(text, sizeof text, "at lines.cu:%u, block (0,0,0), thread (1,0,0): `st.global.u32`: a misaligned access",
             line_of("misaligned"));
    expect(&bench, BENCH_RUN(&bench, "_Z10misalignedPcPj", 1, 32, 0, &values, &out), text);
    snprintf(text, sizeof text, "kernel trapped(unsigned int const*) at lines.cu:%u, block", line_of("trap"));
    expect(&bench, BENCH_RUN(&bench, "_Z7trappedPKj", 1, 32, 0, &values), text);
    bench_close(&bench);
}

/* Reports of runs that do not go on name the lines where warps are; without time, that of the first warp. */
static void test_waits(void **unused)
{
    (void)unused;
    static const char *const lines[] = {"one", "two"};
    struct bench bench;
    char text[200];
    bench_open(&bench, LINES ".ptx", NULL);
    uint64_t flag = bench_buffer(&bench, NULL, 4096), out = bench_buffer(&bench, NULL, 4096);
    for (unsigned i = 0; i < (bench_timed() ? 2 : 1); i++) {
        snprintf(text, sizeof text, "kernel parted(unsigned int*) at lines.cu:%u", line_of(lines[i]));
        expect(&bench, BENCH_RUN(&bench, "_Z6partedPj", 1, 64, 0, &out), text);
    }
    snprintf(text, sizeof text, "at lines.cu:%u", line_of("poll"));
    expect(&bench, BENCH_RUN(&bench, "_Z7pollingPVjPj", 1, 32, 0, &flag, &out), text);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
