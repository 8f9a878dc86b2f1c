/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a machine goes to a GPU and comes back. Tiles lie there in the order of the host's blocks. */
#include "manycore/core/page.h"
#include "manycore/gpu/gpu.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 16 << 20, LANES = MANYCORE_WARP };

/* ===== what all tiles read ===== */

static void spread_page(uint32_t *to, const unsigned char *from)
{
    for (uint32_t word = 0; word < MANYCORE_PAGE / 4; word++) {
        uint32_t value = 0;
        memcpy(&value, from + 4 * word, 4);
        for (uint32_t lane = 0; lane < LANES; lane++)
            to[word * LANES + lane] = value;
    }
}

/* The image's pages, each word for every lane. */
static bool give_image_pages(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct manycore_image *image = &gpu->machine->image;
    size_t words = (size_t)MANYCORE_PAGE / 4 * LANES, count = image->page_count + 1u;
    uint32_t *all = mnp_allocate(count * words, 4);
    for (uint32_t page = 0; page < image->page_count; page++)
        spread_page(all + page * words, manycore_image_page(image, page));
    return manycore_array_give(gpu, MANYCORE_GPU_IMAGE_PAGES, all, count, words * 4, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_IMAGE_LIST, count, sizeof(void *), error);
}

static bool give_code(struct manycore_gpu *gpu, struct manycore_image *copy, struct mnp_error *error)
{
    const struct manycore_image *image = &gpu->machine->image;
    size_t ops = 0, done = 0;
    for (uint32_t i = 0; i < image->code_count; i++)
        ops += image->code[i].words + 1u;
    struct a32_op *all = mnp_allocate(ops, sizeof *all);
    for (uint32_t i = 0; i < image->code_count; i++) {
        memcpy(all + done, image->code[i].ops, (image->code[i].words + 1u) * sizeof *all);
        done += image->code[i].words + 1u;
    }
    if (!manycore_array_give(gpu, MANYCORE_GPU_OPS, all, ops, sizeof *all, error) ||
        !manycore_array_clear(gpu, MANYCORE_GPU_TRANSLATED, gpu->translated ? ops : 0, sizeof(uint64_t), error))
        return false;
    copy->library = gpu->translated ? manycore_array_at(gpu, MANYCORE_GPU_TRANSLATED, 0) : NULL;
    done = 0;
    for (uint32_t i = 0; i < image->code_count; i++) {
        copy->code[i].ops = manycore_array_at(gpu, MANYCORE_GPU_OPS, done * sizeof *all);
        copy->code[i].entries =
            gpu->translated ? manycore_array_at(gpu, MANYCORE_GPU_TRANSLATED, done * sizeof(uint64_t)) : NULL;
        done += image->code[i].words + 1u;
    }
    return true;
}

static bool give_program(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct mnp_program *program = gpu->machine->image.program;
    size_t bytes = 0, done = 0;
    for (uint32_t i = 0; i < program->segment_count; i++)
        bytes += program->segments[i].stored;
    unsigned char *all = mnp_allocate(bytes + 1, 1);
    for (uint32_t i = 0; i < program->segment_count; done += program->segments[i].stored, i++)
        if (program->segments[i].stored)
            memcpy(all + done, program->segments[i].data, program->segments[i].stored);
    if (!manycore_array_give(gpu, MANYCORE_GPU_SEGMENTS, all, bytes + 1, 1, error))
        return false;
    struct mnp_program *copy = mnp_allocate(1, sizeof *copy);
    *copy = *program;
    done = 0;
    for (uint32_t i = 0; i < program->segment_count; done += program->segments[i].stored, i++)
        copy->segments[i].data = manycore_array_at(gpu, MANYCORE_GPU_SEGMENTS, done);
    return manycore_array_give(gpu, MANYCORE_GPU_PROGRAM, copy, 1, sizeof *copy, error);
}

