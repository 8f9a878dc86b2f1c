/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread for programs that are at work elsewhere while other processes wait for kernels of theirs. */
#ifndef CUDART_PROCESS_THREAD_H
#define CUDART_PROCESS_THREAD_H

struct cudart;

/* Starts the thread, which lets kernels of this process go on, and ends this process where another one has died that it
 * had memory in common with. Called once. */
void cudart_watch_processes(struct cudart *rt);

#endif
