/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged traces: each ends in one message with the file, the line where one is to blame, and a remedy. */
#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ONE_BLOCK(LINES, INSTRUCTIONS) HEADER BLOCK("0,0,0", WARP("0", INSTRUCTIONS, LINES))
#define LDG(MEMORY)                    ONE_BLOCK("0000 ffffffff 1 R4 LDG.E 1 R2 " MEMORY "\n", "1")

static const struct damage {
    const char *text; /* of the kernel */
    int line;         /* 0: the message has none */
    const char *message;
} kernels[] = {
    /* headers */
    {"", 1, "the file ends inside the header"},
    {"\n", 1, "lacks grid dim or block dim"},
    {"-kernel name = x\n", 2, "the file ends inside the header"},
    {"hello\n\n", 1, "expected a header line"},
    {"-no value\n", 1, "expected a header line"},
    {"\x7f"
     "ELF\x02\x01\x01\n",
     1, "expected a header line"},
    {"-kernel name = x\n\n#BEGIN_TB\n", 2, "lacks grid dim or block dim"},
    {HEADER_OF("(1,1)", "(32,1,1)", "5"), 3, "expected dimensions as (x,y,z)"},
    {HEADER_OF("(1,1,1", "(32,1,1)", "5"), 3, "expected dimensions as (x,y,z)"},
    {HEADER_OF("(1,1,1)x", "(32,1,1)", "5"), 3, "expected dimensions as (x,y,z)"},
    {HEADER_OF("(-1,1,1)", "(32,1,1)", "5"), 3, "expected dimensions as (x,y,z)"},
    {HEADER_OF("(0,1,1)", "(32,1,1)", "5"), 3, "a dimension is zero or too large"},
    {HEADER_OF("(99999999999999999999999,1,1)", "(32,1,1)", "5"), 3, "a dimension is zero or too large"},
    {HEADER_OF("(2147483647,2147483647,2147483647)", "(32,1,1)", "5"), 3, "more blocks than 64 bits count"},
    {HEADER_OF("(1,1,1)", "(2048,1,1)", "5"), 4, "has more than 1024 threads"},
    {HEADER_OF("(1,1,1)", "(65536,65536,2147483647)", "5"), 4, "has more than 1024 threads"},
    {HEADER_OF("(1,1,1)", "(32,1,1)", "7"), 11, "tracer version 7 is not known"},
    {HEADER_OF("(1,1,1)", "(32,1,1)", "0"), 11, "tracer version 0 is not known"},
    {HEADER_OF("(1,1,1)", "(32,1,1)", "five"), 11, "is not a number in the range"},
    {HEADER, 15, "the file ends behind the header"},
    {HEADER "rubbish\n", 15, "expected #BEGIN_TB"},
    {HEADER "#END_TB\n", 16, "the file ends behind the header"},
    /* blocks */
    {HEADER "#BEGIN_TB\n\nthread block = 0,0,0\n", 15, "a thread block has no #END_TB"},
    {HEADER "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n0000 fff", 15, "a thread block has no #END_TB"},
    {HEADER "#BEGIN_TB\n#END_TB\n", 16, "expected 'thread block = x,y,z'"},
    {HEADER BLOCK("1,0,0", WARP("0", "1", EXIT_LINE)), 17, "expected 'thread block = x,y,z' inside the grid"},
    {HEADER BLOCK("0,0", WARP("0", "1", EXIT_LINE)), 17, "expected 'thread block = x,y,z' inside the grid"},
    {HEADER BLOCK("0,0,-1", WARP("0", "1", EXIT_LINE)), 17, "expected 'thread block = x,y,z' inside the grid"},
    {HEADER BLOCK("0,0,0", ""), 19, "warp 0 of the 1 of this thread block is missing"},
    {HEADER_OF("(1,1,1)", "(64,1,1)", "5") BLOCK("0,0,0", WARP("1", "1", EXIT_LINE)), 23, "warp 0 of the 2"},
    {HEADER_OF("(2,1,1)", "(32,1,1)", "5") BLOCK("0,0,0", WARP("0", "1", EXIT_LINE)), 23,
     "the file ends after 1 of the 2 thread blocks"},
    {HEADER_OF("(4294967,1000,1)", "(32,1,1)", "5") BLOCK("0,0,0", WARP("0", "1", EXIT_LINE)), 23,
     "the file ends after 1 of the 4294967000 thread blocks"},
    {HEADER_OF("(2,1,1)", "(32,1,1)", "5") BLOCK("0,0,0", WARP("0", "1", EXIT_LINE))
         BLOCK("0,0,0", WARP("0", "1", EXIT_LINE)),
     27, "this thread block was read before"},
    {HEADER BLOCK("0,0,0", WARP("0", "1", EXIT_LINE)) BLOCK("1,0,0", WARP("0", "1", EXIT_LINE)), 23,
     "has more thread blocks than the 1 of its grid"},
    {HEADER BLOCK("0,0,0", WARP("0", "1", EXIT_LINE)) "rubbish\n", 25, "expected #BEGIN_TB"},
    {HEADER_OF("(2,1,1)", "(32,1,1)", "5") "#BEGIN_TB\n\nthread block = 0,0,0\n\n" WARP("0", "1", EXIT_LINE)
         BLOCK("1,0,0", WARP("0", "1", EXIT_LINE)),
     23, "begins before the one before it has its #END_TB"},
    /* warps */
    {HEADER BLOCK("0,0,0", "insts = 1\nwarp = 0\n" EXIT_LINE "\n"), 19, "expected 'warp = n'"},
    {HEADER BLOCK("0,0,0", "warp = 0\n" EXIT_LINE "\n"), 20, "expected 'insts = n'"},
    {HEADER BLOCK("0,0,0", WARP("1", "1", EXIT_LINE)), 19, "a number that its block has no room for"},
    {HEADER BLOCK("0,0,0", WARP("-1", "1", EXIT_LINE)), 19, "expected 'warp = n'"},
    {HEADER BLOCK("0,0,0", WARP("99999999999999999999", "1", EXIT_LINE)), 19, "expected 'warp = n'"},
    {HEADER BLOCK("0,0,0", WARP("0", "1", EXIT_LINE) WARP("0", "1", EXIT_LINE)), 23, "a warp occurs twice"},
    {HEADER BLOCK("0,0,0", WARP("0", "2", EXIT_LINE)), 20, "the count of instructions does not match"},
    {HEADER BLOCK("0,0,0", WARP("0", "0", EXIT_LINE)), 20, "the count of instructions does not match"},
    {HEADER BLOCK("0,0,0", WARP("0", "9000000000000000000", EXIT_LINE)), 20, "the count of instructions does not"},
    {HEADER BLOCK("0,0,0", WARP("0", "1 2", EXIT_LINE)), 20, "expected 'insts = n'"},
    {HEADER BLOCK("0,0,0", WARP("0", "-1", EXIT_LINE)), 20, "expected 'insts = n'"},
    {HEADER_OF("(1,1,1)", "(48,1,1)", "5")
         BLOCK("0,0,0", WARP("0", "1", EXIT_LINE) WARP("1", "1", EXIT_LINE)), 23, "lanes beyond the last thread"},
    {HEADER_OF("(1,1,1)", "(8,2,1)", "5") BLOCK("0,0,0", WARP("0", "1", "0000 00010000 0 EXIT 0 0 0 \n")), 19,
     "lanes beyond the last thread"},
    /* instructions */
    {ONE_BLOCK("zzzz ffffffff 0 EXIT 0 0 0 \n", "1"), 21, "expected an instruction 'PC mask"},
    {ONE_BLOCK("0000 fffffffff 0 EXIT 0 0 0 \n", "1"), 21, "expected an instruction 'PC mask"},
    {ONE_BLOCK("0000\n", "1"), 21, "expected an instruction 'PC mask"},
    {ONE_BLOCK("\x01\x02\xff\xfe\n", "1"), 21, "expected an instruction 'PC mask"},
    {ONE_BLOCK("100000000 ffffffff 0 EXIT 0 0 0 \n", "1"), 21, "a PC is 4 GiB or more into the kernel"},
    {ONE_BLOCK("fffffffffffffff0 ffffffff 0 EXIT 0 0 0 \n", "1"), 21, "a PC is 4 GiB or more into the kernel"},
    {ONE_BLOCK("0000 ffffffff EXIT 0 0 0 \n", "1"), 21, "expected 'n [destinations] opcode n [sources] width'"},
    {ONE_BLOCK("0000 ffffffff 0 EXIT\n", "1"), 21, "expected 'n [destinations] opcode n [sources] width'"},
    {ONE_BLOCK("0000 ffffffff 1 R300 MOV 0 0 0 \n", "1"), 21, "expected 'n [destinations] opcode n"},
    {ONE_BLOCK("0000 ffffffff 0 EXIT 0\n", "1"), 21, "expected 'n [destinations] opcode n [sources] width'"},
    {ONE_BLOCK("0000 ffffffff 0 EXIT 0 -4 0\n", "1"), 21, "expected a memory width"},
    {ONE_BLOCK("0000 ffffffff 0 EXIT 0 0 0 7 \n", "1"), 21, "more numbers than one behind"},
    {ONE_BLOCK(EXIT_LINE "0000 ffffffff 0 BRA 0\n", "2"), 22, "expected 'n [destinations] opcode n"},
    {ONE_BLOCK("0000 ffffffff 0 NOSUCH.X 0 0 0 \n", "1"), 21, "opcode NOSUCH.X is not known; use --unknown=alu"},
    /* addresses */
    {LDG("4"), 21, "expected a memory width, and addresses"},
    {LDG("4 3 0x100 4 0 "), 21, "expected a memory width, and addresses"},
    {LDG("4 1 0x100"), 21, "expected a memory width, and addresses"},
    {LDG("4 1 zz 4 0 "), 21, "expected a memory width, and addresses"},
    {LDG("4 1 0x11112222333344445 4 0 "), 21, "expected a memory width, and addresses"},
    {LDG("4 0 0x100 0x104 0 "), 21, "expected a memory width, and addresses"},
    {LDG("4 2 0x100 4 4 4 "), 21, "expected a memory width, and addresses"},
    {LDG("4 1 0x100 4 0 0 0 "), 21, "more numbers than one behind"},
    {LDG("99999999999 1 0x100 4 0 "), 21, "expected a memory width"},
};

