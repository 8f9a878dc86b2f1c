/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a CTA to records. This is where the time of reading goes, so an instruction seen before costs one
 * comparison of its static text, and an address a few table look-ups per digit.
 */
#include "frontend/sass_trace/parse.h"

#include "base/arena.h"
#include "frontend/sass_trace/addresses.h"
#include "frontend/sass_trace/async.h"
#include "frontend/sass_trace/decode.h"
#include "isa/opcodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct kernel_file *file;
    struct cta_buffers *buffers;
    struct mnp_error *error;
    const char *text, *end; /* the CTA's text, which ends with a newline */
    uint64_t offset;        /* offset of the text in the file */
    uint32_t warps;         /* number of warps of the CTA */
    struct static_table table;
    struct spill *spill;
    struct memo *memo;
    uint32_t in_memory; /* warps that are in the buffers, one bit each; a block has at most 32 */
    bool conflict;      /* the table is the kernel's, and does not fit this CTA */
    uint64_t unknown;   /* records with unknown opcodes */
    uint64_t markers;   /* lines of the present warp that are no instructions */
    uint32_t lanes;     /* in the masks of the present warp */
};

/* ===== errors ===== */

enum { MOST_PLACE = 128 };

/* Locates a character of the text: its line in the file or, in a .tracez, which has no lines, the block, warp and
 * instruction, which are written to `room`. */
static unsigned long locate(const struct parser *parser, const char *at, char room[static MOST_PLACE])
{
    const struct kernel_file *file = parser->file;
    room[0] = 0;
    if (!file->tracez)
        return trace_scan_line_number(file->path, parser->offset + (uint64_t)(at - parser->text));
    size_t block = strcspn(parser->text, "\n");
    long warp = -1, line = 0;
    for (const char *here = parser->text; here && here <= at;) {
        bool begins = at - here > 7 && memcmp(here, "warp = ", 7) == 0;
        warp += begins;
        line = begins ? -1 : line + 1;
        here = memchr(here, '\n', (size_t)(parser->end - here));
        here = here ? here + 1 : NULL;
    }
    int used = snprintf(room, MOST_PLACE, "%.*s, ", (int)(block < 64 ? block : 64), parser->text);
    if (warp >= 0 && line > 0)
        snprintf(room + used, MOST_PLACE - (size_t)used, "warp %ld, instruction %ld: ", warp, line);
    return 0;
}

static bool wrong(const struct parser *parser, const char *at, const char *what)
{
    char place[MOST_PLACE];
    unsigned long line = locate(parser, at, place);
    return mnp_fail_at(parser->error, parser->file->path, line, "%s%s; the trace is damaged here, trace again", place,
                       what);
}

/* ===== lines' ends ===== */

/* The line's end, when nothing but spaces lies before it; otherwise NULL. */
static const char *empty_rest(const char *at)
{
    while (*at == ' ' || *at == '\r')
        at++;
    return *at == '\n' ? at : NULL;
}

/* ===== buffers ===== */

enum { TRIM_FROM = 4096 }; /* records or words: smaller buffers are kept as they are */

static void reserve_record(struct cta_buffers *b)
{
    if (b->record_count < b->record_capacity)
        return;
    b->record_capacity = b->record_capacity ? 2 * b->record_capacity : 1024;
    b->records = mnp_reallocate(b->records, b->record_capacity, sizeof *b->records);
}

static uint64_t *reserve_addresses(struct cta_buffers *b)
{
    if (b->address_count + MNP_WARP_SIZE > b->address_capacity) {
        b->address_capacity = b->address_capacity ? 2 * b->address_capacity : 1024;
        b->addresses = mnp_reallocate(b->addresses, b->address_capacity, sizeof *b->addresses);
    }
    return b->addresses + b->address_count;
}

static void reserve_warps(struct cta_buffers *b, size_t count)
{
    if (count <= b->warp_capacity)
        return;
    b->warp_capacity = count;
    b->warps = mnp_reallocate(b->warps, count, sizeof *b->warps);
    b->first_record = mnp_reallocate(b->first_record, count, sizeof *b->first_record);
    b->first_address = mnp_reallocate(b->first_address, count, sizeof *b->first_address);
}

size_t trace_cta_buffers_bytes(const struct cta_buffers *b)
{
    return b->record_capacity * sizeof *b->records + b->address_capacity * sizeof *b->addresses +
           b->commands.all.capacity * sizeof(struct trace_command) +
           b->commands.pairs.capacity * sizeof(struct trace_pair) + trace_static_table_bytes(&b->own);
}

