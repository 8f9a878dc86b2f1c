/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel's words to operations, one for each, the functions that it may call behind them. */
#include "base/allocate.h"
#include "base/text.h"
#include "execute/code/share.h"
#include "execute/warp/paths.h"
#include "execute/warp/warp.h"
#include "frontend/sass/compile/compiler.h"
#include "frontend/sass/compile/words_rows.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_STACK = 16, MOST_OPERATIONS = 1 << 24, SYSTEM_SHARED = 1024 };

/* ===== which instructions ===== */

static const struct sass_kernel *part_at(const struct sass_program *program, size_t *index)
{
    for (; *index < program->cubin->kernel_count; ++*index)
        if (!program->cubin->kernels[*index].entry)
            return &program->cubin->kernels[*index];
    return NULL;
}

const struct sass_kernel *sass_next_part(const struct sass_program *program, size_t *next)
{
    const struct sass_kernel *part = part_at(program, next);
    ++*next;
    return part;
}

/* The part that an operation is of, and the place of its first one. */
static const struct sass_kernel *part_of(const struct sass_program *program, const struct sass_kernel *kernel,
                                         uint32_t op, uint32_t *first)
{
    const struct sass_kernel *part = kernel;
    size_t index = 0;
    *first = 0;
    while (part && op - *first >= part->words) {
        *first += (uint32_t)part->words;
        part = sass_next_part(program, &index);
    }
    return part;
}

/* ===== which functions ===== */

/* A function of a program; `entry` itself is not one. */
static bool is_function(const struct sass_program *program, size_t index)
{
    return !program->cubin->kernels[index].entry;
}

/* The function that contains an address; kernel_count: none. */
static size_t function_at(const struct sass_program *program, uint64_t address)
{
    size_t count = program->cubin->kernel_count, index = 0;
    for (; index < count; index++) {
        const struct sass_kernel *kernel = &program->cubin->kernels[index];
        if (is_function(program, index) &&
            address - sass_function_address(program, kernel) < kernel->words * SASS_WORD_BYTES)
            break;
    }
    return index;
}

/* Possible destinations of an instruction outside its function. */
enum going { GOES_NOWHERE, GOES_TO_ADDRESS, GOES_ANYWHERE };

static enum going going_of(const struct sass_instruction *instruction, uint64_t *address)
{
    if (strncmp(instruction->form->name, "JM", 2) == 0) /* JMP, JMX */
        return GOES_ANYWHERE;
    if (strcmp(instruction->form->name, "CALL") != 0)
        return GOES_NOWHERE;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const struct sass_operand *operand = &instruction->operands[i];
        if (operand->kind != SASS_TARGET || operand->index != SASS_RZ)
            continue;
        *address = (uint64_t)operand->value;
        bool inside = !(operand->flags & SASS_FIXED) || *address >= EXECUTE_SYSTEM_WINDOW;
        return inside ? GOES_NOWHERE : GOES_TO_ADDRESS;
    }
    return GOES_ANYWHERE;
}

/* Notes the functions that one part calls in `reached`. False: it may call any. */
static bool follow_part(const struct sass_program *program, const struct sass_kernel *part, bool *reached)
{
    for (uint64_t i = 0; i < part->words; i++) {
        struct sass_instruction instruction;
        uint64_t address;
        if (sass_decode(program->decoder, sass_kernel_word(part, i), &instruction) != SASS_DECODED)
            return false;
        enum going going = going_of(&instruction, &address);
        size_t index = going == GOES_TO_ADDRESS ? function_at(program, address) : 0;
        if (going == GOES_ANYWHERE || index == program->cubin->kernel_count)
            return false;
        if (going == GOES_TO_ADDRESS)
            reached[index] = true;
    }
    return true;
}

