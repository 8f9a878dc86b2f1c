/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instruction that a part of a warp executes, while its other lanes are elsewhere: every word of words.tsv, alone,
 * on registers and predicates of chance, for the upper and for the lower half of the lanes. It changes nothing of the
 * other half, uniform registers and predicates among it; and what the other half holds changes nothing of what it does.
 */
#include "base/file.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "execute/warp/warp.h"
#include "frontend/sass/compile/compiler.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32, LOWER = 0xffff, FRAME_BYTES = 1 << 17 };

static const struct carrier {
    unsigned from; /* architecture */
    const char *file;
} carriers[] = {{70, "constants.sm_75.cubin"},  {80, "constants.sm_80.cubin"}, {86, "constants.sm_86.cubin"},
                {89, "constants.sm_89.cubin"},  {90, "constants.sm_90.cubin"}, {100, "constants.sm_100.cubin"},
                {120, "constants.sm_120.cubin"}};
enum { CARRIERS = sizeof carriers / sizeof *carriers };

struct image {
    char *bytes;
    size_t length, code; /* where the kernel's first word lies */
};

static struct image images[CARRIERS];

static void read_images(void)
{
    for (uint32_t i = 0; i < CARRIERS; i++) {
        struct mnp_error error = {{0}};
        char path[300];
        snprintf(path, sizeof path, "%s/%s", DATA, carriers[i].file);
        images[i].bytes = mnp_read_file(path, 1 << 20, &images[i].length, &error);
        assert_non_null(images[i].bytes);
        struct sass_cubin *cubin = sass_cubin_open("part", (unsigned char *)images[i].bytes, images[i].length, &error);
        assert_non_null(cubin);
        for (size_t k = 0; k < cubin->kernel_count; k++)
            if (cubin->kernels[k].entry)
                images[i].code = (size_t)((const char *)cubin->kernels[k].code->data - images[i].bytes);
        sass_cubin_free(cubin);
    }
}

