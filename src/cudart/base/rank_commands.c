/* SPDX-License-Identifier: BSD-3-Clause */
/* How commands travel: their size by a gathering, in which the followers say nothing, and then their bytes. */
#include "cudart/base/rank_commands.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void cudart_send_command(const struct processes *processes, struct cudart_rank_command command, const void *notes,
                         const char *text)
{
    const struct mnp_transport *transport = &processes->transport;
    command.text = text ? strlen(text) + 1 : 0;
    struct cudart_rank_command *all = mnp_allocate(transport->count, sizeof *all);
    transport->gather(transport->context, &command, sizeof command, all);
    free(all);
    size_t length = command.notes + command.text;
    if (!length)
        return;
    unsigned char *bytes = mnp_allocate(length, 1);
    if (command.notes)
        memcpy(bytes, notes, command.notes);
    if (command.text)
        memcpy(bytes + command.notes, text, command.text);
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    uint64_t *lengths = mnp_allocate(transport->count, sizeof *lengths);
    for (uint32_t r = 1; r < transport->count; r++)
        out[r] = (struct mnp_message){bytes, length};
    mnp_transport_exchange(transport, out, lengths, NULL);
    free(lengths);
    free(out);
    free(bytes);
}

struct cudart_rank_command cudart_receive_command(const struct processes *processes, void **bytes)
{
    const struct mnp_transport *transport = &processes->transport;
    struct cudart_rank_command mine = {0}, *all = mnp_allocate(transport->count, sizeof *all);
    transport->gather(transport->context, &mine, sizeof mine, all);
    struct cudart_rank_command command = all[0];
    free(all);
    size_t length = command.notes + command.text;
    *bytes = mnp_allocate(length, 1);
    if (!length)
        return command;
    struct mnp_message *out = mnp_allocate(transport->count, sizeof *out);
    uint64_t *lengths = mnp_allocate(transport->count, sizeof *lengths);
    lengths[0] = length;
    mnp_transport_exchange(transport, out, lengths, *bytes);
    free(lengths);
    free(out);
    return command;
}