void trace_cta_buffers_free(struct cta_buffers *b)
{
    free(b->warps);
    free(b->records);
    free(b->addresses);
    free(b->first_record);
    free(b->first_address);
    mnp_array_release(&b->commands.all);
    mnp_array_release(&b->commands.pairs);
    trace_static_table_close(&b->own);
    if (b->spilled)
        shared_spilled_free(b->spilled);
    free(b);
}

/* ===== addresses ===== */

/* Parses "mode addresses…" behind the memory width. The record's words are skipped if no lane is active. */
static const char *read_addresses(const struct parser *parser, const char *at, struct mnp_record *record)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(record->mask);
    if (lanes == 0)
        return *at >= '0' && *at <= '2' && at[1] == ' ' ? at : NULL;
    uint64_t *words = reserve_addresses(parser->buffers);
    bool strided;
    at = trace_read_lanes(at, lanes, words, &strided);
    if (!at)
        return NULL;
    if (strided)
        record->address_words = 2;
    else
        mnp_pack_addresses(record, words, lanes);
    parser->buffers->address_count += record->address_words;
    return at;
}

/* ===== static instructions ===== */

/* Decodes an instruction that is new to the table, and enters it. */
static bool learn(struct parser *parser, uint32_t index, uint32_t pc, const char *text)
{
    struct kernel_file *file = parser->file;
    const char *line_end = memchr(text, '\n', (size_t)(parser->end - text)), *rest;
    struct mnp_static_instruction instruction;
    char opcode[64];
    enum decode_result result = decode_instruction(text, line_end, &instruction, &rest, opcode);
    if (result != DECODE_MALFORMED)
        while (rest[-1] == ' ' && rest[-2] == ' ') /* further spaces may be there or not */
            rest--;
    if (result == DECODE_MALFORMED || rest[-1] != ' ' || rest - text > STATIC_TEXT)
        return wrong(parser, text, "expected 'n [destinations] opcode n [sources] width'");
    if (result == DECODE_UNKNOWN_OPCODE && !file->unknown_as_alu) {
        char place[MOST_PLACE];
        unsigned long line = locate(parser, text, place);
        return mnp_fail_at(parser->error, file->path, line,
                           "%sopcode %s is not known; use --unknown=alu to treat it as "
                           "an integer operation",
                           place, opcode);
    }
    instruction.pc = pc;
    if (file->lives && result == DECODE_DONE)
        trace_live_form(text, &instruction);
    else if (isa_opcode_copies(instruction.opcode))
        atomic_store_explicit(&parser->file->copies, true, memory_order_relaxed);
    trace_static_table_put(&parser->table, index, &instruction, text, (size_t)(rest - text));
    return true;
}

/* The place in the kernel's table, which holds one text for each PC, and only some PCs. */
static bool find_shared(struct parser *parser, uint32_t pc, const char *text, uint32_t *index)
{
    if (!static_has_home(pc)) {
        parser->conflict = true;
        return false;
    }
    *index = pc / PC_STEP;
    pthread_mutex_lock(&parser->file->lock);
    bool good = static_is_ready(&parser->table, *index) || learn(parser, *index, pc, text);
    pthread_mutex_unlock(&parser->file->lock);
    if (good && !static_match(&parser->table, *index, pc, text, parser->end))
        parser->conflict = true;
    return good && !parser->conflict;
}

/* The place in the CTA's own table. */
static bool find_own(struct parser *parser, uint32_t pc, const char *text, uint32_t *index)
{
    *index = trace_static_table_find(&parser->table, pc, text, parser->end);
    if (*index < MOST_INSTRUCTIONS)
        return true;
    *index = trace_static_table_choose(&parser->table, pc);
    if (*index < MOST_INSTRUCTIONS)
        return learn(parser, *index, pc, text);
    char place[MOST_PLACE];
    unsigned long line = locate(parser, text, place);
    return mnp_fail_at(parser->error, parser->file->path, line,
                       "%sover 65,535 different instructions in one thread block, which is more than can be read; "
                       "trace a smaller kernel",
                       place);
}

/* Steps over the static text of an instruction that is not at its usual place in the table. NULL: an error, or a
 * conflict with the kernel's table. */
