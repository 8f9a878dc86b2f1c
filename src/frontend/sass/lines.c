/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line table is a program for a small machine (DWARF 2, section 6.2), whose state is a row: address, file, line. An
 * opcode changes the state; COPY and special opcodes also append it to the table. Rows ascend in a sequence, which is
 * the code of one section.
 *
 * NVIDIA's opcode INLINED states the row of the same sequence, from 1 on, at which the following rows are inlined.
 */
#include "frontend/sass/lines.h"

#include "base/allocate.h"
#include "base/array.h"
#include "frontend/sass/cubin_parts.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 2, MOST_FILES = 1 << 16, STANDARD = 10, NO_ROW = 0 };
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, SET_BLOCK, CONST_ADD_PC, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2, INLINED = 0x90 };

struct row {
    uint64_t address;
    uint32_t file; /* index in lines.files plus one */
    uint32_t line;
    uint32_t caller; /* row of the sequence, from 1; NO_ROW: none */
};

struct sequence {
    uint32_t section, first, count; /* rows */
};

struct sass_lines {
    struct mnp_array rows;      /* struct row */
    struct mnp_array sequences; /* struct sequence */
    struct mnp_array files;     /* char * */
};

struct start { /* start of a sequence, from a relocation */
    uint64_t offset;
    uint32_t section;
    uint64_t address;
};

/* A line program being read. */
struct reader {
    const struct sass_cubin *cubin;
    const unsigned char *image, *at, *end;
    struct sass_lines *lines;
    struct mnp_array starts;     /* struct start, by offset */
    struct mnp_array folders;    /* const char * */
    uint32_t first_file;         /* first file of the unit in lines.files */
    int8_t line_base;            /* parameters of special opcodes */
    uint8_t line_range, step;    /* parameters of special opcodes, and unit of addresses */
    uint8_t base, operands[256]; /* the first special opcode; operands of those before it */
    struct row row;              /* the state */
    struct sequence sequence;    /* being made; section 0: it is of no code */
    bool damaged;
};

/* ===== numbers and texts ===== */

static uint64_t number(struct reader *reader, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->damaged = true;
        reader->at = reader->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)*reader->at++ << 8 * i;
    return value;
}

/* Reads a LEB128 number: seven bits in each byte, the lowest first; bit 7: more follow. `is_signed`: bit 6 of the last
 * byte is the sign. */
