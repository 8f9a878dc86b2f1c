/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of constant banks that a kernel names, as they are while a CTA runs. */
#include "execute/warp/warp.h"

#include <string.h>

/* The reciprocal of a cluster's size, not below it, so that a place times it is cut to the right cluster. */
static uint32_t inverse_of(uint32_t size)
{
    float inverse = 1.0f / (float)(size ? size : 1);
    uint32_t bits;
    memcpy(&bits, &inverse, sizeof bits);
    return (double)inverse * (size ? size : 1) < 1.0 ? bits + 1 : bits;
}

static uint32_t special_of(const struct execute_cta *cta, uint64_t special)
{
    const struct execute_launch *launch = cta->launch;
    switch (special) {
    case EXECUTE_SPECIAL_NTID_X:
    case EXECUTE_SPECIAL_NTID_Y:
    case EXECUTE_SPECIAL_NTID_Z:
        return launch->block[special - EXECUTE_SPECIAL_NTID_X];
    case EXECUTE_SPECIAL_NCTAID_X:
    case EXECUTE_SPECIAL_NCTAID_Y:
    case EXECUTE_SPECIAL_NCTAID_Z:
        return launch->grid[special - EXECUTE_SPECIAL_NCTAID_X];
    case EXECUTE_SPECIAL_CLUSTER_NCTAID_X:
    case EXECUTE_SPECIAL_CLUSTER_NCTAID_Y:
    case EXECUTE_SPECIAL_CLUSTER_NCTAID_Z: {
        uint32_t size = launch->cluster[special - EXECUTE_SPECIAL_CLUSTER_NCTAID_X];
        return size ? size : 1;
    }
    case EXECUTE_SPECIAL_CLUSTER_INVERSE_X:
    case EXECUTE_SPECIAL_CLUSTER_INVERSE_Y:
    case EXECUTE_SPECIAL_CLUSTER_INVERSE_Z:
        return inverse_of(launch->cluster[special - EXECUTE_SPECIAL_CLUSTER_INVERSE_X]);
    case EXECUTE_SPECIAL_NCLUSTERID_X:
    case EXECUTE_SPECIAL_NCLUSTERID_Y:
    case EXECUTE_SPECIAL_NCLUSTERID_Z: {
        uint32_t axis = (uint32_t)special - EXECUTE_SPECIAL_NCLUSTERID_X, size = launch->cluster[axis];
        return launch->grid[axis] / (size ? size : 1);
    }
    case EXECUTE_SPECIAL_CLUSTER_NCTARANK:
        return execute_cluster_size(launch);
    case EXECUTE_SPECIAL_EXPLICIT_CLUSTER:
        return launch->explicit_cluster;
    case EXECUTE_SPECIAL_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case EXECUTE_SPECIAL_TOTAL_SMEM_SIZE:
        return launch->shared_bytes;
    case EXECUTE_SPECIAL_RESERVED_SMEM_1:
        return launch->reserved_shared + EXECUTE_RESERVED_SHARED / 2;
    case EXECUTE_SPECIAL_GRIDID:
        return (uint32_t)launch->number;
    case EXECUTE_SPECIAL_ENVREG1:
        return (uint32_t)(launch->workspace >> 32);
    case EXECUTE_SPECIAL_ENVREG2:
        return (uint32_t)launch->workspace;
    case EXECUTE_SPECIAL_NSMID:
        return cta->sm_count;
    default:
        return 0;
    }
}

static uint32_t word_of(const struct execute_cta *cta, const struct execute_bank_word *word)
{
    const struct execute_launch *launch = cta->launch;
    uint32_t value = 0, lane, bytes = launch->code->parameter_bytes;
    uint64_t address[32] = {word->value};
    switch (word->source) {
    case EXECUTE_BANK_PARAMETER:
        if (word->value < bytes)
            memcpy(&value, launch->parameters + word->value, bytes - word->value < 4 ? bytes - word->value : 4);
        return value;
    case EXECUTE_BANK_SPECIAL:
        return special_of(cta, word->value);
    case EXECUTE_BANK_MEMORY:
        return cta->port->read(cta->port->context, 1, address, 4, &value, 4, &lane) ? value : 0;
    default:
        return (uint32_t)word->value;
    }
}

void execute_bank_fill(struct execute_cta *cta)
{
    const struct mnp_array *bank = &cta->launch->code->bank;
    uint32_t *to = (uint32_t *)cta->bank;
    for (uint32_t i = 0; i < bank->count; i++, to += 32) {
        uint32_t value = word_of(cta, (const struct execute_bank_word *)bank->items + i);
        for (uint32_t lane = 0; lane < 32; lane++)
            to[lane] = value;
    }
}
