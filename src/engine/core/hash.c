/* SPDX-License-Identifier: BSD-3-Clause */
/* The state hash covers only logical state, so that it is the same for every executor, window and schedule. */
#include "base/allocate.h"
#include "base/error.h"
#include "base/touched.h"
#include "base/zeros.h"
#include "engine/executors/team.h"
#include "engine/spread/ranks.h"

#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <xxhash.h>

/* Whether a unit has ever acted: it has made progress, or sent or received a packet. */
static bool has_acted(const struct mnp_unit *unit)
{
    if (unit->progress)
        return true;
    for (uint32_t i = 0; i < unit->inbox.count; i++)
        if (atomic_load_explicit(&unit->inbox.links[i]->consumed, memory_order_relaxed))
            return true;
    for (uint32_t i = 0; i < unit->out_count; i++)
        if (unit->out[i]->tail)
            return true;
    return false;
}

enum { BLOCK = 512 /* size in bytes of a block, which is hashed only if it is nonzero */ };

/* Hashes a range of state. Much of a unit's state is unused, such as counters of further kernels; blocks of zeros are
 * skipped, and only their absence affects the hash. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t from, size_t to, uint64_t hash)
{
    for (size_t at = from; at < to; at += BLOCK) {
        size_t length = to - at < BLOCK ? to - at : BLOCK;
        if (!mnp_only_zeros(bytes + at, length))
            hash = XXH3_64bits_withSeed(bytes + at, length, hash + at);
    }
    return hash;
}

/* Hashes an arena, skipping untouched pages, which are blocks of zeros, too. */
static uint64_t hash_arena(const struct mnp_arena *arena, const struct mnp_page_map *map, uint64_t hash)
{
    struct mnp_touched touched;
    size_t from, to;
    mnp_touched_begin(&touched, map, arena->base, arena->used);
    while (mnp_touched_next(&touched, &from, &to))
        hash = hash_bytes(arena->base, from, to, hash);
    return hash;
}

static uint64_t hash_unit(const struct mnp_unit *unit, const struct mnp_page_map *map)
{
    /* The state of a unit that has never acted equals that of the fresh machine. Not reading it keeps the pages of idle
     * parts of large machines unbacked. */
    if (!has_acted(unit))
        return hash_bytes((const unsigned char *)unit->counters, 0,
                          (size_t)unit->slots * unit->counter_width * sizeof(uint64_t), unit->id);
    return hash_arena(&unit->state, map, unit->id);
}

/* Hashes arrival times and payloads of the packets in flight, oldest first; 0 if there are none. */
static uint64_t hash_link(const struct mnp_link *link, XXH3_state_t *state)
{
    uint64_t head = atomic_load_explicit(&link->consumed, memory_order_relaxed);
    if (head == link->tail)
        return 0;
    XXH3_64bits_reset_withSeed(state, link->id);
    for (; head != link->tail; head++)
        XXH3_64bits_update(state, mnp_link_entry(link, head), link->stride);
    return XXH3_64bits_digest(state);
}

/* Size of state in bytes from which threads are started to hash it. */
enum { MUCH_STATE = 4 << 20 };

struct hashing {
    const struct mnp_engine *engine;
    uint64_t *units;        /* hashes of the units */
    _Atomic uint64_t whole; /* sum of the hashes of the parts, for a machine with hook.state */
    _Atomic uint32_t next;
};

enum { PARTS = 64 /* number of parts into which a machine with hook.state is divided */ };

static void hash_state(void *context, uint32_t worker, uint32_t workers)
{
    struct hashing *hashing = context;
    const struct mnp_epoch_hook *hook = &hashing->engine->hook;
    (void)worker;
    (void)workers;
    for (uint32_t i; (i = atomic_fetch_add_explicit(&hashing->next, 1, memory_order_relaxed)) < PARTS;)
        atomic_fetch_add_explicit(&hashing->whole, hook->state(hook->context, i, PARTS), memory_order_relaxed);
}

