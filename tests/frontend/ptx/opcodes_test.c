/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every form of arithmetic: a kernel of one instruction, on special and random operands, against reference_*.c. The
 * forms are those of the front-end's table, and those that are decoded word by word.
 */
#include "bench.h"
#include "frontend/ptx/operations/forms.h"
#include "frontend/ptx/text/names.h"
#include "reference.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 12, THREADS = BLOCKS * 32, MOST_FORMS = 1200 };

void form_read(struct form *form, const char *text)
{
    static const struct {
        const char *word;
        int rounding;
    } roundings[] = {{"rz", FE_TOWARDZERO},  {"rm", FE_DOWNWARD},  {"rp", FE_UPWARD},
                     {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};
    char copy[96], *save = NULL;
    *form = (struct form){.rounding = FE_TONEAREST};
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
        enum execute_type type = ptx_type_of(word, strlen(word));
        if (!form->opcode[0]) {
            snprintf(form->opcode, sizeof form->opcode, "%s", word);
            continue;
        }
        if (type != EXECUTE_NO_TYPE) {
            form->types[form->type_count++] = type;
            continue;
        }
        snprintf(form->words[form->word_count++], sizeof form->words[0], "%s", word);
        form->ftz |= !strcmp(word, "ftz");
        form->sat |= !strcmp(word, "sat");
        for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
            if (!strcmp(word, roundings[i].word))
                form->rounding = roundings[i].rounding;
    }
}

bool form_has(const struct form *form, const char *word)
{
    for (int i = 0; i < form->word_count; i++)
        if (!strcmp(form->words[i], word))
            return true;
    return false;
}

static bool among(const char *word, const char *list)
{
    const char *found = strstr(list, word);
    size_t length = strlen(word);
    while (found && ((found != list && found[-1] != ' ') || (found[length] != ' ' && found[length])))
        found = strstr(found + 1, word);
    return found != NULL;
}

struct operands {
    enum execute_type result, source[3];
    int count;
};

static enum execute_type doubled(enum execute_type type)
{
    return type == EXECUTE_u16   ? EXECUTE_u32
           : type == EXECUTE_s16 ? EXECUTE_s32
           : type == EXECUTE_u32 ? EXECUTE_u64
                                 : EXECUTE_s64;
}

static struct operands operands_of(const struct form *f)
{
    const char *op = f->opcode;
    enum execute_type type = f->types[0];
    struct operands o = {type, {type, type, type}, 2};
    if (among(op, "abs neg popc clz brev bfind not cnot mov sin cos ex2 lg2 tanh rcp sqrt rsqrt cvt"))
        o.count = 1;
    if (among(op, "mad fma mad24 sad slct shf lop3 prmt bfe fns dp4a dp2a"))
        o.count = 3;
    if (among(op, "popc clz bfind"))
        o.result = EXECUTE_u32;
    if (among(op, "shl shr"))
        o.source[1] = EXECUTE_u32;
    if (!strcmp(op, "bfe"))
        o.source[1] = o.source[2] = EXECUTE_u32;
    if (form_has(f, "wide"))
        o.result = o.source[2] = doubled(type);
    if (f->type_count == 2 && !strcmp(op, "slct"))
        o.source[2] = f->types[1];
    if (f->type_count == 2 && !strcmp(op, "cvt"))
        o.source[0] = f->types[1];
    return o;
}

/* ===== operands ===== */

static uint64_t special_float(enum execute_type type, uint64_t *state)
{
    int fraction = type == EXECUTE_f64 ? 52 : type == EXECUTE_f32 ? 23 : type == EXECUTE_bf16 ? 7 : 10;
    int exponent = type == EXECUTE_f64 ? 11 : type == EXECUTE_f16 ? 5 : 8;
    uint64_t top = (UINT64_C(1) << exponent) - 1, random = bench_random(state), kind = random % 12;
    uint64_t bits = bench_random(state) & ((UINT64_C(1) << fraction) - 1), biased = top / 2;
    uint64_t sign = (random >> 40 & 1) << (fraction + exponent);
    const uint64_t values[] = {0,
                               top << fraction,
                               (top << fraction) | (bits | UINT64_C(1) << (fraction - 1)),
                               1,
                               bits,
                               UINT64_C(1) << fraction,
                               (top << fraction) - 1,
                               biased << fraction,
                               (biased + random / 64 % 5) << fraction | bits,
                               (biased + random / 64 % 24) << fraction | (bits >> fraction / 2 << fraction / 2),
                               (random / 64 % top) << fraction | bits,
                               (biased - 3 + random / 64 % 7) << fraction | bits};
    return sign | values[kind];
}

