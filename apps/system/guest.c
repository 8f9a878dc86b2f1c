/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's side of the protocol, for any platform: sessions, launches, replies, memory of the region. */
#include "maniple/guest.h"

#include <string.h>

enum { HEADER = sizeof(struct mnp_offload_header), ALIGNMENT = 64, GREETING = 500, MOST_WAIT = 1 << 30 };

const char *mnp_words(int status)
{
    static const char *const problems[] = {"",
                                           "no answer in time",
                                           "the host has gone",
                                           "there is no such device",
                                           "there is no more room",
                                           "an argument makes no sense",
                                           "the region is not the server's"};
    static const char *const statuses[] = {"done",
                                           "the message makes no sense",
                                           "there is no such session",
                                           "the request makes no sense",
                                           "a place lies outside of the region",
                                           "too many launches wait",
                                           "the program cannot be loaded",
                                           "the program has done something impossible",
                                           "the program has not ended in time",
                                           "the program can never end",
                                           "cancelled",
                                           "the simulation has ended unexpectedly"};
    if (status < 0)
        return -status < (int)(sizeof problems / sizeof *problems) ? problems[-status] : "unknown";
    return status < (int)(sizeof statuses / sizeof *statuses) ? statuses[status] : "unknown";
}

/* ===== memory ===== */

