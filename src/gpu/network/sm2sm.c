/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/network/sm2sm.h"

#include "engine/declare/declare.h"

#define MNP_TABLE_OF struct gpu_sm2sm_parameters

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW(
        "sm2sm.lanes", "lane", lanes, "0", 0, 64,
        "lanes of the SM-to-SM network that the SMs of a CPC share; 0: the machine has no such network, and no "
        "clusters of more than one CTA",
        "Z. Wang, dsm_bw: four lanes fit the bandwidth of an H200"),
    MNP_SIZE_ROW("sm2sm.width", "byte/cycle", width, "32", 1, 4096, "width of a lane, per cycle of clock.sm2sm",
                 "Z. Wang, dsm_bw, H200"),
    MNP_NUMBER_ROW("sm2sm.cpc_sms", "SM", cpc_sms, "6", 1, 64, "SMs of a CPC, among which its lanes are dealt out",
                   "Jin et al., MICRO 2024: a GPC of the H100 has three CPCs of six SMs"),
    MNP_SIZE_ROW("sm2sm.header", "byte", header, "4", 0, 4096, "of a packet with data, beside its sector of 32 bytes",
                 "stores of an SM reach 18.9 of 21.3 bytes per cycle (Z. Wang, dsm_bw, H200)"),
    MNP_SIZE_ROW("sm2sm.command", "byte", command, "8", 1, 4096, "a request to load a sector, or an arrival",
                 "128 bytes take one flit of 32 in the other direction (Z. Wang, dsm_bw, H200)"),
    MNP_SIZE_ROW("sm2sm.answer", "byte", answer, "2", 1, 4096, "the acknowledgement of a sector",
                 "they are gathered: stores in both directions reach 18.1 bytes per cycle (Z. Wang, dsm_bw, H200)"),
    MNP_NUMBER_ROW("sm2sm.requests", "packet", requests, "256", GPU_SM2SM_MOST, 4096,
                   "packets of an SM that have not been answered",
                   "what bandwidth times round trip needs in both directions: an H200 loads and stores 29.5 bytes per "
                   "cycle at once (FlashGPU-Sim), 128 packets would hold them to 22"),
    MNP_NUMBER_ROW("sm2sm.queue", "packet", queue, "8", 1, 4096,
                   "packets before an SM's port from which on its memory pipeline waits", "assumed"),
    MNP_NUMBER_ROW(
        "sm2sm.barrier", "cycle", barrier, "0", 0, 100000,
        "cycles of latency.clock.core between the last arrival at a cluster's barrier, as an SM hears of it, "
        "and its end there",
        "microbenchmarks, see the machine file"),
    MNP_LIST_ROW(
        "sm2sm.reach", "cycle", reach, "[]", 0, 10000,
        "cycles of latency.clock.core by which accesses from and to an SM take longer, by its place in the GPC; "
        "those not stated: 0",
        "Luo et al., arXiv 2402.13499, latencies between pairs of SMs"),
};

const struct mnp_model gpu_sm2sm_model = {
    .name = "sm2sm",
    .summary = "The SM-to-SM network of a GPC, whose ports are parts of SMs: lanes, packets, latencies by pair",
    MNP_PARAMETERS(parameters),
};
