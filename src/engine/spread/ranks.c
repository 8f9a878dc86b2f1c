/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/spread/ranks.h"

#include "base/range.h"
#include "base/ticks.h"

#include <stdlib.h>
#include <string.h>

enum { EVERYWHERE = UINT32_MAX }; /* replaces the owner of a unit that every process runs */

/* A link with senders in this process whose packets may have to be sent to other processes. */
struct crossing {
    struct mnp_link *link;
    uint64_t shipped; /* number of packets sent to other processes so far */
    uint32_t to;      /* destination process; EVERYWHERE: all other processes, which have copies of the receiver */
    /* Packets are discarded: the sender has copies everywhere, and the receiver's process gets the packets from its own
     * copy */
    bool drop;
};

/* Header of a part of a message; the packets, each of the size of the link's stride, follow. */
struct part {
    uint32_t link, packets;
};

struct buffer {
    unsigned char *bytes;
    size_t length, capacity;
};

struct mnp_ranks {
    const struct mnp_transport *transport;
    uint32_t *owner; /* [units] */
    struct crossing *crossings;
    uint32_t crossing_count;
    struct buffer *out, *in;                        /* [count] */
    struct mnp_message *out_messages, *in_messages; /* [count] */
    uint64_t *lengths;                              /* [count] lengths of the messages to receive */
    unsigned char *notice, *notices;                /* data gathered in each round: of this process and of all */
    size_t notice_length;
    /* Statistics for the description of the run: bytes of packets that this process sends, that all send, the maximum
     * that all send in one window, and the maximum that one process sends in one window. */
    uint64_t rounds, nanoseconds, bytes_sent, bytes_of_all, most_of_all, most_of_one;
};

/* The datum that a process sends to all others in each round. */
struct notice {
    struct mnp_outlook outlook;
    uint64_t sent;    /* bytes that it sends to others in this round */
    uint64_t bytes[]; /* [count] length of the message to each process */
};

/* ===== buffers ===== */

static void *extend(struct buffer *buffer, size_t bytes)
{
    if (buffer->length + bytes > buffer->capacity) {
        buffer->capacity = 2 * (buffer->length + bytes);
        buffer->bytes = mnp_reallocate(buffer->bytes, buffer->capacity, 1);
    }
    void *place = buffer->bytes + buffer->length;
    buffer->length += bytes;
    return place;
}

static void append(struct buffer *buffer, const void *bytes, size_t length)
{
    if (length)
        memcpy(extend(buffer, length), bytes, length);
}

/* Sends the out-buffers, whose lengths the others know, and receives the in-buffers, with lengths `lengths`. */
static void exchange(struct mnp_ranks *ranks)
{
    const uint64_t *lengths = ranks->lengths;
    const struct mnp_transport *transport = ranks->transport;
    for (uint32_t r = 0; r < transport->count; r++) {
        ranks->in[r].length = 0;
        extend(&ranks->in[r], lengths[r]);
        ranks->in_messages[r] = (struct mnp_message){ranks->in[r].bytes, lengths[r]};
        ranks->out_messages[r] = (struct mnp_message){ranks->out[r].bytes, ranks->out[r].length};
    }
    transport->exchange(transport->context, ranks->out_messages, ranks->in_messages);
}

/* ===== sharing out ===== */

static uint32_t count_of_model(const struct mnp_engine *engine, const struct mnp_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        count += engine->units[i]->model == model;
    return count;
}

static void choose_owners(const struct mnp_engine *engine, struct mnp_ranks *ranks)
{
    const struct mnp_model *model = NULL; /* units of a model are consecutive */
    uint64_t count = 1, place = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        if (unit->model != model) {
            model = unit->model;
            count = count_of_model(engine, model);
            place = 0;
        }
        ranks->owner[i] = model->everywhere ? EVERYWHERE : (uint32_t)(place++ * ranks->transport->count / count);
    }
}

