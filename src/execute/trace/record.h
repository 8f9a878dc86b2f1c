/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory accesses of an operation, in the format of timing models and traces. */
#ifndef EXECUTE_RECORD_H
#define EXECUTE_RECORD_H

#include "contract/instruction.h"
#include "execute/warp/warp.h"

/* Writes the words of a record's addresses (struct mnp_record) and returns their number. Addresses of local memory are
 * the thread's own, as in traces of hardware: the SM determines where words of a warp's lanes are stored
 * (sm_coalesce_local). */
uint32_t execute_record_addresses(const struct execute_code *code, const struct execute_record *record,
                                  uint64_t words[32], uint8_t *flags);

#endif
