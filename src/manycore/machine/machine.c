/* SPDX-License-Identifier: BSD-3-Clause */
/* Building a many-core machine. */
#include "manycore/machine/machine.h"
#include "base/allocate.h"
#include "manycore/core/page.h"
#include "manycore/machine/polls.h"
#include "manycore/mesh/place.h"

#include "engine/core/port.h"

#include <stdlib.h>
#include <string.h>

/* ===== a block ===== */

static size_t cache_words(const struct manycore_cache_shape *shape)
{
    return (size_t)shape->sets * shape->ways;
}

/* Carves the tags of all tiles; a tile's lie together. */
static void take_tags(struct mnp_arena *arena, const struct manycore_cache_shape *shape, uint32_t tiles,
                      struct manycore_tags *first)
{
    first->words = mnp_arena_take(arena, cache_words(shape) * tiles, sizeof *first->words);
    first->next = mnp_arena_take(arena, (size_t)shape->sets * tiles, 1);
}

static struct manycore_tags tags_of(const struct manycore_tags *first, const struct manycore_cache_shape *shape,
                                    uint32_t place)
{
    return (struct manycore_tags){first->words + cache_words(shape) * place, first->next + (size_t)shape->sets * place,
                                  NULL};
}

/* The block that a block is a part of; NULL: it is none. */
static const struct manycore_block *whole_of(const struct manycore_block *block)
{
    const struct manycore_block *whole = block->machine->whole;
    return block == whole ? NULL : whole;
}

/* The tiles of a band of columns lie one behind another in the whole. */
static void take_part(struct manycore_block *block, const struct manycore_block *whole)
{
    const struct manycore_parameters *p = block->machine->parameters;
    size_t first = (size_t)block->left * block->rows;
    block->tile = whole->tile + first;
    block->router = whole->router + first;
    block->entries = whole->entries + first * manycore_queues(p) * p->mesh_queue;
    block->instruction_tags = block->data_tags = (struct manycore_tags){NULL, NULL, NULL};
    if (!p->caches)
        return;
    block->instruction_tags = tags_of(&whole->instruction_tags, &p->instruction_shape, (uint32_t)first);
    block->data_tags = tags_of(&whole->data_tags, &p->data_shape, (uint32_t)first);
}

void manycore_block_lay_out(void *self, struct mnp_arena *arena)
{
    struct manycore_block *block = self;
    const struct manycore_parameters *p = block->machine->parameters;
    size_t entries = (size_t)block->tiles * manycore_queues(p) * p->mesh_queue;
    block->state = mnp_arena_take(arena, 1, sizeof *block->state);
    if (whole_of(block)) {
        take_part(block, whole_of(block));
        return;
    }
    block->tile = mnp_arena_take(arena, block->tiles, sizeof *block->tile);
    block->router = mnp_arena_take(arena, block->tiles, sizeof *block->router);
    block->entries = mnp_arena_take(arena, entries, sizeof *block->entries);
    if (!p->caches)
        return;
    take_tags(arena, &p->instruction_shape, block->tiles, &block->instruction_tags);
    take_tags(arena, &p->data_shape, block->tiles, &block->data_tags);
}

/* The memory contents of a block lie beside its state. */
static void lay_out_memory(void *self, struct mnp_arena *arena)
{
    struct manycore_block *block = self;
    const struct manycore_parameters *p = block->machine->parameters;
    block->scratchpads = mnp_arena_take(arena, block->tiles, p->dspm);
    block->pool.base = mnp_arena_take(arena, 1, block->pool.capacity);
}