/* The message must begin with the file and line, say what is expected, and have a remedy behind a semicolon. */
static void check_message(const struct mnp_error *error, const char *path, int line, const char *message)
{
    char start[600];
    if (line)
        snprintf(start, sizeof start, "%s:%d: ", path, line);
    else
        snprintf(start, sizeof start, "%s: ", path);
    if (strncmp(error->text, start, strlen(start)) != 0 || !strstr(error->text, message) || !strchr(error->text, ';'))
        fail_msg("expected '%s… %s…; …' but got '%s'", start, message, error->text);
}

static void test_kernels(void **state)
{
    const struct folder *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/kernel-1.traceg", folder->path);
    for (size_t i = 0; i < COUNT(kernels); i++) {
        struct mnp_error error = {{0}};
        struct totals totals;
        if (read_trace(folder_write_kernel(folder, kernels[i].text), false, &totals, &error))
            fail_msg("case %zu (%s) was accepted", i, kernels[i].message);
        check_message(&error, path, kernels[i].line, kernels[i].message);
    }
}

/* Every piece of a good trace that begins at its start, or lacks one line, is refused or read, but never a crash. */
static void test_pieces(void **state)
{
    const struct folder *folder = *state;
    static const char good[] =
        HEADER_OF("(2,1,1)", "(64,1,1)", "5") BLOCK("0,0,0", WARP("0", "1", EXIT_LINE) WARP("1", "1", EXIT_LINE))
            BLOCK("1,0,0", WARP("0", "1", EXIT_LINE) WARP("1", "1", EXIT_LINE));
    struct totals totals;
    struct mnp_error error = {{0}};
    if (!read_trace(folder_write_kernel(folder, good), false, &totals, &error))
        fail_msg("%s", error.text);
    assert_int_equal(totals.records, 4);
    const char *last = strstr(strstr(good, "#END_TB") + 1, "#END_TB") + strlen("#END_TB");
    for (size_t length = 0; length < (size_t)(last - good); length++) {
        char piece[sizeof good];
        snprintf(piece, sizeof piece, "%.*s", (int)length, good);
        error.text[0] = 0;
        assert_false(read_trace(folder_write_kernel(folder, piece), false, &totals, &error));
        assert_non_null(strchr(error.text, ';'));
    }
}

