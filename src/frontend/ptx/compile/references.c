/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/references.h"

const uint8_t ptx_class_registers[PTX_CLASS_COUNT] = {0, 1, 2, 4};

uint32_t ptx_source_places(const struct execute_code *code, struct execute_op *op,
                           uint32_t *places[PTX_MOST_REFERENCES])
{
    uint32_t *list = (uint32_t *)code->list.items + op->list + op->list_results, count = 0;
    places[count++] = &op->guard;
    if (op->flags & EXECUTE_OP_READS_A)
        places[count++] = &op->a;
    if (op->flags & EXECUTE_OP_READS_B)
        places[count++] = &op->b;
    if (op->flags & EXECUTE_OP_READS_C)
        places[count++] = &op->c;
    for (uint32_t i = 0; i < op->list_sources; i++)
        places[count++] = &list[i];
    return count;
}

uint32_t ptx_result_places(const struct execute_code *code, struct execute_op *op,
                           uint32_t *places[PTX_MOST_REFERENCES])
{
    uint32_t *list = (uint32_t *)code->list.items + op->list, count = 0;
    if (op->flags & EXECUTE_OP_WRITES_D)
        places[count++] = &op->d;
    for (uint32_t i = 0; i < op->list_results; i++)
        places[count++] = &list[i];
    return count;
}

uint32_t ptx_sources_of(const struct execute_code *code, const struct execute_op *op, uint32_t out[PTX_MOST_REFERENCES])
{
    const uint32_t *list = (const uint32_t *)code->list.items + op->list + op->list_results;
    uint32_t count = 0;
    out[count++] = op->guard;
    if (op->flags & EXECUTE_OP_READS_A)
        out[count++] = op->a;
    if (op->flags & EXECUTE_OP_READS_B)
        out[count++] = op->b;
    if (op->flags & EXECUTE_OP_READS_C)
        out[count++] = op->c;
    for (uint32_t i = 0; i < op->list_sources; i++)
        out[count++] = list[i];
    return count;
}

uint32_t ptx_results_of(const struct execute_code *code, const struct execute_op *op, uint32_t out[PTX_MOST_REFERENCES])
{
    const uint32_t *list = (const uint32_t *)code->list.items + op->list;
    uint32_t count = 0;
    if (op->flags & EXECUTE_OP_WRITES_D)
        out[count++] = op->d;
    for (uint32_t i = 0; i < op->list_results; i++)
        out[count++] = list[i];
    return count;
}
