/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/core/parameters.h"
#include "manycore/core/idle.h"

#include "engine/configure/configuration.h"
#include "engine/declare/declare.h"
#include "parts/arbitration.h"

#define TABLE1       "Raghav et al., TPDS 2015, table 1"
#define UNIT_DELAY   "Raghav et al., section 5: a unit-delay model, each computational instruction takes one cycle"
#define MNP_TABLE_OF struct manycore_parameters

static const char *const networks[] = {"global", "mesh", NULL};
static const char *const selections[] = {"one", "output", NULL};
static const char *const replacements[] = {"fifo", "lru", NULL};

static const struct mnp_parameter table[] = {
    MNP_CLOCK_ROW("clock.core", clock, "1GHz", 1000000, UINT64_C(10000000000), "clock of cores and mesh",
                  "a choice: everything is counted in its cycles"),
    MNP_NUMBER_ROW("tile.count", "tile", tiles, NULL, 1, MANYCORE_TILES, "tiles; --cores sets it", TABLE1),
    MNP_SIZE_ROW("tile.private", "byte", private_size, "4GiB", 65536, UINT64_C(1) << 36,
                 "private memory of all tiles together; a tile has an even share of it, at most 256MiB", TABLE1),
    MNP_SIZE_ROW("tile.dspm", "byte", dspm, "16KiB", 1024, 1 << 20, "data scratchpad of a tile; it holds the stack",
                 "a choice; the paper states none"),
    MNP_SIZE_ROW("tile.ispm", "byte", ispm, "1MiB", 4096, 1 << 28,
                 "instruction scratchpad of a tile; a program's segments there must fit",
                 "a choice; the paper states none"),
    MNP_FLAG_ROW("tile.caches", caches, NULL, "private caches; without them private memory is a scratchpad",
                 "architectures I and II of the paper"),
    MNP_SIZE_ROW("shared.size", "byte", shared_size, "40MiB", 4096, UINT64_C(1) << 30,
                 "distributed shared memory of all tiles together, not cacheable", TABLE1),
    MNP_CHOICE_ROW(
        "shared.network", network, NULL, networks,
        "how shared memory is reached: a global space at a fixed latency, or banks in the tiles over the mesh",
        "architectures I and II of the paper"),
    MNP_NUMBER_ROW("shared.latency", "cycle", shared_latency, "1", 1, 1000, "of a bank, from request to reply",
                   "a choice; the paper states none"),
    MNP_NUMBER_ROW("shared.global_latency", "cycle", global_latency, "10", 2, 100000,
                   "of the global space, from the access to its value", "a choice; the paper states none"),
    MNP_NUMBER_ROW("mesh.width", "tile", mesh_width, "0", 0, MANYCORE_SIDE,
                   "tiles in a row of the mesh; 0: as near to a square as tile.count allows", TABLE1),
    MNP_FLAG_ROW("mesh.torus", mesh_torus, "false",
                 "rows and columns are rings: packets go the shorter way round, over two virtual channels",
                 "an option of this model; the paper has a mesh"),
    MNP_NUMBER_ROW("mesh.queue", "packet", mesh_queue, "4", 1, 64,
                   "depth of a router's input queues (of each virtual channel)", "a choice; the paper states none"),
    MNP_CHOICE_ROW(
        "mesh.arbitration", mesh_arbitration, "oldest", mnp_arbitration_names,
        "which packet goes first through an output: that of the oldest access, so that far cores get their share of "
        "a bank that is in demand; or whose queue's turn it is, which starves them",
        "a choice; the paper orders by time stamps"),
    MNP_CHOICE_ROW("mesh.selection", mesh_selection, "one", selections,
                   "packets that a router moves in a cycle: one of all its queues, or one through each output",
                   "Raghav et al., section 6.3: a switch selects a single packet from one of its queues a step"),
    MNP_NUMBER_ROW(
        "mesh.block", "tile", mesh_block, "0", 0, MANYCORE_BLOCK_SIDE,
        "side of the square of tiles that is one unit of the simulation; 0: as the host's threads need it; changes "
        "nothing of the machine",
        "engine"),
    MNP_NUMBER_ROW("core.branch", "cycle", branch, "0", 0, 100, "penalty of a taken branch", UNIT_DELAY),
    MNP_NUMBER_ROW("core.load_use", "cycle", load_use, "0", 0, 100,
                   "penalty of an instruction that reads what the one before it has loaded", UNIT_DELAY),
    MNP_NUMBER_ROW("core.multiply", "cycle", multiply, "1", 1, 100, "a multiply", UNIT_DELAY),
    MNP_NUMBER_ROW("core.long_multiply", "cycle", long_multiply, "1", 1, 100, "a multiply with a result of 64 bits",
                   UNIT_DELAY),
    MNP_NUMBER_ROW("core.private", "cycle", private_access, "1", 1, 1000, "access to private memory without caches",
                   "architecture I of the paper"),
    MNP_NUMBER_ROW("core.scratchpad", "cycle", scratchpad, "1", 1, 1000, "access to a scratchpad", "the paper"),
    MNP_NUMBER_ROW("core.service", "cycle", service, "1", 1, 1000000,
                   "a semihosting call, and each byte that it writes", "a choice"),
    MNP_NUMBER_ROW("core.run_ahead", "cycle", run_ahead, "1048576", 1, 1 << 24,
                   "cycles that a core runs alone at most between two looks; changes no statistic of the machine",
                   "engine"),
    MNP_SIZE_ROW("icache.size", "byte", instruction.size, "32KiB", 64, 1 << 24, "instruction cache of a tile", TABLE1),
    MNP_NUMBER_ROW("icache.ways", "way", instruction.ways, "8", 1, 255, "ways", TABLE1),
    MNP_SIZE_ROW("icache.line", "byte", instruction.line, "128", 4, 4096, "line, a power of two", TABLE1),
    MNP_CHOICE_ROW("icache.replacement", instruction.replacement, "fifo", replacements, "which line goes", TABLE1),
    MNP_NUMBER_ROW("icache.hit", "cycle", instruction.hit, "1", 1, 1000, "latency of a hit", TABLE1),
    MNP_NUMBER_ROW("icache.miss", "cycle", instruction.miss, "10", 1, 100000, "latency of a miss", TABLE1),
    MNP_SIZE_ROW("dcache.size", "byte", data.size, "32KiB", 64, 1 << 24, "data cache of a tile", TABLE1),
    MNP_NUMBER_ROW("dcache.ways", "way", data.ways, "8", 1, 255, "ways", TABLE1),
    MNP_SIZE_ROW("dcache.line", "byte", data.line, "128", 4, 4096, "line, a power of two", TABLE1),
    MNP_CHOICE_ROW("dcache.replacement", data.replacement, "fifo", replacements, "which line goes", TABLE1),
    MNP_NUMBER_ROW("dcache.hit", "cycle", data.hit, "1", 1, 1000, "latency of a hit", TABLE1),
    MNP_NUMBER_ROW("dcache.miss", "cycle", data.miss, "10", 1, 100000, "latency of a miss", TABLE1),
    MNP_FLAG_ROW(
        "dcache.write_back", write_back, "true",
        "writes stay in the cache until their line goes; false: they go through at once, and a hit costs no more",
        TABLE1 ": write back"),
    MNP_FLAG_ROW("dcache.write_allocate", write_allocate, "true", "a write that misses brings its line in",
                 TABLE1 ": write allocate and write no allocate; the first is the default"),
    MNP_NUMBER_ROW("dcache.write_back_latency", "cycle", write_back_cycles, "0", 0, 100000,
                   "added to a miss that replaces a written line; 0: a buffer hides it",
                   "a choice; the paper states none"),
    MNP_NUMBER_ROW(
        "livelock", "cycle", livelock, "10000000", 0, UINT64_C(1) << 40,
        "cycles in which cores only repeat reads of unchanged shared memory, after which a run ends with a report; "
        "0: never",
        "engine"),
    MNP_NUMBER_ROW("epoch", "cycle", epoch, "4096", 1, 1 << 20, "distance of the state hashes", "engine"),
};
const struct mnp_model manycore_model = {
    .name = "manycore",
    .summary = "A many-core coprocessor as a whole: its tiles, caches, shared memory and mesh (Raghav et al.)",
    MNP_PARAMETERS(table),
};

