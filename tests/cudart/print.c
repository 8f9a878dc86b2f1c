/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device printf against CUDA's guide: formats and arguments, what is printed, and what the call returns. The program
 * makes PTX for each row, whose kernel prints it, and writes what it expects to a file; who runs it compares.
 */
#include "maniple/driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 10, TEXT = 16 * 1024 };

struct argument {
    char kind; /* w: a word, l: 8 bytes, d: a double, s: a string; 0: no more */
    int64_t value;
    double real;
    const char *string; /* NULL: a null pointer */
};

struct row {
    const char *format; /* NULL: a null pointer */
    const char *expected;
    int result;
    struct argument arguments[ARGUMENTS];
    int many; /* words 0, 1, 2 … in place of the arguments */
};

#define W(v)                                                                                                           \
    {                                                                                                                  \
        'w', (int64_t)(v), 0, NULL                                                                                     \
    }
#define L(v)                                                                                                           \
    {                                                                                                                  \
        'l', (int64_t)(v), 0, NULL                                                                                     \
    }
#define D(v)                                                                                                           \
    {                                                                                                                  \
        'd', 0, v, NULL                                                                                                \
    }
#define S(v)                                                                                                           \
    {                                                                                                                  \
        's', 0, 0, v                                                                                                   \
    }
#define TEN "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,"

static const struct row rows[] = {
    {"plain\n", "plain\n", 0, {{0}}, 0},
    {"", "", 0, {{0}}, 0},
    {NULL, "", -1, {{0}}, 0},
    {"%%|%5d|%-5d|%05d|%+d|% d\n", "%|   42|42   |00042|+42| 42\n", 5, {W(42), W(42), W(42), W(42), W(42)}, 0},
    {"%x|%#X|%o|%#o|%i|%u\n",
     "ff|0XFF|10|010|-1|4000000000\n",
     6,
     {W(255), W(255), W(8), W(8), W(-1), W(4000000000u)},
     0},
    {"%hd|%hhd|%hu|%hx|%hhx|%+5hd\n",
     "4464|44|4464|1170|2c|  -42\n",
     6,
     {W(70000), W(300), W(70000), W(70000), W(300), W(-42)},
     0},
    {"%ld|%lld|%llu|%llx|%lu|%zu|%016llx\n",
     "-7|-5000000000|18446744073709551615|123456789abcdef|3|9|000000000000002a\n",
     7,
     {L(-7), L(-5000000000), L(-1), L(0x123456789abcdef), L(3), L(9), L(42)},
     0},
    {"%f|%e|%g|%a|%.3f|%10.2f|%-10.2f|%G\n",
     "1.500000|1.234568e+04|0.0001|0x1p+0|0.667|      3.14|3.14      |1E+20\n",
     8,
     {D(1.5), D(12345.678), D(0.0001), D(1), D(2.0 / 3), D(3.14159), D(3.14159), D(1e20)},
     0},
    {"%f %F %E %A|%+.0f|%#.0f|%06.1f\n",
     "inf INF -INF 0X1.8P+1|+2|2.|0002.5\n",
     7,
     {D(INFINITY), D(INFINITY), D(-INFINITY), D(3), D(2), D(2), D(2.5)},
     0},
    {"%s|%10s|%-10s|%.2s|%8.2s|%.0s|\n",
     "abc|       abc|abc       |ab|      ab||\n",
     6,
     {S("abc"), S("abc"), S("abc"), S("abc"), S("abc"), S("abc")},
     0},
    {"%s|%d|%10s|\n", "(null)|1|    (null)|\n", 3, {S(NULL), W(1), S(NULL)}, 0},
    {"%c%5c|%-3c|\n", "q    r|s  |\n", 3, {W('q'), W('r'), W('s')}, 0},
    {"%p|%20p|\n", "0x1234|              0x1234|\n", 2, {L(0x1234), L(0x1234)}, 0},
    {"%d %f %d %s %lld\n", "1 2.500000 3 x 4\n", 5, {W(1), D(2.5), W(3), S("x"), L(4)}, 0},
    {"%*d|%-*d|%.*s|%*.*f|\n",
     "    11|12  |abc|   2.50|\n",
     9,
     {W(6), W(11), W(4), W(12), W(3), S("abcdef"), W(7), W(2), D(2.5)},
     0},
    {"%*d|%.*f|\n", "7   |2.500000|\n", 4, {W(-4), W(7), W(-1), D(2.5)}, 0},
    {"%300d|%.70d\n",
     "                                                                                                                "
     "                                                                                                                "
     "                                                                           7|"
     "0000000000000000000000000000000000000000000000000000000000000000000008\n",
     2,
     {W(7), W(8)},
     0},
    {"%d %y %n %5! %d\n", "5 %y %n %5! 6\n", 2, {W(5), W(6)}, 0},
    {"%d 50%", "5 50%", 1, {W(5)}, 0},
    {"\n%-+ #0d|\n", "\n+5|\n", 1, {W(5)}, 0},
    {TEN TEN TEN "%d,%d,%-5.3hd,%d|\n",
     "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,%-5.3hd,%d|\n",
     32,
     {{0}},
     34},
    {TEN TEN TEN "%d,%*d|\n",
     "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,%*d|\n",
     32,
     {{0}},
     34},
};

