/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of a machine: the same however many threads compute it, and another for every byte that differs. */
#include "engine/core/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { UNITS = 12, BYTES = 1 << 20 };

static mnp_time idle(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

static void lay_out(void *self, struct mnp_arena *arena)
{
    *(unsigned char **)self = mnp_arena_take(arena, BYTES, 1);
}

static const struct mnp_model model = {
    .name = "still", .summary = "does nothing", .lay_out = lay_out, .advance = idle};

static uint64_t hash_with(struct mnp_engine *engine, uint32_t threads)
{
    engine->placed =
        (struct mnp_placed){.binding = threads > 1 ? MNP_BINDING_UNASKED : MNP_BINDING_NO_TEAM, .threads = threads};
    return mnp_engine_hash(engine);
}

static void test_threads(void **state)
{
    (void)state;
    struct mnp_engine engine;
    unsigned char *bytes[UNITS];
    mnp_engine_init(&engine);
    for (uint32_t i = 0; i < UNITS; i++) {
        struct mnp_unit *unit = mnp_engine_create_unit(
            &engine, &(struct mnp_unit_plan){.model = &model, .name = "unit", .self = &bytes[i], .hertz = 1000000000});
        for (uint32_t k = 0; k < BYTES; k++)
            bytes[i][k] = (unsigned char)(k * 7 + i);
        unit->progress = i == 3 ? 0 : 1; /* one that has never acted */
    }
    mnp_engine_freeze(&engine, 1000);
    uint64_t hash = hash_with(&engine, 1);
    for (uint32_t threads = 2; threads <= 4; threads++)
        assert_true(hash_with(&engine, threads) == hash);
    for (uint32_t i = 0; i < UNITS; i++) {
        bytes[i][BYTES - 1] ^= 1;
        assert_true((hash_with(&engine, 2) == hash) == (i == 3));
        bytes[i][BYTES - 1] ^= 1;
    }
    mnp_engine_release(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
