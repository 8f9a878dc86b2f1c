/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a run with time while it goes on: hashes of epochs, the record of costs, progress on a terminal. */
#ifndef CUDART_RUN_OUTPUT_H
#define CUDART_RUN_OUTPUT_H

#include "base/file.h"
#include "contract/session.h"

#include <stdbool.h>

struct cudart;

/* Opens what the options ask for, and sets the callbacks of the run. */
bool cudart_output_open(struct cudart *rt, struct mnp_session_options *options, struct mnp_error *error);

/* Around every piece of the run: Ctrl-C then ends the simulation with partial results. Returns whether it has been
 * pressed. */
void cudart_output_resume(struct cudart *rt);
bool cudart_output_pause(struct cudart *rt);

enum { CUDART_RECORDS = 2 /* files that are written while it runs */ };

/* Completes the files, which results_save gives their names; they are to be discarded afterwards. */
bool cudart_output_close(struct cudart *rt, struct mnp_output records[CUDART_RECORDS], struct mnp_error *error);

#endif
