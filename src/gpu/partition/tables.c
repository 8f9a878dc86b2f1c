/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the memory partition. */
#include "engine/declare/declare.h"
#include "gpu/partition/joined.h"
#include "gpu/partition/partition.h"
#include "gpu/partition/state.h"

#define MNP_TABLE_OF struct gpu_partition_parameters

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("partition.count", "partition", count, NULL, 1, 1024, "memory partitions of the machine",
                   "one per DRAM channel"),
    MNP_NUMBER_ROW("l2.slices_per_partition", "slice", slices, "2", 1, 64, "L2 slices of each partition",
                   "two in GPGPU-Sim configurations, four for A100"),
    MNP_NUMBER_ROW(
        "l2.halves", "part", halves, "1", 1, 64,
        "parts into which GPCs and partitions fall evenly; hits in another part than the GPC's take latency.l2_far",
        "two in A100 and H100"),
    MNP_LIST_ROW("l2.half_bits", "bit", half_bits, "[]", 8, 47,
                 "bits of an address whose parity is the half of the L2 that it belongs to; []: the halves are stripes",
                 "see the machine file"),
    MNP_FLAG_ROW(
        "l2.copies", copies, "false",
        "each of the l2.halves keeps what it has read, of its own lines and of the others', as far as its ways go: "
        "latency.l2_far is for the first use alone, for writes and atomics",
        "H100: Jin et al., MICRO 2024"),
    MNP_FLAG_ROW(
        "l2.strong_home", strong_home, "false",
        "with l2.copies: strong reads (.cg, .relaxed, volatile) are answered by the part that the line belongs to, "
        "and leave no copy; latency.l2_strong is the mean of all parts for them",
        "A100: bandwidth and latency of its L2 by loads of either kind, see the machine file"),
    MNP_FLAG_ROW(
        "l2.one_room", one_room, "false",
        "with l2.copies: lines and copies share the ways of a set, and the least recent of both gives up its "
        "place; otherwise each part has an even share of the ways, and gives up first what another part has",
        "for kernels that read and write 60 MB on an H200, against reads of 37 MB by all SMs of an H100: gpu-benches"),
    MNP_SIZE_ROW("l2.link", "byte/cycle", link, "0", 0, 1 << 20,
                 "data that can leave one of the l2.halves for the others, per network cycle: replies, and as much of "
                 "writes that enter it; 0: not bounded",
                 "bandwidth of data that does not fit one half of the L2, see the machine file"),
    MNP_CACHE_SIZE_PARAMETERS("l2.slice.", cache, NULL, 32, UINT64_C(1) << 32, "data of one L2 slice",
                              "L2 size of the data sheet over all slices", "16", 32768, "associativity of an L2 slice",
                              "GPGPU-Sim configurations"),
    MNP_SIZE_ROW("l2.line", "byte", line, "128", 32, 128, "line of the L2: what one request accesses at most",
                 "NVIDIA since Fermi: 128 bytes"),
    MNP_SIZE_ROW("l2.sector", "byte", sector, "32", 32, 32, "sector of the L2: what one DRAM access moves",
                 "NVIDIA since Maxwell: 32 bytes"),
    MNP_SIZE_ROW("l2.fetch", "byte", fetch, "32", 32, 128,
                 "what a miss fetches from DRAM: the sector that is asked for, then its neighbours in a block of so "
                 "many bytes",
                 "cudaLimitMaxL2FetchGranularity; Jia et al., arXiv 1804.06826: the V100's L2 fetches 64 bytes"),
    MNP_NUMBER_ROW("l2.mshrs", "entry", mshrs, "192", 1, 65536, "lines that a slice can be fetching at a time",
                   "GPGPU-Sim configurations (which count sectors)"),
    MNP_NUMBER_ROW(
        "l2.coalesce", "request", coalesce, "1", 1, GPU_JOINED,
        "reads of a line by as many SMs that wait in front of a slice and are looked up as one; 1: each by itself",
        "Nsight Compute documentation, lrc: the L2 request coalescer of Hopper and later"),
    MNP_NUMBER_ROW("l2.coalesce_writes", "request", coalesce_writes, "1", 1, GPU_JOINED,
                   "writes to sectors that an earlier one writes, waiting with it in front of a slice and written as "
                   "one; 1: each by itself",
                   "graph traversals whose warps all set one flag, Rodinia 3.1 on an H100"),
    MNP_NUMBER_ROW("l2.merge", "request", merge, "4", 1, 65536, "requests that can wait for a sector of a line",
                   "GPGPU-Sim configurations (whose MSHRs hold sectors)"),
    MNP_NUMBER_ROW("l2.waiters", "request", waiters, "512", 1, 65536,
                   "requests that can wait in a slice for DRAM, in all",
                   "bounds the product of l2.mshrs, l2.merge and sectors"),
    MNP_PART_ROW("l2.hash", hash, hash_chosen, "ipoly", mnp_hash_names, NULL, MNP_HASH_PART, false,
                 "how addresses are spread over partitions and slices", "Rau 1991 for ipoly; see parts/hash.h"),
    MNP_PART_ROW("l2.set_hash", set_hash, set_hash_chosen, "linear", mnp_hash_names, NULL, MNP_HASH_PART, false,
                 "how the lines of a slice are spread over its sets", "see parts/hash.h"),
    MNP_SIZE_ROW("l2.interleave", "byte", interleave, "256", 32, UINT64_C(1) << 20,
                 "bytes that stay in one slice before the next follows", "dramid@8 in GPGPU-Sim configurations"),
    MNP_CACHE_POLICY_PARAMETERS("l2.", cache, "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("l2.latency", "cycle", latency, "12", 1, 4096,
                   "part of the L2 latency that is spent inside the slice: from the lookup to the reply port",
                   "a division of latency.l2 between slice and links; longer links give longer windows"),
    MNP_SIZE_ROW("l2.port", "byte/cycle", port, "32", 1, 4096,
                 "data that a slice looks up per L2 cycle; larger accesses take more cycles",
                 "32 bytes on Volta; 64 on an A100 and later, by NVIDIA's whitepapers"),
    MNP_SIZE_ROW("l2.request_port", "byte/cycle", request_port, "0", 0, 4096,
                 "requests that a slice takes in per L2 cycle, their headers included; 0: noc.request_width",
                 "kernels of an H200 that synchronise, gpu-benches"),
    MNP_SIZE_ROW(
        "l2.packed_store", "byte", packed_store, "0", 0, 32,
        "a store of at most so many bytes of one sector is taken in as fast as a request without data, its bytes "
        "beside the header; 0: as fast as a whole sector",
        "assumed of stores: a B200 adds to one word by 0.77 warps a cycle; 24 bytes and a header of 8 are what "
        "l2.request_port takes in a cycle on Hopper"),
    MNP_SIZE_ROW("l2.write_port", "byte/cycle", write_port, "0", 0, 4096,
                 "data written that a slice looks up per L2 cycle; 0: as much as of others, l2.port",
                 "reductions by all SMs of an H100, accel-sim/statistics-archive"),
    MNP_SIZE_ROW(
        "l2.copy_port", "byte/cycle", copy_port, "0", 0, 4096,
        "data that a slice takes in from another part per L2 cycle, with l2.copies; 0: that keeps it for no time",
        "chains of small kernels on an H200, gpu-benches: a copy is written where it is kept"),
    MNP_NUMBER_ROW("l2.atomic_interval", "cycle", atomic_cycles, "2", 0, 4096,
                   "cycles between two sectors of atomics or reductions at a slice; 0: as long as a request's sectors "
                   "take to be read and written, by l2.port and l2.write_port",
                   "one 32-byte sector operation per interval"),
    MNP_NUMBER_ROW("l2.miss_queue", "request", miss_queue, "32", 2, 65536,
                   "fetches and write-backs that can wait in a slice for the DRAM queues", "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("l2.reply_queue", "request", reply_queue, "32", 1, 65536,
                   "replies that can wait in a slice for its port, besides those in the pipeline",
                   "GPGPU-Sim configurations: 64"),
    MNP_DRAM_KIND_ROW("dram.", dram),
    MNP_NUMBER_ROW("dram.channels", "channel", channels, "0", 0, 1024,
                   "channels of the machine: partition.count, or 0 for just that", "a partition has one channel"),
    MNP_DRAM_PARAMETERS("dram.", dram),
};

