/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the memory partition. */
#include "engine/declare/declare.h"
#include "gpu/partition/partition.h"
#include "gpu/partition/state.h"

static const char *const kinds[] = {"gddr5", "gddr5x", "gddr6", "gddr6x", "hbm2", "hbm2e", "hbm3", "hbm3e", NULL};

#define MNP_TABLE_OF struct gpu_partition_parameters
#define JEDEC        "JEDEC timing under its usual name, in DRAM command clocks, as GPGPU-Sim configurations state it"

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("partition.count", "partition", count, NULL, 1, 1024, "memory partitions of the machine",
                   "one per DRAM channel"),
    MNP_NUMBER_ROW("l2.slices_per_partition", "slice", slices, "2", 1, 64, "L2 slices of each partition",
                   "two in GPGPU-Sim configurations, four for A100"),
    MNP_NUMBER_ROW(
        "l2.halves", "part", halves, "1", 1, 64,
        "parts into which GPCs and partitions fall evenly; hits in another part than the GPC's take latency.l2_far",
        "two in A100 and H100"),
    MNP_FLAG_ROW(
        "l2.copies", copies, "false",
        "each of the l2.halves keeps copies of what it has read from the others: latency.l2_far is for the first use "
        "alone, for writes and atomics",
        "H100: Jin et al., MICRO 2024"),
    MNP_SIZE_ROW("l2.link", "byte/cycle", link, "0", 0, 1 << 20,
                 "data that can leave one of the l2.halves for the others, per network cycle: replies, and as much of "
                 "writes; 0: "
                 "not bounded",
                 "bandwidth of data that does not fit one half of the L2, see the machine file"),
    MNP_SIZE_ROW("l2.slice.size", "byte", slice_bytes, NULL, 32, UINT64_C(1) << 32, "data of one L2 slice",
                 "L2 size of the data sheet over all slices"),
    MNP_NUMBER_ROW("l2.slice.ways", "way", ways, "16", 1, 32768, "associativity of an L2 slice",
                   "GPGPU-Sim configurations"),
    MNP_SIZE_ROW("l2.line", "byte", line, "128", 32, 128, "line of the L2: what one request accesses at most",
                 "NVIDIA since Fermi: 128 bytes"),
    MNP_SIZE_ROW("l2.sector", "byte", sector, "32", 32, 32, "sector of the L2: what one DRAM access moves",
                 "NVIDIA since Maxwell: 32 bytes"),
    MNP_NUMBER_ROW("l2.mshrs", "entry", mshrs, "192", 1, 65536, "lines that a slice can be fetching at a time",
                   "GPGPU-Sim configurations (which count sectors)"),
    MNP_NUMBER_ROW("l2.merge", "request", merge, "4", 1, 65536, "requests that can wait for one line",
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("l2.waiters", "request", waiters, "512", 1, 65536,
                   "requests that can wait in a slice for DRAM, in all", "bounds the product of l2.mshrs and l2.merge"),
    MNP_CHOICE_ROW("l2.hash", hash, "ipoly", mnp_hash_names, "how addresses are spread over partitions and slices",
                   "Rau 1991 for ipoly; see parts/hash.h"),
    MNP_CHOICE_ROW("l2.set_hash", set_hash, "linear", mnp_hash_names,
                   "how the lines of a slice are spread over its sets", "see parts/hash.h"),
    MNP_SIZE_ROW("l2.interleave", "byte", interleave, "256", 32, UINT64_C(1) << 20,
                 "bytes that stay in one slice before the next follows", "dramid@8 in GPGPU-Sim configurations"),
    MNP_CHOICE_ROW("l2.replacement", replacement, "lru", mnp_replacement_names, mnp_replacement_help,
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("l2.latency", "cycle", latency, "12", 1, 4096,
                   "part of the L2 latency that is spent inside the slice: from the lookup to the reply port",
                   "a division of latency.l2 between slice and links; longer links give longer windows"),
    MNP_SIZE_ROW("l2.port", "byte/cycle", port, "32", 1, 4096,
                 "data that a slice looks up per L2 cycle; larger accesses take more cycles",
                 "32 bytes on Volta, 64 bytes on Ampere and later"),
    MNP_NUMBER_ROW("l2.atomic_interval", "cycle", atomic_cycles, "2", 1, 4096,
                   "cycles between two sectors of atomics or reductions at a slice",
                   "one 32-byte sector operation per interval"),
    MNP_NUMBER_ROW("l2.miss_queue", "request", miss_queue, "32", 2, 65536,
                   "fetches and write-backs that can wait in a slice for the DRAM queues", "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("l2.reply_queue", "request", reply_queue, "32", 1, 65536,
                   "replies that can wait in a slice for its port, besides those in the pipeline",
                   "GPGPU-Sim configurations: 64"),
    MNP_CHOICE_ROW(
        "dram.kind", dram_kind, "gddr6", kinds,
        "memory technology; HBM, and a channel of several chips, issue a column and a row command in the same cycle",
        "JEDEC"),
    MNP_NUMBER_ROW("dram.channels", "channel", channels, "0", 0, 1024,
                   "channels of the machine: partition.count, or 0 for just that", "a partition has one channel"),
    MNP_NUMBER_ROW("dram.pseudo_channels", "channel", pseudo_channels, "1", 1, MNP_DRAM_MAX_PSEUDO,
                   "parts of a channel with data bus and banks of their own behind common command buses",
                   "JESD235: 2 for HBM2; a partition with two HBM3 channels has 4 (JESD238); chips side by side"),
    MNP_NUMBER_ROW("dram.banks", "bank", banks, "16", 1, MNP_DRAM_MAX_BANKS,
                   "banks of a channel, over all its pseudo channels", JEDEC),
    MNP_NUMBER_ROW("dram.bank_groups", "group", bank_groups, "4", 1, MNP_DRAM_MAX_BANKS,
                   "bank groups of a pseudo channel; neighbouring banks lie in different groups", JEDEC),
    MNP_SIZE_ROW("dram.bus_width", "byte", bus_width, "2", 1, 1024,
                 "data bus of a channel, over all its pseudo channels", "2 per GDDR6 channel, 16 per HBM2 channel"),
    MNP_NUMBER_ROW("dram.burst", "transfer", burst, "16", 1, 1024, "transfers of one column command", JEDEC),
    MNP_NUMBER_ROW("dram.data_rate", "transfer/cycle", data_rate, "4", 1, 64,
                   "transfers per cycle of the command clock, over both buses where there are two",
                   "4 for GDDR5 and GDDR6, 2 for HBM; see the configurations' ratio of data to command frequency"),
    MNP_CHOICE_ROW("dram.scheduler", scheduler, "frfcfs", mnp_dram_schedulers, "command scheduler",
                   "Rixner et al., ISCA 2000"),
    MNP_CHOICE_ROW("dram.refresh", refresh, "all", mnp_dram_refreshes,
                   "all banks at once, or one bank of each pseudo channel in turn",
                   "JESD212 (GDDR5): all; JESD250 (GDDR6), JESD235 and JESD238 (HBM): either"),
    MNP_NUMBER_ROW("dram.queue", "sector", queue, "128", 1, 65536, "read queue of a channel",
                   "Huerta et al., MICRO 2025: 160 to 224 requests of either kind"),
    MNP_NUMBER_ROW("dram.write_queue", "sector", write_queue, "128", 1, 65536, "write queue of a channel",
                   "as the read queue"),
    MNP_NUMBER_ROW("dram.write_high", "sector", write_high, "96", 1, 65536,
                   "waiting writes at which the channel turns to writing", "usual write drain"),
    MNP_NUMBER_ROW("dram.write_low", "sector", write_low, "32", 0, 65536,
                   "waiting writes at which it turns back to waiting reads", "usual write drain"),
    MNP_SIZE_ROW("dram.row", "byte", row, "2KiB", 32, UINT64_C(1) << 20, "row (page) of a bank",
                 "six column bits of 32-byte sectors in GPGPU-Sim's address maps"),
    MNP_SIZE_ROW("dram.bank_interleave", "byte", bank_interleave, "256", 32, UINT64_C(1) << 20,
                 "bytes of a channel that stay in one bank before the next of the interleaved ones follows",
                 "the low bank bit of GPGPU-Sim's address maps"),
    MNP_NUMBER_ROW("dram.banks_interleaved", "bank", banks_interleaved, "0", 0, MNP_DRAM_MAX_BANKS,
                   "banks that take turns; a divisor of dram.banks; 0: one of each bank group and pseudo channel, "
                   "where that divides",
                   "bank-group bits below the column bits, so that neighbours need not wait for ccdl"),
    MNP_CHOICE_ROW("dram.bank_hash", bank_hash, "linear", mnp_hash_names, "how rows permute banks",
                   "Zhang et al., permutation-based page interleaving, MICRO 2000"),
    MNP_NUMBER_ROW("dram.timing.ccd", "cycle", timing.ccd, NULL, 1, 4096, "column to column command", JEDEC),
    MNP_NUMBER_ROW("dram.timing.rrd", "cycle", timing.rrd, NULL, 0, 4096, "activate to activate of another bank",
                   JEDEC),
    MNP_NUMBER_ROW("dram.timing.faw", "cycle", timing.faw, "0", 0, 4096,
                   "activate to the fourth activate after it, in a pseudo channel; 0: only rrd limits activates",
                   JEDEC),
    MNP_NUMBER_ROW("dram.timing.rcd", "cycle", timing.rcd, NULL, 1, 4096, "activate to column command", JEDEC),
    MNP_NUMBER_ROW("dram.timing.ras", "cycle", timing.ras, NULL, 1, 4096, "activate to precharge", JEDEC),
    MNP_NUMBER_ROW("dram.timing.rp", "cycle", timing.rp, NULL, 1, 4096, "precharge to activate", JEDEC),
    MNP_NUMBER_ROW("dram.timing.rc", "cycle", timing.rc, NULL, 1, 4096, "activate to activate of the same bank", JEDEC),
    MNP_NUMBER_ROW("dram.timing.cl", "cycle", timing.cl, NULL, 1, 4096, "read to first data", JEDEC),
    MNP_NUMBER_ROW("dram.timing.wl", "cycle", timing.wl, NULL, 0, 4096, "write to first data", JEDEC),
    MNP_NUMBER_ROW("dram.timing.cdlr", "cycle", timing.cdlr, NULL, 0, 4096, "last write data to read", JEDEC),
    MNP_NUMBER_ROW("dram.timing.wr", "cycle", timing.wr, NULL, 0, 4096, "last write data to precharge", JEDEC),
    MNP_NUMBER_ROW("dram.timing.ccdl", "cycle", timing.ccdl, "0", 0, 4096,
                   "column to column command in the same bank group", JEDEC),
    MNP_NUMBER_ROW("dram.timing.rtpl", "cycle", timing.rtpl, "0", 0, 4096, "read to precharge", JEDEC),
    MNP_NUMBER_ROW("dram.timing.refi", "cycle", timing.refi, "0", 0, UINT64_C(1) << 32,
                   "interval of refreshes; 0: none", JEDEC),
    MNP_NUMBER_ROW("dram.timing.rfc", "cycle", timing.rfc, "0", 0, UINT64_C(1) << 32, "time of a refresh of all banks",
                   JEDEC),
    MNP_NUMBER_ROW("dram.timing.rfcb", "cycle", timing.rfcb, "0", 0, UINT64_C(1) << 32, "time of a refresh of one bank",
                   JEDEC),
};

static const struct mnp_port ports[] = {
    [GPU_PARTITION_REQUESTS] = MNP_IN_ROW("requests", "gpc", gpu_request, "one link from each GPC, credited"),
    [GPU_PARTITION_REPLIES] = MNP_OUT_ROW("replies", "gpc", gpu_reply, "one link to each GPC, credited"),
    [GPU_PARTITION_REPLY_CREDITS] =
        MNP_IN_ROW("reply credits", "gpc", gpu_credit, "places given back in a GPC's reply queue"),
    [GPU_PARTITION_REQUEST_CREDITS] =
        MNP_OUT_ROW("request credits", "gpc", gpu_credit, "places given back in this partition's queues"),
    [GPU_PARTITION_COPIES] = MNP_OPTIONAL_IN_ROW("copies", "dispatch", gpu_copy,
                                                 "host copies, with memcpy_warms_l2; flushes, with launch.flush_l2"),
    [GPU_PARTITION_VALUES] = MNP_OPTIONAL_IN_ROW("values", "gpc", gpu_values,
                                                 "operands of accesses performed here, when programs are executed"),
    [GPU_PARTITION_RESULTS] = MNP_OPTIONAL_OUT_ROW("results", "gpc", gpu_values, "what such accesses have read"),
};

#define LATENCY(NAME, HELP) MNP_HISTOGRAM_ROW(NAME, "cycle", HELP, GPU_LATENCY_BINS)

static const struct mnp_statistic statistics[] = {
    [GPU_L2_ACCESSES] =
        MNP_COUNTER_ROW("L2_total_cache_accesses", "sector", "sectors of data requested at the L2 slices"),
    [GPU_L2_MISSES] = MNP_COUNTER_ROW("L2_total_cache_misses", "sector", "of these, sectors that were not in the L2"),
    [GPU_L2_PENDING_HITS] =
        MNP_COUNTER_ROW("L2_total_cache_pending_hits", "sector", "of these, sectors that were on their way from DRAM"),
    [GPU_L2_RESERVATION_FAILS] =
        MNP_COUNTER_ROW("L2_total_cache_reservation_fails", "sector",
                        "sectors of requests that found no line, MSHR or queue entry at first"),
    [GPU_L2_MISS_RATE] = MNP_PERCENT_ROW("L2_total_cache_miss_rate", "misses per access", "L2_total_cache_misses",
                                         "L2_total_cache_accesses"),
    [GPU_L2_REQUESTS] = MNP_COUNTER_ROW("L2_requests", "packet", "requests looked up in the L2 slices"),
    [GPU_L2_READS] =
        MNP_COUNTER_ROW("L2_reads", "sector",
                        "sectors of data read; fetches of instructions, atomics and reductions are counted apart"),
    [GPU_L2_READ_MISSES] = MNP_COUNTER_ROW("L2_read_misses", "sector", "of these, sectors fetched from DRAM"),
    [GPU_L2_WRITES] = MNP_COUNTER_ROW("L2_writes", "sector", "sectors written, in whole or in part"),
    [GPU_L2_WRITE_MISSES] =
        MNP_COUNTER_ROW("L2_write_misses", "sector", "of these, sectors of which nothing was in the L2"),
    [GPU_L2_ATOMICS] = MNP_COUNTER_ROW("L2_atomics", "sector", "sectors on which atomics or reductions were performed"),
    [GPU_L2_FILLS] = MNP_COUNTER_ROW("L2_fills", "sector", "sectors that came from DRAM"),
    [GPU_L2_EVICTIONS] = MNP_COUNTER_ROW("L2_evictions", "line", "lines replaced by others"),
    [GPU_L2_WRITEBACKS] = MNP_COUNTER_ROW("L2_writebacks", "sector", "dirty sectors written back to DRAM"),
    [GPU_L2_WARMED] = MNP_COUNTER_ROW("L2_warmed", "sector", "sectors that host copies brought into the L2"),
    [GPU_L2_STALL_RESERVED] = MNP_COUNTER_ROW("L2_stall_reserved", "cycle",
                                              "slice cycles stalled because every way of the set was being filled"),
    [GPU_L2_STALL_MSHR] =
        MNP_COUNTER_ROW("L2_stall_mshr", "cycle", "slice cycles stalled for an MSHR or a place in one"),
    [GPU_L2_STALL_MISS_QUEUE] =
        MNP_COUNTER_ROW("L2_stall_miss_queue", "cycle", "slice cycles stalled because the queue towards DRAM was full"),
    [GPU_L2_STALL_REPLY] =
        MNP_COUNTER_ROW("L2_stall_reply", "cycle", "slice cycles stalled because the queue of replies was full"),
    [GPU_L2_BUSY] = MNP_COUNTER_ROW("L2_busy_cycles", "cycle", "slice cycles in which a lookup was in progress"),
    [GPU_L2_CYCLES] = MNP_ELAPSED_ROW("L2_slice_cycles", "cycle", "L2 cycles of all slices, busy or not"),
    [GPU_L2_UTILISATION] = MNP_PERCENT_ROW("L2_utilisation", "lookup cycles used", "L2_busy_cycles", "L2_slice_cycles"),
    [GPU_PACKETS_TO_SIMT] =
        MNP_COUNTER_ROW("icnt_total_pkts_mem_to_simt", "packet", "replies that entered the network from memory"),
    [GPU_L2_PORT_BUSY] =
        MNP_COUNTER_ROW("L2_port_busy_cycles", "cycle", "cycles for which slices' reply ports were occupied"),
    [GPU_L2_PORT_WAIT] =
        MNP_COUNTER_ROW("L2_port_wait_cycles", "cycle", "cycles that replies waited for port or credit"),
    [GPU_L2_PORT_UTILISATION] =
        MNP_PERCENT_ROW("L2_port_utilisation", "reply port cycles used", "L2_port_busy_cycles", "L2_slice_cycles"),
    [GPU_DRAM_READS] = MNP_COUNTER_ROW("total_dram_reads", "sector", "sectors of data read from DRAM"),
    [GPU_DRAM_FETCHES] = MNP_COUNTER_ROW("dram_fetches", "sector", "sectors of instructions read from DRAM"),
    [GPU_DRAM_WRITES] = MNP_COUNTER_ROW("total_dram_writes", "sector", "sectors written to DRAM"),
    [GPU_DRAM_ACCESSES] = MNP_COUNTER_ROW("dram_accesses", "sector", "sectors moved to or from DRAM"),
    [GPU_DRAM_ROW_HITS] = MNP_COUNTER_ROW("dram_row_hits", "sector", "sectors whose row was open"),
    [GPU_DRAM_ROW_MISSES] =
        MNP_COUNTER_ROW("dram_row_misses", "sector", "sectors for which a closed bank was activated"),
    [GPU_DRAM_ROW_CONFLICTS] =
        MNP_COUNTER_ROW("dram_row_conflicts", "sector", "sectors for which another row was closed"),
    [GPU_DRAM_ROW_HIT_RATE] =
        MNP_PERCENT_ROW("dram_row_hit_rate", "row hits of the sectors moved", "dram_row_hits", "dram_accesses"),
    [GPU_DRAM_ACTIVATES] = MNP_COUNTER_ROW("dram_activates", "command", "rows opened"),
    [GPU_DRAM_PRECHARGES] = MNP_COUNTER_ROW("dram_precharges", "command", "rows closed, by refreshes too"),
    [GPU_DRAM_REFRESHES] =
        MNP_COUNTER_ROW("dram_refreshes", "command", "refreshes of all banks, or of one bank in each pseudo channel"),
    [GPU_DRAM_READ_CYCLES] =
        MNP_COUNTER_ROW("dram_read_cycles", "cycle", "DRAM cycles from a read's arrival to its last data, summed"),
    [GPU_DRAM_BUS_BUSY] =
        MNP_COUNTER_ROW("dram_bus_busy_cycles", "cycle", "DRAM cycles in which data buses moved data"),
    [GPU_DRAM_CYCLES] = MNP_ELAPSED_ROW("dram_cycles", "cycle", "DRAM cycles of all data buses, busy or not"),
    [GPU_DRAM_UTILISATION] =
        MNP_PERCENT_ROW("dram_utilisation", "data bus cycles used", "dram_bus_busy_cycles", "dram_cycles"),
    [GPU_DRAM_BYTES] = MNP_COUNTER_ROW("dram_bytes", "byte", "sectors moved to or from DRAM, in bytes"),
    [GPU_DRAM_PEAK] = MNP_ELAPSED_ROW("dram_peak_bytes", "byte", "what width and data rate of the data buses allow"),
    [GPU_DRAM_BANDWIDTH] =
        MNP_PERCENT_ROW("dram_bandwidth_utilisation", "bytes moved of the peak", "dram_bytes", "dram_peak_bytes"),
    [GPU_PARTITION_TO_GPC_BYTES] =
        MNP_COUNTER_ROW("noc_partition_to_gpc_bytes", "byte", "replies from slices to GPCs, headers included"),
    [GPU_PARTITION_TO_GPC_PEAK] =
        MNP_ELAPSED_ROW("noc_partition_to_gpc_peak_bytes", "byte", "what the width of the slices' ports allows"),
    [GPU_PARTITION_TO_GPC_UTILISATION] =
        MNP_PERCENT_ROW("noc_partition_to_gpc_utilisation", "bytes moved from slices to GPCs, of the peak",
                        "noc_partition_to_gpc_bytes", "noc_partition_to_gpc_peak_bytes"),
    [GPU_L2_FETCHES] = MNP_COUNTER_ROW("L2_fetches", "sector", "sectors of instructions requested at the L2 slices"),
    [GPU_L2_FETCH_MISSES] = MNP_COUNTER_ROW("L2_fetch_misses", "sector", "of these, sectors that were not in the L2"),
    [GPU_L2_READ_HITS] = MNP_COUNTER_ROW("L2_read_hits", "sector", "sectors read that were in the L2"),
    [GPU_L2_WRITE_HITS] =
        MNP_COUNTER_ROW("L2_write_hits", "sector", "sectors written of which something was in the L2"),
    [GPU_L2_FAIL_FIRST] = MNP_COUNTER_ROW("L2_fails_reserved", "sector",
                                          "reservation fails because every way of the set was being filled"),
    [GPU_L2_FAIL_FIRST + 1] =
        MNP_COUNTER_ROW("L2_fails_mshr", "sector", "reservation fails for want of an MSHR or a place in one"),
    [GPU_L2_FAIL_FIRST + 2] =
        MNP_COUNTER_ROW("L2_fails_miss_queue", "sector", "reservation fails because the queue towards DRAM was full"),
    [GPU_L2_FAIL_LAST] =
        MNP_COUNTER_ROW("L2_fails_reply", "sector", "reservation fails because the queue of replies was full"),
    [GPU_L2_LINES] =
        MNP_COUNTER_ROW("L2_lines_touched", "line",
                        "different lines requested, each once per kernel; exact up to 128 per partition, an "
                        "estimate beyond (docs/statistics.md)"),
    [GPU_L2_WARMED_CODE] = MNP_COUNTER_ROW("L2_warmed_code", "sector",
                                           "sectors of code and constants found in the L2 since they were loaded"),
    [GPU_L2_CROSSED] = MNP_COUNTER_ROW(
        "L2_crossed", "sector", "sectors that a part of the L2 read for the first time from another, with l2.copies"),
    [GPU_L2_LINK_BYTES] =
        MNP_COUNTER_ROW("L2_link_bytes", "byte", "data of replies that left a part of the L2 for another"),
    [GPU_L2_LINK_PEAK] =
        MNP_ELAPSED_ROW("L2_link_peak_bytes", "byte", "what l2.link allows; 0 where it is not bounded"),
    [GPU_L2_LINK_UTILISATION] =
        MNP_PERCENT_ROW("L2_link_utilisation", "bytes moved between parts of the L2, of the peak", "L2_link_bytes",
                        "L2_link_peak_bytes"),
    [GPU_L2_LATENCY] =
        LATENCY("L2_latency", "L2 cycles from a request's arrival at its slice to the reply's departure"),
    [GPU_DRAM_LATENCY] = LATENCY("dram_latency", "DRAM cycles from a read's arrival at the channel to its last data"),
};

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("slices", "", "queues, ports and stalls of each slice"),
    MNP_STATE_ROW("transactions", "", "requests from arrival to reply"),
    MNP_STATE_ROW("caches", "", "tags, sector masks and ages of the slices"),
    MNP_STATE_ROW("mshrs", "", "lines being fetched and who waits for them"),
    MNP_STATE_ROW("releases", "", "sectors on their way from DRAM"),
    MNP_STATE_ROW("lines", "", "per kernel slot: hashes of lines touched"),
    MNP_STATE_ROW("channel", "", "queues, banks and timing of the DRAM channel"),
    MNP_STATE_ROW("credits", "packet", "credits held towards each GPC and owed to each"),
    MNP_STATE_ROW("link", "", "when its share of the link between parts of the L2 is free, whose turn it is"),
};

const struct mnp_model gpu_partition_model = {
    .name = "partition",
    .domain = MNP_DOMAIN_MEMORY,
    .summary = "A memory partition: sectored write-back L2 slices behind the crossbar, and one DRAM channel.",
    MNP_PARAMETERS(parameters),
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(state),
    .lay_out = gpu_partition_lay_out,
    .freeze = gpu_partition_freeze,
    .advance = gpu_partition_advance,
    .report = gpu_partition_report,
    .wait = gpu_partition_wait,
    .pace = gpu_partition_pace,
};
