/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the GPC. */
#include "engine/declare/declare.h"
#include "gpu/gpc/gpc.h"
#include "gpu/gpc/state.h"

#define MNP_TABLE_OF struct gpu_gpc_parameters

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("gpc.count", "GPC", count, NULL, 1, 1024,
                   "GPCs of the machine; the SMs are dealt out to them as evenly as possible", "NVIDIA whitepapers"),
    MNP_LIST_ROW("gpc.sms", "SM", sms, "[]", 1, 1024, "SMs of each GPC, where they are not dealt out evenly",
                 "NVIDIA whitepapers; measurements of single chips"),
    MNP_LIST_ROW("gpc.groups", "SM", groups, "[]", 1, 1024,
                 "groups of SMs that hold clusters, in the order of SMs; none: each GPC is one",
                 "ClusterSim, SM90_H100: what the scheduler of an H100 SXM sees"),
    MNP_QUIET_NUMBER_ROW("gpc.port_sms", "SM", port_sms, "1", 1, 1024,
                         "neighbouring SMs of a GPC that share a port of the network, in either direction; 1: each has "
                         "its own. Executor pool gives such SMs to a thread together",
                         "GPGPU-Sim: the clusters of its configurations; Sachs et al.: two SMs of an H100"),
    MNP_SIZE_ROW("gpc.reply_width", "byte/cycle", reply_width, "0", 0, 1 << 20,
                 "bytes that all SMs of a GPC take together per network cycle, headers included; 0: as many as their "
                 "ports take",
                 "Jin et al., Uncovering Real GPU NoC Characteristics, MICRO 2024: rates of the SMs of a GPC"),
    MNP_CACHE_SIZE_PARAMETERS(
        "gpc.code.", code, "128KiB", 0, 1 << 24,
        "cache of code and constants that the SMs of a GPC share; 0: none, each SM asks the L2",
        "that there is one: empty kernels on one and on all SMs of an H100 PCIe; its size is assumed", "16", 4096,
        "associativity of that cache", "assumed"),
    MNP_CACHE_POLICY_PARAMETERS("gpc.code.", code, "assumed"),
};

static const struct mnp_port ports[] = {
    [GPU_GPC_SM_REQUESTS] = MNP_IN_ROW("sm requests", "sm", gpu_request, "one link from each SM, credited"),
    [GPU_GPC_SM_CREDITS] = MNP_OUT_ROW("sm credits", "sm", gpu_credit, "places given back in an SM's queue"),
    [GPU_GPC_SM_REPLIES] = MNP_OUT_ROW("sm replies", "sm", gpu_reply, "one link to each SM; SMs always accept"),
    [GPU_GPC_REQUESTS] = MNP_OUT_ROW("requests", "", gpu_request, "one link to each partition and hub, credited"),
    [GPU_GPC_REQUEST_CREDITS] =
        MNP_IN_ROW("request credits", "", gpu_credit, "places given back in the queues of a partition or hub"),
    [GPU_GPC_REPLIES] = MNP_IN_ROW("replies", "", gpu_reply, "one link from each partition and hub, credited"),
    [GPU_GPC_REPLY_CREDITS] = MNP_OUT_ROW("reply credits", "", gpu_credit, "places given back in this GPC's queues"),
    [GPU_GPC_SM_VALUES] = MNP_OPTIONAL_IN_ROW("sm values", "sm", gpu_values,
                                              "operands of accesses that the L2 performs, when programs are executed"),
    [GPU_GPC_SM_RESULTS] = MNP_OPTIONAL_OUT_ROW("sm results", "sm", gpu_values, "what such accesses have read"),
    [GPU_GPC_VALUES] = MNP_OPTIONAL_OUT_ROW("values", "", gpu_values, "such operands, to the partition of their line"),
    [GPU_GPC_RESULTS] = MNP_OPTIONAL_IN_ROW("results", "", gpu_values, "what such accesses have read there"),
    [GPU_GPC_SM_TOUCHES] = MNP_OPTIONAL_IN_ROW("sm touches", "sm", gpu_touch, "what is passed over, with --steady"),
    [GPU_GPC_TOUCHES] =
        MNP_OPTIONAL_OUT_ROW("touches", "partition", gpu_touch, "the same, to the partition of its line"),
};

