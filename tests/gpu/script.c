/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 64, MOST_INSTRUCTIONS = 40000, MOST_WORDS = 80000 };

struct text { /* of a kernel */
    struct mnp_kernel kernel;
    struct mnp_static_instruction *instructions;
    struct mnp_record *records;
    uint64_t *words;
    uint32_t count, record_count, word_count;
};

struct script {
    struct mnp_source source;
    uint32_t skip;
    struct text *texts;
    uint32_t count, next;
    uint64_t cta_spread, warp_spread;
    uint64_t copy_address, copy_bytes; /* bytes 0: there is none, or it has been handed out */
};

/* ===== the source ===== */

static bool next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    (void)error;
    struct script *script = (struct script *)source;
    *command = (struct mnp_command){.kind = MNP_COMMAND_END};
    if (script->copy_bytes) {
        *command = (struct mnp_command){
            .kind = MNP_COMMAND_COPY, .address = script->copy_address, .bytes = script->copy_bytes};
        script->copy_bytes = 0;
        return true;
    }
    if (script->next < script->count)
        *command = (struct mnp_command){.kind = MNP_COMMAND_KERNEL, .kernel = &script->texts[script->next++].kernel};
    return true;
}

/* Copies the address stream, moved by the CTA's and the warp's spread: the first word of a strided access, or all. */
static uint64_t *spread(const struct text *text, uint64_t by)
{
    uint64_t *words = mnp_allocate(text->word_count, sizeof *words);
    uint32_t at = 0;
    for (uint32_t i = 0; i < text->record_count; i++) {
        const struct mnp_record *record = &text->records[i];
        bool list = record->address_words != 2 || (record->record_flags & MNP_RECORD_LIST);
        for (uint32_t k = 0; k < record->address_words; k++)
            words[at + k] = text->words[at + k] + (list || k == 0 ? by : 0);
        at += record->address_words;
    }
    return words;
}

static bool load_cta(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                     struct mnp_error *error)
{
    (void)error;
    const struct script *script = (const struct script *)source;
    const struct text *text = kernel->owner;
    uint32_t warps = (kernel->threads + 31) / 32;
    code->warp_count = warps;
    code->block[0] = (uint32_t)cta;
    code->warps = mnp_allocate(warps, sizeof *code->warps);
    code->owner = code->warps;
    code->instructions = text->instructions;
    for (uint32_t i = 0; i < warps; i++)
        code->warps[i] =
            (struct mnp_warp_stream){.records = text->records + i * script->skip,
                                     .count = text->record_count - i * script->skip,
                                     .addresses = spread(text, cta * script->cta_spread + i * script->warp_spread)};
    return true;
}

static void release_cta(struct mnp_source *source, struct mnp_cta_code *code)
{
    (void)source;
    for (uint32_t i = 0; i < code->warp_count; i++)
        free((void *)(uintptr_t)code->warps[i].addresses);
    free(code->warps);
    *code = (struct mnp_cta_code){0};
}

static void kernel_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    (void)source;
    (void)kernel;
}

static const char *opcode_name(const struct mnp_source *source, uint16_t opcode)
{
    (void)source;
    (void)opcode;
    return "SCRIPT";
}

/* ===== writing ===== */

struct script *script_new(void)
{
    struct script *script = mnp_allocate(1, sizeof *script);
    script->texts = mnp_allocate(MOST_KERNELS, sizeof *script->texts);
    script->source = (struct mnp_source){.next = next,
                                         .load_cta = load_cta,
                                         .release_cta = release_cta,
                                         .kernel_done = kernel_done,
                                         .opcode_name = opcode_name,
                                         .architecture = 80};
    return script;
}

void script_free(struct script *script)
{
    for (uint32_t i = 0; i < script->count; i++) {
        free(script->texts[i].instructions);
        free(script->texts[i].records);
        free(script->texts[i].words);
    }
    free(script->texts);
    free(script);
}

struct mnp_source *script_source(struct script *script)
{
    script->next = 0;
    return &script->source;
}

static struct mnp_static_instruction *add(struct script *script, struct mnp_static_instruction instruction)
{
    struct text *text = &script->texts[script->count - 1];
    MNP_REQUIRE(text->count < MOST_INSTRUCTIONS, "a script is too long");
    if (text->count && (text->instructions[text->count - 1].flags & MNP_FLAG_EXIT))
        text->count--, text->record_count--; /* EXIT moves to the end */
    instruction.pc = text->count * 16;
    instruction.stall = 1;
    instruction.write_counter = instruction.read_counter = MNP_COUNTERS;
    mnp_complete_registers(&instruction);
    instruction.simple = 0; /* tests may change it */
    text->instructions[text->count] = instruction;
    text->records[text->record_count++] = (struct mnp_record){.mask = UINT32_MAX, .index = (uint16_t)text->count};
    text->count++;
    struct mnp_static_instruction *added = &text->instructions[text->count - 1];
    if (!(instruction.flags & MNP_FLAG_EXIT))
        add(script, (struct mnp_static_instruction){.class = MNP_CLASS_BRANCH, .flags = MNP_FLAG_EXIT});
    return added;
}

void script_copy(struct script *script, uint64_t address, uint64_t bytes)
{
    script->copy_address = address;
    script->copy_bytes = bytes;
}

