/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code of a kernel that another device of the node has compiled: a library's kernel may come to millions of
 * instructions, and only those differ into which relocations have put an address, or which read a bank of constants by
 * its address.
 */
#include "base/array.h"
#include "execute/code/share.h"
#include "frontend/sass/compile/compiler.h"
#include "frontend/sass/cubin_parts.h"

#include <stdlib.h>
#include <string.h>

struct again {
    struct sass_compiler compiler;
    const struct sass_program *other;
    const struct sass_made *made; /* results for the other program's kernel */
};

static bool build(struct again *again, uint32_t place)
{
    struct execute_op op;
    return sass_build_at(&again->compiler, place, &op) && (*execute_op_at(again->compiler.code, place) = op, true);
}

static bool is_same(struct sass_word a, struct sass_word b)
{
    return a.low == b.low && a.high == b.high;
}

/* Builds the operations of a part, from place `first` on, whose words differ from the other's. */
static bool build_part(struct again *again, const struct sass_kernel *part, uint32_t first)
{
    size_t index = (size_t)(part - again->compiler.program->cubin->kernels);
    const struct sass_kernel *other = &again->other->cubin->kernels[index];
    for (uint32_t i = 0; i < part->words; i++)
        if (!is_same(sass_kernel_word(part, i), sass_kernel_word(other, i)) && !build(again, first + i))
            return false;
    return true;
}

static bool build_different(struct again *again)
{
    struct sass_program *program = again->compiler.program;
    const struct sass_kernel *part = program->entry;
    uint32_t first = 0, count = again->compiler.code->ops.count - 1;
    for (size_t next = 0; part && first < count; part = sass_next_part(program, &next)) {
        bool reached = part == program->entry || again->made->reached[part - program->cubin->kernels];
        if (reached && !build_part(again, part, first))
            return false;
        first += (uint32_t)part->words;
    }
    const uint32_t *places = again->made->places.items;
    for (uint32_t i = 0; i < again->made->places.count; i++)
        if (!build(again, places[i]))
            return false;
    return true;
}

struct execute_code *sass_compile_again(struct sass_program *program, const struct sass_kernel *kernel,
                                        const struct sass_program *other)
{
    size_t index = (size_t)(kernel - program->cubin->kernels);
    const struct sass_made *made = &other->made[index];
    struct mnp_error ignored = {{0}};
    if (!other->codes[index] || !made->reached || made->bank_placed)
        return NULL;
    struct execute_code *code = execute_share_copy(other->codes[index], &program->base, kernel->name);
    struct again again = {.compiler = {.program = program,
                                       .kernel = kernel,
                                       .reached = made->reached,
                                       .code = code,
                                       .words = execute_words_best(),
                                       .error = &ignored,
                                       .registers = made->registers,
                                       .uniform_registers = made->uniform_registers,
                                       .copies_in_bulk = made->copies_in_bulk,
                                       .copies_by_lane = made->copies_by_lane},
                          .other = other,
                          .made = made};
    program->entry = kernel;
    if (made->bank.count)
        memcpy(mnp_array_add(&again.compiler.bank, made->bank.count, sizeof(struct sass_bank_place)), made->bank.items,
               made->bank.count * sizeof(struct sass_bank_place));
    bool good = build_different(&again);
    mnp_array_release(&again.compiler.bank);
    if (good)
        return code;
    execute_code_release(code);
    free(code);
    return NULL;
}
