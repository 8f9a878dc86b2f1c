/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energies of a GPU as weighted sums of its statistics. All are in picojoules with three decimals, so that a
 * femtojoule shows; each event is in one energy, and `energy` is the sum of all.
 */
#include "gpu/energy/rows.h"

#include "base/error.h"
#include "base/range.h"
#include "contract/weights.h"
#include "engine/declare/declare.h"

#include <string.h>

enum { FJ_PER_PJ = 1000, ALL = 1000 /* per mille */ };

#define WEIGHTED(NAME, HELP, ...) MNP_WEIGHTED_ROW(NAME, "pJ", HELP, FJ_PER_PJ, __VA_ARGS__)
#define OF(STATISTIC, KEY)                                                                                             \
    {                                                                                                                  \
        STATISTIC, 1, "energy." KEY                                                                                    \
    }
#define COPIED(DEVICE, TIMES, KEY)                                                                                     \
    {                                                                                                                  \
        "fabric_copied_to_gpu" #DEVICE, TIMES, "energy." KEY                                                           \
    }
/* Bytes that copy engines move to all GPUs, each so many times an energy. */
#define COPIED_TO_ALL(TIMES, KEY)                                                                                      \
    COPIED(0, TIMES, KEY), COPIED(1, TIMES, KEY), COPIED(2, TIMES, KEY), COPIED(3, TIMES, KEY), COPIED(4, TIMES, KEY), \
        COPIED(5, TIMES, KEY), COPIED(6, TIMES, KEY), COPIED(7, TIMES, KEY), COPIED(8, TIMES, KEY),                    \
        COPIED(9, TIMES, KEY), COPIED(10, TIMES, KEY), COPIED(11, TIMES, KEY), COPIED(12, TIMES, KEY),                 \
        COPIED(13, TIMES, KEY), COPIED(14, TIMES, KEY), COPIED(15, TIMES, KEY)
#define SUM(STATISTIC)                                                                                                 \
    {                                                                                                                  \
        STATISTIC, 1, NULL                                                                                             \
    } /* an energy, whose count is in femtojoules */
#define PASSED(STATISTIC)                                                                                              \
    {                                                                                                                  \
        STATISTIC, FJ_PER_PJ, NULL                                                                                     \
    }
/* Femtojoules that voltages above the lowest add to an energy, and the term that adds them. */
#define RAISED(NAME)                                                                                                   \
    MNP_COUNTER_ROW("voltage_" NAME, "fJ", "what voltages above that of the lowest clock add to energy_" NAME)
#define RAISE(NAME)                                                                                                    \
    {                                                                                                                  \
        "voltage_" NAME, 1, NULL                                                                                       \
    }