static void add_text(char *ptx, const char *name, const char *text)
{
    size_t length = strlen(text) + 1;
    sprintf(ptx + strlen(ptx), ".global .align 1 .b8 %s[%zu] = {", name, length);
    for (size_t i = 0; i < length; i++)
        sprintf(ptx + strlen(ptx), "%s%d", i ? "," : "", (unsigned char)text[i]);
    strcat(ptx, "};\n");
}

/* Puts an argument into the block at the next place for its size; returns the place behind it. */
static unsigned add_argument(char *ptx, unsigned place, unsigned number, const struct argument *a)
{
    unsigned bytes = a->kind == 'w' ? 4 : 8;
    uint64_t bits = (uint64_t)a->value;
    char *end = ptx + strlen(ptx);
    place = (place + bytes - 1) / bytes * bytes;
    if (a->kind == 'd')
        memcpy(&bits, &a->real, 8);
    if (a->kind == 's' && a->string)
        sprintf(end, "mov.u64 d1,text%u; cvta.global.u64 d1,d1; st.local.u64 [block+%u],d1;\n", number, place);
    else if (bytes == 8)
        sprintf(end, "mov.b64 d1,0x%" PRIx64 "; st.local.b64 [block+%u],d1;\n", bits, place);
    else
        sprintf(end, "mov.b32 r1,0x%x; st.local.b32 [block+%u],r1;\n", (unsigned)bits, place);
    return place + bytes;
}

static void make(char *ptx, const struct row *row)
{
    unsigned place = 0;
    char name[16];
    strcpy(ptx, ".version 7.8\n.target sm_70\n.address_size 64\n"
                ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");
    add_text(ptx, "format", row->format ? row->format : "");
    for (unsigned i = 0; i < ARGUMENTS; i++)
        if (row->arguments[i].string) {
            sprintf(name, "text%u", i);
            add_text(ptx, name, row->arguments[i].string);
        }
    strcat(ptx, ".visible .entry print(.param .u64 out)\n{\n.local .align 8 .b8 block[512];\n.reg .b64 d<4>; .reg .b32 "
                "r<3>;\n");
    for (unsigned i = 0; i < ARGUMENTS && row->arguments[i].kind; i++)
        place = add_argument(ptx, place, i, &row->arguments[i]);
    for (int i = 0; i < row->many; i++)
        place = add_argument(ptx, place, 0, &(struct argument)W(i));
    strcat(ptx, row->format ? "mov.u64 d2,format; cvta.global.u64 d2,d2;\n" : "mov.u64 d2,0;\n");
    strcat(ptx, "mov.u64 d3,block; cvta.local.u64 d3,d3;\n"
                "{\n.param .b64 q0; .param .b64 q1; .param .b32 q2;\nst.param.b64 [q0],d2; st.param.b64 [q1],d3;\n"
                "call.uni (q2),vprintf,(q0,q1);\nld.param.b32 r2,[q2];\n}\n"
                "ld.param.u64 d1,[out]; st.global.u32 [d1],r2;\nret;\n}\n");
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUdeviceptr out;
    FILE *expected = argc > 1 ? fopen(argv[1], "w") : NULL;
    char *ptx = malloc(TEXT);
    int wrong = 0;
    if (!expected || !ptx || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuMemAlloc(&out, 4))
        return puts("the beginning is wrong"), 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CUmodule module;
        CUfunction kernel;
        void *arguments[] = {&out};
        int got = -9;
        make(ptx, &rows[i]);
        if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&kernel, module, "print") ||
            cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) || cuMemcpyDtoH(&got, out, 4) ||
            got != rows[i].result) {
            fprintf(stderr, "row %zu: %d, expected %d\n", i, got, rows[i].result);
            wrong = 1;
        }
        fputs(rows[i].expected, expected);
    }
    free(ptx);
    return fclose(expected) != 0 || wrong;
}
