/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of operations (schedule.h). Random straight code computes the same with and without it, and a second
 * opinion, on the text alone, finds every pair of statements that depend on one another in their own order.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STATEMENTS = 90, PROGRAMS = 150, WORDS = 8, VALUES = 12, SLOTS = 16, TEXT = 16384 };

/* ===== programs ===== */

/* Numbers of what a statement reads and writes: %r0 to %r11, then %p0 to %p3, then the carry flag. */
enum { PREDICATE = 16, CARRY = 24 };

enum place { NOWHERE, GLOBAL, SHARED, CONSTANT };

struct line {
    char text[96];
    uint32_t reads, writes; /* sets of numbers */
    enum place place;
    uint32_t first, bytes;   /* of the lane's part of the place */
    bool stores, everywhere; /* `everywhere`: may touch anything, as a fence or an atomic on which others depend */
    bool divides;            /* nothing passes */
    bool together;           /* in order among those of its kind */
};

static uint32_t below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(bench_random(state) % bound);
}

/* Each lane has 64 bytes of global and of shared memory; %g and %h point to its start and its middle, %s and %u
 * likewise, %e is a generic address of %s. */
static void make_access(struct line *line, uint64_t *state, bool store)
{
    static const struct {
        const char *space, *base;
        enum place place;
        uint32_t at;
    } bases[] = {{"global", "%g", GLOBAL, 0},  {"global", "%h", GLOBAL, 32}, {"shared", "%s", SHARED, 0},
                 {"shared", "%u", SHARED, 32}, {"", "%e", SHARED, 0},        {"const", "%c", CONSTANT, 0}};
    uint32_t chosen = below(state, store ? 5 : 6), count = 1 + below(state, 2), a = below(state, VALUES - 1);
    uint32_t room = SLOTS - bases[chosen].at / 4, slot = below(state, room / 2) * 2 + (count == 1) * below(state, 2);
    line->place = bases[chosen].place;
    line->first = bases[chosen].at + 4 * slot;
    line->bytes = 4 * count;
    line->stores = store;
    uint32_t set = count == 2 ? 3u << a : 1u << a;
    *(store ? &line->reads : &line->writes) |= set;
    char data[24], address[24];
    snprintf(address, sizeof address, "[%s+%u]", bases[chosen].base, 4 * slot);
    if (count == 2)
        snprintf(data, sizeof data, "{%%r%u, %%r%u}", a, a + 1);
    else
        snprintf(data, sizeof data, "%%r%u", a);
    snprintf(line->text, sizeof line->text, "%s%s%s%s.b32 %s, %s;", store ? "st" : "ld",
             *bases[chosen].space ? "." : "", bases[chosen].space, count == 2 ? ".v2" : "", store ? address : data,
             store ? data : address);
}

static void make_arithmetic(struct line *line, uint64_t *state)
{
    static const char *const opcodes[] = {"add.u32", "xor.b32", "mul.lo.u32", "min.s32", "add.cc.u32", "addc.u32"};
    uint32_t d = below(state, VALUES), a = below(state, VALUES), b = below(state, VALUES), o = below(state, 6);
    snprintf(line->text, sizeof line->text, "%s %%r%u, %%r%u, %%r%u;", opcodes[o], d, a, b);
    line->writes = 1u << d | (o == 4) << CARRY;
    line->reads = 1u << a | 1u << b | (o == 5) << CARRY;
}

static void make_special(struct line *line, uint64_t *state)
{
    uint32_t d = below(state, VALUES), a = below(state, VALUES);
    switch (below(state, 7)) {
    case 0:
        snprintf(line->text, sizeof line->text, "shfl.sync.bfly.b32 %%r%u, %%r%u, 5, 31, -1;", d, a);
        line->together = true;
        break;
    case 1:
        snprintf(line->text, sizeof line->text, "atom.global.add.u32 %%r%u, [%%g], %%r%u;", d, a);
        line->everywhere = line->stores = true;
        break;
    case 2:
        strcpy(line->text, "membar.gl;");
        line->divides = true;
        return;
    case 3:
        snprintf(line->text, sizeof line->text, "ld.volatile.global.b32 %%r%u, [%%h];", d);
        line->everywhere = true;
        line->writes = 1u << d;
        return;
    case 4:
        strcpy(line->text, "bar.sync 0;");
        line->everywhere = line->together = true;
        return;
    case 5:
        snprintf(line->text, sizeof line->text, "popc.b32 %%r%u, %%r%u;", d, a);
        break;
    default:
        snprintf(line->text, sizeof line->text, "activemask.b32 %%r%u;", d);
        line->divides = true;
        line->writes = 1u << d;
        return;
    }
    line->reads |= 1u << a;
    line->writes |= 1u << d;
}

