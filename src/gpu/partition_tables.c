/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the memory partition. */
#include "gpu/partition.h"
#include "gpu/partition_state.h"

static const char *const kinds[] = {"gddr5", "gddr5x", "gddr6", "gddr6x", "hbm2", "hbm2e", "hbm3", "hbm3e", NULL};

#define ROW(field) offsetof(struct gpu_partition_parameters, field)
#define JEDEC      "JEDEC timing under its usual name, in DRAM command clocks, as GPGPU-Sim configurations state it"

const struct mnp_parameter gpu_partition_table[] = {
    {"partition.count", MNP_UINT, "partition", ROW(count), NULL, 1, 1024, NULL, "memory partitions of the machine",
     "one per DRAM channel"},
    {"l2.slices_per_partition", MNP_UINT, "slice", ROW(slices), "2", 1, 64, NULL, "L2 slices of each partition",
     "two in GPGPU-Sim configurations, four for A100"},
    {"l2.halves", MNP_UINT, "part", ROW(halves), "1", 1, 64, NULL,
     "parts into which GPCs and partitions fall evenly; hits in another part than the GPC's take latency.l2_far",
     "two in A100 and H100"},
    {"l2.link", MNP_SIZE, "byte/cycle", ROW(link), "0", 0, 1 << 20, NULL,
     "data that can leave one of the l2.halves for the others, per network cycle: replies, and as much of writes; 0: "
     "not bounded",
     "bandwidth of data that does not fit one half of the L2, see the machine file"},
    {"l2.slice.size", MNP_SIZE, "byte", ROW(slice_bytes), NULL, 32, UINT64_C(1) << 32, NULL, "data of one L2 slice",
     "L2 size of the data sheet over all slices"},
    {"l2.slice.ways", MNP_UINT, "way", ROW(ways), "16", 1, 32768, NULL, "associativity of an L2 slice",
     "GPGPU-Sim configurations"},
    {"l2.line", MNP_SIZE, "byte", ROW(line), "128", 32, 128, NULL, "line of the L2: what one request accesses at most",
     "NVIDIA since Fermi: 128 bytes"},
    {"l2.sector", MNP_SIZE, "byte", ROW(sector), "32", 32, 32, NULL, "sector of the L2: what one DRAM access moves",
     "NVIDIA since Maxwell: 32 bytes"},
    {"l2.mshrs", MNP_UINT, "entry", ROW(mshrs), "192", 1, 65536, NULL, "lines that a slice can be fetching at a time",
     "GPGPU-Sim configurations (which count sectors)"},
    {"l2.merge", MNP_UINT, "request", ROW(merge), "4", 1, 65536, NULL, "requests that can wait for one line",
     "GPGPU-Sim configurations"},
    {"l2.waiters", MNP_UINT, "request", ROW(waiters), "512", 1, 65536, NULL,
     "requests that can wait in a slice for DRAM, in all", "bounds the product of l2.mshrs and l2.merge"},
    {"l2.hash", MNP_CHOICE, "", ROW(hash), "ipoly", 0, 0, mnp_hash_names,
     "how addresses are spread over partitions and slices", "Rau 1991 for ipoly; see common/hash.h"},
    {"l2.set_hash", MNP_CHOICE, "", ROW(set_hash), "linear", 0, 0, mnp_hash_names,
     "how the lines of a slice are spread over its sets", "see common/hash.h"},
    {"l2.interleave", MNP_SIZE, "byte", ROW(interleave), "256", 32, UINT64_C(1) << 20, NULL,
     "bytes that stay in one slice before the next follows", "dramid@8 in GPGPU-Sim configurations"},
    {"l2.replacement", MNP_CHOICE, "", ROW(replacement), "lru", 0, 0, mnp_replacement_names, "replacement in a set",
     "GPGPU-Sim configurations"},
    {"l2.latency", MNP_UINT, "cycle", ROW(latency), "12", 1, 4096, NULL,
     "part of the L2 latency that is spent inside the slice: from the lookup to the reply port",
     "a division of latency.l2 between slice and links; longer links give longer windows"},
    {"l2.port", MNP_SIZE, "byte/cycle", ROW(port), "32", 1, 4096, NULL,
     "data that a slice looks up per L2 cycle; larger accesses take more cycles",
     "32 bytes on Volta, 64 bytes on Ampere and later"},
    {"l2.atomic_interval", MNP_UINT, "cycle", ROW(atomic_cycles), "2", 1, 4096, NULL,
     "cycles between two sectors of atomics or reductions at a slice", "one 32-byte sector operation per interval"},
    {"l2.miss_queue", MNP_UINT, "request", ROW(miss_queue), "32", 2, 65536, NULL,
     "fetches and write-backs that can wait in a slice for the DRAM queues", "GPGPU-Sim configurations"},
    {"l2.reply_queue", MNP_UINT, "request", ROW(reply_queue), "32", 1, 65536, NULL,
     "replies that can wait in a slice for its port, besides those in the pipeline", "GPGPU-Sim configurations: 64"},
    {"dram.kind", MNP_CHOICE, "", ROW(dram_kind), "gddr6", 0, 0, kinds,
     "memory technology; HBM, and a channel of several chips, issue a column and a row command in the same cycle",
     "JEDEC"},
    {"dram.channels", MNP_UINT, "channel", ROW(channels), "0", 0, 1024, NULL,
     "channels of the machine: partition.count, or 0 for just that", "a partition has one channel"},
    {"dram.pseudo_channels", MNP_UINT, "channel", ROW(pseudo_channels), "1", 1, MNP_DRAM_MAX_PSEUDO, NULL,
     "parts of a channel with data bus and banks of their own behind common command buses",
     "JESD235: 2 for HBM2; a partition with two HBM3 channels has 4 (JESD238); chips side by side"},
    {"dram.banks", MNP_UINT, "bank", ROW(banks), "16", 1, MNP_DRAM_MAX_BANKS, NULL,
     "banks of a channel, over all its pseudo channels", JEDEC},
    {"dram.bank_groups", MNP_UINT, "group", ROW(bank_groups), "4", 1, MNP_DRAM_MAX_BANKS, NULL,
     "bank groups of a pseudo channel; neighbouring banks lie in different groups", JEDEC},
    {"dram.bus_width", MNP_SIZE, "byte", ROW(bus_width), "2", 1, 1024, NULL,
     "data bus of a channel, over all its pseudo channels", "2 per GDDR6 channel, 16 per HBM2 channel"},
    {"dram.burst", MNP_UINT, "transfer", ROW(burst), "16", 1, 1024, NULL, "transfers of one column command", JEDEC},
    {"dram.data_rate", MNP_UINT, "transfer/cycle", ROW(data_rate), "4", 1, 64, NULL,
     "transfers per cycle of the command clock, over both buses where there are two",
     "4 for GDDR5 and GDDR6, 2 for HBM; see the configurations' ratio of data to command frequency"},
    {"dram.scheduler", MNP_CHOICE, "", ROW(scheduler), "frfcfs", 0, 0, mnp_dram_schedulers, "command scheduler",
     "Rixner et al., ISCA 2000"},
    {"dram.refresh", MNP_CHOICE, "", ROW(refresh), "all", 0, 0, mnp_dram_refreshes,
     "all banks at once, or one bank of each pseudo channel in turn",
     "JESD212 (GDDR5): all; JESD250 (GDDR6), JESD235 and JESD238 (HBM): either"},
    {"dram.queue", MNP_UINT, "sector", ROW(queue), "128", 1, 65536, NULL, "read queue of a channel",
     "Huerta et al., MICRO 2025: 160 to 224 requests of either kind"},
    {"dram.write_queue", MNP_UINT, "sector", ROW(write_queue), "128", 1, 65536, NULL, "write queue of a channel",
     "as the read queue"},
    {"dram.write_high", MNP_UINT, "sector", ROW(write_high), "96", 1, 65536, NULL,
     "waiting writes at which the channel turns to writing", "usual write drain"},
    {"dram.write_low", MNP_UINT, "sector", ROW(write_low), "32", 0, 65536, NULL,
     "waiting writes at which it turns back to waiting reads", "usual write drain"},
    {"dram.row", MNP_SIZE, "byte", ROW(row), "2KiB", 32, UINT64_C(1) << 20, NULL, "row (page) of a bank",
     "six column bits of 32-byte sectors in GPGPU-Sim's address maps"},
    {"dram.bank_interleave", MNP_SIZE, "byte", ROW(bank_interleave), "256", 32, UINT64_C(1) << 20, NULL,
     "bytes of a channel that stay in one bank before the next of the interleaved ones follows",
     "the low bank bit of GPGPU-Sim's address maps"},
    {"dram.banks_interleaved", MNP_UINT, "bank", ROW(banks_interleaved), "0", 0, MNP_DRAM_MAX_BANKS, NULL,
     "banks that take turns; a divisor of dram.banks; 0: one of each bank group and pseudo channel, where that divides",
     "bank-group bits below the column bits, so that neighbours need not wait for ccdl"},
    {"dram.bank_hash", MNP_CHOICE, "", ROW(bank_hash), "linear", 0, 0, mnp_hash_names,
     "how rows permute banks", "Zhang et al., permutation-based page interleaving, MICRO 2000"},
    {"dram.timing.ccd", MNP_UINT, "cycle", ROW(timing.ccd), NULL, 1, 4096, NULL, "column to column command", JEDEC},
    {"dram.timing.rrd", MNP_UINT, "cycle", ROW(timing.rrd), NULL, 0, 4096, NULL, "activate to activate of another bank",
     JEDEC},
    {"dram.timing.faw", MNP_UINT, "cycle", ROW(timing.faw), "0", 0, 4096, NULL,
     "activate to the fourth activate after it, in a pseudo channel; 0: only rrd limits activates", JEDEC},
    {"dram.timing.rcd", MNP_UINT, "cycle", ROW(timing.rcd), NULL, 1, 4096, NULL, "activate to column command", JEDEC},
    {"dram.timing.ras", MNP_UINT, "cycle", ROW(timing.ras), NULL, 1, 4096, NULL, "activate to precharge", JEDEC},
    {"dram.timing.rp", MNP_UINT, "cycle", ROW(timing.rp), NULL, 1, 4096, NULL, "precharge to activate", JEDEC},
    {"dram.timing.rc", MNP_UINT, "cycle", ROW(timing.rc), NULL, 1, 4096, NULL, "activate to activate of the same bank",
     JEDEC},
    {"dram.timing.cl", MNP_UINT, "cycle", ROW(timing.cl), NULL, 1, 4096, NULL, "read to first data", JEDEC},
    {"dram.timing.wl", MNP_UINT, "cycle", ROW(timing.wl), NULL, 0, 4096, NULL, "write to first data", JEDEC},
    {"dram.timing.cdlr", MNP_UINT, "cycle", ROW(timing.cdlr), NULL, 0, 4096, NULL, "last write data to read", JEDEC},
    {"dram.timing.wr", MNP_UINT, "cycle", ROW(timing.wr), NULL, 0, 4096, NULL, "last write data to precharge", JEDEC},
    {"dram.timing.ccdl", MNP_UINT, "cycle", ROW(timing.ccdl), "0", 0, 4096, NULL,
     "column to column command in the same bank group", JEDEC},
    {"dram.timing.rtpl", MNP_UINT, "cycle", ROW(timing.rtpl), "0", 0, 4096, NULL, "read to precharge", JEDEC},
    {"dram.timing.refi", MNP_UINT, "cycle", ROW(timing.refi), "0", 0, UINT64_C(1) << 32, NULL,
     "interval of refreshes; 0: none", JEDEC},
    {"dram.timing.rfc", MNP_UINT, "cycle", ROW(timing.rfc), "0", 0, UINT64_C(1) << 32, NULL,
     "time of a refresh of all banks", JEDEC},
    {"dram.timing.rfcb", MNP_UINT, "cycle", ROW(timing.rfcb), "0", 0, UINT64_C(1) << 32, NULL,
     "time of a refresh of one bank", JEDEC},
};
const size_t gpu_partition_table_rows = sizeof gpu_partition_table / sizeof *gpu_partition_table;

