/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, ports, statistics and state of the CTA dispatcher. */
#include "engine/declare/declare.h"
#include "gpu/dispatch/state.h"

#define MNP_TABLE_OF struct dispatch_parameters

static const char *const orders[] = {
    [DISPATCH_ORDER_SMS] = "sms", [DISPATCH_ORDER_GPCS] = "gpcs", [DISPATCH_ORDERS] = NULL};

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("launch.kernel", "cycle", kernel_latency, "5000", 0, UINT64_C(1) << 40,
                   "request of a kernel to its first CTA, in cycles of latency.clock.core; no clock changes this time",
                   "GPGPU-Sim configurations, kernel launch latency; measured with empty kernels"),
    MNP_NUMBER_ROW("launch.first", "cycle", first, "0", 0, UINT64_C(1) << 40,
                   "what the first launch of a function takes more, in cycles of latency.clock.core; not in a graph",
                   "programs that launch a function once beside ones that launch it up to 500 times, H100 PCIe"),
    MNP_NUMBER_ROW("launch.gap", "cycle", gap, "0", 0, UINT64_C(1) << 40,
                   "of programs: end of a kernel, or of a wait for an event after it, to the request of the next one "
                   "in its stream, if that has been given by then, in cycles of latency.clock.core; none in a graph",
                   "measured with chains of small kernels"),
    MNP_NUMBER_ROW(
        "launch.event", "cycle", record, "0", 0, UINT64_C(1) << 40,
        "for which the record of an event occupies its stream, in cycles of latency.clock.core: adds to launch.gap "
        "where it stands between two kernels; none in a graph",
        "measured with chains of kernels and of events between them"),
    MNP_NUMBER_ROW("launch.graph", "cycle", graph_latency, "0", 0, UINT64_C(1) << 40,
                   "end of a kernel of a CUDA graph to the first CTA of the one behind it there, in cycles of "
                   "latency.clock.core; 0: as launch.kernel",
                   "measured with chains of small kernels"),
    MNP_NUMBER_ROW("launch.cta_interval", "cycle", cta_interval, "1", 1, 1 << 20, "cycles between two CTAs placed",
                   "measured with empty kernels of many CTAs"),
    MNP_NUMBER_ROW("launch.cta_time", "cycle/1000", cta_time, "0", 0, 1 << 30,
                   "thousandths of a core cycle for which a CTA placed occupies the dispatcher; 0: launch.cta_interval",
                   "measured with empty kernels that fill no SM, or less than all"),
    MNP_NUMBER_ROW("launch.end_time", "cycle/1000", end_time, "0", 0, 1 << 30,
                   "thousandths of a core cycle for which the end of a CTA occupies the dispatcher",
                   "measured with empty kernels of many CTAs: what lacks to the time of a CTA once CTAs end"),
    MNP_NUMBER_ROW("launch.to_sm", "cycle", to_sm, "32", 2, DISPATCH_WAY_MAX,
                   "cycles of latency.clock.core between the dispatcher and an SM, each way; goes with clock.noc",
                   "assumed"),
    MNP_CHOICE_ROW(
        "launch.order", order, "sms", orders,
        "SMs on which CTAs are placed one after another: by number, GPC after GPC, or over GPCs in turn, of one of "
        "the l2.halves and the other, then over their TPCs, then over the SMs of a TPC",
        "Ahn et al., MICRO 2021, of a V100; numbers of SMs in clusters of an H100 (docs/hopper.md)"),
    MNP_NUMBER_ROW("launch.concurrent", "kernel", concurrent, "32", 1, DISPATCH_SLOTS - 1,
                   "kernels of different streams that may run at a time",
                   "CUDA C++ programming guide, concurrent kernel execution"),
    MNP_SIZE_ROW("launch.prefetch", "byte", prefetch, "0", 0, 1 << 24,
                 "code of a kernel, from its beginning, that SMs fetch while it is being launched, as far as its "
                 "length is known; 0: SMs fetch when warps do",
                 "NVIDIA open-gpu-doc, PROGRAM_PREFETCH_SIZE of launch descriptors: up to 511 times 256 bytes"),
    MNP_FLAG_ROW("launch.flush_l2", flush_l2, "false",
                 "kernels run one at a time, and each finds the L2 empty, without time or traffic for that",
                 "Nsight Compute, which measures so by default (--cache-control all)"),
};

static const struct mnp_statistic statistics[] = {
    [DISPATCH_GPU_SIM_CYCLE] =
        MNP_ELAPSED_ROW("gpu_sim_cycle", "cycle", "core cycles from launch request to end of the kernel"),
    [DISPATCH_KERNEL_LAUNCH_CYCLE] =
        MNP_COUNTER_ROW("kernel_launch_cycle", "cycle", "launch latency contained in gpu_sim_cycle"),
    [DISPATCH_GPU_CTAS] = MNP_COUNTER_ROW("gpu_ctas", "CTA", "CTAs placed"),
};

static const struct mnp_port ports[] = {
    [DISPATCH_LAUNCH] = MNP_OUT_ROW("launch", "sm", gpu_launch, "CTAs, and the news that a kernel comes or has ended"),
    [DISPATCH_FINISH] = MNP_IN_ROW("finish", "sm", gpu_finish, "CTAs that have ended"),
    [DISPATCH_COPIES] =
        MNP_OPTIONAL_OUT_ROW("copies", "partition", gpu_copy,
                             "host copies, with memcpy_warms_l2; that the L2 is emptied, with launch.flush_l2"),
};

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("kernel", "", "kernels known: phase, CTAs placed and finished, cycles"),
    MNP_STATE_ROW("sms", "", "what is free on each SM"),
    MNP_STATE_ROW("functions", "", "digests of the functions that have run"),
};

const struct mnp_model dispatch_model = {
    .name = "dispatch",
    .summary = "CTA dispatcher: streams, kernel launch, placement of CTAs on SMs",
    MNP_PARAMETERS(parameters),
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(state),
    .relays = true,
    .everywhere = true,
    .lay_out = dispatch_lay_out,
    .freeze = dispatch_freeze,
    .advance = dispatch_advance,
    .nears = dispatch_nears,
    .report = dispatch_report,
    .pace = dispatch_pace,
};