static uint64_t special_integer(enum execute_type type, uint64_t *state)
{
    unsigned width = 8 * execute_type_bytes(type);
    uint64_t random = bench_random(state), all = bench_random(state), top = UINT64_C(1) << (width - 1);
    const uint64_t values[] = {0,
                               1,
                               ~UINT64_C(0),
                               top,
                               top - 1,
                               random >> 8 & 63,
                               random >> 8 & 0xff,
                               all,
                               all,
                               all,
                               all >> (random >> 20 & 63),
                               top + 1,
                               0xffff,
                               0x8000};
    return values[random % (sizeof values / sizeof *values)];
}

static uint64_t operand(enum execute_type type, uint64_t *state)
{
    if (type == EXECUTE_f16x2 || type == EXECUTE_bf16x2) {
        enum execute_type half = type == EXECUTE_f16x2 ? EXECUTE_f16 : EXECUTE_bf16;
        uint64_t low = special_float(half, state);
        return low | special_float(half, state) << 16;
    }
    if (type == EXECUTE_f32x2) {
        uint64_t low = special_float(EXECUTE_f32, state);
        return low | special_float(EXECUTE_f32, state) << 32;
    }
    return execute_type_is_float(type) ? special_float(type, state) : special_integer(type, state);
}

/* ===== kernels ===== */

static unsigned register_bits(enum execute_type type)
{
    unsigned bits = 8 * execute_type_bytes(type);
    return bits < 16 ? 16 : bits;
}

static void write_kernel(FILE *out, int number, const char *text, const struct operands *o, bool setp)
{
    unsigned result = setp ? 32 : register_bits(o->result);
    fprintf(out,
            ".visible .entry k%d(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %%at<4>;\n.reg .b32 %%i<4>;\n"
            ".reg .pred %%p;\n.reg .b%u %%d;\n",
            number, result);
    for (int i = 0; i < o->count; i++)
        fprintf(out, ".reg .b%u %%s%d;\n", register_bits(o->source[i]), i);
    fprintf(out, "mov.u32 %%i0, %%tid.x;\nmov.u32 %%i1, %%ctaid.x;\nmad.lo.u32 %%i0, %%i1, 32, %%i0;\n"
                 "mul.wide.u32 %%at0, %%i0, 32;\nld.param.u64 %%at1, [in];\nadd.s64 %%at1, %%at1, %%at0;\n"
                 "ld.param.u64 %%at2, [out];\nmul.wide.u32 %%at0, %%i0, 8;\nadd.s64 %%at2, %%at2, %%at0;\n");
    for (int i = 0; i < o->count; i++)
        fprintf(out, "ld.global.b%u %%s%d, [%%at1+%d];\n", register_bits(o->source[i]), i, 8 * i);
    fprintf(out, "%s %s", text, setp ? "%p" : "%d");
    for (int i = 0; i < o->count; i++)
        fprintf(out, ", %%s%d", i);
    fprintf(out, "%s;\n", !strncmp(text, "lop3", 4) ? ", 0x6a" : "");
    if (setp)
        fprintf(out, "selp.b32 %%d, 1, 0, %%p;\n");
    fprintf(out, "st.global.b%u [%%at2], %%d;\nret;\n}\n", result);
}

static char *write_module(const char *const *forms, int count)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, ".version 9.0\n.target sm_100\n.address_size 64\n");
    for (int i = 0; i < count; i++) {
        struct form form;
        form_read(&form, forms[i]);
        struct operands o = operands_of(&form);
        write_kernel(out, i, forms[i], &o, !strcmp(form.opcode, "setp"));
    }
    fclose(out);
    return text;
}

