/* SPDX-License-Identifier: BSD-3-Clause */
/* A partition's DRAM channel and the crossing between the L2 clock and the DRAM clock (see partition.h). */
#include "base/range.h"
#include "engine/count/statistics.h"
#include "gpu/partition/state.h"
#include "parts/dram/step.h"

/* First tag of a DRAM request: whose it is and where its data go. The second is the L2 cycle at which it left. */
static uint64_t make_tag(const struct gpu_miss *miss, uint32_t slice, uint32_t sector)
{
    return (uint64_t)miss->mshr << 32 | (uint64_t)slice << 24 | (uint64_t)miss->code << 23 | (uint64_t)sector << 16 |
           miss->kernel;
}

static bool is_code(uint64_t tag)
{
    return tag >> 23 & 1;
}

static uint32_t kernel_of(uint64_t tag)
{
    return (uint32_t)(tag & 0xffff);
}

/* Whether the channel has no room for the first miss of a slice; it is woken when an entry is given back. */
static bool is_crowded(struct gpu_partition *partition, uint32_t slice_index)
{
    const struct gpu_slice *slice = &partition->slices[slice_index];
    const struct gpu_miss *miss = &partition->misses[slice_index * partition->miss_capacity + slice->misses.head];
    if (mnp_dram_room(&partition->dram, miss->write))
        return false;
    partition->crowded |= UINT64_C(1) << slice_index;
    return true;
}

/* Gives a sector of a slice to the channel. Its bank and row are those of the slice's last sector if that lies in the
 * same piece of the channel, as the sectors of a line mostly do. */
static inline void push(struct gpu_partition *partition, uint32_t slice_index, const struct gpu_miss *miss,
                        uint32_t sector, uint64_t arrival, const uint64_t tag[2])
{
    struct gpu_located *known = &partition->memos[slice_index].located;
    uint64_t local = miss->address + sector * GPU_SECTOR;
    if (local - known->from >= known->bytes) {
        uint64_t address = mnp_address_in_channel(partition->config.map, slice_index, local);
        if (!(miss->sectors & (miss->sectors - 1))) { /* no other sector follows */
            mnp_dram_push(&partition->dram, arrival, miss->write, address, tag);
            return;
        }
        mnp_dram_locate(&partition->dram, address, &known->bank, &known->row);
        known->from = local & ~(partition->piece - 1);
        known->bytes = partition->piece;
    }
    mnp_dram_push_at(&partition->dram, arrival, miss->write, known->bank, known->row, tag);
}

void gpu_channel_accept(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_miss *miss = &partition->misses[slice_index * partition->miss_capacity + slice->misses.head];
    uint32_t room = mnp_dram_room(&partition->dram, miss->write);
    if (!room) {
        partition->crowded |= UINT64_C(1) << slice_index;
        return;
    }
    uint64_t arrival = mnp_cursor_cycle_at(&partition->dram_clock, partition->l2_time);
    for (; miss->sectors && room; room--) {
        uint32_t first = miss->sectors & miss->asked, sector = (uint32_t)__builtin_ctz(first ? first : miss->sectors);
        uint64_t tag[2] = {make_tag(miss, slice_index, sector), cycle};
        push(partition, slice_index, miss, sector, arrival, tag);
        miss->sectors &= (uint8_t) ~(1u << sector);
    }
    if (miss->sectors) {
        partition->crowded |= UINT64_C(1) << slice_index;
        return;
    }
    mnp_queue_pop(&slice->misses, partition->miss_capacity);
    partition->eager &= ~((uint64_t)(slice->misses.count == 0) << slice_index);
    bool more = slice->misses.count && !is_crowded(partition, slice_index);
    if (more)
        gpu_partition_pass(partition, cycle + 1);
    if (slice->stall != GPU_STALL_MISS_QUEUE)
        return;
    partition->memos[slice_index].blocked = false;
    gpu_partition_wake(partition, slice_index, cycle + 1);
}

uint64_t gpu_channel_crossing(uint64_t l2_hertz, uint64_t dram_hertz, uint64_t dram_cycles)
{
    uint64_t product;
    if (!__builtin_mul_overflow(dram_cycles + 1, l2_hertz, &product) && product <= UINT64_MAX - dram_hertz)
        return (product + dram_hertz - 1) / dram_hertz;
    return (uint64_t)(((unsigned __int128)(dram_cycles + 1) * l2_hertz + dram_hertz - 1) / dram_hertz);
}

/* Notes when a sector comes back, in order of that time. It is nearly always the last one. */
static void release(struct gpu_partition *partition, const struct mnp_dram_event *event)
{
    const struct gpu_partition_config *config = &partition->config;
    const struct mnp_cursor *l2 = &partition->unit->clock;
    uint64_t crossing = gpu_channel_crossing(l2->hertz, config->dram_hertz, event->done - event->arrived);
    struct gpu_release new = {.cycle = event->tag[1] + crossing + config->dram_extra,
                              .mshr = (uint32_t)(event->tag[0] >> 32),
                              .kernel = (uint16_t)kernel_of(event->tag[0]),
                              .slice = (uint8_t)(event->tag[0] >> 24),
                              .sector = (uint8_t)(event->tag[0] >> 16 & 0x7f)};
    if (l2->course) /* the clock may have been higher since the request, and data do not come before they are there */
        mnp_raise(&new.cycle, mnp_cursor_cycle_at(l2, mnp_cursor_edge(&partition->dram_clock, event->done)));
    struct mnp_queue *queue = &partition->totals->releases;
    uint32_t capacity = partition->release_capacity, i = queue->count;
    uint32_t place = mnp_queue_push(queue, capacity);
    while (i > 0) {
        uint32_t before = mnp_queue_place(queue, capacity, i - 1);
        if (partition->releases[before].cycle <= new.cycle)
            break;
        partition->releases[place] = partition->releases[before];
        place = before;
        i--;
    }
    partition->releases[place] = new;
    if (new.cycle < partition->l2_next)
        partition->l2_next = new.cycle;
}