static void place_tiles(struct manycore_block *block)
{
    struct manycore_machine *machine = block->machine;
    const struct manycore_parameters *p = machine->parameters;
    size_t pages = p->private_bytes / MANYCORE_PAGE;
    block->pool.capacity = (uint64_t)block->tiles * p->private_bytes;
    mnp_arena_lay_out(&block->memory, lay_out_memory, block);
    block->lists = mnp_allocate(2 * pages * block->tiles, sizeof *block->lists);
    block->guesses = mnp_allocate(p->caches ? block->tiles : 0, 2 * MANYCORE_GUESSES);
    for (uint32_t i = 0; i < block->tiles; i++) {
        struct manycore_place *place = &block->place[i];
        *place = (struct manycore_place){.image = &machine->image,
                                         .timing = &p->timing,
                                         .readable = block->lists + 2 * pages * i,
                                         .writable = block->lists + 2 * pages * i + pages,
                                         .pool = &block->pool,
                                         .scratchpad = block->scratchpads + (size_t)i * p->dspm,
                                         .private_bytes = p->private_bytes,
                                         .scratchpad_bytes = (uint32_t)p->dspm,
                                         .shared_bytes = machine->shared_bytes};
        for (uint32_t page = 0; page < pages; page++)
            place->readable[page] = manycore_image_page(&machine->image, page);
        if (!p->caches)
            continue;
        place->instruction_shape = &p->instruction_shape;
        place->data_shape = &p->data_shape;
        place->instruction_tags = tags_of(&block->instruction_tags, &p->instruction_shape, i);
        place->data_tags = tags_of(&block->data_tags, &p->data_shape, i);
        place->instruction_tags.guess = block->guesses + (size_t)i * 2 * MANYCORE_GUESSES;
        place->data_tags.guess = place->instruction_tags.guess + MANYCORE_GUESSES;
    }
}

/* How a core begins: its number and what it must know of the machine in r0–r3, its stack in the scratchpad. */
static void start_core(struct manycore_block *block, uint32_t place)
{
    const struct manycore_parameters *p = block->machine->parameters;
    struct manycore_tile *tile = &block->tile[place];
    struct manycore_core *core = &tile->core;
    core->r[0] = manycore_tile_of(block, place, (uint32_t)p->width);
    core->r[1] = (uint32_t)p->tiles;
    core->r[2] = (uint32_t)p->width;
    core->r[3] = p->bank_bytes;
    core->r[13] = MANYCORE_DSPM + (uint32_t)p->dspm;
    core->r[15] = block->machine->image.program->entry;
    core->flags.z = 1;
    tile->waiting_since = UINT64_MAX;
    manycore_event_add(block, place, 0);
}

/* Creates a block of the machine as a unit. */
static void create_block_unit(struct manycore_machine *machine, struct manycore_block *block, const char *name)
{
    const struct manycore_parameters *p = machine->parameters;
    static const uint32_t lengths[MANYCORE_BLOCK_PORTS] = {[MANYCORE_BLOCK_MESH_IN] = MANYCORE_LOCAL,
                                                           [MANYCORE_BLOCK_MESH_OUT] = MANYCORE_LOCAL,
                                                           [MANYCORE_BLOCK_ACCESSES] = 1,
                                                           [MANYCORE_BLOCK_VALUES] = 1};
    block->unit = mnp_engine_create_unit(&machine->engine, &(struct mnp_unit_plan){.model = p->block,
                                                                                   .name = name,
                                                                                   .self = block,
                                                                                   .hertz = p->clock,
                                                                                   .slots = 1,
                                                                                   .lengths = lengths});
}

/* Arrays that follow from the state of tiles: of their own, or a part of the whole's. */
static void provide_tiles(struct manycore_block *block)
{
    const struct manycore_block *whole = whole_of(block);
    if (whole) {
        size_t first = (size_t)block->left * block->rows;
        block->place = whole->place + first;
        block->node = whole->node + first;
        block->spins = block->all_spins = whole->all_spins + first;
        return;
    }
    block->place = mnp_allocate(block->tiles, sizeof *block->place);
    block->node = aligned_alloc(MNP_CACHE_LINE, block->tiles * sizeof *block->node);
    MNP_NEED_MEMORY(block->node, "routers");
    memset(block->node, 0, block->tiles * sizeof *block->node);
    block->all_spins = mnp_allocate(block->tiles, sizeof *block->spins);
    if (block->machine->parameters->network == MANYCORE_MESH) /* rounds of the global space: manycore_polls_open */
        block->spins = block->all_spins;
}