static const char *find(struct parser *parser, uint64_t pc, const char *text, uint32_t *index)
{
    if (pc > UINT32_MAX) {
        wrong(parser, text, "a PC is 4 GiB or more into the kernel");
        return NULL;
    }
    bool found = parser->table.variants ? find_own(parser, (uint32_t)pc, text, index)
                                        : find_shared(parser, (uint32_t)pc, text, index);
    return found ? text + parser->table.texts[*index].length : NULL;
}

/* ===== lines ===== */

enum { MOST_WIDTH = 1024 }; /* bytes that a line may give; the opcode tells the true width */

/* Parses the part in front of the static text: "[coordinates of the block, warp] [line] PC mask". */
static const char *read_prefix(const struct header *header, const char *at, uint64_t *pc, uint64_t *mask)
{
    int64_t ignored;
    uint32_t numbers = (header->version < 3 ? 4 : 0) + header->lineinfo;
    for (uint32_t i = 0; i < numbers && at; i++)
        at = trace_read_decimal(trace_skip_spaces(at), &ignored);
    if (!at || !(at = trace_read_hex(trace_skip_spaces(at), pc)) || *at != ' ')
        return NULL;
    if (!(at = trace_read_hex(trace_skip_spaces(at), mask)) || *at != ' ' || *mask > UINT32_MAX)
        return NULL;
    return trace_skip_spaces(at);
}

/* Skips at most one number, the immediate, up to the end of the line; NULL if there is other text. */
static const char *pass_immediate(const char *at)
{
    at = trace_skip_spaces(at);
    while ((unsigned char)*at > ' ' && (unsigned char)*at < 127)
        at++;
    return empty_rest(at);
}

/* Gives the record of an instruction the number of the command that was read last. */
static void name_command(struct cta_buffers *b, struct mnp_record *record)
{
    *reserve_addresses(b) = b->commands.all.count - 1;
    b->address_count++;
    record->address_words = 1;
}

/* Reads an instruction's command to async units or other warps; if warps of the kernel do not wait, only checks its
 * form. NULL: it has not this form. */
static const char *read_command(const struct parser *parser, enum trace_command_kind kind, const char *at,
                                struct mnp_record *record)
{
    struct cta_buffers *b = parser->buffers;
    const struct header *header = &parser->file->header;
    uint32_t count = b->commands.all.count, pairs = b->commands.pairs.count;
    at = trace_read_command(kind, parser->table.texts[record->index].text, at, record->mask, header->version >= 6,
                            &b->commands);
    if (parser->file->lives && b->commands.all.count > count) {
        name_command(b, record);
    } else {
        b->commands.all.count = count;
        b->commands.pairs.count = pairs;
    }
    return at;
}

/* The kind of command of an instruction, if it is one that is modelled. */
static enum trace_command_kind command_of(const struct parser *parser, uint32_t index)
{
    const struct mnp_static_instruction *instruction = &parser->table.instructions[index];
    bool may = parser->file->lives || instruction->class == MNP_CLASS_SYNC || instruction->class == MNP_CLASS_TENSOR;
    if (!may)
        return TRACE_COMMAND_NONE;
    enum trace_command_kind kind = trace_command_of(instruction->opcode, parser->table.texts[index].text);
    return parser->file->lives || trace_command_is_formed(kind) ? kind : TRACE_COMMAND_NONE;
}

/* Parses "width [mode addresses…] [immediate]" up to the line's end; in version 6, and for Hopper's async units, also
 * the additional fields. NULL with an error. */
static const char *read_memory(const struct parser *parser, const char *at, struct mnp_record *record)
{
    const char *from = at;
    int64_t width;
    enum trace_command_kind command = command_of(parser, record->index);
    bool six = parser->file->header.version >= 6;
    if (command != TRACE_COMMAND_NONE) {
        const char *end = read_command(parser, command, at, record);
        if (end)
            return end;
        if (six) {
            wrong(parser, from,
                  "expected the group of a product, or the bytes and addresses of a copy, or the address of an "
                  "mbarrier and values");
            return NULL;
        }
    }
    at = trace_read_decimal(trace_skip_spaces(at), &width);
    if (at && (*at == ' ' || *at == '\n' || *at == '\r') && width >= 0 && width <= MOST_WIDTH)
        at = width ? read_addresses(parser, trace_skip_spaces(at), record) : at;
    else
        at = NULL;
    if (!at) {
        wrong(parser, from, "expected a memory width, and addresses where it is not zero");
        return NULL;
    }
    if (width && record->mask == 0) /* placeholder for the addresses if no lane is active */
        return memchr(at, '\n', (size_t)(parser->end - at));
    at = six ? trace_pass_values(at) : pass_immediate(at);
    if (!at)
        wrong(parser, from,
              six ? "expected an immediate or two, and then NoVal, or Val and values of registers"
                  : "more numbers than one behind the width and the addresses of the active lanes");
    return at;
}

