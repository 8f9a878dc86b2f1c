/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forms of PTX instructions as small kernels, one a form, run on special and random operands. LIST has a form a line.
 *
 *   ptx_forms text LIST TARGET VERSION          prints the module of all forms, kernels k0, k1, …
 *   ptx_forms run LIST TARGET VERSION [CUBIN]   prints for each form what PTX and machine code leave
 *   ptx_forms takes LIST TARGET VERSION         prints for each form "yes", or why the front-end refuses it
 *   ptx_forms modules FILE…                     prints what the front-end refuses of whole modules
 *   ptx_forms check RECORDED PART TURN          holds one in PART of what forms.py has recorded against the front-end:
 *                                               the digest, and that a lower target or version is refused
 *
 * In a form the sources are a b c (32 bits), al bl cl (64), af bf cf (.f32), ad bd cd (.f64), ah bh ch (16 bits), ab
 * (.b8) and the predicate pa; the results d d1 … d7, dl dl1 dl2 dl3, df …, dd, dh …, db, and the predicates dp and dq.
 * [g] is the lane's own 64 bytes of global memory and [s] its own 32 bytes of shared memory; [i] is the input, which
 * nobody writes; [m] is 16 bytes of shared memory for each lane of a matrix.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/ptx/program.h"
#include "frontend/sass/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 1024, BLOCK = 32, SOURCES = 3, SLOTS = 8, GLOBAL = 64, SHARED = 32, ROW = 8 * SLOTS + GLOBAL + SHARED };

struct form {
    char text[400];
    bool memory;
};

/* ===== text ===== */

static bool names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '.' || at[-1] == '_')) &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    return false;
}

/* Every result that the form names goes to a place of its own. */
static void print_results(FILE *out, const char *text)
{
    static const struct {
        const char *name, *type;
        uint32_t count;
    } results[] = {{"d", "b32", 8},  {"dl", "b64", 4}, {"df", "f32", 4}, {"dd", "f64", 1},
                   {"dh", "b16", 8}, {"db", "b8", 1},  {"dp", "", 1},    {"dq", "", 1}};
    uint32_t slot = 0;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        for (uint32_t k = 0; k < results[i].count && slot < SLOTS; k++) {
            char name[16];
            snprintf(name, sizeof name, k ? "%s%u" : "%s", results[i].name, k);
            if (!names(text, name))
                continue;
            if (*results[i].type)
                fprintf(out, "st.global.%s [o+%u],%s; ", results[i].type, 8 * slot++, name);
            else
                fprintf(out, "selp.b32 i0,1,0,%s; st.global.b32 [o+%u],i0; ", name, 8 * slot++);
        }
    fputc('\n', out);
}

static void print_kernel(FILE *out, uint32_t number, const struct form *form)
{
    fprintf(out,
            ".visible .entry k%u(.param .u64 pi,.param .u64 po) {\n"
            ".reg .b64 i,o,g,i1,al,bl,cl,dl,dl1,dl2,dl3; .reg .b32 i0,s,m,a,b,c,d,d1,d2,d3,d4,d5,d6,d7;\n"
            ".reg .f32 af,bf,cf,df,df1,df2,df3; .reg .f64 ad,bd,cd,dd; .reg .b8 ab,db; .reg .pred pa,dp,dq;\n"
            ".reg .b16 ah,bh,ch,dh,dh1,dh2,dh3,dh4,dh5,dh6,dh7;\n"
            "ld.param.u64 i,[pi]; ld.param.u64 o,[po]; mov.u32 a,%%tid.x; mov.u32 b,%%ctaid.x; mad.lo.u32 i0,b,%u,a;\n"
            "mad.wide.u32 i,i0,%u,i; mad.wide.u32 o,i0,%u,o; add.u64 g,o,%u;\n",
            number, BLOCK, 8 * SOURCES, ROW, 8 * SLOTS);
    if (form->memory)
        fprintf(out,
                ".shared .align 128 .b8 M[%u]; mov.u32 s,M; mad.lo.u32 m,a,16,s; mad.lo.u32 s,a,%u,s;\n"
                "ld.global.b64 al,[i]; ld.global.b64 bl,[i+8]; st.shared.b64 [s],bl; st.shared.b64 [s+8],al;\n"
                "st.shared.b64 [s+16],al; st.shared.b64 [s+24],bl; bar.sync 0;\n",
                BLOCK * SHARED, SHARED);
    fprintf(out,
            "ld.global.b64 al,[i]; ld.global.b64 bl,[i+8]; ld.global.b64 cl,[i+16]; ld.global.b32 a,[i]; "
            "ld.global.b32 b,[i+8]; ld.global.b32 c,[i+16];\nmov.b32 af,a; mov.b32 bf,b; mov.b32 cf,c;\n"
            "mov.b64 ad,al; mov.b64 bd,bl; mov.b64 cd,cl; cvt.u16.u32 ah,a; cvt.u16.u32 bh,b; cvt.u16.u32 ch,c;\n"
            "cvt.u8.u32 ab,a; setp.lt.s32 pa,a,b;\n"
            "%s;\n",
            form->text);
    print_results(out, form->text);
    if (form->memory)
        fprintf(out,
                "bar.sync 0; ld.shared.b64 al,[s]; ld.shared.b64 bl,[s+8]; st.global.b64 [o+%u],al; "
                "st.global.b64 [o+%u],bl; ld.shared.b64 al,[s+16]; ld.shared.b64 bl,[s+24]; st.global.b64 [o+%u],al; "
                "st.global.b64 [o+%u],bl;\n",
                8 * SLOTS + GLOBAL, 8 * SLOTS + GLOBAL + 8, 8 * SLOTS + GLOBAL + 16, 8 * SLOTS + GLOBAL + 24);
    fprintf(out, "ret; }\n");
}

