/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/spread/transport.h"

#include "base/allocate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void mnp_transport_exchange(const struct mnp_transport *transport, const struct mnp_message *out,
                            const uint64_t *lengths, void *to)
{
    struct mnp_message *in = mnp_allocate(transport->count, sizeof *in);
    size_t at = 0;
    for (uint32_t r = 0; r < transport->count; r++) {
        in[r] = (struct mnp_message){lengths[r] ? (unsigned char *)to + at : NULL, lengths[r]};
        at += lengths[r];
    }
    transport->exchange(transport->context, out, in);
    free(in);
}

size_t mnp_transport_collect(const struct mnp_transport *transport, const void *mine, size_t length, void **all)
{
    bool first = transport->rank == 0;
    uint64_t own = length, sum = 0, *lengths = mnp_allocate(transport->count, sizeof *lengths);
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    transport->gather(transport->context, &own, sizeof own, lengths);
    for (uint32_t r = 0; r < transport->count; r++) {
        sum += lengths[r];
        lengths[r] = first && r != 0 ? lengths[r] : 0;
    }
    unsigned char *joined = mnp_allocate(first ? sum : 0, 1);
    if (first && own)
        memcpy(joined, mine, own);
    else if (own)
        out[0] = (struct mnp_message){(void *)(uintptr_t)mine, own};
    if (sum)
        mnp_transport_exchange(transport, out, lengths, joined + (first ? own : 0));
    free(lengths);
    free(out);
    *all = joined;
    return first ? sum : 0;
}
