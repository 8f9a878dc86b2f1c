/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/partition/activity.h"

#include "base/bits.h"
#include "base/sample.h"
#include "gpu/partition/state.h"

enum { SECTOR_WORDS = GPU_SECTOR / 8, SECTOR_BITS = 8 * GPU_SECTOR, MOST = 254 /* a packet states it, plus one */ };

/* The place of a block of so many sectors that is looked at. */
static uint64_t pick(const struct gpu_partition *partition, uint32_t stream, uint64_t block)
{
    uint64_t key = UINT64_C(0x9e3779b97f4a7c15) * (stream + 64 * (uint64_t)partition->config.index);
    return mnp_sample_of_block(block, partition->config.parameters->values, key);
}

/* Streams of the channel: sectors that are read, and sectors that are written. */
static uint32_t of_reads(const struct gpu_partition *partition)
{
    return partition->slice_count;
}

static uint32_t of_writes(const struct gpu_partition *partition)
{
    return partition->slice_count + 1;
}

void gpu_activity_lay_out(struct gpu_partition *partition, struct mnp_arena *arena)
{
    if (partition->live && partition->config.parameters->values)
        partition->streams = mnp_arena_take(arena, of_writes(partition) + 1, sizeof *partition->streams);
}

void gpu_activity_start(struct gpu_partition *partition)
{
    for (uint32_t i = 0; partition->streams && i <= of_writes(partition); i++)
        partition->streams[i] = (struct gpu_stream){.look = pick(partition, i, 0), .activity = GPU_RANDOM_ACTIVITY};
}

static uint64_t *counters_of(const struct gpu_partition *partition, uint32_t kernel)
{
    return gpu_partition_counters(partition, kernel) + partition->config.parameters->energy_counters;
}

static uint32_t differ(const struct gpu_partition *partition, uint64_t before, uint64_t now)
{
    uint64_t a[SECTOR_WORDS], b[SECTOR_WORDS];
    uint32_t toggled = 0;
    mnp_overlay_read(partition->live->overlay, before, sizeof a, a);
    mnp_overlay_read(partition->live->overlay, now, sizeof b, b);
    for (uint32_t i = 0; i < SECTOR_WORDS; i++)
        toggled += mnp_ones((uint32_t)(a[i] ^ b[i])) + mnp_ones((uint32_t)((a[i] ^ b[i]) >> 32));
    return toggled;
}

/* A sector passes; `counters`: of bits that toggled, and behind them of bits that were compared. */
static void pass(struct gpu_partition *partition, uint32_t stream, uint64_t address, uint64_t *counters)
{
    struct gpu_stream *s = &partition->streams[stream];
    if (s->passed++ == s->look) {
        const struct gpu_partition_parameters *parameters = partition->config.parameters;
        s->look = pick(partition, stream, s->look / parameters->values + 1);
        if (s->last) {
            uint64_t toggled = differ(partition, s->last - 1, address);
            uint64_t random = SECTOR_BITS * (uint64_t)parameters->random;
            uint64_t activity = (toggled * 1000 * GPU_RANDOM_ACTIVITY + random / 2) / random;
            s->activity = activity < MOST ? activity : MOST;
            counters[0] += toggled;
            counters[1] += SECTOR_BITS;
        }
    }
    s->last = address + 1;
}

static void pass_all(struct gpu_partition *partition, uint32_t stream, uint64_t line, uint32_t sectors,
                     uint64_t *counters)
{
    struct gpu_stream *s = &partition->streams[stream];
    uint32_t count = gpu_count_sectors(sectors);
    if (s->passed + count <= s->look && sectors) { /* none is looked at */
        s->passed += count;
        s->last = line + GPU_SECTOR * (uint64_t)(31 - __builtin_clz(sectors)) + 1;
        return;
    }
    for (; sectors; sectors &= sectors - 1)
        pass(partition, stream, line + GPU_SECTOR * (uint64_t)__builtin_ctz(sectors), counters);
}

void gpu_activity_look_up(struct gpu_partition *partition, uint32_t slice, const struct gpu_transaction *transaction)
{
    uint64_t *counters = counters_of(partition, transaction->kernel);
    if (transaction->kind == GPU_FETCH)
        return;
    pass_all(partition, slice, transaction->line, transaction->sectors, counters + GPU_ACTIVITY_L2_TOGGLED);
    counters[GPU_ACTIVITY_L2] += gpu_count_sectors(transaction->sectors) * partition->streams[slice].activity;
}

void gpu_activity_fetch(struct gpu_partition *partition, const struct gpu_transaction *transaction, uint32_t fetched)
{
    if (transaction->kind != GPU_FETCH)
        pass_all(partition, of_reads(partition), transaction->line, fetched,
                 counters_of(partition, transaction->kernel) + GPU_ACTIVITY_DRAM_TOGGLED);
}

void gpu_activity_fill(struct gpu_partition *partition, uint32_t kernel)
{
    counters_of(partition, kernel)[GPU_ACTIVITY_L2] += partition->streams[of_reads(partition)].activity;
}

/* The address of a line of a slice, as programs know it. */
static uint64_t known_as(const struct gpu_partition *partition, uint32_t slice, uint64_t local)
{
    const struct mnp_address_map *map = partition->config.map;
    struct mnp_address_place place = {.partition = partition->config.index, .slice = slice, .local = local};
    uint64_t address = mnp_address_of(map, &place);
    for (uint32_t i = 0; i < map->move_count; i++)
        if (address - map->moves[i].to < map->moves[i].bytes)
            return address - map->moves[i].to + map->moves[i].from;
    return address;
}

void gpu_activity_write_back(struct gpu_partition *partition, uint32_t slice, uint64_t local, uint32_t sectors)
{
    uint64_t *counters = counters_of(partition, 0);
    pass_all(partition, of_writes(partition), known_as(partition, slice, local), sectors,
             counters + GPU_ACTIVITY_DRAM_TOGGLED);
    counters[GPU_ACTIVITY_L2] += gpu_count_sectors(sectors) * partition->streams[of_writes(partition)].activity;
}

void gpu_activity_move(struct gpu_partition *partition, uint32_t kernel, bool write)
{
    counters_of(partition, kernel)[write ? GPU_ACTIVITY_DRAM_WRITES : GPU_ACTIVITY_DRAM_READS] +=
        partition->streams[write ? of_writes(partition) : of_reads(partition)].activity;
}

uint8_t gpu_activity_reply(struct gpu_partition *partition, uint32_t slice, const struct gpu_transaction *transaction,
                           uint64_t bytes)
{
    uint64_t activity = transaction->kind != GPU_FETCH ? partition->streams[slice].activity : GPU_RANDOM_ACTIVITY;
    counters_of(partition, transaction->kernel)[GPU_ACTIVITY_REPLIES] += bytes * activity;
    return (uint8_t)(activity + 1);
}