static void make_line(struct line *line, uint64_t *state)
{
    memset(line, 0, sizeof *line);
    uint32_t kind = below(state, 20), p = below(state, 4);
    if (kind < 6) {
        make_access(line, state, false);
    } else if (kind < 9) {
        make_access(line, state, true);
    } else if (kind == 9) {
        make_special(line, state);
        return;
    } else if (kind == 10) {
        uint32_t a = below(state, VALUES), b = below(state, VALUES);
        snprintf(line->text, sizeof line->text, "setp.lt.u32 %%p%u, %%r%u, %%r%u;", p, a, b);
        line->writes = 1u << (PREDICATE + p);
        line->reads = 1u << a | 1u << b;
        return;
    } else {
        make_arithmetic(line, state);
    }
    if (below(state, 4)) /* three of four have no guard */
        return;
    char text[sizeof line->text];
    memcpy(text, line->text, sizeof text);
    snprintf(line->text, sizeof line->text, "@%s%%p%u %.80s", below(state, 2) ? "!" : "", p, text);
    line->reads |= 1u << (PREDICATE + p) | line->writes; /* the lanes without it keep what was there */
}

/* `first`: line of the text in which the first of the statements stands; one a line. */
static void write_program(char *text, const struct line *lines, uint32_t *first)
{
    char *to = text, *end = text + TEXT;
    to += snprintf(to, TEXT,
                   ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 space[2048];\n"
                   ".const .align 16 .b8 c[64] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};\n"
                   ".visible .entry k(.param .u64 in)\n{\n"
                   ".reg .b64 %%g, %%h, %%e, %%c, %%w; .reg .b32 %%s, %%u, %%l, %%r<%u>; .reg .pred %%p<4>; \n"
                   "ld.param.u64 %%g, [in]; mov.u32 %%l, %%laneid; mul.wide.u32 %%w, %%l, 64; add.s64 %%g, %%g, %%w;"
                   "add.s64 %%h, %%g, 32; mov.u32 %%s, space; shl.b32 %%l, %%l, 6; add.u32 %%s, %%s, %%l;"
                   "add.u32 %%u, %%s, 32; cvt.u64.u32 %%e, %%s; cvta.shared.u64 %%e, %%e; mov.u64 %%c, c;"
                   "add.cc.u32 %%l, %%l, -1;\n",
                   VALUES);
    for (int i = 0; i < SLOTS; i++)
        to += snprintf(to, (size_t)(end - to), "ld.global.b32 %%r0, [%%g+%d]; st.shared.b32 [%%s+%d], %%r0;", 4 * i,
                       4 * i);
    for (int i = 0; i < VALUES; i++)
        to += snprintf(to, (size_t)(end - to), "ld.global.b32 %%r%d, [%%g+%d];", i, 4 * i);
    for (int i = 0; i < 4; i++)
        to += snprintf(to, (size_t)(end - to), "setp.gt.s32 %%p%d, %%r%d, 0;", i, i);
    *first = 1;
    to += snprintf(to, (size_t)(end - to), "\nbra.uni BEGIN; BEGIN:\n");
    for (const char *at = text; at < to; at++)
        *first += *at == '\n';
    for (int i = 0; i < STATEMENTS; i++)
        to += snprintf(to, (size_t)(end - to), "%s\n", lines[i].text);
    to += snprintf(to, (size_t)(end - to), "bra.uni END; END:\n");
    for (int i = 0; i < VALUES; i++)
        to += snprintf(to, (size_t)(end - to), "st.global.b32 [%%g+%d], %%r%d;", 2048 + 4 * i, i);
    for (int i = 0; i < SLOTS; i++)
        to += snprintf(to, (size_t)(end - to), "ld.shared.b32 %%r0, [%%s+%d]; st.global.b32 [%%g+%d], %%r0;", 4 * i,
                       4096 + 4 * i);
    snprintf(to, (size_t)(end - to), "ret;\n}\n");
    assert_true(strlen(text) + 1 < TEXT);
}

