/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread for programs that are at work elsewhere while other processes wait for kernels of theirs. */
#ifndef CUDART_PROCESS_THREAD_H
#define CUDART_PROCESS_THREAD_H

struct cudart;

/* This process has memory or events in common with others from now on. The first time, starts the thread, which lets
 * kernels of this process go on, and ends this process where another one has died. */
void cudart_meet_processes(struct cudart *rt);

#endif