static void find_crossings(const struct mnp_engine *engine, struct mnp_ranks *ranks)
{
    uint32_t rank = ranks->transport->rank;
    ranks->crossings = mnp_allocate(engine->link_count, sizeof *ranks->crossings);
    for (uint32_t i = 0; i < engine->link_count; i++) {
        struct mnp_link *link = engine->links[i];
        uint32_t from = ranks->owner[link->from->id], to = ranks->owner[link->to->id];
        bool ships = from == rank && to != rank;
        bool drops = from == EVERYWHERE && to != EVERYWHERE && to != rank;
        if (ships || drops)
            ranks->crossings[ranks->crossing_count++] = (struct crossing){.link = link, .to = to, .drop = drops};
    }
}

void mnp_ranks_spread(struct mnp_engine *engine, const struct mnp_transport *transport)
{
    MNP_REQUIRE(engine->frozen && !engine->ranks && engine->now == 0, "a machine is spread once, before it runs");
    struct mnp_ranks *ranks = mnp_allocate(1, sizeof *ranks);
    uint32_t count = transport->count;
    ranks->transport = transport;
    ranks->owner = mnp_allocate(engine->unit_count, sizeof *ranks->owner);
    ranks->out = mnp_allocate(count, sizeof *ranks->out);
    ranks->in = mnp_allocate(count, sizeof *ranks->in);
    ranks->out_messages = mnp_allocate(count, sizeof *ranks->out_messages);
    ranks->in_messages = mnp_allocate(count, sizeof *ranks->in_messages);
    ranks->lengths = mnp_allocate(count, sizeof *ranks->lengths);
    ranks->notice_length = sizeof(struct notice) + count * sizeof(uint64_t);
    ranks->notice = mnp_allocate(1, ranks->notice_length);
    ranks->notices = mnp_allocate(count, ranks->notice_length);
    choose_owners(engine, ranks);
    find_crossings(engine, ranks);
    engine->foreign = mnp_allocate(engine->unit_count, sizeof *engine->foreign);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        engine->foreign[i] = ranks->owner[i] != transport->rank && ranks->owner[i] != EVERYWHERE;
    engine->ranks = ranks;
}

void mnp_ranks_release(struct mnp_engine *engine)
{
    struct mnp_ranks *ranks = engine->ranks;
    if (!ranks)
        return;
    for (uint32_t r = 0; r < ranks->transport->count; r++) {
        free(ranks->out[r].bytes);
        free(ranks->in[r].bytes);
    }
    free(ranks->out);
    free(ranks->in);
    free(ranks->out_messages);
    free(ranks->in_messages);
    free(ranks->lengths);
    free(ranks->notice);
    free(ranks->notices);
    free(ranks->owner);
    free(ranks->crossings);
    free(ranks);
    free(engine->foreign);
    engine->ranks = NULL;
    engine->foreign = NULL;
}

bool mnp_ranks_speaks_for(const struct mnp_engine *engine, const struct mnp_unit *unit)
{
    const struct mnp_ranks *ranks = engine->ranks;
    if (!ranks)
        return true;
    uint32_t owner = ranks->owner[unit->id];
    return ranks->transport->rank == (owner == EVERYWHERE ? 0 : owner);
}

bool mnp_ranks_is_first(const struct mnp_engine *engine)
{
    return !engine->ranks || engine->ranks->transport->rank == 0;
}

uint32_t mnp_ranks_neighbours(const struct mnp_engine *engine)
{
    uint32_t neighbours = engine->ranks ? engine->ranks->transport->neighbours : 1;
    return neighbours ? neighbours : 1;
}

void mnp_ranks_describe(const struct mnp_engine *engine, struct mnp_run_info *info)
{
    const struct mnp_ranks *ranks = engine->ranks;
    info->processes = ranks ? ranks->transport->count : 1;
    info->exchanges = ranks ? ranks->rounds : 0;
    if (!ranks)
        return;
    info->exchange_bytes = ranks->bytes_sent;
    info->exchange_bytes_of_all = ranks->bytes_of_all;
    info->exchange_most_of_all = ranks->most_of_all;
    info->exchange_most_of_one = ranks->most_of_one;
    info->exchange_ns = ranks->nanoseconds;
}

/* ===== between windows ===== */