const struct mnp_model *const manycore_models[] = {&manycore_model,        &manycore_block_model,  &manycore_tile_model,
                                                   &manycore_global_model, &manycore_energy_model, NULL};

/* Keys of a cache that must fit together. */
static const char *const instruction_keys[] = {"icache.size", "icache.line", "icache.ways", NULL},
                         *const data_keys[] = {"dcache.size", "dcache.line", "dcache.ways", NULL};

static bool derive_cache(const struct manycore_cache_parameters *p, const char *const *keys,
                         const struct mnp_settings *settings, struct manycore_cache_shape *shape,
                         struct mnp_error *error)
{
    if (p->line & (p->line - 1))
        return mnp_settings_fail(settings, keys[1], error, "a line of %lu bytes is not a power of two",
                                 (unsigned long)p->line);
    if (p->size % (p->line * p->ways))
        return mnp_settings_fail(settings, mnp_settings_nearest(settings, keys), error,
                                 "%lu bytes are not a whole number of sets of %lu lines of %lu "
                                 "bytes",
                                 (unsigned long)p->size, (unsigned long)p->ways, (unsigned long)p->line);
    uint32_t sets = (uint32_t)(p->size / (p->line * p->ways));
    *shape = (struct manycore_cache_shape){.sets = sets,
                                           .ways = (uint32_t)p->ways,
                                           .line_shift = (uint32_t)__builtin_ctzll(p->line),
                                           .set_mask = sets & (sets - 1) ? 0 : sets - 1,
                                           .lru = p->replacement == 1,
                                           .write_back = true,
                                           .write_allocate = true,
                                           .hit = (uint32_t)p->hit,
                                           .miss = (uint32_t)p->miss};
    return true;
}

