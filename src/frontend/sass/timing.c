/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing-model instructions: opcode facts (isa/opcodes.h), registers, and control bits of each instruction. */
#include "frontend/sass/program.h"

#include "base/allocate.h"
#include "base/bits.h"
#include "contract/instruction.h"
#include "execute/code/timing.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/instruction.h"
#include "frontend/sass/lines.h"
#include "frontend/sass/text.h"
#include "isa/opcodes.h"
#include "isa/widths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct execute_location sass_locate(const struct execute_code *code, uint32_t op)
{
    const struct sass_program *program = (const struct sass_program *)code->module;
    struct execute_location location = {.file = program->name,
                                        .text = execute_kind_name(execute_op_at(code, op)->kind)};
    struct sass_instruction instruction;
    const struct sass_kernel *kernel;
    if (sass_instruction_of(code, op, &instruction, &kernel, &location.address)) {
        location.text = instruction.form->name;
        location.function = kernel->name;
        sass_lines_find(program->lines, kernel->section, location.address, &location.source, &location.caller);
    }
    return location;
}

void sass_print(const struct execute_code *code, uint32_t op, char text[EXECUTE_TEXT])
{
    _Static_assert((int)SASS_TEXT_MOST <= (int)EXECUTE_TEXT, "an instruction's text has room");
    struct sass_instruction instruction;
    const struct sass_kernel *kernel;
    uint64_t address;
    if (sass_instruction_of(code, op, &instruction, &kernel, &address))
        sass_text(&instruction, address, text);
    else
        snprintf(text, EXECUTE_TEXT, "%s", execute_kind_name(execute_op_at(code, op)->kind));
}

/* DEPBAR.LE SBn, value. */
static bool waits_for_counter(const struct sass_instruction *instruction)
{
    return strcmp(instruction->form->name, "DEPBAR") == 0 && instruction->operand_count > 1;
}

/* The opcode of an instruction as traces have it. */
static void trace_name(const struct sass_instruction *instruction, char name[EXECUTE_TRACE_NAME])
{
    char text[SASS_TEXT_MOST];
    sass_opcode_text(instruction, text);
    int length = (int)strcspn(text, " ");
    if (waits_for_counter(instruction)) /* traces need the number (docs/traces.md) */
        snprintf(name, EXECUTE_TRACE_NAME, "%.*s.%u", length, text, (unsigned)instruction->operands[1].value);
    else
        snprintf(name, EXECUTE_TRACE_NAME, "%.*s", length, text);
}

const char *sass_trace_name(const struct execute_code *code, const struct execute_op *op,
                            const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME])
{
    struct sass_instruction instruction;
    const struct sass_kernel *kernel;
    uint64_t address;
    (void)timing;
    uint32_t place = (uint32_t)(op - (const struct execute_op *)code->ops.items);
    name[0] = 0;
    if (sass_instruction_of(code, place, &instruction, &kernel, &address))
        trace_name(&instruction, name);
    return name;
}

static struct mnp_registers range(uint8_t first, uint8_t count)
{
    if (first == SASS_RZ)
        return (struct mnp_registers){0};
    uint32_t room = MNP_ZERO_REGISTER - first;
    return (struct mnp_registers){.first = first, .count = count < room ? count : (uint8_t)room};
}

static void put_registers(const struct sass_instruction *instruction, const struct isa_widths *widths,
                          struct mnp_static_instruction *to)
{
    bool first = true;
    uint32_t sources = 0;
    bool store = to->class == MNP_CLASS_MEMORY && (to->operation == MNP_STORE || to->operation == MNP_REDUCTION);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const struct sass_operand *operand = &instruction->operands[i];
        bool holds = operand->kind == SASS_REGISTER || operand->kind == SASS_ADDRESS;
        if (!holds)
            continue;
        bool result = first && operand->kind == SASS_REGISTER && !store;
        first = false;
        if (result) {
            to->destination = range(operand->index, widths->destination);
            continue;
        }
        struct mnp_registers source = range(operand->index, widths->source[sources < MNP_MAX_SOURCES ? sources : 0]);
        if (source.count && to->source_count < MNP_MAX_SOURCES)
            to->source[to->source_count++] = source;
        sources++;
    }
}

/* Data of 256 bits is in two groups of four registers: covers the range from the first to the last one. */
static void cover_both(const struct sass_instruction *instruction, struct mnp_static_instruction *to)
{
    bool loads = to->operation == MNP_LOAD;
    const struct sass_operand *groups = &instruction->operands[loads ? 0 : 1];
    if (to->width != 32 || groups[0].index == SASS_RZ || groups[1].index == SASS_RZ)
        return;
    uint8_t low = groups[0].index < groups[1].index ? groups[0].index : groups[1].index;
    struct mnp_registers both = range(low, (uint8_t)(groups[0].index + groups[1].index - 2 * low + 4));
    if (!loads)
        to->source[1] = both;
    else
        to->destination = both;
    to->source_count = loads ? 1 : 2;
    if (loads)
        to->source[0] = range(instruction->operands[2].index, 2);
}

