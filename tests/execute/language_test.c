/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of a language that is none of Maniple's: its one kernel is put together by hand. out[thread] = thread + 5,
 * doubled in the first 16 lanes of each warp.
 */
#include "base/allocate.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "execute/device/journal.h"
#include "execute/live/replay.h"
#include "isa/opcodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PREDICATE = 8, THREADS = 64, CTAS = 3 };
enum { SMALL = 128, LARGE = SMALL + EXECUTE_SMALL_BYTES, FRAME = LARGE + EXECUTE_LARGE_BYTES }; /* of the frame */

struct toy_module {
    struct execute_module base;
    char text[16];
    struct execute_code code;
};

static const struct execute_language toy;

static uint32_t constant(struct execute_code *code, uint32_t value)
{
    uint32_t at = code->constants.count, *lanes = mnp_array_add(&code->constants, EXECUTE_SMALL_BYTES, 1);
    for (uint32_t i = 0; i < 32; i++)
        lanes[i] = value;
    return (uint32_t)EXECUTE_BASE_CONSTANT << EXECUTE_BASE_SHIFT | at;
}

static uint32_t special(struct execute_code *code, enum execute_special which)
{
    code->special_offset[which] = code->special_bytes;
    code->special_bytes += EXECUTE_SMALL_BYTES;
    return (uint32_t)EXECUTE_BASE_SPECIAL << EXECUTE_BASE_SHIFT | code->special_offset[which];
}

static struct execute_op *add(struct execute_code *code, enum execute_kind kind)
{
    struct execute_op *op = mnp_array_add(&code->ops, 1, sizeof *op);
    *op = (struct execute_op){.kind = (uint8_t)kind, .guard = EXECUTE_TRUE, .statement = code->ops.count};
    op->d = op->a = op->b = op->c = EXECUTE_NO_REF;
    op->target = op->reconverge = EXECUTE_NONE;
    op->list = code->list.count;
    return op;
}

static void list(struct execute_code *code, uint32_t ref)
{
    *(uint32_t *)mnp_array_add(&code->list, 1, sizeof ref) = ref;
}

static struct execute_op *lanes(struct execute_code *code, enum execute_lane lane, uint32_t d, uint32_t a, uint32_t b,
                                uint32_t c)
{
    struct execute_op *op = add(code, EXECUTE_KIND_LANES);
    op->words = execute_words_best()->lanes[lane];
    op->size = d >= LARGE ? 8 : 4;
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B |
                          (c == EXECUTE_NO_REF ? 0 : EXECUTE_OP_READS_C));
    return op;
}

static void compile(struct toy_module *module)
{
    struct execute_code *code = &module->code;
    *code = (struct execute_code){
        .module = &module->base, .table = execute_words_best(), .name = "toys", .parameter_bytes = 8, .registers = 16};
    memset(code->special_offset, 0xff, sizeof code->special_offset);
    *(struct execute_transfer *)mnp_array_add(&code->parameters, 1, sizeof(struct execute_transfer)) =
        (struct execute_transfer){0, 8};
    mnp_array_add(&code->transfers, 1, sizeof(struct execute_transfer));
    mnp_array_add(&code->targets, 1, sizeof(uint32_t));
    uint32_t tid = special(code, EXECUTE_SPECIAL_TID_X), cta = special(code, EXECUTE_SPECIAL_CTAID_X);
    uint32_t lane = special(code, EXECUTE_SPECIAL_LANEID);
    struct execute_op *load = add(code, EXECUTE_KIND_LOAD_PARAMETER);
    load->access =
        (struct execute_access_form){.space = EXECUTE_SPACE_PARAM, .type = EXECUTE_u64, .count = 1, .slot = 8};
    load->list_results = 1;
    list(code, LARGE);
    lanes(code, EXECUTE_LANE_mad_lo_u32, SMALL, cta, constant(code, THREADS), tid);
    lanes(code, EXECUTE_LANE_mad_wide_u32, LARGE, SMALL, constant(code, 4), LARGE);
    lanes(code, EXECUTE_LANE_add_u32, SMALL, SMALL, constant(code, 5), EXECUTE_NO_REF);
    struct execute_op *test = add(code, EXECUTE_KIND_TEST);
    test->words = execute_words_best()->tests[EXECUTE_TEST_lt_u32];
    test->d = PREDICATE;
    test->a = lane;
    test->b = constant(code, 16);
    test->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    lanes(code, EXECUTE_LANE_add_u32, SMALL, SMALL, SMALL, EXECUTE_NO_REF)->guard = PREDICATE;
    struct execute_op *store = add(code, EXECUTE_KIND_STORE);
    store->access = (struct execute_access_form){
        .space = EXECUTE_SPACE_GLOBAL, .type = EXECUTE_u32, .count = 1, .slot = 4, .wide_address = true};
    store->a = LARGE;
    store->flags = EXECUTE_OP_READS_A;
    store->list_sources = 1;
    list(code, SMALL);
    add(code, EXECUTE_KIND_EXIT);
    *(struct execute_code_function *)mnp_array_add(&code->functions, 1, sizeof(struct execute_code_function)) =
        (struct execute_code_function){
            .op_count = code->ops.count, .frame_bytes = FRAME, .predicate_bytes = SMALL, .large_start = LARGE};
}

/* ===== the language ===== */