#define TENSOR(BITS, OPERANDS)                                                                                         \
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_TENSOR##BITS] =                                                               \
        MNP_COUNTER_ROW("tensor_operations_" #BITS, "512 operations", "matrix_operations on operands of " OPERANDS)
/* Bits that toggle, and bits that are compared, in instructions that are looked at. */
#define VALUES(GROUP, NAME, WHERE)                                                                                     \
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_TOGGLED + SM_VALUES_##                                                        \
        GROUP] = MNP_COUNTER_ROW("toggled_" NAME, "bit", "bits that toggle: " WHERE),                                  \
      [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_COMPARED + SM_VALUES_##GROUP] =                                             \
          MNP_COUNTER_ROW("compared_" NAME, "bit", "bits compared: " WHERE)
#define SENT(PLACE, NAME, WHERE)                                                                                       \
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_SENT + SM_SENT_##PLACE##                                                      \
        _TOGGLED] = MNP_COUNTER_ROW("toggled_" NAME, "bit", "bits that toggle: " WHERE),                               \
 [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_SENT + SM_SENT_##PLACE##_COMPARED] =                                             \
        MNP_COUNTER_ROW("compared_" NAME, "bit", "bits compared: " WHERE)
#define ACTIVITY(PLACE, NAME, UNIT, OF)                                                                                \
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_##PLACE] =                                                                    \
        MNP_COUNTER_ROW("activity_" NAME, UNIT "/64", OF " times what toggles")

const struct mnp_statistic gpu_energy_table[GPU_ENERGY_ROWS] = {
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_READS] =
        MNP_COUNTER_ROW("register_reads", "word", "32 bits of active lanes that instructions read from registers"),
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_WRITES] =
        MNP_COUNTER_ROW("register_writes", "word", "32 bits of active lanes that instructions write to registers"),
    TENSOR(64, "64 bits"),
    TENSOR(32, "32 bits: tf32"),
    TENSOR(16, "16 bits"),
    TENSOR(8, "8 bits, and of 6"),
    TENSOR(4, "4 bits and fewer"),
    VALUES(INT, "int", "integer instructions"),
    VALUES(IMAD, "imad", "integer multiplications"),
    VALUES(FP32, "fp32", "single precision"),
    VALUES(HALF, "half", "half precision"),
    VALUES(FP64, "fp64", "double precision"),
    VALUES(SFU, "sfu", "special functions"),
    VALUES(CONVERT, "convert", "conversions"),
    VALUES(TENSOR, "tensor", "matrix operations"),
    VALUES(READS, "reads", "registers that are read"),
    VALUES(WRITES, "writes", "registers that are written, from what they held before"),
    VALUES(SHARED, "shared", "data that go to or come from shared memory"),
    VALUES(GLOBAL, "global", "data that go to or come from global and local memory"),
    VALUES(CODE, "code", "words of machine code, from the ones in front of them"),
    ACTIVITY(ACTIVITY + SM_VALUES_INT, "int", "lane", "lanes_int"),
    ACTIVITY(ACTIVITY + SM_VALUES_IMAD, "imad", "lane", "lanes_imad"),
    ACTIVITY(ACTIVITY + SM_VALUES_FP32, "fp32", "lane", "lanes_fp32"),
    ACTIVITY(ACTIVITY + SM_VALUES_HALF, "half", "lane", "lanes_half"),
    ACTIVITY(ACTIVITY + SM_VALUES_FP64, "fp64", "lane", "lanes_fp64"),
    ACTIVITY(ACTIVITY + SM_VALUES_SFU, "sfu", "lane", "lanes_sfu"),
    ACTIVITY(ACTIVITY + SM_VALUES_CONVERT, "convert", "lane", "lanes_convert"),
    ACTIVITY(ACTIVITY_TENSOR64, "tensor_64", "512 operations", "tensor_operations_64"),
    ACTIVITY(ACTIVITY_TENSOR32, "tensor_32", "512 operations", "tensor_operations_32"),
    ACTIVITY(ACTIVITY_TENSOR16, "tensor_16", "512 operations", "tensor_operations_16"),
    ACTIVITY(ACTIVITY_TENSOR8, "tensor_8", "512 operations", "tensor_operations_8"),
    ACTIVITY(ACTIVITY_TENSOR4, "tensor_4", "512 operations", "tensor_operations_4"),
    ACTIVITY(ACTIVITY_READS, "reads", "word", "register_reads"),
    ACTIVITY(ACTIVITY_WRITES, "writes", "word", "register_writes"),
    ACTIVITY(ACTIVITY_SHARED, "shared", "cycle", "shared_accesses and shared_conflict_cycles"),
    ACTIVITY(ACTIVITY_GLOBAL, "global", "sector", "L1D_total_cache_accesses"),
    ACTIVITY(ACTIVITY_FETCH, "fetch", "access", "L0I_total_cache_accesses"),
    SENT(ADDRESSES, "addresses", "addresses of requests"),
    SENT(DATA, "requests", "data of requests"),
    ACTIVITY(SENT + SM_SENT_ACTIVITY, "requests", "byte", "noc_sm_to_gpc_bytes"),
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_VOLTAGE] = RAISED("front"),
    RAISED("registers"),
    RAISED("int"),
    RAISED("fp32"),
    RAISED("half"),
    RAISED("fp64"),
    RAISED("sfu"),
    RAISED("special"),
    RAISED("tensor"),
    RAISED("shared"),
    RAISED("l1"),
    RAISED("constant"),
    RAISED("tma"),
    RAISED("sm_active"),
    RAISED("sm_network"),
    [GPU_ENERGY_SM_ENERGIES] =
        WEIGHTED("energy_front", "instructions fetched, decoded, scheduled; uniform, branch and synchronisation",
                 OF("gpgpu_n_tot_w_icount", "instruction"), OF("L0I_total_cache_accesses", "fetch.l0"),
                 OF("L1I_total_cache_accesses", "fetch.l1"), OF("L1I_prefetches", "fetch.l1"),
                 OF("instructions_uniform", "control"), OF("instructions_branch", "control"),
                 OF("instructions_sync", "control"), OF("activity_fetch", "toggles.fetch"), RAISE("front")),
    WEIGHTED("energy_registers", "registers read and written", OF("register_reads", "register.read"),
             OF("register_writes", "register.write"), OF("activity_reads", "toggles.registers"),
             OF("activity_writes", "toggles.registers"), RAISE("registers")),
    WEIGHTED("energy_int", "integer instructions", OF("lanes_int", "int"), OF("lanes_imad", "imad"),
             OF("activity_int", "toggles.alu"), OF("activity_imad", "toggles.alu"), RAISE("int")),
    WEIGHTED("energy_fp32", "single precision", OF("lanes_fp32", "fp32"), OF("activity_fp32", "toggles.fma"),
             RAISE("fp32")),
    WEIGHTED("energy_half", "half precision", OF("lanes_half", "half"), OF("activity_half", "toggles.fma"),
             RAISE("half")),
    WEIGHTED("energy_fp64", "double precision", OF("lanes_fp64", "fp64"), OF("activity_fp64", "toggles.fma"),
             RAISE("fp64")),
    WEIGHTED("energy_sfu", "special functions and conversions", OF("lanes_sfu", "sfu"), OF("lanes_convert", "convert"),
             OF("activity_sfu", "toggles.fma"), OF("activity_convert", "toggles.fma"), RAISE("sfu")),
    WEIGHTED("energy_special", "shuffles, votes and special registers", OF("lanes_special", "special"),
             RAISE("special")),
    WEIGHTED("energy_tensor", "tensor cores", OF("tensor_operations_64", "tensor.bits64"),
             OF("tensor_operations_32", "tensor.bits32"), OF("tensor_operations_16", "tensor.bits16"),
             OF("tensor_operations_8", "tensor.bits8"), OF("tensor_operations_4", "tensor.bits4"),
             OF("tmem_cycles", "tmem"), OF("activity_tensor_64", "toggles.tensor"),
             OF("activity_tensor_32", "toggles.tensor"), OF("activity_tensor_16", "toggles.tensor"),
             OF("activity_tensor_8", "toggles.tensor"), OF("activity_tensor_4", "toggles.tensor"), RAISE("tensor")),
    WEIGHTED("energy_shared", "shared memory", OF("shared_accesses", "shared"), OF("shared_conflict_cycles", "shared"),
             OF("wgmma_wavefronts", "shared"), OF("tcgen05_wavefronts", "shared"),
             OF("activity_shared", "toggles.shared"), RAISE("shared")),
    WEIGHTED("energy_l1", "L1 data cache", OF("L1D_tag_wavefronts", "l1.tags"),
             OF("L1D_total_cache_accesses", "l1.sector"), OF("activity_global", "toggles.l1"), RAISE("l1")),
    WEIGHTED("energy_constant", "constant cache", OF("constant_passes", "constant"), RAISE("constant")),
    WEIGHTED("energy_tma", "tensor memory accelerators", OF("tma_requests", "tma"), RAISE("tma")),
    WEIGHTED("energy_sm_active", "clocks and schedulers of SMs that have CTAs", OF("sm_active_cycles", "sm.active"),
             RAISE("sm_active")),
    WEIGHTED("energy_sm_network", "network: from SMs to GPCs and between SMs", OF("noc_sm_to_gpc_bytes", "noc"),
             OF("sm_to_sm_bytes", "noc"), OF("activity_requests", "toggles.network"), RAISE("sm_network")),
    WEIGHTED("energy_sm", "SMs: the sum of the fifteen above, without static power", SUM("energy_front"),
             SUM("energy_registers"), SUM("energy_int"), SUM("energy_fp32"), SUM("energy_half"), SUM("energy_fp64"),
             SUM("energy_sfu"), SUM("energy_special"), SUM("energy_tensor"), SUM("energy_shared"), SUM("energy_l1"),
             SUM("energy_constant"), SUM("energy_tma"), SUM("energy_sm_active"), SUM("energy_sm_network")),
    [GPU_ENERGY_GPC_COUNTERS] = MNP_COUNTER_ROW("gpc_active_cycles", "cycle",
                                                "network cycles of GPCs in which packets are in them; in all others "
                                                "their clocks can be gated"),
    MNP_ELAPSED_ROW("gpc_cycles", "cycle", "network cycles of all GPCs"),
    MNP_PERCENT_ROW("gpc_activity", "network cycles of GPCs in which packets are in them, of all", "gpc_active_cycles",
                    "gpc_cycles"),
    MNP_COUNTER_ROW("activity_gpc_replies", "byte/64", "noc_gpc_to_sm_bytes times what toggles"),
    MNP_COUNTER_ROW("activity_gpc_requests", "byte/64", "noc_gpc_to_partition_bytes times what toggles"),
    [GPU_ENERGY_GPC_ENERGIES] = WEIGHTED("energy_gpc", "network: from GPCs to partitions and SMs; code caches of GPCs",
                                         OF("noc_gpc_to_partition_bytes", "noc"), OF("noc_gpc_to_sm_bytes", "noc"),
                                         OF("gpc_code_accesses", "fetch.l1"), OF("gpc_active_cycles", "gpc.active"),
                                         OF("activity_gpc_replies", "toggles.network"),
                                         OF("activity_gpc_requests", "toggles.network"), RAISE("gpc")),
    RAISED("gpc"),
    [GPU_ENERGY_PARTITION_COUNTERS] = MNP_COUNTER_ROW("toggled_l2", "bit", "bits that toggle: sectors of the L2"),
    MNP_COUNTER_ROW("compared_l2", "bit", "bits compared: sectors of the L2"),
    MNP_COUNTER_ROW("toggled_dram", "bit", "bits that toggle: sectors from and to DRAM"),
    MNP_COUNTER_ROW("compared_dram", "bit", "bits compared: sectors from and to DRAM"),
    MNP_COUNTER_ROW("activity_l2", "sector/64",
                    "L2_total_cache_accesses, L2_fills and L2_writebacks times what toggles"),
    MNP_COUNTER_ROW("activity_dram_reads", "sector/64", "total_dram_reads times what toggles"),
    MNP_COUNTER_ROW("activity_dram_writes", "sector/64", "total_dram_writes times what toggles"),
    MNP_COUNTER_ROW("activity_replies", "byte/64", "noc_partition_to_gpc_bytes times what toggles"),
    [GPU_ENERGY_PARTITION_ENERGIES] =
        WEIGHTED("energy_l2", "L2", OF("L2_total_cache_accesses", "l2.sector"), OF("L2_fetches", "l2.sector"),
                 OF("L2_fills", "l2.sector"), OF("L2_writebacks", "l2.sector"), OF("L2_link_bytes", "l2.link"),
                 OF("L2_link_written_bytes", "l2.link"), OF("L2_busy_cycles", "l2.active"),
                 OF("activity_l2", "toggles.l2"), RAISE("l2")),
    WEIGHTED("energy_partition_network", "network: from partitions to GPCs", OF("noc_partition_to_gpc_bytes", "noc"),
             OF("activity_replies", "toggles.network"), RAISE("partition_network")),
    WEIGHTED("energy_dram", "DRAM: commands, and data up to the L2", OF("dram_activates", "dram.activate"),
             OF("total_dram_reads", "dram.read"), OF("dram_fetches", "dram.read"),
             OF("total_dram_writes", "dram.write"), OF("dram_refreshes", "dram.refresh"),
             OF("activity_dram_reads", "toggles.dram"), OF("activity_dram_writes", "toggles.dram")),
    RAISED("l2"),
    RAISED("partition_network"),
    [GPU_ENERGY_TIME] = MNP_ELAPSED_ROW("energy_time", "ps", "time that the energies are of, in whole nanoseconds"),
    MNP_ELAPSED_ROW("energy_static_sm", "pJ", "static power of SMs"),
    MNP_ELAPSED_ROW("energy_static_l2", "pJ", "static power of L2, network and the rest of the chip"),
    MNP_ELAPSED_ROW("energy_static_dram", "pJ", "static power of the DRAM"),
    MNP_ELAPSED_ROW("energy_static_board", "pJ", "static power of the board"),
    WEIGHTED("energy", "energy: SMs, GPCs, L2, network, DRAM, links, switches and static power", SUM("energy_sm"),
             SUM("energy_gpc"), SUM("energy_l2"), SUM("energy_partition_network"), SUM("energy_dram"),
             SUM("energy_links"), SUM("energy_switches"), PASSED("energy_static_sm"), PASSED("energy_static_l2"),
             PASSED("energy_static_dram"), PASSED("energy_static_board")),
    MNP_SCALED_ROW("power", "mW", "mean power: energy by time", "energy", "energy_time", 1),
    [GPU_ENERGY_CORE_CYCLES] =
        MNP_ELAPSED_ROW("core_clock_cycles", "cycle", "cycles of the core clock, which a governor changes"),
    MNP_SCALED_ROW("core_clock", "MHz", "mean core clock under a governor, by whole cycles", "core_clock_cycles",
                   "energy_time", 1000000),
    MNP_COUNTER_ROW("clock_changes", "change", "changes of the clocks by a governor"),
    [GPU_ENERGY_TEMPERATURE_TIME] =
        MNP_ELAPSED_ROW("temperature_time", "degree ps", "degrees Celsius of a chip that warms up, times time"),
    MNP_SCALED_ROW("temperature", "degree", "mean temperature of a chip that warms up, in degrees Celsius",
                   "temperature_time", "energy_time", 1),
    [GPU_ENERGY_LINKS] =
        WEIGHTED("energy_links", "links to other GPUs, at this GPU's end; of copies by engines at both, with who sends",
                 OF("fabric_bytes_out", "link"), OF("fabric_bytes_in", "link"), COPIED_TO_ALL(2, "link")),
    [GPU_ENERGY_SWITCHES] = WEIGHTED(
        "energy_switches", "switches between GPUs, of what they pass on to this GPU, and of copies by its engines",
        OF("switch_bytes", "switch"), COPIED_TO_ALL(1, "switch")),
};

