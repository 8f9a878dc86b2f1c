/* SPDX-License-Identifier: BSD-3-Clause */
/* States of threads of this process, and of other processes, from the system. */
#ifndef CUDART_THREAD_STATE_H
#define CUDART_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The letter of proc(5) for a thread by its number as a text: R runs, D waits for a disk, Z has ended, … 0: there is no
 * such thread; ?: the system does not say. */
char cudart_thread_state(const char *id);

/* Whether all threads of this process except the calling one slept at one moment during the call. Threads are looked at
 * one after the other, so that one could wake another behind the reader; therefore two looks must find all of them
 * asleep, and none may have run in between. `count` not NULL: receives the number of other threads. `asleep` not NULL:
 * a digest of the last look of the call before, which counts as the first look of this one; 0: there is none. */
bool cudart_others_sleep(uint32_t *count, uint64_t *asleep);

/* Whether another process has not ended, and whether all of its threads sleep. */
bool cudart_process_lives(int process);
bool cudart_process_sleeps(int process);

#endif
