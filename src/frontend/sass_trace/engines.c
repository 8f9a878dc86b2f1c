/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/engines.h"

#include "frontend/sass_trace/numbers.h"
#include "isa/opcodes.h"

#include <string.h>

enum { MOST_TRANSFERS = 1 << 20, MOST_REGISTERS = 16, MODE_LIST = 3, MODE_DIFFERENCES = 4 };

enum trace_engine trace_engine_of(uint16_t opcode)
{
    bool product = opcode == ISA_HGMMA || opcode == ISA_IGMMA || opcode == ISA_QGMMA || opcode == ISA_BGMMA;
    return isa_opcode_copies(opcode) ? TRACE_ENGINE_COPY : product ? TRACE_ENGINE_PRODUCT : TRACE_ENGINE_NONE;
}

/* A number without a sign, from 0 to `most`; NULL: something else. */
static const char *pass_count(const char *at, int64_t most, int64_t *number)
{
    at = at ? trace_read_decimal(trace_skip_spaces(at), number) : NULL;
    return at && (*at == ' ' || *at == '\r' || *at == '\n') && *number >= 0 && *number <= most ? at : NULL;
}

static const char *pass_hex(const char *at)
{
    uint64_t ignored;
    at = at ? trace_read_hex(trace_skip_spaces(at), &ignored) : NULL;
    return at && (*at == ' ' || *at == '\r' || *at == '\n') ? at : NULL;
}

static const char *line_end(const char *at)
{
    at = at ? trace_skip_spaces(at) : NULL;
    if (at && *at == '\r')
        at++;
    return at && *at == '\n' ? at : NULL;
}

/* "1 value" or "32 values". */
static const char *pass_register(const char *at)
{
    int64_t count;
    at = pass_count(at, 32, &count);
    if (at && count != 1 && count != 32)
        return NULL;
    for (int64_t i = 0; at && i < count; i++)
        at = pass_hex(at);
    return at;
}

const char *trace_pass_values(const char *at)
{
    int64_t ignored;
    at = trace_read_decimal(trace_skip_spaces(at), &ignored);
    if (!at)
        return NULL;
    at = trace_skip_spaces(at);
    if (*at >= '0' && *at <= '9')
        at = trace_read_decimal(at, &ignored);
    at = at ? trace_skip_spaces(at) : NULL;
    if (!at || line_end(at)) /* without values altogether */
        return line_end(at);
    if (strncmp(at, "NoVal", 5) == 0)
        return line_end(at + 5);
    if (strncmp(at, "Val", 3) != 0)
        return NULL;
    at += 3;
    for (int i = 0; i < MOST_REGISTERS && at && !line_end(at); i++)
        at = pass_register(at);
    return line_end(at);
}

static const char *pass_immediate(const char *at, bool values)
{
    int64_t ignored;
    if (!at || values)
        return at ? trace_pass_values(at) : NULL;
    return line_end(trace_read_decimal(trace_skip_spaces(at), &ignored));
}

static const char *pass_addresses(const char *at)
{
    int64_t mode, count, ignored;
    at = pass_count(at, MODE_DIFFERENCES, &mode);
    if (!at || mode < MODE_LIST)
        return NULL;
    if (mode == MODE_DIFFERENCES)
        at = pass_hex(at);
    at = pass_count(at, MOST_TRANSFERS, &count);
    for (int64_t i = mode == MODE_LIST ? 0 : 1; at && i < count; i++)
        at = mode == MODE_LIST ? pass_hex(at) : trace_read_decimal(trace_skip_spaces(at), &ignored);
    return at;
}

static const char *pass_copy(const char *at)
{
    int64_t multicast, ignored;
    at = pass_hex(pass_count(at, INT32_MAX, &ignored)); /* the width, the mbarrier */
    at = pass_count(at, 1, &multicast);
    if (at && multicast)
        at = pass_hex(at);
    at = pass_count(pass_count(at, INT32_MAX, &ignored), INT32_MAX, &ignored); /* bytes, and those outside */
    return pass_addresses(at);
}

static const char *pass_product(const char *at)
{
    int64_t commit, width;
    return pass_count(pass_count(at, 1, &commit), 0, &width);
}

const char *trace_pass_engine(enum trace_engine engine, const char *at, bool values)
{
    at = engine == TRACE_ENGINE_COPY ? pass_copy(at) : pass_product(at);
    return pass_immediate(at, values);
}

bool trace_is_marker(const char *at, const char *end)
{
    static const char start[] = "0 REPLAY_START ", stop[] = "0 REPLAY_END ";
    return ((size_t)(end - at) >= sizeof start && memcmp(at, start, sizeof start - 1) == 0) ||
           ((size_t)(end - at) >= sizeof stop && memcmp(at, stop, sizeof stop - 1) == 0);
}
