/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The L2, network, DRAM, clocks, and the latencies between them.
 *
 * Latencies: Accel-Sim's tuner fills in -gpgpu_l1_latency and -gpgpu_smem_latency from measurements as they are,
 * -gpgpu_l2_rop_latency with what an L2 hit takes longer than an L1 hit, and -dram_latency with what DRAM takes longer
 * than the L2 (Khairy et al., Accel-Sim, ISCA 2020). So their sums are what a machine file states.
 */
#include "gpu/import/map.h"

#include "base/text.h"
#include "parts/dram/kind.h"

#include <string.h>

enum { SECTOR = 32 };

/* ===== clocks and latencies ===== */

static void map_clocks(struct gpu_mapping *mapping)
{
    static const char *const keys[] = {"clock.core", "clock.noc", "clock.l2", "clock.dram"};
    static const char name[] = "-gpgpu_clock_domains";
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option) {
        gpu_map_miss(mapping, name);
        return;
    }
    const char *at = option->value;
    for (int i = 0; i < 4; i++) {
        char clock[32], exact[MNP_NUMBER_TEXT];
        size_t length = strcspn(at, ":");
        uint64_t hertz = 0;
        snprintf(clock, sizeof clock, "%.*sMHz", (int)(length < 24 ? length : 24), at);
        if (mnp_parse_hertz(clock, &hertz) || hertz < 1000000 || hertz > UINT64_C(10000000000) ||
            (at[length] == ':') != (i < 3)) {
            gpu_map_fail(mapping, option, "states no four clocks from 1 to 10000 MHz: core:network:L2:DRAM");
            return;
        }
        gpu_map_put_word(mapping, keys[i], mnp_format_hertz(exact, hertz), name);
        at += length + (at[length] != 0);
    }
}

/* A latency; shorter ones than pipelines and links take at least are raised, which the file then says. */
static void put_latency(struct gpu_mapping *mapping, const char *key, uint64_t cycles, uint64_t least,
                        const char *source)
{
    char raised[96];
    snprintf(raised, sizeof raised, "raised to what the model takes at least; %s: %u", source, (unsigned)cycles);
    gpu_map_put(mapping, key, cycles < least ? least : cycles, cycles < least ? raised : source);
}

static void map_latencies(struct gpu_mapping *mapping)
{
    uint64_t l1 = gpu_map_number(mapping, "-gpgpu_l1_latency", 0, 4000, 32);
    uint64_t l2 = l1 + gpu_map_number(mapping, "-gpgpu_l2_rop_latency", 0, 40000, 120);
    uint64_t dram = l2 + gpu_map_number(mapping, "-dram_latency", 0, 40000, 100);
    uint64_t old_name = gpu_map_number(mapping, "-smem_latency", 0, 4000, 24);
    uint64_t shared = gpu_map_number(mapping, "-gpgpu_smem_latency", 0, 4000, old_name);
    put_latency(mapping, "latency.l1", l1, 8, "-gpgpu_l1_latency");
    put_latency(mapping, "latency.shared", shared, 8, "-gpgpu_smem_latency");
    put_latency(mapping, "latency.l2", l2, 80, "-gpgpu_l1_latency + -gpgpu_l2_rop_latency");
    put_latency(mapping, "latency.dram", dram, 200, "these + -dram_latency");
}

/* ===== caches ===== */

static const char *hash_name(char index)
{
    return index == 'L' ? "linear" : index == 'P' ? "ipoly" : index == 'X' ? "xor" : NULL;
}

static void map_partition_hash(struct gpu_mapping *mapping)
{
    static const char name[] = "-gpgpu_memory_partition_indexing";
    static const char *const hashes[] = {"linear", "xor", "ipoly", NULL, NULL, NULL, "ipoly"};
    uint64_t index = gpu_map_number(mapping, name, 0, 6, 0);
    if (hashes[index])
        gpu_map_put_word(mapping, "l2.hash", hashes[index], name);
    else
        gpu_map_lose(mapping, name, "there is no such hash of addresses; the default is used");
}