static void print_module(FILE *out, const char *target, const char *version, const struct form *forms, uint32_t first,
                         uint32_t count)
{
    fprintf(out, ".version %s\n.target %s\n.address_size 64\n", version, target);
    for (uint32_t i = first; i < first + count; i++)
        print_kernel(out, i, &forms[i]);
}

/* ===== operands ===== */

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static const uint32_t special32[] = {
    0,          1,          2,          31,         32,         33,         63,         64,         0xff,
    0x7f,       0x80,       0xffff,     0x7fff,     0x8000,     0x80000000, 0x80000001, 0xffffffff, 0x7fffffff,
    0x00800000, 0x007fffff, 0x00400000, 0x00400001, 0x807fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb,
    0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc12345, 0x7f7fffff, 0xff7fffff, 0x7e800000,
    0x7e800001, 0x7f000000, 0xc2fc0000, 0xc2fc0001, 0x42fe0000, 0x43000000, 0x477fe000, 0x477fefff, 0x477ff000,
    0x38800000, 0x387fffff, 0x33800000, 0x33000000, 0x33000001, 0x43e00000, 0x43e80000, 0x43e80001, 0x47600000,
    0x47700000, 0x3c800000, 0x3a800000, 0x40c00000, 0x40f00000, 0x41e00000, 0x7f7f7f7f, 0x4f000000, 0x4f800000,
    0xcf000000, 0x5f000000, 0x5f800000, 0xdf000000, 0x7c007c00, 0x7c01fc01, 0xfe007e00, 0x3c00bc00, 0x04000001,
    0x7bff7bff, 0x7f80ff80, 0x7f81ff81, 0x7fc0ffc0, 0x3f80bf80, 0x00800080, 0x0040007f, 0x7f7fff7f, 0x80008000};
static const uint64_t special64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x7fffffffffffffff, 0xffffffffffffffff,
    0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000, 0x0010000000000000, 0x000fffffffffffff,
    0x0000000100000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x7ff0000000000001, 0x7ff4000000000000, 0xfff8123456789abc, 0x41dfffffffc00000, 0x41e0000000000000,
    0xc1e0000000000000, 0x41f0000000000000, 0x43e0000000000000, 0x43f0000000000000, 0x40effc0000000000,
    0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffe0000000};