static bool give_image(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct manycore_image copy = gpu->machine->image;
    if (!give_image_pages(gpu, error) || !give_program(gpu, error) || !give_code(gpu, &copy, error) ||
        !manycore_array_take(gpu, MANYCORE_GPU_READ_ONLY, copy.page_count + 1u, 1, error) ||
        !manycore_array_put_some(gpu, MANYCORE_GPU_READ_ONLY, copy.read_only, copy.page_count, error))
        return false;
    copy.program = manycore_array_at(gpu, MANYCORE_GPU_PROGRAM, 0);
    copy.pages = manycore_array_at(gpu, MANYCORE_GPU_IMAGE_LIST, 0);
    copy.read_only = manycore_array_at(gpu, MANYCORE_GPU_READ_ONLY, 0);
    copy.zeros = NULL;
    return manycore_array_copy(gpu, MANYCORE_GPU_IMAGE, &copy, 1, sizeof copy, error);
}

static bool give_common(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct manycore_machine *machine = gpu->machine;
    struct manycore_common common = machine->common;
    if (!give_image(gpu, error) ||
        !manycore_array_copy(gpu, MANYCORE_GPU_PARAMETERS, machine->parameters, 1, sizeof *machine->parameters, error))
        return false;
    common.parameters = manycore_array_at(gpu, MANYCORE_GPU_PARAMETERS, 0);
    common.image = manycore_array_at(gpu, MANYCORE_GPU_IMAGE, 0);
    return manycore_array_copy(gpu, MANYCORE_GPU_COMMON, &common, 1, sizeof common, error) &&
           manycore_array_copy(gpu, MANYCORE_GPU_POINTS, machine->points, gpu->tiles, sizeof *machine->points, error) &&
           manycore_array_copy(gpu, MANYCORE_GPU_SHARED, machine->shared.base, machine->shared_bytes, 1, error) &&
           manycore_array_copy(gpu, MANYCORE_GPU_VERSIONS, machine->versions.base, machine->shared_bytes, 1, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_WRITERS, MANYCORE_GLOBAL_WRITERS, sizeof(struct manycore_last_writer),
                                error);
}

/* ===== tiles ===== */

/* Room for the caches, scratchpads and pages of all tiles. */
static bool clear_memories(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    size_t instructions = p->caches ? (size_t)p->instruction_shape.sets : 0, data = p->caches ? p->data_shape.sets : 0;
    size_t lanes = (size_t)gpu->warps * LANES;
    return manycore_array_clear(gpu, MANYCORE_GPU_INSTRUCTION_WORDS, instructions * p->instruction_shape.ways * lanes,
                                4, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_INSTRUCTION_NEXT, instructions * lanes, 1, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_DATA_WORDS, data * p->data_shape.ways * lanes, 4, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_DATA_NEXT, data * lanes, 1, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_GUESSES, p->caches ? 2 * MANYCORE_GUESSES * lanes : 0, 1, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_SCRATCHPADS, p->dspm * lanes, 1, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_TABLES, (size_t)gpu->pages * gpu->warps, 8, error);
}

static struct manycore_tags tags_of(const struct manycore_gpu *gpu, const struct manycore_cache_shape *shape,
                                    uint32_t tile, bool data)
{
    size_t warp = tile / LANES, lane = tile % LANES;
    size_t words = warp * shape->sets * shape->ways * LANES + lane, next = warp * shape->sets * LANES + lane;
    size_t guess = (warp * 2 + data) * MANYCORE_GUESSES * LANES + lane;
    return (struct manycore_tags){
        manycore_array_at(gpu, data ? MANYCORE_GPU_DATA_WORDS : MANYCORE_GPU_INSTRUCTION_WORDS, words * 4),
        manycore_array_at(gpu, data ? MANYCORE_GPU_DATA_NEXT : MANYCORE_GPU_INSTRUCTION_NEXT, next),
        manycore_array_at(gpu, MANYCORE_GPU_GUESSES, guess)};
}