static void hash_units(void *context, uint32_t worker, uint32_t workers)
{
    struct hashing *hashing = context;
    const struct mnp_engine *engine = hashing->engine;
    struct mnp_page_map map = mnp_page_map_open();
    (void)worker;
    (void)workers;
    for (uint32_t i; (i = atomic_fetch_add_explicit(&hashing->next, 1, memory_order_relaxed)) < engine->unit_count;)
        if (mnp_ranks_speaks_for(engine, engine->units[i]))
            hashing->units[i] = hash_unit(engine->units[i], &map);
    mnp_page_map_close(&map);
}

/* The number of threads that hash the units: that of the run, if there is enough state and processors are free. */
static uint32_t hashing_threads(const struct mnp_engine *engine)
{
    const struct mnp_placed *placed = &engine->placed;
    uint64_t bytes = 0;
    if (placed->binding != MNP_BINDING_BOUND && placed->binding != MNP_BINDING_UNASKED)
        return 1;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (mnp_ranks_speaks_for(engine, engine->units[i]) && has_acted(engine->units[i]))
            bytes += engine->units[i]->state.used;
    return bytes < MUCH_STATE ? 1 : placed->threads;
}

static void hash_on(uint32_t threads, mnp_job *job, struct hashing *hashing)
{
    struct mnp_team *team = threads > 1 ? mnp_team_start(threads, false) : NULL;
    if (team) {
        mnp_team_run(team, mnp_team_size(team), job, hashing);
        mnp_team_stop(team);
    } else {
        job(hashing, 0, 1);
    }
}

/* Returns the hashes of memory, of the units and of the links, in this order. The caller frees the array. */
static uint64_t *hash_parts(const struct mnp_engine *engine, uint32_t threads, size_t *count)
{
    *count = 1 + (size_t)engine->unit_count + engine->link_count;
    uint64_t *parts = mnp_allocate(*count, sizeof *parts); /* 0 if another process reports for the part */
    XXH3_state_t *state = XXH3_createState();
    MNP_NEED_MEMORY(state != NULL, "a hash");
    mnp_ranks_share_writes(engine); /* needed in the middle of an epoch */
    if (engine->hook.hash && (!engine->hook.pack || mnp_ranks_is_first(engine)))
        parts[0] = engine->hook.hash(engine->hook.context);
    struct hashing hashing = {.engine = engine, .units = parts + 1};
    hash_on(threads, hash_units, &hashing);
    for (uint32_t i = 0; i < engine->link_count; i++)
        if (mnp_ranks_speaks_for(engine, engine->links[i]->to))
            parts[1 + engine->unit_count + i] = hash_link(engine->links[i], state);
    mnp_ranks_sum(engine, parts, *count);
    XXH3_freeState(state);
    return parts;
}

static uint64_t join(const struct mnp_engine *engine, const uint64_t *parts, size_t count)
{
    return XXH3_64bits_withSeed(parts, count * sizeof *parts, engine->now);
}

/* The hash of a machine with hook.state, which defines its own state. */
static uint64_t hash_whole(const struct mnp_engine *engine, uint32_t threads)
{
    struct hashing hashing = {.engine = engine};
    hash_on(threads, hash_state, &hashing);
    uint64_t whole = atomic_load(&hashing.whole);
    mnp_ranks_sum(engine, &whole, 1);
    return join(engine, &whole, 1);
}

uint64_t mnp_engine_hash(const struct mnp_engine *engine)
{
    size_t count;
    if (engine->hook.state)
        return hash_whole(engine, hashing_threads(engine));
    uint64_t *parts = hash_parts(engine, hashing_threads(engine), &count);
    uint64_t hash = join(engine, parts, count);
    free(parts);
    return hash;
}

void mnp_engine_hash_epoch(const struct mnp_engine *engine)
{
    size_t count;
    uint64_t *parts = hash_parts(engine, 1, &count);
    struct mnp_epoch_hashes hashes = {.engine = engine,
                                      .end = engine->now,
                                      .hash = engine->hook.state ? hash_whole(engine, 1) : join(engine, parts, count),
                                      .memory = parts[0],
                                      .units = parts + 1};
    for (uint32_t i = 0; i < engine->link_count; i++) /* packets in flight are hashed by their sender's process */
        parts[1 + engine->links[i]->from->id] += parts[1 + engine->unit_count + i];
    engine->options.on_epoch(engine->options.context, &hashes);
    free(parts);
}
