/* SPDX-License-Identifier: BSD-3-Clause */
/* States of threads of this process, and of other processes, from the system. */
#ifndef CUDART_THREAD_STATE_H
#define CUDART_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The letter of proc(5) for a thread by its number as a text: R runs, D waits for a disk, Z has ended, … 0: there is no
 * such thread; ?: the system does not say. */
char cudart_thread_state(const char *id);

/* Whether no thread of this process runs but the one that asks. `count` not NULL: how many others there are. */
bool cudart_others_sleep(uint32_t *count);

/* Whether another process has not ended, and whether all of its threads sleep. */
bool cudart_process_lives(int process);
bool cudart_process_sleeps(int process);

#endif