static struct expected expect(const struct form *f, const struct operands *o, const uint64_t in[3])
{
    if (!strcmp(f->opcode, "setp"))
        return (struct expected){.verdict = REFERENCE_EXACT, .bits = reference_compare(f, in[0], in[1])};
    if (!strcmp(f->opcode, "cvt"))
        return reference_convert(f, in);
    if (!strcmp(f->opcode, "slct")) {
        double c = f->types[1] == EXECUTE_f32 ? reference_widen(EXECUTE_f32, in[2], f->ftz) : (double)(int32_t)in[2];
        return (struct expected){.verdict = REFERENCE_EXACT, .bits = c >= 0 ? in[0] : in[1]};
    }
    bool real = (execute_type_is_float(f->types[0]) || f->types[0] == EXECUTE_f32x2) && strcmp(f->opcode, "mov");
    (void)o;
    return real ? reference_float(f, in) : reference_integer(f, in);
}

static bool agrees(const struct expected *e, enum execute_type type, uint64_t got)
{
    unsigned bits = 8 * execute_type_bytes(type);
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (e->verdict == REFERENCE_EXACT)
        return ((got ^ e->bits) & mask) == 0;
    double value = reference_widen(type, got & mask, false);
    if (e->value != e->value || value != value)
        return e->value != e->value && value != value;
    if (isinf(e->value) || isinf(value) || fabs(e->value) > 0x1.ffffffp127)
        return type == EXECUTE_f64 ? (isinf(value) == isinf(e->value) && signbit(value) == signbit(e->value))
                                   : (fabs(value) >= 0x1.fffffcp127 && signbit(value) == signbit(e->value));
    return fabs(value - e->value) <= e->absolute + e->relative * fabs(e->value);
}

/* Appends a line on each form to the file that PTX_FORMS in the environment names, for docs/lab/ptx.md: its text,
 * operands tried, and the greatest relative and absolute error that was allowed. */
static void report_form(const char *text, double relative, double absolute)
{
    const char *path = getenv("PTX_FORMS");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out)
        return;
    fprintf(out, "%s %d %a %a\n", text, THREADS, relative, absolute);
    fclose(out);
}

static int check_form(struct bench *bench, int number, const char *text)
{
    struct form form;
    form_read(&form, text);
    struct operands o = operands_of(&form);
    uint64_t(*in)[4] = calloc(THREADS, sizeof *in), *out = calloc(THREADS, sizeof *out), state = (uint64_t)number;
    char kernel[16];
    int wrong = 0;
    double relative = 0, absolute = 0;
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < o.count; j++)
            in[i][j] = operand(o.source[j], &state);
    uint64_t din = bench_buffer(bench, in, THREADS * sizeof *in), dout = bench_buffer(bench, NULL, THREADS * 8);
    snprintf(kernel, sizeof kernel, "k%d", number);
    if (!BENCH_RUN(bench, kernel, BLOCKS, 32, 0, &din, &dout))
        fail_msg("%s", bench->error.text);
    bench_read(bench, dout, out, THREADS * 8);
    bool setp = !strcmp(form.opcode, "setp");
    for (int i = 0; i < THREADS && wrong < 3; i++) {
        for (int j = 0; j < o.count; j++) /* what a register of the source's size holds */
            in[i][j] &=
                execute_type_bytes(o.source[j]) == 8 ? ~UINT64_C(0) : (UINT64_C(1) << register_bits(o.source[j])) - 1;
        struct expected e = expect(&form, &o, in[i]);
        if (e.verdict == REFERENCE_NONE)
            fail_msg("%s: no reference", text);
        if (e.verdict != REFERENCE_EXACT) {
            relative = fmax(relative, e.relative);
            absolute = fmax(absolute, e.absolute);
        }
        if (agrees(&e, setp ? EXECUTE_u32 : o.result, out[i]))
            continue;
        wrong++;
        print_error("%s %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ": %#" PRIx64 ", expected %#" PRIx64 " (%g)\n", text,
                    in[i][0], in[i][1], in[i][2], out[i], e.bits, e.value);
    }
    execute_device_free(&bench->device, din);
    execute_device_free(&bench->device, dout);
    free(in);
    free(out);
    if (!wrong)
        report_form(text, relative, absolute);
    return wrong != 0;
}

