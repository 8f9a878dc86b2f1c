/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers one after the other, with a little work between them. Arguments: kind (0 centralised, 1 master-slave,
 * 2 tree), barriers (8). The check: behind a barrier every core's neighbour has arrived as often as it has itself.
 */
#include "manycore.h"

int mc_main(void)
{
    static void (*const barriers[])(void) = {mc_barrier_central, mc_barrier_master, mc_barrier_tree};
    static const char *const names[] = {"barrier BC", "barrier B-MSD", "barrier BMSD-T"};
    uint32_t kind = mc_argument(1, 0) % 3, count = mc_argument(2, 8);
    volatile uint32_t *mine = mc_bank(mc_core()) + MC_BANK_RESERVED / 4 - 4;
    volatile uint32_t *other = mc_bank((mc_core() + 1) % mc_cores()) + MC_BANK_RESERVED / 4 - 4;
    bool right = true;
    for (uint32_t i = 1; i <= count; i++) {
        for (volatile uint32_t work = 0; work < 10 + mc_core() % 8; work++)
            ;
        *mine = i;
        barriers[kind]();
        uint32_t seen = *other;
        right = right && (seen == i || seen == i + 1); /* it may be one ahead already */
    }
    return mc_conclude(names[kind], right);
}
