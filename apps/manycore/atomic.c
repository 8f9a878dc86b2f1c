/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The atomic benchmark of the EPCC suite: all cores add to one shared counter, half of the times by LDREX and STREX,
 * half under a lock. Argument: times (8). The check: nothing is lost.
 */
#include "manycore.h"

static MC_SHARED volatile uint32_t counter, guarded, lock;

int mc_main(void)
{
    uint32_t times = mc_argument(1, 8);
    for (uint32_t i = 0; i < times; i++) {
        if (i % 2 == 0) {
            mc_add(&counter, 1);
        } else {
            mc_lock(&lock);
            guarded = guarded + 1;
            mc_unlock(&lock);
        }
    }
    mc_barrier_tree();
    bool right = counter == mc_cores() * ((times + 1) / 2) && guarded == mc_cores() * (times / 2);
    return mc_conclude("atomic", right);
}
