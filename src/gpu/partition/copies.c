/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/partition/copies.h"

enum { SECTORS = 4 /* sectors of a line, at most */, ALL = (1 << SECTORS) - 1 };

static struct gpu_line_copies *copies_of(const struct gpu_partition *partition, uint32_t slice, uint32_t line)
{
    return &partition->copies[(size_t)slice * partition->copy_lines + line];
}

/* How many lines of a set a part has. */
static uint16_t *held_by(const struct gpu_partition *partition, uint32_t slice, uint32_t line, uint32_t part)
{
    size_t set = (size_t)slice * partition->caches->sets + line / partition->caches->stride;
    return &partition->held[set * partition->config.parameters->halves + part];
}

static uint32_t sectors_in(const struct gpu_line_copies *copies, uint32_t part)
{
    return copies->sectors >> SECTORS * part & ALL;
}

/* Sectors that parts other than the one the line belongs to have. */
static uint32_t sectors_elsewhere(const struct gpu_partition *partition, const struct gpu_line_copies *copies)
{
    uint32_t found = 0;
    for (uint32_t part = 0; part < partition->config.parameters->halves; part++)
        found |= part == partition->part ? 0 : sectors_in(copies, part);
    return found;
}

static void take_from(struct gpu_partition *partition, uint32_t slice, uint32_t line, uint32_t part, uint32_t sectors)
{
    struct gpu_line_copies *copies = copies_of(partition, slice, line);
    bool had = sectors_in(copies, part);
    copies->sectors &= ~(sectors << SECTORS * part);
    *held_by(partition, slice, line, part) -= had && !sectors_in(copies, part);
}

void gpu_copies_forget_line(struct gpu_partition *partition, uint32_t slice, uint32_t line)
{
    for (uint32_t part = 0; part < partition->config.parameters->halves; part++)
        take_from(partition, slice, line, part, ALL);
    *copies_of(partition, slice, line) = (struct gpu_line_copies){0};
}

void gpu_copies_forget(struct gpu_partition *partition, uint32_t slice)
{
    for (uint32_t line = 0; line < partition->copy_lines; line++)
        gpu_copies_forget_line(partition, slice, line);
}

/* ===== room ===== */

/* A part needs the place of a line. What no other part has then is in the L2 no more. */
static void give_up(struct gpu_partition *partition, uint32_t slice, uint32_t line, uint32_t part)
{
    struct mnp_cache *cache = &partition->caches[slice];
    struct gpu_line_copies *copies = copies_of(partition, slice, line);
    take_from(partition, slice, line, part, ALL);
    uint32_t valid = mnp_cache_line(cache, line)->valid;
    uint32_t home = part == partition->part ? 0 : valid & ~copies->away;
    uint32_t left = valid & (home | sectors_elsewhere(partition, copies));
    copies->away = (uint8_t)(left & ~home);
    mnp_cache_lose(cache, line, valid & ~left);
    if (left || mnp_cache_line(cache, line)->pending ||
        (mnp_cache_line(cache, line)->partial && part != partition->part))
        return;
    mnp_cache_invalidate(cache, line, line / cache->stride);
    gpu_copies_forget_line(partition, slice, line);
}

struct room {                             /* lines of a part in a set, for the choice of the way to give up */
    const struct gpu_line_copies *copies; /* copies of the set's lines */
    const struct mnp_cache_line *lines;
    uint32_t part, newest;
    bool owner; /* the lines belong to the part */
};

/* Whether a line waits for data, or has some that is not in DRAM. */
static bool is_bound(const struct room *room, uint32_t way)
{
    return room->lines[way].pending || (room->owner && room->lines[way].dirty);
}

/* Whether a part does not have a line, or cannot do without. */
static bool keeps(const void *context, uint32_t way)
{
    const struct room *room = context;
    return way == room->newest || !sectors_in(&room->copies[way], room->part) || is_bound(room, way);
}

/* Whether another part has a line that the part has, or is going to give up. */
static bool is_elsewhere(const struct room *room, uint32_t way)
{
    const struct gpu_line_copies *copies = &room->copies[way];
    return room->owner ? (copies->sectors & ~((uint32_t)ALL << SECTORS * room->part)) != 0
                       : !(copies->away & sectors_in(copies, room->part));
}

/* Whether a part keeps a line, or no other part has it. */
static bool keeps_alone(const void *context, uint32_t way)
{
    return keeps(context, way) || !is_elsewhere(context, way);
}

