/* SPDX-License-Identifier: BSD-3-Clause */
/* What copies and fills do to memory when they end. */
#include "base/arena.h"
#include "cudart/core/context.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_BYTES = 64 * 1024 };

/* What the host gets to see is part of what a snapshot depends on. */
static bool read_row(struct cudart *rt, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool done = execute_device_read(&rt->machine.device, from, (void *)to, bytes);
    if (done)
        cudart_keep_data(rt, (const void *)to, bytes, from);
    return done;
}

static bool copy_row(struct cudart *rt, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool to_device = cudart_on_device(rt, to), from_device = cudart_on_device(rt, from);
    if (to_device && from_device) {
        unsigned char *between = mnp_allocate(bytes, 1); /* ranges may overlap */
        bool done = execute_device_read(&rt->machine.device, from, between, bytes) &&
                    execute_device_write(&rt->machine.device, to, between, bytes);
        free(between);
        return done;
    }
    if (to_device && rt->machine.recorder)
        execute_recorder_copy(rt->machine.recorder, to, bytes);
    if (to_device)
        return execute_device_write(&rt->machine.device, to, (void *)from, bytes);
    if (from_device)
        return read_row(rt, to, from, bytes);
    memmove((void *)to, (void *)from, bytes);
    return true;
}

static bool fill_row(struct cudart *rt, uint64_t address, const unsigned char *pattern, uint64_t bytes)
{
    if (!cudart_on_device(rt, address)) {
        for (uint64_t done = 0; done < bytes; done += FILL_BYTES)
            memcpy((void *)(address + done), pattern, bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES);
        return true;
    }
    for (uint64_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES;
        if (!execute_device_write(&rt->machine.device, address + done, pattern, step))
            return false;
    }
    return true;
}

static bool fill_rows(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    unsigned char *pattern = mnp_allocate(FILL_BYTES, 1);
    for (size_t i = 0; i < FILL_BYTES; i += operation->bytes_each)
        memcpy(pattern + i, &operation->value, operation->bytes_each); /* little-endian, as the device */
    bool done = true;
    for (uint64_t row = 0; done && row < a->height; row++)
        done = fill_row(rt, a->to + row * a->to_pitch, pattern, a->width);
    free(pattern);
    return done;
}

/* Brings what host and kernels share of an area up to date. */
static bool agree_about(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    return cudart_agree_about(rt, a->to, (a->height - 1) * a->to_pitch + a->width) &&
           (operation->kind == CUDART_FILL ||
            cudart_agree_about(rt, a->from, (a->height - 1) * a->from_pitch + a->width));
}

/* Copies and fills go through the L2, and may leave their lines there. */
static void leave_in_l2(struct cudart *rt, const struct cudart_area *a)
{
    if (!rt->simulation.timed || !rt->machine.parameters.machine.memcpy_warms_l2 || !cudart_on_device(rt, a->to))
        return;
    bool dense = a->height == 1 || a->to_pitch == a->width;
    struct execute_copied copied = {.address = a->to,
                                    .bytes = dense ? a->width * a->height : a->width,
                                    .rows = dense ? 1 : a->height,
                                    .pitch = dense ? 0 : a->to_pitch};
    execute_device_copied(&rt->machine.device, &copied);
    if (rt->simulation.session)
        mnp_session_wake(rt->simulation.session);
}

/* What is there from now on has been written. */
static void tell_check(struct cudart *rt, const struct cudart_area *a)
{
    for (uint64_t row = 0; rt->machine.check && row < a->height; row++)
        execute_check_wrote(rt->machine.check, a->to + row * a->to_pitch, a->width);
}

bool cudart_copy_now(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    bool done = agree_about(rt, operation);
    if (operation->kind == CUDART_FILL)
        done = done && fill_rows(rt, operation);
    for (uint64_t row = 0; operation->kind == CUDART_COPY && done && row < a->height; row++)
        done = copy_row(rt, a->to + row * a->to_pitch, a->from + row * a->from_pitch, a->width);
    done = done && agree_about(rt, operation);
    if (done) {
        leave_in_l2(rt, a);
        tell_check(rt, a);
    }
    return done;
}