/* Places that the core of a tile points to. */
static struct manycore_place place_of(const struct manycore_gpu *gpu, uint32_t tile)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    size_t warp = tile / LANES, lane = tile % LANES, list = (size_t)tile * 2 * gpu->pages * sizeof(void *);
    size_t parameters = offsetof(struct manycore_parameters, timing);
    struct manycore_place place = {
        .image = manycore_array_at(gpu, MANYCORE_GPU_IMAGE, 0),
        .timing = manycore_array_at(gpu, MANYCORE_GPU_PARAMETERS, parameters),
        .readable = manycore_array_at(gpu, MANYCORE_GPU_LISTS, list),
        .writable = manycore_array_at(gpu, MANYCORE_GPU_LISTS, list + gpu->pages * sizeof(void *)),
        .pool = manycore_array_at(gpu, MANYCORE_GPU_POOLS, (warp + 1) * sizeof(struct manycore_pool)),
        .scratchpad = manycore_array_at(gpu, MANYCORE_GPU_SCRATCHPADS, warp * p->dspm * LANES + lane * 4),
        .private_bytes = p->private_bytes,
        .scratchpad_bytes = (uint32_t)p->dspm,
        .shared_bytes = gpu->machine->shared_bytes,
        .lane = (uint32_t)lane,
    };
    if (p->caches) {
        place.instruction_shape =
            manycore_array_at(gpu, MANYCORE_GPU_PARAMETERS, offsetof(struct manycore_parameters, instruction_shape));
        place.data_shape =
            manycore_array_at(gpu, MANYCORE_GPU_PARAMETERS, offsetof(struct manycore_parameters, data_shape));
        place.instruction_tags = tags_of(gpu, &p->instruction_shape, tile, false);
        place.data_tags = tags_of(gpu, &p->data_shape, tile, true);
    }
    return place;
}

/* A tile as a block of its own. */
static struct manycore_block block_of(const struct manycore_gpu *gpu, const struct manycore_block *host, uint32_t place,
                                      uint32_t tile)
{
    struct manycore_block block = {
        .common = manycore_array_at(gpu, MANYCORE_GPU_COMMON, 0),
        .device = manycore_array_at(gpu, MANYCORE_GPU_DEVICE, 0),
        .free = gpu->free ? manycore_array_at(gpu, MANYCORE_GPU_DEVICE, offsetof(struct manycore_device, free)) : NULL,
        .number = tile,
        .sent = UINT64_MAX,
        .left = host->node[place].around.x,
        .top = host->node[place].around.y,
        .columns = 1,
        .rows = 1,
        .tiles = 1,
        .across = 1,
        .down = 1,
        .shape = host->shape,
        .state = manycore_array_at(gpu, MANYCORE_GPU_STATES, tile * sizeof *block.state),
        .tile = manycore_array_at(gpu, MANYCORE_GPU_TILES, tile * sizeof *block.tile),
        .router = manycore_array_at(gpu, MANYCORE_GPU_ROUTERS, tile * sizeof *block.router),
        .entries =
            manycore_array_at(gpu, MANYCORE_GPU_ENTRIES, (size_t)tile * host->shape.places * sizeof *block.entries),
        .heap = manycore_array_at(gpu, MANYCORE_GPU_HEAPS, tile * sizeof *block.heap),
        .heap_count = 1,
        .place = manycore_array_at(gpu, MANYCORE_GPU_PLACES, tile * sizeof *block.place),
        .node = manycore_array_at(gpu, MANYCORE_GPU_NODES, tile * sizeof *block.node),
        .points = manycore_array_at(gpu, MANYCORE_GPU_POINTS, 0),
        .active = manycore_array_at(gpu, MANYCORE_GPU_BITS, tile * 24ul),
        .local = manycore_array_at(gpu, MANYCORE_GPU_BITS, tile * 24ul + 8),
        .spinning = manycore_array_at(gpu, MANYCORE_GPU_BITS, tile * 24ul + 16),
        .moves = manycore_array_at(gpu, MANYCORE_GPU_MOVES, tile * MANYCORE_PORTS * sizeof *block.moves),
        .answers = manycore_array_at(gpu, MANYCORE_GPU_ANSWERS, 2 * tile * sizeof *block.answers),
        .spins_until = UINT64_MAX,
        .run_ahead = host->run_ahead,
        .shared = manycore_array_at(gpu, MANYCORE_GPU_SHARED, 0),
        .versions = manycore_array_at(gpu, MANYCORE_GPU_VERSIONS, 0),
    };
    return block;
}

