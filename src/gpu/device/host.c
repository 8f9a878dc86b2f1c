/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/host.h"

#include "engine/declare/declare.h"

#define MNP_TABLE_OF struct gpu_host_parameters

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("host.call", "ns", call, "1000", 1, 1000000000,
                   "time of the host that a call of the CUDA runtime takes", "assumed"),
    MNP_NUMBER_ROW("host.copy.latency", "ns", copy_latency, "5000", 0, 1000000000,
                   "a copy between host and device before its first byte", "assumed"),
    MNP_NUMBER_ROW("host.copy.rate", "MB/s", copy_rate, "16000", 1, 100000000,
                   "bytes of a copy per microsecond, for each direction", "about half of what PCIe 4.0 x16 states"),
    MNP_NUMBER_ROW("host.fill.latency", "ns", fill_latency, "5000", 0, 1000000000,
                   "a fill, or a copy inside the device, before its first byte", "assumed"),
    MNP_NUMBER_ROW("host.fill.rate", "MB/s", fill_rate, "512000", 1, UINT64_C(10000000000),
                   "bytes of a fill, or of a copy inside the device, per microsecond", "assumed"),
    MNP_SIZE_ROW("host.memory", "byte", memory, "12GiB", UINT64_C(1) << 26, UINT64_C(1) << 40,
                 "memory of the device that programs can allocate; what they do not touch takes none of the host's",
                 "the board's data sheet"),
    MNP_SIZE_ROW(
        "host.slack", "byte", slack, "0", 0, UINT64_C(1) << 30,
        "how far outside of an allocation kernels may access memory, as they may on hardware inside a page; 0: "
        "that is an error",
        "CUDA driver API: device memory is mapped in pages of 2 MiB"),
};

const struct mnp_model gpu_host_model = {
    .name = "host",
    .summary = "The host program's clock: what calls, copies and fills of a CUDA program take",
    MNP_PARAMETERS(parameters),
};
