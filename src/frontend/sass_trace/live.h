/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live warps of a trace, which wait for other warps and async units (contract/live.h). The trace contains the commands
 * to Hopper's async units, and the machine's units execute them: mbarriers have phases, copies access the traced
 * sectors, products use the tensor cores, and barriers of the CTA and of the cluster have their numbers and thread
 * counts.
 *
 * Memory has no contents: copies move no bytes, and the path of the program is the traced one, whatever memory would
 * contain. An operation that waits for a phase waits until the phase has ended. Tests that failed when the program was
 * traced were part of the traced path, and do not wait.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_LIVE_H
#define MNP_FRONTEND_SASS_TRACE_LIVE_H

#include "frontend/sass_trace/parse.h"

struct trace_live;

/* Creates the live state for a machine of `cores` cores. */
struct trace_live *trace_live_open(uint32_t cores);
void trace_live_close(struct trace_live *live);

/* Makes the warps of a parsed CTA live, on code->core. `number`: index in the grid, as parsed. */
void trace_live_start(struct trace_live *live, const struct kernel_file *file, struct cta_buffers *buffers,
                      struct mnp_cta_code *code);
/* The CTA has ended, or was not started. */
void trace_live_end(struct cta_buffers *buffers);

#endif
