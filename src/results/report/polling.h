/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of the coprocessor's programs that poll: that read the same words again until another core has written them. */
#ifndef MNP_RESULTS_POLLING_H
#define MNP_RESULTS_POLLING_H

#include "results/figures/reading.h"

struct results_polling {
    double issues, memory; /* cycles of cores in such loops: of instructions, and of waits for memory */
    double most;           /* both, of the loop that has most */
    char where[64];        /* its function, and its line if that is known */
};

/* Finds them by the text of instructions, in a run with --by-instruction. Returns false where the run was without. */
bool results_find_polling(const struct results_reading *reading, struct results_polling *polling);

#endif
