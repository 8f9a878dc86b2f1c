/* SPDX-License-Identifier: BSD-3-Clause */
/* States of threads of this process, and of other processes, from the system. */
#ifndef CUDART_THREAD_STATE_H
#define CUDART_THREAD_STATE_H

#include "cudart/base/polling.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;

/* The letter of proc(5) for a thread by its number as a text: R runs, D waits for a disk, Z has ended, … 0: there is no
 * such thread; ?: the system does not say. */
char cudart_thread_state(const char *id);

/* Findings about a poller. */
struct cudart_asked {
    uint64_t begun, vain; /* questions in vain at the begin of the round, and at the last look */
    uint64_t switches;    /* digest of how often the thread had given up a processor at the last look */
};

/* Memory of one who looks at the other threads again and again. All zero: there was no look yet. */
struct cudart_asleep {
    uint64_t digest; /* digest of the other threads at the last look; 0: not all of them waited */
    uint32_t rounds; /* rounds of questions that have passed since nothing else happened */
    struct cudart_asked pollers[CUDART_POLLERS];
};

/* Whether all threads of this process except the calling one wait: they sleep, let others make calls inside one of
 * theirs, or ask the system in vain (polling.h).
 *
 * Threads are looked at one after the other, so that one could wake another behind the reader; therefore two looks must
 * find all of them waiting, and none may have run in between but those that ask in vain. These must have asked in each
 * of several rounds, so that each of them has seen what another has done before it went on to ask; that takes several
 * calls. No bytes may be under way between sockets. `asleep`: kept from call to call; NULL: threads that ask do not
 * wait. `count` not NULL: receives the number of other threads. */
bool cudart_others_sleep(struct cudart *rt, struct cudart_asleep *asleep, uint32_t *count);

/* Whether another process has not ended, and whether all of its threads sleep. */
bool cudart_process_lives(int process);
bool cudart_process_sleeps(int process);
/* The same; adds the threads' numbers, and how often each has given up a processor, to a digest. */
bool cudart_process_waits(int process, uint64_t *digest);

#endif
