/* SPDX-License-Identifier: BSD-3-Clause */
/* How orders travel: their size by a gathering, in which the followers say nothing, and then their bytes. */
#include "cudart/base/rank_commands.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void cudart_spread_send(const struct processes *processes, struct spread_order order, const void *notes,
                        const char *text)
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
    mnp_transport_exchange(transport, out, lengths, NULL);
    free(lengths);
    free(out);
    free(bytes);
}

struct spread_order cudart_spread_receive(const struct processes *processes, void **bytes)
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
    mnp_transport_exchange(transport, out, lengths, *bytes);
    free(lengths);
    free(out);
    return order;
}