static uint32_t chance(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* ===== one instruction ===== */

struct run {
    uint32_t frame[FRAME_BYTES / 4], before[FRAME_BYTES / 4], bytes;
    uint8_t fault;
    uint64_t fault_address;
};

/* Registers of the lanes of `part` by `seed`, of others by `other_seed`. */
static void fill(uint32_t *frame, uint32_t bytes, uint32_t part, uint64_t seed, uint64_t other_seed)
{
    uint64_t own = seed, others = other_seed;
    for (uint32_t i = 0; i < SASS_PREDICATE_BYTES / 4; i++)
        frame[i] = (chance(&own) & part) | (chance(&others) & ~part);
    for (uint32_t i = SASS_PREDICATE_BYTES / 4; i < bytes / 4; i++)
        frame[i] = chance(part >> i % LANES & 1 ? &own : &others) & 0x7ffffff;
    frame[0] = UINT32_MAX; /* the predicate that always holds */
}

/* The operation at the kernel's beginning, for the lanes of `part`; the others stand behind it. */
static void step(struct execute_device *device, const struct execute_code *code, uint32_t part, uint64_t other_seed,
                 struct run *run)
{
    const uint32_t one[3] = {1, 1, 1}, block[3] = {LANES, 1, 1};
    static const unsigned char zeros[4096];
    unsigned char storage[4096];
    const void *arguments[64];
    struct execute_launch launch;
    struct mnp_error error = {{0}};
    for (uint32_t i = 0; i < 64; i++)
        arguments[i] = zeros;
    assert_true(execute_launch_prepare(&launch, code, one, block, 0, arguments, storage, &error));
    struct execute_cta *cta = execute_device_start(device, &launch, 0);
    struct execute_warp *warp = &cta->warps[0];
    uint32_t *frame = (uint32_t *)(void *)(warp->registers + warp->frame[0].registers);
    run->bytes = execute_code_function_at(code, 0)->frame_bytes;
    assert_in_range(run->bytes, SASS_PREDICATE_BYTES, FRAME_BYTES);
    fill(frame, run->bytes, part, 1, other_seed);
    memcpy(run->before, frame, run->bytes);
    warp->stack[1] = warp->stack[0];
    warp->stack[0].pc = 1;
    warp->stack[0].mask = ~part;
    warp->stack[1].mask = part;
    warp->depth = 2;
    execute_warp_run(warp, 1);
    memcpy(run->frame, frame, run->bytes);
    run->fault = warp->fault;
    run->fault_address = warp->fault_address;
    execute_device_report(device, true, &error);
}

/* Where a word of the frame differs in lanes of a mask: of predicates bits, of registers whole words. */
static bool differs(const uint32_t *a, const uint32_t *b, uint32_t place, uint32_t lanes)
{
    uint32_t bits = a[place] ^ b[place];
    return place < SASS_PREDICATE_BYTES / 4 ? bits & lanes : bits && lanes >> place % LANES & 1;
}

static void check(const char *text, const struct run *run, const struct run *again, uint32_t part, bool alone)
{
    for (uint32_t i = 0; i < run->bytes / 4; i++)
        if (differs(run->frame, run->before, i, ~part))
            fail_msg("%s: it changes word %u, which is another part's (%#x)", text, i, ~part);
    if (!alone)
        return;
    assert_int_equal(run->fault, again->fault);
    assert_int_equal(run->fault_address, again->fault_address);
    for (uint32_t i = 0; i < run->bytes / 4; i++)
        if (differs(run->frame, again->frame, i, part))
            fail_msg("%s: word %u depends on what another part holds (%#x)", text, i, ~part);
}

/* ===== all of them ===== */

static const char *without_guard(const char *text)
{
    while (*text == '@')
        text = strchr(text, ' ') + 1;
    return text;
}

static bool begins_with(const char *text, const char *const *names)
{
    for (text = without_guard(text); *names; names++)
        if (strncmp(text, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Branches and meetings of the whole warp, and BREAK, which takes lanes out of masks that others have. */
static bool is_of_the_warp(const char *text)
{
    static const char *const names[] = {"BRA",     "BRX",       "CALL",      "RET",      "EXIT",
                                        "BPT",     "BSYNC",     "BAR",       "WARPSYNC", "BREAK",
                                        "UCGABAR", "WARPGROUP", "NANOSLEEP", "YIELD",    NULL};
    return begins_with(text, names);
}

/* Products are of whole warps, shuffles read the registers of lanes that are elsewhere, and a clock goes on. */
static bool asks_others(const char *text)
{
    static const char *const names[] = {"SHFL",  "HMMA",  "IMMA",  "DMMA", "BMMA", "QMMA", "MOVM",
                                        "HGMMA", "IGMMA", "QGMMA", "LDSM", "STSM", NULL};
    return begins_with(text, names) || strstr(text, "CLOCK") || strstr(text, "TIMER");
}

static bool check_word(const struct image *image, struct sass_word word, const char *text)
{
    static const uint64_t exit_word[2] = {UINT64_C(0x000000000000794d), UINT64_C(0x000fea0003800000)};
    static struct run run, again;
    struct execute_device device;
    struct mnp_error error = {{0}};
    uint32_t place = 0;
    char *copy = malloc(image->length);
    memcpy(copy, image->bytes, image->length);
    memcpy(copy + image->code, &word, sizeof word);
    memcpy(copy + image->code + sizeof word, exit_word, sizeof exit_word);
    execute_device_init(&device, 1 << 12, NULL);
    struct execute_module *module =
        sass_language.load(&device, "part", &(struct execute_text){copy, image->length}, 1, &error);
    assert_non_null(module);
    const struct execute_code *code = sass_language.kernel(module, sass_language.next_kernel(module, &place), &error);
    for (uint32_t way = 0; code && way < 2; way++) {
        uint32_t part = way ? ~(uint32_t)LOWER : LOWER;
        step(&device, code, part, 2, &run);
        step(&device, code, part, 3, &again);
        check(text, &run, &again, part, !asks_others(text));
    }
    sass_language.unload(module, &device);
    execute_device_release(&device);
    free(copy);
    return code != NULL;
}

static struct sass_word word_of(const char *digits)
{
    char half[17] = "";
    memcpy(half, digits, 16);
    return (struct sass_word){.low = strtoull(digits + 16, NULL, 16), .high = strtoull(half, NULL, 16)};
}

static void a_part_changes_nothing_of_others(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    size_t length;
    uint32_t checked = 0, which;
    char *text = mnp_read_file(DATA "/words.tsv", 1 << 22, &length, &error), *rest = text;
    assert_non_null(text);
    read_images();
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (*line == 0 || *line == '#')
            continue;
        unsigned architecture = (unsigned)atoi(strsep(&line, "\t"));
        strsep(&line, "\t");
        struct sass_word word = word_of(strsep(&line, "\t"));
        for (which = 0; which + 1 < CARRIERS && carriers[which + 1].from <= architecture;)
            which++;
        if (!is_of_the_warp(line))
            checked += check_word(&images[which], word, line);
    }
    print_message("# %u words\n", checked);
    assert_in_range(checked, 4000, 100000);
    for (uint32_t i = 0; i < CARRIERS; i++)
        free(images[i].bytes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_changes_nothing_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