const struct mnp_statistic *gpu_energy_rows(enum gpu_energy_place place, size_t *count)
{
    static const size_t first[] = {GPU_ENERGY_SM_COUNTERS, GPU_ENERGY_GPC_COUNTERS, GPU_ENERGY_PARTITION_COUNTERS,
                                   GPU_ENERGY_TIME, GPU_ENERGY_ROWS};
    *count = first[place + 1] - first[place];
    return gpu_energy_table + first[place];
}

/* ===== a machine's own rows ===== */

struct machine {
    const struct mnp_settings *settings;
    const struct gpu_energy_parameters *p;
    uint64_t hertz; /* core clock that the weights hold at */
};

/* Energies that follow values: counts with an activity, which takes a share of the energy of each. */
static const struct of_values {
    const char *counted, *activity, *key;
} of_values[] = {
    {"L0I_total_cache_accesses", "activity_fetch", "energy.fetch.l0"},
    {"lanes_int", "activity_int", "energy.int"},
    {"lanes_imad", "activity_imad", "energy.imad"},
    {"lanes_fp32", "activity_fp32", "energy.fp32"},
    {"lanes_half", "activity_half", "energy.half"},
    {"lanes_fp64", "activity_fp64", "energy.fp64"},
    {"lanes_sfu", "activity_sfu", "energy.sfu"},
    {"lanes_convert", "activity_convert", "energy.convert"},
    {"tensor_operations_64", "activity_tensor_64", "energy.tensor.bits64"},
    {"tensor_operations_32", "activity_tensor_32", "energy.tensor.bits32"},
    {"tensor_operations_16", "activity_tensor_16", "energy.tensor.bits16"},
    {"tensor_operations_8", "activity_tensor_8", "energy.tensor.bits8"},
    {"tensor_operations_4", "activity_tensor_4", "energy.tensor.bits4"},
    {"register_reads", "activity_reads", "energy.register.read"},
    {"register_writes", "activity_writes", "energy.register.write"},
    {"shared_accesses", "activity_shared", "energy.shared"},
    {"shared_conflict_cycles", "activity_shared", "energy.shared"},
    {"L1D_total_cache_accesses", "activity_global", "energy.l1.sector"},
    {"noc_sm_to_gpc_bytes", "activity_requests", "energy.noc"},
    {"noc_gpc_to_partition_bytes", "activity_gpc_requests", "energy.noc"},
    {"noc_gpc_to_sm_bytes", "activity_gpc_replies", "energy.noc"},
    {"noc_partition_to_gpc_bytes", "activity_replies", "energy.noc"},
    {"L2_total_cache_accesses", "activity_l2", "energy.l2.sector"},
    {"L2_fills", "activity_l2", "energy.l2.sector"},
    {"L2_writebacks", "activity_l2", "energy.l2.sector"},
    {"total_dram_reads", "activity_dram_reads", "energy.dram.read"},
    {"total_dram_writes", "activity_dram_writes", "energy.dram.write"},
};

