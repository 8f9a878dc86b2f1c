/* SPDX-License-Identifier: BSD-3-Clause */
/* How an access of a warp to memory is split into lines, or served by the banks of shared memory. */
#ifndef GPU_SM_COALESCE_H
#define GPU_SM_COALESCE_H

#include "contract/instruction.h"

#include <stdbool.h>

enum { SM_MAX_PARTS = 128 };

/* Local memory of a thread, in words of 4 bytes, that has places of its own; beyond, it wraps round. */
enum { SM_LOCAL_WORDS = 1 << 17 };

struct sm_part { /* the access of an instruction to one line */
    uint64_t line;
    uint64_t bytes[2];
    uint32_t set; /* set of the L1 */
    uint8_t sectors;
    uint8_t lanes;
    uint8_t group; /* lanes that are served together: 0 is the first half or quarter of the warp */
    uint8_t wave;  /* parts of one wave are looked up in one cycle */
};

/* Splits an access to global memory into parts of one line each, in order of lanes; returns their number. `words`: the
 * addresses of the record, `width`: bytes of a lane, `line_size`: 32 to 128 bytes. */
uint32_t sm_coalesce(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                     struct sm_part parts[static SM_MAX_PARTS]);

/* Makes of the parts of an access, of `width` bytes a lane, those of a coalesced one: as few lines as its bytes fill,
 * at least one, of those that it touches. Which ones goes with the place that the first lane accesses inside of its
 * line, so that a warp that reads rows word by word asks for each of their lines once. Returns their number. */
uint32_t sm_coalesce_gather(struct sm_part parts[static SM_MAX_PARTS], uint32_t count, uint32_t width,
                            uint32_t line_size);

/* Splits an access to local memory, whose 4-byte words lie side by side for the lanes of a warp, so that a word of all
 * lanes is one line. `base`: address of the warp's local memory. */
uint32_t sm_coalesce_local(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                           uint64_t base, struct sm_part parts[static SM_MAX_PARTS]);

/* Cycles that a shared-memory access keeps the pipeline: the greatest number of different words in one bank, summed
 * over the groups of lanes that are served together. `atomic`: equal words count too. */
uint32_t sm_shared_cycles(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t banks,
                          bool atomic);

/* Whether the lanes' words lie in banks of their own, side by side, or are the same: the most frequent accesses. */
bool sm_shared_is_plain(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t banks,
                        bool atomic);

#endif
