/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser for the header of a kernel's trace: properties of the launch, and the format of its instructions. */
#ifndef MNP_FRONTEND_SASS_TRACE_HEADER_H
#define MNP_FRONTEND_SASS_TRACE_HEADER_H

#include "contract/instruction.h"
#include "frontend/sass_trace/scan.h"

struct header {
    uint32_t version; /* version of the tracer */
    bool lineinfo;    /* each instruction begins with its line in the source */
};

/* Parses the header up to the empty line and the format line behind it, and fills in the kernel's members. */
bool trace_header_read(struct scan *scan, struct mnp_kernel *kernel, struct header *header, struct mnp_error *error);

#endif
