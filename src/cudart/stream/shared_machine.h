/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that share the devices of a run with time (base/sharing_time.h): one of them, the leader, has the machine,
 * and simulates the kernels of all. Each process keeps its own streams, copies and events, at the time that the leader
 * makes known; kernels that it hands over go by mail (kernel_mail.h), and their ends come back.
 */
#ifndef CUDART_SHARED_MACHINE_H
#define CUDART_SHARED_MACHINE_H

#include <stdint.h>

struct cudart;

/* One step, in a thread of the runtime, with the lock: does what happens at the common time, answers the leader, and
 * leads, if this process does. Returns how long the thread may sleep then, in nanoseconds. */
uint64_t cudart_keep_pace(struct cudart *rt);
/* The program has ended: the leader's goes on to simulate until the other processes have ended too. */
void cudart_await_members(struct cudart *rt);

#endif