static void test_unknown_as_alu(void **state)
{
    const struct folder *folder = *state;
    struct mnp_error error = {{0}};
    struct totals totals;
    const char *text = ONE_BLOCK("0000 ffffffff 1 R4 NOSUCH.X 1 R2 4 1 0x100 4 0 \n0010 ffffffff 0 EXIT 0 0 0 \n"
                                 "0000 ffffffff 1 R4 NOSUCH.X 1 R2 4 1 0x100 4 0 \n",
                                 "3");
    assert_true(read_trace(folder_write_kernel(folder, text), true, &totals, &error));
    assert_int_equal(totals.records, 3);
    assert_int_equal(totals.unknown, 2);
    assert_int_equal(totals.addresses, 0);
}

/* ===== lists ===== */

static const struct {
    const char *text;
    int line;
    const char *message;
} lists[] = {
    {"", 0, "names no kernel"},
    {"\n\n", 0, "names no kernel"},
    {"MemcpyHtoD,0x100,64\n", 0, "names no kernel"},
    {"kernel-1.traceg\nkernel-2.traceg\n", 2, "names 'kernel-2.traceg', which cannot be read: No such file"},
    {"MemcpyHtoD\nkernel-1.traceg\n", 1, "expected MemcpyHtoD,ADDRESS,BYTES"},
    {"MemcpyHtoD,0x100\n", 1, "expected MemcpyHtoD,ADDRESS,BYTES"},
    {"MemcpyHtoD,zz,4\n", 1, "expected MemcpyHtoD,ADDRESS,BYTES"},
    {"MemcpyHtoD,0x100,-4\n", 1, "expected MemcpyHtoD,ADDRESS,BYTES"},
    {"MemcpyHtoD,0x100,99999999999999999999999\n", 1, "expected MemcpyHtoD,ADDRESS,BYTES"},
    {"kernel-1.traceg\n\x01\x02\x03\n", 2, "is no text line of a list"},
};

