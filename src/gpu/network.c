/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/network.h"

#define ROW(field) offsetof(struct gpu_network_parameters, field)

const struct mnp_parameter gpu_network_table[] = {
    {"noc.request_width", MNP_SIZE, "byte/cycle", ROW(request_width), "40", 1, 4096, NULL,
     "width of a crossbar port towards memory, per network cycle",
     "GPGPU-Sim configurations since Volta: one flit of 40 bytes per port and cycle"},
    {"noc.reply_width", MNP_SIZE, "byte/cycle", ROW(reply_width), "40", 1, 4096, NULL,
     "width of a crossbar port from memory, per cycle of its clock",
     "GPGPU-Sim configurations since Volta: one flit of 40 bytes; Ampere and later move 64 bytes per SM and clock"},
    {"noc.header", MNP_SIZE, "byte", ROW(header), "8", 1, 4096, NULL,
     "bytes of a packet besides its sectors: address, mask, tag", "a 40-byte flit carries a header and one sector"},
    {"noc.queue", MNP_UINT, "packet", ROW(queue), "8", 1, 65536, NULL,
     "depth of the input queue that each sender has at a receiver",
     "the modelled depth; credits for the wires are added"},
    {"noc.credit_batch", MNP_UINT, "packet", ROW(credit_batch), "4", 1, 64, NULL,
     "credits that travel back together",
     "fewer packets on the credit wires; the pools are larger by one batch less one"},
};
const size_t gpu_network_table_rows = sizeof gpu_network_table / sizeof *gpu_network_table;