static const struct mnp_port ports[] = {
    [GPU_PARTITION_REQUESTS] = MNP_IN_ROW("requests", "", gpu_request, "one link from each GPC and hub, credited"),
    [GPU_PARTITION_REPLIES] = MNP_OUT_ROW("replies", "", gpu_reply, "one link to each GPC and hub, credited"),
    [GPU_PARTITION_REPLY_CREDITS] =
        MNP_IN_ROW("reply credits", "", gpu_credit, "places given back in the reply queue of a GPC or hub"),
    [GPU_PARTITION_REQUEST_CREDITS] =
        MNP_OUT_ROW("request credits", "", gpu_credit, "places given back in this partition's queues"),
    [GPU_PARTITION_COPIES] = MNP_OPTIONAL_IN_ROW("copies", "dispatch", gpu_copy,
                                                 "host copies, with memcpy_warms_l2; flushes, with launch.flush_l2"),
    [GPU_PARTITION_VALUES] = MNP_OPTIONAL_IN_ROW("values", "", gpu_values,
                                                 "operands of accesses performed here, when programs are executed"),
    [GPU_PARTITION_RESULTS] = MNP_OPTIONAL_OUT_ROW("results", "", gpu_values, "what such accesses have read"),
    [GPU_PARTITION_TOUCHES] = MNP_OPTIONAL_IN_ROW("touches", "gpc", gpu_touch, "what is passed over, with --steady"),
};

