/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/snapshot.h"

#include <stdlib.h>
#include <string.h>

static const char heading[16] = "maniple state 1";

/* ===== the buffer ===== */

void mnp_snapshot_put(struct mnp_snapshot *snapshot, const void *bytes, size_t length)
{
    if (snapshot->capacity - snapshot->length < length) {
        snapshot->capacity = 2 * snapshot->capacity + length;
        snapshot->bytes = mnp_reallocate(snapshot->bytes, snapshot->capacity, 1);
    }
    if (length > 0)
        memcpy(snapshot->bytes + snapshot->length, bytes, length);
    snapshot->length += length;
}

void mnp_snapshot_put_number(struct mnp_snapshot *snapshot, uint64_t number)
{
    mnp_snapshot_put(snapshot, &number, sizeof number);
}

void mnp_snapshot_put_text(struct mnp_snapshot *snapshot, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    mnp_snapshot_put_number(snapshot, length);
    mnp_snapshot_put(snapshot, text, length);
}

struct mnp_snapshot_reader mnp_snapshot_read(const struct mnp_snapshot *snapshot, struct mnp_error *error)
{
    return (struct mnp_snapshot_reader){.at = snapshot->bytes, .left = snapshot->length, .error = error};
}

const unsigned char *mnp_snapshot_take(struct mnp_snapshot_reader *reader, size_t length)
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

const unsigned char *mnp_snapshot_take_items(struct mnp_snapshot_reader *reader, uint64_t count, size_t size)
{
    return mnp_snapshot_take(reader, count <= reader->left / size ? count * size : SIZE_MAX);
}

bool mnp_snapshot_take_number(struct mnp_snapshot_reader *reader, uint64_t *number)
{
    const unsigned char *bytes = mnp_snapshot_take(reader, sizeof *number);
    if (bytes)
        memcpy(number, bytes, sizeof *number);
    return bytes != NULL;
}

char *mnp_snapshot_take_text(struct mnp_snapshot_reader *reader)
{
    uint64_t length;
    const unsigned char *bytes = mnp_snapshot_take_number(reader, &length) ? mnp_snapshot_take(reader, length) : NULL;
    return bytes ? strndup((const char *)bytes, length) : NULL;
}

bool mnp_snapshot_expect(struct mnp_snapshot_reader *reader, uint64_t expected, const char *what)
{
    uint64_t number;
    if (!mnp_snapshot_take_number(reader, &number))
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
    mnp_snapshot_put_number(snapshot, unit->state.used);
    mnp_snapshot_put(snapshot, unit->state.base, unit->state.used);
    mnp_snapshot_put_number(snapshot, wake);
    mnp_snapshot_put_number(snapshot, unit->clock.cycle);
    mnp_snapshot_put_number(snapshot, unit->progress);
    mnp_snapshot_put_number(snapshot, unit->due);
}

static bool restore_unit(struct mnp_snapshot_reader *reader, struct mnp_engine *engine, uint32_t i)
{
    struct mnp_unit *unit = engine->units[i];
    uint64_t wake, cycle;
    if (!mnp_snapshot_expect(reader, unit->state.used, "bytes of a unit"))
        return false;
    const unsigned char *state = mnp_snapshot_take(reader, unit->state.used);
    if (!state || !mnp_snapshot_take_number(reader, &wake) || !mnp_snapshot_take_number(reader, &cycle) ||
        !mnp_snapshot_take_number(reader, &unit->progress) || !mnp_snapshot_take_number(reader, &unit->due))
        return false;
    if (wake < engine->now)
        return mnp_fail(reader->error, "the snapshot is damaged (a unit acts in the past): save it again");
    memcpy(unit->state.base, state, unit->state.used);
    atomic_store(&engine->wake[i], wake);
    mnp_cursor_move(&unit->clock, cycle);
    return true;
}

/* ===== links ===== */

static void save_link(struct mnp_snapshot *snapshot, const struct mnp_link *link)
{
    uint64_t head = atomic_load(&link->consumed);
    mnp_snapshot_put_number(snapshot, link->stride);
    mnp_snapshot_put_number(snapshot, head);
    mnp_snapshot_put_number(snapshot, link->tail);
    mnp_snapshot_put_number(snapshot, link->last_arrival);
    for (; head != link->tail; head++)
        mnp_snapshot_put(snapshot, mnp_link_entry(link, head), link->stride);
}

