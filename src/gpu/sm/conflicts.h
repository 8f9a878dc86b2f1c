/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared-memory conflicts, remembered by address pattern: the warps of a kernel access its shared memory in few
 * patterns, and recognising one takes a tenth of the time that counting the words of each bank takes. A pattern is what
 * sm_shared_cycles depends on: lanes, width, and each lane's address relative to the first one's word. Moving all words
 * by as many banks exchanges the banks and changes no count.
 */
#ifndef GPU_SM_CONFLICTS_H
#define GPU_SM_CONFLICTS_H

#include "contract/instruction.h"

#include <stdbool.h>

enum { SM_CONFLICT_PATTERNS = 32 /* a power of two */ };

struct sm_conflict_pattern {
    uint32_t shape[3]; /* shape of the access: width and address form, mask, cycles; all zero: nothing is kept */
    uint32_t offset[MNP_WARP_SIZE]; /* bytes from the first lane's word to each active lane's address */
};

/* The patterns seen last, by a hash. Derivable: all zero knows nothing. */
struct sm_conflicts {
    struct sm_conflict_pattern pattern[SM_CONFLICT_PATTERNS];
};

/* Result of sm_shared_cycles (coalesce.h), which is called only for patterns that are not kept. */
uint32_t sm_conflicts_cycles(struct sm_conflicts *conflicts, const struct mnp_record *record, const uint64_t *words,
                             uint32_t width, uint32_t banks, bool atomic);

#endif
