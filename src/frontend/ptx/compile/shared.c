/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static shared memory of a kernel, allocated like ptxas of CUDA 13.0: those variables of the module that the kernel or
 * a function reachable from it names, and all variables that these functions declare, in the order of the text. A
 * kernel with an indirect call or the address of a function can reach each function whose address is taken in the
 * module, in a statement or in an initialiser.
 */
#include "frontend/ptx/compile/shared.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/check.h"
#include "frontend/ptx/text/names.h"

#include <stdlib.h>
#include <string.h>

/* Static limit of ptxas of CUDA 13.0 in bytes: for a target of one architecture only (sm_90a), the maximum of a
 * block. */
static uint32_t most_static(const struct ptx_module *module)
{
    enum { ALL = 48 * 1024, ALONE = 227 * 1024, ALONE_120 = 99 * 1024, CONSUMER = 120 };
    return !module->specific ? ALL : module->architecture < CONSUMER ? ALONE : ALONE_120;
}

struct reaching {
    struct ptx_decoder *decoder;
    const struct ptx_module *module;
    bool *reached;         /* [functions] */
    bool *named;           /* [variables] */
    uint32_t *list, count; /* functions that are reached, in the order in which they were */
    /* there is an indirect call or the address of a function: all functions whose address is taken are reachable */
    bool indirect;
};

static void reach(struct reaching *reaching, uint32_t function)
{
    const struct ptx_function *f = ptx_function_at(reaching->module, function);
    if (reaching->reached[function] || !f->defined || (f->entry && reaching->count))
        return;
    reaching->reached[function] = true;
    reaching->list[reaching->count++] = function;
}

/* ===== addresses that the module takes ===== */

static bool is_call(const struct ptx_module *module, const struct ptx_statement *statement)
{
    const char *name = ptx_name_text(module, statement->name);
    return strncmp(name, "call", 4) == 0 && (!name[4] || name[4] == '.');
}

static void reach_taken(struct reaching *reaching)
{
    const struct ptx_module *module = reaching->module;
    const struct ptx_relocation *relocations = module->relocations.items;
    for (uint32_t i = 0; i < module->relocations.count; i++)
        if (relocations[i].function != PTX_NONE)
            reach(reaching, relocations[i].function);
    for (uint32_t i = 0; i < module->statements.count; i++) {
        const struct ptx_statement *statement = ptx_statement_at(module, i);
        for (uint32_t j = 0; j < statement->operand_count && !is_call(module, statement); j++) {
            const struct ptx_operand *operand = ptx_operand_at(module, statement->first_operand + j);
            if (operand->kind == PTX_OPERAND_FUNCTION)
                reach(reaching, operand->index);
        }
    }
}

/* ===== one function ===== */

static void take_operands(struct reaching *reaching, uint32_t first, uint32_t count, bool call)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *operand = ptx_operand_at(reaching->module, first + i);
        if (operand->kind == PTX_OPERAND_VARIABLE) {
            reaching->named[operand->index] = true;
        } else if (operand->kind == PTX_OPERAND_VECTOR) {
            take_operands(reaching, operand->index, operand->count, false);
        } else if (operand->kind == PTX_OPERAND_FUNCTION) {
            reach(reaching, operand->index);
            reaching->indirect |= !call;
        } else if (operand->kind == PTX_OPERAND_REGISTER) {
            reaching->indirect |= call;
        }
    }
}

static void take_function(struct reaching *reaching, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct ptx_statement *statement = ptx_statement_at(reaching->module, function->first_statement + i);
        take_operands(reaching, statement->first_operand, statement->operand_count,
                      is_call(reaching->module, statement));
    }
}

static void reach_all(struct reaching *reaching)
{
    bool taken = false;
    reach(reaching, reaching->decoder->entry);
    for (uint32_t i = 0; i < reaching->count; i++) {
        take_function(reaching, ptx_function_at(reaching->module, reaching->list[i]));
        if (reaching->indirect && !taken)
            reach_taken(reaching);
        taken |= reaching->indirect;
    }
}

/* ===== places ===== */

static bool is_placed(const struct reaching *reaching, uint32_t index)
{
    const struct ptx_variable *variable = ptx_variable_at(reaching->module, index);
    if (variable->space != EXECUTE_SPACE_SHARED || !variable->sized)
        return false;
    return variable->function == PTX_NONE ? reaching->named[index] : reaching->reached[variable->function];
}

/* Sets the offset of dynamic shared memory: a multiple of its greatest alignment in the module. The static part is
 * extended to that offset if the module declares a dynamic one, whether or not the kernel uses it. */
static void place_dynamic(struct ptx_decoder *decoder, uint32_t bytes)
{
    uint32_t align = 16;
    bool declared = false;
    for (uint32_t i = 0; i < decoder->module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, i);
        bool dynamic = variable->space == EXECUTE_SPACE_SHARED && !variable->sized;
        declared |= dynamic;
        if (dynamic && variable->align > align)
            align = variable->align;
    }
    decoder->code->dynamic_shared = (bytes + align - 1) / align * align;
    decoder->code->shared_bytes = declared ? decoder->code->dynamic_shared : bytes;
    for (uint32_t i = 0; i < decoder->module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, i);
        if (variable->space == EXECUTE_SPACE_SHARED && !variable->sized)
            decoder->shared_offset[i] = decoder->code->dynamic_shared;
    }
}

static bool place(struct ptx_decoder *decoder, const struct reaching *reaching)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < decoder->module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, i);
        decoder->shared_offset[i] = PTX_NONE;
        if (!is_placed(reaching, i))
            continue;
        offset = (offset + variable->align - 1) / variable->align * variable->align;
        decoder->shared_offset[i] = (uint32_t)offset;
        offset += variable->bytes;
        if (offset > EXECUTE_WINDOW_BYTES)
            return ptx_decode_fail(decoder, "it needs more than 16 MiB of shared memory");
    }
    place_dynamic(decoder, (uint32_t)offset);
    uint32_t most = most_static(decoder->module);
    return decoder->code->shared_bytes <= most ||
           ptx_decode_fail(
               decoder,
               "it has %u bytes of static shared memory, but an assembler takes %u at most; declare some of "
               "it .extern .shared, without a size, and state its bytes at the launch",
               decoder->code->shared_bytes, most);
}

bool ptx_place_shared(struct ptx_decoder *decoder)
{
    const struct ptx_module *module = decoder->module;
    struct reaching reaching = {.decoder = decoder,
                                .module = module,
                                .reached = decoder->reached,
                                .named = mnp_allocate((size_t)module->variables.count + 1, sizeof(bool)),
                                .list = mnp_allocate((size_t)module->functions.count + 1, sizeof(uint32_t))};
    reach_all(&reaching);
    bool good = place(decoder, &reaching);
    free(reaching.named);
    free(reaching.list);
    return good;
}