/* Appends those packets of a link to a message that have not been sent yet. */
static void pack(struct buffer *buffer, const struct crossing *crossing)
{
    const struct mnp_link *link = crossing->link;
    struct part part = {link->id, (uint32_t)(link->tail - crossing->shipped)};
    append(buffer, &part, sizeof part);
    for (uint64_t at = crossing->shipped; at != link->tail; at++)
        append(buffer, mnp_link_entry(link, at), link->stride);
}

static void pack_crossings(struct mnp_ranks *ranks)
{
    uint32_t count = ranks->transport->count, rank = ranks->transport->rank;
    for (uint32_t r = 0; r < count; r++)
        ranks->out[r].length = 0;
    for (uint32_t i = 0; i < ranks->crossing_count; i++) {
        struct crossing *crossing = &ranks->crossings[i];
        struct mnp_link *link = crossing->link;
        if (link->tail == crossing->shipped)
            continue;
        for (uint32_t r = 0; r < count && !crossing->drop; r++)
            if (crossing->to == r || (crossing->to == EVERYWHERE && r != rank))
                pack(&ranks->out[r], crossing);
        crossing->shipped = link->tail;
        if (crossing->to != EVERYWHERE) /* no unit here takes these packets, so their entries are free again */
            atomic_store_explicit(&link->consumed, link->tail, memory_order_relaxed);
    }
}

/* Inserts received packets into their links, as their senders would have. */
static void unpack(struct mnp_engine *engine, const struct buffer *buffer)
{
    for (size_t at = 0; at < buffer->length;) {
        struct part part;
        memcpy(&part, buffer->bytes + at, sizeof part);
        at += sizeof part;
        struct mnp_link *link = engine->links[part.link];
        mnp_time arrival;
        memcpy(&arrival, buffer->bytes + at, sizeof arrival);
        for (uint32_t i = 0; i < part.packets; i++, at += link->stride) {
            MNP_REQUIRE(mnp_link_in_flight(link) <= link->mask, "link %u overflows between processes", link->id);
            memcpy(mnp_link_entry(link, link->tail++), buffer->bytes + at, link->stride);
        }
        mnp_link_publish(link);
        mnp_engine_wake(engine, link->to, arrival);
    }
}

static void least(mnp_time *of, mnp_time other)
{
    *of = other < *of ? other : *of;
}

static void greatest(mnp_time *of, mnp_time other)
{
    *of = other > *of ? other : *of;
}

static void combine(struct mnp_outlook *all, const struct mnp_outlook *one)
{
    bool first = one->fault_time < all->fault_time ||
                 (one->fault_time == all->fault_time && one->fault_order < all->fault_order);
    all->fault_order = first ? one->fault_order : all->fault_order;
    all->fault_unit = first ? one->fault_unit : all->fault_unit;
    least(&all->fault_time, one->fault_time);
    least(&all->earliest, one->earliest);
    least(&all->bound, one->bound);
    least(&all->finish, one->finish);
    greatest(&all->progress, one->progress);
    greatest(&all->due, one->due);
    greatest(&all->last_end, one->last_end);
    all->ended += one->ended;
    all->news |= one->news;
    all->moved += one->moved;
    all->interrupted |= one->interrupted;
    all->dirty |= one->dirty;
}

static const struct notice *notice_of(const struct mnp_ranks *ranks, uint32_t rank)
{
    return (const void *)(ranks->notices + rank * ranks->notice_length);
}

/* Exchanges outlooks and lengths of messages with all processes. */
static void tell(struct mnp_ranks *ranks, const struct mnp_outlook *outlook)
{
    const struct mnp_transport *transport = ranks->transport;
    struct notice *notice = (void *)ranks->notice;
    notice->outlook = *outlook;
    notice->sent = 0;
    for (uint32_t r = 0; r < transport->count; r++) {
        notice->bytes[r] = r == transport->rank ? 0 : ranks->out[r].length;
        notice->sent += notice->bytes[r];
    }
    ranks->bytes_sent += notice->sent;
    transport->gather(transport->context, notice, ranks->notice_length, ranks->notices);
}

