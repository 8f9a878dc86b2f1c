/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters and statistics of a DRAM channel, as rows for the tables of the model that owns one
 * (engine/declare/declare.h): a struct of parameters and its rows, counters by number and their rows.
 *
 *     struct memory_parameters { struct mnp_dram_parameters dram; … };
 *     MNP_DRAM_KIND_ROW("dram.", dram), MNP_DRAM_PARAMETERS("dram.", dram),       keys dram.kind, dram.banks, …
 *     enum { …, MEMORY_DRAM, MEMORY_DRAM_LAST = MEMORY_DRAM + MNP_DRAM_LAST_STATISTIC, … };
 *     MNP_DRAM_STATISTICS("dram_", MEMORY_DRAM),                                  names dram_accesses, …
 */
#ifndef MNP_PARTS_DRAM_DECLARE_H
#define MNP_PARTS_DRAM_DECLARE_H

#include "engine/declare/declare.h"
#include "parts/dram/kind.h"

struct mnp_dram_parameters {
    uint64_t kind; /* enum mnp_dram_kind_name */
    uint64_t pseudo_channels, banks, bank_groups, bus_width, burst, data_rate, scheduler, refresh;
    uint64_t queue, write_queue, write_high, write_low; /* sectors */
    uint64_t row, bank_interleave, banks_interleaved, bank_hash;
    struct mnp_dram_timing timing; /* burst is computed, not read */
};

#define MNP_DRAM_JEDEC "JEDEC timing under its usual name, in DRAM command clocks, as GPGPU-Sim configurations state it"

/* KEY: prefix of the keys; FIELD: the struct mnp_dram_parameters in MNP_TABLE_OF. */
#define MNP_DRAM_KIND_ROW(KEY, FIELD)                                                                                  \
    MNP_CHOICE_ROW(KEY "kind", FIELD.kind, "gddr6", mnp_dram_kind_names,                                               \
                   "memory technology: its command buses, and the timing of a channel that states none", "JEDEC")
