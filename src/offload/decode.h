/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoder for messages of the protocol (include/maniple/offload.h). A guest may send anything. The input has been
 * copied from memory that the guest could still change, and is checked before use. Offsets outside the region, and
 * items that exceed the payload, are rejected.
 */
#ifndef OFFLOAD_DECODE_H
#define OFFLOAD_DECODE_H

#include "base/error.h"
#include "maniple/offload.h"

#include <stddef.h>

/* A LAUNCH, whole and checked. */
struct offload_request {
    struct mnp_offload_launch launch;
    struct mnp_offload_buffer buffers[MNP_OFFLOAD_BUFFERS];
    struct mnp_offload_argument arguments[MNP_OFFLOAD_ARGUMENTS];
    char text[MNP_OFFLOAD_TEXT + 1]; /* ended by a 0 */
};

/* Limits of a server. */
struct offload_limits {
    uint64_t region_bytes;
    uint32_t kinds; /* a bit for each */
    uint32_t most_cores;
};

/* Whether 32 bytes are a header of this protocol: magic, version, check, and a length that is allowed. */
bool offload_header_read(const unsigned char *bytes, struct mnp_offload_header *header);

/* Parses the payload of a LAUNCH. If the status is not OK, `error` describes the problem. */
enum mnp_offload_status offload_request_read(const unsigned char *payload, size_t length,
                                             const struct offload_limits *limits, struct offload_request *request,
                                             struct mnp_error *error);

/* The word for a status, as logs have it. */
const char *offload_status_name(uint32_t status);

#endif