/* The functions that a kernel may come to, by calls of their addresses; all, if it computes one. Free it. */
static bool *functions_reached(const struct sass_program *program, const struct sass_kernel *kernel)
{
    size_t count = program->cubin->kernel_count;
    bool *reached = mnp_allocate(count + 1, sizeof *reached), *followed = mnp_allocate(count + 1, sizeof *followed);
    bool known = follow_part(program, kernel, reached), more = known;
    while (more) {
        more = false;
        for (size_t i = 0; known && i < count; i++) {
            if (!reached[i] || followed[i])
                continue;
            known = follow_part(program, &program->cubin->kernels[i], reached);
            followed[i] = more = true;
        }
    }
    for (size_t i = 0; !known && i < count; i++)
        reached[i] = is_function(program, i);
    free(followed);
    return reached;
}

/* The number of operations of the kernel, and of functions up to the last reachable one. Addresses number all
 * functions, so earlier functions also occupy places, whether reachable or not. */
static uint64_t operations_of(const struct sass_program *program, const struct sass_kernel *kernel, const bool *reached)
{
    uint64_t count = kernel->words, last = count;
    for (size_t i = 0; i < program->cubin->kernel_count; i++) {
        count += is_function(program, i) ? program->cubin->kernels[i].words : 0;
        last = reached[i] ? count : last;
    }
    return last;
}

/* The kernel that a code is of. */
static const struct sass_kernel *entry_of(const struct sass_program *program, const struct execute_code *code)
{
    for (size_t i = 0; i < program->cubin->kernel_count; i++)
        if (program->codes[i] == code)
            return &program->cubin->kernels[i];
    return program->entry;
}

void sass_reader_begin(struct sass_reader *reader, const struct execute_code *code)
{
    const struct sass_program *program = (const struct sass_program *)code->module;
    *reader = (struct sass_reader){.program = program, .part = entry_of(program, code)};
}

bool sass_reader_find(struct sass_reader *reader, uint32_t op, struct sass_word *word)
{
    while (reader->part && op - reader->first >= reader->part->words) {
        reader->first += (uint32_t)reader->part->words;
        reader->part = sass_next_part(reader->program, &reader->next);
    }
    if (!reader->part)
        return false;
    reader->address = (uint64_t)(op - reader->first) * SASS_WORD_BYTES;
    *word = sass_kernel_word(reader->part, op - reader->first);
    return true;
}

bool sass_reader_take(struct sass_reader *reader, uint32_t op, struct sass_instruction *instruction)
{
    struct sass_word word;
    return sass_reader_find(reader, op, &word) &&
           sass_decode(reader->program->decoder, word, instruction) == SASS_DECODED;
}

bool sass_instruction_of(const struct execute_code *code, uint32_t op, struct sass_instruction *instruction,
                         const struct sass_kernel **kernel, uint64_t *address)
{
    struct sass_reader reader;
    sass_reader_begin(&reader, code);
    bool decoded = sass_reader_take(&reader, op, instruction);
    *kernel = reader.part;
    *address = reader.address;
    return decoded;
}

/* ===== the frame ===== */

static void widest(const struct sass_operand *operand, uint32_t *registers, uint32_t *uniforms)
{
    bool is_register = operand->kind == SASS_REGISTER || operand->kind == SASS_ADDRESS ||
                       operand->kind == SASS_CONSTANT || operand->kind == SASS_TARGET;
    if (is_register && operand->index != SASS_RZ && operand->index >= *registers)
        *registers = operand->index + 1u;
    if ((operand->kind == SASS_UNIFORM || operand->kind == SASS_BRACKETED) && operand->index != SASS_RZ &&
        operand->index >= *uniforms)
        *uniforms = operand->index + 1u;
    if (operand->uniform != SASS_RZ && operand->uniform >= *uniforms)
        *uniforms = operand->uniform + 1u;
}

