/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, statistics and state of the hub. Its parameters are the fabric's. */
#include "engine/declare/declare.h"
#include "gpu/hub/state.h"

static const struct mnp_port ports[] = {
    [GPU_HUB_REQUESTS] = MNP_IN_ROW("requests", "gpc", gpu_request, "for other devices, one link from each GPC"),
    [GPU_HUB_REQUEST_CREDITS] = MNP_OUT_ROW("request credits", "gpc", gpu_credit, "places given back in its queue"),
    [GPU_HUB_REPLIES] = MNP_OUT_ROW("replies", "gpc", gpu_reply, "of other devices, one link to each GPC"),
    [GPU_HUB_REPLY_CREDITS] = MNP_IN_ROW("reply credits", "gpc", gpu_credit, "places given back in a GPC's queues"),
    [GPU_HUB_VALUES] = MNP_OPTIONAL_IN_ROW("values", "gpc", gpu_values,
                                           "operands of accesses performed elsewhere, when programs are executed"),
    [GPU_HUB_RESULTS] = MNP_OPTIONAL_OUT_ROW("results", "gpc", gpu_values, "what such accesses have read"),
    [GPU_HUB_HOME_REQUESTS] =
        MNP_OUT_ROW("home requests", "partition", gpu_request, "of other devices, one link to each partition"),
    [GPU_HUB_HOME_REQUEST_CREDITS] =
        MNP_IN_ROW("home request credits", "partition", gpu_credit, "places given back in a partition's queues"),
    [GPU_HUB_HOME_REPLIES] =
        MNP_IN_ROW("home replies", "partition", gpu_reply, "for other devices, one link from each partition"),
    [GPU_HUB_HOME_REPLY_CREDITS] =
        MNP_OUT_ROW("home reply credits", "partition", gpu_credit, "places given back in the hub's queues"),
    [GPU_HUB_HOME_VALUES] = MNP_OPTIONAL_OUT_ROW("home values", "partition", gpu_values,
                                                 "operands of accesses performed here for other devices"),
    [GPU_HUB_HOME_RESULTS] =
        MNP_OPTIONAL_IN_ROW("home results", "partition", gpu_values, "what such accesses have read"),
    [GPU_HUB_LANES_OUT] = MNP_OUT_ROW("lanes out", "", gpu_transfer, "one link for each lane, credited in flits"),
    [GPU_HUB_LANES_IN] = MNP_IN_ROW("lanes in", "", gpu_transfer, "one link for each lane, credited in flits"),
    [GPU_HUB_LANE_CREDITS_OUT] =
        MNP_OUT_ROW("lane credits out", "", gpu_lane_credit, "flits given back in this hub's buffers"),
    [GPU_HUB_LANE_CREDITS_IN] =
        MNP_IN_ROW("lane credits in", "", gpu_lane_credit, "flits given back in the buffers at the lane's other end"),
    [GPU_HUB_FAR_VALUES_OUT] =
        MNP_OPTIONAL_OUT_ROW("far values out", "hub", gpu_values, "operands, one link to each device"),
    [GPU_HUB_FAR_VALUES_IN] =
        MNP_OPTIONAL_IN_ROW("far values in", "hub", gpu_values, "operands, one link from each device"),
    [GPU_HUB_FAR_RESULTS_OUT] =
        MNP_OPTIONAL_OUT_ROW("far results out", "hub", gpu_values, "what was read here, one link to each device"),
    [GPU_HUB_FAR_RESULTS_IN] =
        MNP_OPTIONAL_IN_ROW("far results in", "hub", gpu_values, "what was read there, one link from each device"),
};

#define DATA_TO(DEVICE)                                                                                                \
    [GPU_HUB_DATA_TO + (DEVICE)] = MNP_COUNTER_ROW("fabric_data_to_gpu" #DEVICE, "byte",                               \
                                                   "data sent to that GPU: written there, or read from here"),         \
                       [GPU_HUB_COPIED_TO + (DEVICE)] =                                                                \
                           MNP_COUNTER_ROW("fabric_copied_to_gpu" #DEVICE, "byte",                                     \
                                           "data sent to that GPU by copy engines, which no other row has")