static void check_forms(const char *const *forms, int count)
{
    struct bench bench;
    char *text = write_module(forms, count);
    int wrong = 0;
    bench_open(&bench, NULL, text);
    for (int i = 0; i < count; i++)
        wrong += check_form(&bench, i, forms[i]);
    bench_close(&bench);
    free(text);
    assert_int_equal(wrong, 0);
}

/* All combinations of words, as texts in one block. */
struct texts {
    char text[MOST_FORMS][48];
    const char *pointers[MOST_FORMS];
    int count;
};

static void add_text(struct texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(struct texts *texts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    assert_true(texts->count < MOST_FORMS);
    vsnprintf(texts->text[texts->count], sizeof texts->text[0], format, arguments);
    va_end(arguments);
    texts->pointers[texts->count] = texts->text[texts->count];
    texts->count++;
}

/* Takes up the form that `name` becomes with a word behind its opcode or before its type, and another letter in the
 * type at `at`, where that is a form of the same function. */
static void add_variant(struct texts *texts, uint32_t lane, const char *name, const char *word, size_t at, char letter)
{
    char text[64];
    size_t opcode = strcspn(name, "."), head = strcmp(word, ".ftz") ? opcode : (size_t)(strrchr(name, '.') - name);
    snprintf(text, sizeof text, "%.*s%s%s", (int)head, name, word, name + head);
    at += head <= at ? strlen(word) : 0;
    text[at + 1] = letter ? letter : text[at + 1];
    if (ptx_form_of(text) != lane)
        return;
    for (int i = 0; i < texts->count; i++)
        if (!strcmp(texts->text[i], text))
            return;
    add_text(texts, "%s", text);
}

/* Every form that the table has: those with the functions' names, and those that are done as one of them. */
static void test_table(void **unused)
{
    (void)unused;
    enum { TABLE_FORMS = 435 };
    static const char *const words[] = {"", ".rn", ".ftz"};
    static const char letters[] = {0, 'u', 's', 'f', 'b'};
    struct texts *texts = calloc(1, sizeof *texts);
    for (uint32_t lane = 0; lane < EXECUTE_LANE_COUNT; lane++) {
        char name[48], *point = name;
        if (!ptx_form_name(lane))
            continue;
        snprintf(name, sizeof name, "%s", ptx_form_name(lane));
        while ((point = strchr(point, '_')))
            *point = '.';
        for (int fma = !strncmp(name, "fma", 3); fma >= 0; fma--) {
            memcpy(name, fma ? "mad" : !strncmp(name, "mad.rn", 6) ? "fma" : name, 3);
            for (size_t i = 0; i < sizeof letters * 3; i++) {
                char *type = strncmp(name, "slct", 4) ? strrchr(name, '.') : strstr(name, ".b");
                add_variant(texts, lane, name, words[i % 3], (size_t)(type - name), letters[i / 3]);
            }
        }
    }
    add_text(texts, "rcp.approx.ftz.f32");
    add_text(texts, "sqrt.approx.ftz.f32");
    assert_int_equal(texts->count, TABLE_FORMS);
    check_forms(texts->pointers, texts->count);
    free(texts);
}

static void test_roundings(void **unused)
{
    (void)unused;
    static const char *const operations[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    struct texts *texts = calloc(1, sizeof *texts);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 4; j++) {
            add_text(texts, "%s.%s.f32", operations[i], roundings[j]);
            add_text(texts, "%s.%s.ftz.f32", operations[i], roundings[j]);
            add_text(texts, "%s.%s.f64", operations[i], roundings[j]);
            if (i < 4) {
                add_text(texts, "%s.%s.sat.f32", operations[i], roundings[j]);
                add_text(texts, "%s.%s.ftz.sat.f32", operations[i], roundings[j]);
            }
        }
    check_forms(texts->pointers, texts->count);
    free(texts);
}

static void test_halves(void **unused)
{
    (void)unused;
    static const char *const types[] = {"f16", "f16x2", "bf16", "bf16x2"};
    static const char *const operations[] = {"add.rn",  "sub.rn",  "mul.rn", "fma.rn", "min",        "max",
                                             "min.NaN", "max.NaN", "abs",    "neg",    "fma.rn.relu"};
    struct texts *texts = calloc(1, sizeof *texts);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < sizeof operations / sizeof *operations; j++)
            add_text(texts, "%s.%s", operations[j], types[i]);
    for (size_t i = 0; i < 2; i++) {
        add_text(texts, "add.%s", types[i]);
        add_text(texts, "add.rn.ftz.%s", types[i]);
        add_text(texts, "mul.rn.ftz.sat.%s", types[i]);
        add_text(texts, "fma.rn.sat.%s", types[i]);
    }
    check_forms(texts->pointers, texts->count);
    free(texts);
}