/* A word that is of no form, or has bits set that its form does not account for. */
static bool refuse_word(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        enum sass_decoded decoded)
{
    const struct sass_program *program = compiler->program;
    const struct sass_word *word = &instruction->word;
    uint64_t address = (uint64_t)(compiler->place - compiler->first) * SASS_WORD_BYTES;
    char bits[SASS_BITS_MOST] = "";
    if (decoded == SASS_UNNAMED) {
        sass_unnamed_text(instruction, bits);
        return mnp_fail(compiler->error,
                        "%s: kernel %s, address 0x%" PRIx64 ": %s of 0x%016" PRIx64 "%016" PRIx64
                        " %s nothing known in %s of sm_%u",
                        program->name, compiler->kernel->name, address, bits, word->high, word->low,
                        mnp_begins(bits, "bit ") ? "means" : "mean", instruction->form->name,
                        program->cubin->architecture);
    }
    return mnp_fail(compiler->error,
                    "%s: kernel %s, address 0x%" PRIx64 ": no form of sm_%u has these bits: operation 0x%03x, "
                    "0x%016" PRIx64 "%016" PRIx64 "%s%s",
                    program->name, compiler->kernel->name, address, program->cubin->architecture,
                    (unsigned)sass_bits(word, 0, 11), word->high, word->low,
                    decoded == SASS_RESERVED ? "; nearest form: " : "",
                    decoded == SASS_RESERVED ? instruction->form->name : "");
}

/* Comes to the part that an operation is of. False: nothing comes to it. */
static bool enter_part(struct sass_compiler *compiler, uint32_t place)
{
    const struct sass_program *program = compiler->program;
    if (place - compiler->first >= compiler->kernel->words) /* places ascend, and begin anew */
        compiler->kernel = part_of(program, program->entry, place, &compiler->first);
    return compiler->kernel == program->entry || compiler->reached[compiler->kernel - program->cubin->kernels];
}

static bool decode_at(struct sass_compiler *compiler, uint32_t place, struct sass_instruction *instruction)
{
    const struct sass_program *program = compiler->program;
    compiler->place = place;
    compiler->refused = NULL;
    struct sass_word word = sass_kernel_word(compiler->kernel, place - compiler->first);
    enum sass_decoded decoded = sass_decode(program->decoder, word, instruction);
    return decoded == SASS_DECODED || refuse_word(compiler, instruction, decoded);
}

/* The place of a word in the memory of words. */
static struct sass_met *met_at(const struct sass_compiler *compiler, struct sass_word word)
{
    return &compiler->met[sass_word_hash(word) % SASS_WORDS_MET];
}

static bool is_met(const struct sass_met *met, struct sass_word word)
{
    return met->met && met->word.low == word.low && met->word.high == word.high;
}

static bool size_frame(struct sass_compiler *compiler, uint32_t count)
{
    uint32_t registers = compiler->program->entry->registers, uniforms = 0;
    registers = registers < 32 ? 32 : registers > SASS_RZ ? SASS_RZ : registers;
    for (uint32_t i = 0; i < count; i++) {
        struct sass_instruction instruction;
        if (!enter_part(compiler, i))
            continue;
        struct sass_word word = sass_kernel_word(compiler->kernel, i - compiler->first);
        struct sass_met *met = met_at(compiler, word);
        if (is_met(met, word))
            continue;
        if (!decode_at(compiler, i, &instruction))
            return false;
        *met = (struct sass_met){.word = word, .met = true};
        for (uint32_t k = 0; k < instruction.operand_count; k++)
            widest(&instruction.operands[k], &registers, &uniforms);
        compiler->code->deep_stack |= strcmp(instruction.form->name, "CALL") == 0;
        if (strstr(instruction.form->name, "GMMA")) /* up to 128 adjacent registers */
            registers = SASS_RZ;
        compiler->copies_in_bulk |= strcmp(instruction.form->name, "UTMACMDFLUSH") == 0;
        compiler->copies_by_lane |= strcmp(instruction.form->name, "LDGSTS") == 0;
    }
    compiler->registers = registers + SASS_SPARE_REGISTERS;
    compiler->uniform_registers = uniforms + SASS_SPARE_REGISTERS;
    return true;
}

/* ===== operations ===== */

