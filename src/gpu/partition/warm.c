/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host copies that leave their lines in the L2 (memcpy_warms_l2), as GPGPU-Sim's perf_sim_memcpy has it: all that
 * reaches the memory of NVIDIA's GPUs, copies included, goes through the L2 (Khairy et al., Accel-Sim, ISCA 2020).
 *
 * The dispatcher tells every partition of a copy, which brings the sectors that the copy covers as a whole into its
 * slices: valid, clean, the newest of their sets, and without any time or DRAM traffic. Of a copy larger than the L2
 * the last lines stay. Lines with written data, or that wait for data, are not replaced.
 *
 * Code and constants have come the same way when their module was loaded, before any kernel, but at addresses that are
 * not known before they are fetched. So a line of them that is asked for the first time is taken to lie in the L2 since
 * then, if its set still has a place that was never used: nothing has been replaced there.
 *
 * What a launch that is executed by value has touched may be left in the L2 the same way (--between warm).
 *
 * So does what is passed over inside a kernel (--steady), in its order, and what is written there is dirty: caches are
 * kept warm functionally, as SMARTS does it (Wunderlich et al., ISCA 2003). What gives way is not written back.
 *
 * And flushes before kernels (launch.flush_l2): the slices are emptied, again without time or traffic, as profilers do
 * that before the time that they measure. Values do not lie in the slices, so that none is lost.
 */
#include "gpu/partition/copies.h"
#include "gpu/partition/state.h"

struct extent { /* range of a copy: first byte, and the one past the last */
    uint64_t first, end;
};

/* Sectors of a line that lie inside the copy as a whole. */
static uint32_t covered(const struct mnp_cache *cache, const struct extent *copy, uint64_t line)
{
    uint32_t mask = 0;
    for (uint32_t sector = 0; sector < cache->sectors; sector++) {
        uint64_t from = line + ((uint64_t)sector << cache->sector_shift);
        uint64_t size = UINT64_C(1) << cache->sector_shift;
        if (from >= copy->first && from < copy->end && copy->end - from >= size)
            mask |= 1u << sector;
    }
    return mask;
}

/* Tells a policy that asks of data that nobody waits for. */
static void announce(struct mnp_cache *cache, uint32_t set, uint64_t tag)
{
    struct mnp_cache_access access = {.address = tag << cache->line_shift, .kind = MNP_ACCESS_WRITE_BACK};
    if (mnp_cache_asks(cache))
        mnp_cache_announce(cache, set, &access, false);
}

static void bring_in(struct gpu_partition *partition, uint32_t slice, uint64_t local, uint32_t sectors)
{
    struct mnp_cache *cache = &partition->caches[slice];
    uint64_t tag = local >> cache->line_shift;
    uint32_t set = mnp_cache_set(cache, tag), line = mnp_cache_find(cache, set, tag);
    partition->memos[slice].found.set = GPU_NO_SET;
    announce(cache, set, tag);
    if (line == MNP_NO_LINE) {
        line = mnp_cache_clean_victim(cache, set);
        if (line == MNP_NO_LINE)
            return;
        mnp_cache_replace(cache, line, set, tag);
        gpu_copies_drop(partition, slice, line);
    } else {
        mnp_cache_touch(cache, line, set);
    }
    uint32_t missing = mnp_cache_missing(cache, line, sectors);
    mnp_cache_fill(cache, line, missing);
    gpu_partition_counters(partition, 0)[GPU_L2_WARMED] += gpu_count_sectors(missing);
}

uint32_t gpu_partition_warm_code(struct gpu_partition *partition, uint32_t slice, uint32_t set, uint64_t tag)
{
    struct mnp_cache *cache = &partition->caches[slice];
    uint32_t line = mnp_cache_victim(cache, set);
    if (line == MNP_NO_LINE || !mnp_cache_is_free(cache, line))
        return MNP_NO_LINE;
    uint32_t all = (1u << cache->sectors) - 1;
    mnp_cache_replace(cache, line, set, tag);
    mnp_cache_fill(cache, line, all);
    gpu_copies_drop(partition, slice, line);
    gpu_partition_counters(partition, 0)[GPU_L2_WARMED_CODE] += gpu_count_sectors(all);
    return line;
}

