/* SPDX-License-Identifier: BSD-3-Clause */
/* What an operation has accessed, as the models of time and traces take it. */
#ifndef EXECUTE_RECORD_H
#define EXECUTE_RECORD_H

#include "contract/instruction.h"
#include "execute/warp/warp.h"

/* The words that state a record's addresses (struct mnp_record), and their number. Those of local memory are the
 * thread's own, as in traces of hardware: where words of a warp's lanes lie is the SM's affair (sm_coalesce_local). */
uint32_t execute_record_addresses(const struct execute_code *code, const struct execute_record *record,
                                  uint64_t words[32], uint8_t *flags);

#endif