/* NULL: the statistic has no activity, nor is one. */
static const struct of_values *values_of(const char *statistic)
{
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
        if (strcmp(of_values[i].counted, statistic) == 0 || strcmp(of_values[i].activity, statistic) == 0)
            return &of_values[i];
    return NULL;
}

static bool is_activity(const char *statistic)
{
    return strncmp(statistic, "activity_", strlen("activity_")) == 0;
}

/* The energy that the machine states. DRAM, links and switches have voltages of their own. */
static uint64_t stated_by(const struct machine *machine, const char *key)
{
    uint64_t stated = mnp_settings_number(machine->settings, key);
    bool own = strncmp(key, "energy.dram.", strlen("energy.dram.")) == 0 || strcmp(key, "energy.link") == 0 ||
               strcmp(key, "energy.switch") == 0;
    return own ? stated : gpu_energy_at_clock(machine->p, machine->hertz, stated);
}

/* The energy of a 64th of a count's activity. */
static uint64_t weight_of_activity(uint64_t energy, uint64_t share)
{
    uint64_t weight = (energy * share + 500 * SM_ACTIVITY_RANDOM) / (1000 * SM_ACTIVITY_RANDOM);
    return weight * SM_ACTIVITY_RANDOM <= energy ? weight : energy / SM_ACTIVITY_RANDOM;
}