/* Arrays of the tiles that are being filled. */
struct tiles {
    struct manycore_block *blocks;
    struct manycore_tile *tiles;
    struct manycore_router *routers;
    struct manycore_node *nodes;
    struct manycore_place *places;
    int32_t *neighbours;
    struct manycore_slot *slots;
    struct manycore_access *access;
    uint64_t *lists;
    uint32_t *number; /* by tile: its place on the device */
};

/* The tile beyond a side, by its place on the device. */
static int32_t neighbour(const struct manycore_gpu *gpu, const uint32_t *number, struct manycore_point here,
                         uint32_t out)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    int64_t width = (int64_t)p->width, height = (int64_t)p->height;
    int64_t x = here.x + (out == MANYCORE_EAST) - (out == MANYCORE_WEST);
    int64_t y = here.y + (out == MANYCORE_SOUTH) - (out == MANYCORE_NORTH);
    if (!p->mesh_torus && (x < 0 || x >= width || y < 0 || y >= height))
        return MANYCORE_NOBODY;
    x = (x + width) % width;
    y = (y + height) % height;
    uint32_t tile = (uint32_t)(y * width + x);
    return (uint32_t)(here.y * width + here.x) == tile ? MANYCORE_NOBODY : (int32_t)number[tile];
}

static void fill_tile(struct manycore_gpu *gpu, struct tiles *all, const struct manycore_block *host, uint32_t place,
                      uint32_t tile)
{
    const struct manycore_image *image = &gpu->machine->image;
    struct manycore_point here = {host->node[place].around.x, host->node[place].around.y};
    size_t page_bytes = (size_t)MANYCORE_PAGE * LANES, lane = tile % LANES * 4;
    all->blocks[tile] = block_of(gpu, host, place, tile);
    all->tiles[tile] = host->tile[place];
    all->routers[tile] = host->router[place];
    all->nodes[tile] = host->node[place];
    all->places[tile] = place_of(gpu, tile);
    all->access[tile].due = all->access[tile].answered = UINT64_MAX;
    for (uint32_t out = 0; out < 4; out++) {
        all->nodes[tile].around.next[out] = MANYCORE_OUTSIDE;
        all->nodes[tile].claims.outside |= (uint8_t)(1u << out);
        all->neighbours[4 * tile + out] = neighbour(gpu, all->number, here, out);
        all->slots[4 * tile + out].cycle = all->slots[4 * (gpu->tiles + tile) + out].cycle = UINT32_MAX - 1;
    }
    for (uint32_t page = 0; page < gpu->pages; page++) {
        uint32_t from = page < image->page_count && image->pages[page] ? page : image->page_count;
        all->lists[(size_t)tile * 2 * gpu->pages + page] =
            (uint64_t)(uintptr_t)manycore_array_at(gpu, MANYCORE_GPU_IMAGE_PAGES, from * page_bytes + lane);
    }
}

static struct tiles allocate_tiles(const struct manycore_gpu *gpu)
{
    uint32_t tiles = gpu->tiles;
    return (struct tiles){.blocks = mnp_allocate(tiles, sizeof(struct manycore_block)),
                          .tiles = mnp_allocate(tiles, sizeof(struct manycore_tile)),
                          .routers = mnp_allocate(tiles, sizeof(struct manycore_router)),
                          .nodes = mnp_allocate(tiles, sizeof(struct manycore_node)),
                          .places = mnp_allocate(tiles, sizeof(struct manycore_place)),
                          .neighbours = mnp_allocate(4 * (size_t)tiles, sizeof(int32_t)),
                          .slots = mnp_allocate(8 * (size_t)tiles, sizeof(struct manycore_slot)),
                          .access = mnp_allocate(tiles, sizeof(struct manycore_access)),
                          .lists = mnp_allocate(2 * (size_t)tiles * gpu->pages, sizeof(uint64_t)),
                          .number = mnp_allocate(tiles, sizeof(uint32_t))};
}

