/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code that is executed: cubins of our own kernels and their PTX, on the same input, leave the same memory;
 * instructions over words give the same bits on all levels of the host's processor; damaged cubins are refused.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "execute/lanes/words.h"
#include "frontend/ptx/program.h"
#include "frontend/sass/program.h"

#include "../../data/read_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INPUT = 4096, OUTPUT = 4096 };

static uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

struct launch {
    const char *kernel;
    uint32_t grid, block, scalars, scalar[4]; /* behind the addresses of two inputs and one output */
    uint32_t inputs, range;                   /* values are below `range`; 0: floats */
    bool cooperative;                         /* blocks have a workspace of their grid */
};

static void fill(const struct launch *launch, uint32_t *values)
{
    uint64_t state = 7;
    for (uint32_t i = 0; i < INPUT; i++) {
        float value = (float)(int32_t)next(&state) * 0x1p-31f;
        if (launch->range)
            values[i] = launch->range == 1 ? next(&state) : next(&state) % launch->range;
        else
            memcpy(&values[i], &value, sizeof value);
    }
}

/* Runs one kernel of a module and returns what its output holds. */
static void run(const struct execute_language *language, const char *path, const struct launch *launch,
                uint32_t output[OUTPUT])
{
    static uint32_t values[INPUT];
    struct execute_device device;
    struct mnp_error error = {{0}};
    size_t length;
    char *text = read_text(path, 1 << 20, &length, &error);
    assert_non_null(text);
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module = language->load(&device, path, &(struct execute_text){text, length}, 1, &error);
    if (!module)
        fail_msg("%s", error.text);
    const struct execute_code *code = language->kernel(module, launch->kernel, &error);
    if (!code)
        fail_msg("%s", error.text);
    fill(launch, values);
    uint64_t in = execute_device_allocate(&device, sizeof values), out = execute_device_allocate(&device, 4 * OUTPUT);
    assert_true(execute_device_write(&device, in, values, sizeof values));
    memset(output, 0, 4 * OUTPUT);
    assert_true(execute_device_write(&device, out, output, 4 * OUTPUT));
    uint64_t in2 = in + 4 * INPUT / 2;
    const void *arguments[8] = {&in};
    uint32_t count = 1;
    if (launch->inputs == 2)
        arguments[count++] = &in2;
    arguments[count++] = &out;
    for (uint32_t i = 0; i < launch->scalars; i++)
        arguments[count++] = &launch->scalar[i];
    unsigned char storage[256];
    struct execute_launch prepared;
    uint32_t grid[3] = {launch->grid, 1, 1}, block[3] = {launch->block, 1, 1};
    if (!execute_launch_prepare(&prepared, code, grid, block, 0, arguments, storage, &error))
        fail_msg("%s", error.text);
    prepared.workspace = launch->cooperative ? execute_device_allocate(&device, 64) : 0;
    if (!execute_device_run(&device, &prepared, &error))
        fail_msg("%s: %s", path, error.text);
    assert_true(execute_device_read(&device, out, output, 4 * OUTPUT));
    language->unload(module, &device);
    execute_device_release(&device);
    free(text);
}

/* The least answer of the machine code is one that is not all zeros. */
static void compare(const struct launch *launch, const char *cubin, const char *ptx)
{
    static uint32_t machine[OUTPUT], text[OUTPUT];
    uint32_t some = 0;
    run(&sass_language, cubin, launch, machine);
    run(&ptx_language, ptx, launch, text);
    for (uint32_t i = 0; i < OUTPUT; i++) {
        some |= machine[i];
        if (machine[i] != text[i])
            fail_msg("%s: word %u: machine code %#x, PTX %#x", launch->kernel, i, machine[i], text[i]);
    }
    assert_int_not_equal(some, 0);
}

static void sparse_products_are_those_of_ptx(void **state)
{
    (void)state;
    static const struct launch launch = {"sparse", 1, 128, .inputs = 1, .range = 1};
    compare(&launch, DATA "/sparse.sm_90.cubin", DATA "/sparse.sm_90.ptx");
}

static void sums_are_those_of_ptx(void **state)
{
    (void)state;
    static const struct launch launch = {"vecadd", 8, 256, 1, {2000}, 2, 0};
    compare(&launch, DATA "/vecadd.sm_80.cubin", APPS "/vecadd.ptx.xz");
}

