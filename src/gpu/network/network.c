/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/network/network.h"

#include "engine/declare/declare.h"

#define MNP_TABLE_OF struct gpu_network_parameters

static const struct mnp_parameter parameters[] = {
    MNP_SIZE_ROW("noc.request_width", "byte/cycle", request_width, "40", 1, 4096,
                 "width of a crossbar port towards memory, per network cycle",
                 "GPGPU-Sim configurations since Volta: one flit of 40 bytes per port and cycle"),
    MNP_SIZE_ROW(
        "noc.reply_width", "byte/cycle", reply_width, "40", 1, 4096,
        "width of a crossbar port from memory, per cycle of its clock",
        "GPGPU-Sim configurations since Volta: one flit of 40 bytes; Ampere and later move 64 bytes per SM and clock"),
    MNP_SIZE_ROW("noc.header", "byte", header, "8", 1, 4096,
                 "bytes of a packet besides its sectors: address, mask, tag",
                 "a 40-byte flit carries a header and one sector"),
    MNP_NUMBER_ROW("noc.queue", "packet", queue, "8", 1, 65536,
                   "depth of the input queue that each sender has at a receiver",
                   "the modelled depth; credits for the wires are added"),
    MNP_NUMBER_ROW("noc.credit_batch", "packet", credit_batch, "4", 1, 64, "credits that travel back together",
                   "fewer packets on the credit wires; the pools are larger by one batch less one"),
    MNP_QUIET_FLAG_ROW("ideal.network", ideal, "false",
                       "a network of less detail: packets occupy no port of SMs, GPCs, slices or the link between "
                       "parts of the L2; each has the latency of an unloaded one as long as its receiver has room",
                       "Villa et al., NVAS, HPCA 2021: on-chip interconnects in low detail"),
};

const struct mnp_model gpu_network_model = {
    .name = "network",
    .summary = "The ports of the crossbar, which are parts of GPCs and partitions: their widths, queues and credits",
    MNP_PARAMETERS(parameters),
};
