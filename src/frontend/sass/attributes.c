/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An attribute has a head of four bytes: the format, the attribute's number, and 16 bits that hold a value (format 2: a
 * byte, 3: a half word), nothing (1), or the length of the payload that follows (4). All numbers are little-endian.
 *     .nv.info.KERNEL  attributes of one kernel: parameters, numbers of threads, barriers, exits
 *     .nv.info         attributes of all kernels: the payload begins with a symbol's number, a value follows
 */
#include "frontend/sass/attributes.h"

#include "base/allocate.h"
#include "frontend/sass/cubin_parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum format { NOTHING = 1, BYTE, HALF_WORD, SIZED };

enum attribute {
    MAX_THREADS = 0x05,
    PARAM_CBANK = 0x0a,
    REQNTID = 0x10,
    FRAME_SIZE = 0x11,
    MIN_STACK_SIZE = 0x12,
    KPARAM_INFO = 0x17,
    CBANK_PARAM_SIZE = 0x19,
    EXIT_INSTR_OFFSETS = 0x1c,
    REGCOUNT = 0x2f,
    CTA_PER_CLUSTER = 0x3d,
    KPARAM_INFO_V2 = 0x45,
    NUM_BARRIERS = 0x4c,
};

enum { MOST_PARAMETERS = 4096, MOST_REGISTERS = 255 };

struct attribute_reader {
    struct sass_cubin *cubin;
    const struct sass_section *section;
    struct mnp_error *error;
    uint64_t at; /* offset of the attribute in the section */
    unsigned attribute;
    const unsigned char *payload;
    uint32_t bytes; /* size of the payload */
    uint32_t value; /* value, if the format has one */
};

static uint32_t word_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t half_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static bool damaged(const struct attribute_reader *reader, const char *what)
{
    return mnp_fail(reader->error, "%s: cubin, %s, byte %" PRIu64 ": %s; compile the program again",
                    reader->cubin->name, reader->section->name, reader->at, what);
}

static bool holds(const struct attribute_reader *reader, uint32_t bytes)
{
    return reader->bytes >= bytes || damaged(reader, "an attribute is too short");
}

/* A parameter: its ordinal in bytes 4 and 5, its offset in bytes 6 and 7; its size is the last word or, in the older
 * form, the upper 14 bits of that word. Parameters may come in any order. */
static bool read_parameter(const struct attribute_reader *reader, struct sass_kernel *kernel)
{
    bool wide = reader->attribute == KPARAM_INFO_V2;
    if (!holds(reader, 12))
        return false;
    uint32_t ordinal = half_at(reader->payload + 4), last = word_at(reader->payload + 8);
    if (ordinal >= MOST_PARAMETERS)
        return damaged(reader, "a kernel has more than 4096 parameters");
    if (ordinal >= kernel->parameter_count) {
        struct sass_parameter *more = mnp_allocate(ordinal + 1, sizeof *more);
        for (uint32_t i = 0; i < kernel->parameter_count; i++)
            more[i] = kernel->parameters[i];
        free(kernel->parameters);
        kernel->parameters = more;
        kernel->parameter_count = ordinal + 1;
    }
    kernel->parameters[ordinal] =
        (struct sass_parameter){.offset = half_at(reader->payload + 6), .bytes = wide ? last : last >> 18};
    return true;
}

/* Three words: x, y and z. */
static bool read_three(const struct attribute_reader *reader, uint32_t three[3])
{
    if (!holds(reader, 12))
        return false;
    for (unsigned i = 0; i < 3; i++)
        three[i] = word_at(reader->payload + 4 * i);
    return true;
}

static bool read_of_kernel(const struct attribute_reader *reader, struct sass_kernel *kernel)
{
    switch (reader->attribute) {
    case KPARAM_INFO:
    case KPARAM_INFO_V2:
        return read_parameter(reader, kernel);
    case PARAM_CBANK:
        if (!holds(reader, 8))
            return false;
        kernel->parameters_at = half_at(reader->payload + 4);
        kernel->parameter_bytes = half_at(reader->payload + 6);
        return true;
    case CBANK_PARAM_SIZE:
        kernel->parameter_bytes = reader->value;
        return true;
    case MAX_THREADS:
        return read_three(reader, kernel->most_threads);
    case REQNTID:
        return read_three(reader, kernel->needed_threads);
    case CTA_PER_CLUSTER:
        return read_three(reader, kernel->cluster);
    case NUM_BARRIERS:
        kernel->barriers = reader->value & 0xff;
        return true;
    case EXIT_INSTR_OFFSETS:
        kernel->exits = reader->payload;
        kernel->exit_count = reader->bytes / 4;
        return true;
    default:
        return true;
    }
}

/* Attributes of the whole cubin begin with a symbol. */
static bool read_of_symbol(const struct attribute_reader *reader)
{
    unsigned attribute = reader->attribute;
    if (attribute != REGCOUNT && attribute != FRAME_SIZE && attribute != MIN_STACK_SIZE)
        return true;
    if (!holds(reader, 8))
        return false;
    struct sass_kernel *kernel = sass_kernel_of_symbol(reader->cubin, word_at(reader->payload));
    uint32_t value = word_at(reader->payload + 4);
    if (!kernel)
        return true;
    if (attribute == REGCOUNT && value > MOST_REGISTERS)
        return damaged(reader, "a kernel has more than 255 registers");
    if (attribute == MIN_STACK_SIZE && value == UINT32_MAX) /* the linker knows no bound: it calls itself */
        value = 0;
    *(attribute == REGCOUNT ? &kernel->registers : attribute == FRAME_SIZE ? &kernel->frame : &kernel->stack) = value;
    return true;
}

/* Reads one attribute; `*next` is the offset behind it. */
static bool read_attribute(struct attribute_reader *reader, uint64_t *next)
{
    const unsigned char *at = reader->section->data + reader->at;
    uint64_t left = reader->section->bytes - reader->at;
    if (left < 4)
        return damaged(reader, "the section ends inside an attribute");
    reader->attribute = at[1];
    reader->value = half_at(at + 2);
    reader->payload = at + 4;
    reader->bytes = at[0] == SIZED ? reader->value : 0;
    if (at[0] < NOTHING || at[0] > SIZED)
        return damaged(reader, "an attribute has an unknown format");
    if (reader->bytes > left - 4)
        return damaged(reader, "an attribute is longer than its section");
    *next = reader->at + 4 + reader->bytes;
    return true;
}

bool sass_read_attributes(struct sass_cubin *cubin, const struct sass_section *section, struct sass_kernel *kernel,
                          struct mnp_error *error)
{
    struct attribute_reader reader = {.cubin = cubin, .section = section, .error = error};
    for (uint64_t next = 0; reader.at < section->bytes; reader.at = next)
        if (!read_attribute(&reader, &next) || !(kernel ? read_of_kernel(&reader, kernel) : read_of_symbol(&reader)))
            return false;
    return true;
}
