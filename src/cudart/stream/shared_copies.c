/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/shared_copies.h"

#include "base/arena.h"
#include "base/range.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/link_copies.h"
#include "cudart/stream/streams.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct cudart_sharing_copy *copies_of(const struct cudart *rt, uint32_t member)
{
    return rt->sharing.page->members[member].copies;
}

/* ===== the process that copies ===== */

/* A place for a copy; CUDART_SHARING_COPIES: there is none. */
static uint32_t free_place(const struct cudart *rt)
{
    const struct cudart_sharing_copy *own = copies_of(rt, rt->sharing.self);
    uint32_t place = 0;
    while (place < CUDART_SHARING_COPIES && own[place].state != CUDART_SHARING_NO_COPY)
        place++;
    return place;
}

bool cudart_may_ask_for_copy(const struct cudart *rt)
{
    return free_place(rt) < CUDART_SHARING_COPIES;
}

void cudart_ask_for_copy(struct cudart *rt, struct cudart_operation *copy, uint64_t time)
{
    uint32_t place = free_place(rt);
    struct cudart_sharing_copy *asked = &copies_of(rt, rt->sharing.self)[place];
    asked->device = copy->device->place;
    asked->from = copy->area.from;
    asked->to = copy->area.to;
    asked->bytes = copy->area.width * copy->area.height;
    asked->ready = time;
    asked->sequence = copy->sequence;
    asked->state = CUDART_SHARING_COPY_ASKED; /* last: the leader reads the others behind it */
    cudart_shared_machine(rt)->copies[place] = copy;
    copy->begins = time;
    copy->ends = MNP_NEVER;
}

void cudart_take_copies(struct cudart *rt)
{
    struct cudart_sharing_copy *own = copies_of(rt, rt->sharing.self);
    struct cudart_operation **mine = cudart_shared_machine(rt)->copies;
    for (uint32_t i = 0; i < CUDART_SHARING_COPIES; i++) {
        if (own[i].state != CUDART_SHARING_COPY_ENDED)
            continue;
        if (mine[i]) {
            mine[i]->begins = own[i].begins;
            mine[i]->ends = own[i].ends;
        }
        mine[i] = NULL;
        own[i].state = CUDART_SHARING_NO_COPY;
    }
}

void cudart_forget_copies(struct cudart *rt)
{
    for (uint32_t i = 0; rt->sharing.timed && rt->shared && i < CUDART_SHARING_COPIES; i++)
        rt->shared->copies[i] = NULL;
}

/* ===== the leader ===== */

/* The operation that stands for a copy among those that share links. */
static struct cudart_operation *stand_in(struct cudart *rt, uint32_t member, uint32_t place)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    if (!shared->all_copies[member])
        shared->all_copies[member] = mnp_allocate(CUDART_SHARING_COPIES, sizeof **shared->all_copies);
    return &shared->all_copies[member][place];
}

static bool is_earlier(const struct cudart_sharing_copy *a, const struct cudart_sharing_copy *b)
{
    if (!b || a->ready != b->ready)
        return !b || a->ready < b->ready;
    return a->device == b->device ? a->sequence < b->sequence : a->device < b->device;
}

static void describe(struct cudart *rt, const struct cudart_sharing_copy *asked, struct cudart_operation *copy)
{
    *copy = (struct cudart_operation){
        .kind = CUDART_COPY,
        .device = cudart_by_place(rt, asked->device),
        .engine = CUDART_BOTH_ENGINES,
        .area = {.to = asked->to, .from = asked->from, .width = asked->bytes, .height = 1},
    };
}

/* Begins the copy that has been ready first of those that have an engine: their order is that of time, device and
 * calls, not that of processes. False: there is none. */
static bool begin_one(struct cudart *rt)
{
    struct cudart_sharing_copy *first = NULL;
    struct cudart_operation *copy = NULL;
    uint32_t count = mnp_min(rt->sharing.page->count, CUDART_SHARING_MEMBERS);
    for (uint32_t member = 0; member < count; member++)
        for (uint32_t i = 0; i < CUDART_SHARING_COPIES; i++) {
            struct cudart_sharing_copy *each = &copies_of(rt, member)[i];
            if (each->state != CUDART_SHARING_COPY_ASKED || !is_earlier(each, first))
                continue;
            describe(rt, each, stand_in(rt, member, i));
            if (!cudart_has_engine(rt, stand_in(rt, member, i)))
                continue;
            first = each;
            copy = stand_in(rt, member, i);
        }
    if (!first)
        return false;
    cudart_begin_over_links(rt, copy, first->ready);
    first->state = CUDART_SHARING_COPY_BEGUN;
    return true;
}

/* Calls `work` for each copy under way. */
static void for_each_copy(struct cudart *rt, void *context,
                          void work(struct cudart *, struct cudart_sharing_copy *, struct cudart_operation *, void *))
{
    uint32_t count = mnp_min(rt->sharing.page->count, CUDART_SHARING_MEMBERS);
    for (uint32_t member = 0; member < count; member++)
        for (uint32_t i = 0; i < CUDART_SHARING_COPIES; i++)
            if (copies_of(rt, member)[i].state == CUDART_SHARING_COPY_BEGUN)
                work(rt, &copies_of(rt, member)[i], stand_in(rt, member, i), context);
}

static void lower(struct cudart *rt, struct cudart_sharing_copy *asked, struct cudart_operation *copy, void *until)
{
    (void)rt, (void)asked;
    mnp_lower(until, copy->ends);
}

uint64_t cudart_begin_shared_copies(struct cudart *rt, uint64_t until)
{
    while (begin_one(rt)) {
    }
    for_each_copy(rt, &until, lower);
    return mnp_min(until, cudart_next_over_links(rt));
}

/* Ends are told in the order of time, as with each of them the shares of others change. */
static void find_first(struct cudart *rt, struct cudart_sharing_copy *asked, struct cudart_operation *copy, void *found)
{
    struct cudart_operation **first = found;
    (void)asked;
    if (copy->ends <= rt->clock->device && (!*first || copy->ends < (*first)->ends))
        *first = copy;
}

static void tell(struct cudart *rt, struct cudart_sharing_copy *asked, struct cudart_operation *copy, void *ended)
{
    (void)rt;
    if (copy != ended)
        return;
    asked->begins = copy->begins;
    asked->ends = copy->ends;
    asked->state = CUDART_SHARING_COPY_ENDED;
}

void cudart_end_shared_copies(struct cudart *rt)
{
    for (;;) {
        struct cudart_operation *first = NULL;
        for_each_copy(rt, &first, find_first);
        if (!first)
            return;
        cudart_end_over_links(rt, first);
        for_each_copy(rt, first, tell);
    }
}
