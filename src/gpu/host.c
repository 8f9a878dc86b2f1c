/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/host.h"

#define ROW(KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                                        \
    {                                                                                                                  \
        .key = KEY, .type = MNP_UINT, .unit = UNIT, .offset = offsetof(struct gpu_host_parameters, FIELD),             \
        .fallback = FALLBACK, .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE                           \
    }

const struct mnp_parameter gpu_host_table[] = {
    ROW("host.call", "ns", call, "1000", 1, 1000000000, "time of the host that a call of the CUDA runtime takes",
        "assumed"),
    ROW("host.copy.latency", "ns", copy_latency, "5000", 0, 1000000000,
        "a copy between host and device before its first byte", "assumed"),
    ROW("host.copy.rate", "MB/s", copy_rate, "16000", 1, 100000000,
        "bytes of a copy per microsecond, for each direction", "about half of what PCIe 4.0 x16 states"),
    ROW("host.fill.latency", "ns", fill_latency, "5000", 0, 1000000000,
        "a fill, or a copy inside the device, before its first byte", "assumed"),
    ROW("host.fill.rate", "MB/s", fill_rate, "512000", 1, UINT64_C(10000000000),
        "bytes of a fill, or of a copy inside the device, per microsecond", "assumed"),
    {.key = "host.slack",
     .type = MNP_SIZE,
     .unit = "byte",
     .offset = offsetof(struct gpu_host_parameters, slack),
     .fallback = "0",
     .maximum = UINT64_C(1) << 30,
     .help = "how far outside of an allocation kernels may access memory, as they may on hardware inside a page; 0: "
             "that is an error",
     .source = "CUDA driver API: device memory is mapped in pages of 2 MiB"},
};
const size_t gpu_host_table_rows = sizeof gpu_host_table / sizeof *gpu_host_table;

static mnp_time never(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

const struct mnp_model gpu_host_model = {
    .name = "host",
    .summary = "The host program's clock: what calls, copies and fills of a CUDA program take",
    .parameters = gpu_host_table,
    .parameter_count = sizeof gpu_host_table / sizeof *gpu_host_table,
    .advance = never,
};
