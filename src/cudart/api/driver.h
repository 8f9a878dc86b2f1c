/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver API over the one state of base/state.h. Most of its functions are another face of the runtime's, and
 * call them; errors become the driver's numbers on the way out. A function needs cuInit (or a call of the runtime)
 * before it, and most need a current context: the top of the thread's stack, or the primary one where the runtime is in
 * use.
 */
#ifndef CUDART_DRIVER_H
#define CUDART_DRIVER_H

/* Both interfaces have an enumerator of this name. */
#define CUDA_SUCCESS CUDA_DRIVER_SUCCESS
#include "maniple/driver.h"
#undef CUDA_SUCCESS

#include "cudart/api/runtime.h"
#include "cudart/process/api_call.h"

/* The driver's number for an error of the runtime's. */
CUresult cudart_driver_error(enum cuda_error error);

/* Before a function's work: why it cannot be done. With `context`, it needs a current one. Keeps the runtime's last
 * error, which the driver's functions do not change, in *before. */
CUresult cudart_driver_begin(bool context, enum cuda_error *before);
CUresult cudart_driver_end(enum cuda_error before, int error);

/* The log that a caller requests of a translation, from the options of a module or a linker. */
struct cudart_log cudart_error_log(unsigned count, const CUjit_option *options, void **values);

/* The function that a program of a version of CUDA (12020: 12.2) means by a name; NULL: there is none. */
void *cudart_driver_symbol(const char *name, int version, bool per_thread);

/* Waits until a multicast object has all of its devices, as other threads may have to add some (driver_multicast.c).
 * `*number`: the object's. */
enum cuda_error cudart_driver_await_object(struct cudart *rt, uint64_t handle, uint32_t *number);

/* The body of a function whose work is an expression of the runtime's error type. */
#define DRIVER_CALL_IN(context, work)                                                                                  \
    do {                                                                                                               \
        enum cuda_error before;                                                                                        \
        CUresult problem_before = cudart_driver_begin(context, &before);                                               \
        return problem_before ? problem_before : cudart_driver_end(before, (int)(work));                               \
    } while (0)
#define DRIVER_CALL(work) DRIVER_CALL_IN(true, work)

/* The same, where the work needs the lock and the context of the simulator, unless `problem` is one. */
#define DRIVER_WORK_UNLESS(context, problem, work)                                                                     \
    do {                                                                                                               \
        enum cuda_error before;                                                                                        \
        CUresult problem_before = cudart_driver_begin(context, &before);                                               \
        if (problem_before)                                                                                            \
            return problem_before;                                                                                     \
        struct cudart *rt = cudart_enter();                                                                            \
        struct cudart_device *current = cudart_current_device(rt);                                                     \
        (void)current;                                                                                                 \
        enum cuda_error in_its_way = (problem);                                                                        \
        return cudart_driver_end(before, cudart_leave(rt, in_its_way ? in_its_way : (work)));                          \
    } while (0)
#define DRIVER_WORK_IN(context, work) DRIVER_WORK_UNLESS(context, rt->faults.failure, work)
#define DRIVER_WORK(work)             DRIVER_WORK_IN(true, work)

/* The same of a question about no context, or of which context is current: it is answered behind a fault too. */
#define DRIVER_QUESTION_IN(context, work) DRIVER_WORK_UNLESS(context, cudart_unanswerable(current), work)
#define DRIVER_QUESTION(work)             DRIVER_QUESTION_IN(false, work)

#endif