static struct execute_module *load(struct execute_device *device, const char *name, const struct execute_text *texts,
                                   uint32_t count, struct mnp_error *error)
{
    struct toy_module *module = mnp_allocate(1, sizeof *module);
    module->base.language = &toy;
    execute_note_begin(device);
    memcpy(module->text, texts[0].text, texts[0].length);
    bool good = strcmp(module->text, "good") == 0;
    execute_note_link(device, &toy, good ? &module->base : NULL, name, texts, count);
    if (good) {
        compile(module);
        return &module->base;
    }
    free(module);
    mnp_fail(error, "%s: this is no toy", name);
    return NULL;
}

static void unload(struct execute_module *module, struct execute_device *device)
{
    execute_note_begin(device);
    execute_note_unload(device, module);
    execute_code_release(&((struct toy_module *)module)->code);
    free(module);
}

static struct execute_location locate(const struct execute_code *code, uint32_t op)
{
    (void)code;
    return (struct execute_location){"toy.txt", op + 1, "play"};
}

static const struct execute_language toy = {.name = "toy", .load = load, .unload = unload, .locate = locate};

static const struct execute_language *named(const char *name)
{
    return strcmp(name, toy.name) == 0 ? &toy : NULL;
}

/* ===== tests ===== */

struct room {
    struct execute_device device;
    struct toy_module *module;
    struct mnp_error error;
};

static void open_room(struct room *room)
{
    memset(room, 0, sizeof *room);
    execute_device_init(&room->device, 64, NULL);
    room->module =
        (struct toy_module *)load(&room->device, "toy.txt", &(struct execute_text){"good", 4}, 1, &room->error);
    assert_non_null(room->module);
}

static void close_room(struct room *room)
{
    unload(&room->module->base, &room->device);
    execute_device_release(&room->device);
}

static bool run(struct room *room, uint64_t out)
{
    static const uint32_t grid[3] = {CTAS, 1, 1}, block[3] = {THREADS, 1, 1};
    unsigned char storage[16];
    struct execute_launch launch;
    return execute_launch_prepare(&launch, &room->module->code, grid, block, 0, (const void *const[]){&out}, storage,
                                  &room->error) &&
           execute_device_run(&room->device, &launch, &room->error);
}

static void test_values(void **state)
{
    struct room room;
    uint32_t values[CTAS * THREADS];
    (void)state;
    open_room(&room);
    uint64_t out = execute_device_allocate(&room.device, sizeof values);
    if (!run(&room, out))
        fail_msg("%s", room.error.text);
    assert_true(execute_device_read(&room.device, out, values, sizeof values));
    for (uint32_t i = 0; i < CTAS * THREADS; i++)
        assert_int_equal(values[i], i % 32 < 16 ? 2 * (i + 5) : i + 5);
    assert_int_equal(room.device.steps, CTAS * THREADS / 32 * 8);
    close_room(&room);
}

/* A fault names what the language says about the operation. */
static void test_fault(void **state)
{
    struct room room;
    (void)state;
    open_room(&room);
    uint64_t out = execute_device_allocate(&room.device, CTAS * THREADS * 4 - 4);
    assert_false(run(&room, out));
    assert_non_null(strstr(room.error.text, "toy.txt:7: kernel toys, block (2,0,0), thread (63,0,0): `play`: an access "
                                            "outside every allocation"));
    close_room(&room);
}

/* Another device does the same by the notes; what could not be loaded has a number, too. */
static void test_replay(void **state)
{
    struct room room, other = {0};
    void *notes;
    (void)state;
    memset(&room, 0, sizeof room);
    execute_device_init(&room.device, 64, NULL);
    execute_device_init(&other.device, 64, NULL);
    execute_journal_start(&room.device);
    assert_null(load(&room.device, "bad.txt", &(struct execute_text){"bad", 3}, 1, &room.error));
    struct execute_module *module = load(&room.device, "toy.txt", &(struct execute_text){"good", 4}, 1, &room.error);
    assert_non_null(module);
    uint64_t address = execute_device_allocate(&room.device, 100);
    size_t length = execute_journal_take(&room.device, &notes);
    struct execute_replay replay = {.device = &other.device, .language = named};
    assert_true(execute_replay_notes(&replay, notes, length, &other.error));
    assert_int_equal(replay.modules.count, 2);
    struct execute_module **modules = replay.modules.items;
    assert_null(modules[0]);
    assert_non_null(modules[1]);
    assert_string_equal(((struct toy_module *)modules[1])->text, "good");
    assert_true(execute_device_free(&other.device, address));
    free(notes);
    unload(module, &room.device);
    length = execute_journal_take(&room.device, &notes);
    assert_true(execute_replay_notes(&replay, notes, length, &other.error));
    assert_null(((struct execute_module **)replay.modules.items)[1]);
    free(notes);
    execute_replay_release(&replay);
    execute_device_release(&room.device);
    execute_device_release(&other.device);
}

/* What stands for a kind in traces is an opcode that readers of traces know. */
static void test_kinds(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EXECUTE_KIND_COUNT; i++) {
        const char *name = execute_kinds[i].instruction;
        if (name && !isa_opcode_find(name, strcspn(name, ".")))
            fail_msg("%s: no opcode is called %s", execute_kinds[i].name, name);
    }
    assert_string_equal(execute_kind_name(EXECUTE_KIND_LOAD), "LD");
    assert_string_equal(execute_kind_name(EXECUTE_KIND_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_fault),
                                       cmocka_unit_test(test_replay), cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
