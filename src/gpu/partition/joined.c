/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/partition/joined.h"

/* Whether the joined requests have an answer for an SM, which another one would give it twice. */
static bool is_for(const struct gpu_joined *joined, uint16_t sm)
{
    for (uint32_t i = 0; i < joined->count; i++)
        if (joined->sms[i] == sm)
            return true;
    return false;
}

bool gpu_joined_bring(struct gpu_partition *partition, struct mnp_chain *input, struct gpu_joined *joined)
{
    uint32_t before = MNP_NO_ENTRY, index = input->first;
    for (uint64_t i = 0; i < joined->most && index != MNP_NO_ENTRY; i++) {
        const struct gpu_transaction *transaction = &partition->transactions[index];
        if (transaction->line == joined->line) {
            if (transaction->kind != joined->kind || transaction->sectors & ~joined->sectors)
                return false;
            if (joined->kind == GPU_WRITE || !is_for(joined, transaction->sm)) {
                joined->sms[joined->count++] = transaction->sm;
                mnp_chain_promote(input, partition->next, before, index);
                return true;
            }
        }
        before = index;
        index = partition->next[index];
    }
    return false;
}
