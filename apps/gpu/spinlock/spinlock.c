/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { BLOCKS, ROUNDS };

static void spinlock_run(struct app_run *run)
{
    uint32_t blocks = run->sizes[BLOCKS], rounds = run->sizes[ROUNDS], total = blocks * rounds;
    uint32_t expected[2] = {total, 0};
    CUdeviceptr lock = app_device(run, 4), counter = app_device(run, 65 * 4),
                trail = app_device(run, 4 * (size_t)total);
    app_launch(run, "spinlock", app_shape(32 * blocks, 32), &lock, &counter, &trail, &rounds);
    uint32_t *counts = app_read(run, counter, 65 * 4), *order = app_read(run, trail, 4 * (size_t)total);
    uint32_t got[2] = {counts[0], counts[64]};
    for (uint32_t i = 0; i < total; i++)
        expected[1] += i;
    app_check_words(run, "counters", got, expected, 2);
    /* Whatever the order was, each block has had the lock as often as it wanted. */
    uint32_t *turns = app_host(run, blocks, 4), *wanted = app_host(run, blocks, 4);
    for (uint32_t i = 0; i < total; i++)
        if (order[i] < blocks)
            turns[order[i]]++;
    for (uint32_t i = 0; i < blocks; i++)
        wanted[i] = rounds;
    app_check_words(run, "turns", turns, wanted, blocks);
}

const struct app app_spinlock = {
    .name = "spinlock",
    .suite = "memory model",
    .summary = "blocks that take turns at a lock and change memory with plain loads and stores",
    .stresses =
        "The memory model: a compare and swap that all blocks repeat at one address, fences, and plain accesses "
        "between them that must see what the holder before has written, though another SM did. Time goes into "
        "the round trip to L2 and the crowd at the lock.",
    .tolerance = "exact",
    .sizes = {{"blocks", 24, 1, 4096, 0, "blocks", NULL}, {"rounds", 4, 1, 1000, 0, "turns of each block", NULL}},
    .run = spinlock_run};