static void map_l2(struct gpu_mapping *mapping)
{
    static const char name[] = "-gpgpu_cache:dl2";
    struct gpu_map_cache cache;
    gpu_map_put(mapping, "partition.count", gpu_map_needed(mapping, "-gpgpu_n_mem", 1, 1024), "-gpgpu_n_mem");
    gpu_map_put(mapping, "l2.slices_per_partition",
                gpu_map_number(mapping, "-gpgpu_n_sub_partition_per_mchannel", 1, 64, 1),
                "-gpgpu_n_sub_partition_per_mchannel");
    map_partition_hash(mapping);
    if (!gpu_map_cache(mapping, name, &cache)) {
        gpu_map_miss(mapping, name);
        return;
    }
    gpu_map_put_size(mapping, "l2.slice.size", cache.sets * cache.line * cache.ways, name);
    gpu_map_put(mapping, "l2.slice.ways", cache.ways, name);
    gpu_map_put_size(mapping, "l2.line", cache.line, name);
    gpu_map_put(mapping, "l2.mshrs", cache.mshrs > 65536 ? 65536 : cache.mshrs, name);
    gpu_map_put(mapping, "l2.merge", cache.merge > 65536 ? 65536 : cache.merge, name);
    gpu_map_put(mapping, "l2.miss_queue", cache.queue < 2 ? 2 : cache.queue > 65536 ? 65536 : cache.queue, name);
    if (cache.port)
        gpu_map_put_size(mapping, "l2.port", cache.port > 4096 ? 4096 : cache.port, name);
    if (cache.replacement == 'F')
        gpu_map_put_word(mapping, "l2.replacement", "fifo", name);
    if (hash_name(cache.index))
        gpu_map_put_word(mapping, "l2.set_hash", hash_name(cache.index), name);
    gpu_map_agree(mapping, "-gpgpu_cache:dl2_texture_only");
    gpu_map_lose(mapping, "-gpgpu_dram_partition_queues", "the queues of a slice are l2.miss_queue and l2.reply_queue");
    if (gpu_map_number(mapping, "-gpgpu_perf_sim_memcpy", 0, 1, 0))
        gpu_map_put_truth(mapping, "memcpy_warms_l2", true, "-gpgpu_perf_sim_memcpy");
}

