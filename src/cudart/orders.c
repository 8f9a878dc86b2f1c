/* SPDX-License-Identifier: BSD-3-Clause */
/* How orders travel: their size by a gathering, in which the followers say nothing, and then their bytes. */
#include "cudart/spread.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static void exchange(const struct mnp_transport *transport, const struct mnp_message *out, const uint64_t *lengths,
                     unsigned char *to)
{
    struct mnp_message *in = mnp_allocate(transport->count, sizeof *in);
    for (uint32_t r = 0; r < transport->count; r++) {
        in[r] = (struct mnp_message){to, lengths[r]};
        to += lengths[r];
    }
    transport->exchange(transport->context, out, in);
    free(in);
}

void spread_send(const struct processes *processes, struct spread_order order, const void *notes, const char *text)
{
    const struct mnp_transport *transport = &processes->transport;
    order.text = text ? strlen(text) + 1 : 0;
    struct spread_order *all = mnp_allocate(transport->count, sizeof *all);
    transport->gather(transport->context, &order, sizeof order, all);
    free(all);
    size_t length = order.notes + order.text;
    if (!length)
        return;
    unsigned char *bytes = mnp_allocate(length, 1);
    if (order.notes)
        memcpy(bytes, notes, order.notes);
    if (order.text)
        memcpy(bytes + order.notes, text, order.text);
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    uint64_t *lengths = mnp_allocate(transport->count, sizeof *lengths);
    for (uint32_t r = 1; r < transport->count; r++)
        out[r] = (struct mnp_message){bytes, length};
    exchange(transport, out, lengths, NULL);
    free(lengths);
    free(out);
    free(bytes);
}

struct spread_order spread_receive(const struct processes *processes, void **bytes)
{
    const struct mnp_transport *transport = &processes->transport;
    struct spread_order mine = {0}, *all = mnp_allocate(transport->count, sizeof *all);
    transport->gather(transport->context, &mine, sizeof mine, all);
    struct spread_order order = all[0];
    free(all);
    size_t length = order.notes + order.text;
    *bytes = mnp_allocate(length, 1);
    if (!length)
        return order;
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    uint64_t *lengths = mnp_allocate(transport->count, sizeof *lengths);
    lengths[0] = length;
    exchange(transport, out, lengths, *bytes);
    free(lengths);
    free(out);
    return order;
}

size_t spread_collect(const struct processes *processes, const void *mine, size_t length, void **all)
{
    const struct mnp_transport *transport = &processes->transport;
    uint64_t own = length, *lengths = mnp_allocate(transport->count, sizeof *lengths), sum = 0;
    transport->gather(transport->context, &own, sizeof own, lengths);
    for (uint32_t r = 0; r < transport->count; r++)
        sum += lengths[r];
    bool first = transport->rank == 0;
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    unsigned char *joined = mnp_allocate(first ? sum : 0, 1);
    if (first && own)
        memcpy(joined, mine, own);
    if (!first && own)
        out[0] = (struct mnp_message){(void *)(uintptr_t)mine, own};
    lengths[0] = 0;
    for (uint32_t r = 1; r < transport->count && !first; r++)
        lengths[r] = 0;
    if (sum)
        exchange(transport, out, lengths, joined + own * first);
    free(lengths);
    free(out);
    *all = joined;
    return first ? sum : 0;
}
