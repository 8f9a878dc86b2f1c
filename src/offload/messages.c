/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/messages.h"

#include "base/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PING_MOST = 64 };

static void refuse(struct offload_messages *messages, struct offload_guest *guest,
                   const struct mnp_offload_header *header, enum mnp_offload_status status, const char *why)
{
    messages->jobs->records->refused++;
    offload_guest_refuse(guest, header->sequence, status, why);
}

/* Begins a new session: the guest of the previous session is gone, and its launches are cancelled. */
static void hello(struct offload_messages *messages, struct offload_guest *guest,
                  const struct mnp_offload_header *header)
{
    struct mnp_error error = {0};
    offload_jobs_cancel(messages->jobs, guest, 0, true);
    if (guest->peer.transport->renew)
        guest->peer.transport->renew(&guest->peer, header->sequence);
    guest->unsent = 0;
    guest->sequence = 0;
    guest->session = 0;
    if (!offload_region_is_whole(messages->jobs->region, &error)) {
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_REGION, error.text);
        return;
    }
    while (guest->session == 0)
        if (getrandom(&guest->session, sizeof guest->session, 0) != sizeof guest->session)
            guest->session = offload_now();
    offload_guest_reply(guest, header->sequence, MNP_OFFLOAD_OK, &messages->welcome, sizeof messages->welcome);
}

static void launch(struct offload_messages *messages, struct offload_guest *guest,
                   const struct mnp_offload_header *header, const unsigned char *payload)
{
    struct mnp_error error = {0};
    if (header->sequence <= guest->sequence) {
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_MESSAGE, "the sequence number of a launch was used before");
        return;
    }
    guest->sequence = header->sequence;
    struct offload_request *request = mnp_allocate(1, sizeof *request);
    enum mnp_offload_status status = offload_request_read(payload, header->length, &messages->limits, request, &error);
    if (status == MNP_OFFLOAD_OK && !offload_region_is_whole(messages->jobs->region, &error))
        status = MNP_OFFLOAD_BAD_REGION;
    if (status == MNP_OFFLOAD_OK && offload_jobs_add(messages->jobs, guest, header->sequence, request))
        return;
    if (status == MNP_OFFLOAD_OK) {
        status = MNP_OFFLOAD_BUSY;
        mnp_fail(&error, "too many launches wait; at most %d of a session", OFFLOAD_JOBS);
    }
    offload_jobs_note(messages->jobs, guest->session, header->sequence, request->launch.kind, status);
    refuse(messages, guest, header, status, error.text);
    free(request);
}

static void cancel(struct offload_messages *messages, struct offload_guest *guest,
                   const struct mnp_offload_header *header, const unsigned char *payload)
{
    uint32_t sequence;
    if (header->length != sizeof sequence) {
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_MESSAGE, "a cancellation names one sequence number");
        return;
    }
    memcpy(&sequence, payload, sizeof sequence);
    if (offload_jobs_cancel(messages->jobs, guest, sequence, false))
        offload_guest_reply(guest, header->sequence, MNP_OFFLOAD_OK, NULL, 0);
    else
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_REQUEST, "no launch of that number waits or runs");
}

static void take(struct offload_messages *messages, struct offload_guest *guest,
                 const struct mnp_offload_header *header, const unsigned char *payload)
{
    messages->jobs->records->messages++;
    if (header->type == MNP_OFFLOAD_HELLO && header->length == 0) {
        hello(messages, guest, header);
        return;
    }
    if (guest->session == 0 || header->session != guest->session) {
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_SESSION, "there is no such session; say HELLO");
        return;
    }
    if (header->type == MNP_OFFLOAD_LAUNCH)
        launch(messages, guest, header, payload);
    else if (header->type == MNP_OFFLOAD_CANCEL)
        cancel(messages, guest, header, payload);
    else if (header->type == MNP_OFFLOAD_PING && header->length <= PING_MOST)
        offload_guest_reply(guest, header->sequence, MNP_OFFLOAD_OK, payload, header->length);
    else
        refuse(messages, guest, header, MNP_OFFLOAD_BAD_MESSAGE, "messages of that type and length mean nothing");
}

void offload_messages_take(struct offload_messages *messages, struct offload_guest *guest)
{
    struct mnp_offload_header header;
    const unsigned char *payload;
    uint64_t skipped = guest->in->skipped;
    while (offload_stream_next(guest->in, &header, &payload))
        take(messages, guest, &header, payload);
    messages->jobs->records->skipped_bytes += guest->in->skipped - skipped;
}