/* Allocates a block's notes about its tiles, which are kept from cycle to cycle. */
static void provide_lists(struct manycore_block *block)
{
    const struct manycore_parameters *p = block->machine->parameters;
    size_t words = (block->tiles + 63) / 64;
    block->heap = mnp_allocate(block->tiles, sizeof *block->heap);
    block->answers = mnp_allocate(2 * (size_t)block->tiles, sizeof *block->answers);
    block->spinning = mnp_allocate(words, sizeof *block->spinning);
    block->spins_until = UINT64_MAX;
    block->active = mnp_allocate(words, sizeof *block->active);
    block->local = mnp_allocate(words, sizeof *block->local);
    block->moves = mnp_allocate((size_t)block->tiles * MANYCORE_PORTS, sizeof *block->moves);
    block->credits = mnp_allocate((size_t)block->tiles * MANYCORE_PORTS, sizeof *block->credits);
    block->flight_room = 2 * block->tiles < UINT16_MAX ? 2 * block->tiles : UINT16_MAX;
    if (!p->mesh_torus && p->mesh_queue > 1) /* with one place, a link's next packet would notice that it passes */
        block->flights = block->all_flights = mnp_allocate(block->flight_room, sizeof *block->flights);
    block->replies = mnp_allocate(block->tiles, sizeof *block->replies);
}

/* A block whose rectangle is known. Its tiles lie row by row, or column by column where columns are shared out. */
static void create_block(struct manycore_machine *machine, struct manycore_block *block, const char *name)
{
    const struct manycore_parameters *p = machine->parameters;
    bool by_column = machine->whole != NULL;
    block->common = &machine->common;
    block->machine = machine;
    block->points = machine->points;
    block->run_ahead = p->run_ahead;
    block->shared = machine->shared.base;
    block->versions = (uint32_t *)(void *)machine->versions.base;
    block->tiles = block->columns * block->rows;
    block->across = by_column ? block->rows : 1;
    block->down = by_column ? 1 : block->columns;
    create_block_unit(machine, block, name);
    provide_tiles(block);
    provide_lists(block);
    manycore_router_prepare(block);
}

/* Block `number` of the machine, with what its tiles begin with. */
static void create_part(struct manycore_machine *machine, uint32_t number)
{
    const struct manycore_parameters *p = machine->parameters;
    struct manycore_block *block = &machine->blocks[number];
    uint32_t width = (uint32_t)p->width, height = (uint32_t)p->height;
    char name[32];
    snprintf(name, sizeof name, "block%u", number);
    block->left = number % machine->blocks_across * p->block_columns;
    block->top = number / machine->blocks_across * p->block_rows;
    block->columns = width - block->left < p->block_columns ? width - block->left : p->block_columns;
    block->rows = height - block->top < p->block_rows ? height - block->top : p->block_rows;
    create_block(machine, block, name);
    block->unit->cost = (uint64_t)block->tiles * MANYCORE_FIRST_RUN;
    place_tiles(block);
    for (uint32_t place = 0; place < block->tiles; place++)
        start_core(block, place);
}

/* Bands of columns can be joined, if one block may have so many tiles. */
static void create_whole(struct manycore_machine *machine)
{
    const struct manycore_parameters *p = machine->parameters;
    if (!p->joins || p->tiles > MANYCORE_LARGEST_WHOLE)
        return;
    machine->whole = mnp_allocate(1, sizeof *machine->whole);
    machine->whole->columns = (uint32_t)p->width;
    machine->whole->rows = (uint32_t)p->height;
    machine->whole->resting = true;
    create_block(machine, machine->whole, "whole");
}

void manycore_block_freeze(struct mnp_unit *unit)
{
    struct manycore_block *block = unit->self;
    memcpy(block->out, mnp_port_links(unit, MANYCORE_BLOCK_MESH_OUT), MANYCORE_LOCAL * sizeof *block->out);
    block->out[MANYCORE_LOCAL] = mnp_port_link(unit, MANYCORE_BLOCK_ACCESSES);
}

/* ===== links ===== */

/* Places in the neighbours' queues: credits towards the edge of the mesh stay 0. */
static void give_credits(struct manycore_machine *machine, struct manycore_block *block)
{
    const struct manycore_parameters *p = machine->parameters;
    for (uint32_t place = 0; place < block->tiles; place++) {
        uint32_t x = block->node[place].around.x, y = block->node[place].around.y;
        bool torus = p->mesh_torus, ring_x = torus && p->width > 1, ring_y = torus && p->height > 1;
        const bool there[4] = {ring_y || y > 0, ring_x || x + 1 < p->width, ring_y || y + 1 < p->height,
                               ring_x || x > 0};
        for (uint32_t out = 0; out < 4; out++)
            for (uint32_t channel = 0; there[out] && channel < (torus ? 2 : 1) * MANYCORE_KINDS; channel++)
                block->router[place].credits[out][channel] = (uint8_t)p->mesh_queue;
    }
}