static void map_network(struct gpu_mapping *mapping)
{
    uint64_t flit = gpu_map_number(mapping, "-icnt_flit_size", 1, 4096, 40);
    gpu_map_put_size(mapping, "noc.request_width", flit, "-icnt_flit_size");
    gpu_map_put_size(mapping, "noc.reply_width", flit, "-icnt_flit_size");
    static const char *const lost[] = {
        "-network_mode",         "-icnt_in_buffer_limit",  "-icnt_out_buffer_limit",
        "-icnt_subnets",         "-icnt_arbiter_algo",     "-gpgpu_n_cluster_ejection_buffer_size",
        "-inct_in_buffer_limit", "-inct_out_buffer_limit", "-inct_subnets",
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        gpu_map_lose(mapping, lost[i], "the network is a crossbar behind GPCs, with queues of its own (noc.queue)");
}

/* ===== DRAM ===== */

struct timing_name {
    const char *name, *key;
};

/* In the order of the older form, in which the numbers stand alone. */
static const struct timing_name timings[] = {
    {"nbk", "dram.banks"},        {"CCD", "dram.timing.ccd"},   {"RRD", "dram.timing.rrd"},
    {"RCD", "dram.timing.rcd"},   {"RAS", "dram.timing.ras"},   {"RP", "dram.timing.rp"},
    {"RC", "dram.timing.rc"},     {"CL", "dram.timing.cl"},     {"WL", "dram.timing.wl"},
    {"CDLR", "dram.timing.cdlr"}, {"WR", "dram.timing.wr"},     {"nbkgrp", "dram.bank_groups"},
    {"CCDL", "dram.timing.ccdl"}, {"RTPL", "dram.timing.rtpl"},
};
enum { TIMINGS = sizeof timings / sizeof *timings, CCD = 1, LEAST_TIMINGS = 11 };

/* One part of the timing: a number, or a name and a number. Returns its place, or -1. */
static int read_timing(const char *part, uint32_t index, uint64_t *value)
{
    const char *equals = strchr(part, '=');
    if (mnp_parse_number(equals ? equals + 1 : part, value) || *value > 4096)
        return -1;
    if (!equals)
        return index < TIMINGS ? (int)index : -1;
    for (int i = 0; i < TIMINGS; i++)
        if (strlen(timings[i].name) == (size_t)(equals - part) &&
            strncmp(timings[i].name, part, (size_t)(equals - part)) == 0)
            return i;
    return -1;
}

/* `scale`: column commands that a burst of the configuration stands for. */
static void map_timing(struct gpu_mapping *mapping, uint64_t scale)
{
    static const char name[] = "-gpgpu_dram_timing_opt";
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    uint32_t known = 0;
    const char *at = option ? option->value : "";
    for (uint32_t index = 0; *at; index++) {
        char part[32];
        size_t length = strcspn(at, ":");
        uint64_t value;
        snprintf(part, sizeof part, "%.*s", (int)(length < 31 ? length : 31), at);
        int place = read_timing(part, index, &value);
        if (place < 0 || known & 1u << place) {
            gpu_map_fail(mapping, option, "is no DRAM timing; it looks like nbk=16:CCD=4:RRD=12:…, numbers up to 4096");
            return;
        }
        if (place == CCD)
            value = value > scale ? value / scale : 1;
        gpu_map_put(mapping, timings[place].key, value, name);
        known |= 1u << place;
        at += length + (at[length] != 0);
    }
    uint32_t needed = (1u << LEAST_TIMINGS) - 1;
    if ((known & needed) != needed)
        mnp_fail(mapping->error, "%s: %s states no whole DRAM timing, from nbk to WR", mapping->import->files[0], name);
}

/* One sector is the least that moves: longer bursts are taken as several. Returns how many. */
static uint64_t map_bus(struct gpu_mapping *mapping)
{
    uint64_t chips = gpu_map_number(mapping, "-gpgpu_n_mem_per_ctrlr", 1, 16, 1);
    uint64_t width = gpu_map_number(mapping, "-gpgpu_dram_buswidth", 1, 64, 4) * chips;
    uint64_t burst = gpu_map_number(mapping, "-gpgpu_dram_burst_length", 1, 64, 4), scale = 1;
    uint64_t rate = gpu_map_number(mapping, "-dram_data_command_freq_ratio", 1, 64, 2);
    bool dual = gpu_map_number(mapping, "-dram_dual_bus_interface", 0, 1, 0);
    while (width * burst > SECTOR && burst % 2 == 0) {
        burst /= 2;
        scale *= 2;
    }
    gpu_map_put_size(mapping, "dram.bus_width", width, "-gpgpu_dram_buswidth × -gpgpu_n_mem_per_ctrlr");
    gpu_map_put(mapping, "dram.burst", burst, "-gpgpu_dram_burst_length, for one sector");
    gpu_map_put(mapping, "dram.data_rate", rate, "-dram_data_command_freq_ratio");
    gpu_map_put_word(mapping, "dram.kind",
                     mnp_dram_kind_names[dual                       ? MNP_DRAM_KIND_HBM2
                                         : rate >= 4 && burst >= 16 ? MNP_DRAM_KIND_GDDR6
                                                                    : MNP_DRAM_KIND_GDDR5],
                     "-dram_dual_bus_interface, -gpgpu_dram_burst_length");
    return scale;
}

/* The address map, from the lowest bit: S bytes of a burst, C columns, B banks, R rows. */
static void map_addresses(struct gpu_mapping *mapping)
{
    static const char name[] = "-gpgpu_mem_addr_mapping";
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option)
        return;
    const char *bits = strchr(option->value, ';');
    uint64_t channel_bit = 0, columns = 0, position = 0, bank_bit = 0, banks = 0, length = bits ? strlen(bits) : 0;
    if (strncmp(option->value, "dramid@", 7) == 0 && bits) {
        char number[8];
        snprintf(number, sizeof number, "%.*s", (int)(bits - option->value - 7 < 7 ? bits - option->value - 7 : 7),
                 option->value + 7);
        if (mnp_parse_number(number, &channel_bit) || channel_bit > 20) {
            gpu_map_fail(mapping, option, "states no bit from 0 to 20 at which channels are inserted");
            return;
        }
    }
    bool inside = false, past = false;
    for (uint64_t i = length; i-- > 1;) {
        if (bits[i] == '.')
            continue;
        columns += bits[i] == 'S' || bits[i] == 'C';
        if (bits[i] == 'B' && !past) {
            bank_bit = inside ? bank_bit : position;
            inside = true;
            banks++;
        }
        past = past || (inside && bits[i] != 'B');
        position++;
    }
    if (channel_bit >= 7)
        gpu_map_put_size(mapping, "l2.interleave", UINT64_C(1) << channel_bit, name);
    bool usual = columns >= 5 && columns <= 20 && banks > 0 && banks <= 4 && bank_bit >= 5 && bank_bit <= columns;
    if (!usual) {
        gpu_map_lose(mapping, name, "rows and banks keep their default places in addresses");
        return;
    }
    gpu_map_put_size(mapping, "dram.row", UINT64_C(1) << columns, name);
    gpu_map_put_size(mapping, "dram.bank_interleave", UINT64_C(1) << bank_bit, name);
    gpu_map_put(mapping, "dram.banks_interleaved", UINT64_C(1) << banks, name);
}