/* Fails because rows of the width that is stated are not full. The message begins with what is nearest to the user, the
 * width or the number of tiles, and names the other. */
static bool fail_width(const struct manycore_parameters *p, const struct mnp_settings *settings,
                       struct mnp_error *error)
{
    uint64_t width = p->mesh_width, below = p->tiles / width * width, other = width;
    while (p->tiles % other) /* 1 divides any number */
        other--;
    bool by_count = mnp_settings_is_nearer(settings, "tile.count", "mesh.width");
    if (!below)
        return mnp_settings_fail(
            settings, by_count ? "tile.count" : "mesh.width", error,
            "%lu tiles make no full row of %lu (mesh.width); choose a width that divides %lu, such "
            "as %lu, or %lu tiles (--cores); mesh.width=0 follows the number of tiles",
            (unsigned long)p->tiles, (unsigned long)width, (unsigned long)p->tiles, (unsigned long)other,
            (unsigned long)width);
    return mnp_settings_fail(settings, by_count ? "tile.count" : "mesh.width", error,
                             "%lu tiles make no full rows of %lu (mesh.width); choose %lu or %lu tiles (--cores), or "
                             "a width that divides %lu, such as %lu; mesh.width=0 follows the number of tiles",
                             (unsigned long)p->tiles, (unsigned long)width, (unsigned long)below,
                             (unsigned long)(below + width), (unsigned long)p->tiles, (unsigned long)other);
}

uint64_t manycore_nearest_width(uint64_t tiles)
{
    uint64_t width = tiles;
    for (uint64_t side = 1; side * side <= tiles; side++)
        if (tiles % side == 0)
            width = tiles / side;
    return width;
}

/* The mesh: as near to a square as it goes, no side longer than a coordinate holds. */
static bool derive_mesh(struct manycore_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    uint64_t width = p->mesh_width ? p->mesh_width : manycore_nearest_width(p->tiles);
    if (p->tiles % width)
        return fail_width(p, settings, error);
    if (p->network == MANYCORE_MESH && (width > MANYCORE_SIDE || p->tiles / width > MANYCORE_SIDE))
        return mnp_settings_fail(settings, "tile.count", error,
                                 "%lu tiles make no mesh of full rows with sides of at "
                                 "most %d; choose another number, such as a multiple of 16",
                                 (unsigned long)p->tiles, MANYCORE_SIDE);
    p->width = width;
    p->height = p->tiles / width;
    return true;
}

