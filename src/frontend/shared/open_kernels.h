/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that a source has handed out and that have not ended, so that all can be closed. */
#ifndef MNP_FRONTEND_SHARED_OPEN_KERNELS_H
#define MNP_FRONTEND_SHARED_OPEN_KERNELS_H

#include <stdint.h>

struct open_kernels {
    void **kernels;
    uint32_t count, capacity;
};

void shared_open_kernels_add(struct open_kernels *open, void *kernel);

/* Takes out a kernel that was added. */
void shared_open_kernels_remove(struct open_kernels *open, const void *kernel);

/* Removes any kernel; NULL: there is none, and the list's memory is freed. */
void *shared_open_kernels_take(struct open_kernels *open);

#endif
