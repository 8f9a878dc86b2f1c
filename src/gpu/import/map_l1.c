/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memories inside an SM: the L1 and shared memory, which may be one pool; caches of code and constants; and the
 * collectors through which the SM reads registers.
 */
#include "gpu/import/map.h"
#include "gpu/sm/parameters.h"

#include <string.h>

enum { LEAST_LINE = 32, MOST_LINE = 128, SIZES = 16, MOST_SHARED = 4096 /* KiB */ };

/* ===== the L1 data cache ===== */

/* Stores to global memory go through to the L2 in all of them. With a local-write-back policy, as on Fermi, and with
 * evict, they drop the line. */
static const char *write_policy(const struct gpu_map_cache *cache)
{
    bool evicts = cache->write == 'E' || (cache->write == 'L' && cache->write_allocate == 'N');
    return evicts ? "evict" : cache->write_allocate == 'N' ? "around" : "allocate";
}

static void lose_l1(struct gpu_mapping *mapping)
{
    static const char interleaving[] = "-gpgpu_l1_banks_byte_interleaving", hash[] = "-gpgpu_l1_banks_hashing_function";
    gpu_map_lose(mapping, interleaving, "lines are looked up by set, and data has 32 banks of four bytes");
    gpu_map_lose(mapping, hash, "lines are looked up by set, and data has 32 banks of four bytes");
    gpu_map_agree(mapping, "-gpgpu_flush_l1_cache");
    struct gpu_import_option *skip = gpu_map_take(mapping, "-gpgpu_gmem_skip_L1D");
    if (skip && strcmp(skip->value, "0") != 0)
        gpu_map_lose(mapping, "-gpgpu_gmem_skip_L1D", "instructions say themselves whether they pass the L1 by");
}

/* Returns the bytes of the L1, or of the pool that it shares with shared memory, and of one of its ways. */
static uint64_t map_l1d(struct gpu_mapping *mapping, uint64_t *way)
{
    static const char name[] = "-gpgpu_cache:dl1", ratio[] = "-gpgpu_l1_cache_write_ratio", banks[] = "-gpgpu_l1_banks";
    struct gpu_map_cache cache;
    uint64_t unified = gpu_map_number(mapping, "-gpgpu_unified_l1d_size", 0, 16384, 0) * 1024;
    bool adaptive = gpu_map_number(mapping, "-gpgpu_adaptive_cache_config", 0, 2, 0);
    if (!gpu_map_cache(mapping, name, &cache)) {
        gpu_map_miss(mapping, name);
        return 0;
    }
    *way = cache.sets * cache.line;
    uint64_t bytes = *way * cache.ways, ways = cache.ways;
    if (adaptive && unified > bytes) { /* the pool without shared memory is L1, with more ways */
        ways = unified / *way;
        bytes = ways * *way;
    }
    gpu_map_put_size(mapping, "sm.l1d.size", bytes, adaptive ? "-gpgpu_unified_l1d_size" : name);
    gpu_map_put(mapping, "sm.l1d.ways", ways, name);
    gpu_map_put_size(mapping, "sm.l1d.line", cache.line, name);
    gpu_map_put(mapping, "sm.l1d.mshrs", cache.mshrs > 4096 ? 4096 : cache.mshrs, name);
    gpu_map_put(mapping, "sm.l1d.merge", cache.merge > 4096 ? 4096 : cache.merge, name);
    uint64_t tags = gpu_map_number(mapping, banks, 1, SM_MAX_TAGS, 1);
    gpu_map_put(mapping, "sm.l1d.tags", tags, banks);
    gpu_map_put_word(mapping, "sm.l1d.write", write_policy(&cache), name);
    gpu_map_put(mapping, "sm.l1d.written_share", gpu_map_number(mapping, ratio, 0, 100, 0), ratio);
    lose_l1(mapping);
    return adaptive && unified ? bytes : 0;
}

/* The sizes that shared memory can have of the pool, or its one size. */
static void map_shared(struct gpu_mapping *mapping, uint64_t pool, uint64_t way)
{
    uint64_t most = gpu_map_number(mapping, "-gpgpu_shmem_size", 1024, MOST_SHARED << 10, 48 << 10), sizes[SIZES];
    gpu_map_number(mapping, "-gpgpu_shmem_sizeDefault", 0, MOST_SHARED << 10, 0);
    const struct gpu_import_option *option = gpu_map_take(mapping, "-gpgpu_shmem_option");
    const char *source = "-gpgpu_shmem_size";
    uint32_t found = option ? gpu_map_numbers(mapping, option, ",", sizes, SIZES) : 0, count = 0;
    for (uint32_t i = 0; i < found; i++) {
        if (sizes[i] > MOST_SHARED)
            continue;
        sizes[count++] = sizes[i];
        if (sizes[i] * 1024 > most) {
            most = sizes[i] * 1024;
            source = "-gpgpu_shmem_option, in KiB";
        }
    }
    gpu_map_put_size(mapping, "sm.shared.max", most, source);
    if (count && pool >= most + way)
        gpu_map_put_sizes(mapping, "sm.shared.options", sizes, count, "-gpgpu_shmem_option, in KiB");
    static const char *const preferred[] = {"-gpgpu_cache:dl1PrefL1", "-gpgpu_cache:dl1PrefShared",
                                            "-gpgpu_shmem_size_PrefL1", "-gpgpu_shmem_size_PrefShared"};
    for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++)
        gpu_map_lose(mapping, preferred[i], "kernels state no preference for L1 or shared memory");
}

