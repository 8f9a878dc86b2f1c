/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit that reads memory in bulk, one read at a time: the worked example of docs/extending.md for a unit in the SM. A
 * load into no register, of one lane, starts it: the unit asks for `sm.bulk.bytes` from its address on, a sector per
 * request, of which `sm.bulk.in_flight` may be under way. Fences of the warp and the end of its CTA wait for the last
 * sector, and a second read for the first. In the project, this folder would lie in src/gpu/sm.
 */
#ifndef SM_BULK_H
#define SM_BULK_H

#include "gpu/network/packets.h"
#include "gpu/sm/parameters.h"

#include <stdio.h>

struct sm;

struct sm_bulk_state {
    uint64_t next, end; /* addresses still to be asked for */
    uint32_t in_flight; /* sectors */
    uint32_t record;    /* the instruction, as in struct sm_load */
    uint16_t warp;
    uint16_t busy; /* a read is under way */
    uint32_t reserved;
};

static inline bool sm_bulk_takes(const struct sm_parameters *parameters,
                                 const struct mnp_static_instruction *instruction)
{
    return instruction->class == MNP_CLASS_MEMORY && instruction->space == MNP_SPACE_GLOBAL &&
           instruction->operation == MNP_LOAD && !instruction->destination.count && parameters->bulk_bytes;
}

bool sm_bulk_check(const struct sm_parameters *parameters, struct mnp_error *error);
bool sm_bulk_has_room(const struct sm *sm);
void sm_bulk_issue(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                   const struct mnp_record *record, uint64_t cycle);
void sm_bulk_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_bulk_next(const struct sm *sm, uint64_t cycle);
void sm_bulk_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);
void sm_bulk_report(const struct sm *sm, FILE *out);

#endif