static struct mnp_record *add_record(struct parser *parser, uint32_t index, uint32_t mask)
{
    struct cta_buffers *b = parser->buffers;
    reserve_record(b);
    struct mnp_record *record = &b->records[b->record_count++];
    *record = (struct mnp_record){.mask = mask, .index = (uint16_t)index};
    parser->lanes |= mask;
    parser->unknown += (parser->table.instructions[index].flags & MNP_FLAG_UNKNOWN) != 0;
    return record;
}

/* Reads the addresses of a record and the rest of its line, and drops those that no model reads. NULL: an error. */
static const char *read_rest(struct parser *parser, const char *at, struct mnp_record *record)
{
    if (!(at = read_memory(parser, at, record)))
        return NULL;
    const struct mnp_static_instruction *instruction = &parser->table.instructions[record->index];
    bool kept = parser->file->keep_addresses || parser->file->lives;
    if (instruction->space == MNP_SPACE_NONE && record->address_words && !kept) {
        parser->buffers->address_count -= record->address_words;
        record->address_words = record->record_flags = 0;
    }
    return at + 1;
}

/* A line that begins as one before. */
static const char *parse_known(struct parser *parser, const char *line, const struct memo_line *known)
{
    uint16_t index = memo_index(parser->memo, known);
    struct mnp_record *record = add_record(parser, index, known->mask);
    memo_step(parser->memo, index);
    return known->whole ? line + known->length : read_rest(parser, line + known->length, record);
}

static const char *parse_instruction(struct parser *parser, const char *line)
{
    const struct memo_line *known = memo_match(parser->memo, line, parser->end);
    if (known)
        return parse_known(parser, line, known);
    uint64_t pc, mask;
    const char *at = read_prefix(&parser->file->header, line, &pc, &mask);
    if (!at) {
        wrong(parser, line,
              *line == '#' ? "an empty line is missing before this one" : "expected an instruction 'PC mask …'");
        return NULL;
    }
    uint32_t index = (uint32_t)(pc / PC_STEP) % MOST_INSTRUCTIONS;
    const char *rest = static_match(&parser->table, index, pc, at, parser->end);
    if (!rest && trace_is_marker(at, parser->end)) {
        parser->markers++;
        return (const char *)memchr(at, '\n', (size_t)(parser->end - at)) + 1;
    }
    if (!rest && !(rest = find(parser, pc, at, &index)))
        return NULL;
    struct mnp_record *record = add_record(parser, index, (uint32_t)mask);
    at = read_rest(parser, rest, record);
    if (at)
        memo_put(parser->memo, (uint16_t)index, (uint32_t)mask, line, rest, at, record->address_words == 0);
    return at;
}

/* Reads "name = number" at the start of a line; returns the next line, or NULL. */
static const char *parse_count(const char *line, const char *end, const char *name, int64_t *number)
{
    size_t length = strlen(name);
    if ((size_t)(end - line) < length || memcmp(line, name, length) != 0)
        return NULL;
    const char *at = trace_read_decimal(line + length, number);
    at = at ? empty_rest(at) : NULL;
    return at && *number >= 0 ? at + 1 : NULL;
}

static const char *skip_empty(const char *at, const char *end)
{
    while (at < end && (*at == '\n' || *at == '\r' || *at == ' '))
        at++;
    return at;
}

/* Lanes of a warp that have a thread. */
static uint32_t lanes_of(const struct parser *parser, int64_t warp)
{
    uint32_t rest = parser->file->kernel.threads % MNP_WARP_SIZE;
    return rest && warp + 1 == parser->warps ? (UINT32_C(1) << rest) - 1 : UINT32_MAX;
}

