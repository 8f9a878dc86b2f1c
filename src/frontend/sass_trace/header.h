/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a kernel's trace: what the launch was, and how its instructions are written. */
#ifndef MNP_FRONTEND_SASS_TRACE_HEADER_H
#define MNP_FRONTEND_SASS_TRACE_HEADER_H

#include "contract/instruction.h"
#include "frontend/sass_trace/scan.h"

struct header {
    uint32_t version; /* of the tracer */
    bool lineinfo;    /* each instruction begins with its line in the source */
};

/* Reads the header up to the empty line and the format line behind it. Fills in what it says of the kernel. */
bool trace_header_read(struct scan *scan, struct mnp_kernel *kernel, struct header *header, struct mnp_error *error);

#endif
