/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/state.h"

int32_t sm_operands_free_reads(const struct sm_parameters *p)
{
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, MEMBER, TYPE, FREE_READS, ASKS, READ)                                    \
    case KIND:                                                                                                         \
        return FREE_READS(p);
    switch (p->operands) {
#include "gpu/sm/operands/list.h"
    }
#undef SM_OPERANDS
    __builtin_unreachable(); /* the machine file's choice is one of them */
}

bool sm_operands_ask(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, MEMBER, TYPE, FREE_READS, ASKS, READ)                                    \
    case KIND:                                                                                                         \
        return ASKS(p, kernel);
    switch (p->operands) {
#include "gpu/sm/operands/list.h"
    }
#undef SM_OPERANDS
    __builtin_unreachable();
}

static uint64_t read_by(struct sm_operands *operands, const struct sm_parameters *p,
                        const struct sm_operand_reads *asked)
{
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, MEMBER, TYPE, FREE_READS, ASKS, READ)                                    \
    case KIND:                                                                                                         \
        return READ(&operands->way.MEMBER, &operands->times, p, asked);
    switch (p->operands) {
#include "gpu/sm/operands/list.h"
    }
#undef SM_OPERANDS
    __builtin_unreachable();
}

uint64_t sm_operands_read(struct sm *sm, uint32_t subcore, uint32_t warp,
                          const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t late =
        read_by(&sm->state->subcore[subcore].operands, sm->parameters,
                &(struct sm_operand_reads){
                    .instruction = instruction, .cycle = cycle, .warp = warp, .has_reuse_bits = view->has_control});
    if (late)
        view->counters[SM_OPERAND_STALLS] += late;
    return late;
}