static void map_scheduler(struct gpu_mapping *mapping)
{
    static const char writes[] = "-dram_write_queue_size";
    uint64_t in_turn = gpu_map_number(mapping, "-gpgpu_dram_scheduler", 0, 1, 1) == 0, sizes[3];
    gpu_map_put_word(mapping, "dram.scheduler", in_turn ? "fcfs" : "frfcfs", "-gpgpu_dram_scheduler");
    gpu_map_put(mapping, "dram.queue", gpu_map_number(mapping, "-gpgpu_frfcfs_dram_sched_queue_size", 1, 65536, 64),
                "-gpgpu_frfcfs_dram_sched_queue_size");
    const struct gpu_import_option *option = gpu_map_take(mapping, writes);
    bool separate = gpu_map_number(mapping, "-dram_seperate_write_queue_enable", 0, 1, 0);
    if (option && separate && gpu_map_numbers(mapping, option, ":", sizes, 3) == 3) {
        gpu_map_put(mapping, "dram.write_queue", sizes[0], writes);
        gpu_map_put(mapping, "dram.write_high", sizes[1], writes);
        gpu_map_put(mapping, "dram.write_low", sizes[2], writes);
    }
    gpu_map_agree(mapping, "-gpgpu_dram_return_queue_size");
    gpu_map_agree(mapping, "-dram_bnk_indexing_policy");
    gpu_map_agree(mapping, "-dram_bnkgrp_indexing_policy");
    gpu_map_agree(mapping, "-gpgpu_mem_address_mask");
}

void gpu_map_memory(struct gpu_mapping *mapping)
{
    map_clocks(mapping);
    map_latencies(mapping);
    map_l2(mapping);
    map_network(mapping);
    map_timing(mapping, map_bus(mapping));
    map_addresses(mapping);
    map_scheduler(mapping);
}