/* Numbers the tiles in the order of the blocks, then fills their arrays. */
static void fill_tiles(struct manycore_gpu *gpu, struct tiles *all)
{
    const struct manycore_machine *machine = gpu->machine;
    uint32_t next = 0;
    for (uint32_t i = 0; i < machine->block_count; i++)
        for (uint32_t place = 0; place < machine->blocks[i].tiles; place++)
            all->number[manycore_tile_of(&machine->blocks[i], place, (uint32_t)machine->parameters->width)] = next++;
    next = 0;
    for (uint32_t i = 0; i < machine->block_count; i++)
        for (uint32_t place = 0; place < machine->blocks[i].tiles; place++)
            fill_tile(gpu, all, &machine->blocks[i], place, next++);
    free(all->number);
}

static bool give_tiles(struct manycore_gpu *gpu, struct tiles *all, struct mnp_error *error)
{
    return manycore_array_put(gpu, MANYCORE_GPU_BLOCKS, all->blocks, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_TILES, all->tiles, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_ROUTERS, all->routers, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_NODES, all->nodes, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_PLACES, all->places, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_NEIGHBOURS, all->neighbours, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_SLOTS, all->slots, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_ACCESS, all->access, error) &&
           manycore_array_put(gpu, MANYCORE_GPU_LISTS, all->lists, error);
}

static bool take_tiles(struct manycore_gpu *gpu, struct mnp_error *error)
{
    uint32_t tiles = gpu->tiles, places = gpu->machine->blocks[0].shape.places;
    return manycore_array_clear(gpu, MANYCORE_GPU_DEVICE, 1, sizeof(struct manycore_device), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_BLOCKS, tiles, sizeof(struct manycore_block), error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_STATES, tiles, sizeof(struct manycore_block_state), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_TILES, tiles, sizeof(struct manycore_tile), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_ROUTERS, tiles, sizeof(struct manycore_router), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_NODES, tiles, sizeof(struct manycore_node), error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_ENTRIES, (size_t)tiles * places, sizeof(struct manycore_entry),
                                error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_HEAPS, tiles, sizeof(uint64_t), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_PLACES, tiles, sizeof(struct manycore_place), error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_BITS, tiles, 24, error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_MOVES, (size_t)tiles * MANYCORE_PORTS, sizeof(struct manycore_move),
                                error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_ANSWERS, 2 * (size_t)tiles, sizeof(struct manycore_answer), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_NEIGHBOURS, 4 * (size_t)tiles, sizeof(int32_t), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_SLOTS, 8 * (size_t)tiles, sizeof(struct manycore_slot), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_ACCESS, tiles, sizeof(struct manycore_access), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_LISTS, 2 * (size_t)tiles * gpu->pages, sizeof(uint64_t), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_POOLS, gpu->warps + 1u, sizeof(struct manycore_pool), error) &&
           manycore_array_clear(gpu, MANYCORE_GPU_ACCESS_LISTS, MANYCORE_LISTS, sizeof(uint32_t), error) &&
           manycore_array_take(gpu, MANYCORE_GPU_TEXTS, TEXT_BYTES, 1, error);
}

/* All arrays but the pages of private memory. */
static bool take_all(struct manycore_gpu *gpu, struct mnp_error *error)
{
    return give_common(gpu, error) && take_tiles(gpu, error) && clear_memories(gpu, error);
}

/* Whether the device has room for the arrays and for a page of private memory of each core. */
static bool fits(struct manycore_gpu *gpu, struct mnp_error *error)
{
    size_t available = 0, total = 0, used = 0, pages = (size_t)MANYCORE_PAGE * LANES * gpu->warps;
    gpu->counting = true;
    bool good = take_all(gpu, error);
    gpu->counting = false;
    for (uint32_t i = 0; i < MANYCORE_GPU_ARRAYS; i++)
        used += gpu->arrays[i].bytes;
    CUresult problem = gpu->driver.cuMemGetInfo_v2(&available, &total);
    if (!good || problem)
        return !good ? false : manycore_driver_fail(&gpu->driver, "asking for device memory", problem, error);
    size_t room = available - available / 8;
    return used + pages <= room ||
           mnp_fail(error,
                    "--executor cuda: %s has too little memory: %u cores take %zu MiB, %zu bytes each and at least a "
                    "page of %d for private memory, and %zu MiB are free; choose fewer cores",
                    gpu->driver.name, gpu->tiles, ((used + pages) >> 20) + 1, used / gpu->tiles, MANYCORE_PAGE,
                    available >> 20);
}