static uint64_t operand(uint64_t *state)
{
    uint64_t bits = next(state), kind = next(state) % 16, high = next(state) & UINT64_C(0xffffffff00000000);
    uint32_t special = special32[next(state) % (sizeof special32 / sizeof *special32)];
    uint64_t sign32 = (bits >> 40 & 1) << 31, sign64 = (bits >> 41 & 1) << 63;
    switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3:
        return special | high;
    case 4:
        return special | (uint64_t)special32[bits % (sizeof special32 / sizeof *special32)] << 32;
    case 5:
    case 6:
        return special64[bits % (sizeof special64 / sizeof *special64)];
    case 7: /* near one, of any sign */
        return (bits & 0x7fffff) | (100 + (bits >> 32) % 56) << 23 | sign32 | high;
    case 8:
    case 9:
        return (bits & UINT64_C(0x000fffffffffffff)) | (983 + (bits >> 52) % 80) << 52 | sign64;
    case 10:
        return bits % 70;
    case 11: /* two halves that are no special numbers */
        return (bits & 0x83ff83ff) | ((bits >> 32) % 30 + 1) << 10 | ((bits >> 48) % 30 + 1) << 26 | high;
    case 12: /* a small fraction of 32 bits: what narrow formats keep, and ties between them */
        return (bits & 0x780000) | (110 + (bits >> 32) % 32) << 23 | sign32 | high;
    case 13:
        return 0 - bits % 70;
    default:
        return bits;
    }
}

/* ===== one form ===== */

struct outcome {
    bool good;
    char why[200];
    unsigned char rows[LANES * ROW];
};

static void fill(uint64_t *sources)
{
    uint64_t state = 2026;
    for (uint32_t i = 0; i < LANES * SOURCES; i++)
        sources[i] = operand(&state);
    for (uint32_t i = 0; i < LANES; i += 16) /* some are equal, or equal but for the sign */
        sources[i * SOURCES + 1] = sources[i * SOURCES] ^ (i & 32 ? UINT64_C(0x8000000080008000) : 0);
}

static void refused(struct outcome *outcome, const struct mnp_error *error)
{
    outcome->good = false;
    snprintf(outcome->why, sizeof outcome->why, "%.190s", error->text);
}

static void launch(struct execute_device *device, const struct execute_code *code, struct outcome *outcome)
{
    static uint64_t sources[LANES * SOURCES];
    struct mnp_error error = {{0}};
    struct execute_launch prepared;
    unsigned char storage[256];
    const uint32_t grid[3] = {LANES / BLOCK, 1, 1}, block[3] = {BLOCK, 1, 1};
    uint64_t in = execute_device_allocate(device, sizeof sources);
    uint64_t out = execute_device_allocate(device, sizeof outcome->rows);
    fill(sources);
    memset(outcome->rows, 0, sizeof outcome->rows);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < GLOBAL / 8; i++)
            memcpy(&outcome->rows[lane * ROW + 8 * SLOTS + 8 * i], &sources[lane * SOURCES + (i + 1) % SOURCES], 8);
    execute_device_write(device, in, sources, sizeof sources);
    execute_device_write(device, out, outcome->rows, sizeof outcome->rows);
    outcome->good =
        execute_launch_prepare(&prepared, code, grid, block, 0, (const void *const[]){&in, &out}, storage, &error) &&
        execute_device_run(device, &prepared, &error);
    if (!outcome->good)
        refused(outcome, &error);
    else
        execute_device_read(device, out, outcome->rows, sizeof outcome->rows);
    execute_device_free(device, in);
    execute_device_free(device, out);
}

/* A module on a device of its own. */
struct loaded {
    const struct execute_language *language;
    struct execute_device device;
    struct execute_module *module;
    struct mnp_error error;
};

static void load(struct loaded *loaded, const struct execute_language *language, const char *data, size_t bytes)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->language = language;
    execute_device_init(&loaded->device, 1 << 12, NULL);
    loaded->module = language->load(&loaded->device, "forms", &(struct execute_text){data, bytes}, 1, &loaded->error);
}

static void unload(struct loaded *loaded)
{
    if (loaded->module)
        loaded->language->unload(loaded->module, &loaded->device);
    execute_device_release(&loaded->device);
}

/* The kernel of that number; with `run` its outcome, else whether it compiles. */
static void try_kernel(struct loaded *loaded, uint32_t number, bool run, struct outcome *outcome)
{
    char name[16];
    snprintf(name, sizeof name, "k%u", number);
    if (loaded->module)
        loaded->error = (struct mnp_error){{0}};
    const struct execute_code *code =
        loaded->module ? loaded->language->kernel(loaded->module, name, &loaded->error) : NULL;
    outcome->good = code != NULL;
    if (!code)
        refused(outcome, &loaded->error);
    else if (run)
        launch(&loaded->device, code, outcome);
}