static void find_builder(struct sass_name_entry *entry)
{
    static const struct {
        const struct sass_builder_row *rows;
        bool anywhere; /* builders that look at the word alone, not at its place or at words behind it */
    } tables[] = {{sass_flow_rows, false},  {sass_memory_rows, true}, {sass_special_rows, true},
                  {sass_async_rows, false}, {sass_matrix_rows, true}, {sass_texture_rows, false}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !entry->build; i++)
        for (const struct sass_builder_row *row = tables[i].rows; row->name && !entry->build; row++)
            if (strcmp(row->name, entry->name) == 0) {
                entry->build = row->build;
                entry->anywhere = tables[i].anywhere;
            }
}

static const struct sass_name_entry *entry_of_name(struct sass_compiler *compiler, const struct sass_form *form)
{
    struct sass_name_entry *entry = &compiler->names[form->operation % SASS_NAMES];
    if (entry->name == form->name)
        return entry;
    *entry = (struct sass_name_entry){.name = form->name};
    find_builder(entry);
    for (const struct sass_words_row *row = sass_words_rows; row->name; row++) {
        if (strcmp(row->name, form->name) != 0)
            continue;
        entry->first = entry->first ? entry->first : row;
        entry->last = row;
    }
    return entry;
}

static bool refuse_instruction(struct sass_compiler *compiler, const struct sass_instruction *instruction)
{
    char text[SASS_TEXT_MOST];
    uint64_t address = (uint64_t)(compiler->place - compiler->first) * SASS_WORD_BYTES;
    sass_text(instruction, address, text);
    return mnp_fail(compiler->error, "%s: kernel %s, address 0x%" PRIx64 ": `%s` is not executed%s%s",
                    compiler->program->name, compiler->kernel->name, address, text, compiler->refused ? " for " : "",
                    compiler->refused ? compiler->refused : "");
}

/* Whether a reference to the frame has room for a pair in it. URZ, where an instruction cannot have it, has none. */
static bool has_room(const struct sass_compiler *compiler, uint32_t ref)
{
    uint32_t end = sass_frame_end(compiler);
    return ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME || ref + 2 * EXECUTE_SMALL_BYTES <= end;
}

static bool lies_in_frame(struct sass_compiler *compiler, const struct execute_op *op)
{
    const uint32_t *list = (const uint32_t *)compiler->code->list.items + op->list;
    bool good = has_room(compiler, op->a) && has_room(compiler, op->b) && has_room(compiler, op->c) &&
                has_room(compiler, op->d);
    for (uint32_t i = 0; good && i < (uint32_t)op->list_results + op->list_sources; i++)
        good = has_room(compiler, list[i]);
    return good || sass_refuse(compiler, "a register that it cannot have");
}

/* `*anywhere`: the word has this operation at all of its places. */
static bool build_operation(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op, bool *anywhere)
{
    const struct sass_name_entry *entry = entry_of_name(compiler, instruction->form);
    bool uniform = sass_guard_is_uniform(instruction);
    *op = (struct execute_op){.a = EXECUTE_NO_REF, .b = EXECUTE_NO_REF, .c = EXECUTE_NO_REF, .d = EXECUTE_NO_REF};
    op->statement = compiler->place;
    op->guard = instruction->guard == SASS_PT ? (uint32_t)EXECUTE_TRUE
                                              : (uniform ? SASS_UP0 : SASS_P0) + 4u * instruction->guard;
    op->guard_flip = instruction->guard_inverted ? ~0u : 0;
    bool found, good = sass_build_words(compiler, instruction, entry, op, &found);
    if (!found)
        good = entry->build && entry->build(compiler, instruction, op);
    *anywhere = found || entry->anywhere;
    return (good && lies_in_frame(compiler, op)) || refuse_instruction(compiler, instruction);
}

/* ===== kernels ===== */

/* An invalid jump, which is a fault: the target of control flow beyond the last instruction, and of functions
 * that are never called. */
static struct execute_op end_at(uint32_t place)
{
    return (struct execute_op){.kind = EXECUTE_KIND_JUMP,
                               .guard = EXECUTE_TRUE,
                               .a = EXECUTE_NO_REF,
                               .b = EXECUTE_NO_REF,
                               .c = EXECUTE_NO_REF,
                               .d = EXECUTE_NO_REF,
                               .statement = place,
                               .immediate = (int64_t)place * SASS_WORD_BYTES};
}