/* Shared memory, its atomics, barriers, loops, uniform registers. */
static void counts_are_those_of_ptx(void **state)
{
    (void)state;
    static const struct launch launch = {"histogram", 3, 256, 1, {INPUT}, 1, 1};
    compare(&launch, DATA "/histogram.sm_90.cubin", APPS "/histogram.ptx.xz");
}

/* Lanes that part and meet, at the edges of the grid. */
static void paths_are_those_of_ptx(void **state)
{
    (void)state;
    static const struct launch launch = {"pathfinder", 8, 256, 3, {500, 0, 4}, 2, 100};
    compare(&launch, DATA "/pathfinder.sm_75.cubin", APPS "/pathfinder.ptx.xz");
}

/* histogram has 256 words of its own; what stands in front of them in sm_90's section is the system's. */
static void the_first_kilobyte_is_the_systems(void **state)
{
    (void)state;
    size_t length;
    struct mnp_error error = {{0}};
    struct execute_device device;
    char *image = mnp_read_file(DATA "/histogram.sm_90.cubin", 1 << 20, &length, &error);
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module =
        sass_language.load(&device, "histogram", &(struct execute_text){image, length}, 1, &error);
    const struct execute_code *code = sass_language.kernel(module, "histogram", &error);
    assert_non_null(code);
    assert_int_equal(code->shared_bytes - code->shared_system, 4 * 256);
    sass_language.unload(module, &device);
    execute_device_release(&device);
    free(image);
}

/* What is known of a kernel without its operations is what is known with them. */
static void assert_outline(struct execute_module *module, const char *name)
{
    struct mnp_error error = {{0}};
    const struct execute_code *outline = sass_language.outline(module, name);
    const struct execute_code *code = sass_language.kernel(module, name, &error);
    assert_true(outline && code && outline != code);
    assert_ptr_equal(sass_language.outline(module, name), outline);
    assert_int_equal(outline->ops.count, 0);
    assert_int_equal(outline->registers, code->registers);
    assert_int_equal(outline->shared_bytes, code->shared_bytes);
    assert_int_equal(outline->dynamic_shared, code->dynamic_shared);
    assert_int_equal(outline->shared_system, code->shared_system);
    assert_int_equal(outline->parameter_bytes, code->parameter_bytes);
    assert_int_equal(outline->source, code->source);
    assert_memory_equal(outline->most_block, code->most_block, sizeof code->most_block);
    assert_memory_equal(outline->cluster, code->cluster, sizeof code->cluster);
    assert_int_equal(outline->needs_cluster, code->needs_cluster);
    assert_int_equal(execute_code_function_at(outline, 0)->local_bytes, execute_code_function_at(code, 0)->local_bytes);
}

static void outlines_are_those_of_kernels(void **state)
{
    static const char *const files[] = {"/histogram.sm_90.cubin", "/clustersum.sm_90.cubin", "/hotspot.sm_70.cubin",
                                        "/agree.sm_80.cubin", "/images.sm_120.cubin"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[400];
        size_t length;
        uint32_t place = 0;
        struct mnp_error error = {{0}};
        struct execute_device device;
        snprintf(path, sizeof path, DATA "%s", files[i]);
        char *image = mnp_read_file(path, 1 << 20, &length, &error);
        execute_device_init(&device, 1 << 12, NULL);
        struct execute_module *module =
            sass_language.load(&device, files[i], &(struct execute_text){image, length}, 1, &error);
        assert_non_null(module);
        for (const char *name; (name = sass_language.next_kernel(module, &place));)
            assert_outline(module, name);
        assert_true(place && !sass_language.outline(module, "no kernel"));
        sass_language.unload(module, &device);
        execute_device_release(&device);
        free(image);
    }
}

/* ===== levels of the host's processor ===== */

static uint32_t operand(uint64_t *state)
{
    static const uint32_t special[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000,
                                       0xff800000, 0x7fc00000, 1,          0x007fffff, 0x00800000, 0x3f800000,
                                       31,         32,         63,         64,         0x3c003c00, 0x7c007e01};
    uint32_t value = next(state);
    return value % 3 ? value : special[next(state) % (sizeof special / sizeof *special)];
}