/* ===== running them ===== */

/* Reordered alone, or fused and expanded too (select.h). Orders are looked at where statements are operations. */
enum how { AS_IT_STANDS, ORDERED, SELECTED, SELECTED_AND_ORDERED };

static void open_bench(struct bench *bench, const char *text, enum how how)
{
    memset(bench, 0, sizeof *bench);
    execute_device_init(&bench->device, 4096, open_memstream(&bench->printed, &bench->printed_size));
    bench->device.keeps_order = how == AS_IT_STANDS || how == SELECTED;
    bench->device.plain = how == AS_IT_STANDS || how == ORDERED;
    if (!ptx_program_load(&bench->program, &bench->device, "test.ptx", text, strlen(text), &bench->error))
        fail_msg("%s", bench->error.text);
}

static const struct execute_code *code_of(struct bench *bench)
{
    const struct execute_code *code = ptx_program_kernel(&bench->program, "k", &bench->error);
    if (!code)
        fail_msg("%s", bench->error.text);
    return code;
}

static void run(const char *text, enum how how, uint32_t memory[2048])
{
    struct bench bench;
    uint64_t state = 7;
    for (int i = 0; i < 2048; i++)
        memory[i] = i < 512 ? (uint32_t)bench_random(&state) : 0;
    open_bench(&bench, text, how);
    uint64_t in = bench_buffer(&bench, memory, 8192);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &in))
        fail_msg("%s: %s", text, bench.error.text);
    bench_read(&bench, in, memory, 8192);
    bench_close(&bench);
}

/* ===== the second opinion ===== */

static bool depend(const struct line *a, const struct line *b)
{
    if (a->divides || b->divides || (a->writes & (b->reads | b->writes)) || (a->reads & b->writes))
        return true;
    if (a->together && b->together)
        return true;
    bool a_touches = a->everywhere || (a->place && a->place != CONSTANT);
    bool b_touches = b->everywhere || (b->place && b->place != CONSTANT);
    if ((a->everywhere && b_touches) || (b->everywhere && a_touches))
        return true;
    return a->place == b->place && a->place != CONSTANT && (a->stores || b->stores) && a->first < b->first + b->bytes &&
           b->first < a->first + a->bytes;
}

/* Positions of the statements' first and last operations. */
static void find_positions(const struct execute_code *code, uint32_t line, uint32_t positions[STATEMENTS][2])
{
    memset(positions, 0xff, STATEMENTS * sizeof *positions);
    for (uint32_t i = 0; i < code->ops.count; i++) {
        uint32_t stated = code->module->language->locate(code, i).line, at = stated - line;
        if (!stated || at >= STATEMENTS)
            continue;
        positions[at][0] = positions[at][0] == PTX_NONE ? i : positions[at][0];
        positions[at][1] = i;
    }
}

static uint32_t check_order(const char *text, const struct line *lines, uint32_t line)
{
    struct bench bench;
    uint32_t positions[STATEMENTS][2], moved = 0;
    open_bench(&bench, text, ORDERED);
    find_positions(code_of(&bench), line, positions);
    for (uint32_t i = 0; i < STATEMENTS; i++) {
        assert_true(positions[i][0] != PTX_NONE);
        for (uint32_t j = i + 1; j < STATEMENTS; j++) {
            bool kept = positions[i][1] < positions[j][0];
            moved += !kept;
            if (!kept && depend(&lines[i], &lines[j]))
                fail_msg("%s\nbefore\n%s\nno longer:\n%s", lines[i].text, lines[j].text, text);
        }
    }
    bench_close(&bench);
    return moved;
}

