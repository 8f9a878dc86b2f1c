/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions an assembler makes of PTX (select.h, sequence.h): random programs leave the same memory whether
 * their operations are fused or not, and small kernels become the instructions that ptxas 13.0 makes of them.
 */
#include "bench.h"

#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/operations/sequences.h"
#include "frontend/ptx/time/sass_name.h"
#include "frontend/ptx/time/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 8, LARGES = 6, PREDICATES = 4, SCOPE = 64, DEPTH = 3, THREADS = 64 };
enum { OUT_BYTES = WORDS * 4 + LARGES * 8 };

static void open_device(struct bench *bench, const char *text, bool plain, bool keeps_order)
{
    memset(bench, 0, sizeof *bench);
    execute_device_init(&bench->device, 4096, open_memstream(&bench->printed, &bench->printed_size));
    bench->device.plain = plain;
    bench->device.keeps_order = true;
    bench->device.keeps_order = keeps_order;
    if (!ptx_program_load(&bench->program, &bench->device, "test.ptx", text, strlen(text), &bench->error))
        fail_msg("%s\n%s", bench->error.text, text);
}

/* ===== random programs ===== */

/* Registers that hold something everywhere, w0 … and l0 …, and those that one statement has written, which are read in
 * its block alone: v1, v2, … of 32 bits, m1, m2, … of 64. */
struct writer {
    FILE *out;
    uint64_t state;
    uint32_t small[SCOPE], large[SCOPE], predicate[SCOPE]; /* numbers of those that can be read */
    uint32_t smalls, larges, predicates;
    uint32_t next, labels;
};

static uint32_t below(struct writer *w, uint32_t limit)
{
    return (uint32_t)(bench_random(&w->state) >> 20) % limit;
}

static const char *small_source(struct writer *w, char text[24])
{
    static const char *const constants[] = {"1", "2", "-1", "12", "255", "0x80000000", "0x7fffffff", "4"};
    uint32_t kind = below(w, 8);
    if (kind < 4 && w->smalls)
        snprintf(text, 24, "%%v%u", w->small[w->smalls - 1 - below(w, w->smalls < 6 ? w->smalls : 6)]);
    else if (kind == 4)
        snprintf(text, 24, "%s", constants[below(w, 8)]);
    else
        snprintf(text, 24, "%%w%u", below(w, WORDS));
    return text;
}

static const char *large_source(struct writer *w, char text[24])
{
    uint32_t kind = below(w, 8);
    if (kind < 4 && w->larges)
        snprintf(text, 24, "%%m%u", w->large[w->larges - 1 - below(w, w->larges < 6 ? w->larges : 6)]);
    else if (kind == 4)
        snprintf(text, 24, "%d", (int)below(w, 64) - 8);
    else
        snprintf(text, 24, "%%l%u", below(w, LARGES));
    return text;
}

static const char *predicate_source(struct writer *w, char text[24])
{
    if (below(w, 2) && w->predicates)
        snprintf(text, 24, "%%q%u", w->predicate[w->predicates - 1 - below(w, w->predicates < 4 ? w->predicates : 4)]);
    else
        snprintf(text, 24, "%%p%u", below(w, PREDICATES));
    return text;
}

/* A new register, or one of those that hold something; `guarded`: the latter. */
static const char *result(struct writer *w, char kind, bool guarded, char text[24])
{
    uint32_t *list = kind == 's' ? w->small : kind == 'l' ? w->large : w->predicate;
    uint32_t *count = kind == 's' ? &w->smalls : kind == 'l' ? &w->larges : &w->predicates;
    if (guarded || *count == SCOPE || !below(w, 3)) {
        snprintf(text, 24, "%%%c%u",
                 kind == 's'   ? 'w'
                 : kind == 'l' ? 'l'
                               : 'p',
                 below(w, kind == 's'   ? WORDS
                          : kind == 'l' ? LARGES
                                        : PREDICATES));
    } else {
        snprintf(text, 24, "%%%c%u", kind == 's' ? 'v' : kind == 'l' ? 'm' : 'q', w->next);
        list[(*count)++] = w->next++;
    }
    return text;
}