/* The block beyond each side of one; UINT32_MAX: none, or itself. */
static void find_neighbours(const struct manycore_machine *machine, uint32_t block, uint32_t *to)
{
    uint32_t across = machine->blocks_across, down = machine->block_count / across;
    uint32_t column = block % across, row = block / across;
    bool ring_x = machine->parameters->mesh_torus && across > 1, ring_y = machine->parameters->mesh_torus && down > 1;
    to[MANYCORE_NORTH] = row > 0 ? block - across : ring_y ? block + (down - 1) * across : UINT32_MAX;
    to[MANYCORE_EAST] = column + 1 < across ? block + 1 : ring_x ? block + 1 - across : UINT32_MAX;
    to[MANYCORE_SOUTH] = row + 1 < down ? block + across : ring_y ? column : UINT32_MAX;
    to[MANYCORE_WEST] = column > 0 ? block - 1 : ring_x ? block + across - 1 : UINT32_MAX;
}

static void link_mesh(struct manycore_machine *machine)
{
    const struct manycore_parameters *p = machine->parameters;
    mnp_time hop = mnp_edge(p->clock, 1);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct manycore_block *block = &machine->blocks[i];
        uint32_t to[4];
        find_neighbours(machine, i, to);
        give_credits(machine, block);
        for (uint32_t out = 0; out < 4; out++) {
            if (to[out] == UINT32_MAX)
                continue;
            uint32_t border = out % 2 ? block->rows : block->columns;
            uint32_t flits = p->mesh_torus ? 5 : 3; /* in a cycle and row: a packet, and a credit for each channel */
            mnp_connect(&machine->engine, mnp_at_port(block->unit, "mesh out", out),
                        mnp_at_port(machine->blocks[to[out]].unit, "mesh in", (out + 2) % 4), hop, border * flits * 4);
        }
    }
}

void manycore_global_lay_out(void *self, struct mnp_arena *arena)
{
    struct manycore_bank *bank = &((struct manycore_global *)self)->bank;
    bank->writer_count = MANYCORE_GLOBAL_WRITERS;
    bank->writers = mnp_arena_take(arena, MANYCORE_GLOBAL_WRITERS, sizeof *bank->writers);
}

void manycore_global_freeze(struct mnp_unit *unit)
{
    struct manycore_global *global = unit->self;
    global->out = mnp_port_links(unit, MANYCORE_GLOBAL_VALUES);
}

static void create_global(struct manycore_machine *machine)
{
    const struct manycore_parameters *p = machine->parameters;
    struct manycore_global *global = &machine->global;
    const uint32_t lengths[MANYCORE_GLOBAL_PORTS] = {machine->block_count, machine->block_count};
    global->machine = machine;
    global->bank.versions = (uint32_t *)(void *)machine->versions.base;
    global->unit = mnp_engine_create_unit(&machine->engine, &(struct mnp_unit_plan){.model = &manycore_global_model,
                                                                                    .name = "global",
                                                                                    .self = global,
                                                                                    .hertz = p->clock,
                                                                                    .slots = 1,
                                                                                    .lengths = lengths});
    global->arrived = mnp_allocate(p->tiles, sizeof *global->arrived);
    global->asking = mnp_allocate((p->tiles + 63) / 64, sizeof *global->asking);
    global->block_of = mnp_allocate(p->tiles, sizeof *global->block_of);
    for (uint32_t i = 0; i < machine->block_count; i++)
        for (uint32_t place = 0; place < machine->blocks[i].tiles; place++)
            global->block_of[manycore_tile_of(&machine->blocks[i], place, (uint32_t)p->width)] = i;
}