static void put_control(const struct sass_control *control, struct mnp_static_instruction *to)
{
    to->stall = control->stall;
    to->write_counter = control->written < MNP_COUNTERS ? control->written : MNP_COUNTERS;
    to->read_counter = control->read < MNP_COUNTERS ? control->read : MNP_COUNTERS;
    to->wait = (uint8_t)(control->waits | (control->yield ? MNP_WAIT_YIELD : 0));
    to->reuse = control->reuse;
}

static void put_flags(const char *opcode, const struct execute_op *op, struct mnp_static_instruction *to)
{
    bool strong = isa_opcode_has(opcode, "STRONG") && (isa_opcode_has(opcode, "GPU") || isa_opcode_has(opcode, "SYS"));
    if (to->class == MNP_CLASS_MEMORY && (strong || isa_opcode_has(opcode, "BYPASS")))
        to->flags |= MNP_FLAG_BYPASS_L1;
    if ((to->flags & MNP_FLAG_BARRIER) && isa_opcode_has(opcode, "ARV"))
        to->flags = (uint8_t)((to->flags & ~MNP_FLAG_BARRIER) | MNP_FLAG_ARRIVE);
    if (strncmp(opcode, "MEMBAR", 6) == 0 && !isa_opcode_has(opcode, "CTA") && !isa_opcode_has(opcode, "SM"))
        to->fence = MNP_FENCE_FAR;
    if (op->kind == EXECUTE_KIND_ASYNC_GROUP && op->combine) /* waits for bulk copies only */
        to->flags &= (uint8_t)~MNP_FLAG_FENCE;
    if (strncmp(opcode, "CCTL.", 5) == 0 && isa_opcode_has(opcode, "IVALL"))
        to->fence = MNP_FENCE_FORGETS;
    if (strncmp(opcode, "LOP3", 4) == 0 && !to->destination.count)
        to->flags |= MNP_FLAG_PREDICATE;
    to->guarded = op->guard != EXECUTE_TRUE || op->guard_flip;
    to->selects = strncmp(opcode, "SEL", 3) == 0 || strncmp(opcode, "FSEL", 4) == 0 || strncmp(opcode, "PLOP3", 5) == 0;
    bool integer = to->class == MNP_CLASS_INT || to->class == MNP_CLASS_IMAD;
    to->carries = integer && isa_opcode_has(opcode, "X") && to->destination.first & 1;
}

/* Ends of groups of copies that lanes make, and waits for them. */
static void put_copy_group(const struct sass_instruction *instruction, struct mnp_static_instruction *to)
{
    if (strcmp(instruction->form->name, "LDGDEPBAR") == 0) {
        mnp_set_group_end(to);
    } else if (waits_for_counter(instruction)) {
        to->counter = (uint8_t)instruction->operands[0].index;
        mnp_set_group_wait(to, (uint64_t)instruction->operands[1].value);
    }
}

/* Operations of async units: a barrier's word in shared memory is changed, a copy or a product only goes to a queue. */
static void put_async(const struct execute_op *op, struct mnp_static_instruction *to)
{
    if (op->kind == EXECUTE_KIND_MBARRIER && op->variant == EXECUTE_MBARRIER_WAIT_UPPER) {
        to->class = MNP_CLASS_SPECIAL; /* a question: 32 lanes that ask for one barrier do not take turns */
        to->space = MNP_SPACE_SHARED;
    } else if (op->kind == EXECUTE_KIND_MBARRIER) {
        to->class = MNP_CLASS_MEMORY;
        to->space = MNP_SPACE_SHARED;
        to->operation = op->variant != EXECUTE_MBARRIER_STORE ? MNP_ATOMIC
                        : op->access.reduction                ? MNP_REDUCTION
                                                              : MNP_STORE;
    } else if (op->kind == EXECUTE_KIND_TENSOR_COPY) {
        to->class = MNP_CLASS_MEMORY;
        to->space = MNP_SPACE_GLOBAL;
        to->operation = op->tensor.direction == EXECUTE_TENSOR_LOAD ? MNP_LOAD : MNP_STORE;
    } else if (op->kind == EXECUTE_KIND_SURFACE_LOAD || op->kind == EXECUTE_KIND_SURFACE_STORE) {
        to->class = MNP_CLASS_MEMORY;
        to->space = MNP_SPACE_GLOBAL;
        to->flags |= MNP_FLAG_BYPASS_L1;
    } else if (op->kind == EXECUTE_KIND_STORE && to->class != MNP_CLASS_MEMORY) { /* SYNCS.EXCH */
        to->class = MNP_CLASS_MEMORY;
        to->space = MNP_SPACE_SHARED;
        to->operation = MNP_STORE;
    }
}

/* Bytes per lane of an access. */
static uint8_t width_of(const struct execute_op *op, const char *opcode, const struct isa_opcode_row *row)
{
    if (op->kind == EXECUTE_KIND_MBARRIER && op->variant == EXECUTE_MBARRIER_STORE)
        return (uint8_t)(4 * op->access.count);
    if (op->kind == EXECUTE_KIND_MBARRIER || strncmp(opcode, "SYNCS", 5) == 0)
        return 8;
    return op->kind == EXECUTE_KIND_TENSOR_COPY ? 16 : (uint8_t)isa_memory_width(opcode, row);
}

