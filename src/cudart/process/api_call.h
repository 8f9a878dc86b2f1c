/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of every call that a program makes. */
#ifndef CUDART_API_CALL_H
#define CUDART_API_CALL_H

#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/stream/streams.h"

/* Begins a call: takes the lock, sets the context up the first time, and lets the host's clock advance (host.call). */
#define cudart_enter() cudart_enter_function(__func__)
struct cudart *cudart_enter_function(const char *name);
/* The same at no cost of time, for a look before the call itself. */
struct cudart *cudart_look(void);
/* Ends it: keeps an error for cudaGetLastError, gives the lock back, and returns the error. */
int cudart_leave(struct cudart *rt, enum cuda_error error);
/* Ends a call whose result is no error to remember (cudaErrorNotReady). */
int cudart_leave_quietly(struct cudart *rt, enum cuda_error error);

/* Called once, when the program begins: where it ends without having come to the device, its end is seen. */
void cudart_expect_end(void);
/* Called once, when the program begins: where a library of its has used CUDA before, results are written when it
 * ends. */
void cudart_expect_results(void);

/* The program ends with a status, this being its process. Says so if neither it nor one that it has started has used
 * CUDA. Returns the status to end with. Takes no lock and no memory. */
int cudart_refuse_idle(int status);

/* The last error of this host thread. */
enum cuda_error cudart_last_error(bool clear);

/* A call in which nothing is done where `problem` is one. Both arguments may name `rt` and the `current` device. */
#define CUDART_CALL_UNLESS(problem, work)                                                                              \
    do {                                                                                                               \
        struct cudart *rt = cudart_enter();                                                                            \
        struct cudart_device *current = cudart_current_device(rt);                                                     \
        (void)current;                                                                                                 \
        enum cuda_error in_its_way = (problem);                                                                        \
        return cudart_leave(rt, in_its_way ? in_its_way : (work));                                                     \
    } while (0)

/* A call in which nothing is done once the context has failed. */
#define CUDART_CALL(work) CUDART_CALL_UNLESS(rt->faults.failure, work)

/* A question about no context, which is answered behind a fault of a kernel too. */
#define CUDART_QUESTION(work) CUDART_CALL_UNLESS(cudart_unanswerable(current), work)

/* A call that a capture would not see, and may forbid. */
#define CUDART_UNSEEN_CALL(work) CUDART_CALL(cudart_may_be_unseen(rt) ? CUDA_STREAM_CAPTURE_UNSUPPORTED : (work))

#endif
