/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of copies and fills on memory when they end. */
#include "cudart/stream/transfers.h"

#include "base/arena.h"
#include "base/probe.h"
#include "base/zeros.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/managed_memory.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"
#include "gpu/system/kind.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_BYTES = 64 * 1024, HOST_PAGE = 4096 };

/* Memory that host and device share is looked up; of the program's own, pages are tried. */
bool cudart_host_reaches(const struct cudart_device *device, uint64_t address, uint64_t pitch, uint64_t width,
                         uint64_t height, bool writes)
{
    const struct cudart_shared *shared = cudart_shared_at(device, address);
    uint64_t bytes;
    if (cudart_on_device(device, address) || !width || !height)
        return true;
    if (__builtin_mul_overflow(height - 1, pitch, &bytes) || __builtin_add_overflow(bytes, width, &bytes))
        return false;
    if (shared)
        return bytes <= shared->bytes - (address - shared->address);
    bool dense = height == 1 || pitch <= HOST_PAGE, good = true;
    for (uint64_t row = 0; good && row < (dense ? 1 : height); row++)
        good = (writes ? mnp_probe_write : mnp_probe_read)(address + row * pitch, dense ? bytes : width);
    return good;
}

/* Whether the device's memory at an address still holds all rows; memory that does not is gone since the call. */
static bool holds(const struct cudart_device *device, uint64_t address, uint64_t pitch, const struct cudart_area *a)
{
    return !cudart_on_device(device, address) || !a->width || !a->height ||
           cudart_device_range(device, address, (a->height - 1) * pitch + a->width);
}

/* Whether the memory that an operation was made for is still there. */
static bool is_there(const struct cudart_device *device, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    return holds(device, a->to, a->to_pitch, a) &&
           cudart_host_reaches(device, a->to, a->to_pitch, a->width, a->height, true) &&
           (operation->kind == CUDART_FILL ||
            (holds(device, a->from, a->from_pitch, a) &&
             cudart_host_reaches(device, a->from, a->from_pitch, a->width, a->height, false)));
}

/* Reads a row for the host. A snapshot depends on the values that the host sees. */
static bool read_row(struct cudart_device *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool done = execute_device_read(&cudart_home(device, from)->functional, from, (void *)to, bytes);
    if (done)
        cudart_snapshot_see(device->rt, (const void *)to, bytes, from);
    return done;
}

static bool copy_row(struct cudart_device *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool to_device = cudart_on_device(device, to), from_device = cudart_on_device(device, from);
    if (to_device && from_device) {
        unsigned char *between = mnp_allocate(bytes, 1); /* ranges may overlap */
        bool done = execute_device_read(&cudart_home(device, from)->functional, from, between, bytes) &&
                    execute_device_write(&cudart_home(device, to)->functional, to, between, bytes);
        free(between);
        return done;
    }
    if (to_device && device->recorder)
        execute_recorder_copy(device->recorder, to, bytes);
    if (to_device)
        return execute_device_write(&cudart_home(device, to)->functional, to, (void *)from, bytes);
    if (from_device)
        return read_row(device, to, from, bytes);
    memmove((void *)to, (void *)from, bytes);
    return true;
}

static bool fill_row(struct cudart_device *device, uint64_t address, const unsigned char *pattern, uint64_t bytes)
{
    if (!cudart_on_device(device, address)) {
        for (uint64_t done = 0; done < bytes; done += FILL_BYTES)
            memcpy((void *)(address + done), pattern, bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES);
        return true;
    }
    for (uint64_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES;
        if (!execute_device_write(&cudart_home(device, address)->functional, address + done, pattern, step))
            return false;
    }
    return true;
}

static bool fill_rows(struct cudart_device *device, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    unsigned char *pattern = mnp_allocate(FILL_BYTES, 1);
    for (size_t i = 0; i < FILL_BYTES; i += operation->bytes_each)
        memcpy(pattern + i, &operation->value, operation->bytes_each); /* little-endian, as the device */
    bool done = true;
    bool zeros = mnp_only_zeros(pattern, operation->bytes_each);
    for (uint64_t row = 0; done && row < a->height; row++) {
        uint64_t to = a->to + row * a->to_pitch;
        done = zeros && cudart_on_device(device, to)
                   ? execute_device_clear(&cudart_home(device, to)->functional, to, a->width)
                   : fill_row(device, to, pattern, a->width);
    }
    free(pattern);
    return done;
}

/* Brings what host and kernels share of an area up to date. */
static bool agree_about(struct cudart_device *device, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    return cudart_sync_managed_range(device, a->to, (a->height - 1) * a->to_pitch + a->width) &&
           (operation->kind == CUDART_FILL ||
            cudart_sync_managed_range(device, a->from, (a->height - 1) * a->from_pitch + a->width));
}

/* Copies and fills go through the L2, and may leave their lines there. */
static void leave_in_l2(struct cudart_device *device, const struct cudart_area *a)
{
    struct cudart *rt = device->rt;
    device = cudart_home(device, a->to);
    if (!rt->simulation->timed || !device->parameters.machine.memcpy_warms_l2 || !cudart_on_device(device, a->to))
        return;
    bool dense = a->height == 1 || a->to_pitch == a->width;
    struct execute_copied copied = {.address = a->to,
                                    .bytes = dense ? a->width * a->height : a->width,
                                    .rows = dense ? 1 : a->height,
                                    .pitch = dense ? 0 : a->to_pitch};
    execute_device_copied(&device->functional, &copied);
    if (rt->simulation->session)
        mnp_session_wake(rt->simulation->session);
}

/* Tells the checks that the destination is written, or as much of it as what was copied there. */
static void tell_check(struct cudart_device *device, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    for (uint64_t row = 0; device->check && row < a->height; row++) {
        uint64_t to = a->to + row * a->to_pitch;
        if (!cudart_on_device(device, to))
            continue;
        if (operation->kind == CUDART_COPY && cudart_on_device(device, a->from))
            execute_check_copied(device->check, to, a->from + row * a->from_pitch, a->width);
        else
            execute_check_wrote(device->check, to, a->width);
    }
}

enum cuda_error cudart_copy_now(const struct cudart_operation *operation)
{
    struct cudart_device *device = operation->device;
    const struct cudart_area *a = &operation->area;
    if (operation->of_graph && !is_there(device, operation))
        return CUDA_ILLEGAL_ADDRESS;
    bool done = agree_about(device, operation);
    if (operation->kind == CUDART_FILL)
        done = done && fill_rows(device, operation);
    for (uint64_t row = 0; operation->kind == CUDART_COPY && done && row < a->height; row++)
        done = copy_row(device, a->to + row * a->to_pitch, a->from + row * a->from_pitch, a->width);
    done = done && agree_about(device, operation);
    if (done) {
        leave_in_l2(device, a);
        tell_check(device, operation);
    }
    if (done)
        return CUDA_SUCCESS;
    return is_there(device, operation) ? CUDA_MEMORY_ALLOCATION : CUDA_ILLEGAL_ADDRESS;
}
