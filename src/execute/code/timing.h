/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of a code's operations for the models of time: made for its first launch and kept with it, as a library's
 * kernel may have hundreds of thousands. Launches hold what they use, also when the code is gone. Any thread may ask.
 * */
#ifndef EXECUTE_TIMING_H
#define EXECUTE_TIMING_H

#include "contract/instruction.h"
#include "execute/code/code.h"
#include "execute/code/share.h"

struct execute_timing {
    uint32_t users;
    struct mnp_static_instruction *instructions; /* one for each operation */
    /* [operations] bits in which the word of each differs from the one in front of it in the code; EXECUTE_NO_WORD:
     * none is in front. NULL: the language has no words. */
    uint8_t *toggles;
};

enum { EXECUTE_WORD_BITS = 128, EXECUTE_NO_WORD = 255 };

struct execute_timing *execute_timing_hold(const struct execute_code *code);
void execute_timing_drop(struct execute_timing *timing);

/* The timing of a code that has been held. */
static inline const struct execute_timing *execute_timing_held(const struct execute_code *code)
{
    return code->share ? code->share->timing : code->timing;
}

#endif