/* Energies of random data stay as they are: a count and its activity add up to the energy that is stated. `share`: per
 * mille of it that follows values. */
static uint64_t weight_with_values(const struct mnp_term *term, uint64_t energy, uint64_t share)
{
    uint64_t active = weight_of_activity(energy, share);
    return is_activity(term->name) ? active : energy - SM_ACTIVITY_RANDOM * active;
}

/* Without values, what follows them is taken to toggle as typical data do. */
static uint64_t weight_of_typical(const struct machine *machine, uint64_t energy, uint64_t share)
{
    uint64_t quiet = share * (ALL - machine->p->typical);
    return energy - (energy * quiet + ALL * ALL / 2) / (ALL * ALL);
}

/* The key of the share of an energy that follows values: that of its activity's term. */
static const char *share_of(const struct mnp_term *terms, const char *activity)
{
    for (; terms->name; terms++)
        if (strcmp(terms->name, activity) == 0)
            return terms->key;
    mnp_bug(__FILE__, __LINE__, "no energy has the statistic %s", activity);
}

/* Whether an energy is of code, whose words are there without values, too. */
static bool is_of_code(const struct of_values *values)
{
    return strncmp(values->key, "energy.fetch.", strlen("energy.fetch.")) == 0;
}

/* `terms`: all of the same energy. */
static uint64_t weigh(const void *context, const struct mnp_term *terms, const struct mnp_term *term)
{
    const struct machine *machine = context;
    const struct of_values *values = values_of(term->name);
    if (!values || (!machine->p->values && (machine->p->typical == ALL || is_of_code(values))))
        return term->weight * stated_by(machine, term->key);
    uint64_t share = mnp_settings_number(machine->settings, share_of(terms, values->activity));
    uint64_t energy = stated_by(machine, values->key);
    return machine->p->values ? weight_with_values(term, energy, share) : weight_of_typical(machine, energy, share);
}