/* Parses one warp: its number, the count of its instructions, and the instructions. NULL: an error. */
static const char *parse_warp(struct parser *parser, const char *line, bool *seen)
{
    int64_t warp, count;
    const char *at = parse_count(line, parser->end, "warp = ", &warp);
    if (!at || warp >= parser->warps) {
        wrong(parser, line,
              at             ? "a warp has a number that its block has no room for"
              : *line == '#' ? "a thread block begins before the one before it has its #END_TB"
                             : "expected 'warp = n'");
        return NULL;
    }
    if (seen[warp]) {
        wrong(parser, line, "a warp occurs twice in its block");
        return NULL;
    }
    seen[warp] = true;
    const char *count_line = at;
    if (!(at = parse_count(at, parser->end, "insts = ", &count))) {
        wrong(parser, count_line, "expected 'insts = n'");
        return NULL;
    }
    struct cta_buffers *b = parser->buffers;
    size_t first = b->first_record[warp] = b->record_count;
    b->first_address[warp] = b->address_count;
    parser->markers = parser->lanes = 0;
    while (at < parser->end && *at != '\n' && *at != '\r')
        if (!(at = parse_instruction(parser, at)))
            return NULL;
    if (parser->lanes & ~lanes_of(parser, warp)) {
        wrong(parser, line, "masks of this warp have lanes beyond the last thread of its block");
        return NULL;
    }
    b->warps[warp] = (struct mnp_warp_stream){.count = b->record_count - first};
    parser->in_memory |= UINT32_C(1) << warp;
    if (b->record_count - first + parser->markers != (uint64_t)count) {
        wrong(parser, count_line, "the count of instructions does not match those that follow");
        return NULL;
    }
    return skip_empty(at, parser->end);
}

static bool is_new_place(const struct parser *parser, const char *line, const uint32_t block[static 3])
{
    const uint32_t *grid = parser->file->kernel.grid;
    uint64_t place = ((uint64_t)block[2] * grid[1] + block[1]) * grid[0] + block[0];
    return trace_kernel_file_mark(parser->file, place) || wrong(parser, line, "this thread block was read before");
}

/* Skips "cluster id = …", "cluster cta = …" and "cluster rank = …", which tracers for Hopper add. */
static const char *skip_cluster(const struct parser *parser, const char *at)
{
    static const char name[] = "cluster ";
    while ((size_t)(parser->end - at) > sizeof name && memcmp(at, name, sizeof name - 1) == 0)
        at = (const char *)memchr(at, '\n', (size_t)(parser->end - at)) + 1;
    return skip_empty(at, parser->end);
}

/* "thread block = x,y,z" */
static const char *parse_place(const struct parser *parser, const char *line, uint32_t block[static 3])
{
    static const char name[] = "thread block = ";
    const char *at = line;
    if ((size_t)(parser->end - at) > sizeof name && memcmp(at, name, sizeof name - 1) == 0) {
        at += sizeof name - 1;
        for (int i = 0; i < 3 && at; i++) {
            int64_t number;
            at = trace_read_decimal(at, &number);
            if (at && (number < 0 || number >= parser->file->kernel.grid[i]))
                at = NULL;
            if (at && i < 2)
                at = *at == ',' ? at + 1 : NULL;
            if (at)
                block[i] = (uint32_t)number;
        }
        if (at && (at = empty_rest(at)))
            return is_new_place(parser, line, block) ? skip_cluster(parser, skip_empty(at, parser->end)) : NULL;
    }
    wrong(parser, line, "expected 'thread block = x,y,z' inside the grid");
    return NULL;
}

/* Rejects a block with missing warps, which would be simulated as if they were empty. */
static bool expect_all(const struct parser *parser, const bool *seen)
{
    for (uint32_t warp = 0; warp < parser->warps; warp++)
        if (!seen[warp]) {
            char place[MOST_PLACE];
            unsigned long line = locate(parser, parser->end, place);
            return mnp_fail_at(parser->error, parser->file->path, line,
                               "%swarp %u of the %u of this thread block is "
                               "missing; trace again",
                               place, warp, parser->warps);
        }
    return true;
}

/* ===== the CTA ===== */

static void forget_spilled(struct cta_buffers *b)
{
    if (b->spilled)
        shared_spilled_free(b->spilled);
    b->spilled = NULL;
}

/* Lets the streams of warps in the buffers point there; valid until these move. */
static void point(const struct parser *parser)
{
    struct cta_buffers *b = parser->buffers;
    for (uint32_t warps = parser->in_memory; warps; warps &= warps - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(warps);
        b->warps[warp].records = b->records + b->first_record[warp];
        b->warps[warp].addresses = b->addresses + b->first_address[warp];
    }
}