static const struct mnp_statistic statistics[] = {
    [GPU_PACKETS_TO_MEMORY] =
        MNP_COUNTER_ROW("icnt_total_pkts_simt_to_mem", "packet", "requests that entered the network from SMs"),
    [GPU_GPC_PACKETS_TO_SMS] = MNP_COUNTER_ROW("gpc_replies", "packet", "replies passed on to SMs"),
    [GPU_GPC_REQUEST_WAIT] = MNP_COUNTER_ROW("gpc_request_wait_cycles", "cycle",
                                             "network cycles that requests waited for port or credit, summed"),
    [GPU_GPC_REPLY_WAIT] = MNP_COUNTER_ROW("gpc_reply_wait_cycles", "cycle",
                                           "network cycles that replies waited for their SM's port, summed"),
    [GPU_GPC_REQUEST_BUSY] = MNP_COUNTER_ROW("gpc_request_port_busy_cycles", "cycle",
                                             "cycles for which ports towards partitions were occupied"),
    [GPU_GPC_REQUEST_CYCLES] =
        MNP_ELAPSED_ROW("gpc_request_port_cycles", "cycle", "cycles of all these ports, busy or not"),
    [GPU_GPC_REQUEST_UTILISATION] = MNP_PERCENT_ROW("gpc_request_utilisation", "port cycles used towards partitions",
                                                    "gpc_request_port_busy_cycles", "gpc_request_port_cycles"),
    [GPU_GPC_REPLY_BUSY] =
        MNP_COUNTER_ROW("gpc_reply_port_busy_cycles", "cycle", "cycles for which ports towards SMs were occupied"),
    [GPU_GPC_REPLY_CYCLES] =
        MNP_ELAPSED_ROW("gpc_reply_port_cycles", "cycle", "cycles of all these ports, busy or not"),
    [GPU_GPC_CODE_REQUESTS] =
        MNP_COUNTER_ROW("gpc_code_accesses", "packet", "requests for lines of code and constants"),
    [GPU_GPC_CODE_MISSES] = MNP_COUNTER_ROW("gpc_code_misses", "packet", "those that went on to the L2"),
    [GPU_GPC_REPLY_UTILISATION] = MNP_PERCENT_ROW("gpc_reply_utilisation", "port cycles used towards SMs",
                                                  "gpc_reply_port_busy_cycles", "gpc_reply_port_cycles"),
    [GPU_GPC_TO_PARTITION_BYTES] =
        MNP_COUNTER_ROW("noc_gpc_to_partition_bytes", "byte", "requests from GPCs to partitions, headers included"),
    [GPU_GPC_TO_PARTITION_PEAK] =
        MNP_ELAPSED_ROW("noc_gpc_to_partition_peak_bytes", "byte", "what the width of these ports allows"),
    [GPU_GPC_TO_PARTITION_UTILISATION] =
        MNP_PERCENT_ROW("noc_gpc_to_partition_utilisation", "bytes moved from GPCs to partitions, of the peak",
                        "noc_gpc_to_partition_bytes", "noc_gpc_to_partition_peak_bytes"),
    [GPU_GPC_TO_SM_BYTES] =
        MNP_COUNTER_ROW("noc_gpc_to_sm_bytes", "byte", "replies from GPCs to SMs, headers included"),
    [GPU_GPC_TO_SM_PEAK] = MNP_ELAPSED_ROW("noc_gpc_to_sm_peak_bytes", "byte", "what the width of these ports allows"),
    [GPU_GPC_TO_SM_UTILISATION] =
        MNP_PERCENT_ROW("noc_gpc_to_sm_utilisation", "bytes moved from GPCs to SMs, of the peak", "noc_gpc_to_sm_bytes",
                        "noc_gpc_to_sm_peak_bytes"),
};

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("queues", "packet", "requests of each SM, replies for each SM"),
    MNP_STATE_ROW("code", "", "tags of the cache of code, lines on their way, SMs that wait for them"),
    MNP_STATE_ROW("ports", "", "how long each port is occupied, whose turn it is"),
    MNP_STATE_ROW("credits", "packet", "credits held towards each partition, and owed to each SM and partition"),
};

const struct mnp_model gpu_gpc_model = {
    .name = "gpc",
    .domain = MNP_DOMAIN_MEMORY,
    .relays = true,
    .summary = "A GPC: concentrates its SMs' requests onto the crossbar and hands replies out to them.",
    MNP_PARAMETERS(parameters),
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(state),
    .lay_out = gpu_gpc_lay_out,
    .freeze = gpu_gpc_freeze,
    .advance = gpu_gpc_advance,
    .report = gpu_gpc_report,
    .wait = gpu_gpc_wait,
    .pace = gpu_gpc_pace,
};