static void test_lists(void **state)
{
    const struct folder *folder = *state;
    folder_write_kernel(folder, ONE_BLOCK(EXIT_LINE, "1"));
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct mnp_error error = {{0}};
        struct totals totals;
        const char *path = folder_write(folder, "kernelslist.g", lists[i].text, strlen(lists[i].text));
        assert_false(read_trace(path, false, &totals, &error));
        check_message(&error, path, lists[i].line, lists[i].message);
    }
    struct mnp_error error = {{0}};
    struct totals totals;
    const char *path = folder_write(folder, "kernelslist.g", "kernel-1.traceg\n\0\n", 18);
    assert_false(read_trace(path, false, &totals, &error));
    check_message(&error, path, 2, "holds a zero byte");
    error.text[0] = 0;
    assert_false(read_trace("/nonexistent/kernelslist.g", false, &totals, &error));
    assert_non_null(strstr(error.text, "cannot be opened"));
    error.text[0] = 0;
    assert_false(read_trace(folder->path, false, &totals, &error));
    assert_non_null(strstr(error.text, "is a folder"));
}

/* ===== memory ===== */

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* An endless line must not be gathered, in the header or in a block, of any content. */
static void test_endless_lines(void **state)
{
    const struct folder *folder = *state;
    enum { ENDLESS = 64 << 20 };
    static const char *const starts[] = {"", HEADER, HEADER "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n"};
    char *text = malloc(ENDLESS + 1);
    assert_non_null(text);
    for (size_t i = 0; i < 2 * COUNT(starts); i++) {
        memset(text, i % 2 ? '#' : 'x', ENDLESS);
        text[ENDLESS] = 0;
        memcpy(text, starts[i / 2], strlen(starts[i / 2]));
        struct mnp_error error = {{0}};
        struct totals totals;
        const char *list = folder_write_kernel(folder, text);
        long before = peak_kilobytes();
        assert_false(read_trace(list, false, &totals, &error));
        if (!strstr(error.text, "a line is longer than 64 KiB") || !strchr(error.text, ';'))
            fail_msg("%s", error.text);
        assert_true(peak_kilobytes() - before < 16 << 10);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_unknown_as_alu), cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_endless_lines)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