/* Adds up the bytes that all processes send in this round, from their notices. */
static void count_bytes(struct mnp_ranks *ranks)
{
    uint64_t all = 0;
    for (uint32_t r = 0; r < ranks->transport->count; r++) {
        uint64_t sent = notice_of(ranks, r)->sent;
        all += sent;
        mnp_raise(&ranks->most_of_one, sent);
    }
    ranks->bytes_of_all += all;
    mnp_raise(&ranks->most_of_all, all);
    ranks->rounds++;
}

static void adopt(struct mnp_engine *engine, const struct mnp_outlook *outlook)
{
    mnp_engine_finish(engine, outlook->finish);
    engine->fault_time = outlook->fault_time;
    engine->fault_order = outlook->fault_order;
    engine->fault_unit = outlook->fault_unit < engine->unit_count ? engine->units[outlook->fault_unit] : NULL;
}

void mnp_ranks_agree(struct mnp_engine *engine, struct mnp_outlook *outlook)
{
    struct mnp_ranks *ranks = engine->ranks;
    if (!ranks)
        return;
    uint64_t start = mnp_nanoseconds();
    uint32_t count = ranks->transport->count, rank = ranks->transport->rank;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->foreign[i]) /* packets sent to it are in the outlook, and its own process wakes it */
            atomic_store_explicit(&engine->wake[i], MNP_NEVER, memory_order_relaxed);
    pack_crossings(ranks);
    tell(ranks, outlook);
    for (uint32_t r = 0; r < count; r++) {
        ranks->lengths[r] = notice_of(ranks, r)->bytes[rank];
        if (r != rank)
            combine(outlook, &notice_of(ranks, r)->outlook);
    }
    count_bytes(ranks);
    exchange(ranks);
    for (uint32_t r = 0; r < count; r++)
        unpack(engine, &ranks->in[r]);
    adopt(engine, outlook);
    ranks->nanoseconds += mnp_nanoseconds() - start;
}

void mnp_ranks_share_writes(const struct mnp_engine *engine)
{
    struct mnp_ranks *ranks = engine->ranks;
    if (!ranks || !engine->hook.pack)
        return;
    const struct mnp_transport *transport = ranks->transport;
    uint64_t start = mnp_nanoseconds(), all = 0;
    void *mine;
    uint64_t length = engine->hook.pack(engine->hook.context, engine->foreign, &mine);
    transport->gather(transport->context, &length, sizeof length, ranks->lengths);
    for (uint32_t r = 0; r < transport->count; r++)
        all += ranks->lengths[r];
    if (all) {
        for (uint32_t r = 0; r < transport->count; r++) {
            ranks->out[r].length = 0;
            if (r != transport->rank)
                append(&ranks->out[r], mine, length);
        }
        ranks->lengths[transport->rank] = 0;
        exchange(ranks);
        for (uint32_t r = 0; r < transport->count; r++)
            engine->hook.unpack(engine->hook.context, ranks->in[r].bytes, ranks->lengths[r]);
    }
    free(mine);
    ranks->bytes_sent += length * (transport->count - 1);
    ranks->bytes_of_all += all * (transport->count - 1);
    ranks->nanoseconds += mnp_nanoseconds() - start;
}

/* ===== gathering ===== */

void mnp_ranks_share_error(struct mnp_engine *engine)
{
    struct mnp_ranks *ranks = engine->ranks;
    if (!ranks || !engine->fault_unit) /* faults of memory are known to every process */
        return;
    const struct mnp_transport *transport = ranks->transport;
    struct mnp_error *errors = mnp_allocate(transport->count, sizeof *errors);
    uint32_t owner = ranks->owner[engine->fault_unit->id];
    transport->gather(transport->context, &engine->error, sizeof engine->error, errors);
    engine->error = errors[owner == EVERYWHERE ? transport->rank : owner];
    free(errors);
}

