/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of traces that can be made. */
#ifndef TRACEGEN_WORKLOADS_H
#define TRACEGEN_WORKLOADS_H

#include "parameters.h"
#include "writer.h"

struct workload {
    const char *name, *help;
    const struct parameter *parameters;
    bool (*write)(struct writer *w, const struct parameters *p);
};

/* linear.c: vectoradd, stream, roofline, gather, atomics */
extern const struct workload workload_vectoradd, workload_stream, workload_roofline, workload_gather, workload_atomics;
/* shared.c: matmul, reduction */
extern const struct workload workload_matmul, workload_reduction;
/* chase.c */
extern const struct workload workload_chase;
/* arithmetic.c: fma, mix, straightline */
extern const struct workload workload_fma, workload_mix, workload_straightline;
/* launches.c: empty, multi */
extern const struct workload workload_empty, workload_multi;
/* micro_cache.c, micro_latency.c, micro_memory.c, micro_shared.c: the programs of a suite of microbenchmarks */
extern const struct workload workload_l1_bw_32f, workload_l1_bw_64f, workload_l1_bw_128, workload_l1_bw_32f_unroll,
    workload_l1_bw_32f_unroll_large, workload_l2_bw_32f, workload_l2_bw_64f;
extern const struct workload workload_l1_lat, workload_l2_lat, workload_mem_lat, workload_shared_lat;
extern const struct workload workload_mem_bw, workload_max_iops;
extern const struct workload workload_shared_bw, workload_l1_shared_bw, workload_shared_bank_conflicts;

/* Where the workloads put their data. */
#define DATA_A UINT64_C(0x7f1000000000)
#define DATA_B UINT64_C(0x7f1100000000)
#define DATA_C UINT64_C(0x7f1200000000)

#endif