/* Selects the way to give up in a set where a part has more lines than its share of the ways: the least recent line
 * that other parts have too, with the new line considered last. If there is none, the least recent line. */
static uint32_t way_to_give_up(const struct mnp_cache *cache, uint32_t set, const struct room *room)
{
    uint32_t way = mnp_cache_policy_way(cache, set, keeps_alone, room);
    if (way != MNP_NO_WAY)
        return way;
    if (is_elsewhere(room, room->newest) && !is_bound(room, room->newest))
        return room->newest;
    return mnp_cache_policy_way(cache, set, keeps, room);
}

/* ===== one room (l2.one_room) ===== */

struct shared_room { /* lines of a set, for the choice of the one that gives up a place */
    const struct gpu_partition *partition;
    const struct mnp_cache *cache;
    const struct gpu_line_copies *copies; /* copies of the set's lines */
    uint32_t first, newest;               /* lines of the slice */
    bool full;                            /* the queue of misses has no room for a write-back */
};

/* Whether a line takes a place where it belongs. */
static bool is_at_home(const struct mnp_cache *cache, const struct gpu_line_copies *copies, uint32_t line)
{
    const struct mnp_cache_line *known = mnp_cache_line(cache, line);
    return !mnp_cache_is_free(cache, line) && ((known->valid & ~copies->away) || known->pending || known->partial);
}

/* Selects the part that gives up its place of a line: one that has not used the line last, if there is one. */
static uint32_t part_to_give_up(const struct shared_room *room, uint32_t way)
{
    const struct gpu_line_copies *copies = &room->copies[way];
    bool home = is_at_home(room->cache, copies, room->first + way);
    for (uint32_t part = 0; part < room->partition->config.parameters->halves; part++)
        if (part != copies->last && (part == room->partition->part ? home : sectors_in(copies, part) != 0))
            return part;
    return copies->last;
}

/* Whether a line cannot give up a place. */
static bool stays(const void *context, uint32_t way)
{
    const struct shared_room *room = context;
    const struct gpu_line_copies *copies = &room->copies[way];
    uint32_t line = room->first + way;
    const struct mnp_cache_line *known = mnp_cache_line(room->cache, line);
    if (line == room->newest || mnp_cache_is_free(room->cache, line) || known->pending)
        return true;
    if (part_to_give_up(room, way) != room->partition->part)
        return false;
    return (known->dirty && room->full) || (known->partial && sectors_elsewhere(room->partition, copies));
}

static void write_back(struct gpu_partition *partition, uint32_t slice_index, uint32_t line)
{
    const struct mnp_cache *cache = &partition->caches[slice_index];
    struct mnp_cache_line *known = mnp_cache_line(cache, line);
    uint32_t place = mnp_queue_push(&partition->slices[slice_index].misses, partition->miss_capacity);
    partition->misses[slice_index * partition->miss_capacity + place] =
        (struct gpu_miss){.address = known->tag << cache->line_shift, .sectors = (uint8_t)known->dirty, .write = true};
    gpu_partition_counters(partition, 0)[GPU_L2_WRITEBACKS] += gpu_count_sectors(known->dirty);
    if (partition->streams)
        gpu_activity_write_back(partition, slice_index, known->tag << cache->line_shift, (uint32_t)known->dirty);
    known->dirty = 0;
    partition->eager |= UINT64_C(1) << slice_index;
}

/* Number of places that a set's lines take; 0 if none of them has a copy. */
static uint32_t places_of(const struct shared_room *room, uint32_t slice)
{
    const struct gpu_partition *partition = room->partition;
    uint32_t places = 0;
    for (uint32_t part = 0; part < partition->config.parameters->halves; part++)
        places += part == partition->part ? 0 : *held_by(partition, slice, room->first, part);
    for (uint32_t way = 0; places && way < room->cache->ways; way++)
        places += is_at_home(room->cache, &room->copies[way], room->first + way);
    return places;
}

/* A line has come to take a place more. */
static void share_room(struct gpu_partition *partition, uint32_t slice, uint32_t line)
{
    const struct mnp_cache *cache = &partition->caches[slice];
    uint32_t set = line / cache->stride, first = set * cache->stride;
    struct shared_room room = {.partition = partition,
                               .cache = cache,
                               .copies = copies_of(partition, slice, first),
                               .first = first,
                               .newest = line};
    for (uint32_t places = places_of(&room, slice); places > cache->ways; places--) {
        room.full = partition->slices[slice].misses.count >= partition->miss_capacity;
        uint32_t way = mnp_cache_policy_way(cache, set, stays, &room);
        if (way == MNP_NO_WAY)
            return;
        uint32_t part = part_to_give_up(&room, way);
        if (part == partition->part && mnp_cache_line(cache, first + way)->dirty)
            write_back(partition, slice, first + way);
        give_up(partition, slice, first + way, part);
    }
}