uint64_t gpu_energy_weight(const struct mnp_settings *settings, const struct gpu_energy_parameters *p, uint64_t hertz,
                           const struct mnp_term *terms, const struct mnp_term *term)
{
    const struct machine machine = {settings, p, hertz};
    return weigh(&machine, terms, term);
}

bool gpu_energy_is_of_voltage(const char *statistic)
{
    return strncmp(statistic, "voltage_", strlen("voltage_")) == 0;
}

static bool is_of_values(const struct mnp_statistic *row)
{
    const struct mnp_statistic *first = gpu_energy_table + GPU_ENERGY_SM_COUNTERS;
    return (row >= first + GPU_ENERGY_COUNTERS && row < first + GPU_ENERGY_VOLTAGE) ||
           (row >= first + GPU_ENERGY_GPC_COUNTERS + 3 && row < first + GPU_ENERGY_GPC_ENERGIES) ||
           (row >= first + GPU_ENERGY_PARTITION_COUNTERS && row < first + GPU_ENERGY_PARTITION_ENERGIES);
}

/* Whether a row is counted on this machine. */
static bool is_counted(const void *context, const struct mnp_statistic *row)
{
    const struct gpu_energy_parameters *p = ((const struct machine *)context)->p;
    if (gpu_energy_is_of_voltage(row->name))
        return gpu_energy_changes(p);
    if (row == gpu_energy_table + GPU_ENERGY_LINKS)
        return p->linked;
    if (row == gpu_energy_table + GPU_ENERGY_SWITCHES)
        return p->switched;
    if (row >= gpu_energy_table + GPU_ENERGY_TEMPERATURE_TIME)
        return p->thermal.model;
    return is_of_values(row) ? p->values : row < gpu_energy_table + GPU_ENERGY_CORE_CYCLES || p->governor;
}

