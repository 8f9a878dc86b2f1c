/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of a streaming multiprocessor, as the machine file states them. */
#ifndef GPU_SM_PARAMETERS_H
#define GPU_SM_PARAMETERS_H

#include "contract/instruction.h"
#include "gpu/sm/limits.h"
#include "parts/cache/declare.h"

enum sm_imad_pipe { SM_IMAD_ON_INT, SM_IMAD_ON_FP32 };

/* Effects of a store on the L1; every store also goes on to the L2. */
enum sm_l1d_write {
    SM_WRITE_AROUND,   /* updates a line that is there */
    SM_WRITE_ALLOCATE, /* updates or takes a line, whose other bytes are fetched when they are read */
    SM_WRITE_EVICT,    /* drops a line that is there */
};

/* Times are in cycles of the core clock. `latency` is the distance at which a dependent instruction can issue. */
struct sm_class_parameters {
    uint64_t lanes; /* per sub-core; 0: the machine has no such unit */
    uint64_t latency;
};

/* Places among an SM's counters, where values are looked at. */
struct sm_values_places {
    size_t toggled; /* by enum sm_values_group, bits that toggled, and behind them bits that were compared (values.h) */
    size_t fetch;   /* activity of lines of code */
    size_t sent;    /* by enum sm_sent_counter (sent.h) */
};

struct sm_parameters {
    uint64_t count, subcores, warps, ctas, registers, register_unit;
    uint64_t scheduler; /* enum sm_scheduler_id, of schedulers/list.h; from SM_SCHEDULERS on: */
    struct mnp_chosen called_scheduler;
    uint64_t dependence; /* enum sm_dependence_id, of dependence/list.h */
    uint64_t operands;   /* enum sm_operands_id, of operands/list.h */
    uint64_t operand_ports, operand_blind_ports, operand_banks, operand_units;
    uint64_t war_consumers, imad_pipe, imad_wide, half_on_fp32, special_source, convert_on_sfu;
    uint64_t buffer, fetch_latency, branch_latency, predicate_latency;
    uint64_t barrier_latency, barrier_interval;
    struct sm_class_parameters execution[MNP_CLASS_COUNT]; /* by execution class */
    uint64_t fp32_on_int, fp64_shared, tensor_fp64;
    uint64_t memory_queue, memory_front, memory_lanes, memory_return, memory_wavefront, memory_posted;
    uint64_t lsu_interval, fill_latency, loads, egress;
    uint64_t cross_latency, operand_latency;
    uint64_t shared_max, shared_reserved, shared_unit, shared_banks;
    struct mnp_list shared_options;
    uint64_t texture_latency, texture_interval;
    uint64_t constant_latency, constant_preload, constant_granule;
    struct mnp_cache_parameters constant, l1d, l0i, l1i;
    uint64_t l1d_line, l1d_sector, l1d_mshrs, l1d_merge, l1d_tags, l1d_interval, l1d_together, l1d_written_share;
    uint64_t l1d_write;      /* enum sm_l1d_write */
    uint64_t l1d_prefetcher; /* 0: none; otherwise: */
    struct mnp_chosen prefetcher;
    uint64_t stage; /* 0: none is called; otherwise: */
    struct mnp_chosen called_stage;
    bool tells_pc;                     /* the policy of the L2 asks for the PC of a read */
    const struct mnp_model *model;     /* with the statistics of parts */
    size_t energy_counters;            /* place of those of gpu/energy among an SM's; 0: there are none */
    uint32_t values;                   /* one in so many instructions of a warp is looked at; 0: none (values.h) */
    uint32_t random[SM_VALUES_GROUPS]; /* per mille of the bits that toggle in random data */
    uint32_t sent_random;              /* … in what is sent to the L2 (sent.h) */
    struct sm_values_places places;
    uint64_t l0i_prefetch, l0i_misses;
    uint64_t l1i_line, l1i_latency, l1i_misses;
    uint64_t start_latency, warp_interval;
    uint64_t latency_l1, latency_shared;                               /* stated, issue to dependent issue */
    uint64_t ideal_coalescing, ideal_banks, ideal_local, ideal_bypass, ideal_fences; /* limits that are lifted */
#define SM_STAGE_PARAMETER(FIELD, ROW) uint64_t FIELD;
#include "gpu/sm/stages/rows.h"
};

enum { SM_MAX_TAGS = 32 };

/* Name of a class in keys: "int", "fp32", … */
extern const char *const sm_class_names[MNP_CLASS_COUNT];

#endif
