/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that processes of a run have in common (cudaIpcGetEventHandle): each process has an event of its own that
 * stands for the same one, and any of them may record it. Without time alone. */
#ifndef CUDART_EXPORTED_EVENTS_H
#define CUDART_EXPORTED_EVENTS_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

/* Handle that a program passes to another process. */
struct cudart_event_handle {
    uint64_t event; /* its number among the events of all processes (base/sharing.h) */
    uint64_t process;
    char reserved[48];
};

_Static_assert(sizeof(struct cudart_event_handle) == 64, "cudaIpcEventHandle_t");

/* The handle of an event that was created with cudaEventInterprocess. */
enum cuda_error cudart_export_event(struct cudart *rt, struct cudart_event_handle *out, uint64_t event);
enum cuda_error cudart_import_event(struct cudart_device *device, uint64_t *out,
                                    const struct cudart_event_handle *handle);

#endif