void *mnp_alloc(struct mnp_device *device, size_t bytes)
{
    uint64_t wanted = ((uint64_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (uint32_t i = 0; wanted && device->region && i < device->block_count; i++) {
        struct mnp_block *block = &device->blocks[i];
        if (block->used || block->bytes < wanted)
            continue;
        if (block->bytes > wanted) {
            if (device->block_count == MNP_BLOCKS)
                return NULL;
            memmove(block + 1, block, (device->block_count - i) * sizeof *block);
            device->block_count++;
            block[1].at += wanted;
            block[1].bytes -= wanted;
            block->bytes = wanted;
        }
        block->used = 1;
        return device->region + block->at;
    }
    return NULL;
}

static void join(struct mnp_device *device, uint32_t index)
{
    struct mnp_block *block = &device->blocks[index];
    if (index + 1 >= device->block_count || block[0].used || block[1].used)
        return;
    block[0].bytes += block[1].bytes;
    memmove(block + 1, block + 2, (device->block_count - index - 2) * sizeof *block);
    device->block_count--;
}

void mnp_free(struct mnp_device *device, void *memory)
{
    for (uint32_t i = 0; memory && i < device->block_count; i++) {
        if (device->region + device->blocks[i].at != (unsigned char *)memory || !device->blocks[i].used)
            continue;
        device->blocks[i].used = 0;
        join(device, i);
        if (i)
            join(device, i - 1);
        return;
    }
}

/* Where memory lies in the region; 0: not in the guest's part of it. */
static uint64_t place_of(const struct mnp_device *device, const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory, from = (uintptr_t)device->region;
    if (!device->region || at < from + MNP_OFFLOAD_HEAD || at - from > device->region_bytes ||
        bytes > device->region_bytes - (at - from))
        return 0;
    return at - from;
}

/* ===== messages ===== */

static int send_message(struct mnp_device *device, uint16_t type, uint32_t sequence, size_t length, uint32_t timeout)
{
    struct mnp_offload_header header = {.magic = MNP_OFFLOAD_MAGIC,
                                        .version = MNP_OFFLOAD_VERSION,
                                        .type = type,
                                        .sequence = sequence,
                                        .session = type == MNP_OFFLOAD_HELLO ? 0 : device->session,
                                        .length = (uint32_t)length};
    header.check = mnp_offload_check(&header);
    memcpy(device->out, &header, HEADER);
    int problem = device->channel->send(device, device->out, HEADER + length, timeout);
    if (problem)
        device->session = 0; /* it may have gone in part */
    return problem;
}

static void drop(struct mnp_device *device, size_t count)
{
    device->in_used -= count;
    memmove(device->in, device->in + count, device->in_used);
}

/* Looks for a whole message in what has come; bytes that are none are thrown away. */
static int find_message(struct mnp_device *device, struct mnp_offload_header *header)
{
    while (device->in_used >= HEADER) {
        memcpy(header, device->in, HEADER);
        if (header->magic != MNP_OFFLOAD_MAGIC || header->version != MNP_OFFLOAD_VERSION ||
            header->length > MNP_OFFLOAD_PAYLOAD || header->check != mnp_offload_check(header)) {
            drop(device, 1);
            continue;
        }
        return device->in_used >= HEADER + header->length;
    }
    return 0;
}

/* Waits for a message until a time. Its payload stands behind the header in `in`, until drop. 0, or a problem. */
static int next_message(struct mnp_device *device, uint64_t until, struct mnp_offload_header *header)
{
    while (!find_message(device, header)) {
        uint64_t now = device->channel->now();
        uint32_t left = now >= until ? 0 : until - now > MOST_WAIT ? MOST_WAIT : (uint32_t)(until - now);
        int got =
            device->channel->receive(device, device->in + device->in_used, sizeof device->in - device->in_used, left);
        if (got < 0 && (got != MNP_TIMEOUT || left == 0))
            return got;
        device->in_used += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* ===== sessions ===== */

static int check_region(const struct mnp_device *device)
{
    struct mnp_offload_region head;
    memcpy(&head, device->region, sizeof head);
    return head.magic == MNP_OFFLOAD_REGION_MAGIC && head.tag == device->welcome.tag &&
                   head.bytes == device->welcome.region_bytes && head.bytes <= device->region_bytes
               ? 0
               : MNP_STRANGE;
}

/* One HELLO, and what comes until it is answered: replies to those before it, and of others' sessions. */
static int greet(struct mnp_device *device, uint32_t timeout)
{
    struct mnp_offload_header header;
    uint64_t until = device->channel->now() + timeout;
    uint32_t sequence = ++device->sequence + (uint32_t)device->channel->now() * 65536u;
    device->sequence = sequence & 0x3fffffffu;
    sequence = device->sequence;
    if (device->channel->hello)
        device->channel->hello(device, sequence);
    int problem = send_message(device, MNP_OFFLOAD_HELLO, sequence, 0, timeout);
    while (!problem && !(problem = next_message(device, until, &header))) {
        int ours = header.type == MNP_OFFLOAD_REPLY && header.sequence == sequence;
        if (ours && header.status == MNP_OFFLOAD_OK && header.length == sizeof device->welcome) {
            memcpy(&device->welcome, device->in + HEADER, sizeof device->welcome);
            device->session = header.session;
            drop(device, HEADER + header.length);
            return check_region(device);
        }
        drop(device, HEADER + header.length);
        device->stale += !ours;
        if (ours)
            return MNP_STRANGE;
    }
    return problem;
}

/* Greets until somebody answers. A host that is not there yet, or has just gone, may still come. */
static int connect_to(struct mnp_device *device, uint32_t timeout)
{
    uint64_t begin = device->channel->now();
    for (;;) {
        device->in_used = 0;
        int problem = device->channel->open(device, device->where);
        uint64_t spent = device->channel->now() - begin;
        uint32_t left = spent >= timeout ? 0 : timeout - (uint32_t)spent;
        if (!problem)
            problem = greet(device, left < GREETING && left ? left : GREETING);
        if (!problem)
            return 0;
        device->session = 0;
        device->channel->close(device);
        if (device->channel->now() - begin >= timeout)
            return problem;
        device->channel->sleep(20000000);
    }
}

int mnp_open(struct mnp_device *device, const char *where, uint32_t timeout)
{
    device->where = where;
    device->channel = mnp_channel_of(where);
    if (!device->channel)
        return MNP_NO_DEVICE;
    int problem = connect_to(device, timeout);
    if (problem)
        return problem;
    device->blocks[0] = (struct mnp_block){MNP_OFFLOAD_HEAD, device->welcome.region_bytes - MNP_OFFLOAD_HEAD, 0};
    device->block_count = 1;
    return 0;
}

void mnp_close(struct mnp_device *device)
{
    if (device->channel)
        device->channel->close(device);
    memset(device, 0, sizeof *device);
}

/* The host has gone: what it had been asked for is lost. */
static int lose(struct mnp_device *device, int problem)
{
    if (problem != MNP_GONE)
        return problem;
    device->session = 0;
    for (int i = 0; i < MNP_TICKETS; i++)
        if (device->tickets[i].sequence && !device->tickets[i].done) {
            device->tickets[i].done = 1;
            device->tickets[i].status = MNP_OFFLOAD_LOST;
            memset(&device->tickets[i].result, 0, sizeof device->tickets[i].result);
        }
    return problem;
}

/* A session, an old one or a new one. */
static int ensure_session(struct mnp_device *device)
{
    if (device->session)
        return 0;
    lose(device, MNP_GONE);
    device->channel->close(device);
    return connect_to(device, 10000);
}

/* ===== launches ===== */

static struct mnp_ticket *ticket_of(struct mnp_device *device, uint32_t sequence)
{
    for (int i = 0; i < MNP_TICKETS; i++)
        if (device->tickets[i].sequence == sequence)
            return &device->tickets[i];
    return NULL;
}

static int write_buffers(struct mnp_device *device, const struct mnp_launch *launch, unsigned char *to)
{
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        const struct mnp_buffer *from = &launch->buffers[i];
        struct mnp_offload_buffer buffer = {.at = place_of(device, from->memory, from->bytes),
                                            .bytes = from->bytes,
                                            .address = from->address,
                                            .piece = from->piece,
                                            .flags = from->flags};
        if (!buffer.at)
            return MNP_WRONG;
        memcpy(to + i * sizeof buffer, &buffer, sizeof buffer);
    }
    return 0;
}

/* The payload of a LAUNCH, behind the place of the header. Its length, or a problem. */
static int write_launch(struct mnp_device *device, const struct mnp_launch *launch)
{
    struct mnp_offload_launch fixed = {.kind = launch->kind ? launch->kind : MNP_OFFLOAD_ELF,
                                       .cores = launch->cores,
                                       .entry = launch->entry,
                                       .max_milliseconds = launch->max_milliseconds,
                                       .program_at = place_of(device, launch->program, launch->program_bytes),
                                       .program_bytes = launch->program_bytes,
                                       .max_cycles = launch->max_cycles,
                                       .shared_bytes = launch->shared_bytes,
                                       .buffer_count = launch->buffer_count,
                                       .argument_count = launch->argument_count,
                                       .text_bytes = launch->text ? (uint32_t)strlen(launch->text) : 0};
    memcpy(fixed.grid, launch->grid, sizeof fixed.grid);
    memcpy(fixed.block, launch->block, sizeof fixed.block);
    if (!fixed.program_at || fixed.buffer_count > MNP_OFFLOAD_BUFFERS || fixed.argument_count > MNP_OFFLOAD_ARGUMENTS ||
        fixed.text_bytes > MNP_OFFLOAD_TEXT)
        return MNP_WRONG;
    unsigned char *begin = device->out + HEADER, *to = begin;
    memcpy(to, &fixed, sizeof fixed);
    to += sizeof fixed;
    if (write_buffers(device, launch, to))
        return MNP_WRONG;
    to += fixed.buffer_count * sizeof(struct mnp_offload_buffer);
    for (uint32_t i = 0; i < fixed.argument_count; i++) {
        struct mnp_offload_argument argument = {launch->arguments[i].value, launch->arguments[i].bytes, 0};
        memcpy(to, &argument, sizeof argument);
        to += sizeof argument;
    }
    if (fixed.text_bytes)
        memcpy(to, launch->text, fixed.text_bytes);
    return (int)(to - begin + fixed.text_bytes);
}

int mnp_launch(struct mnp_device *device, const struct mnp_launch *launch)
{
    if (!device->channel)
        return MNP_WRONG;
    int problem = ensure_session(device);
    if (problem)
        return problem;
    struct mnp_ticket *ticket = ticket_of(device, 0);
    for (int i = 0; i < MNP_TICKETS && !ticket; i++) /* nobody has asked for that one */
        ticket = device->tickets[i].done ? &device->tickets[i] : NULL;
    int length = ticket ? write_launch(device, launch) : MNP_NO_MEMORY;
    if (length < 0)
        return length;
    uint32_t sequence = ++device->sequence;
    uint64_t begun = device->channel->clock();
    problem = send_message(device, MNP_OFFLOAD_LAUNCH, sequence, (size_t)length, 5000);
    if (problem)
        return lose(device, problem);
    *ticket = (struct mnp_ticket){.sequence = sequence, .begun = begun};
    return (int)sequence;
}

/* Texts follow one another; each gets a 0 behind it. */
static void keep_texts(struct mnp_device *device, const unsigned char *payload, uint32_t length,
                       struct mnp_ticket *ticket)
{
    const uint32_t bytes[3] = {ticket->result.output_bytes, ticket->result.statistics_bytes,
                               ticket->result.message_bytes};
    const unsigned char *from = payload + sizeof ticket->result;
    uint32_t left = length - (uint32_t)sizeof ticket->result;
    unsigned char *to = device->texts;
    for (int i = 0; i < 3; i++) {
        uint32_t count = bytes[i] < left ? bytes[i] : left;
        memcpy(to, from, count);
        to[count] = 0;
        to += count + 1;
        from += count;
        left -= count;
    }
}

/* A REPLY that has come: to a launch that somebody waits for, or for nobody. */
static struct mnp_ticket *take_reply(struct mnp_device *device, const struct mnp_offload_header *header)
{
    struct mnp_ticket *ticket = header->sequence ? ticket_of(device, header->sequence) : NULL;
    if (header->type != MNP_OFFLOAD_REPLY || header->session != device->session || !ticket || ticket->done) {
        device->stale++;
        return NULL;
    }
    ticket->done = 1;
    ticket->status = header->status;
    if (header->length >= sizeof ticket->result) {
        memcpy(&ticket->result, device->in + HEADER, sizeof ticket->result);
        keep_texts(device, device->in + HEADER, header->length, ticket);
    }
    return ticket;
}

static void fill_result(struct mnp_device *device, const struct mnp_ticket *ticket, int with_texts,
                        struct mnp_result *result)
{
    static const char nothing[] = "";
    const char *texts = (const char *)device->texts;
    *result = (struct mnp_result){ticket->result, nothing, nothing, nothing};
    if (!with_texts)
        return;
    result->output = texts;
    result->statistics = result->output + strlen(result->output) + 1;
    result->message = result->statistics + strlen(result->statistics) + 1;
}

static int conclude(struct mnp_device *device, struct mnp_ticket *ticket, int with_texts, struct mnp_result *result)
{
    int status = (int)ticket->status;
    uint64_t duration = ticket->result.femtoseconds / 1000000;
    if (result)
        fill_result(device, ticket, with_texts, result);
    ticket->sequence = 0;
    if (status == MNP_OFFLOAD_BAD_SESSION) /* a new server, which knows nothing of us */
        device->session = 0;
    /* What has passed since the launch is part of the duration. */
    uint64_t passed = device->channel->clock() - ticket->begun;
    if (device->welcome.flags & MNP_OFFLOAD_SIMULATED_TIME && duration > passed)
        device->channel->sleep(duration - passed);
    return status;
}

int mnp_wait(struct mnp_device *device, int number, uint32_t timeout, struct mnp_result *result)
{
    struct mnp_offload_header header;
    struct mnp_ticket *ticket = number > 0 && device->channel ? ticket_of(device, (uint32_t)number) : NULL;
    if (!ticket)
        return MNP_WRONG;
    if (ticket->done)
        return conclude(device, ticket, 0, result);
    uint64_t until = device->channel->now() + timeout;
    for (;;) {
        int problem = device->session ? next_message(device, until, &header) : MNP_GONE;
        if (problem == MNP_TIMEOUT)
            return problem;
        if (problem) {
            lose(device, MNP_GONE);
            conclude(device, ticket, 0, result);
            return problem;
        }
        struct mnp_ticket *answered = take_reply(device, &header);
        drop(device, HEADER + header.length);
        if (answered == ticket)
            return conclude(device, ticket, 1, result);
    }
}

int mnp_cancel(struct mnp_device *device, int ticket)
{
    uint32_t sequence = (uint32_t)ticket;
    if (ticket <= 0 || !device->session)
        return MNP_WRONG;
    memcpy(device->out + HEADER, &sequence, sizeof sequence);
    return lose(device, send_message(device, MNP_OFFLOAD_CANCEL, ++device->sequence, sizeof sequence, 5000));
}

int mnp_ping(struct mnp_device *device, uint32_t timeout)
{
    struct mnp_offload_header header;
    int problem = device->channel ? ensure_session(device) : MNP_WRONG;
    if (problem)
        return problem;
    uint32_t sequence = ++device->sequence;
    uint64_t until = device->channel->now() + timeout;
    problem = send_message(device, MNP_OFFLOAD_PING, sequence, 0, timeout);
    while (!problem && !(problem = next_message(device, until, &header))) {
        int ours = header.type == MNP_OFFLOAD_REPLY && header.sequence == sequence && header.session == device->session;
        if (!ours)
            take_reply(device, &header);
        drop(device, HEADER + header.length);
        if (ours)
            return header.status == MNP_OFFLOAD_OK ? 0 : lose(device, MNP_GONE);
    }
    return lose(device, problem);
}