static void test_random(void **unused)
{
    (void)unused;
    static struct line lines[STATEMENTS];
    static uint32_t plain[2048], ordered[2048];
    uint64_t state = 1;
    uint32_t first, moved = 0;
    char *text = malloc(TEXT);
    for (int program = 0; program < PROGRAMS; program++) {
        for (int i = 0; i < STATEMENTS; i++)
            make_line(&lines[i], &state);
        write_program(text, lines, &first);
        run(text, AS_IT_STANDS, plain);
        for (enum how how = ORDERED; how <= SELECTED_AND_ORDERED; how++) {
            run(text, how, ordered);
            for (int i = 0; i < 2048; i++)
                if (plain[i] != ordered[i])
                    fail_msg("word %d is %#x, not %#x:\n%s", i, ordered[i], plain[i], text);
        }
        moved += check_order(text, lines, first);
    }
    assert_true(moved > PROGRAMS * STATEMENTS); /* of each statement, one or more others have changed sides */
    free(text);
}

/* ===== what moves and what does not ===== */

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 space[256];\n"
    ".visible .entry k(.param .u64 in)\n{\n"
    ".reg .b64 %%g, %%h, %%w; .reg .b32 %%s, %%a, %%b, %%c, %%d, %%n; .reg .pred %%p, %%q; .reg .f32 %%x, %%y, %%z;\n"
    "ld.param.u64 %%g, [in]; add.s64 %%h, %%g, 512; mov.u32 %%s, space; mov.u32 %%n, 0; mov.f32 %%z, 0f00000000; "
    "mov.u32 %%a, 1; mov.u32 %%d, 1; setp.eq.u32 %%p, %%n, 1;\n"
    "LOOP: add.u32 %%n, %%n, 1; setp.lt.u32 %%q, %%n, 100;\n%s\n@%%q bra LOOP;\n"
    "st.global.b32 [%%g], %%a; st.global.b32 [%%g+4], %%b; st.global.b32 [%%g+8], %%c; st.global.b32 [%%g+12], %%d;\n"
    "st.global.f32 [%%g+16], %%z; ret;\n}\n";

/* The order of the statements' first operations, one a line from the tenth line of the text on, as digits. */
static void order_of(const char *body, char digits[16])
{
    struct bench bench;
    char text[4096];
    uint32_t count = 0;
    snprintf(text, sizeof text, frame, body);
    open_bench(&bench, text, ORDERED);
    const struct execute_code *code = code_of(&bench);
    uint32_t statements = 1;
    for (const char *at = body; *at; at++)
        statements += *at == '\n';
    for (uint32_t i = 0; i < code->ops.count && count < 15; i++) {
        uint32_t line = code->module->language->locate(code, i).line;
        digits[count] = (char)('0' + line - 10);
        count += line >= 10 && line < 10 + statements && !memchr(digits, digits[count], count);
    }
    digits[count] = 0;
    bench_close(&bench);
}

static void expect(const char *body, const char *wanted)
{
    char digits[16];
    order_of(body, digits);
    if (strcmp(digits, wanted) != 0)
        fail_msg("%s\nis in the order %s instead of %s", body, digits, wanted);
}

#define PRODUCT                                                                                                        \
    "ld.global.f32 %x, [%g];\nmul.f32 %x, %x, 0f40000000;\nld.global.f32 %y, [%h];\nfma.rn.f32 %z, %x, %y, %z;\n"      \
    "st.global.f32 [%g+1024], %z;"

static void test_moves(void **unused)
{
    (void)unused;
    expect(PRODUCT, "02134");                                            /* both loads first */
    expect("st.shared.b32 [%s], %a;\nld.global.b32 %b, [%g];", "10");    /* other spaces */
    expect("st.global.b32 [%g], %a;\nld.global.b32 %b, [%g+4];", "10");  /* beside one another */
    expect("st.global.b32 [%g], %a;\nld.global.nc.b32 %b, [%h];", "10"); /* nobody writes it */
    expect("shfl.sync.bfly.b32 %c, %a, 1, 31, -1;\nadd.u32 %d, %c, 1;\nld.global.b32 %b, [%g];", "201");
    expect("bar.sync 0;\nmul.lo.u32 %a, %d, %d;\nmul.lo.u32 %a, %a, %a;", "102"); /* arithmetic does */
}

