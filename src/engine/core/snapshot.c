/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/snapshot.h"

#include <stdlib.h>
#include <string.h>

static const char heading[16] = "maniple state 1";

/* ===== the buffer ===== */

static void put(struct mnp_snapshot *snapshot, const void *bytes, size_t length)
{
    if (snapshot->capacity - snapshot->length < length) {
        snapshot->capacity = 2 * snapshot->capacity + length;
        snapshot->bytes = mnp_reallocate(snapshot->bytes, snapshot->capacity, 1);
    }
    if (length > 0)
        memcpy(snapshot->bytes + snapshot->length, bytes, length);
    snapshot->length += length;
}

static void put_number(struct mnp_snapshot *snapshot, uint64_t number)
{
    put(snapshot, &number, sizeof number);
}

struct reader {
    const unsigned char *at;
    size_t left;
    struct mnp_error *error;
};

/* The next bytes, or NULL when there are fewer. */
static const unsigned char *take(struct reader *reader, size_t length)
{
    const unsigned char *bytes = reader->at;
    if (reader->left < length) {
        mnp_fail(reader->error, "the snapshot is cut short: save it again");
        return NULL;
    }
    reader->at += length;
    reader->left -= length;
    return bytes;
}

static bool take_number(struct reader *reader, uint64_t *number)
{
    const unsigned char *bytes = take(reader, sizeof *number);
    if (bytes)
        memcpy(number, bytes, sizeof *number);
    return bytes != NULL;
}

/* Takes a number that must be what this machine has. */
static bool expect(struct reader *reader, uint64_t expected, const char *what)
{
    uint64_t number;
    if (!take_number(reader, &number))
        return false;
    if (number == expected)
        return true;
    return mnp_fail(reader->error, "the snapshot is of another machine (%s %llu, not %llu): restore it into its own",
                    what, (unsigned long long)number, (unsigned long long)expected);
}

void mnp_snapshot_release(struct mnp_snapshot *snapshot)
{
    free(snapshot->bytes);
    *snapshot = (struct mnp_snapshot){0};
}

/* ===== units ===== */

static void save_unit(struct mnp_snapshot *snapshot, const struct mnp_unit *unit, mnp_time wake)
{
    put_number(snapshot, unit->state.used);
    put(snapshot, unit->state.base, unit->state.used);
    put_number(snapshot, wake);
    put_number(snapshot, unit->clock.cycle);
    put_number(snapshot, unit->progress);
    put_number(snapshot, unit->due);
}

static bool restore_unit(struct reader *reader, struct mnp_engine *engine, uint32_t i)
{
    struct mnp_unit *unit = engine->units[i];
    uint64_t wake, cycle;
    if (!expect(reader, unit->state.used, "bytes of a unit"))
        return false;
    const unsigned char *state = take(reader, unit->state.used);
    if (!state || !take_number(reader, &wake) || !take_number(reader, &cycle) ||
        !take_number(reader, &unit->progress) || !take_number(reader, &unit->due))
        return false;
    memcpy(unit->state.base, state, unit->state.used);
    atomic_store(&engine->wake[i], wake);
    mnp_cursor_move(&unit->clock, cycle);
    return true;
}

/* ===== links ===== */

static void save_link(struct mnp_snapshot *snapshot, const struct mnp_link *link)
{
    uint64_t head = atomic_load(&link->consumed);
    put_number(snapshot, link->stride);
    put_number(snapshot, head);
    put_number(snapshot, link->tail);
    put_number(snapshot, link->last_arrival);
    for (; head != link->tail; head++)
        put(snapshot, link->ring + (head & link->mask) * link->stride, link->stride);
}

