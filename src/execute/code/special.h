/* SPDX-License-Identifier: BSD-3-Clause */
/* Special registers (ISA 9.0, chapter 10). Those from EXECUTE_SPECIAL_FIXED on change while a warp runs. */
#ifndef EXECUTE_SPECIAL_H
#define EXECUTE_SPECIAL_H

/* enumerator, name, bytes */
/* clang-format off */
#define EXECUTE_SPECIALS(X)                                                                                     \
    X(TID_X, "%tid.x", 4) X(TID_Y, "%tid.y", 4) X(TID_Z, "%tid.z", 4)                                           \
    X(NTID_X, "%ntid.x", 4) X(NTID_Y, "%ntid.y", 4) X(NTID_Z, "%ntid.z", 4)                                     \
    X(CTAID_X, "%ctaid.x", 4) X(CTAID_Y, "%ctaid.y", 4) X(CTAID_Z, "%ctaid.z", 4)                               \
    X(NCTAID_X, "%nctaid.x", 4) X(NCTAID_Y, "%nctaid.y", 4) X(NCTAID_Z, "%nctaid.z", 4)                         \
    X(VIRTID, "256 * %warpid", 4) X(LANEID, "%laneid", 4) X(WARPID, "%warpid", 4)                               \
    X(NWARPID, "%nwarpid", 4) X(SMID, "%smid", 4)               \
    X(NSMID, "%nsmid", 4) X(GRIDID, "%gridid", 8) X(LANEMASK_EQ, "%lanemask_eq", 4)                             \
    X(LANEMASK_LE, "%lanemask_le", 4) X(LANEMASK_LT, "%lanemask_lt", 4)                                         \
    X(LANEMASK_GE, "%lanemask_ge", 4) X(LANEMASK_GT, "%lanemask_gt", 4)                                         \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", 4) X(TOTAL_SMEM_SIZE, "%total_smem_size", 4)                     \
    X(AGGR_SMEM_SIZE, "%aggr_smem_size", 4)                                                                     \
    X(CLUSTERID_X, "%clusterid.x", 4) X(CLUSTERID_Y, "%clusterid.y", 4) X(CLUSTERID_Z, "%clusterid.z", 4)       \
    X(NCLUSTERID_X, "%nclusterid.x", 4) X(NCLUSTERID_Y, "%nclusterid.y", 4) X(NCLUSTERID_Z, "%nclusterid.z", 4) \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x", 4) X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", 4)                         \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", 4)                                                                   \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", 4) X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", 4)                     \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", 4)                                                                 \
    X(CLUSTER_INVERSE_X, "1/%cluster_nctaid.x", 4) X(CLUSTER_INVERSE_Y, "1/%cluster_nctaid.y", 4)               \
    X(CLUSTER_INVERSE_Z, "1/%cluster_nctaid.z", 4) /* float */                                                  \
    X(CLUSTER_CTARANK, "%cluster_ctarank", 4) X(CLUSTER_NCTARANK, "%cluster_nctarank", 4)                       \
    X(EXPLICIT_CLUSTER, "%is_explicit_cluster", 4) X(RESERVED_SMEM_0, "%reserved_smem_offset_0", 4)             \
    X(RESERVED_SMEM_1, "%reserved_smem_offset_1", 4) X(ENVREG1, "%envreg1", 4)                                  \
    X(ENVREG2, "%envreg2", 4) X(CLOCK, "%clock", 4) X(CLOCK_HI, "%clock_hi", 4)                                 \
    X(CLOCK64, "%clock64", 8) X(GLOBALTIMER, "%globaltimer", 8)                                                 \
    X(GLOBALTIMER_LO, "%globaltimer_lo", 4) X(GLOBALTIMER_HI, "%globaltimer_hi", 4)
/* clang-format on */

enum execute_special {
#define X(enumerator, name, bytes) EXECUTE_SPECIAL_##enumerator,
    EXECUTE_SPECIALS(X)
#undef X
        EXECUTE_SPECIAL_COUNT,
    EXECUTE_SPECIAL_FIXED = EXECUTE_SPECIAL_CLOCK,
};

#endif