static void test_stays(void **unused)
{
    (void)unused;
    static const char *const firsts[] = {"st.global.b32 [%h], %a;",             /* may be the same */
                                         "st.b32 [%h], %a;",                    /* generic */
                                         "st.global.v2.b32 [%g+-4], {%a, %d};", /* reaches into it */
                                         "atom.global.add.u32 %c, [%h], %a;",
                                         "red.shared.add.u32 [%s], %a;",
                                         "ld.volatile.global.b32 %c, [%h];",
                                         "ld.acquire.gpu.global.b32 %c, [%h];",
                                         "st.release.gpu.global.b32 [%h], %a;",
                                         "membar.gl;",
                                         "fence.acq_rel.gpu;",
                                         "bar.sync 0;",
                                         "bar.warp.sync -1;",
                                         "cp.async.wait_all;",
                                         "mov.u32 %c, %clock;",
                                         "@%p exit;",
                                         "@%p trap;",
                                         "nanosleep.u32 20;",
                                         "activemask.b32 %c;"};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        char body[256];
        snprintf(body, sizeof body, "%s\nld.global.b32 %%b, [%%g];", firsts[i]);
        expect(body, "01");
    }
    expect("ld.global.b32 %b, [%g];\nst.global.b32 [%h], %a;\nld.global.b32 %c, [%g+4];", "012");
    expect("mov.u32 %b, %clock;\nmul.lo.u32 %a, %a, %d;\nmul.lo.u32 %a, %a, %d;\nmov.u32 %c, %clock;", "0123");
    expect("shfl.sync.bfly.b32 %c, %d, 1, 31, -1;\nvote.sync.ballot.b32 %b, %p, -1;\nadd.u32 %b, %b, 1;", "012");
    expect("@%p mov.u32 %a, 2;\nld.global.b32 %a, [%g];", "01");
    expect("@%p mov.u32 %a, %d;\n@!%p ld.global.b32 %a, [%g];\nadd.u32 %b, %a, 1;", "012");
    expect("st.global.b32 [%g], %a;\nadd.s64 %g, %g, 4;\nld.global.b32 %c, [%g+-4];", "012");
}

/* ===== registers ===== */

/* A sum of many loads, one behind the other: all at once they would need more registers than cost nothing. */
static void test_registers(void **unused)
{
    (void)unused;
    struct bench bench;
    char *text = malloc(TEXT), *to = text, *end = text + TEXT;
    to += snprintf(to, TEXT,
                   ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
                   ".reg .b64 %%g; .reg .f32 %%x<200>, %%z; ld.param.u64 %%g, [in]; mov.f32 %%z, 0f00000000;\n");
    for (int i = 0; i < 100; i++)
        to +=
            snprintf(to, (size_t)(end - to), "ld.global.f32 %%x%d, [%%g+%d]; add.f32 %%z, %%z, %%x%d;\n", i, 4 * i, i);
    snprintf(to, (size_t)(end - to), "st.global.f32 [%%g], %%z; ret;\n}\n");
    open_bench(&bench, text, AS_IT_STANDS);
    assert_true(code_of(&bench)->registers <= 16);
    bench_close(&bench);
    open_bench(&bench, text, ORDERED);
    assert_in_range(code_of(&bench)->registers, 24, 32); /* they are used, and no more */
    bench_close(&bench);
    free(text);
}

/* ===== time ===== */

static uint64_t cycles_of(const char *text, enum how how)
{
    struct mnp_results results;
    struct bench bench;
    open_bench(&bench, text, how);
    uint64_t in = bench_buffer(&bench, NULL, 4096);
    const uint32_t one[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    assert_true(
        execute_source_launch(source, code_of(&bench), one, block, 0, (const void *const[]){&in}, &bench.error));
    if (!timed_run(&bench, source, &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1}, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    uint64_t cycles = mnp_statistics_get(&results.parts[0]->statistics, "gpu_sim_cycle");
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return cycles;
}

/* The inner loop of a product that stores each sum, 100 times: the latency of the second load is hidden behind the
 * first one's. The machine's L1 takes 30 cycles. */
static void test_time(void **unused)
{
    (void)unused;
    char text[4096];
    snprintf(text, sizeof text, frame, PRODUCT);
    uint64_t plain = cycles_of(text, SELECTED), ordered = cycles_of(text, SELECTED_AND_ORDERED);
    assert_in_range(plain - ordered, 100 * (30 - 3), 100 * (30 + 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_moves),
                                       cmocka_unit_test(test_stays), cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