/* Most of what is left is for pages of private memory. */
static bool take_pages(struct manycore_gpu *gpu, struct mnp_error *error)
{
    size_t available = 0, total = 0, page = (size_t)MANYCORE_PAGE * LANES, all = page * gpu->pages * gpu->warps;
    CUresult problem = gpu->driver.cuMemGetInfo_v2(&available, &total);
    if (problem)
        return manycore_driver_fail(&gpu->driver, "asking for device memory", problem, error);
    size_t room = available - available / 8, bytes = all < room ? all : room / page * page;
    if (!manycore_array_take(gpu, MANYCORE_GPU_PAGES, bytes, 1, error))
        return false;
    struct manycore_pool *pools = mnp_allocate(gpu->warps + 1u, sizeof *pools);
    pools[0] = (struct manycore_pool){.base = manycore_array_at(gpu, MANYCORE_GPU_PAGES, 0), .capacity = bytes};
    for (uint32_t i = 0; i < gpu->warps; i++) {
        pools[i + 1].pages = manycore_array_at(gpu, MANYCORE_GPU_TABLES, (size_t)i * gpu->pages * 8);
        pools[i + 1].common = manycore_array_at(gpu, MANYCORE_GPU_POOLS, 0);
    }
    bool good = manycore_array_put(gpu, MANYCORE_GPU_POOLS, pools, error);
    free(pools);
    return good;
}

bool manycore_gpu_upload(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    if (!fits(gpu, error) || !take_all(gpu, error) || !take_pages(gpu, error))
        return false;
    struct tiles all = allocate_tiles(gpu);
    fill_tiles(gpu, &all);
    bool good = give_tiles(gpu, &all, error), mesh = p->network == MANYCORE_MESH;
    free(all.blocks), free(all.tiles), free(all.routers), free(all.nodes), free(all.places), free(all.lists);
    free(all.neighbours), free(all.slots), free(all.access);
    gpu->device = (struct manycore_device){
        .tiles = gpu->tiles,
        .blocks = manycore_array_at(gpu, MANYCORE_GPU_BLOCKS, 0),
        .neighbours = mesh ? manycore_array_at(gpu, MANYCORE_GPU_NEIGHBOURS, 0) : NULL,
        .slots = manycore_array_at(gpu, MANYCORE_GPU_SLOTS, 0),
        .access = manycore_array_at(gpu, MANYCORE_GPU_ACCESS, 0),
        .lists = manycore_array_at(gpu, MANYCORE_GPU_ACCESS_LISTS, 0),
        .global = {manycore_array_at(gpu, MANYCORE_GPU_VERSIONS, 0), manycore_array_at(gpu, MANYCORE_GPU_WRITERS, 0),
                   MANYCORE_GLOBAL_WRITERS},
        .there = (p->global_latency + 1) / 2,
        .back = p->global_latency - (p->global_latency + 1) / 2,
        .texts = manycore_array_at(gpu, MANYCORE_GPU_TEXTS, 0),
        .text_room = TEXT_BYTES,
        .serve = {UINT64_MAX, UINT64_MAX, UINT64_MAX},
        .vote = {UINT64_MAX, UINT64_MAX, UINT64_MAX},
        .news = {.fault = UINT64_MAX},
    };
    return good;
}

/* ===== and back ===== */

/* Arrays that have come back. */
struct came {
    struct manycore_block *blocks;
    struct manycore_tile *tiles;
    struct manycore_router *routers;
    struct manycore_node *nodes;
    struct manycore_entry *entries;
    struct manycore_block_state *states;
    unsigned char *words[2], *next[2], *scratchpads, *pages;
    uint64_t *lists;
};