/* Results, then sources: s: 32 bits, l: 64 bits, p: a predicate, c: a shift. */
static const struct form {
    const char *opcode, *operands;
} forms[] = {
    {"mov.u32", "s s"},       {"mov.b64", "l l"},      {"cvta.to.global.u64", "l l"},
    {"add.s32", "s ss"},      {"add.s32", "s ss"},     {"add.s64", "l ll"},
    {"add.s64", "l ll"},      {"add.u64", "l ll"},     {"sub.s32", "s ss"},
    {"mul.lo.s32", "s ss"},   {"mul.lo.s64", "l ll"},  {"mul.wide.s32", "l ss"},
    {"mul.wide.u32", "l ss"}, {"mad.lo.s32", "s sss"}, {"shl.b32", "s sc"},
    {"shl.b64", "l lc"},      {"shr.u64", "l lc"},     {"and.b32", "s ss"},
    {"or.b32", "s ss"},       {"xor.b32", "s ss"},     {"not.b32", "s s"},
    {"and.b64", "l ll"},      {"cvt.s64.s32", "l s"},  {"cvt.u64.u32", "l s"},
    {"cvt.u32.u64", "s l"},   {"setp.lt.s32", "p ss"}, {"setp.ge.u32", "p ss"},
    {"setp.ne.s64", "p ll"},  {"and.pred", "p pp"},    {"or.pred", "p pp"},
    {"xor.pred", "p pp"},     {"not.pred", "p p"},     {"mov.pred", "p p"},
    {"selp.b32", "s ssp"},    {"selp.b64", "l llp"},   {"min.s64", "l ll"},
    {"div.s32", "s ss"},      {"rem.u64", "l ll"},     {"mov.u32", "s t"},
};

static void write_statement(struct writer *w)
{
    const struct form *form = &forms[below(w, sizeof forms / sizeof *forms)];
    char text[24], sources[4][24], guard[24];
    uint32_t count = 0;
    for (const char *at = form->operands + 2; *at; at++, count++) {
        char *to = sources[count];
        if (*at == 's')
            small_source(w, to);
        else if (*at == 'l')
            large_source(w, to);
        else if (*at == 'p')
            predicate_source(w, to);
        else
            snprintf(to, 24, "%s", *at == 't' ? (below(w, 2) ? "%tid.x" : "%ntid.x") : "");
        if (*at == 'c')
            snprintf(to, 24, "%u", below(w, 66));
    }
    bool guarded = !below(w, 5);
    if (guarded)
        fprintf(w->out, "@%s%s ", below(w, 2) ? "!" : "", predicate_source(w, guard));
    fprintf(w->out, "%s %s", form->opcode, result(w, form->operands[0], guarded, text));
    for (uint32_t i = 0; i < count; i++)
        fprintf(w->out, ", %s", sources[i]);
    fputs(";\n", w->out);
}

static void write_block(struct writer *w, uint32_t depth);

/* An if, an if with else, or a loop of a few rounds, in which %c takes a value from each round into the next. */
static void write_region(struct writer *w, uint32_t depth)
{
    uint32_t label = w->labels++, smalls = w->smalls, larges = w->larges, predicates = w->predicates;
    char text[24];
    uint32_t kind = below(w, 3);
    if (kind == 0) { /* a branch around a block, or over a branch as compilers write it */
        bool over = below(w, 2);
        fprintf(w->out, "@%s%s bra %c%u;\n", over ? "!" : "", predicate_source(w, text), over ? 'M' : 'L', label);
        if (over)
            fprintf(w->out, "bra L%u;\nM%u:\n", label, label);
        write_block(w, depth + 1);
        fprintf(w->out, "L%u:\n", label);
    } else if (kind == 1) {
        fprintf(w->out, "@%s bra M%u;\n", predicate_source(w, text), label);
        write_block(w, depth + 1);
        w->smalls = smalls;
        w->larges = larges;
        w->predicates = predicates;
        fprintf(w->out, "bra L%u;\nM%u:\n", label, label);
        write_block(w, depth + 1);
        fprintf(w->out, "L%u:\n", label);
    } else {
        uint32_t word = below(w, WORDS);
        fprintf(w->out, "mov.u32 %%n%u, 0;\nL%u:\n", label, label);
        write_block(w, depth + 1);
        fprintf(w->out, "setp.gt.s32 %%t%u, %%n%u, 0;\n@%%t%u add.s32 %%w%u, %%w%u, %%c%u;\n", label, label, label,
                word, word, label);
        fprintf(w->out, "mov.u32 %%c%u, %s;\n", label, small_source(w, text));
        fprintf(w->out, "add.s32 %%n%u, %%n%u, 1;\nsetp.lt.s32 %%t%u, %%n%u, %u;\n@%%t%u bra L%u;\n", label, label,
                label, label, 1 + below(w, 3), label, label);
    }
    w->smalls = smalls;
    w->larges = larges;
    w->predicates = predicates;
}