#define MNP_DRAM_PARAMETERS(KEY, FIELD)                                                                                \
    MNP_NUMBER_ROW(KEY "pseudo_channels", "channel", FIELD.pseudo_channels, "1", 1, MNP_DRAM_MAX_PSEUDO,               \
                   "parts of a channel with data bus and banks of their own behind common command buses",              \
                   "JESD235: 2 for HBM2; a partition with two HBM3 channels has 4 (JESD238); chips side by side"),     \
        MNP_NUMBER_ROW(KEY "banks", "bank", FIELD.banks, "16", 1, MNP_DRAM_MAX_BANKS,                                  \
                       "banks of a channel, over all its pseudo channels", MNP_DRAM_JEDEC),                            \
        MNP_NUMBER_ROW(KEY "bank_groups", "group", FIELD.bank_groups, "4", 1, MNP_DRAM_MAX_BANKS,                      \
                       "bank groups of a pseudo channel; neighbouring banks lie in different groups", MNP_DRAM_JEDEC), \
        MNP_SIZE_ROW(KEY "bus_width", "byte", FIELD.bus_width, "2", 1, 1024,                                           \
                     "data bus of a channel, over all its pseudo channels",                                            \
                     "2 per GDDR6 channel, 16 per HBM2 channel"),                                                      \
        MNP_NUMBER_ROW(KEY "burst", "transfer", FIELD.burst, "16", 1, 1024, "transfers of one column command",         \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(                                                                                                \
            KEY "data_rate", "transfer/cycle", FIELD.data_rate, "4", 1, 64,                                            \
            "transfers per cycle of the command clock, over both buses where there are two",                           \
            "4 for GDDR5 and GDDR6, 2 for HBM; see the configurations' ratio of data to command frequency"),           \
        MNP_CHOICE_ROW(KEY "scheduler", FIELD.scheduler, "frfcfs", mnp_dram_schedulers, mnp_dram_scheduler_help,       \
                       "Rixner et al., ISCA 2000"),                                                                    \
        MNP_CHOICE_ROW(KEY "refresh", FIELD.refresh, "all", mnp_dram_refreshes,                                        \
                       "all banks at once, or one bank of each pseudo channel in turn",                                \
                       "JESD212 (GDDR5): all; JESD250 (GDDR6), JESD235 and JESD238 (HBM): either"),                    \
        MNP_NUMBER_ROW(KEY "queue", "sector", FIELD.queue, "128", 1, 65536, "read queue of a channel",                 \
                       "Huerta et al., MICRO 2025: 160 to 224 requests of either kind"),                               \
        MNP_NUMBER_ROW(KEY "write_queue", "sector", FIELD.write_queue, "128", 1, 65536, "write queue of a channel",    \
                       "as the read queue"),                                                                           \
        MNP_NUMBER_ROW(KEY "write_high", "sector", FIELD.write_high, "96", 1, 65536,                                   \
                       "waiting writes at which the channel turns to writing", "usual write drain"),                   \
        MNP_NUMBER_ROW(KEY "write_low", "sector", FIELD.write_low, "32", 0, 65536,                                     \
                       "waiting writes at which it turns back to waiting reads", "usual write drain"),                 \
        MNP_SIZE_ROW(KEY "row", "byte", FIELD.row, "2KiB", 32, UINT64_C(1) << 20, "row (page) of a bank",              \
                     "six column bits of 32-byte sectors in GPGPU-Sim's address maps"),                                \
        MNP_SIZE_ROW(KEY "bank_interleave", "byte", FIELD.bank_interleave, "256", 32, UINT64_C(1) << 20,               \
                     "bytes of a channel that stay in one bank before the next of the interleaved ones follows",       \
                     "the low bank bit of GPGPU-Sim's address maps"),                                                  \
        MNP_NUMBER_ROW(                                                                                                \
            KEY "banks_interleaved", "bank", FIELD.banks_interleaved, "0", 0, MNP_DRAM_MAX_BANKS,                      \
            "banks that take turns; a divisor of dram.banks; 0: one of each bank group and pseudo channel, "           \
            "where that divides",                                                                                      \
            "bank-group bits below the column bits, so that neighbours need not wait for ccdl"),                       \
        MNP_CHOICE_ROW(KEY "bank_hash", FIELD.bank_hash, "linear", mnp_hash_names, "how rows permute banks",           \
                       "Zhang et al., permutation-based page interleaving, MICRO 2000"),                               \
        MNP_NUMBER_ROW(KEY "timing.ccd", "cycle", FIELD.timing.ccd, "0", 0, 4096,                                      \
                       "column to column command; 0: with rcd, ras, rp, rc and cl, the timing of dram.kind",           \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.rrd", "cycle", FIELD.timing.rrd, "0", 0, 4096,                                      \
                       "activate to activate of another bank", MNP_DRAM_JEDEC),                                        \
        MNP_NUMBER_ROW(KEY "timing.faw", "cycle", FIELD.timing.faw, "0", 0, 4096,                                      \
                       "activate to the fourth activate after it, in a pseudo channel; 0: only rrd limits activates",  \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.rcd", "cycle", FIELD.timing.rcd, "0", 0, 4096, "activate to column command",        \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.ras", "cycle", FIELD.timing.ras, "0", 0, 4096, "activate to precharge",             \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.rp", "cycle", FIELD.timing.rp, "0", 0, 4096, "precharge to activate",               \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.rc", "cycle", FIELD.timing.rc, "0", 0, 4096,                                        \
                       "activate to activate of the same bank", MNP_DRAM_JEDEC),                                       \
        MNP_NUMBER_ROW(KEY "timing.cl", "cycle", FIELD.timing.cl, "0", 0, 4096, "read to first data", MNP_DRAM_JEDEC), \
        MNP_NUMBER_ROW(KEY "timing.wl", "cycle", FIELD.timing.wl, "0", 0, 4096, "write to first data",                 \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.cdlr", "cycle", FIELD.timing.cdlr, "0", 0, 4096, "last write data to read",         \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.wr", "cycle", FIELD.timing.wr, "0", 0, 4096, "last write data to precharge",        \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.ccdl", "cycle", FIELD.timing.ccdl, "0", 0, 4096,                                    \
                       "column to column command in the same bank group", MNP_DRAM_JEDEC),                             \
        MNP_NUMBER_ROW(KEY "timing.rtpl", "cycle", FIELD.timing.rtpl, "0", 0, 4096, "read to precharge",               \
                       MNP_DRAM_JEDEC),                                                                                \
        MNP_NUMBER_ROW(KEY "timing.refi", "cycle", FIELD.timing.refi, "0", 0, UINT64_C(1) << 32,                       \
                       "interval of refreshes; 0: none", MNP_DRAM_JEDEC),                                              \
        MNP_NUMBER_ROW(KEY "timing.rfc", "cycle", FIELD.timing.rfc, "0", 0, UINT64_C(1) << 32,                         \
                       "time of a refresh of all banks", MNP_DRAM_JEDEC),                                              \
        MNP_NUMBER_ROW(KEY "timing.rfcb", "cycle", FIELD.timing.rfcb, "0", 0, UINT64_C(1) << 32,                       \
                       "time of a refresh of one bank", MNP_DRAM_JEDEC)

enum mnp_dram_statistic {
    MNP_DRAM_READS,
    MNP_DRAM_FETCHES,
    MNP_DRAM_WRITES,
    MNP_DRAM_ACCESSES,
    MNP_DRAM_ROW_HITS,
    MNP_DRAM_ROW_MISSES,
    MNP_DRAM_ROW_CONFLICTS,
    MNP_DRAM_ROW_HIT_RATE,
    MNP_DRAM_ACTIVATES,
    MNP_DRAM_PRECHARGES,
    MNP_DRAM_REFRESHES,
    MNP_DRAM_READ_CYCLES,
    MNP_DRAM_BUS_BUSY,
    MNP_DRAM_CYCLES,
    MNP_DRAM_UTILISATION,
    MNP_DRAM_BYTES,
    MNP_DRAM_PEAK,
    MNP_DRAM_BANDWIDTH,
    MNP_DRAM_LAST_STATISTIC = MNP_DRAM_BANDWIDTH,
};

/* NAME: prefix of the names; AT: number of the first of these statistics in the owner's table. */
#define MNP_DRAM_STATISTICS(NAME, AT)                                                                                  \
    [(AT) +                                                                                                            \
        MNP_DRAM_READS] = MNP_COUNTER_ROW("total_" NAME "reads", "sector", "sectors of data read from DRAM"),          \
        [(AT) + MNP_DRAM_FETCHES] =                                                                                    \
            MNP_COUNTER_ROW(NAME "fetches", "sector", "sectors of instructions read from DRAM"),                       \
        [(AT) + MNP_DRAM_WRITES] = MNP_COUNTER_ROW("total_" NAME "writes", "sector", "sectors written to DRAM"),       \
        [(AT) + MNP_DRAM_ACCESSES] = MNP_COUNTER_ROW(NAME "accesses", "sector", "sectors moved to or from DRAM"),      \
        [(AT) + MNP_DRAM_ROW_HITS] = MNP_COUNTER_ROW(NAME "row_hits", "sector", "sectors whose row was open"),         \
        [(AT) + MNP_DRAM_ROW_MISSES] =                                                                                 \
            MNP_COUNTER_ROW(NAME "row_misses", "sector", "sectors for which a closed bank was activated"),             \
        [(AT) + MNP_DRAM_ROW_CONFLICTS] =                                                                              \
            MNP_COUNTER_ROW(NAME "row_conflicts", "sector", "sectors for which another row was closed"),               \
        [(AT) + MNP_DRAM_ROW_HIT_RATE] =                                                                               \
            MNP_PERCENT_ROW(NAME "row_hit_rate", "row hits of the sectors moved", NAME "row_hits", NAME "accesses"),   \
        [(AT) + MNP_DRAM_ACTIVATES] = MNP_COUNTER_ROW(NAME "activates", "command", "rows opened"),                     \
        [(AT) + MNP_DRAM_PRECHARGES] = MNP_COUNTER_ROW(NAME "precharges", "command", "rows closed, by refreshes too"), \
        [(AT) + MNP_DRAM_REFRESHES] = MNP_COUNTER_ROW(                                                                 \
            NAME "refreshes", "command", "refreshes of all banks, or of one bank in each pseudo channel"),             \
        [(AT) + MNP_DRAM_READ_CYCLES] = MNP_COUNTER_ROW(NAME "read_cycles", "cycle",                                   \
                                                        "DRAM cycles from a read's arrival to its last data, summed"), \
        [(AT) + MNP_DRAM_BUS_BUSY] =                                                                                   \
            MNP_COUNTER_ROW(NAME "bus_busy_cycles", "cycle", "DRAM cycles in which data buses moved data"),            \
        [(AT) + MNP_DRAM_CYCLES] =                                                                                     \
            MNP_ELAPSED_ROW(NAME "cycles", "cycle", "DRAM cycles of all data buses, busy or not"),                     \
        [(AT) + MNP_DRAM_UTILISATION] =                                                                                \
            MNP_PERCENT_ROW(NAME "utilisation", "data bus cycles used", NAME "bus_busy_cycles", NAME "cycles"),        \
        [(AT) + MNP_DRAM_BYTES] = MNP_COUNTER_ROW(NAME "bytes", "byte", "sectors moved to or from DRAM, in bytes"),    \
        [(AT) + MNP_DRAM_PEAK] =                                                                                       \
            MNP_ELAPSED_ROW(NAME "peak_bytes", "byte", "what width and data rate of the data buses allow"),            \
        [(AT) + MNP_DRAM_BANDWIDTH] =                                                                                  \
            MNP_PERCENT_ROW(NAME "bandwidth_utilisation", "bytes moved of the peak", NAME "bytes", NAME "peak_bytes")

/* The histogram of reads, which stands with the owner's others at the end of its table. */
#define MNP_DRAM_LATENCY_ROW(NAME, BINS)                                                                               \
    MNP_HISTOGRAM_ROW(NAME "latency", "cycle", "DRAM cycles from a read's arrival at the channel to its last data",    \
                      BINS)

#endif