bool gpu_energy_has_term(const struct gpu_energy_parameters *p, const struct mnp_term *term)
{
    if (gpu_energy_is_of_voltage(term->name))
        return gpu_energy_changes(p);
    if (strcmp(term->name, "energy_links") == 0)
        return p->linked;
    if (strcmp(term->name, "energy_switches") == 0)
        return p->switched;
    return p->values || !is_activity(term->name);
}

static bool has_term(const void *context, const struct mnp_term *term)
{
    return gpu_energy_has_term(((const struct machine *)context)->p, term);
}

struct mnp_statistic *gpu_energy_settle(struct mnp_session *session, const struct gpu_energy_parameters *p,
                                        enum gpu_energy_place place, size_t *count)
{
    uint64_t core = mnp_settings_number(session->settings, "clock.core");
    const struct machine machine = {session->settings, p, gpu_energy_changes(p) ? mnp_min(p->lowest, core) : core};
    const struct mnp_weighing weighing = {&machine, is_counted, has_term, weigh};
    size_t rows;
    const struct mnp_statistic *from = gpu_energy_rows(place, &rows);
    return mnp_session_weigh(session, from, rows, &weighing, count);
}

/* ===== the unit ===== */

mnp_time gpu_energy_advance(struct mnp_unit *unit, mnp_time until)
{
    (void)unit, (void)until;
    return MNP_NEVER;
}

/* Milliwatts are picojoules in a nanosecond. */
void gpu_energy_pass(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct gpu_energy_pace *of = unit->self;
    const uint64_t amounts[] = {1000, of->sm, of->l2, of->dram, of->board};
    if (strcmp(unit->model->statistics[row].name, "temperature_time") == 0) { /* its place depends on the governor */
        *pace = (struct mnp_pace){.hertz = UINT64_C(1000000000), .levels = of->temperature_levels};
        return;
    }
    if (row == GPU_ENERGY_CORE_CYCLES - GPU_ENERGY_TIME) {
        *pace = (struct mnp_pace){.hertz = 1, .amount = 1, .course = of->core};
        return;
    }
    MNP_REQUIRE(row < sizeof amounts / sizeof *amounts, "row %zu of the energy does not pass with the time", row);
    const struct mnp_array *levels = row == GPU_ENERGY_STATIC_SM - GPU_ENERGY_TIME   ? of->sm_levels
                                     : row == GPU_ENERGY_STATIC_L2 - GPU_ENERGY_TIME ? of->l2_levels
                                                                                     : NULL;
    *pace = (struct mnp_pace){.hertz = UINT64_C(1000000000), .amount = amounts[row], .levels = levels};
}

struct mnp_unit *gpu_energy_create(struct mnp_engine *engine, const struct mnp_model *model,
                                   const struct gpu_energy_pace *pace, uint32_t slots)
{
    return mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = model,
                                                                  .name = "energy",
                                                                  .self = (void *)(uintptr_t)pace,
                                                                  .hertz = UINT64_C(1000000000),
                                                                  .slots = slots});
}