static void try_ptx(const char *target, const char *version, const struct form *forms, uint32_t number, bool run,
                    struct outcome *outcome)
{
    struct loaded loaded;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    print_module(out, target, version, forms, number, 1);
    fclose(out);
    load(&loaded, &ptx_language, text, bytes);
    try_kernel(&loaded, number, run, outcome);
    unload(&loaded);
    free(text);
}

static uint32_t digest(const struct outcome *outcome)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof outcome->rows; i += 8) {
        uint64_t word;
        memcpy(&word, &outcome->rows[i], 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static void print_difference(const struct outcome *ptx, const struct outcome *machine)
{
    static uint64_t sources[LANES * SOURCES];
    uint32_t lanes = 0, first = LANES, place = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (memcmp(&ptx->rows[lane * ROW], &machine->rows[lane * ROW], ROW) != 0) {
            first = lanes++ ? first : lane;
        }
    if (!lanes)
        return;
    while (memcmp(&ptx->rows[first * ROW + place], &machine->rows[first * ROW + place], 8) == 0)
        place += 8;
    uint64_t p, m;
    memcpy(&p, &ptx->rows[first * ROW + place], 8);
    memcpy(&m, &machine->rows[first * ROW + place], 8);
    fill(sources);
    const uint64_t *s = &sources[first * SOURCES];
    printf(" %u lanes, word %u: %016llx %016llx %016llx gives %016llx, machine code %016llx", lanes, place / 8,
           (unsigned long long)s[0], (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)p,
           (unsigned long long)m);
}

static void run_forms(const char *target, const char *version, const struct form *forms, uint32_t count,
                      const char *cubin)
{
    static struct outcome ptx, machine;
    struct mnp_error error = {{0}};
    size_t bytes = 0;
    char *image = cubin ? mnp_read_file(cubin, 1 << 28, &bytes, &error) : NULL;
    struct loaded machine_code;
    if (image)
        load(&machine_code, &sass_language, image, bytes);
    for (uint32_t i = 0; i < count; i++) {
        try_ptx(target, version, forms, i, true, &ptx);
        if (image)
            try_kernel(&machine_code, i, true, &machine);
        printf("%u ", i);
        if (ptx.good)
            printf("%08x", digest(&ptx));
        else
            printf("refused");
        if (image && machine.good)
            printf(" %08x", digest(&machine));
        else if (image)
            printf(" refused");
        if (!ptx.good)
            printf(" %s", ptx.why);
        else if (image && !machine.good)
            printf(" %s", machine.why);
        else if (image)
            print_difference(&ptx, &machine);
        putchar('\n');
    }
    if (image)
        unload(&machine_code);
    free(image);
}

/* ===== what is recorded ===== */

/* The target or version before that one; NULL: it is the first of those that ptxas knows. */
static const char *before(const char *const *names, const char *name)
{
    const char *last = NULL;
    for (; *names && strcmp(*names, name) != 0; names++)
        last = *names;
    return last;
}

static bool is_refused(const char *target, const char *version, const struct form *form)
{
    static struct outcome outcome;
    try_ptx(target, version, form, 0, false, &outcome);
    return !outcome.good;
}

/* The first version that has a target. */
static const char *first_version(const char *target)
{
    static const struct {
        const char *target, *version;
    } rows[] = {{"sm_75", "6.3"},  {"sm_80", "7.0"},  {"sm_86", "7.1"},   {"sm_89", "7.8"},  {"sm_90", "7.8"},
                {"sm_90a", "8.0"}, {"sm_100", "8.6"}, {"sm_100a", "8.6"}, {"sm_120a", "8.7"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].target, target) == 0)
            return rows[i].version;
    return "9.0";
}

/* Prints what is wrong with a recorded form. */
static bool check_form(const char *target, const char *version, const char *digest_text, const struct form *form)
{
    static const char *const targets[] = {"sm_75",  "sm_80",  "sm_86",   "sm_89",   "sm_90",
                                          "sm_90a", "sm_100", "sm_100a", "sm_120a", NULL};
    static const char *const versions[] = {"6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4",
                                           "7.5", "7.6", "7.7", "7.8", "8.0", "8.1", "8.2", "8.3",
                                           "8.4", "8.5", "8.6", "8.7", "8.8", "9.0", NULL};
    static struct outcome outcome;
    char text[16];
    const char *lower = before(targets, target), *older = before(versions, version);
    try_ptx(target, version, form, 0, true, &outcome);
    snprintf(text, sizeof text, "%08x", outcome.good ? digest(&outcome) : 0);
    bool good = outcome.good && strcmp(text, digest_text) == 0;
    if (!good)
        printf("%s, %s %s: %s\n", form->text, target, version, outcome.good ? text : outcome.why);
    if (lower && strcmp(target, "sm_120a") != 0 && !is_refused(lower, "9.0", form)) {
        printf("%s is taken for %s; it needs %s\n", form->text, lower, target);
        good = false;
    }
    if (older && strcmp(version, first_version(target)) != 0 && !is_refused(target, older, form)) {
        printf("%s is taken for version %s; it needs %s\n", form->text, older, version);
        good = false;
    }
    return good;
}

static bool check_recorded(const char *path, uint32_t part, uint32_t turn)
{
    FILE *file = fopen(path, "r");
    char line[420], target[16] = "", version[16] = "";
    uint32_t count = 0, checked = 0, wrong = 0;
    while (file && fgets(line, sizeof line, file)) {
        struct form form;
        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || sscanf(line, "= %15s %15s", target, version) == 2 || strlen(line) < 10)
            continue;
        if (count++ % part != turn)
            continue;
        line[8] = 0;
        snprintf(form.text, sizeof form.text, "%.399s", line + 9);
        form.memory = strchr(form.text, '[') != NULL;
        checked++;
        wrong += !check_form(target, version, line, &form);
    }
    if (file)
        fclose(file);
    printf("%u of %u forms, %u wrong\n", checked, count, wrong);
    return file && !wrong;
}