static void link_global(struct manycore_machine *machine)
{
    const struct manycore_parameters *p = machine->parameters;
    uint64_t there = (p->global_latency + 1) / 2, back = p->global_latency - there;
    create_global(machine);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct mnp_unit *block = machine->blocks[i].unit, *global = machine->global.unit;
        uint32_t tiles = machine->blocks[i].tiles;
        mnp_connect(&machine->engine, mnp_at_port(block, "accesses", 0), mnp_at_port(global, "accesses", i),
                    mnp_edge(p->clock, there), tiles);
        mnp_connect(&machine->engine, mnp_at_port(global, "values", i), mnp_at_port(block, "values", 0),
                    mnp_edge(p->clock, back), tiles);
    }
}

/* ===== the machine ===== */

static void lay_out_shared(void *self, struct mnp_arena *arena)
{
    mnp_arena_take(arena, ((struct manycore_machine *)self)->shared_bytes, 1);
}

bool manycore_machine_init(struct manycore_machine *machine, const struct manycore_parameters *p,
                           const struct mnp_program *program, struct mnp_error *error)
{
    machine->parameters = p;
    machine->common = (struct manycore_common){p, &machine->image, .limit = UINT64_C(1) << 47};
    mnp_engine_init(&machine->engine);
    if (!manycore_image_init(&machine->image, p, program, error))
        return false;
    machine->shared_bytes = (uint32_t)(p->bank_bytes * p->tiles);
    mnp_arena_lay_out(&machine->shared, lay_out_shared, machine);
    mnp_arena_lay_out(&machine->versions, lay_out_shared, machine);
    manycore_image_fill_shared(&machine->image, machine->shared.base, machine->shared_bytes);
    machine->blocks_across = ((uint32_t)p->width + p->block_columns - 1) / p->block_columns;
    machine->block_count = machine->blocks_across * (((uint32_t)p->height + p->block_rows - 1) / p->block_rows);
    machine->blocks = mnp_allocate(machine->block_count, sizeof *machine->blocks);
    machine->points = mnp_allocate(p->tiles, sizeof *machine->points);
    for (uint32_t tile = 0; tile < p->tiles; tile++)
        machine->points[tile] = (struct manycore_point){(uint8_t)(tile % p->width), (uint8_t)(tile / p->width)};
    create_whole(machine);
    for (uint32_t i = 0; i < machine->block_count; i++)
        create_part(machine, i);
    if (p->network == MANYCORE_GLOBAL)
        link_global(machine);
    else
        link_mesh(machine);
    machine->engine.hook =
        (struct mnp_epoch_hook){.hash = manycore_hash_memory, .state = manycore_hash_state, .context = machine};
    if (machine->whole)
        machine->engine.hook.join = manycore_join;
    mnp_engine_freeze(&machine->engine, mnp_edge(p->clock, p->epoch));
    for (uint32_t i = 0; i < machine->block_count; i++)
        mnp_engine_wake(&machine->engine, machine->blocks[i].unit, 0);
    return true;
}

static void release_block(struct manycore_block *block)
{
    for (uint32_t i = 0; i < block->output_count; i++)
        free(block->outputs[i].text);
    free(block->outputs);
    if (!whole_of(block)) {
        free(block->place);
        free(block->node);
        free(block->all_spins);
    }
    free(block->heap);
    free(block->answers);
    free(block->spinning);
    free(block->active);
    free(block->local);
    free(block->moves);
    free(block->credits);
    free(block->all_flights);
    free(block->replies);
    free((void *)block->lists);
    free(block->guesses);
    if (block->memory.base)
        mnp_arena_release(&block->memory);
}

void manycore_machine_release(struct manycore_machine *machine)
{
    for (uint32_t i = 0; i < machine->block_count; i++)
        release_block(&machine->blocks[i]);
    if (machine->whole)
        release_block(machine->whole);
    free(machine->whole);
    free(machine->free);
    free(machine->blocks);
    free(machine->points);
    free(machine->global.arrived);
    free(machine->global.asking);
    free(machine->global.block_of);
    manycore_polls_release(machine->global.polls);
    if (machine->shared.base)
        mnp_arena_release(&machine->shared);
    if (machine->versions.base)
        mnp_arena_release(&machine->versions);
    mnp_engine_release(&machine->engine);
    manycore_image_release(&machine->image);
}
