/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/live/warming.h"

#include "base/arena.h"
#include "base/array.h"
#include "execute/code/code.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 7, SECTOR_SHIFT = 5, LINE = 1 << LINE_SHIFT, SECTOR = 1 << SECTOR_SHIFT };
enum { ROOM = 4 /* lines kept for each that the cache holds, before the oldest are dropped */, LEAST = 1024 };

struct line {
    uint64_t number; /* address / LINE, + 1; 0: the place is free */
    uint64_t last;   /* number of the access that touched it last */
    uint32_t sectors;
};

struct execute_warming {
    struct execute_observer observer;
    struct line *table; /* hash table with linear probing */
    uint64_t places;    /* a power of two, at least twice the lines that are kept */
    uint64_t holds, count, clock;
    struct line *recent;   /* [1]: the line of the last access, usually also that of the next one */
    struct mnp_array rows; /* struct mnp_extent */
};

static uint64_t place_of(const struct execute_warming *warming, uint64_t number)
{
    return (number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (warming->places - 1);
}

static struct line *find(struct execute_warming *warming, uint64_t number)
{
    uint64_t place = place_of(warming, number);
    while (warming->table[place].number && warming->table[place].number != number)
        place = (place + 1) & (warming->places - 1);
    return &warming->table[place];
}

static int newest_first(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    return left->last > right->last ? -1 : left->last < right->last;
}

static int by_number(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Returns the lines that the cache would hold, newest first, in a list of its own; empties the table. */
static struct line *take_newest(struct execute_warming *warming, uint64_t *count)
{
    struct line *list = mnp_allocate(warming->count + 1, sizeof *list);
    uint64_t found = 0;
    for (uint64_t i = 0; i < warming->places; i++)
        if (warming->table[i].number)
            list[found++] = warming->table[i];
    qsort(list, found, sizeof *list, newest_first);
    memset(warming->table, 0, warming->places * sizeof *warming->table);
    warming->recent = warming->table;
    warming->count = 0;
    *count = found < warming->holds ? found : warming->holds;
    return list;
}

static void drop_old(struct execute_warming *warming)
{
    uint64_t count;
    struct line *list = take_newest(warming, &count);
    for (uint64_t i = 0; i < count; i++)
        *find(warming, list[i].number) = list[i];
    warming->count = count;
    free(list);
}

static void touch(struct execute_warming *warming, uint64_t address)
{
    uint64_t number = (address >> LINE_SHIFT) + 1;
    struct line *line = warming->recent;
    if (line->number != number) {
        if (warming->count >= ROOM * warming->holds)
            drop_old(warming);
        line = find(warming, number);
        warming->count += !line->number;
        line->number = number;
        warming->recent = line;
    }
    line->sectors |= 1u << ((address & (LINE - 1)) >> SECTOR_SHIFT);
    line->last = ++warming->clock;
}

static void on_executed(void *context, const struct execute_warp *warp, const struct execute_record *record)
{
    struct execute_warming *warming = context;
    (void)warp;
    if (!record->bytes || record->space != EXECUTE_SPACE_GLOBAL)
        return;
    for (uint32_t lanes = record->mask; lanes; lanes &= lanes - 1) {
        uint64_t first = record->addresses[__builtin_ctz(lanes)], last = first + record->bytes - 1;
        for (uint64_t sector = first >> SECTOR_SHIFT; sector <= last >> SECTOR_SHIFT; sector++)
            touch(warming, sector << SECTOR_SHIFT);
    }
}

static void on_ended(void *context, const struct execute_cta *cta)
{
    (void)context;
    (void)cta;
}

struct execute_warming *execute_warming_open(uint64_t bytes)
{
    struct execute_warming *warming = mnp_allocate(1, sizeof *warming);
    warming->observer = (struct execute_observer){warming, on_executed, on_ended};
    warming->holds = bytes / LINE < LEAST ? LEAST : bytes / LINE;
    for (warming->places = 1; warming->places < 2 * ROOM * warming->holds;)
        warming->places *= 2;
    warming->table = mnp_allocate(warming->places, sizeof *warming->table);
    warming->recent = warming->table;
    return warming;
}

void execute_warming_free(struct execute_warming *warming)
{
    if (!warming)
        return;
    free(warming->table);
    mnp_array_release(&warming->rows);
    free(warming);
}

const struct execute_observer *execute_warming_observer(struct execute_warming *warming)
{
    return &warming->observer;
}

/* The sectors of a line become rows; those that follow the last row make it longer. */
static void add_line(struct mnp_array *rows, const struct line *line)
{
    for (uint32_t sector = 0; sector < LINE / SECTOR; sector++) {
        uint64_t address = ((line->number - 1) << LINE_SHIFT) + sector * SECTOR;
        struct mnp_extent *last = rows->count ? (struct mnp_extent *)rows->items + (rows->count - 1) : NULL;
        if (!(line->sectors >> sector & 1))
            continue;
        if (last && last->address + last->bytes == address)
            last->bytes += SECTOR;
        else
            *(struct mnp_extent *)mnp_array_add(rows, 1, sizeof *last) = (struct mnp_extent){address, SECTOR};
    }
}

const struct mnp_extent *execute_warming_take(struct execute_warming *warming, uint32_t *count)
{
    uint64_t lines;
    struct line *list = take_newest(warming, &lines);
    qsort(list, lines, sizeof *list, by_number);
    warming->rows.count = 0;
    for (uint64_t i = 0; i < lines; i++)
        add_line(&warming->rows, &list[i]);
    free(list);
    *count = warming->rows.count;
    return warming->rows.items;
}

/* ===== snapshots ===== */

void execute_warming_keep(const struct execute_warming *warming, struct mnp_snapshot *snapshot)
{
    mnp_snapshot_put_number(snapshot, warming->clock);
    mnp_snapshot_put_number(snapshot, warming->count);
    for (uint64_t i = 0; i < warming->places; i++)
        if (warming->table[i].number) {
            const uint64_t numbers[] = {warming->table[i].number, warming->table[i].last, warming->table[i].sectors};
            mnp_snapshot_put(snapshot, numbers, sizeof numbers);
        }
}

bool execute_warming_restore(struct execute_warming *warming, struct mnp_snapshot_reader *reader)
{
    uint64_t clock, count, numbers[3];
    free(take_newest(warming, &count));
    if (!mnp_snapshot_take_number(reader, &clock) || !mnp_snapshot_take_number(reader, &count))
        return false;
    const unsigned char *lines = mnp_snapshot_take_items(reader, count, sizeof numbers);
    if (!lines || count > ROOM * warming->holds)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(numbers, lines + i * sizeof numbers, sizeof numbers);
        *find(warming, numbers[0]) = (struct line){numbers[0], numbers[1], (uint32_t)numbers[2]};
    }
    warming->clock = clock;
    warming->count = count;
    return true;
}