static const struct mnp_port ports[] = {
    {"requests", "in", "gpc", "gpu_request", "one link from each GPC, credited"},
    {"replies", "out", "gpc", "gpu_reply", "one link to each GPC, credited"},
    {"reply credits", "in", "gpc", "gpu_credit", "places given back in a GPC's reply queue"},
    {"request credits", "out", "gpc", "gpu_credit", "places given back in this partition's queues"},
    {"copies", "in", "dispatch", "gpu_copy", "host copies, with memcpy_warms_l2; flushes, with launch.flush_l2"},
};

#define COUNTER(name, unit, help) {name, MNP_COUNTER, unit, help, NULL, NULL, 0, 0}
#define ELAPSED(name, unit, help) {name, MNP_ELAPSED, unit, help, NULL, NULL, 0, 0}
#define LATENCY(name, help) {name, MNP_HISTOGRAM, "cycle", help, NULL, NULL, 0, GPU_LATENCY_BINS}
#define PERCENT(name, help, numerator, denominator) {name, MNP_RATIO, "%", help, numerator, denominator, 100, 0}

static const struct mnp_statistic statistics[GPU_PARTITION_STATISTICS] = {
    [GPU_L2_ACCESSES] = COUNTER("L2_total_cache_accesses", "sector", "sectors of data requested at the L2 slices"),
    [GPU_L2_MISSES] = COUNTER("L2_total_cache_misses", "sector", "of these, sectors that were not in the L2"),
    [GPU_L2_PENDING_HITS] =
        COUNTER("L2_total_cache_pending_hits", "sector", "of these, sectors that were on their way from DRAM"),
    [GPU_L2_RESERVATION_FAILS] = COUNTER("L2_total_cache_reservation_fails", "sector",
                                         "sectors of requests that found no line, MSHR or queue entry at first"),
    [GPU_L2_MISS_RATE] = {"L2_total_cache_miss_rate", MNP_RATIO, "%", "misses per access", "L2_total_cache_misses",
                          "L2_total_cache_accesses", 100, 0},
    [GPU_L2_REQUESTS] = COUNTER("L2_requests", "packet", "requests looked up in the L2 slices"),
    [GPU_L2_READS] = COUNTER("L2_reads", "sector", "sectors read, instruction fetches included"),
    [GPU_L2_READ_MISSES] = COUNTER("L2_read_misses", "sector", "of these, sectors fetched from DRAM"),
    [GPU_L2_WRITES] = COUNTER("L2_writes", "sector", "sectors written, in whole or in part"),
    [GPU_L2_WRITE_MISSES] = COUNTER("L2_write_misses", "sector", "of these, sectors of which nothing was in the L2"),
    [GPU_L2_ATOMICS] = COUNTER("L2_atomics", "sector", "sectors on which atomics or reductions were performed"),
    [GPU_L2_FILLS] = COUNTER("L2_fills", "sector", "sectors that came from DRAM"),
    [GPU_L2_EVICTIONS] = COUNTER("L2_evictions", "line", "lines replaced by others"),
    [GPU_L2_WRITEBACKS] = COUNTER("L2_writebacks", "sector", "dirty sectors written back to DRAM"),
    [GPU_L2_WARMED] = COUNTER("L2_warmed", "sector", "sectors that host copies brought into the L2"),
    [GPU_L2_STALL_RESERVED] =
        COUNTER("L2_stall_reserved", "cycle", "slice cycles stalled because every way of the set was being filled"),
    [GPU_L2_STALL_MSHR] = COUNTER("L2_stall_mshr", "cycle", "slice cycles stalled for an MSHR or a place in one"),
    [GPU_L2_STALL_MISS_QUEUE] =
        COUNTER("L2_stall_miss_queue", "cycle", "slice cycles stalled because the queue towards DRAM was full"),
    [GPU_L2_STALL_REPLY] =
        COUNTER("L2_stall_reply", "cycle", "slice cycles stalled because the queue of replies was full"),
    [GPU_L2_BUSY] = COUNTER("L2_busy_cycles", "cycle", "slice cycles in which a lookup was in progress"),
    [GPU_L2_CYCLES] = ELAPSED("L2_slice_cycles", "cycle", "L2 cycles of all slices, busy or not"),
    [GPU_L2_UTILISATION] = PERCENT("L2_utilisation", "lookup cycles used", "L2_busy_cycles", "L2_slice_cycles"),
    [GPU_PACKETS_TO_SIMT] =
        COUNTER("icnt_total_pkts_mem_to_simt", "packet", "replies that entered the network from memory"),
    [GPU_L2_PORT_BUSY] = COUNTER("L2_port_busy_cycles", "cycle", "cycles for which slices' reply ports were occupied"),
    [GPU_L2_PORT_WAIT] = COUNTER("L2_port_wait_cycles", "cycle", "cycles that replies waited for port or credit"),
    [GPU_L2_PORT_UTILISATION] =
        PERCENT("L2_port_utilisation", "reply port cycles used", "L2_port_busy_cycles", "L2_slice_cycles"),
    [GPU_DRAM_READS] = COUNTER("total_dram_reads", "sector", "sectors of data read from DRAM"),
    [GPU_DRAM_FETCHES] = COUNTER("dram_fetches", "sector", "sectors of instructions read from DRAM"),
    [GPU_DRAM_WRITES] = COUNTER("total_dram_writes", "sector", "sectors written to DRAM"),
    [GPU_DRAM_ACCESSES] = COUNTER("dram_accesses", "sector", "sectors moved to or from DRAM"),
    [GPU_DRAM_ROW_HITS] = COUNTER("dram_row_hits", "sector", "sectors whose row was open"),
    [GPU_DRAM_ROW_MISSES] = COUNTER("dram_row_misses", "sector", "sectors for which a closed bank was activated"),
    [GPU_DRAM_ROW_CONFLICTS] = COUNTER("dram_row_conflicts", "sector", "sectors for which another row was closed"),
    [GPU_DRAM_ROW_HIT_RATE] =
        PERCENT("dram_row_hit_rate", "row hits of the sectors moved", "dram_row_hits", "dram_accesses"),
    [GPU_DRAM_ACTIVATES] = COUNTER("dram_activates", "command", "rows opened"),
    [GPU_DRAM_PRECHARGES] = COUNTER("dram_precharges", "command", "rows closed, by refreshes too"),
    [GPU_DRAM_REFRESHES] =
        COUNTER("dram_refreshes", "command", "refreshes of all banks, or of one bank in each pseudo channel"),
    [GPU_DRAM_READ_CYCLES] = 
        COUNTER("dram_read_cycles", "cycle", "DRAM cycles from a read's arrival to its last data, summed"),
    [GPU_DRAM_BUS_BUSY] = COUNTER("dram_bus_busy_cycles", "cycle", "DRAM cycles in which data buses moved data"),
    [GPU_DRAM_CYCLES] = ELAPSED("dram_cycles", "cycle", "DRAM cycles of all data buses, busy or not"),
    [GPU_DRAM_UTILISATION] = PERCENT("dram_utilisation", "data bus cycles used", "dram_bus_busy_cycles", "dram_cycles"),
    [GPU_DRAM_BYTES] = COUNTER("dram_bytes", "byte", "sectors moved to or from DRAM, in bytes"),
    [GPU_DRAM_PEAK] = ELAPSED("dram_peak_bytes", "byte", "what width and data rate of the data buses allow"),
    [GPU_DRAM_BANDWIDTH] =
        PERCENT("dram_bandwidth_utilisation", "bytes moved of the peak", "dram_bytes", "dram_peak_bytes"),
    [GPU_PARTITION_TO_GPC_BYTES] =
        COUNTER("noc_partition_to_gpc_bytes", "byte", "replies from slices to GPCs, headers included"),
    [GPU_PARTITION_TO_GPC_PEAK] =
        ELAPSED("noc_partition_to_gpc_peak_bytes", "byte", "what the width of the slices' ports allows"),
    [GPU_PARTITION_TO_GPC_UTILISATION] =
        PERCENT("noc_partition_to_gpc_utilisation", "bytes moved from slices to GPCs, of the peak",
                "noc_partition_to_gpc_bytes", "noc_partition_to_gpc_peak_bytes"),
    [GPU_L2_FETCHES] = COUNTER("L2_fetches", "sector", "sectors of instructions requested at the L2 slices"),
    [GPU_L2_FETCH_MISSES] = COUNTER("L2_fetch_misses", "sector", "of these, sectors that were not in the L2"),
    [GPU_L2_READ_HITS] = COUNTER("L2_read_hits", "sector", "sectors read that were in the L2"),
    [GPU_L2_WRITE_HITS] = COUNTER("L2_write_hits", "sector", "sectors written of which something was in the L2"),
    [GPU_L2_FAIL_FIRST] = COUNTER("L2_fails_reserved", "sector",
                                  "reservation fails because every way of the set was being filled"),
    [GPU_L2_FAIL_FIRST + 1] =
        COUNTER("L2_fails_mshr", "sector", "reservation fails for want of an MSHR or a place in one"),
    [GPU_L2_FAIL_FIRST + 2] =
        COUNTER("L2_fails_miss_queue", "sector", "reservation fails because the queue towards DRAM was full"),
    [GPU_L2_FAIL_LAST] =
        COUNTER("L2_fails_reply", "sector", "reservation fails because the queue of replies was full"),
    [GPU_L2_LINES] = COUNTER("L2_lines_touched", "line",
                             "different lines requested, each once per kernel; exact up to 128 per partition, an "
                             "estimate beyond (docs/statistics.md)"),
    [GPU_L2_LINK_BYTES] = COUNTER("L2_link_bytes", "byte", "data of replies that left a part of the L2 for another"),
    [GPU_L2_LINK_PEAK] = ELAPSED("L2_link_peak_bytes", "byte", "what l2.link allows; 0 where it is not bounded"),
    [GPU_L2_LINK_UTILISATION] = PERCENT("L2_link_utilisation", "bytes moved between parts of the L2, of the peak",
                                        "L2_link_bytes", "L2_link_peak_bytes"),
    [GPU_L2_LATENCY] =
        LATENCY("L2_latency", "L2 cycles from a request's arrival at its slice to the reply's departure"),
    [GPU_DRAM_LATENCY] =
        LATENCY("dram_latency", "DRAM cycles from a read's arrival at the channel to its last data"),
};

