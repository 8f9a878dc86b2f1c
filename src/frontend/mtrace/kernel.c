/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/kernel.h"

#include "isa/opcodes.h"

#include <inttypes.h>

struct counts { /* sizes of the description's sections */
    uint32_t name, instructions, text, elsewhere;
    uint64_t groups;
};

struct opening {
    struct file *file;
    const struct mnp_mtrace_options *options;
    struct packed_kernel *packed;
    struct reader reader;
    uint64_t offset; /* offset of the block, for messages */
    struct mnp_error *error;
};

static bool wrong(const struct opening *opening, const char *what)
{
    return mtrace_fail_in(opening->file, opening->offset, opening->error, "the description of kernel %u %s",
                          opening->packed->kernel.id, what);
}

/* ===== the launch ===== */

static bool check_launch(const struct opening *opening)
{
    const struct mnp_kernel *kernel = &opening->packed->kernel;
    uint64_t ctas = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        if (kernel->grid[i] == 0 || kernel->block[i] == 0 || kernel->block[i] > MOST_BLOCK_THREADS)
            return wrong(opening, "has an impossible grid or block");
        threads *= kernel->block[i];
        if (__builtin_mul_overflow(ctas, kernel->grid[i], &ctas))
            return wrong(opening, "has an impossible grid");
    }
    if (threads > MOST_BLOCK_THREADS)
        return wrong(opening, "has a block of over 1024 threads");
    if (ctas != kernel->cta_count)
        return wrong(opening, "has a grid that does not match its number of thread blocks");
    opening->packed->kernel.threads = (uint32_t)threads;
    return true;
}

static bool read_launch(struct opening *opening, struct counts *counts)
{
    struct reader *r = &opening->reader;
    struct mnp_kernel *kernel = &opening->packed->kernel;
    for (int i = 0; i < 3; i++)
        kernel->grid[i] = get32(r);
    for (int i = 0; i < 3; i++)
        kernel->block[i] = get32(r);
    kernel->shared_bytes = get32(r);
    kernel->registers = get32(r);
    kernel->architecture = get32(r);
    counts->name = get32(r);
    counts->instructions = get32(r);
    counts->text = get32(r);
    counts->groups = get64(r);
    kernel->stream = get64(r);
    kernel->shared_base = get64(r);
    kernel->local_base = get64(r);
    kernel->cta_count = get64(r);
    opening->packed->warp_instructions = get64(r);
    counts->elsewhere = get32(r);
    get_bytes(r, KERNEL_BYTES - 100); /* reserved for later versions */
    const uint8_t *name = get_bytes(r, counts->name);
    if (r->short_of || counts->name > MOST_NAME)
        return wrong(opening, "is too short, or its name too long");
    memcpy(kernel->name, name, counts->name);
    return check_launch(opening);
}

/* ===== static instructions ===== */

static bool decode(const struct opening *opening, uint32_t index, const char *text, uint32_t length)
{
    struct packed_kernel *packed = opening->packed;
    struct mnp_static_instruction *instruction = &packed->instructions[index];
    char opcode[MNP_OPCODE_TEXT];
    switch (opening->options->decoder->decode(text, length, instruction, opcode)) {
    case MNP_DECODED_MALFORMED:
        return wrong(opening, "has a malformed static instruction");
    case MNP_DECODED_UNKNOWN:
        packed->counts_unknown = true;
        if (!opening->options->unknown_as_alu && !packed->unknown)
            packed->unknown = strdup(opcode);
        break;
    case MNP_DECODED:
        break;
    }
    instruction->pc = index * PC_BYTES;
    packed->copies |= isa_opcode_copies(instruction->opcode);
    if (instruction->space == MNP_SPACE_NONE && !opening->options->keep_addresses)
        packed->drops = true;
    return true;
}