/* Takes one tile's words out of those of 32. */
static void gather_words(unsigned char *to, const unsigned char *from, size_t bytes, uint32_t tile)
{
    const unsigned char *first = from + tile / LANES * bytes * LANES + tile % LANES * 4u;
    for (size_t word = 0; word < bytes / 4; word++)
        memcpy(to + 4 * word, first + 4 * word * LANES, 4);
}

static void gather_bytes(unsigned char *to, const unsigned char *from, size_t bytes, uint32_t tile)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[(tile / LANES * bytes + i) * LANES + tile % LANES];
}

static void take_back_tags(const struct manycore_cache_shape *shape, struct manycore_tags *tags,
                           const unsigned char *words, const unsigned char *next, uint32_t tile)
{
    gather_words((unsigned char *)tags->words, words, (size_t)shape->sets * shape->ways * 4, tile);
    gather_bytes(tags->next, next, shape->sets, tile);
}

static bool take_back_page(struct manycore_gpu *gpu, struct manycore_place *place, uint32_t page, CUdeviceptr from,
                           uint32_t *words, struct mnp_error *error)
{
    CUresult problem = gpu->driver.cuMemcpyDtoH_v2(words, from, (size_t)MANYCORE_PAGE * LANES - 4u * place->lane);
    if (problem)
        return manycore_driver_fail(&gpu->driver, "reading device memory", problem, error);
    if (!place->writable[page])
        place->writable[page] = place->readable[page] = manycore_page_take(place, page);
    for (uint32_t word = 0; word < MANYCORE_PAGE / 4; word++)
        memcpy(place->writable[page] + 4 * word, words + (size_t)word * LANES, 4);
    return true;
}

static bool take_back_tile(struct manycore_gpu *gpu, const struct came *came, struct manycore_block *block,
                           uint32_t at_place, uint32_t tile, struct mnp_error *error)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    struct manycore_place *place = &block->place[at_place];
    size_t places = block->shape.places;
    block->tile[at_place] = came->tiles[tile];
    block->router[at_place] = came->routers[tile];
    block->node[at_place].use = came->nodes[tile].use;
    block->node[at_place].claims.asked = came->nodes[tile].claims.asked;
    block->node[at_place].served = came->nodes[tile].served;
    block->node[at_place].polls = came->nodes[tile].polls;
    block->node[at_place].exclusives = came->nodes[tile].exclusives;
    memcpy(block->node[at_place].latencies, came->nodes[tile].latencies, sizeof came->nodes[tile].latencies);
    memcpy(block->entries + at_place * places, came->entries + tile * places, places * sizeof *block->entries);
    block->state->exited += came->states[tile].exited;
    if (came->states[tile].last_exit > block->state->last_exit)
        block->state->last_exit = came->states[tile].last_exit;
    if (came->states[tile].status > block->state->status)
        block->state->status = came->states[tile].status;
    gather_words(place->scratchpad, came->scratchpads, p->dspm, tile);
    if (p->caches) {
        take_back_tags(&p->instruction_shape, &place->instruction_tags, came->words[0], came->next[0], tile);
        take_back_tags(&p->data_shape, &place->data_tags, came->words[1], came->next[1], tile);
    }
    uint32_t *words = mnp_allocate(MANYCORE_PAGE, LANES);
    const uint64_t *writable = came->lists + ((size_t)tile * 2 + 1) * gpu->pages;
    bool good = true;
    place->lane = tile % LANES;
    for (uint32_t page = 0; page < gpu->pages && good; page++)
        if (writable[page])
            good = take_back_page(gpu, place, page, (CUdeviceptr)writable[page], words, error);
    free(words);
    return good;
}

