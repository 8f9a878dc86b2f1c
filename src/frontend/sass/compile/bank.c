/* SPDX-License-Identifier: BSD-3-Clause */
/* Constant banks: the contents of bank 0 in front of the parameters, by architecture, and the location of other
 * banks. */
#include "frontend/sass/compile/compiler.h"

#include "execute/warp/warp.h"

struct bank_row {
    uint8_t from, to; /* architectures, both included */
    uint16_t offset, words;
    uint8_t source; /* enum execute_bank_source */
    uint64_t value; /* for consecutive words: consecutive special registers, or parts of a number */
};

/* Sources: the first address above the stack; the generic address of the module's constants, which are bank 3. */
enum { STACK = 0xff, CONSTANTS = 0xfe, CONSTANT_BANK = 3 };

static const struct bank_row rows[] = {
    {70, 90, 0x00, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NTID_X},
    {70, 90, 0x0c, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NCTAID_X},
    {70, 89, 0x18, 2, EXECUTE_BANK_VALUE, EXECUTE_SHARED_WINDOW},
    {70, 90, 0x20, 2, EXECUTE_BANK_VALUE, EXECUTE_LOCAL_WINDOW},
    {70, 90, 0x28, 1, STACK, 0},
    {70, 90, 0x2c, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_DYNAMIC_SMEM_SIZE},
    {70, 90, 0x30, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_GRIDID},
    {70, 90, 0x34, 1, EXECUTE_BANK_VALUE, 0},
    {70, 89, 0x40, 2, EXECUTE_BANK_VALUE, EXECUTE_PARAMETER_WINDOW - 0x160},
    {70, 89, 0x50, 2, CONSTANTS, 0},
    {70, 89, 0x8c, 2, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_ENVREG1},
    {90, 90, 0x44, 2, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_ENVREG1},
    {90, 90, 0xd0, 2, CONSTANTS, 0},
    {70, 90, 0x10c, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NSMID},
    {80, 90, 0x114, 1, EXECUTE_BANK_VALUE, 0},
    {80, 89, 0x118, 2, EXECUTE_BANK_VALUE, 0},
    {80, 89, 0x124, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_RESERVED_SMEM_1},
    {90, 90, 0x6c, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_RESERVED_SMEM_1},
    {90, 90, 0x140, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_EXPLICIT_CLUSTER},
    {90, 90, 0x144, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_NCTAID_X},
    {90, 90, 0x150, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_INVERSE_X},
    {90, 90, 0x15c, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NCLUSTERID_X},
    {90, 90, 0x188, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_NCTARANK},
    {90, 90, 0x198, 2, EXECUTE_BANK_VALUE, EXECUTE_PARAMETER_WINDOW},
    {90, 90, 0x208, 2, EXECUTE_BANK_VALUE, 0},
    {100, 129, 0x120, 2, CONSTANTS, 0},
    {100, 129, 0x140, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_GRIDID},
    {100, 129, 0x144, 1, EXECUTE_BANK_VALUE, 0},
    {100, 129, 0x16c, 1, EXECUTE_BANK_VALUE, 0},
    {100, 129, 0x254, 2, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_ENVREG1},
    {100, 129, 0x27c, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_RESERVED_SMEM_1},
    {100, 129, 0x2a0, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_NCTAID_X},
    {100, 129, 0x2ac, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_DYNAMIC_SMEM_SIZE},
    {100, 129, 0x2b0, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_INVERSE_X},
    {100, 129, 0x2c0, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NCLUSTERID_X},
    {100, 129, 0x2cc, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_CLUSTER_NCTARANK},
    {100, 129, 0x2d0, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NSMID},
    {100, 129, 0x2f8, 2, EXECUTE_BANK_VALUE, EXECUTE_LOCAL_WINDOW},
    {100, 129, 0x348, 2, EXECUTE_BANK_VALUE, EXECUTE_PARAMETER_WINDOW},
    {100, 129, 0x358, 2, EXECUTE_BANK_VALUE, 0},
    {100, 129, 0x360, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NTID_X},
    {100, 129, 0x36c, 1, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_EXPLICIT_CLUSTER},
    {100, 129, 0x370, 3, EXECUTE_BANK_SPECIAL, EXECUTE_SPECIAL_NCTAID_X},
    {100, 129, 0x37c, 1, STACK, 0},
};