/* ===== code and constants ===== */

static void map_constants(struct gpu_mapping *mapping, uint64_t line)
{
    static const char name[] = "-gpgpu_const_cache:l1";
    struct gpu_map_cache cache;
    if (!gpu_map_cache(mapping, name, &cache))
        return;
    uint64_t bytes = cache.sets * cache.line * cache.ways, way = line * cache.ways;
    if (bytes % way || bytes > 1 << 20 || cache.ways > 4096) {
        gpu_map_lose(mapping, name, "its ways hold no whole lines of the instruction cache, which backs it");
        return;
    }
    gpu_map_put_size(mapping, "sm.constant.size", bytes, name);
    gpu_map_put(mapping, "sm.constant.ways", cache.ways, name);
}

/* Maps caches of code. If fetches and constants always hit, the machine has no instruction cache; constants then hit,
 * too. */
static void map_code(struct gpu_mapping *mapping)
{
    static const char name[] = "-gpgpu_cache:il1", perfect[] = "-gpgpu_perfect_inst_const_cache";
    struct gpu_map_cache cache = {.line = MOST_LINE};
    bool found = gpu_map_cache(mapping, name, &cache), always = gpu_map_number(mapping, perfect, 0, 1, 0);
    bool fits =
        cache.line >= LEAST_LINE && cache.line <= MOST_LINE && !(cache.line & (cache.line - 1)) && cache.ways <= 4096;
    map_constants(mapping, found && fits ? cache.line : MOST_LINE);
    gpu_map_lose(mapping, "-gpgpu_tex_cache:l1", "textures take a given time (sm.texture.latency)");
    if (always) {
        gpu_map_put_size(mapping, "sm.l1i.size", 0, perfect);
    } else if (found && fits) {
        gpu_map_put_size(mapping, "sm.l1i.size", cache.sets * cache.line * cache.ways, name);
        gpu_map_put(mapping, "sm.l1i.ways", cache.ways, name);
        gpu_map_put_size(mapping, "sm.l1i.line", cache.line, name);
    } else if (found) {
        gpu_map_lose(mapping, name, "lines of code have 32, 64 or 128 bytes in the model");
    }
    if (always || found) /* both options describe a single level of instruction caches in an SM */
        gpu_map_put_size(mapping, "sm.l0i.size", 0, found ? name : perfect);
}

void gpu_map_l1(struct gpu_mapping *mapping)
{
    uint64_t way = 0, pool = map_l1d(mapping, &way);
    map_shared(mapping, pool, way);
    map_code(mapping);
}

/* ===== register reads ===== */

static uint64_t share(uint64_t all, uint64_t subcores, uint64_t most)
{
    uint64_t each = all / subcores;
    return each < 1 ? 1 : each > most ? most : each;
}

/* Collectors that serve all units, evenly divided among the sub-cores, as the register banks are. */
void gpu_map_operands(struct gpu_mapping *mapping, uint64_t subcores)
{
    static const char units[] = "-gpgpu_operand_collector_num_units_gen", banks[] = "-gpgpu_num_reg_banks";
    static const char ports[] = "-gpgpu_reg_file_port_throughput";
    static const char special[] = "-gpgpu_enable_specialized_operand_collector";
    uint64_t general = gpu_map_number(mapping, units, 0, 1024, 0);
    if (general && !gpu_map_number(mapping, special, 0, 1, 0)) {
        gpu_map_put_word(mapping, "sm.operands", "collector", units);
        gpu_map_put(mapping, "sm.operand.units", share(general, subcores, 16), units);
        uint64_t all = gpu_map_number(mapping, banks, 1, 4096, 16);
        gpu_map_put(mapping, "sm.operand.banks", share(all, subcores, 64), banks);
        gpu_map_put(mapping, "sm.operand.ports", gpu_map_number(mapping, ports, 1, 8, 1), ports);
    } else {
        gpu_map_lose(mapping, banks, "collectors of single units are not modelled (sm.operands)");
        gpu_map_lose(mapping, ports, "collectors of single units are not modelled (sm.operands)");
        gpu_map_lose(mapping, special, "collectors of single units are not modelled (sm.operands)");
    }
    for (uint32_t i = 0; i < mapping->import->option_count; i++) {
        const char *name = mapping->import->options[i].name;
        if (strncmp(name, "-gpgpu_operand_collector_", 25) == 0 && strcmp(name, units) != 0)
            gpu_map_lose(mapping, name,
                         strstr(name, "_ports_") ? "a sub-core's collectors have a port to each pipe"
                                                 : "collectors of single units are not modelled");
    }
}
