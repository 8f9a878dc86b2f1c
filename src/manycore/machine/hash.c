/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state hash of a many-core machine. It is a sum over tiles, places in queues and credits, so that it is the same
 * however the machine is cut into blocks: what is on a link between two blocks counts as what it would be inside of
 * one, a packet in the queue beyond, or a place given back.
 */
#include "engine/spread/ranks.h"
#include "manycore/machine/machine.h"
#include "manycore/machine/polls.h"
#include "manycore/mesh/place.h"

#include <string.h>
#include <xxhash.h>

/* Kinds of terms of the sum. A term's kind, its tile and a place in the tile form the seed. */
enum term { TILE = 1, TAGS, ROUTER, CREDIT, ENTRY, GLOBAL, REQUEST, VALUE, VERSIONS };

static uint64_t seed(enum term term, uint32_t tile, uint32_t place)
{
    return (uint64_t)term << 56 | (uint64_t)tile << 24 | place;
}

/* ===== memory ===== */

static uint64_t hash_contents(const struct manycore_machine *machine, uint32_t tile)
{
    const struct manycore_parameters *p = machine->parameters;
    const struct manycore_block *block = manycore_block_of(machine, tile);
    const struct manycore_place *place = &block->place[manycore_place_of(block, tile, (uint32_t)p->width)];
    if (!mnp_engine_owns(&machine->engine, block->unit->id))
        return 0;
    uint64_t hash = XXH3_64bits_withSeed(place->scratchpad, p->dspm, tile);
    for (uint32_t page = 0; page < p->private_bytes / MANYCORE_PAGE; page++)
        if (place->writable[page])
            hash = XXH3_64bits_withSeed(place->writable[page], MANYCORE_PAGE, hash + page);
    if (p->network != MANYCORE_GLOBAL) /* its bank of shared memory */
        hash = XXH3_64bits_withSeed(machine->shared.base + (size_t)tile * p->bank_bytes, p->bank_bytes, hash);
    return hash;
}

static uint64_t hash_global_memory(const struct manycore_machine *machine)
{
    bool mine =
        machine->parameters->network == MANYCORE_GLOBAL && mnp_engine_owns(&machine->engine, machine->global.unit->id);
    return mine ? XXH3_64bits(machine->shared.base, machine->shared.used) : 0;
}

/* Memory contents lie beside the units' state: pages in use, scratchpads, shared memory. */
uint64_t manycore_hash_memory(void *context)
{
    const struct manycore_machine *machine = context;
    uint64_t hash = hash_global_memory(machine);
    for (uint32_t tile = 0; tile < machine->parameters->tiles; tile++)
        hash += hash_contents(machine, tile);
    return hash;
}

/* ===== tiles ===== */

static uint64_t hash_tags(const struct manycore_cache_shape *shape, const struct manycore_tags *tags, uint64_t accesses,
                          uint64_t start)
{
    if (!accesses) /* the tags are unused */
        return 0;
    uint64_t hash = XXH3_64bits_withSeed(tags->words, (size_t)shape->sets * shape->ways * sizeof *tags->words, start);
    return XXH3_64bits_withSeed(tags->next, shape->sets, hash);
}

/* Places in a neighbour's queue count one by one: those that are on their way back are added. */
static uint64_t hash_credit(uint32_t tile, uint32_t port, uint32_t channel)
{
    uint32_t which = port << 8 | channel;
    return XXH3_64bits_withSeed(&which, sizeof which, seed(CREDIT, tile, 0));
}

/* A packet in a queue that has `before` others before it. */
static uint64_t hash_entry(uint32_t tile, uint32_t queue, uint32_t before, const struct manycore_packet *packet,
                           uint32_t ready)
{
    const struct manycore_entry entry = {*packet, ready};
    return XXH3_64bits_withSeed(&entry, sizeof entry, seed(ENTRY, tile, queue << 8 | before));
}