static void write_block(struct writer *w, uint32_t depth)
{
    for (uint32_t i = 4 + below(w, 10); i > 0; i--) {
        if (depth < DEPTH && !below(w, 6))
            write_region(w, depth);
        else
            write_statement(w);
    }
}

static char *random_program(uint64_t seed)
{
    char *text, *body, address[24];
    size_t length;
    struct writer w = {.state = seed, .next = 1};
    w.out = open_memstream(&body, &length);
    write_block(&w, 0);
    write_block(&w, 0);
    fprintf(w.out, "@%s ret;\n", predicate_source(&w, address)); /* these lanes leave nothing */
    for (uint32_t i = 0; i < WORDS; i++)
        fprintf(w.out, "st.global.b32 [%%at+%u], %%w%u;\n", 4 * i, i);
    for (uint32_t i = 0; i < LARGES; i++)
        fprintf(w.out, "st.global.b64 [%%at+%u], %%l%u;\n", WORDS * 4 + 8 * i, i);
    fclose(w.out);
    FILE *out = open_memstream(&text, &length);
    fprintf(
        out,
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%w<%u>, %%v<%u>, %%n<%u>, %%c<%u>, %%lane; .reg .b64 %%l<%u>, %%m<%u>, %%at; .reg .pred %%p<%u>, "
        "%%q<%u>, %%t<%u>;\nmov.u32 %%lane, %%tid.x;\nld.param.u64 %%at, [p];\nmad.wide.u32 %%at, %%lane, %u, "
        "%%at;\n",
        WORDS, w.next, w.labels + 1, w.labels + 1, LARGES, w.next, PREDICATES, w.next, w.labels + 1, OUT_BYTES);
    for (uint32_t i = 0; i < WORDS; i++)
        fprintf(out, "ld.global.b32 %%w%u, [%%at+%u];\n", i, 4 * i);
    for (uint32_t i = 0; i < LARGES; i++)
        fprintf(out, "ld.global.b64 %%l%u, [%%at+%u];\n", i, WORDS * 4 + 8 * i);
    for (uint32_t i = 0; i < PREDICATES; i++)
        fprintf(out, "setp.lt.s32 %%p%u, %%w%u, %%lane;\n", i, i);
    fprintf(out, "%sret;\n}\n", body);
    fclose(out);
    free(body);
    return text;
}

/* Runs it; returns how many operations it has executed. */
static uint64_t run_program(const char *text, bool plain, unsigned char memory[THREADS * OUT_BYTES])
{
    struct bench bench;
    uint64_t state = 7;
    open_device(&bench, text, plain, plain);
    for (uint32_t i = 0; i < THREADS * OUT_BYTES; i++)
        memory[i] = (unsigned char)bench_random(&state) & (i % 4 == 1 && i % 3 ? 0 : 255);
    uint64_t buffer = bench_buffer(&bench, memory, THREADS * OUT_BYTES);
    if (!BENCH_RUN(&bench, "k", 1, THREADS, 0, &buffer))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, buffer, memory, THREADS * OUT_BYTES);
    uint64_t steps = bench.device.steps;
    bench_close(&bench);
    return steps;
}

static void leaves_memory_alike(void **state)
{
    (void)state;
    static unsigned char memories[2][THREADS * OUT_BYTES];
    uint64_t fewer = 0, runs = 400;
    for (uint64_t seed = 1; seed <= runs; seed++) {
        char *text = random_program(seed);
        uint64_t plain = run_program(text, true, memories[0]), selected = run_program(text, false, memories[1]);
        for (uint32_t i = 0; i < THREADS * OUT_BYTES; i++)
            if (memories[0][i] != memories[1][i])
                fail_msg("program %lu: byte %u of thread %u differs\n%s", (unsigned long)seed, i % OUT_BYTES,
                         i / OUT_BYTES, text);
        fewer += selected != plain;
        free(text);
    }
    assert_true(fewer > runs * 9 / 10); /* there was something to do */
}

/* ===== instructions ===== */

