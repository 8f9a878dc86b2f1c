/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the GPC. */
#include "gpu/gpc/gpc.h"
#include "gpu/gpc/state.h"

const struct mnp_parameter gpu_gpc_table[] = {
    {"gpc.count", MNP_UINT, "GPC", offsetof(struct gpu_gpc_parameters, count), NULL, 1, 1024, NULL,
     "GPCs of the machine; the SMs are dealt out to them as evenly as possible", "NVIDIA whitepapers"},
    {"gpc.code.size", MNP_SIZE, "byte", offsetof(struct gpu_gpc_parameters, code_size), "128KiB", 0, 1 << 24, NULL,
     "cache of code and constants that the SMs of a GPC share; 0: none, each SM asks the L2",
     "that there is one: empty kernels on one and on all SMs of an H100 PCIe; its size is assumed"},
    {"gpc.code.ways", MNP_UINT, "way", offsetof(struct gpu_gpc_parameters, code_ways), "16", 1, 4096, NULL,
     "associativity of that cache", "assumed"},
    {"gpc.code.replacement", MNP_CHOICE, "", offsetof(struct gpu_gpc_parameters, code_replacement), "lru", 0, 0,
     mnp_replacement_names, mnp_replacement_help, "assumed"},
};
const size_t gpu_gpc_table_rows = sizeof gpu_gpc_table / sizeof *gpu_gpc_table;

static const struct mnp_port ports[] = {
    {"sm requests", "in", "sm", "gpu_request", "one link from each SM, credited"},
    {"sm credits", "out", "sm", "gpu_credit", "places given back in an SM's queue"},
    {"sm replies", "out", "sm", "gpu_reply", "one link to each SM; SMs always accept"},
    {"requests", "out", "partition", "gpu_request", "one link to each partition, credited"},
    {"request credits", "in", "partition", "gpu_credit", "places given back in a partition's queues"},
    {"replies", "in", "partition", "gpu_reply", "one link from each partition, credited"},
    {"reply credits", "out", "partition", "gpu_credit", "places given back in this GPC's queues"},
};

#define COUNTER(name, unit, help) {name, MNP_COUNTER, unit, help, NULL, NULL, 0, 0}
#define ELAPSED(name, unit, help) {name, MNP_ELAPSED, unit, help, NULL, NULL, 0, 0}
#define PERCENT(name, help, numerator, denominator) {name, MNP_RATIO, "%", help, numerator, denominator, 100, 0}

static const struct mnp_statistic statistics[GPU_GPC_STATISTICS] = {
    [GPU_PACKETS_TO_MEMORY] =
        COUNTER("icnt_total_pkts_simt_to_mem", "packet", "requests that entered the network from SMs"),
    [GPU_GPC_PACKETS_TO_SMS] = COUNTER("gpc_replies", "packet", "replies passed on to SMs"),
    [GPU_GPC_REQUEST_WAIT] =
        COUNTER("gpc_request_wait_cycles", "cycle", "network cycles that requests waited for port or credit, summed"),
    [GPU_GPC_REPLY_WAIT] =
        COUNTER("gpc_reply_wait_cycles", "cycle", "network cycles that replies waited for their SM's port, summed"),
    [GPU_GPC_REQUEST_BUSY] =
        COUNTER("gpc_request_port_busy_cycles", "cycle", "cycles for which ports towards partitions were occupied"),
    [GPU_GPC_REQUEST_CYCLES] = ELAPSED("gpc_request_port_cycles", "cycle", "cycles of all these ports, busy or not"),
    [GPU_GPC_REQUEST_UTILISATION] = PERCENT("gpc_request_utilisation", "port cycles used towards partitions",
                                            "gpc_request_port_busy_cycles", "gpc_request_port_cycles"),
    [GPU_GPC_REPLY_BUSY] =
        COUNTER("gpc_reply_port_busy_cycles", "cycle", "cycles for which ports towards SMs were occupied"),
    [GPU_GPC_REPLY_CYCLES] = ELAPSED("gpc_reply_port_cycles", "cycle", "cycles of all these ports, busy or not"),
    [GPU_GPC_CODE_REQUESTS] = COUNTER("gpc_code_accesses", "packet", "requests for lines of code and constants"),
    [GPU_GPC_CODE_MISSES] = COUNTER("gpc_code_misses", "packet", "those that went on to the L2"),
    [GPU_GPC_REPLY_UTILISATION] = PERCENT("gpc_reply_utilisation", "port cycles used towards SMs",
                                          "gpc_reply_port_busy_cycles", "gpc_reply_port_cycles"),
    [GPU_GPC_TO_PARTITION_BYTES] =
        COUNTER("noc_gpc_to_partition_bytes", "byte", "requests from GPCs to partitions, headers included"),
    [GPU_GPC_TO_PARTITION_PEAK] =
        ELAPSED("noc_gpc_to_partition_peak_bytes", "byte", "what the width of these ports allows"),
    [GPU_GPC_TO_PARTITION_UTILISATION] =
        PERCENT("noc_gpc_to_partition_utilisation", "bytes moved from GPCs to partitions, of the peak",
                "noc_gpc_to_partition_bytes", "noc_gpc_to_partition_peak_bytes"),
    [GPU_GPC_TO_SM_BYTES] = COUNTER("noc_gpc_to_sm_bytes", "byte", "replies from GPCs to SMs, headers included"),
    [GPU_GPC_TO_SM_PEAK] = ELAPSED("noc_gpc_to_sm_peak_bytes", "byte", "what the width of these ports allows"),
    [GPU_GPC_TO_SM_UTILISATION] = PERCENT("noc_gpc_to_sm_utilisation", "bytes moved from GPCs to SMs, of the peak",
                                          "noc_gpc_to_sm_bytes", "noc_gpc_to_sm_peak_bytes"),
};

static const struct mnp_state_field state[] = {
    {"queues", "packet", "requests of each SM, replies for each SM"},
    {"code", "", "tags of the cache of code, lines on their way, SMs that wait for them"},
    {"ports", "", "how long each port is occupied, whose turn it is"},
    {"credits", "packet", "credits held towards each partition, and owed to each SM and partition"},
    {"link", "", "when its share of the link between parts of the L2 is free, whose turn it is"},
};

const struct mnp_model gpu_gpc_model = {
    .name = "gpc",
    .domain = MNP_DOMAIN_MEMORY,
    .summary = "A GPC: concentrates its SMs' requests onto the crossbar and hands replies out to them.",
    .parameters = gpu_gpc_table,
    .parameter_count = sizeof gpu_gpc_table / sizeof *gpu_gpc_table,
    .ports = ports,
    .port_count = sizeof ports / sizeof *ports,
    .statistics = statistics,
    .statistic_count = GPU_GPC_STATISTICS,
    .state = state,
    .state_count = sizeof state / sizeof *state,
    .advance = gpu_gpc_advance,
    .report = gpu_gpc_report,
    .wait = gpu_gpc_wait,
    .pace = gpu_gpc_pace,
};
