/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases of data-parallel work, each ended by a barrier. Arguments: kind (0 centralised BC, 1 distributed master-slave
 * B-MSD, 2 tree BMSD-T), phases (8), items of work in a phase (4096), rounds of work for an item (20). The check:
 * behind a barrier every core's neighbour has arrived as often as it has itself.
 */
#include "manycore.h"

MC_BANK_NEEDS(1540); /* MC_BANK_RESERVED, and a word */

static volatile uint32_t sink;

static void work(uint32_t rounds)
{
    uint32_t state = mc_core() + 1, sum = 0;
    while (rounds--)
        sum += mc_random(&state);
    sink = sum;
}

int mc_main(void)
{
    static void (*const barriers[])(void) = {mc_barrier_central, mc_barrier_master, mc_barrier_tree};
    static const char *const names[] = {"barrier BC", "barrier B-MSD", "barrier BMSD-T"};
    uint32_t kind = mc_argument(1, 0) % 3, phases = mc_argument(2, 8), items = mc_argument(3, 4096);
    uint32_t rounds = mc_argument(4, 20), from, to, next = mc_core() + 1;
    volatile uint32_t *mine = mc_bank(mc_core()) + MC_BANK_RESERVED / 4;
    volatile uint32_t *other = mc_bank(next == mc_cores() ? 0 : next) + MC_BANK_RESERVED / 4;
    bool right = true;
    mc_share(items, &from, &to);
    for (uint32_t i = 1; i <= phases; i++) {
        for (uint32_t item = from; item < to; item++)
            work(rounds);
        *mine = i;
        barriers[kind]();
        uint32_t seen = *other;
        right = right && (seen == i || seen == i + 1); /* it may be one ahead already */
    }
    return mc_conclude(names[kind], right);
}
