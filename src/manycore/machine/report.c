/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about a tile's fault. */
#include "manycore/core/access.h"
#include "manycore/core/disassemble.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

static const char *const faults[] = {
    [MANYCORE_FAULT_UNDEFINED] = "undefined instruction",
    [MANYCORE_FAULT_THUMB] =
        "branch into Thumb code, which the coprocessor does not run; compile everything with -marm",
    [MANYCORE_FAULT_BREAKPOINT] = "breakpoint",
    [MANYCORE_FAULT_FETCH] = "the pc has left the program's code",
    [MANYCORE_FAULT_UNMAPPED] = "access to an unmapped address",
    [MANYCORE_FAULT_MISALIGNED] = "misaligned access",
    [MANYCORE_FAULT_READ_ONLY] = "write to the program's code or constants",
    [MANYCORE_FAULT_BIG_ENDIAN] = "switch to big endian data, which the coprocessor does not support",
    [MANYCORE_FAULT_SERVICE] = "a system call that is not known; the coprocessor knows semihosting (svc 0x123456)",
    [MANYCORE_FAULT_MEMORY] = "no private memory is left",
};

struct mnp_error manycore_fault_error(const struct manycore_block *block, uint32_t place)
{
    const struct manycore_core *core = &block->tile[place].core;
    const struct mnp_program *program = block->machine->image.program;
    const struct manycore_parameters *p = block->machine->parameters;
    uint32_t pc = core->r[15], word = 0, address = core->fault_address;
    char where[MNP_DESCRIPTION], what[96] = "", remedy[128] = "";
    struct mnp_error error = {""};
    mnp_program_describe(program, pc, where, sizeof where);
    bool fetched = manycore_copy_out(&block->place[place], pc, 4, &word);
    switch (core->fault) {
    case MANYCORE_FAULT_UNMAPPED:
    case MANYCORE_FAULT_MISALIGNED:
    case MANYCORE_FAULT_READ_ONLY:
        snprintf(what, sizeof what, " at 0x%x", address);
        if (core->fault == MANYCORE_FAULT_UNMAPPED && MANYCORE_DSPM - address <= 4096)
            snprintf(remedy, sizeof remedy, "; the stack has outgrown the scratchpad of %lu bytes (--set tile.dspm=…)",
                     (unsigned long)p->dspm);
        else if (core->fault == MANYCORE_FAULT_UNMAPPED && address >= MANYCORE_SHARED)
            snprintf(remedy, sizeof remedy, "; shared memory ends before 0x%llx: %lu banks of %u bytes",
                     (unsigned long long)MANYCORE_SHARED + block->machine->shared_bytes, (unsigned long)p->tiles,
                     p->bank_bytes);
        break;
    case MANYCORE_FAULT_SERVICE:
        snprintf(what, sizeof what, " (number 0x%x)", address);
        break;
    default:
        break;
    }
    char instruction[32 + A32_TEXT] = "no instruction", text[A32_TEXT];
    if (fetched) {
        manycore_disassemble(word, pc, text);
        snprintf(instruction, sizeof instruction, "instruction 0x%08x: %s", word, text);
    }
    mnp_fail_at(&error, program->path, 0, "core %u, pc 0x%08x (%s), cycle %llu: %s%s; %s%s",
                manycore_tile_of(block, place, (uint32_t)p->width), pc, where, (unsigned long long)core->clock,
                faults[core->fault], what, instruction, remedy);
    return error;
}