struct words {
    uint32_t d[64], a[64], b[64], c[64], predicates[32];
};

static void apply(execute_words_function function, uint64_t seed, struct words *words, uint32_t out[2])
{
    uint64_t state = seed;
    struct execute_words w = {
        .d = words->d, .a = words->a, .b = words->b, .c = words->c, .predicates = words->predicates};
    memset(words, 0, sizeof *words);
    for (uint32_t i = 0; i < 64; i++) {
        words->a[i] = operand(&state);
        words->b[i] = operand(&state);
        words->c[i] = operand(&state);
    }
    for (uint32_t i = 0; i < 3; i++)
        w.in[i] = next(&state);
    w.modifiers = next(&state);
    w.lanes = next(&state) | 1;
    function(&w);
    out[0] = w.out[0];
    out[1] = w.out[1];
}

static void assert_same(const execute_words_function *one, const execute_words_function *other, uint32_t count)
{
    for (uint32_t name = 0; name < count; name++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            static struct words words[2];
            uint32_t out[2][2];
            apply(one[name], seed, &words[0], out[0]);
            apply(other[name], seed, &words[1], out[1]);
            if (memcmp(&words[0], &words[1], sizeof words[0]) != 0 || memcmp(out[0], out[1], sizeof out[0]) != 0)
                fail_msg("function %u, seed %u: the levels differ", name, (unsigned)seed);
        }
}

/* All arithmetic, of PTX and of machine code, on any bits. */
static void all_levels_give_the_same_bits(void **state)
{
    (void)state;
    const struct execute_words_table *tables[4];
    uint32_t levels = execute_words_all(tables);
    for (uint32_t level = 1; level < levels; level++) {
        assert_same(tables[0]->functions, tables[level]->functions, EXECUTE_WORDS_COUNT);
        assert_same(tables[0]->lanes, tables[level]->lanes, EXECUTE_LANE_COUNT);
        assert_same(tables[0]->tests, tables[level]->tests, EXECUTE_TEST_COUNT);
    }
}

/* ===== damage ===== */

/* Every third byte of a cubin changed in turn: its kernels are refused, or compiled, and nothing else happens. */
static void damage_is_refused(void **state)
{
    (void)state;
    size_t length;
    struct mnp_error error = {{0}};
    char *image = mnp_read_file(DATA "/vecadd.sm_80.cubin", 1 << 20, &length, &error);
    uint32_t refused = 0;
    for (size_t at = 0; at < length; at += 3) {
        struct execute_device device;
        execute_device_init(&device, 1 << 12, NULL);
        image[at] ^= (char)(1 << at % 8);
        error.text[0] = 0;
        struct execute_module *module =
            sass_language.load(&device, "damaged", &(struct execute_text){image, length}, 1, &error);
        const struct execute_code *code = module ? sass_language.kernel(module, "vecadd", &error) : NULL;
        refused += !code;
        assert_true((code != NULL) == (error.text[0] == 0));
        if (code)
            free(sass_language.instructions(code));
        if (module)
            sass_language.unload(module, &device);
        execute_device_release(&device);
        image[at] ^= (char)(1 << at % 8);
    }
    assert_true(refused > 30);
    free(image);
}

/* Whole cubins, relocatable ones, and ones that nvlink has made of these: addresses in data and in code, and tables of
 * jumps, are where the kernel and the functions that it calls look for them. Code of -G finds the end of the stack. */