/* The channel's counters (enum mnp_dram_statistic) for a kernel slot. */
static uint64_t *dram_counters(const struct gpu_partition *partition, uint32_t kernel)
{
    return gpu_partition_counters(partition, kernel) + GPU_DRAM;
}

/* Counts refreshes, for the machine and not for a kernel. They are rare: the code stays out of the way of steps that
 * issue nothing. */
static __attribute__((noinline)) void count_refreshes(struct gpu_partition *partition,
                                                      const struct mnp_dram_event *event, uint64_t cycle)
{
    uint64_t *machine = dram_counters(partition, 0);
    machine[MNP_DRAM_REFRESHES] += event->refreshes;
    machine[MNP_DRAM_PRECHARGES] += event->refresh_precharges;
    for (uint32_t i = 0; i < event->refreshes && GPU_HEARS(partition, partition.dram_commanded); i++)
        gpu_tell_dram_commanded(&partition->listeners, partition, 0, GPU_DRAM_REFRESH, cycle);
}

/* Counts an activate or a precharge. */
static inline void count_row(struct gpu_partition *partition, uint64_t row_tag, enum gpu_dram_command command,
                             uint64_t cycle)
{
    uint32_t kernel = kernel_of(row_tag);
    dram_counters(partition, kernel)[command == GPU_DRAM_ACTIVATE ? MNP_DRAM_ACTIVATES : MNP_DRAM_PRECHARGES]++;
    if (GPU_HEARS(partition, partition.dram_commanded))
        gpu_tell_dram_commanded(&partition->listeners, partition, kernel, command, cycle);
}

static void count_column(struct gpu_partition *partition, const struct mnp_dram_event *event, uint64_t cycle)
{
    static const uint8_t outcomes[] = {[MNP_DRAM_ROW_HIT] = MNP_DRAM_ROW_HITS,
                                       [MNP_DRAM_ROW_MISS] = MNP_DRAM_ROW_MISSES,
                                       [MNP_DRAM_ROW_CONFLICT] = MNP_DRAM_ROW_CONFLICTS};
    uint32_t kernel = kernel_of(event->tag[0]);
    uint64_t *counters = dram_counters(partition, kernel);
    if (GPU_HEARS(partition, partition.dram_commanded))
        gpu_tell_dram_commanded(&partition->listeners, partition, kernel, event->write ? GPU_DRAM_WRITE : GPU_DRAM_READ,
                                cycle);
    counters[event->write ? MNP_DRAM_WRITES : is_code(event->tag[0]) ? MNP_DRAM_FETCHES : MNP_DRAM_READS]++;
    counters[MNP_DRAM_ACCESSES]++;
    if (partition->streams && (event->write || !is_code(event->tag[0])))
        gpu_activity_move(partition, kernel, event->write);
    counters[outcomes[event->outcome]]++;
    counters[MNP_DRAM_BYTES] += GPU_SECTOR;
    counters[MNP_DRAM_BUS_BUSY] += partition->dram.shape.timing.burst;
    if (event->write)
        return;
    uint64_t cycles = event->done - event->arrived;
    counters[MNP_DRAM_READ_CYCLES] += cycles;
    gpu_partition_counters(
        partition, kernel_of(event->tag[0]))[GPU_DRAM_LATENCY_AT + mnp_histogram_bin(GPU_LATENCY_BINS, cycles)]++;
}

/* Entries of the channel's queues have become free: misses go on at the next L2 edge. */
static void end_crowd(struct gpu_partition *partition, uint64_t dram_cycle)
{
    mnp_time time = mnp_cursor_edge(&partition->dram_clock, dram_cycle);
    partition->crowded = 0;
    gpu_partition_pass(partition, mnp_cursor_cycle_at(&partition->unit->clock, time + 1));
}

void gpu_channel_step(struct gpu_partition *partition, uint64_t cycle)
{
    struct mnp_dram_event event;
    mnp_dram_step(&partition->dram, cycle, &event);
    if (event.refreshes)
        count_refreshes(partition, &event, cycle);
    if (event.activate)
        count_row(partition, event.row_tag, GPU_DRAM_ACTIVATE, cycle);
    if (event.precharge)
        count_row(partition, event.row_tag, GPU_DRAM_PRECHARGE, cycle);
    if (!event.column)
        return;
    count_column(partition, &event, cycle);
    if (!event.write)
        release(partition, &event);
    if (partition->crowded)
        end_crowd(partition, cycle);
}

void gpu_channel_settle(struct gpu_partition *partition, uint64_t cycle)
{
    struct mnp_dram_event event;
    mnp_dram_settle(&partition->dram, cycle, &event);
    if (event.refreshes)
        count_refreshes(partition, &event, cycle);
}