static void warm_piece(struct gpu_partition *partition, uint32_t slice, uint64_t piece, uint64_t group,
                       const struct extent *copy)
{
    const struct mnp_address_map *map = partition->config.map;
    uint64_t line_bytes = partition->config.parameters->line;
    for (uint64_t offset = 0; offset < UINT64_C(1) << map->shift; offset += line_bytes) {
        uint32_t sectors = covered(&partition->caches[slice], copy, (piece << map->shift) + offset);
        if (sectors)
            bring_in(partition, slice, (group << map->shift) + offset, sectors);
    }
}

static void warm_row(struct gpu_partition *partition, uint64_t address, uint64_t bytes)
{
    const struct mnp_address_map *map = partition->config.map;
    struct extent copy = {.first = mnp_address_moved(map, address)};
    copy.end = copy.first + bytes;
    if (copy.end < copy.first)
        copy.end = UINT64_MAX;
    if (copy.end == copy.first)
        return;
    uint64_t first = copy.first >> map->shift, last = (copy.end - 1) >> map->shift;
    /* Inside a half, addresses up to twice the unit of its interleave lie out of their order. */
    uint64_t unit = map->half_bits ? UINT64_C(1) << map->half_shift : 1;
    uint64_t group = (mnp_address_fold(map, copy.first) & ~(unit - 1)) >> map->shift;
    uint64_t end = (mnp_address_fold(map, copy.end - 1) | (unit - 1)) >> map->shift;
    group /= map->hash.count;
    end /= map->hash.count;
    uint32_t half = partition->config.index / map->partitions;
    uint64_t room = 2 * (partition->config.parameters->cache.size >> map->shift) + 2; /* more would push itself out */
    if (end - group > room)
        group = end - room;
    for (; group <= end; group++) {
        for (uint32_t slice = 0; slice < partition->slice_count; slice++) {
            uint32_t bin = slice * map->partitions + partition->config.index % map->partitions;
            uint64_t folded = mnp_hash_number(&map->hash, bin, group);
            uint64_t piece = mnp_address_unfold(map, folded << map->shift, half) >> map->shift;
            if (piece >= first && piece <= last)
                warm_piece(partition, slice, piece, group, &copy);
        }
    }
}

void gpu_partition_warm(struct gpu_partition *partition, uint64_t address, uint64_t bytes)
{
    warm_row(partition, address, bytes);
}

void gpu_partition_touch(struct gpu_partition *partition, const struct gpu_touch *packet, uint64_t cycle)
{
    struct mnp_address_place place = mnp_address_place(partition->config.map, packet->line);
    struct mnp_cache *cache = &partition->caches[place.slice];
    uint64_t tag = place.local >> cache->line_shift;
    uint32_t set = mnp_cache_set(cache, tag), line = mnp_cache_find(cache, set, tag);
    announce(cache, set, tag);
    if (line == MNP_NO_LINE) {
        line = mnp_cache_victim(cache, set);
        if (line == MNP_NO_LINE)
            return;
        mnp_cache_replace(cache, line, set, tag);
        gpu_copies_drop(partition, place.slice, line);
    } else {
        mnp_cache_touch(cache, line, set);
    }
    uint32_t missing = mnp_cache_missing(cache, line, packet->sectors);
    mnp_cache_fill(cache, line, missing);
    if (packet->written)
        mnp_cache_soil(cache, line, missing | (packet->sectors & mnp_cache_line(cache, line)->valid));
    gpu_partition_counters(partition, 0)[GPU_L2_WARMED] += gpu_count_sectors(missing);
    partition->memos[place.slice].blocked = false;
    partition->memos[place.slice].found.set = GPU_NO_SET;
    gpu_partition_wake(partition, place.slice, cycle);
}

void gpu_partition_copy(struct gpu_partition *partition, const struct gpu_copy *copy, uint64_t cycle)
{
    for (uint64_t row = 0; copy->kind == GPU_COPY_WARMS && row < copy->rows; row++)
        warm_row(partition, copy->address + row * copy->pitch, copy->bytes);
    for (uint32_t slice = 0; slice < partition->slice_count; slice++) {
        if (copy->kind == GPU_COPY_FLUSHES) {
            mnp_cache_invalidate_all(&partition->caches[slice]);
            if (partition->copies)
                gpu_copies_forget(partition, slice);
        }
        partition->memos[slice].blocked = false;
        partition->memos[slice].found.set = GPU_NO_SET;
        gpu_partition_wake(partition, slice, cycle);
    }
}