/* The engine leaves the state of a unit that has never acted out of its hash. */
static void note_progress(const struct manycore_machine *machine, const struct came *came, struct manycore_block *block,
                          uint32_t first)
{
    uint64_t progress = 0, acted = 0;
    for (uint32_t i = 0; i < block->tiles; i++) {
        progress = came->blocks[first + i].progress > progress ? came->blocks[first + i].progress : progress;
        acted |= block->tile[i].s_events;
        for (uint32_t queue = 0; queue < MANYCORE_QUEUES; queue++)
            acted |= block->router[i].count[queue];
        for (uint32_t out = 0; out < MANYCORE_PORTS; out++)
            acted |= block->node[i].use.out[out];
    }
    block->unit->progress = progress ? mnp_edge(machine->parameters->clock, progress) : acted != 0;
}

static bool take_back_tiles(struct manycore_gpu *gpu, const struct came *came, struct mnp_error *error)
{
    struct manycore_machine *machine = gpu->machine;
    const struct manycore_news *news = &gpu->device.news;
    uint32_t tile = 0;
    bool good = true;
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct manycore_block *block = &machine->blocks[i];
        *block->state = (struct manycore_block_state){.cycle = gpu->until};
        for (uint32_t place = 0; place < block->tiles && good; place++)
            good = take_back_tile(gpu, came, block, place, tile++, error);
        note_progress(machine, came, block, tile - block->tiles);
    }
    if (machine->global.unit)
        machine->global.unit->progress =
            news->changed > 1 ? mnp_edge(machine->parameters->clock, news->changed - 1) : news->served != 0;
    return good;
}

static bool take_back_shared(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct manycore_machine *machine = gpu->machine;
    struct manycore_bank *bank = &machine->global.bank;
    void *shared = manycore_array_get(gpu, MANYCORE_GPU_SHARED, error),
         *versions = manycore_array_get(gpu, MANYCORE_GPU_VERSIONS, error),
         *writers = manycore_array_get(gpu, MANYCORE_GPU_WRITERS, error);
    bool good = shared && versions && writers;
    if (good) {
        memcpy(machine->shared.base, shared, machine->shared_bytes);
        memcpy(machine->versions.base, versions, machine->shared_bytes);
    }
    if (good && machine->parameters->network == MANYCORE_GLOBAL)
        memcpy(bank->writers, writers, gpu->arrays[MANYCORE_GPU_WRITERS].bytes);
    free(shared), free(versions), free(writers);
    return good;
}

bool manycore_gpu_download(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct came came = {.blocks = manycore_array_get(gpu, MANYCORE_GPU_BLOCKS, error),
                        .tiles = manycore_array_get(gpu, MANYCORE_GPU_TILES, error),
                        .routers = manycore_array_get(gpu, MANYCORE_GPU_ROUTERS, error),
                        .nodes = manycore_array_get(gpu, MANYCORE_GPU_NODES, error),
                        .entries = manycore_array_get(gpu, MANYCORE_GPU_ENTRIES, error),
                        .states = manycore_array_get(gpu, MANYCORE_GPU_STATES, error),
                        .words = {manycore_array_get(gpu, MANYCORE_GPU_INSTRUCTION_WORDS, error),
                                  manycore_array_get(gpu, MANYCORE_GPU_DATA_WORDS, error)},
                        .next = {manycore_array_get(gpu, MANYCORE_GPU_INSTRUCTION_NEXT, error),
                                 manycore_array_get(gpu, MANYCORE_GPU_DATA_NEXT, error)},
                        .scratchpads = manycore_array_get(gpu, MANYCORE_GPU_SCRATCHPADS, error),
                        .lists = manycore_array_get(gpu, MANYCORE_GPU_LISTS, error)};
    bool good = came.blocks && came.tiles && came.routers && came.nodes && came.entries && came.states &&
                came.words[0] && came.words[1] && came.next[0] && came.next[1] && came.scratchpads && came.lists;
    good = good && take_back_tiles(gpu, &came, error) && take_back_shared(gpu, error);
    free(came.blocks), free(came.tiles), free(came.routers), free(came.nodes), free(came.entries), free(came.states);
    free(came.words[0]), free(came.words[1]), free(came.next[0]), free(came.next[1]);
    free(came.scratchpads), free(came.lists);
    return good;
}