static void instructions(const char *body, char names[1024])
{
    struct bench bench;
    char text[4096];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 q)\n{\n"
             ".reg .b32 %%r<16>; .reg .b64 %%d<16>; .reg .f32 %%f<8>; .reg .pred %%p<8>;\n"
             "ld.param.u64 %%d0, [p];\ncvta.to.global.u64 %%d1, %%d0;\nld.param.u32 %%r0, [q];\n%s}\n",
             body);
    open_device(&bench, text, false, true);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code)
        fail_msg("%s", bench.error.text);
    struct mnp_static_instruction *timing = ptx_timing_instructions(code);
    size_t used = 0;
    names[0] = 0;
    for (uint32_t i = 0; i < code->ops.count; i++) {
        char name[EXECUTE_TRACE_NAME];
        ptx_sass_name(code, execute_op_at(code, i), &timing[i], name);
        if (strncmp(name, "LDC", 3) != 0)
            used += (size_t)snprintf(names + used, 1024 - used, "%s%s", used ? " " : "", name);
    }
    if (used > 10 && strcmp(names + used - 10, " EXIT EXIT") == 0) /* the function's end, which is never reached */
        names[used - 5] = 0;
    free(timing);
    bench_close(&bench);
}

/* The instructions of ptxas -arch=sm_90, without parameters, unrolling, and predicates in place of branches;
 * LEA.HI.X.SX32 counts as IADD3.X. */