static uint64_t hash_router(const struct manycore_block *block, uint32_t tile, uint32_t place)
{
    const struct manycore_mesh_shape *shape = &block->shape;
    const struct manycore_router *router = &block->router[place];
    const struct manycore_entry *entries = block->entries + (size_t)place * shape->places;
    unsigned char turns[MANYCORE_PORTS + 1];
    memcpy(turns, router->turn, MANYCORE_PORTS);
    turns[MANYCORE_PORTS] = router->local_turn;
    uint64_t hash = XXH3_64bits_withSeed(turns, sizeof turns, seed(ROUTER, tile, 0));
    for (uint32_t port = 0; port < MANYCORE_LOCAL; port++)
        for (uint32_t channel = 0; channel < MANYCORE_CHANNELS; channel++)
            if (router->credits[port][channel])
                hash += router->credits[port][channel] * hash_credit(tile, port, channel);
    for (uint32_t queue = 0; queue < shape->places / shape->depth; queue++)
        for (uint32_t i = 0; i < router->count[queue]; i++) {
            const struct manycore_entry *entry =
                &entries[queue * shape->depth + (router->head[queue] + i) % shape->depth];
            hash += hash_entry(tile, queue, i, &entry->packet, entry->ready);
        }
    return hash;
}

static uint64_t hash_tile(const struct manycore_machine *machine, uint32_t tile)
{
    const struct manycore_parameters *p = machine->parameters;
    const struct manycore_block *block = manycore_block_of(machine, tile);
    if (!mnp_engine_owns(&machine->engine, block->unit->id))
        return 0;
    uint32_t number = manycore_place_of(block, tile, (uint32_t)p->width);
    const struct manycore_place *place = &block->place[number];
    const struct manycore_core *core = &block->tile[number].core;
    uint64_t hash = XXH3_64bits_withSeed(&block->tile[number], sizeof block->tile[number], seed(TILE, tile, 0));
    if (p->caches)
        hash += hash_tags(&p->instruction_shape, &place->instruction_tags, core->instruction_cache.accesses,
                          seed(TAGS, tile, 0)) +
                hash_tags(&p->data_shape, &place->data_tags, core->data_cache.accesses, seed(TAGS, tile, 1));
    if (p->network != MANYCORE_MESH)
        return hash;
    const unsigned char *versions = machine->versions.base + (size_t)tile * p->bank_bytes;
    return hash + hash_router(block, tile, number) +
           XXH3_64bits_withSeed(versions, p->bank_bytes, seed(VERSIONS, tile, 0));
}

/* ===== links ===== */

/* Hashes the items on a link to a block: a packet for a queue, behind those that are there, or a place given back. */
static uint64_t hash_flits(const struct manycore_machine *machine, const struct mnp_link *link)
{
    const struct manycore_block *block = link->to->self;
    uint64_t hash = 0, head = atomic_load_explicit(&link->consumed, memory_order_relaxed);
    for (; head != link->tail; head++) {
        const unsigned char *entry = mnp_link_entry(link, head);
        const struct manycore_flit *flit = (const void *)(entry + sizeof(mnp_time));
        mnp_time arrival;
        memcpy(&arrival, entry, sizeof arrival);
        uint32_t place = manycore_place_of(block, flit->router, (uint32_t)machine->parameters->width);
        uint32_t queue = manycore_queue(flit->port, flit->channel), count = block->router[place].count[queue];
        hash += flit->is_credit ? hash_credit(flit->router, flit->port, flit->channel)
                                : hash_entry(flit->router, queue, count, &flit->packet,
                                             (uint32_t)mnp_cycle_at(machine->parameters->clock, arrival));
    }
    return hash;
}

/* An access on its way to the global space, or a value back, as an entry of a link. Reads are like any others, whether
 * they are performed each by itself or not (polls.c), and nobody looks at the version that a plain read brings. */