static const struct mnp_state_field state[] = {
    {"slices", "", "queues, ports and stalls of each slice"},
    {"transactions", "", "requests from arrival to reply"},
    {"caches", "", "tags, sector masks and ages of the slices"},
    {"mshrs", "", "lines being fetched and who waits for them"},
    {"releases", "", "sectors on their way from DRAM"},
    {"lines", "", "per kernel slot: hashes of lines touched"},
    {"channel", "", "queues, banks and timing of the DRAM channel"},
    {"credits", "packet", "credits held towards each GPC and owed to each"},
    {"link", "", "when its share of the link between parts of the L2 is free, whose turn it is"},
};

const struct mnp_model gpu_partition_model = {
    .name = "partition",
    .domain = MNP_DOMAIN_MEMORY,
    .summary = "A memory partition: sectored write-back L2 slices behind the crossbar, and one DRAM channel.",
    .parameters = gpu_partition_table,
    .parameter_count = sizeof gpu_partition_table / sizeof *gpu_partition_table,
    .ports = ports,
    .port_count = sizeof ports / sizeof *ports,
    .statistics = statistics,
    .statistic_count = GPU_PARTITION_STATISTICS,
    .state = state,
    .state_count = sizeof state / sizeof *state,
    .advance = gpu_partition_advance,
    .report = gpu_partition_report,
    .wait = gpu_partition_wait,
    .pace = gpu_partition_pace,
};
