/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warps of a trace that wait for other warps and async units (contract/live.h): the text has the commands to Hopper's
 * async units, and the machine's execute them. mbarriers have their phases, copies are made of the sectors that they
 * touched, products go to the tensor cores, barriers of the CTA and of the cluster have their numbers and threads.
 * Nothing has contents: copies bring no bytes, and what a program read of memory decided when it was traced which way
 * it went. An operation that waits for a phase waits until it has ended, wherever it stands; those that only test, and
 * found that it had not, did that then, and go on.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_LIVE_H
#define MNP_FRONTEND_SASS_TRACE_LIVE_H

#include "frontend/sass_trace/parse.h"

struct trace_live;

/* For a machine of so many cores. */
struct trace_live *trace_live_open(uint32_t cores);
void trace_live_close(struct trace_live *live);

/* Lets the warps of a CTA that has been read, on code->core, do what they ask. `number`: in the grid, as read. */
void trace_live_start(struct trace_live *live, const struct kernel_file *file, struct cta_buffers *buffers,
                      struct mnp_cta_code *code);
/* The CTA has ended, or was not started. */
void trace_live_end(struct cta_buffers *buffers);

#endif