static bool restore_link(struct mnp_snapshot_reader *reader, struct mnp_link *link)
{
    uint64_t head, tail;
    if (!mnp_snapshot_expect(reader, link->stride, "bytes of a packet") || !mnp_snapshot_take_number(reader, &head) ||
        !mnp_snapshot_take_number(reader, &tail) || !mnp_snapshot_take_number(reader, &link->last_arrival))
        return false;
    if (tail - head > (uint64_t)link->mask + 1)
        return mnp_fail(reader->error,
                        "the snapshot is of another machine (%llu packets on a link): restore it into its own",
                        (unsigned long long)(tail - head));
    for (uint64_t i = head; i != tail; i++) {
        const unsigned char *packet = mnp_snapshot_take(reader, link->stride);
        if (!packet)
            return false;
        memcpy(mnp_link_entry(link, i), packet, link->stride);
    }
    link->tail = tail;
    mnp_link_publish(link);
    atomic_store(&link->consumed, head);
    struct mnp_inbox *inbox = &link->to->inbox; /* the next mnp_inbox_open finds the packets again */
    inbox->ends[link->in_index].head = inbox->ends[link->in_index].seen = head;
    return true;
}

/* ===== memory ===== */

static void save_memory(struct mnp_snapshot *snapshot, const struct mnp_memory *memory)
{
    mnp_snapshot_put_number(snapshot, atomic_load(&memory->pages.count));
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        const struct mnp_page_table *table = &memory->pages.tables[i];
        for (uint32_t j = 0; j <= table->mask; j++) {
            if (!table->pages[j].data)
                continue;
            mnp_snapshot_put_number(snapshot, table->pages[j].number);
            mnp_snapshot_put(snapshot, table->pages[j].data, MNP_MEMORY_PAGE);
        }
    }
}

static bool restore_memory(struct mnp_snapshot_reader *reader, struct mnp_memory *memory)
{
    uint64_t pages, number;
    if (!mnp_snapshot_take_number(reader, &pages))
        return false;
    for (; pages > 0; pages--) {
        if (!mnp_snapshot_take_number(reader, &number))
            return false;
        const unsigned char *data = mnp_snapshot_take(reader, MNP_MEMORY_PAGE);
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
    mnp_snapshot_put(snapshot, heading, sizeof heading);
    mnp_snapshot_put_number(snapshot, engine->unit_count);
    mnp_snapshot_put_number(snapshot, engine->link_count);
    mnp_snapshot_put_number(snapshot, engine->epoch);
    mnp_snapshot_put_number(snapshot, memory != NULL);
    mnp_snapshot_put_number(snapshot, engine->now);
    mnp_snapshot_put_number(snapshot, atomic_load(&engine->finish));
    mnp_snapshot_put_number(snapshot, engine->hashed_packets);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        save_unit(snapshot, engine->units[i], atomic_load(&engine->wake[i]));
    for (uint32_t i = 0; i < engine->link_count; i++)
        save_link(snapshot, engine->links[i]);
    if (memory)
        save_memory(snapshot, memory);
}

bool mnp_snapshot_restore(struct mnp_snapshot_reader *reader, struct mnp_engine *engine, struct mnp_memory *memory)
{
    const unsigned char *first = mnp_snapshot_take(reader, sizeof heading);
    uint64_t finish;
    MNP_REQUIRE(engine->frozen && engine->now == 0, "a snapshot is restored into a machine that has run");
    if (!first)
        return false;
    if (memcmp(first, heading, sizeof heading) != 0)
        return mnp_fail(reader->error, "this is not a snapshot of this version of Maniple: save it again");
    if (!mnp_snapshot_expect(reader, engine->unit_count, "units") ||
        !mnp_snapshot_expect(reader, engine->link_count, "links") ||
        !mnp_snapshot_expect(reader, engine->epoch, "femtoseconds in an epoch") ||
        !mnp_snapshot_expect(reader, memory != NULL, "memories") || !mnp_snapshot_take_number(reader, &engine->now) ||
        !mnp_snapshot_take_number(reader, &finish) || !mnp_snapshot_take_number(reader, &engine->hashed_packets))
        return false;
    if (engine->now % engine->epoch != 0 || engine->now == MNP_NEVER)
        return mnp_fail(reader->error, "the snapshot is damaged (its time is inside an epoch): save it again");
    atomic_store(&engine->finish, finish);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (!restore_unit(reader, engine, i))
            return false;
    for (uint32_t i = 0; i < engine->link_count; i++)
        if (!restore_link(reader, engine->links[i]))
            return false;
    return !memory || restore_memory(reader, memory);
}
