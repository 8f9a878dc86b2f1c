/* SPDX-License-Identifier: BSD-3-Clause */
/* What an operation has accessed, as the models of time and traces take it. */
#ifndef EXECUTE_RECORD_H
#define EXECUTE_RECORD_H

#include "contract/instruction.h"
#include "execute/warp/warp.h"

struct execute_local_place { /* of a warp's local memory among all of the kernel's */
    uint64_t warp;
    uint32_t bytes; /* per thread */
};

/* The words that state a record's addresses (struct mnp_record), and their number. */
uint32_t execute_record_addresses(const struct execute_code *code, const struct execute_record *record,
                                  const struct execute_local_place *local, uint64_t words[32], uint8_t *flags);

#endif