static void becomes_machine_code(void **state)
{
    (void)state;
    static const struct {
        const char *body, *names;
    } rows[] = {
        /* an element of an array, by the thread's number */
        {"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;"
         "mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; ld.global.f32 %f1, [%d3]; add.f32 %f2, %f1, %f1;"
         "st.global.f32 [%d3], %f2; ret;\n",
         "S2R S2R IMAD IMAD.WIDE LDG.E FADD STG.E EXIT"},
        /* the same product into two sums */
        {"mul.wide.s32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; add.s64 %d4, %d3, %d2; ld.global.f32 %f1, [%d3];"
         "st.global.f32 [%d4], %f1; ret;\n",
         "IMAD.WIDE IMAD.WIDE LDG.E STG.E EXIT"},
        {"cvt.s64.s32 %d2, %r0; shl.b64 %d3, %d2, 3; add.s64 %d4, %d1, %d3; st.global.b32 [%d4], %r0; ret;\n",
         "SHF.R.S32.HI LEA LEA.HI.X STG.E EXIT"},
        {"cvt.u64.u32 %d2, %r0; shl.b64 %d3, %d2, 3; add.s64 %d4, %d1, %d3; st.global.b32 [%d4], %r0; ret;\n",
         "LEA LEA.HI.X STG.E EXIT"},
        {"cvt.s64.s32 %d2, %r0; add.s64 %d3, %d1, %d2; st.global.b32 [%d3], %r0; ret;\n", "IADD3 IADD3.X STG.E EXIT"},
        {"ld.global.b32 %r1, [%d1]; mul.wide.u32 %d2, %r1, %r1; st.global.b64 [%d1+8], %d2; add.s64 %d3, %d2, %d1;"
         "st.global.b64 [%d1], %d3; ret;\n",
         "LDG.E IMAD.WIDE STG.E.64 IADD3 IADD3.X STG.E.64 EXIT"},
        /* 64 bits that are no product */
        {"ld.global.b64 %d2, [%d1]; ld.global.b64 %d3, [%d1+8]; add.s64 %d4, %d2, %d3; st.global.b64 [%d1], %d4; "
         "ret;\n",
         "LDG.E.64 LDG.E.64 IADD3 IADD3.X STG.E.64 EXIT"},
        /* conditions, a guard, and what nobody reads */
        {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; setp.ge.s32 %p1, %r1, %r0; setp.lt.s32 %p2, %r2, 1;"
         "or.pred %p3, %p1, %p2; mul.lo.s32 %r7, %r1, %r2; @%p3 bra out; st.global.b32 [%d1], %r1; out: ret;\n",
         "S2R S2R ISETP ISETP EXIT STG.E EXIT"},
        {"ld.global.b32 %r1, [%d1]; setp.eq.s32 %p1, %r1, 0; not.pred %p2, %p1; @%p2 st.global.b32 [%d1+4], %r1; "
         "ret;\n",
         "LDG.E ISETP STG.E EXIT"},
        {"ld.global.v2.b32 {%r1, %r2}, [%d1]; and.b32 %r3, %r1, %r2; xor.b32 %r4, %r3, %r0; st.global.b32 [%d1], %r4;"
         "ret;\n",
         "LDG.E.64 LOP3.LUT STG.E EXIT"},
        {"ld.global.v2.b32 {%r1, %r2}, [%d1]; shl.b32 %r3, %r1, 3; add.s32 %r4, %r3, %r2; st.global.b32 [%d1], %r4;"
         "ret;\n",
         "LDG.E.64 LEA STG.E EXIT"},
        {"ld.global.v2.b32 {%r1, %r2}, [%d1]; add.s32 %r3, %r1, %r2; add.s32 %r4, %r3, %r0; st.global.b32 [%d1], %r4;"
         "ret;\n",
         "LDG.E.64 IADD3 STG.E EXIT"},
        /* a loop whose variable goes round by a move */
        {"mov.u32 %r1, 0; loop: add.s32 %r2, %r1, 1; st.global.b32 [%d1], %r2; mov.u32 %r1, %r2;"
         "setp.lt.s32 %p1, %r1, %r0; @%p1 bra loop; ret;\n",
         "MOV IADD3 STG.E ISETP BRA EXIT"},
        {"setp.eq.s32 %p1, %r0, 0; @%p1 bra one; bra.uni two; one: st.global.b32 [%d1], %r0; two: st.global.b32 "
         "[%d1+4],"
         "%r0; ret;\n",
         "ISETP BRA STG.E STG.E EXIT"},
        {"ld.global.b64 %d2, [%d1]; shl.b64 %d3, %d2, 2; add.s64 %d4, %d1, %d3; st.global.b32 [%d4], %r0; ret;\n",
         "LDG.E.64 LEA LEA.HI.X STG.E EXIT"},
        {"ld.global.v2.f32 {%f1, %f2}, [%d1]; div.rn.f32 %f3, %f1, %f2; st.global.f32 [%d1], %f3; ret;\n",
         "LDG.E.64 MUFU.RCP FCHK FFMA FFMA FFMA FFMA BRA FFMA STG.E EXIT"},
        /* an atomic whose result nobody reads, one whose result is read, and one that has no reduction */
        {"atom.global.add.f32 %f1, [%d1], 0f3F800000; ret;\n", "RED.E.ADD.STRONG.GPU EXIT"},
        {"atom.global.add.u32 %r1, [%d1], %r0; st.global.b32 [%d1+4], %r1; ret;\n",
         "ATOMG.E.ADD.STRONG.GPU STG.E EXIT"},
        {"atom.global.exch.b32 %r1, [%d1], %r0; ret;\n", "ATOMG.E.EXCH.STRONG.GPU EXIT"},
        /* a product and a difference without a rounding, and with one (contract/contract.py has all that matters) */
        {"ld.global.v2.f32 {%f1, %f2}, [%d1]; mul.f32 %f3, %f1, %f2; sub.f32 %f4, %f1, %f3; st.global.f32 [%d1], %f4;"
         "ret;\n",
         "LDG.E.64 FFMA STG.E EXIT"},
        {"ld.global.v2.f32 {%f1, %f2}, [%d1]; mul.rn.f32 %f3, %f1, %f2; sub.f32 %f4, %f1, %f3; st.global.f32 [%d1], "
         "%f4; ret;\n",
         "LDG.E.64 FMUL FADD STG.E EXIT"},
        /* a factor that is written again before the sum, in a loop: it is kept by a move in the product's place */
        {"ld.global.v2.f32 {%f1, %f2}, [%d1]; mov.f32 %f3, %f1; loop: mul.f32 %f4, %f1, %f2; add.f32 %f1, %f1, %f2;"
         "add.f32 %f3, %f3, %f4; setp.lt.f32 %p1, %f3, 0f44000000; @%p1 bra loop; st.global.f32 [%d1], %f3; ret;\n",
         "LDG.E.64 MOV MOV FADD FFMA ISETP BRA STG.E EXIT"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char names[1024];
        instructions(rows[i].body, names);
        if (strcmp(names, rows[i].names) != 0)
            fail_msg("%s becomes %s, not %s", rows[i].body, names, rows[i].names);
    }
}

/* The reciprocal of a divisor, which ptxas computes once: in a block, in one that another dominates, before a loop. */
static void knows_divisors(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t reciprocals;
    } rows[] = {
        {"rem.u32 %r5, %r1, %r2; div.u32 %r6, %r3, %r2;", 1},
        {"rem.u32 %r5, %r1, %r2; div.u32 %r6, %r3, %r1;", 2},
        {"rem.u32 %r5, %r1, %r2; div.s32 %r6, %r3, %r2;", 2},
        {"rem.u32 %r5, %r1, %r2; add.u32 %r2, %r2, 1; rem.u32 %r6, %r3, %r2;", 2},
        {"rem.u32 %r5, %r1, %r2; mov.u32 %r6, %r5; @%p1 bra over; rem.u32 %r6, %r3, %r2; over:", 1},
        {"mov.u32 %r6, %r1; @%p1 bra over; rem.u32 %r6, %r3, %r2; over: rem.u32 %r5, %r1, %r2;", 2},
        {"mov.u32 %r5, 0; mov.u32 %r6, %r1; again: rem.u32 %r6, %r6, %r2; add.u32 %r5, %r5, %r6;"
         "setp.lt.u32 %p2, %r5, %r3; @%p2 bra again;",
         1},
        {"mov.u32 %r5, 0; mov.u32 %r6, %r1; again: rem.u32 %r6, %r3, %r1; add.u32 %r1, %r1, 3;"
         "setp.lt.u32 %p2, %r1, %r3; @%p2 bra again;",
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[1024], names[1024];
        uint32_t found = 0;
        snprintf(body, sizeof body,
                 "ld.global.v2.b32 {%%r1, %%r2}, [%%d1]; ld.global.b32 %%r3, [%%d1+8]; setp.eq.u32 %%p1, %%r3, 7; %s "
                 "st.global.v2.b32 [%%d1], {%%r5, %%r6}; ret;\n",
                 rows[i].body);
        instructions(body, names);
        for (const char *at = names; (at = strstr(at, "MUFU.RCP")) != NULL; at++)
            found++;
        if (found != rows[i].reciprocals)
            fail_msg("%s has %u reciprocals, not %u: %s", rows[i].body, found, rows[i].reciprocals, names);
    }
}

/* ===== sequences ===== */

static void has_sequences_of_ptxas(void **state)
{
    (void)state;
    static const struct {
        const char *opcode;
        uint32_t count;
    } rows[] = {
        {"add.s64", 2},
        {"and.b64", 2},
        {"min.s64", 4},
        {"abs.s64", 5},
        {"mul.lo.s64", 4},
        {"mul.hi.u64", 7},
        {"mul.hi.s64", 17},
        {"mad.lo.s64", 4},
        {"div.u32", 18},
        {"div.s32", 24},
        {"rem.u32", 17},
        {"rem.s32", 22},
        {"div.u64", 72},
        {"div.s64", 88},
        {"rem.u64", 68},
        {"rem.s64", 82},
        {"div.rn.f32", 8},
        {"rcp.rn.f32", 8},
        {"sqrt.rn.f32", 8},
        {"div.full.f32", 8},
        {"sin.approx.f32", 2},
        {"ex2.approx.f32", 4},
        {"ex2.approx.ftz.f32", 1},
        {"div.rn.f64", 14},
        {"rcp.rn.f64", 9},
        {"sqrt.rn.f64", 16},
        {"add.s32", 1},
        {"fma.rn.f32", 1},
        {"setp.lt.s64", 2},
        {"popc.b64", 3},
        {"add.f64", 1},
        {"mad.lo.s32", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *sequence = ptx_sequence_of(rows[i].opcode);
        uint32_t count = sequence ? (uint32_t)strlen(sequence) / 2 : 1;
        if (count != rows[i].count)
            fail_msg("%s has %u instructions, not %u", rows[i].opcode, count, rows[i].count);
        for (uint32_t k = 0; sequence && k < count; k++) {
            assert_true(ptx_sequence_sass(sequence[2 * k]) != PTX_SASS_BY_STATEMENT);
            assert_true(sequence[2 * k + 1] >= '0' && (uint32_t)(sequence[2 * k + 1] - '0') <= k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_memory_alike),
        cmocka_unit_test(becomes_machine_code),
        cmocka_unit_test(knows_divisors),
        cmocka_unit_test(has_sequences_of_ptxas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
