/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of endless loops that do not poll memory by strong accesses: `while (!*flag);` with a plain load, or a
 * branch to itself. If a warp returns to a backward branch with the same registers, and has written nothing since, it
 * will loop forever unless another warp changes the memory that it reads.
 *
 * Registers are compared seldom, so that counting loops pay next to nothing: every WATCH backward branches, and at the
 * few that follow (a period, as in the cycle finding of Brent 1980 with a fixed limit); while they repeat, at every
 * backward branch, so that a warp that leaves the loop is noticed immediately.
 */
#include "execute/warp/warp.h"

#include <xxhash.h>

enum {
    WATCH = 4096,     /* branches back between two looks */
    LONGEST_ROUND = 8 /* branches back after which registers may be the same again */
};

/*
 * Hashes all lanes' registers but not their positions: divergent lanes run in turn, and while no register changes they
 * can reach only finitely many positions.
 */
static uint64_t digest(const struct execute_warp *warp)
{
    return XXH3_64bits_withSeed(warp->registers, warp->register_bytes, warp->frames);
}

bool execute_warp_spins(struct execute_warp *warp)
{
    struct execute_spin *spin = &warp->spin;
    bool wrote = warp->changed || spin->wrote_local;
    uint32_t at = spin->loops++ % WATCH;
    spin->wrote_local = false;
    if (wrote)
        spin->left = 0;
    else if (at == 0 || (spin->spins && !spin->left)) {
        spin->seen = digest(warp);
        spin->left = LONGEST_ROUND;
        return spin->spins;
    }
    if (!spin->left)
        return spin->spins = false;
    if (digest(warp) == spin->seen) {
        spin->spins = true;
        spin->left = 0; /* the next look begins here */
    } else if (!--spin->left)
        spin->spins = false;
    return spin->spins;
}