static uint64_t hash_access(const struct mnp_link *link, mnp_time arrival, struct manycore_packet packet,
                            enum term term)
{
    unsigned char entry[sizeof arrival + sizeof packet];
    if (packet.request.action == MANYCORE_READ) {
        packet.request.version = packet.request.mark = 0;
        packet.request.data = term == REQUEST ? 0 : packet.request.data;
    }
    MNP_REQUIRE(link->stride == sizeof entry, "an access has %u bytes on a link", link->stride);
    memcpy(entry, &arrival, sizeof arrival);
    memcpy(entry + sizeof arrival, &packet, sizeof packet);
    return XXH3_64bits_withSeed(entry, sizeof entry, seed(term, 0, 0));
}

/* A core has one of these at most. */
static uint64_t hash_accesses(const struct mnp_link *link, enum term term)
{
    uint64_t hash = 0, head = atomic_load_explicit(&link->consumed, memory_order_relaxed);
    for (; head != link->tail; head++) {
        const unsigned char *entry = mnp_link_entry(link, head);
        struct manycore_packet packet;
        mnp_time arrival;
        memcpy(&arrival, entry, sizeof arrival);
        memcpy(&packet, entry + sizeof arrival, sizeof packet);
        hash += hash_access(link, arrival, packet, term);
    }
    return hash;
}

/* A read of a tile that is not performed, as it will find what its core knows: where it would be now. */
static uint64_t hash_poll(const struct manycore_machine *machine, uint32_t tile)
{
    const struct manycore_block *block = manycore_block_of(machine, tile);
    uint64_t since = block->tile[manycore_place_of(block, tile, block->shape.width)].waiting_since;
    struct manycore_packet packet;
    if (since == UINT64_MAX || !manycore_polls_under_way(machine->global.polls, tile, &packet))
        return 0;
    const struct mnp_link *there = block->out[MANYCORE_LOCAL],
                          *back = machine->global.out[machine->global.block_of[tile]];
    mnp_time arrival = mnp_edge(machine->parameters->clock, since) + there->latency;
    packet.born = (uint32_t)since;
    if (arrival >= machine->engine.now)
        return hash_access(there, arrival, packet, REQUEST);
    uint16_t from = packet.from;
    packet.from = packet.to;
    packet.to = from;
    return hash_access(back, arrival + back->latency, packet, VALUE);
}

static uint64_t hash_links(const struct manycore_machine *machine)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < machine->engine.link_count; i++) {
        const struct mnp_link *link = machine->engine.links[i];
        if (!mnp_ranks_speaks_for(&machine->engine, link->to))
            continue;
        hash += machine->parameters->network == MANYCORE_MESH
                    ? hash_flits(machine, link)
                    : hash_accesses(link, link->to == machine->global.unit ? REQUEST : VALUE);
    }
    return hash;
}

static uint64_t hash_global(const struct manycore_machine *machine)
{
    const struct manycore_bank *bank = &machine->global.bank;
    if (machine->parameters->network != MANYCORE_GLOBAL || !mnp_engine_owns(&machine->engine, machine->global.unit->id))
        return 0;
    return XXH3_64bits_withSeed(bank->versions, machine->shared_bytes, seed(GLOBAL, 0, 0)) +
           XXH3_64bits_withSeed(bank->writers, bank->writer_count * sizeof *bank->writers, seed(GLOBAL, 0, 1));
}

uint64_t manycore_hash_state(void *context, uint32_t part, uint32_t parts)
{
    const struct manycore_machine *machine = context;
    uint64_t tiles = machine->parameters->tiles, hash = 0;
    if (part == 0)
        hash = hash_global_memory(machine) + hash_global(machine) + hash_links(machine);
    for (uint32_t tile = (uint32_t)(tiles * part / parts); tile < tiles * (part + 1) / parts; tile++)
        hash += hash_contents(machine, tile) + hash_tile(machine, tile) + hash_poll(machine, tile);
    return hash;
}