static bool restore_link(struct reader *reader, struct mnp_link *link)
{
    uint64_t head, tail;
    if (!expect(reader, link->stride, "bytes of a packet") || !take_number(reader, &head) ||
        !take_number(reader, &tail) || !take_number(reader, &link->last_arrival))
        return false;
    if (tail - head > (uint64_t)link->mask + 1)
        return mnp_fail(reader->error,
                        "the snapshot is of another machine (%llu packets on a link): restore it into its own",
                        (unsigned long long)(tail - head));
    for (uint64_t i = head; i != tail; i++) {
        const unsigned char *packet = take(reader, link->stride);
        if (!packet)
            return false;
        memcpy(link->ring + (i & link->mask) * link->stride, packet, link->stride);
    }
    link->tail = link->sent_before = tail;
    atomic_store(&link->published, tail);
    atomic_store(&link->consumed, head);
    struct mnp_inbox *inbox = &link->to->inbox; /* the next mnp_inbox_open finds the packets again */
    inbox->head[link->in_index] = inbox->seen[link->in_index] = head;
    return true;
}

/* ===== memory ===== */

static void save_memory(struct mnp_snapshot *snapshot, const struct mnp_memory *memory)
{
    put_number(snapshot, atomic_load(&memory->pages.count));
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        const struct mnp_page_table *table = &memory->pages.tables[i];
        for (uint32_t j = 0; j <= table->mask; j++) {
            if (!table->pages[j].data)
                continue;
            put_number(snapshot, table->pages[j].number);
            put(snapshot, table->pages[j].data, MNP_MEMORY_PAGE);
        }
    }
}

static bool restore_memory(struct reader *reader, struct mnp_memory *memory)
{
    uint64_t pages, number;
    if (!take_number(reader, &pages))
        return false;
    for (; pages > 0; pages--) {
        if (!take_number(reader, &number))
            return false;
        const unsigned char *data = take(reader, MNP_MEMORY_PAGE);
        if (!data || !mnp_memory_write(memory, number * MNP_MEMORY_PAGE, MNP_MEMORY_PAGE, data, reader->error))
            return false;
    }
    return true;
}

/* ===== the machine ===== */

void mnp_snapshot_save(struct mnp_snapshot *snapshot, const struct mnp_engine *engine, const struct mnp_memory *memory)
{
    MNP_REQUIRE(engine->now % engine->epoch == 0, "a snapshot is taken inside an epoch");
    MNP_REQUIRE(!memory || !atomic_load(&memory->overlays.dirty), "a snapshot is taken before writes are applied");
    put(snapshot, heading, sizeof heading);
    put_number(snapshot, engine->unit_count);
    put_number(snapshot, engine->link_count);
    put_number(snapshot, engine->epoch);
    put_number(snapshot, memory != NULL);
    put_number(snapshot, engine->now);
    put_number(snapshot, atomic_load(&engine->finish));
    put_number(snapshot, engine->hashed_packets);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        save_unit(snapshot, engine->units[i], atomic_load(&engine->wake[i]));
    for (uint32_t i = 0; i < engine->link_count; i++)
        save_link(snapshot, engine->links[i]);
    if (memory)
        save_memory(snapshot, memory);
}

bool mnp_snapshot_restore(const struct mnp_snapshot *snapshot, struct mnp_engine *engine, struct mnp_memory *memory,
                          struct mnp_error *error)
{
    struct reader reader = {.at = snapshot->bytes, .left = snapshot->length, .error = error};
    const unsigned char *first = take(&reader, sizeof heading);
    uint64_t finish;
    MNP_REQUIRE(engine->frozen && engine->now == 0, "a snapshot is restored into a machine that has run");
    if (!first)
        return false;
    if (memcmp(first, heading, sizeof heading) != 0)
        return mnp_fail(error, "this is not a snapshot of this version of Maniple: save it again");
    if (!expect(&reader, engine->unit_count, "units") || !expect(&reader, engine->link_count, "links") ||
        !expect(&reader, engine->epoch, "femtoseconds in an epoch") || !expect(&reader, memory != NULL, "memories") ||
        !take_number(&reader, &engine->now) || !take_number(&reader, &finish) ||
        !take_number(&reader, &engine->hashed_packets))
        return false;
    atomic_store(&engine->finish, finish);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (!restore_unit(&reader, engine, i))
            return false;
    for (uint32_t i = 0; i < engine->link_count; i++)
        if (!restore_link(&reader, engine->links[i]))
            return false;
    return !memory || restore_memory(&reader, memory);
}
