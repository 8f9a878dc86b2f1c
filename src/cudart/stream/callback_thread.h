/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread for hosts that wait outside the runtime for a function of their own in a stream. */
#ifndef CUDART_CALLBACK_THREAD_H
#define CUDART_CALLBACK_THREAD_H

struct cudart;

/* One more function of the host's waits in a stream; the host may wait for it outside the runtime. */
void cudart_watch_host(struct cudart *rt);

#endif