static bool constants_word(struct sass_compiler *compiler, uint32_t index, struct execute_bank_word *word)
{
    uint8_t space;
    int64_t address;
    if (!sass_bank_place_of(compiler, CONSTANT_BANK, &space, &address))
        return false;
    *word = (struct execute_bank_word){EXECUTE_BANK_VALUE, (uint32_t)((uint64_t)address >> 32 * index)};
    return true;
}

uint32_t sass_special_ref(struct sass_compiler *compiler, uint32_t special)
{
    struct execute_code *code = compiler->code;
    if (code->special_offset[special] == EXECUTE_NONE) {
        code->special_offset[special] = code->special_bytes;
        code->special_bytes += EXECUTE_SMALL_BYTES;
    }
    return (uint32_t)EXECUTE_BASE_SPECIAL << EXECUTE_BASE_SHIFT | code->special_offset[special];
}

static bool word_before(struct sass_compiler *compiler, uint32_t offset, struct execute_bank_word *word)
{
    uint32_t architecture = compiler->code->architecture;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bank_row *row = &rows[i];
        uint32_t index = (offset - row->offset) / 4;
        if (architecture < row->from || architecture > row->to || offset < row->offset || index >= row->words)
            continue;
        bool special = row->source == EXECUTE_BANK_SPECIAL;
        *word = (struct execute_bank_word){row->source,
                                           special ? row->value + index : (uint32_t)(row->value >> 32 * index)};
        if (special && word->value == EXECUTE_SPECIAL_RESERVED_SMEM_1) /* makes the launch reserve the space */
            sass_special_ref(compiler, EXECUTE_SPECIAL_RESERVED_SMEM_1);
        if (row->source == STACK)
            *word = (struct execute_bank_word){EXECUTE_BANK_VALUE, compiler->program->stack_bytes};
        return row->source != CONSTANTS || constants_word(compiler, index, word);
    }
    return sass_refuse(compiler, "the word that it reads of constant bank 0");
}

/* Whether an offset is relative to SR_CgaSize: Blackwell's code reads cluster properties at an offset minus 160 times
 * SR_CgaSize, which reads as zero. If the code has not read that register, the offset is an index into the parameters,
 * with a base above zero. */
bool sass_bank_is_of_cluster(const struct sass_compiler *compiler, uint32_t bank, int64_t offset)
{
    return bank == 0 && compiler->reads_cga_size && offset >= 0x250 && offset < 0x2d0;
}

bool sass_bank_word(struct sass_compiler *compiler, uint32_t bank, uint32_t offset, struct execute_bank_word *word)
{
    const struct sass_kernel *entry = compiler->program->entry;
    if (bank == 0) {
        if (offset < entry->parameters_at)
            return word_before(compiler, offset, word);
        *word = (struct execute_bank_word){EXECUTE_BANK_PARAMETER, offset - entry->parameters_at};
        return true;
    }
    uint8_t space;
    int64_t address;
    if (!sass_bank_place_of(compiler, bank, &space, &address))
        return false;
    *word = (struct execute_bank_word){EXECUTE_BANK_MEMORY, (uint64_t)address + offset};
    return true;
}

/* The constants of a bank. A called function uses the banks of the launched kernel, where linkers place its jump
 * tables; unlinked code has a bank of its own. NULL: there is none. */
static const struct sass_section *constants_of(const struct sass_compiler *compiler, uint32_t bank)
{
    if (bank >= SASS_CONSTANT_BANKS)
        return NULL;
    const struct sass_section *section = compiler->kernel->constants[bank];
    return section ? section : compiler->program->entry->constants[bank];
}

bool sass_bank_place_of(struct sass_compiler *compiler, uint32_t bank, uint8_t *space, int64_t *address)
{
    const struct sass_section *section = constants_of(compiler, bank);
    if (bank == 0) {
        *space = EXECUTE_SPACE_PARAM;
        *address = -(int64_t)compiler->program->entry->parameters_at;
        return true;
    }
    uint64_t at = section ? sass_section_address(compiler->program, section) : 0;
    compiler->placed = true;
    *space = EXECUTE_SPACE_CONST;
    *address = (int64_t)at;
    return at || sass_refuse(compiler, "the constant bank that it reads, which its cubin does not have");
}
