/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops that go round for ever without asking memory strongly: `while (!*flag);` on a plain load, or a branch to
 * itself. A warp that comes again to a branch back with the same registers, and has written nothing since, does the
 * same for ever unless another changes what it reads. Registers are compared seldom, so that a loop which counts pays
 * next to nothing: every WATCH branches back, with the few that follow (a period, as in cycle finding after Brent
 * 1980 with a fixed limit); and at each one while they repeat, so that a warp which goes on is noticed at once.
 */
#include "execute/warp/warp.h"

#include <xxhash.h>

enum {
    WATCH = 4096,     /* branches back between two looks */
    LONGEST_ROUND = 8 /* branches back after which registers may be the same again */
};

/*
 * All lanes' registers, and not where the lanes are: those that went different ways have turns, and while no register
 * changes they can come to no more places than the program has.
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