/* Operations of constant bank 0 depend on whether SR_CgaSize has been read (bank.c). */
static void forget_operations(struct sass_compiler *compiler)
{
    for (uint32_t i = 0; i < SASS_WORDS_MET; i++)
        compiler->met[i].built = false;
}

/* Takes the operation of a word from memory, or keeps there what it becomes. */
static bool build_or_take(struct sass_compiler *compiler, uint32_t place, struct execute_op *op)
{
    struct sass_word word = sass_kernel_word(compiler->kernel, place - compiler->first);
    struct sass_met *met = compiler->met && !compiler->program->forgets ? met_at(compiler, word) : NULL;
    struct sass_instruction instruction;
    bool cluster = compiler->reads_cga_size, anywhere;
    if (met && is_met(met, word) && met->built) {
        *op = met->op;
        op->statement = place;
        return true;
    }
    if (!decode_at(compiler, place, &instruction) || !build_operation(compiler, &instruction, op, &anywhere))
        return false;
    if (met && cluster != compiler->reads_cga_size)
        forget_operations(compiler);
    if (met && anywhere && !compiler->placed)
        *met = (struct sass_met){word, true, true, *op};
    return true;
}

bool sass_build_at(struct sass_compiler *compiler, uint32_t place, struct execute_op *op)
{
    compiler->placed = false;
    if (enter_part(compiler, place))
        return build_or_take(compiler, place, op);
    *op = end_at(place);
    return true;
}

/* Bytes of local memory that a kernel says that it needs. */
static uint32_t stack_of(const struct sass_kernel *kernel)
{
    return kernel->stack > kernel->frame ? kernel->stack : kernel->frame;
}

static uint32_t round_stack(uint32_t bytes)
{
    return (bytes + ROUND_STACK - 1) / ROUND_STACK * ROUND_STACK;
}

/* Creates the code of a kernel with its properties. */
static struct execute_code *create_code(const struct sass_program *program, const struct sass_kernel *kernel)
{
    struct execute_code *code = execute_code_create(&program->base);
    code->name = kernel->name;
    code->architecture = program->cubin->architecture;
    code->source = program->cubin->source;
    code->paths = code->has_control = true;
    for (uint32_t i = 0; i < EXECUTE_SPECIAL_COUNT; i++)
        code->special_offset[i] = EXECUTE_NONE;
    code->shared_bytes = code->dynamic_shared = (uint32_t)kernel->shared_bytes;
    code->shared_system = code->architecture >= 90 && kernel->shared_bytes >= SYSTEM_SHARED ? SYSTEM_SHARED : 0;
    code->registers = kernel->registers;
    code->parameter_bytes = kernel->parameter_bytes;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        *(struct execute_transfer *)mnp_array_add(&code->parameters, 1, sizeof(struct execute_transfer)) =
            (struct execute_transfer){kernel->parameters[i].offset, kernel->parameters[i].bytes};
    memcpy(code->most_block, kernel->most_threads, sizeof code->most_block);
    memcpy(code->required_block, kernel->needed_threads, sizeof code->required_block);
    memcpy(code->cluster, kernel->cluster, sizeof code->cluster);
    return code;
}

struct execute_code *sass_outline(const struct sass_program *program, const struct sass_kernel *kernel)
{
    struct execute_code *code = create_code(program, kernel);
    *(struct execute_code_function *)mnp_array_add(&code->functions, 1, sizeof(struct execute_code_function)) =
        (struct execute_code_function){.local_bytes = round_stack(stack_of(kernel)), .registers = kernel->registers};
    return code;
}

static void describe(struct sass_compiler *compiler)
{
    const struct sass_kernel *kernel = compiler->program->entry;
    struct execute_code *code = compiler->code;
    struct execute_code_function *function = mnp_array_add(&code->functions, 1, sizeof *function);
    uint32_t end = sass_frame_end(compiler);
    *function = (struct execute_code_function){.op_count = (uint32_t)kernel->words,
                                               .frame_bytes = end,
                                               .predicate_bytes = SASS_PREDICATE_BYTES,
                                               .large_start = end,
                                               .local_bytes = compiler->program->stack_bytes -
                                                              (code->deep_stack ? EXECUTE_STACK_BYTES : 0),
                                               .registers = kernel->registers};
}

