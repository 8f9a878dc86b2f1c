/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of host and device: how far the device goes on. */
#ifndef CUDART_CLOCK_H
#define CUDART_CLOCK_H

#include "cudart/base/abi.h"
#include "cudart/base/thread_state.h"
#include "cudart/stream/link_copies.h"
#include "cudart/stream/streams.h"

#define CUDART_FS_PER_NS UINT64_C(1000000)

struct cudart;
struct cudart_device;

/* Owner: clock.c; `watched`: callback_thread.c. */
struct cudart_clock {
    uint64_t host, device; /* fs: the times of the host program, and of the devices, which one session simulates */
    uint64_t called;       /* fs: when the last function of the host's was called from a stream */
    struct cudart_link_copies links;  /* copies over links (link_copies.c) */
    uint32_t functions;               /* number of host functions that wait in streams */
    struct cudart_waiting *waiting;   /* threads that let others make calls while they wait (clock.c) */
    struct cudart_awaiting *awaiting; /* threads that wait for calls of others (other_threads.c) */
    struct cudart_asleep asleep;      /* the other threads when they waited last */
    bool held;                        /* calls of the host take no time (maniple_hold_host) */
    bool hurries;                     /* a thread of the program has computed for so long that others go on */
    bool watched;                     /* a thread looks whether the host waits for one of them */
};

/* The host's time goes on by that of a call, once there is a device; on several devices some calls take none. */
void cudart_count_call(struct cudart *rt, const char *function);
/* Lets the devices' time go on: to a time, until a mark has been passed, or until all work of a device (NULL: of all
 * devices) has ended. */
void cudart_advance_to(struct cudart *rt, uint64_t time);
void cudart_advance_past(struct cudart *rt, uint32_t mark);
void cudart_advance_all(struct cudart *rt, const struct cudart_device *device);
/* The same until a record of an event has been made that processes have in common (base/sharing.h). */
void cudart_advance_past_record(struct cudart *rt, uint32_t shared, uint32_t ticket);
/* Without timing, executes at once all that streams have been given; the host's clock stays. Where a kernel may wait
 * for what the host will write, nothing is executed until the host waits. */
void cudart_execute_all(struct cudart *rt);
/* The same outside of calls, where another process may wait for it; kernels that poll look again. */
void cudart_attend(struct cudart *rt);
/* Until one of the host's functions has been called, for which the host has waited. */
void cudart_advance_function(struct cudart *rt);
void cudart_expect_function(struct cudart *rt); /* one more waits in a stream */
/* The same of everything that the host has to say, in a process that shares time with others (shared_machine.h). */
void cudart_step(struct cudart *rt, uint64_t time);
/* Whether no thread that waits inside a call has got what it waits for. `*inside`: there is one; `*wish`: the earliest
 * time ahead at which something begins or ends, or that one of them waits for. */
bool cudart_all_wait(const struct cudart *rt, uint64_t *wish, bool *inside);
/* Everything that happens at a time of the device's, which it has reached. */
void cudart_settle_at(struct cudart *rt, uint64_t time);
/* The machine, once kernels are to run on it. */
enum cuda_error cudart_begin_machine(struct cudart *rt);

#endif