#define LINK(NUMBER)                                                                                                   \
    [GPU_HUB_LINK_OUT + (NUMBER)] =                                                                                    \
        MNP_COUNTER_ROW("fabric_link" #NUMBER "_out", "byte", "bytes sent by link " #NUMBER),                          \
                        [GPU_HUB_LINK_IN + (NUMBER)] =                                                                 \
                            MNP_COUNTER_ROW("fabric_link" #NUMBER "_in", "byte", "bytes received by link " #NUMBER)

static const struct mnp_statistic statistics[] = {
    [GPU_HUB_READS] = MNP_COUNTER_ROW("fabric_reads", "packet", "reads of other GPUs' memory"),
    [GPU_HUB_WRITES] = MNP_COUNTER_ROW("fabric_writes", "packet", "writes to other GPUs' memory"),
    [GPU_HUB_ATOMICS] = MNP_COUNTER_ROW("fabric_atomics", "packet", "atomics and reductions on other GPUs' memory"),
    [GPU_HUB_ANSWERED] = MNP_COUNTER_ROW("fabric_replies", "packet", "replies and acknowledgements of other GPUs"),
    [GPU_HUB_LATENCY] = MNP_COUNTER_ROW("fabric_latency_cycles", "cycle",
                                        "network cycles between request and reply at the GPU's hub, summed"),
    [GPU_HUB_MEAN_LATENCY] = MNP_RATIO_ROW("fabric_mean_latency", "cycle", "network cycles of one of these",
                                           "fabric_latency_cycles", "fabric_replies"),
    [GPU_HUB_MOST_LATENCY] = MNP_MAXIMUM_ROW("fabric_max_latency", "cycle", "network cycles of the longest of these"),
    [GPU_HUB_SERVED] = MNP_COUNTER_ROW("fabric_served", "packet", "requests of other GPUs to this GPU's memory"),
    [GPU_HUB_PACKETS_OUT] = MNP_COUNTER_ROW("fabric_packets_out", "packet", "packets sent by the GPU's links"),
    [GPU_HUB_PACKETS_IN] = MNP_COUNTER_ROW("fabric_packets_in", "packet", "packets received by the GPU's links"),
    [GPU_HUB_DATA_OUT] = MNP_COUNTER_ROW("fabric_data_out", "byte", "data sent: written elsewhere, or read here"),
    [GPU_HUB_DATA_IN] = MNP_COUNTER_ROW("fabric_data_in", "byte", "data received: read elsewhere, or written here"),
    [GPU_HUB_BYTES_OUT] = MNP_COUNTER_ROW("fabric_bytes_out", "byte", "bytes sent, headers included"),
    [GPU_HUB_BYTES_IN] = MNP_COUNTER_ROW("fabric_bytes_in", "byte", "bytes received, headers included"),
    [GPU_HUB_PEAK] = MNP_ELAPSED_ROW("fabric_peak_bytes", "byte", "what the GPU's links could move in each direction"),
    [GPU_HUB_OUT_UTILISATION] =
        MNP_PERCENT_ROW("fabric_out_utilisation", "bytes sent, of the peak", "fabric_bytes_out", "fabric_peak_bytes"),
    [GPU_HUB_IN_UTILISATION] =
        MNP_PERCENT_ROW("fabric_in_utilisation", "bytes received, of the peak", "fabric_bytes_in", "fabric_peak_bytes"),
    [GPU_HUB_READ_BYTES] = MNP_COUNTER_ROW("fabric_read_bytes", "byte", "bytes sent as requests to read"),
    [GPU_HUB_WRITE_BYTES] = MNP_COUNTER_ROW("fabric_write_bytes", "byte", "bytes sent as writes, headers included"),
    [GPU_HUB_ATOMIC_BYTES] =
        MNP_COUNTER_ROW("fabric_atomic_bytes", "byte", "bytes sent as atomics and reductions, headers included"),
    [GPU_HUB_REPLY_BYTES] =
        MNP_COUNTER_ROW("fabric_reply_bytes", "byte", "bytes sent as replies with data, headers included"),
    [GPU_HUB_ACKNOWLEDGEMENT_BYTES] =
        MNP_COUNTER_ROW("fabric_acknowledgement_bytes", "byte", "bytes sent as replies without data"),
    [GPU_HUB_PAYLOAD] =
        MNP_PERCENT_ROW("fabric_payload", "data, of the bytes sent", "fabric_data_out", "fabric_bytes_out"),
    [GPU_HUB_QUEUE_WAIT] = MNP_COUNTER_ROW("fabric_queue_wait_cycles", "cycle",
                                           "network cycles that packets waited for lane or credit, summed"),
    DATA_TO(0),
    DATA_TO(1),
    DATA_TO(2),
    DATA_TO(3),
    DATA_TO(4),
    DATA_TO(5),
    DATA_TO(6),
    DATA_TO(7),
    DATA_TO(8),
    DATA_TO(9),
    DATA_TO(10),
    DATA_TO(11),
    DATA_TO(12),
    DATA_TO(13),
    DATA_TO(14),
    DATA_TO(15),
    [GPU_HUB_DATA_TO_MANY] =
        MNP_COUNTER_ROW("fabric_data_multicast", "byte", "data sent to multicast objects, once for all of their GPUs"),
    [GPU_HUB_LINK_PEAK] =
        MNP_ELAPSED_ROW("fabric_link_peak_bytes", "byte", "what one link could move in each direction"),
    LINK(0),
    LINK(1),
    LINK(2),
    LINK(3),
    LINK(4),
    LINK(5),
    LINK(6),
    LINK(7),
    LINK(8),
    LINK(9),
    LINK(10),
    LINK(11),
    LINK(12),
    LINK(13),
    LINK(14),
    LINK(15),
    LINK(16),
    LINK(17),
    [GPU_HUB_LINK_OUT_LAST] = MNP_COUNTER_ROW("fabric_links_more_out", "byte", "bytes sent by links from 18 on"),
    [GPU_HUB_LINK_IN_LAST] = MNP_COUNTER_ROW("fabric_links_more_in", "byte", "bytes received by links from 18 on"),
    [GPU_HUB_LATENCIES] =
        MNP_HISTOGRAM_ROW("fabric_latency", "cycle", "network cycles between request and reply", GPU_LATENCY_BINS),
};

_Static_assert(MNP_SPACE_DEVICES == 16, "a row of data for each device");
_Static_assert(GPU_HUB_LINKS == 18, "two rows for each link");

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("table", "request", "requests under way: who asks, since when"),
    MNP_STATE_ROW("queues", "packet", "from GPCs, from partitions, before each lane and behind it"),
    MNP_STATE_ROW("lanes", "", "when each is free, flits held and owed"),
};

const struct mnp_model gpu_hub_model = {
    .name = "hub",
    .domain = MNP_DOMAIN_MEMORY,
    .relays = true,
    .summary = "The hub of a GPU: the group of its ports to other GPUs, and the lanes behind them.",
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(state),
    .lay_out = gpu_hub_lay_out,
    .freeze = gpu_hub_freeze,
    .advance = gpu_hub_advance,
    .pace = gpu_hub_pace,
    .report = gpu_hub_report,
};
