/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energies of a GPU as weighted sums of its statistics. All are in picojoules with three decimals, so that a
 * femtojoule shows; each event is in one energy, and `energy` is the sum of all.
 */
#include "gpu/energy/rows.h"

#include "base/error.h"
#include "engine/declare/declare.h"

#include <string.h>

enum { FJ_PER_PJ = 1000 };

#define WEIGHTED(NAME, HELP, ...) MNP_WEIGHTED_ROW(NAME, "pJ", HELP, FJ_PER_PJ, __VA_ARGS__)
#define OF(STATISTIC, KEY)                                                                                             \
    {                                                                                                                  \
        STATISTIC, 1, "energy." KEY                                                                                    \
    }
#define SUM(STATISTIC)                                                                                                 \
    {                                                                                                                  \
        STATISTIC, 1, NULL                                                                                             \
    } /* an energy, whose count is in femtojoules */
#define PASSED(STATISTIC)                                                                                              \
    {                                                                                                                  \
        STATISTIC, FJ_PER_PJ, NULL                                                                                     \
    }
#define TENSOR(BITS, OPERANDS)                                                                                         \
    [GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_TENSOR##BITS] =                                                               \
        MNP_COUNTER_ROW("tensor_operations_" #BITS, "512 operations", "matrix_operations on operands of " OPERANDS)

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
    [GPU_ENERGY_SM_ENERGIES] =
        WEIGHTED("energy_front", "instructions fetched, decoded, scheduled; uniform, branch and synchronisation",
                 OF("gpgpu_n_tot_w_icount", "instruction"), OF("L0I_total_cache_accesses", "fetch.l0"),
                 OF("L1I_total_cache_accesses", "fetch.l1"), OF("L1I_prefetches", "fetch.l1"),
                 OF("instructions_uniform", "control"), OF("instructions_branch", "control"),
                 OF("instructions_sync", "control")),
    WEIGHTED("energy_registers", "registers read and written", OF("register_reads", "register.read"),
             OF("register_writes", "register.write")),
    WEIGHTED("energy_int", "integer instructions", OF("lanes_int", "int"), OF("lanes_imad", "imad")),
    WEIGHTED("energy_fp32", "single precision", OF("lanes_fp32", "fp32")),
    WEIGHTED("energy_half", "half precision", OF("lanes_half", "half")),
    WEIGHTED("energy_fp64", "double precision", OF("lanes_fp64", "fp64")),
    WEIGHTED("energy_sfu", "special functions and conversions", OF("lanes_sfu", "sfu"), OF("lanes_convert", "convert")),
    WEIGHTED("energy_special", "shuffles, votes and special registers", OF("lanes_special", "special")),
    WEIGHTED("energy_tensor", "tensor cores", OF("tensor_operations_64", "tensor.bits64"),
             OF("tensor_operations_32", "tensor.bits32"), OF("tensor_operations_16", "tensor.bits16"),
             OF("tensor_operations_8", "tensor.bits8"), OF("tensor_operations_4", "tensor.bits4"),
             OF("tmem_cycles", "tmem")),
    WEIGHTED("energy_shared", "shared memory", OF("shared_accesses", "shared"), OF("shared_conflict_cycles", "shared"),
             OF("wgmma_wavefronts", "shared"), OF("tcgen05_wavefronts", "shared")),
    WEIGHTED("energy_l1", "L1 data cache", OF("L1D_tag_wavefronts", "l1.tags"),
             OF("L1D_total_cache_accesses", "l1.sector")),
    WEIGHTED("energy_constant", "constant cache", OF("constant_accesses", "constant")),
    WEIGHTED("energy_tma", "tensor memory accelerators", OF("tma_requests", "tma")),
    WEIGHTED("energy_sm_active", "clocks and schedulers of SMs that have CTAs", OF("sm_active_cycles", "sm.active")),
    WEIGHTED("energy_sm_network", "network: from SMs to GPCs and between SMs", OF("noc_sm_to_gpc_bytes", "noc"),
             OF("sm_to_sm_bytes", "noc")),
    WEIGHTED("energy_sm", "SMs: the sum of the fifteen above, without static power", SUM("energy_front"),
             SUM("energy_registers"), SUM("energy_int"), SUM("energy_fp32"), SUM("energy_half"), SUM("energy_fp64"),
             SUM("energy_sfu"), SUM("energy_special"), SUM("energy_tensor"), SUM("energy_shared"), SUM("energy_l1"),
             SUM("energy_constant"), SUM("energy_tma"), SUM("energy_sm_active"), SUM("energy_sm_network")),
    [GPU_ENERGY_GPC_ENERGIES] = WEIGHTED("energy_gpc", "network: from GPCs to partitions and SMs; code caches of GPCs",
                                         OF("noc_gpc_to_partition_bytes", "noc"), OF("noc_gpc_to_sm_bytes", "noc"),
                                         OF("gpc_code_accesses", "fetch.l1")),
    [GPU_ENERGY_PARTITION_ENERGIES] =
        WEIGHTED("energy_l2", "L2", OF("L2_total_cache_accesses", "l2.sector"), OF("L2_fetches", "l2.sector"),
                 OF("L2_fills", "l2.sector"), OF("L2_writebacks", "l2.sector"), OF("L2_link_bytes", "l2.link"),
                 OF("L2_link_written_bytes", "l2.link")),
    WEIGHTED("energy_partition_network", "network: from partitions to GPCs", OF("noc_partition_to_gpc_bytes", "noc")),
    WEIGHTED("energy_dram", "DRAM: commands, and data up to the L2", OF("dram_activates", "dram.activate"),
             OF("total_dram_reads", "dram.read"), OF("dram_fetches", "dram.read"),
             OF("total_dram_writes", "dram.write"), OF("dram_refreshes", "dram.refresh")),
    [GPU_ENERGY_TIME] = MNP_ELAPSED_ROW("energy_time", "ps", "time that the energies are of, in whole nanoseconds"),
    MNP_ELAPSED_ROW("energy_static_sm", "pJ", "static power of SMs"),
    MNP_ELAPSED_ROW("energy_static_l2", "pJ", "static power of L2, network and the rest of the chip"),
    MNP_ELAPSED_ROW("energy_static_dram", "pJ", "static power of the DRAM"),
    MNP_ELAPSED_ROW("energy_static_board", "pJ", "static power of the board"),
    WEIGHTED("energy", "energy: SMs, GPCs, L2, network, DRAM and static power", SUM("energy_sm"), SUM("energy_gpc"),
             SUM("energy_l2"), SUM("energy_partition_network"), SUM("energy_dram"), PASSED("energy_static_sm"),
             PASSED("energy_static_l2"), PASSED("energy_static_dram"), PASSED("energy_static_board")),
    MNP_SCALED_ROW("power", "mW", "mean power: energy by time", "energy", "energy_time", 1),
};

const struct mnp_statistic *gpu_energy_rows(enum gpu_energy_place place, size_t *count)
{
    static const size_t first[] = {GPU_ENERGY_SM_COUNTERS, GPU_ENERGY_GPC_ENERGIES, GPU_ENERGY_PARTITION_ENERGIES,
                                   GPU_ENERGY_TIME, GPU_ENERGY_ROWS};
    *count = first[place + 1] - first[place];
    return gpu_energy_table + first[place];
}

/* ===== a machine's own rows ===== */

size_t gpu_energy_terms(const struct mnp_statistic *rows, size_t count)
{
    size_t terms = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct mnp_term *term = rows[i].with; term; term = term->name ? term + 1 : NULL)
            terms++;
    return terms;
}

