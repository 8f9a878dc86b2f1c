/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decision whether the units of a machine are joined into one, if it supports that. Several units exist for the benefit
 * of several threads. If nearly all windows are run by one thread, because they contain little work or because running
 * together was measured to be slower, one unit costs that thread less than several, and its windows are longer. A
 * machine stays joined for many times the simulated time of that observation, longer each time the decision is
 * confirmed, or until there is suddenly much more to do. Then it is divided, and measured again.
 */
#ifndef MNP_ENGINE_EXECUTORS_JOINING_H
#define MNP_ENGINE_EXECUTORS_JOINING_H

#include <stdbool.h>
#include <stdint.h>

/* How a window was run: by several threads, by one thread although that was not found to be better, or by one thread by
 * decision. */
enum mnp_joining_way { MNP_JOINING_TOGETHER, MNP_JOINING_UNDECIDED, MNP_JOINING_ALONE, MNP_JOINING_WAYS };

struct mnp_joining {
    bool joined; /* the desired state */
    /* Divided machine: since the last decision. */
    uint64_t ticks[MNP_JOINING_WAYS]; /* host ticks of windows, by the way in which they were run */
    uint64_t windows;
    uint64_t span; /* simulated time; if joined, since joining */
    /* Joined machine. */
    uint64_t nanoseconds; /* processor time of the thread */
    uint64_t left;        /* simulated time for which it stays joined */
    uint64_t times;       /* ratio of that time to the observation's, when it was joined last */
};

void mnp_joining_init(struct mnp_joining *joining);

/* Records a window of a divided machine: host ticks, and simulated time. */
void mnp_joining_note_divided(struct mnp_joining *joining, enum mnp_joining_way way, uint64_t ticks, uint64_t span);

/* Records a window of a joined machine. Processor time is used, because other processes may have interrupted the
 * thread. */
void mnp_joining_note_joined(struct mnp_joining *joining, uint64_t nanoseconds, uint64_t span);

#endif