/* ===== modules ===== */

static bool takes_module(const char *path)
{
    static struct execute_device device;
    struct ptx_program program;
    struct mnp_error error = {{0}};
    size_t bytes = 0;
    char *text = mnp_read_file(path, 1 << 28, &bytes, &error);
    if (!text)
        return false;
    execute_device_init(&device, 1 << 16, NULL);
    bool good = ptx_program_load(&program, &device, path, text, bytes, &error);
    if (good) {
        good = ptx_program_check(&program, &error);
        ptx_program_unload(&program, &device);
    }
    if (!good)
        printf("%s\n", error.text);
    execute_device_release(&device);
    free(text);
    return good;
}

/* ===== the list ===== */

static struct form *read_forms(const char *path, uint32_t *count)
{
    FILE *file = fopen(path, "r");
    struct form *forms = NULL;
    char line[400];
    *count = 0;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (!*line)
            continue;
        forms = realloc(forms, (*count + 1) * sizeof *forms);
        struct form *form = &forms[(*count)++];
        snprintf(form->text, sizeof form->text, "%s", line);
        form->memory = strchr(line, '[') != NULL;
    }
    if (file)
        fclose(file);
    return forms;
}

int main(int argc, char **argv)
{
    uint32_t count = 0;
    for (int i = 2; i < argc && strcmp(argv[1], "modules") == 0; i++)
        count += !takes_module(argv[i]);
    if (argc > 2 && strcmp(argv[1], "modules") == 0)
        return count > 0;
    if (argc == 5 && strcmp(argv[1], "check") == 0)
        return check_recorded(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4])) ? 0 : 1;
    struct form *forms = argc >= 5 ? read_forms(argv[2], &count) : NULL;
    if (!forms)
        return 2;
    if (strcmp(argv[1], "text") == 0)
        print_module(stdout, argv[3], argv[4], forms, 0, count);
    else if (strcmp(argv[1], "run") == 0)
        run_forms(argv[3], argv[4], forms, count, argc > 5 ? argv[5] : NULL);
    for (uint32_t i = 0; strcmp(argv[1], "takes") == 0 && i < count; i++) {
        static struct outcome ptx;
        try_ptx(argv[3], argv[4], forms, i, false, &ptx);
        printf("%u %s\n", i, ptx.good ? "yes" : ptx.why);
    }
    free(forms);
    return 0;
}
