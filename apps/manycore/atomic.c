/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The atomic benchmark of the EPCC suite: operations on one shared variable, each after a piece of private work,
 * shared out statically. Arguments: operations (4096), rounds of work before each (1000), 1: under a lock instead of
 * by LDREX and STREX (0), whose back-off is the long one with which the figures of docs/literature were measured. The
 * check: nothing is lost.
 */
#include "manycore.h"

static MC_SHARED volatile uint32_t counter, lock;
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
    uint32_t operations = mc_argument(1, 4096), rounds = mc_argument(2, 1000), from, to;
    bool locked = mc_argument(3, 0) != 0;
    mc_share(operations, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        work(rounds);
        if (!locked) {
            mc_add_long(&counter, 1);
            continue;
        }
        mc_lock(&lock);
        counter = counter + 1;
        mc_unlock(&lock);
    }
    mc_sum(NULL, 0); /* core 0 goes on when all are here, the others leave: no polling */
    return mc_conclude("atomic", mc_core() != 0 || counter == operations);
}
