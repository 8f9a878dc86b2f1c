/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that share the devices (base/sharing.h): calls that wait for what another process does. */
#ifndef CUDART_OTHER_PROCESSES_H
#define CUDART_OTHER_PROCESSES_H

#include "cudart/base/sharing.h"

#include <stdbool.h>

struct cudart;

/* Inside a call, kernels only poll, or streams wait for events: gives the lock away until memory may have changed, a
 * record been made, or another thread has made a call. Reports of other processes name `kernel`, the first of the
 * kernels; NULL: there is none. False: nobody will do it. */
bool cudart_await_processes(struct cudart *rt, const char *kernel);

/* This process, in front of what is said of one of its devices; "" where it shares them with no other. */
const char *cudart_own_name(const struct cudart *rt, char name[CUDART_SHARING_NAME + 2]);

#endif