#define LATENCY(NAME, HELP) MNP_HISTOGRAM_ROW(NAME, "cycle", HELP, GPU_LATENCY_BINS)

static const struct mnp_statistic statistics[] = {
    MNP_CACHE_STATISTICS("L2_", GPU_L2_ACCESSES, "sector", "sectors of data requested at the L2 slices",
                         "of these, sectors that were not in the L2",
                         "of these, sectors that were on their way from DRAM"),
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
    [GPU_L2_WARMED] =
        MNP_COUNTER_ROW("L2_warmed", "sector",
                        "sectors that host copies, launches without time or what was passed over brought into the L2"),
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
    MNP_DRAM_STATISTICS("dram_", GPU_DRAM),
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
    [GPU_L2_LINK_WRITTEN] =
        MNP_COUNTER_ROW("L2_link_written_bytes", "byte", "data of writes that came to a part of the L2 from another"),
    [GPU_L2_LINK_PEAK] =
        MNP_ELAPSED_ROW("L2_link_peak_bytes", "byte", "what l2.link allows; 0 where it is not bounded"),
    [GPU_L2_LINK_UTILISATION] =
        MNP_PERCENT_ROW("L2_link_utilisation", "bytes moved between parts of the L2, of the peak", "L2_link_bytes",
                        "L2_link_peak_bytes"),
#define GPU_PARTITION_STATISTIC(NUMBER, ROW) [NUMBER] = ROW,
#include "gpu/listeners/rows.h"
    [GPU_L2_LATENCY] =
        LATENCY("L2_latency", "L2 cycles from a request's arrival at its slice to the reply's departure"),
    [GPU_DRAM_LATENCY] = MNP_DRAM_LATENCY_ROW("dram_", GPU_LATENCY_BINS),
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
    MNP_STATE_ROW("link", "", "when its shares of the link between parts of the L2 are free, who waits for them"),
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
