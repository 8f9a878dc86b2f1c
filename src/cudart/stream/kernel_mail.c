/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/kernel_mail.h"

#include "base/arena.h"
#include "base/ticks.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"
#include "execute/device/journal.h"

#include <stdlib.h>
#include <string.h>

static struct cudart_sharing_course *course_of(const struct cudart *rt)
{
    return &rt->sharing.page->course;
}

static struct cudart_sharing_pace *pace_of(const struct cudart *rt, uint32_t member)
{
    return &rt->sharing.page->members[member].pace;
}

struct cudart_shared_machine *cudart_shared_machine(struct cudart *rt)
{
    if (!rt->shared) {
        rt->shared = mnp_allocate(1, sizeof *rt->shared);
        rt->shared->since = mnp_nanoseconds();
    }
    return rt->shared;
}

bool cudart_is_paced(const struct cudart *rt)
{
    return rt->sharing.timed && rt->simulation->timed;
}

bool cudart_follows(const struct cudart *rt)
{
    return rt->sharing.timed && !rt->sharing.leads;
}

/* ===== mail ===== */

/* Mail is lost, so that this process cannot go on: its calls fail, and the one that it waits in. */
static void give_up(struct cudart *rt, const struct mnp_error *error)
{
    cudart_fail(rt, cudart_refuse(rt, error, CUDA_MEMORY_ALLOCATION));
    cudart_break(rt, CUDA_MEMORY_ALLOCATION);
}

struct cudart_mailbox *cudart_mailbox(struct cudart *rt, uint32_t member)
{
    struct cudart_mailbox **box = &cudart_shared_machine(rt)->boxes[member];
    struct mnp_error error = {{0}};
    if (!*box)
        *box = cudart_sharing_mailbox(&rt->sharing, member);
    if (!*box && !rt->faults.failure) {
        mnp_fail(&error, "the system has no room for what processes that share GPUs tell one another (ulimit -v)");
        give_up(rt, &error);
    }
    return *box;
}

/* A mailbox is full: without what does not fit, the process that would have read it cannot go on. */
static void overflow(struct cudart *rt, const char *what)
{
    struct mnp_error error = {{0}};
    if (rt->faults.failure)
        return;
    mnp_fail(&error,
             "processes that share GPUs with time: %s; wait for kernels between launches (cudaStreamSynchronize)",
             what);
    give_up(rt, &error);
}

static void put(unsigned char *to, const struct cudart_mail *mail, const uint32_t *numbers, const void *notes)
{
    memcpy(to, mail, sizeof *mail);
    if (mail->numbers)
        memcpy(to + sizeof *mail, numbers, mail->numbers * sizeof *numbers);
    memcpy(to + sizeof *mail + mail->numbers * sizeof *numbers, notes, mail->notes);
}

/* Sends what this process has done to a device since it did so last. */
static void send_notes(struct cudart *rt, struct cudart_device *device)
{
    struct cudart_sharing_pace *pace = pace_of(rt, rt->sharing.self);
    uint32_t *sent = &cudart_shared_machine(rt)->sent[device->place], numbers = device->numbers.count - *sent;
    void *notes;
    size_t length = execute_journal_take(&device->functional, &notes);
    struct cudart_mailbox *box = length ? cudart_mailbox(rt, rt->sharing.self) : NULL;
    if (box) {
        struct cudart_mail mail = {device->place, numbers, length};
        size_t all = sizeof mail + numbers * sizeof(uint32_t) + length;
        bool fits = cudart_mail_fits(pace->mail, all);
        if (fits)
            put(box->mail + pace->mail, &mail, (uint32_t *)device->numbers.items + *sent, notes);
        else
            overflow(rt, "one has more than 8 GiB of code and arguments of kernels that have not begun");
        pace->mail += fits ? all : 0;
        pace->sent += fits ? numbers : 0;
        *sent = device->numbers.count;
    }
    free(notes);
}

void cudart_send_notes(struct cudart *rt)
{
    for (uint32_t i = 0; cudart_follows(rt) && rt->system && i < rt->machine_devices; i++)
        if (rt->devices[i].functional.journal)
            send_notes(rt, &rt->devices[i]);
}

/* Kernels of this process that have ended. */
void cudart_take_ends(struct cudart *rt, uint32_t told)
{
    struct cudart_sharing_pace *pace = pace_of(rt, rt->sharing.self);
    const struct cudart_mailbox *box = pace->heard != told ? cudart_mailbox(rt, rt->sharing.self) : NULL;
    for (; box && pace->heard != told; pace->heard++) {
        const struct cudart_kernel_end *end = &box->ends[pace->heard % CUDART_MAIL_ENDS];
        struct cudart_device *device = cudart_by_place(rt, end->place);
        struct cudart_operation **operation = (struct cudart_operation **)device->started.items + (end->kernel - 1);
        if (!*operation)
            continue; /* dropped behind a failure */
        (*operation)->done = true;
        (*operation)->ends = end->time;
        device->running--;
        *operation = NULL;
    }
}

void cudart_send_end(struct cudart *rt, const struct cudart_device *device, uint32_t kernel, uint64_t time)
{
    uint32_t owner = course_of(rt)->owners[device->place];
    struct cudart_mailbox *box = owner ? cudart_mailbox(rt, owner - 1) : NULL;
    if (!box)
        return;
    struct cudart_sharing_pace *pace = pace_of(rt, owner - 1);
    if (pace->told - pace->heard < CUDART_MAIL_ENDS) {
        box->ends[pace->told % CUDART_MAIL_ENDS] = (struct cudart_kernel_end){device->place, kernel, time};
        pace->told++; /* last: the process may look at any time */
        return;
    }
    overflow(rt, "8,192 kernels of one have ended of which it has not heard");
    cudart_stop_others(rt, CUDA_MEMORY_ALLOCATION);
}

void cudart_stop_others(struct cudart *rt, enum cuda_error why)
{
    if (!rt->sharing.leads || course_of(rt)->failure)
        return;
    course_of(rt)->failure = (int)why;
    cudart_course_ring(&rt->sharing);
}