/* Once there is no room for the CTA, its warps go to the file one after another. */
static bool make_room(struct parser *parser)
{
    struct cta_buffers *b = parser->buffers;
    uint64_t bytes = b->record_count * sizeof *b->records + b->address_count * sizeof *b->addresses;
    if (!b->spilled && spill_has_room(parser->spill, bytes))
        return true;
    if (!b->spilled)
        b->spilled = shared_spilled_start(parser->spill, parser->warps);
    point(parser);
    for (; parser->in_memory; parser->in_memory &= parser->in_memory - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(parser->in_memory);
        if (b->warps[warp].count && !shared_spilled_add(b->spilled, warp, &b->warps[warp], parser->error))
            return false;
    }
    b->record_count = b->address_count = 0;
    return true;
}

/* Reads the warps with one of the two tables. */
static bool parse_warps(struct parser *parser, const char *at, const struct static_table *table)
{
    struct cta_buffers *b = parser->buffers;
    bool seen[MNP_WARP_SIZE] = {false}; /* a block has at most 1,024 threads */
    parser->table = *table;
    parser->conflict = false;
    parser->unknown = 0;
    parser->in_memory = 0;
    memo_start(parser->memo);
    forget_spilled(b);
    b->record_count = b->address_count = 0;
    b->commands.all.count = b->commands.pairs.count = 0;
    while (at && at < parser->end)
        if ((at = parse_warp(parser, at, seen)) && !make_room(parser))
            at = NULL;
    return at && expect_all(parser, seen);
}

/* A table of the CTA's own. */
static bool make_own(const struct parser *parser)
{
    struct static_table *own = &parser->buffers->own;
    if (own->instructions)
        trace_static_table_reset(own);
    else if (!trace_static_table_open(own, true))
        return mnp_fail_at(parser->error, parser->file->path, 0, "no memory to read it; free memory");
    return true;
}

/* Returns excess capacity of buffers. CTAs of a kernel are mostly equal in size, so the next one seldom grows. */
static void trim_buffers(struct cta_buffers *b)
{
    if (b->record_capacity > TRIM_FROM && b->record_capacity > b->record_count + b->record_count / 4) {
        b->record_capacity = b->record_count + b->record_count / 16 + 1;
        b->records = mnp_reallocate(b->records, b->record_capacity, sizeof *b->records);
    }
    if (b->address_capacity > TRIM_FROM && b->address_capacity > b->address_count + b->address_count / 4) {
        b->address_capacity = b->address_count + b->address_count / 16 + MNP_WARP_SIZE;
        b->addresses = mnp_reallocate(b->addresses, b->address_capacity, sizeof *b->addresses);
    }
}

/* The streams point into the buffers only now that these no longer move. */
static void finish(const struct parser *parser, struct mnp_cta_code *code)
{
    struct cta_buffers *b = parser->buffers;
    trim_buffers(b);
    point(parser);
    code->warp_count = parser->warps;
    code->warps = b->warps;
    code->instructions = parser->table.instructions;
    b->unknown = parser->unknown;
}

bool trace_parse_cta(struct kernel_file *file, const struct cta_text *text, struct cta_buffers *buffers,
                     const struct parse_means *means, struct mnp_cta_code *code, struct mnp_error *error)
{
    struct parser parser = {.file = file,
                            .buffers = buffers,
                            .spill = means->spill,
                            .memo = means->memo,
                            .error = error,
                            .text = text->text,
                            .end = text->text + text->length,
                            .offset = text->offset,
                            .warps = (file->kernel.threads + MNP_WARP_SIZE - 1) / MNP_WARP_SIZE};
    reserve_warps(buffers, parser.warps);
    buffers->record_count = buffers->address_count = 0;
    reserve_record(buffers); /* a CTA without instructions has arrays, too */
    reserve_addresses(buffers);
    const char *warps = parse_place(&parser, skip_empty(parser.text, parser.end), code->block);
    if (!warps)
        return false;
    bool good = parse_warps(&parser, warps, &file->table);
    if (!good && parser.conflict)
        good = make_own(&parser) && parse_warps(&parser, warps, &buffers->own);
    if (good)
        finish(&parser, code);
    else
        forget_spilled(buffers);
    return good;
}