void mnp_ranks_sum(const struct mnp_engine *engine, uint64_t *values, size_t count)
{
    const struct mnp_ranks *ranks = engine->ranks;
    if (!ranks)
        return;
    const struct mnp_transport *transport = ranks->transport;
    uint64_t *all = mnp_allocate(transport->count * count, sizeof *all);
    transport->gather(transport->context, values, count * sizeof *values, all);
    memset(values, 0, count * sizeof *values);
    for (size_t r = 0; r < transport->count; r++)
        for (size_t i = 0; i < count; i++)
            values[i] += all[r * count + i];
    free(all);
}

size_t mnp_ranks_collect(const struct mnp_engine *engine, const void *mine, size_t length, void **all)
{
    if (engine->ranks)
        return mnp_transport_collect(engine->ranks->transport, mine, length, all);
    *all = mnp_allocate(length, 1);
    if (length)
        memcpy(*all, mine, length);
    return length;
}

/* Selects the part of a unit's data that is sent to process 0. */
typedef struct mnp_message piece_of(const struct mnp_unit *unit, uint32_t slot);

static struct mnp_message counters_of(const struct mnp_unit *unit, uint32_t slot)
{
    if (slot == MNP_ALL_SLOTS)
        return (struct mnp_message){unit->counters, (size_t)unit->slots * unit->counter_width * sizeof(uint64_t)};
    uint32_t width = slot < unit->slots ? unit->counter_width : 0; /* models differ in the number of slots */
    return (struct mnp_message){width ? mnp_counters(unit, slot) : NULL, width * sizeof(uint64_t)};
}

static struct mnp_message state_of(const struct mnp_unit *unit, uint32_t slot)
{
    (void)slot;
    return (struct mnp_message){unit->state.base, unit->state.used};
}

static size_t pieces_length(const struct mnp_engine *engine, uint32_t rank, piece_of *piece, uint32_t slot)
{
    size_t length = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->ranks->owner[i] == rank)
            length += piece(engine->units[i], slot).length;
    return length;
}

static void take_pieces(struct mnp_engine *engine, uint32_t rank, piece_of *piece, uint32_t slot)
{
    size_t at = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        if (engine->ranks->owner[i] != rank)
            continue;
        struct mnp_message message = piece(engine->units[i], slot);
        if (message.length)
            memcpy(message.bytes, engine->ranks->in[rank].bytes + at, message.length);
        at += message.length;
    }
}

/* All processes know all lengths, because the machine determines them. */
static void gather_pieces(struct mnp_engine *engine, piece_of *piece, uint32_t slot)
{
    struct mnp_ranks *ranks = engine->ranks;
    if (!ranks)
        return;
    uint32_t count = ranks->transport->count, rank = ranks->transport->rank;
    for (uint32_t r = 0; r < count; r++) {
        ranks->out[r].length = 0;
        ranks->lengths[r] = rank == 0 && r != 0 ? pieces_length(engine, r, piece, slot) : 0;
    }
    for (uint32_t i = 0; i < engine->unit_count && rank != 0; i++) {
        if (ranks->owner[i] != rank)
            continue;
        struct mnp_message message = piece(engine->units[i], slot);
        append(&ranks->out[0], message.bytes, message.length);
    }
    exchange(ranks);
    for (uint32_t r = 1; r < count && rank == 0; r++)
        take_pieces(engine, r, piece, slot);
}

void mnp_ranks_gather_counters(struct mnp_engine *engine, uint32_t slot)
{
    gather_pieces(engine, counters_of, slot);
}

/* The packets of links are not sent, because a report states only their number. */
void mnp_ranks_gather_states(struct mnp_engine *engine)
{
    if (!engine->ranks)
        return;
    uint64_t *in_flight = mnp_allocate(engine->link_count, sizeof *in_flight);
    for (uint32_t i = 0; i < engine->link_count; i++)
        if (mnp_ranks_speaks_for(engine, engine->links[i]->to))
            in_flight[i] = mnp_link_in_flight(engine->links[i]);
    mnp_ranks_sum(engine, in_flight, engine->link_count);
    for (uint32_t i = 0; i < engine->link_count; i++) {
        struct mnp_link *link = engine->links[i];
        link->tail = atomic_load(&link->consumed) + in_flight[i];
    }
    free(in_flight);
    gather_pieces(engine, state_of, 0);
}
