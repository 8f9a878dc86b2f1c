/* SPDX-License-Identifier: BSD-3-Clause */
/* maniple-tracegen: each kind and version is read back, twice the same; bad arguments are refused with a remedy. */
#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Runs the program, whose path the environment gives; `output` receives what it says. Returns its exit status. */
static int run(char output[static 8192], const char *format, ...) __attribute__((format(printf, 2, 3)));

static int run(char output[static 8192], const char *format, ...)
{
    char command[2048], arguments[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "'%s' %s 2>&1", getenv("MANIPLE_TRACEGEN"), arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, 8191, pipe)] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void read_back(const struct folder *folder, struct totals *totals)
{
    char list[512];
    struct mnp_error error = {{0}};
    snprintf(list, sizeof list, "%s/kernelslist.g", folder->path);
    if (!read_trace(list, false, totals, &error))
        fail_msg("%s", error.text);
}

static const struct {
    const char *arguments_before, *arguments_behind;
    uint64_t kernels, ctas, records; /* records 0: any */
} cases[] = {
    {"vectoradd", "n=1000 threads=256", 1, 4, 0}, /* 31 whole warps, one of 8 lanes */
    {"vectoradd", "", 1, 64, 64 * 8 * 16},
    {"matmul", "n=32 tile=16", 1, 4, 0},
    {"matmul", "n=32 tile=8", 1, 16, 0},
    {"reduction", "n=1000", 1, 4, 0},
    {"chase", "", 1, 1, 5 + 1024 + 64 * 3},
    {"chase", "space=shared footprint=4KiB stride=64 order=leaping", 1, 1, 0},
    {"chase", "lanes=32 stride=8", 1, 1, 0},
    {"gather", "blocks=3 rounds=2", 1, 3, 0},
    {"gather", "blocks=3 rounds=2 addresses=list seed=7", 1, 3, 0},
    {"atomics", "op=red", 1, 16, 0},
    {"atomics", "op=atom targets=1", 1, 16, 0},
    {"atomics", "op=shared", 1, 16, 0},
    {"mix", "", 1, 8, 0},
    {"mix", "part=tensor", 1, 8, 0},
    {"fma", "rounds=2 threads=32", 1, 1, 4 + 2 * 35 + 1},
    {"fma", "rounds=2 dependent=1", 1, 1, 0},
    {"roofline", "fma=8 pairs=2 blocks=1 threads=32", 1, 1, 4 + 2 * (8 + 16) + 3 + 1},
    {"straightline", "length=65000", 1, 1, 65005},
    {"stream", "blocks=4 width=16", 1, 4, 0},
    {"stream", "blocks=4 addresses=deltas", 1, 4, 0},
    {"empty", "blocks=5 threads=40", 1, 5, 10},
    {"multi", "kernels=5 streams=2", 5, 80, 0},
};

static const char *const forms[] = {"",           "version=3",      "version=4",       "version=4 lineinfo=1",
                                    "lineinfo=1", "compress=gz",    "compress=xz",     "compress=zst",
                                    "arch=90",    "addresses=list", "addresses=deltas"};

static void test_kinds(void **state)
{
    const struct folder *folder = *state;
    char output[8192];
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct totals first = {0}, again;
        for (int round = 0; round < 2; round++) {
            if (run(output, "%s %s %s", cases[i].arguments_before, folder->path, cases[i].arguments_behind) != 0)
                fail_msg("%s: %s", cases[i].arguments_before, output);
            read_back(folder, round ? &again : &first);
        }
        assert_int_equal(first.kernels, cases[i].kernels);
        assert_int_equal(first.ctas, cases[i].ctas);
        assert_int_equal(first.digest, again.digest);
        if (cases[i].records)
            assert_int_equal(first.records, cases[i].records);
        char said[64];
        snprintf(said, sizeof said, " %lu warp instructions\n", (unsigned long)first.records);
        assert_non_null(strstr(output, said));
    }
}

/* The form of writing does not change what is read, but for the form of the addresses in the records. */
static void test_forms(void **state)
{
    const struct folder *folder = *state;
    char output[8192];
    struct totals first = {0};
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct totals totals;
        folder_write(folder, "kernel-1.traceg", "old", 3);
        assert_int_equal(run(output, "reduction %s n=500 %s", folder->path, forms[i]), 0);
        read_back(folder, &totals);
        if (i == 0)
            first = totals;
        assert_int_equal(totals.records, first.records);
        assert_int_equal(totals.threads, first.threads);
        assert_int_equal(totals.addresses, first.addresses);
        assert_int_equal(totals.sectors, first.sectors);
        if (!strstr(forms[i], "addresses"))
            assert_int_equal(totals.digest, first.digest);
        assert_int_equal(totals.architecture, strstr(forms[i], "arch=90") ? 90 : 80);
    }
}

static const struct {
    const char *arguments, *message;
} refused[] = {
    {"", "expected KIND FOLDER"},
    {"fma", "expected KIND FOLDER"},
    {"--no-such", "expected KIND FOLDER"},
    {"nosuch %s", "is no kind of trace; maniple-tracegen --list"},
    {"fma %s rounds", "expected key=value"},
    {"fma %s rounds=", "give a number from 1 to"},
    {"fma %s rounds=0", "rounds is 0; give a number from 1 to"},
    {"fma %s rounds=-1", "is negative; give a number from 1 to"},
    {"fma %s rounds=99999999999999999999", "give a number from 1 to"},
    {"fma %s nosuch=1", "is no parameter of this kind; use one of:"},
    {"fma %s threads=1025", "give a number from 1 to 1024"},
    {"fma %s compress=rar", "use one of none|gz|xz|zst"},
    {"fma %s version=3 lineinfo=1", "version 3 has no lines of the source; use"},
    {"matmul %s n=20", "is no multiple of tile"},
    {"chase %s space=shared footprint=1MiB", "use 48KiB or less"},
    {"fma /proc/nosuch", "cannot make this folder"},
    {"fma /dev/null", "is not a folder"},
};

static void test_refused(void **state)
{
    const struct folder *folder = *state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        char output[8192], arguments[512];
        const char *place = strstr(refused[i].arguments, "%s");
        snprintf(arguments, sizeof arguments, "%.*s%s%s",
                 place ? (int)(place - refused[i].arguments) : (int)strlen(refused[i].arguments), refused[i].arguments,
                 place ? folder->path : "", place ? place + 2 : "");
        assert_int_equal(run(output, "%s", arguments), MNP_EXIT_USER);
        if (!strstr(output, refused[i].message) || !strchr(output, ';'))
            fail_msg("'%s' gives: %s", arguments, output);
    }
}

static void test_help(void **state)
{
    (void)state;
    char output[8192];
    assert_int_equal(run(output, "--list"), 0);
    assert_non_null(strstr(output, "straightline"));
    assert_int_equal(run(output, "--help"), 0);
    assert_non_null(strstr(output, "usage: maniple-tracegen KIND FOLDER"));
    assert_int_equal(run(output, "--list >/dev/full"), MNP_EXIT_USER);
}

static int set_up(void **state)
{
    static struct folder folder;
    folder_make(&folder);
    *state = &folder;
    return getenv("MANIPLE_TRACEGEN") ? 0 : -1;
}

static int tear_down(void **state)
{
    folder_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_help)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