static bool check_parameters(const struct sass_kernel *kernel, const char *name, struct mnp_error *error)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].offset > kernel->parameter_bytes ||
            kernel->parameters[i].bytes > kernel->parameter_bytes - kernel->parameters[i].offset)
            return mnp_fail(error,
                            "%s: cubin, kernel %s: parameter %u lies outside the %u bytes of parameters; compile "
                            "the program again",
                            name, kernel->name, i, kernel->parameter_bytes);
    return kernel->shared_bytes <= EXECUTE_WINDOW_BYTES ||
           mnp_fail(error, "%s: cubin, kernel %s: too much shared memory", name, kernel->name);
}

/* `shares`: other devices may take the operations; `places`: those that name addresses on this one. */
static bool compile_all(struct sass_compiler *compiler, bool shares, struct mnp_array *places)
{
    struct sass_program *program = compiler->program;
    uint64_t count = operations_of(program, program->entry, compiler->reached);
    uint32_t stack = stack_of(program->entry);
    if (count > MOST_OPERATIONS)
        return mnp_fail(compiler->error, "%s: cubin, kernel %s is too large", program->name, program->entry->name);
    if (stack > EXECUTE_LOCAL_BYTES)
        return mnp_fail(compiler->error, "%s: cubin, kernel %s: %u bytes of stack for a thread are more than %u",
                        program->name, program->entry->name, stack, (unsigned)EXECUTE_LOCAL_BYTES);
    if (!check_parameters(program->entry, program->name, compiler->error) || !size_frame(compiler, (uint32_t)count))
        return false;
    program->stack_bytes = round_stack(stack) + (compiler->code->deep_stack ? EXECUTE_STACK_BYTES : 0u);
    if (shares)
        execute_share_begin(compiler->code, (uint32_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct execute_op op;
        if (!sass_build_at(compiler, i, &op))
            return false;
        *(struct execute_op *)mnp_array_add(&compiler->code->ops, 1, sizeof op) = op;
        if (compiler->placed)
            *(uint32_t *)mnp_array_add(places, 1, sizeof i) = i;
    }
    *(struct execute_op *)mnp_array_add(&compiler->code->ops, 1, sizeof(struct execute_op)) = end_at((uint32_t)count);
    execute_share_close(compiler->code);
    return true;
}

/* Keeps results for the same kernel of another device. */
static void keep(struct sass_compiler *compiler, bool *reached, struct sass_made *made)
{
    made->reached = reached;
    made->registers = compiler->registers;
    made->uniform_registers = compiler->uniform_registers;
    made->copies_in_bulk = compiler->copies_in_bulk;
    made->copies_by_lane = compiler->copies_by_lane;
    made->bank_placed = compiler->bank_placed;
    made->bank = compiler->bank;
}

struct execute_code *sass_compile(struct sass_program *program, const struct sass_kernel *kernel,
                                  struct mnp_error *error)
{
    struct execute_code *code = create_code(program, kernel);
    struct sass_compiler compiler = {.program = program,
                                     .kernel = kernel,
                                     .code = code,
                                     .words = execute_words_best(),
                                     .error = error,
                                     .met = mnp_allocate(SASS_WORDS_MET, sizeof(struct sass_met))};
    program->entry = kernel;
    bool *reached = functions_reached(program, kernel);
    compiler.reached = reached;
    struct sass_made *made = &program->made[kernel - program->cubin->kernels];
    bool good = compile_all(&compiler, program->shares, &made->places);
    free(compiler.met);
    if (good) {
        describe(&compiler);
        keep(&compiler, reached, made);
        return code;
    }
    free(reached);
    mnp_array_release(&made->places);
    mnp_array_release(&compiler.bank);
    execute_code_release(code);
    free(code);
    return NULL;
}