static void addresses_are_put_in(void **state)
{
    (void)state;
    static const struct launch pointers = {"pointers", 1, 32, .inputs = 1, .range = 1};
    static const struct launch functions = {"functions", 1, 32, .inputs = 1, .range = 1};
    static const struct launch choice = {"choice", 1, 32, .inputs = 1, .range = 1};
    static const struct launch stack = {"stack", 1, 32, .inputs = 1, .range = 1};
    static const struct launch another = {"another", 1, 32, .inputs = 1, .range = 1};
    static const struct {
        const struct launch *launch;
        const char *cubin, *ptx;
    } rows[] = {
        {&pointers, "pointers-parts.sm_75", "pointers"},
        {&pointers, "pointers-parts.sm_90", "pointers"},
        {&pointers, "pointers-parts.sm_120", "pointers"},
        {&pointers, "pointers-linked.sm_80", "pointers"},
        {&pointers, "pointers-linked.sm_90", "pointers"},
        {&pointers, "pointers-linked.sm_100", "pointers"},
        {&functions, "functions-parts.sm_80", "functions"},
        {&functions, "functions-linked.sm_75", "functions"},
        {&functions, "functions-linked.sm_100", "functions"},
        {&choice, "choice-parts.sm_80", "choice"},
        {&choice, "choice-parts.sm_90", "choice"},
        {&choice, "choice-parts.sm_120", "choice"},
        {&choice, "choice-linked.sm_75", "choice"},
        {&choice, "choice-linked.sm_90", "choice"},
        {&choice, "choice-linked.sm_100", "choice"},
        {&functions, "functions.sm_90", "functions"},
        {&pointers, "pointers.sm_120", "pointers"},
        {&stack, "stack.sm_75", "stack"},
        {&stack, "stack.sm_90", "stack"},
        {&stack, "stack.sm_120", "stack"},
        {&another, "choice-parts.sm_90", "choice"},
        {&another, "choice-linked.sm_75", "choice"},
        {&another, "choice-linked.sm_90", "choice"},
        {&another, "choice-linked.sm_100", "choice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char cubin[512], ptx[512];
        snprintf(cubin, sizeof cubin, DATA "/%s.cubin", rows[i].cubin);
        snprintf(ptx, sizeof ptx, DATA "/%s.sm_75.ptx", rows[i].ptx);
        compare(rows[i].launch, cubin, ptx);
    }
}

/* The part of shared memory that the system keeps is none of the kernel's own. */
static void the_system_has_shared_memory_of_its_own(void **state)
{
    (void)state;
    static const struct launch launch = {"reserved", 1, 64, .inputs = 1};
    static const uint32_t architectures[] = {80, 90, 100, 120};
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        char path[512];
        snprintf(path, sizeof path, DATA "/reserved.sm_%u.cubin", architectures[i]);
        compare(&launch, path, DATA "/reserved.sm_80.ptx");
    }
}

/* What a cooperative grid calls of the driver: its handle, and a barrier. */
static void grids_meet(void **state)
{
    (void)state;
    enum { BLOCKS = 4, THREADS = 64, COUNT = BLOCKS * THREADS };
    static const struct launch launch = {"meet", BLOCKS, THREADS, .inputs = 1, .range = 1, .cooperative = true};
    static const uint32_t architectures[] = {75, 80, 90, 100, 120};
    static uint32_t output[OUTPUT];
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        char path[512];
        snprintf(path, sizeof path, DATA "/meet.sm_%u.cubin", architectures[i]);
        run(&sass_language, path, &launch, output);
        for (uint32_t j = 0; j < COUNT; j++)
            assert_int_equal(output[j], (j + THREADS) % COUNT * 3);
    }
}

/* Registers wait in Rpc while others are read (RPCMOV): one has the block's number, one an address. */
static void registers_wait_in_rpc(void **state)
{
    (void)state;
    enum { BLOCKS = 4, THREADS = 64 };
    static const struct launch launch = {"bail", BLOCKS, THREADS, .inputs = 1, .range = 1, .cooperative = true};
    static uint32_t output[OUTPUT];
    run(&sass_language, DATA "/bail.sm_100.cubin", &launch, output);
    for (uint32_t j = 0; j < BLOCKS * THREADS; j++) {
        uint32_t number = j % THREADS + j / THREADS + 3, steps = 0;
        for (; number != 1; steps++)
            number = number % 2 ? 3 * number + 1 : number / 2;
        assert_int_equal(output[j], steps + j / THREADS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products_are_those_of_ptx),
        cmocka_unit_test(sums_are_those_of_ptx),
        cmocka_unit_test(counts_are_those_of_ptx),
        cmocka_unit_test(paths_are_those_of_ptx),
        cmocka_unit_test(addresses_are_put_in),
        cmocka_unit_test(the_system_has_shared_memory_of_its_own),
        cmocka_unit_test(grids_meet),
        cmocka_unit_test(registers_wait_in_rpc),
        cmocka_unit_test(the_first_kilobyte_is_the_systems),
        cmocka_unit_test(outlines_are_those_of_kernels),
        cmocka_unit_test(all_levels_give_the_same_bits),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