/* The DRAM has a voltage of its own. */
static uint64_t weight_of(const struct mnp_term *term, const struct mnp_settings *machine,
                          const struct gpu_energy_parameters *p)
{
    if (!term->key)
        return term->weight;
    uint64_t stated = mnp_settings_number(machine, term->key);
    bool dram = strncmp(term->key, "energy.dram.", strlen("energy.dram.")) == 0;
    return term->weight * (dram ? stated : gpu_energy_at_clock(p, mnp_settings_number(machine, "clock.core"), stated));
}

void gpu_energy_settle(const struct mnp_statistic *from, size_t count, const struct mnp_settings *machine,
                       const struct gpu_energy_parameters *p, struct mnp_statistic *rows, struct mnp_term *terms)
{
    for (size_t i = 0; i < count; i++) {
        rows[i] = from[i];
        if (!from[i].with)
            continue;
        rows[i].with = terms;
        for (const struct mnp_term *term = from[i].with; term->name; term++)
            *terms++ = (struct mnp_term){term->name, weight_of(term, machine, p), NULL};
        *terms++ = (struct mnp_term){0};
    }
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
    MNP_REQUIRE(row < sizeof amounts / sizeof *amounts, "row %zu of the energy does not pass with the time", row);
    *pace = (struct mnp_pace){.hertz = UINT64_C(1000000000), .amount = amounts[row]};
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
