/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that waits for what only another thread of the program can bring about. */
#ifndef CUDART_OTHER_THREADS_H
#define CUDART_OTHER_THREADS_H

#include <stdbool.h>

struct cudart;

/* Gives the lock away until another thread has made a call, or the program is to end. False: no other thread will. */
bool cudart_await_call(struct cudart *rt);

#endif