static void fill_one(const struct execute_op *op, const struct sass_instruction *instruction,
                     struct mnp_static_instruction *to)
{
    char opcode[EXECUTE_TRACE_NAME];
    trace_name(instruction, opcode);
    const struct isa_opcode_row *row = isa_opcode_find(opcode, strcspn(opcode, "."));
    if (!row)
        return;
    to->class = row->class;
    to->flags = row->flags;
    to->space = row->space;
    to->operation = row->operation;
    bool accesses = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE ||
                    op->kind == EXECUTE_KIND_ATOMIC || op->kind == EXECUTE_KIND_COPY_ASYNC ||
                    op->kind == EXECUTE_KIND_LOAD_MATRIX || op->kind == EXECUTE_KIND_TEXTURE;
    to->class = to->class == MNP_CLASS_MEMORY && !accesses ? MNP_CLASS_SPECIAL : to->class;
    put_async(op, to);
    to->width = to->class == MNP_CLASS_MEMORY ? width_of(op, opcode, row) : 0;
    struct isa_widths widths;
    isa_find_widths(opcode, row, to, &widths);
    put_registers(instruction, &widths, to);
    isa_regroup(to);
    if (to->class == MNP_CLASS_MEMORY)
        cover_both(instruction, to);
    /* the sums have a wait of their own, and the instruction only occupies the queue */
    if (op->kind == EXECUTE_KIND_WGMMA) {
        to->destination = (struct mnp_registers){0};
        to->tensor_cycles = ISA_PRODUCT_ISSUE_UNIFORM;
        to->products = 0; /* counted where it is computed */
    }
    put_flags(opcode, op, to);
    if (op->kind == EXECUTE_KIND_BARRIER && op->variant >= EXECUTE_BARRIER_GROUP)
        to->flags |= op->variant == EXECUTE_BARRIER_CLUSTER_ARRIVE ? MNP_FLAG_ARRIVE : MNP_FLAG_BARRIER;
    put_control(&instruction->control, to);
    put_copy_group(instruction, to);
    if (to->class == MNP_CLASS_MEMORY)
        to->copies = op->kind == EXECUTE_KIND_COPY_ASYNC;
}

/* Words met before, each at one of few places, and the operation that it has become: kernels of libraries repeat most
 * of theirs, and equal words become equal operations but for those that nothing comes to. */
enum { MEMORY = 1 << 14 };
struct met {
    struct sass_word word;
    uint32_t place, known;
};

static struct met *met_at(struct met *memory, struct sass_word word)
{
    return &memory[sass_word_hash(word) % MEMORY];
}

static bool is_as(const struct execute_code *code, const struct met *met, struct sass_word word, uint32_t place)
{
    const struct execute_op *op = execute_op_at(code, place), *other = execute_op_at(code, met->place);
    return met->known && met->word.low == word.low && met->word.high == word.high && op->kind == other->kind &&
           op->guard == other->guard && op->guard_flip == other->guard_flip;
}

struct mnp_static_instruction *sass_timing_instructions(const struct execute_code *code)
{
    struct mnp_static_instruction *made = mnp_allocate((size_t)code->ops.count + 1, sizeof *made);
    struct met *memory = mnp_allocate(MEMORY, sizeof *memory);
    struct sass_reader reader;
    struct sass_instruction instruction;
    sass_reader_begin(&reader, code);
    for (uint32_t i = 0; i < code->ops.count; i++) {
        const struct execute_op *op = execute_op_at(code, i);
        made[i] = (struct mnp_static_instruction){.opcode = op->kind, .class = MNP_CLASS_INT};
        struct sass_word word;
        if (!sass_reader_find(&reader, i, &word))
            continue;
        struct met *met = met_at(memory, word);
        if (is_as(code, met, word, i)) {
            made[i] = made[met->place];
        } else if (sass_reader_take(&reader, i, &instruction)) {
            fill_one(op, &instruction, &made[i]);
            *met = (struct met){word, i, true};
        } else {
            continue;
        }
        made[i].pc = SASS_WORD_BYTES * i;
        mnp_complete_registers(&made[i]);
    }
    free(memory);
    return made;
}

uint8_t *sass_word_toggles(const struct execute_code *code)
{
    struct sass_reader reader;
    struct sass_word before = {0};
    if (code->share)
        return NULL;
    uint8_t *made = mnp_allocate((size_t)code->ops.count + 1, sizeof *made);
    sass_reader_begin(&reader, code);
    for (uint32_t i = 0; i < code->ops.count; i++) {
        struct sass_word word;
        made[i] = EXECUTE_NO_WORD;
        if (!sass_reader_find(&reader, i, &word))
            continue;
        if (reader.address)
            made[i] = (uint8_t)(mnp_ones((uint32_t)(word.low ^ before.low)) +
                                mnp_ones((uint32_t)((word.low ^ before.low) >> 32)) +
                                mnp_ones((uint32_t)(word.high ^ before.high)) +
                                mnp_ones((uint32_t)((word.high ^ before.high) >> 32)));
        before = word;
    }
    return made;
}