static void test_comparisons(void **unused)
{
    (void)unused;
    static const char *const all[] = {"eq", "ne", "lt", "le", "gt", "ge"}, *const low[] = {"lo", "ls", "hi", "hs"};
    static const char *const unordered[] = {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const whole[] = {"u16", "s16", "u32", "s32", "u64", "s64"}, *const bits[] = {"b16", "b32",
                                                                                                    "b64"};
    static const char *const real[] = {"f32", "ftz.f32", "f64", "f16", "bf16"};
    struct texts *texts = calloc(1, sizeof *texts);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            add_text(texts, "setp.%s.%s", all[i], whole[j]);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            add_text(texts, "setp.%s.%s", all[i], bits[j]);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j += 2)
            add_text(texts, "setp.%s.%s", low[i], whole[j]);
    for (size_t j = 0; j < 5; j++) {
        for (size_t i = 0; i < 6; i++)
            add_text(texts, "setp.%s.%s", all[i], real[j]);
        for (size_t i = 0; i < 8; i++)
            add_text(texts, "setp.%s.%s", unordered[i], real[j]);
    }
    check_forms(texts->pointers, texts->count);
    free(texts);
}

static void test_conversions(void **unused)
{
    (void)unused;
    static const char *const whole[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    static const char *const real[] = {"f16", "bf16", "f32", "f64"}, *const roundings[] = {"rn", "rz", "rm", "rp"};
    struct texts *texts = calloc(1, sizeof *texts);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 8; j++)
            add_text(texts, "cvt.sat.%s.%s", whole[i], whole[j]);
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 4; k++) {
                add_text(texts, "cvt.%si.%s.%s", roundings[k], whole[i], real[j]);
                add_text(texts, "cvt.%s.%s.%s", roundings[k], real[j], whole[i]);
            }
        add_text(texts, "cvt.rzi.ftz.%s.f32", whole[i]);
    }
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 4; i++)
            add_text(texts, "cvt.%si.%s.%s", roundings[k], real[i], real[i]);
        add_text(texts, "cvt.%s.f32.f64", roundings[k]);
        add_text(texts, "cvt.%s.ftz.f32.f64", roundings[k]);
        add_text(texts, "cvt.%s.sat.f32.f64", roundings[k]);
        add_text(texts, "cvt.%s.f16.f32", roundings[k]);
        add_text(texts, "cvt.%s.bf16.f32", roundings[k]);
        add_text(texts, "cvt.%s.f16.f64", roundings[k]);
        add_text(texts, "cvt.%si.ftz.f32.f32", roundings[k]);
    }
    add_text(texts, "cvt.f64.f32");
    add_text(texts, "cvt.f32.f16");
    add_text(texts, "cvt.f64.f16");
    add_text(texts, "cvt.f32.bf16");
    add_text(texts, "cvt.ftz.f64.f32");
    add_text(texts, "cvt.sat.f32.f32");
    add_text(texts, "cvt.ftz.sat.f32.f32");
    check_forms(texts->pointers, texts->count);
    free(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_roundings),   cmocka_unit_test(test_halves),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