static uint64_t variable(struct reader *reader, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80; shift += 7) {
        byte = number(reader, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static const char *text(struct reader *reader)
{
    const unsigned char *end = memchr(reader->at, 0, (size_t)(reader->end - reader->at));
    const char *found = (const char *)reader->at;
    reader->damaged |= !end;
    reader->at = end ? end + 1 : reader->end;
    return end ? found : "";
}

/* ===== where sequences begin ===== */

static bool take_start(void *context, const struct sass_relocation *relocation)
{
    struct reader *reader = context;
    const struct sass_symbol *symbol = &reader->cubin->symbols[relocation->symbol];
    *(struct start *)mnp_array_add(&reader->starts, 1, sizeof(struct start)) =
        (struct start){relocation->offset, symbol->section, symbol->value + (uint64_t)relocation->addend};
    return true;
}

static int by_offset(const void *one, const void *other)
{
    uint64_t a = ((const struct start *)one)->offset, b = ((const struct start *)other)->offset;
    return (a > b) - (a < b);
}

/* A relocation at the operand's place states the section and an address in it, to which the operand is added. */
static void set_address(struct reader *reader, uint64_t own)
{
    struct start key = {.offset = (uint64_t)(reader->at - reader->image) - 8};
    const struct start *start =
        reader->starts.count ? bsearch(&key, reader->starts.items, reader->starts.count, sizeof key, by_offset) : NULL;
    reader->row.address = own + (start ? start->address : 0);
    if (start && !reader->sequence.count)
        reader->sequence.section = start->section;
}

/* ===== programs ===== */

static void begin_sequence(struct reader *reader)
{
    reader->row = (struct row){.file = 1, .line = 1};
    reader->sequence = (struct sequence){.first = reader->lines->rows.count};
}

static void end_sequence(struct reader *reader)
{
    if (reader->sequence.section && reader->sequence.count)
        *(struct sequence *)mnp_array_add(&reader->lines->sequences, 1, sizeof(struct sequence)) = reader->sequence;
    begin_sequence(reader);
}

static void add_row(struct reader *reader)
{
    struct row row = reader->row;
    uint64_t file = (uint64_t)reader->first_file + row.file;
    row.file = row.file && file <= reader->lines->files.count ? (uint32_t)file : 0;
    row.caller = row.caller <= reader->sequence.count ? row.caller : NO_ROW;
    *(struct row *)mnp_array_add(&reader->lines->rows, 1, sizeof row) = row;
    reader->sequence.count++;
}

/* An extended opcode: its length, the opcode, its operands. Unknown ones are skipped. */
static void extended(struct reader *reader)
{
    uint64_t length = variable(reader, false);
    if (!length || length > (uint64_t)(reader->end - reader->at)) {
        reader->damaged = true;
        return;
    }
    const unsigned char *end = reader->at + length;
    uint64_t opcode = number(reader, 1);
    if (opcode == END_SEQUENCE)
        end_sequence(reader);
    else if (opcode == SET_ADDRESS && length == 9)
        set_address(reader, number(reader, 8));
    else if (opcode == INLINED)
        reader->row.caller = (uint32_t)variable(reader, false);
    reader->at = end;
}

/* A standard opcode. The header states how many operands each has, so that unknown ones can be skipped. */
static void standard(struct reader *reader, uint64_t opcode)
{
    switch (opcode) {
    case COPY:
        add_row(reader);
        break;
    case ADVANCE_PC:
        reader->row.address += variable(reader, false) * reader->step;
        break;
    case ADVANCE_LINE:
        reader->row.line += (uint32_t)variable(reader, true);
        break;
    case SET_FILE:
        reader->row.file = (uint32_t)variable(reader, false);
        break;
    case CONST_ADD_PC:
        reader->row.address += (uint64_t)((255 - reader->base) / reader->line_range) * reader->step;
        break;
    case FIXED_ADVANCE_PC:
        reader->row.address += number(reader, 2);
        break;
    default:
        for (unsigned i = 0; i < reader->operands[opcode]; i++)
            variable(reader, false);
        break;
    }
}

/* A special opcode advances address and line by one number: line_base + n % line_range lines, n / line_range steps. */
static void run_program(struct reader *reader)
{
    begin_sequence(reader);
    while (reader->at < reader->end && !reader->damaged) {
        uint64_t opcode = number(reader, 1);
        if (opcode >= reader->base) {
            unsigned special = (unsigned)opcode - reader->base;
            reader->row.address += (uint64_t)(special / reader->line_range) * reader->step;
            reader->row.line += (uint32_t)(reader->line_base + (int)(special % reader->line_range));
            add_row(reader);
        } else if (opcode) {
            standard(reader, opcode);
        } else {
            extended(reader);
        }
    }
}

/* ===== units ===== */

static void add_file(struct reader *reader, const char *name, uint64_t folder)
{
    const char *const *folders = reader->folders.items;
    bool has_folder = folder && folder <= reader->folders.count && name[0] != '/';
    const char *in = has_folder ? folders[folder - 1] : "";
    char *whole = mnp_allocate(strlen(in) + strlen(name) + 2, 1);
    strcat(strcat(strcpy(whole, in), has_folder ? "/" : ""), name);
    *(char **)mnp_array_add(&reader->lines->files, 1, sizeof whole) = whole;
}

/* Reads the header of a unit: parameters, folders, files. */
static void read_head(struct reader *reader)
{
    reader->step = (uint8_t)number(reader, 1);
    number(reader, 1);
    reader->line_base = (int8_t)number(reader, 1);
    reader->line_range = (uint8_t)number(reader, 1);
    reader->base = (uint8_t)number(reader, 1);
    reader->damaged |= !reader->line_range || !reader->base;
    for (unsigned i = 1; i < reader->base; i++)
        reader->operands[i] = (uint8_t)number(reader, 1);
    reader->folders.count = 0;
    for (const char *name; !reader->damaged && *(name = text(reader));)
        *(const char **)mnp_array_add(&reader->folders, 1, sizeof name) = name;
    reader->first_file = reader->lines->files.count;
    for (const char *name; !reader->damaged && *(name = text(reader));) {
        uint64_t folder = variable(reader, false);
        variable(reader, false);
        variable(reader, false);
        reader->damaged |= reader->lines->files.count - reader->first_file >= MOST_FILES;
        add_file(reader, name, folder);
    }
}

/* A unit: its length, version, the length of its header, the header, the program. Other versions are skipped. */
static void read_unit(struct reader *reader, const unsigned char *limit)
{
    uint64_t bytes = number(reader, 4);
    if (reader->damaged || bytes > (uint64_t)(limit - reader->at)) {
        reader->damaged = true;
        return;
    }
    reader->end = reader->at + bytes;
    uint64_t version = number(reader, 2), head = number(reader, 4);
    if (version == VERSION && !reader->damaged && head <= (uint64_t)(reader->end - reader->at)) {
        const unsigned char *program = reader->at + head;
        read_head(reader);
        reader->at = program;
        if (!reader->damaged)
            run_program(reader);
    }
    reader->at = reader->end;
    reader->end = limit;
}

struct sass_lines *sass_lines_read(const struct sass_cubin *cubin)
{
    uint32_t index = 0;
    while (index < cubin->section_count && strcmp(cubin->sections[index].name, ".debug_line") != 0)
        index++;
    const struct sass_section *section = index < cubin->section_count ? &cubin->sections[index] : NULL;
    if (!section || !section->data)
        return NULL;
    struct mnp_error ignored = {{0}};
    const unsigned char *limit = section->data + section->bytes;
    struct reader reader = {.cubin = cubin,
                            .image = section->data,
                            .at = section->data,
                            .end = limit,
                            .lines = mnp_allocate(1, sizeof *reader.lines)};
    sass_cubin_relocations(cubin, index, take_start, &reader, &ignored);
    if (reader.starts.count)
        qsort(reader.starts.items, reader.starts.count, sizeof(struct start), by_offset);
    while (reader.at < limit && !reader.damaged)
        read_unit(&reader, limit);
    mnp_array_release(&reader.starts);
    mnp_array_release(&reader.folders);
    return reader.lines;
}

void sass_lines_free(struct sass_lines *lines)
{
    if (!lines)
        return;
    for (uint32_t i = 0; i < lines->files.count; i++)
        free(((char **)lines->files.items)[i]);
    mnp_array_release(&lines->files);
    mnp_array_release(&lines->rows);
    mnp_array_release(&lines->sequences);
    free(lines);
}

/* ===== questions ===== */

static struct execute_source_line line_of(const struct sass_lines *lines, const struct row *row)
{
    char *const *files = lines->files.items;
    return (struct execute_source_line){row->file ? files[row->file - 1] : NULL, row->line};
}

void sass_lines_find(const struct sass_lines *lines, uint32_t section, uint64_t address,
                     struct execute_source_line *source, struct execute_source_line *caller)
{
    for (uint32_t i = 0; lines && i < lines->sequences.count; i++) {
        const struct sequence *sequence = (const struct sequence *)lines->sequences.items + i;
        const struct row *rows = (const struct row *)lines->rows.items + sequence->first;
        uint32_t low = 0, high = sequence->count; /* the last row at or before the address; they ascend */
        if (sequence->section != section || rows->address > address)
            continue;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            *(rows[middle].address <= address ? &low : &high) = middle;
        }
        *source = line_of(lines, &rows[low]);
        if (rows[low].caller)
            *caller = line_of(lines, &rows[rows[low].caller - 1]);
        return;
    }
}
