/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a machine whose units may be joined into one is to be. Units are there for several threads; where windows
 * are run by one thread alone nearly always, as little is to be done in each or as running together was measured
 * slower, one unit costs it less than several do, and its windows are longer. It stays joined for many times the
 * simulated time in which that was found, the longer the more often it was right, or until there is suddenly much
 * more to do; then it is divided, and measured again how it runs best.
 */
#ifndef MNP_ENGINE_EXECUTORS_JOINING_H
#define MNP_ENGINE_EXECUTORS_JOINING_H

#include <stdbool.h>
#include <stdint.h>

/* How a window was run: by several threads, by one although that has not been found to be better, or by one. */
enum mnp_joining_way { MNP_JOINING_TOGETHER, MNP_JOINING_UNDECIDED, MNP_JOINING_ALONE, MNP_JOINING_WAYS };

struct mnp_joining {
    bool joined; /* what is wanted */
    /* Divided, since the last look. */
    uint64_t ticks[MNP_JOINING_WAYS]; /* of windows, by the way */
    uint64_t windows;
    uint64_t span; /* simulated time; joined: since it is */
    /* Joined. */
    uint64_t nanoseconds; /* of the thread's processor time */
    uint64_t left;        /* simulated time for which it stays so */
    uint64_t times;       /* … which was so many times that of the look, when it was joined last */
};

void mnp_joining_init(struct mnp_joining *joining);

/* Notes a window of a divided machine: host ticks, and simulated time. */
void mnp_joining_note_divided(struct mnp_joining *joining, enum mnp_joining_way way, uint64_t ticks, uint64_t span);

/* The same of a joined one: processor time, as others may have had the processor meanwhile. */
void mnp_joining_note_joined(struct mnp_joining *joining, uint64_t nanoseconds, uint64_t span);

#endif