struct mnp_kernel *script_kernel(struct script *script, uint32_t ctas, uint32_t threads)
{
    struct text *text = &script->texts[script->count++];
    text->instructions = mnp_allocate(MOST_INSTRUCTIONS, sizeof *text->instructions);
    text->records = mnp_allocate(MOST_INSTRUCTIONS, sizeof *text->records);
    text->words = mnp_allocate(MOST_WORDS, sizeof *text->words);
    text->kernel = (struct mnp_kernel){.name = "script",
                                       .id = script->count,
                                       .grid = {ctas, 1, 1},
                                       .block = {threads, 1, 1},
                                       .cta_count = ctas,
                                       .threads = threads,
                                       .registers = 16,
                                       .architecture = 80,
                                       .owner = text};
    add(script, (struct mnp_static_instruction){.class = MNP_CLASS_BRANCH, .flags = MNP_FLAG_EXIT});
    return &text->kernel;
}

static struct mnp_registers registers(uint8_t first, uint8_t count)
{
    return (struct mnp_registers){.first = first, .count = first == MNP_ZERO_REGISTER ? 0 : count};
}

struct mnp_static_instruction *script_compute(struct script *script, enum mnp_execution_class class,
                                              uint8_t destination, uint8_t source)
{
    return add(script, (struct mnp_static_instruction){.class = (uint8_t) class,
                                                       .destination = registers(destination, 1),
                                                       .source_count = source != MNP_ZERO_REGISTER,
                                                       .source = {registers(source, 1)}});
}

static struct mnp_record *last_record(struct script *script)
{
    struct text *text = &script->texts[script->count - 1];
    return &text->records[text->record_count - 2]; /* EXIT is the last */
}

void script_lanes(struct script *script, uint32_t mask)
{
    last_record(script)->mask = mask;
}

static void add_word(struct script *script, uint64_t word)
{
    struct text *text = &script->texts[script->count - 1];
    MNP_REQUIRE(text->word_count < MOST_WORDS, "a script has too many addresses");
    text->words[text->word_count++] = word;
    last_record(script)->address_words++;
}

static struct mnp_static_instruction *add_access(struct script *script, enum mnp_memory_operation operation,
                                                 enum mnp_memory_space space, uint8_t width, uint8_t destination,
                                                 uint8_t source)
{
    uint8_t count = width > 4 ? width / 4 : 1;
    return add(script, (struct mnp_static_instruction){.class = MNP_CLASS_MEMORY,
                                                       .space = (uint8_t)space,
                                                       .operation = (uint8_t)operation,
                                                       .width = width,
                                                       .destination = registers(destination, count),
                                                       .source_count = source != MNP_ZERO_REGISTER,
                                                       .source = {registers(source, 1)}});
}

struct mnp_static_instruction *script_memory(struct script *script, enum mnp_memory_operation operation,
                                             enum mnp_memory_space space, uint8_t width, uint8_t destination,
                                             uint8_t source, uint64_t base, uint64_t stride)
{
    struct mnp_static_instruction *added = add_access(script, operation, space, width, destination, source);
    add_word(script, base);
    add_word(script, stride);
    return added;
}

struct mnp_static_instruction *script_scatter(struct script *script, enum mnp_memory_operation operation,
                                              enum mnp_memory_space space, uint8_t width, uint8_t destination,
                                              uint8_t source, uint64_t (*lane_address)(uint32_t lane))
{
    struct mnp_static_instruction *added = add_access(script, operation, space, width, destination, source);
    for (uint32_t lane = 0; lane < MNP_WARP_SIZE; lane++)
        add_word(script, lane_address(lane));
    last_record(script)->record_flags |= MNP_RECORD_LIST;
    return added;
}

struct mnp_static_instruction *script_barrier(struct script *script)
{
    return add(script, (struct mnp_static_instruction){.class = MNP_CLASS_SYNC, .flags = MNP_FLAG_BARRIER});
}

void script_mask(struct script *script, uint32_t mask)
{
    struct text *text = &script->texts[script->count - 1];
    text->records[text->record_count - 2].mask = mask; /* EXIT is the last */
}

struct mnp_static_instruction *script_reads(struct script *script, enum mnp_execution_class class, uint8_t first,
                                            uint8_t second, uint8_t third)
{
    return add(script, (struct mnp_static_instruction){
                           .class = (uint8_t) class,
                           .source_count = 3,
                           .source = {registers(first, 1), registers(second, 1), registers(third, 1)}});
}

void script_control(struct script *script, struct mnp_static_instruction *instruction, uint8_t stall,
                    uint8_t write_counter, uint8_t read_counter, uint8_t wait)
{
    script->texts[script->count - 1].kernel.has_control = true;
    instruction->stall = stall;
    instruction->write_counter = write_counter;
    instruction->read_counter = read_counter;
    instruction->wait = wait;
}

void script_skip(struct script *script, uint32_t instructions)
{
    script->skip = instructions;
}

void script_repeat(struct script *script, uint32_t first, uint32_t times)
{
    struct text *text = &script->texts[script->count - 1];
    uint32_t end = text->count - 1;
    struct mnp_record exit = text->records[text->record_count - 1];
    MNP_REQUIRE(text->record_count + times * (end - first) <= MOST_INSTRUCTIONS, "a script is too long");
    text->record_count--;
    for (uint32_t i = 0; i < times * (end - first); i++)
        text->records[text->record_count++] =
            (struct mnp_record){.mask = UINT32_MAX, .index = (uint16_t)(first + i % (end - first))};
    text->records[text->record_count++] = exit;
}

void script_spread(struct script *script, uint64_t cta, uint64_t warp)
{
    script->cta_spread = cta;
    script->warp_spread = warp;
}