/* A part has come to have a line. */
static void make_room(struct gpu_partition *partition, uint32_t slice, uint32_t line, uint32_t part)
{
    const struct mnp_cache *cache = &partition->caches[slice];
    uint32_t parts = (uint32_t)partition->config.parameters->halves, set = line / cache->stride;
    uint32_t first = set * cache->stride, held = ++*held_by(partition, slice, line, part);
    if (partition->config.parameters->one_room || held <= (cache->ways + parts - 1) / parts)
        return;
    const struct room room = {.copies = copies_of(partition, slice, first),
                              .lines = &cache->lines[first],
                              .part = part,
                              .newest = line - first,
                              .owner = part == partition->part};
    uint32_t way = way_to_give_up(cache, set, &room);
    if (way != MNP_NO_WAY)
        give_up(partition, slice, first + way, part);
}

/* ===== accesses ===== */

/* Occupies a slice while a part takes in sectors. In the machine, the slice that writes them lies in the other part. As
 * lines of that slice are copied to this part equally often, this slice stands for it and is occupied for the same
 * time. */
static void write_copy(struct gpu_partition *partition, uint32_t slice_index, uint32_t sectors, uint16_t kernel,
                       uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    uint32_t cycles = partition->copy_cycles[gpu_count_sectors(sectors)];
    slice->busy_until = (slice->busy_until > cycle ? slice->busy_until : cycle) + cycles;
    gpu_partition_counters(partition, kernel)[GPU_L2_BUSY] += cycles;
}

static void read_line(struct gpu_partition *partition, uint32_t slice, uint32_t line, uint32_t part,
                      struct gpu_transaction *transaction, uint64_t cycle)
{
    struct gpu_line_copies *copies = copies_of(partition, slice, line);
    bool far = part != partition->part, first = !sectors_in(copies, part);
    uint32_t missing = transaction->sectors & ~sectors_in(copies, part);
    uint32_t crossing = far ? missing : missing & copies->away;
    copies->sectors |= missing << SECTORS * part;
    if (crossing) {
        copies->until = cycle + partition->config.far_cycles;
        gpu_partition_counters(partition, transaction->kernel)[GPU_L2_CROSSED] += gpu_count_sectors(crossing);
        if (partition->config.parameters->copy_port)
            write_copy(partition, slice, crossing, transaction->kernel, cycle);
    }
    if (!far)
        copies->away &= (uint8_t)~missing;
    transaction->crosses = crossing != 0;
    transaction->far = crossing || (far && copies->until > cycle);
    transaction->ready = copies->until;
    if (first)
        make_room(partition, slice, line, part);
    if (partition->config.parameters->one_room && (first || crossing))
        share_room(partition, slice, line);
}

void gpu_copies_use(struct gpu_partition *partition, uint32_t slice, uint32_t line, struct gpu_transaction *transaction,
                    uint64_t cycle)
{
    const struct gpu_partition_config *config = &partition->config;
    uint32_t gpcs = config->gpcs - config->hubs, part = partition->part;
    if (transaction->gpc < gpcs) /* hubs are near to all parts */
        part = gpu_part_of(transaction->gpc, gpcs, config->parameters->halves);
    bool reads = transaction->kind == GPU_READ || transaction->kind == GPU_FETCH;
    if (config->parameters->one_room)
        copies_of(partition, slice, line)->last = (uint8_t)(reads ? part : partition->part);
    if (reads && transaction->strong && config->parameters->strong_home) {
        transaction->far = transaction->crosses = part != partition->part;
        transaction->ready = cycle + config->home_cycles;
        return;
    }
    if (reads) {
        read_line(partition, slice, line, part, transaction, cycle);
        return;
    }
    for (uint32_t each = 0; each < partition->config.parameters->halves; each++)
        take_from(partition, slice, line, each, transaction->sectors);
    copies_of(partition, slice, line)->away &= (uint8_t)~transaction->sectors;
    transaction->far = transaction->crosses = part != partition->part;
    transaction->ready = cycle + config->home_cycles;
    if (config->parameters->one_room)
        share_room(partition, slice, line);
}
