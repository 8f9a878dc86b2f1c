/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that processes have in common: tickets of their records, and which of these have passed. */
#include "cudart/base/sharing.h"

#include <stdatomic.h>

static struct cudart_sharing_event *event_at(const struct cudart_sharing *sharing, uint32_t event)
{
    return &sharing->page->events[event - 1];
}

uint32_t cudart_sharing_add_event(struct cudart_sharing *sharing)
{
    for (uint32_t event = 1; event <= CUDART_SHARING_EVENTS; event++) {
        struct cudart_sharing_event *each = event_at(sharing, event);
        uint32_t nobody = 0;
        if (!atomic_compare_exchange_strong(&each->users, &nobody, 1))
            continue;
        each->recorded = 0;
        for (uint32_t i = 0; i < CUDART_SHARING_RECORDS; i++)
            each->passed[i] = 0;
        return event;
    }
    return 0;
}

bool cudart_sharing_use_event(struct cudart_sharing *sharing, uint32_t event)
{
    if (!event || event > CUDART_SHARING_EVENTS || !event_at(sharing, event)->users)
        return false;
    event_at(sharing, event)->users++;
    return true;
}

void cudart_sharing_drop_event(struct cudart_sharing *sharing, uint32_t event)
{
    event_at(sharing, event)->users--;
}

uint32_t cudart_sharing_record(struct cudart_sharing *sharing, uint32_t event)
{
    struct cudart_sharing_event *e = event_at(sharing, event);
    uint32_t latest = e->recorded;
    do {
        if (latest >= CUDART_SHARING_RECORDS &&
            !cudart_sharing_has_passed(sharing, event, latest + 1 - CUDART_SHARING_RECORDS))
            return 0;
    } while (!atomic_compare_exchange_weak(&e->recorded, &latest, latest + 1));
    return latest + 1;
}

uint32_t cudart_sharing_latest(const struct cudart_sharing *sharing, uint32_t event)
{
    return event_at(sharing, event)->recorded;
}

bool cudart_sharing_has_passed(const struct cudart_sharing *sharing, uint32_t event, uint32_t ticket)
{
    return event_at(sharing, event)->passed[ticket % CUDART_SHARING_RECORDS] >= ticket;
}

void cudart_sharing_pass(struct cudart_sharing *sharing, uint32_t event, uint32_t ticket, uint64_t time)
{
    event_at(sharing, event)->times[ticket % CUDART_SHARING_RECORDS] = time;
    event_at(sharing, event)->passed[ticket % CUDART_SHARING_RECORDS] = ticket;
    cudart_sharing_move(sharing);
}

uint64_t cudart_sharing_passed_at(const struct cudart_sharing *sharing, uint32_t event, uint32_t ticket)
{
    return event_at(sharing, event)->times[ticket % CUDART_SHARING_RECORDS];
}