static bool derive(struct manycore_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    uint64_t private = p->private_size / p->tiles / MANYCORE_PAGE * MANYCORE_PAGE;
    p->dspm = p->dspm / 8 * 8;
    p->private_bytes = (uint32_t)(private > MANYCORE_PRIVATE_MAX ? MANYCORE_PRIVATE_MAX : private);
    p->bank_bytes = (uint32_t)(p->shared_size / p->tiles / 8 * 8);
    if (p->private_bytes < 65536)
        return mnp_settings_fail(settings, "tile.private", error, "leaves a tile less than 64KiB");
    if (p->bank_bytes < 64)
        return mnp_settings_fail(settings, "shared.size", error, "leaves a tile a bank of less than 64 bytes");
    p->timing = (struct manycore_timing){.branch = (uint32_t)p->branch,
                                         .load_use = (uint32_t)p->load_use,
                                         .multiply = (uint32_t)p->multiply,
                                         .long_multiply = (uint32_t)p->long_multiply,
                                         .private_access = (uint32_t)p->private_access,
                                         .scratchpad = (uint32_t)p->scratchpad};
    if (!derive_cache(&p->instruction, instruction_keys, settings, &p->instruction_shape, error) ||
        !derive_cache(&p->data, data_keys, settings, &p->data_shape, error))
        return false;
    static const char *const instruction[] = {"icache.miss", "icache.hit", NULL}, *const data[] = {"dcache.miss",
                                                                                                   "dcache.hit", NULL};
    if (p->instruction.miss < p->instruction.hit || p->data.miss < p->data.hit)
        return mnp_settings_fail(settings,
                                 mnp_settings_nearest(settings, p->data.miss < p->data.hit ? data : instruction), error,
                                 "a miss cannot be faster than a hit");
    p->data_shape.write_back = p->write_back;
    p->data_shape.write_allocate = p->write_allocate;
    p->data_shape.write_back_cycles = (uint32_t)p->write_back_cycles;
    if (!derive_mesh(p, settings, error))
        return false;
    manycore_parameters_cut(p, 0);
    return true;
}

/* Threads have a band of columns each: packets go along their row first, so that of what crosses such a border, and of
 * the work behind it, each side has about as much as the other. Where bands would be too thin, where no packet crosses
 * (architecture I), and where nobody says how many threads there are, small squares. */
void manycore_parameters_cut(struct manycore_parameters *p, uint32_t threads)
{
    enum { SMALL = 16, LARGE = 128, THIN = 8, FEW = SMALL * SMALL };
    uint32_t columns = SMALL, rows = SMALL;
    if (threads && p->network == MANYCORE_MESH) {
        columns = ((uint32_t)p->width + threads - 1) / threads;
        columns = columns < LARGE ? columns : LARGE;
        rows = p->height < LARGE ? (uint32_t)p->height : LARGE;
    }
    if (threads > 1 && (columns < THIN || rows * columns < FEW))
        columns = rows = SMALL;
    p->block_columns = p->mesh_block ? (uint32_t)p->mesh_block : columns;
    p->block_rows = p->mesh_block ? (uint32_t)p->mesh_block : rows;
    p->joins = threads > 1 && !p->mesh_block && p->block_columns < p->width && p->block_rows == p->height;
}

bool manycore_parameters_read(struct manycore_parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    p->block = &manycore_block_model;
    if (!mnp_settings_fill_model(settings, &manycore_model, p, error) ||
        !mnp_settings_fill_model(settings, &manycore_energy_model, &p->energy, error))
        return false;
    mnp_settings_say_inherited(settings, "energy.basis");
    return mnp_settings_finish(settings, error) && manycore_refuse_idle(p, settings, error) &&
           derive(p, settings, error);
}
