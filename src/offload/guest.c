/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/guest.h"

#include "base/allocate.h"
#include "offload/launch.h"

#include <stdlib.h>
#include <string.h>

bool offload_guest_enter(struct offload_guest *guest, struct offload_door *door)
{
    *guest = (struct offload_guest){.peer.region = door->region};
    if (!door->transport->accept(door, &guest->peer))
        return false;
    guest->heard = offload_now();
    guest->in = mnp_allocate(1, sizeof *guest->in);
    guest->out = mnp_allocate(OFFLOAD_UNSENT, 1);
    return true;
}

void offload_guest_leave(struct offload_guest *guest)
{
    guest->peer.transport->leave(&guest->peer);
    free(guest->in);
    free(guest->out);
    *guest = (struct offload_guest){0};
}

bool offload_guest_read(struct offload_guest *guest, bool *got)
{
    size_t room;
    unsigned char *to = offload_stream_room(guest->in, &room);
    ssize_t bytes = guest->peer.transport->receive(&guest->peer, to, room);
    *got = bytes > 0;
    guest->in->used += bytes > 0 ? (size_t)bytes : 0;
    return bytes >= 0;
}

bool offload_guest_flush(struct offload_guest *guest)
{
    while (guest->unsent) {
        ssize_t sent = guest->peer.transport->send(&guest->peer, guest->out, guest->unsent);
        if (sent < 0)
            return false;
        if (sent == 0)
            return guest->unsent < OFFLOAD_UNSENT / 2;
        guest->unsent -= (size_t)sent;
        memmove(guest->out, guest->out + sent, guest->unsent);
    }
    return true;
}

void offload_guest_reply(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                         const void *payload, size_t length)
{
    struct mnp_offload_header header = {.magic = MNP_OFFLOAD_MAGIC,
                                        .version = MNP_OFFLOAD_VERSION,
                                        .type = MNP_OFFLOAD_REPLY,
                                        .sequence = sequence,
                                        .status = status,
                                        .session = guest->session,
                                        .length = (uint32_t)length};
    header.check = mnp_offload_check(&header);
    if (OFFLOAD_UNSENT - guest->unsent < sizeof header + length)
        return;
    memcpy(guest->out + guest->unsent, &header, sizeof header);
    if (length)
        memcpy(guest->out + guest->unsent + sizeof header, payload, length);
    guest->unsent += sizeof header + length;
}

void offload_guest_refuse(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                          const char *message)
{
    unsigned char payload[sizeof(struct mnp_offload_result) + 1024];
    struct mnp_offload_result result = {.message_bytes = (uint32_t)strnlen(message, 1024)};
    memcpy(payload, &result, sizeof result);
    memcpy(payload + sizeof result, message, result.message_bytes);
    offload_guest_reply(guest, sequence, status, payload, sizeof result + result.message_bytes);
}