static bool read_instructions(struct opening *opening, const struct counts *counts)
{
    struct packed_kernel *packed = opening->packed;
    struct reader entries = {.at = get_bytes(&opening->reader, (size_t)counts->instructions * INSTRUCTION_BYTES)};
    const char *text = (const char *)get_bytes(&opening->reader, counts->text);
    if (opening->reader.short_of || counts->instructions > MOST_INDEXES)
        return wrong(opening, "is shorter than its static instructions");
    entries.end = entries.at + (size_t)counts->instructions * INSTRUCTION_BYTES;
    if (counts->instructions) /* indices are stored in ascending order */
        packed->index_count = 1 + (load32(entries.end - INSTRUCTION_BYTES) & 0xffff);
    packed->instruction_count = counts->instructions;
    packed->instructions = mnp_allocate(packed->index_count + 1, sizeof *packed->instructions);
    packed->texts = mnp_allocate(packed->index_count + 1, sizeof *packed->texts);
    packed->text = mnp_allocate((size_t)counts->text + 1, 1);
    memcpy(packed->text, text, counts->text);
    uint32_t offset = 0, above = 0;
    for (uint32_t i = 0; i < counts->instructions; i++) {
        uint32_t entry = get32(&entries);
        uint32_t index = entry & 0xffff, form = entry >> 16 & 0xff, length = entry >> 24;
        if (index < above || index >= packed->index_count || form > FORM_LIST || length > counts->text - offset)
            return wrong(opening, "has impossible static instructions");
        packed->texts[index] =
            (struct static_text){.offset = offset, .length = (uint8_t)length, .form = (uint8_t)(1 + form)};
        if (!decode(opening, index, packed->text + offset, length))
            return false;
        offset += length;
        above = index + 1;
    }
    return true;
}

/* Reads the PCs of instructions whose index is not PC / 16. */
static bool read_elsewhere(struct opening *opening, const struct counts *counts)
{
    struct packed_kernel *packed = opening->packed;
    struct reader *r = &opening->reader;
    if (counts->elsewhere > counts->instructions)
        return wrong(opening, "has more PCs than static instructions");
    for (uint32_t i = 0, above = 1; i < counts->elsewhere; i++) { /* index 0 is for PC 0 */
        uint32_t index = get32(r), pc = get32(r);
        if (r->short_of || index < above || index >= packed->index_count || !packed->texts[index].form ||
            pc == index * PC_BYTES)
            return wrong(opening, "has impossible PCs");
        packed->instructions[index].pc = pc;
        above = index + 1;
    }
    return true;
}

/* ===== groups ===== */

static bool read_groups(struct opening *opening, const struct counts *counts)
{
    struct reader *r = &opening->reader;
    const struct mnp_kernel *kernel = &opening->packed->kernel;
    if (counts->groups == 0 || (size_t)(r->end - r->at) / GROUP_BYTES != counts->groups ||
        (size_t)(r->end - r->at) % GROUP_BYTES)
        return wrong(opening, "does not end with its groups of thread blocks");
    struct block *blocks = mnp_allocate(counts->groups, sizeof *blocks);
    uint64_t *first_ctas = mnp_allocate(counts->groups + 1, sizeof *first_ctas);
    uint64_t next = 0;
    bool good = true;
    for (uint64_t i = 0; good && i < counts->groups; i++) {
        mtrace_get_block(r, &blocks[i]);
        first_ctas[i] = next;
        uint64_t ctas = get64(r);
        if (ctas == 0 || ctas > MOST_GROUP_CTAS || ctas > kernel->cta_count - next)
            good = wrong(opening, "has a group with an impossible number of thread blocks");
        else
            next += ctas;
    }
    first_ctas[counts->groups] = next;
    if (good && next != kernel->cta_count)
        good = wrong(opening, "has groups for fewer thread blocks than its grid has");
    mtrace_groups_init(&opening->packed->groups, opening->file, blocks, first_ctas, counts->groups,
                       opening->packed->index_count);
    return good;
}

struct packed_kernel *mtrace_kernel_open(struct file *file, const struct block *block, uint32_t id,
                                         const struct mnp_mtrace_options *options, struct mnp_error *error)
{
    char what[64];
    snprintf(what, sizeof what, "the description of kernel %u", id);
    uint8_t *raw = mtrace_block_read(file, block, what, error);
    if (!raw)
        return NULL;
    struct packed_kernel *packed = mnp_allocate(1, sizeof *packed);
    packed->kernel.id = id;
    packed->kernel.owner = packed;
    struct opening opening = {.file = file,
                              .options = options,
                              .packed = packed,
                              .reader = {.at = raw, .end = raw + block->raw},
                              .offset = block->offset,
                              .error = error};
    struct counts counts = {0};
    bool good = read_launch(&opening, &counts) && read_instructions(&opening, &counts);
    good = good && read_elsewhere(&opening, &counts) && read_groups(&opening, &counts);
    free(raw);
    if (good)
        return packed;
    mtrace_kernel_close(packed);
    return NULL;
}

void mtrace_kernel_close(struct packed_kernel *packed)
{
    if (packed->groups.blocks)
        mtrace_groups_release(&packed->groups);
    free(packed->instructions);
    free(packed->texts);
    free(packed->text);
    free(packed->unknown);
    free(packed);
}
