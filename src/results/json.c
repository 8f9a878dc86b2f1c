/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/json.h"

#include <inttypes.h>
#include <stddef.h>

/* Length of the UTF-8 sequence at `text`, 0 when it is none. Overlong forms and surrogates count as none. */
static size_t sequence(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    if (length < 2)
        return length;
    uint32_t code = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : length;
}

/* Characters at the start of a text that stand for themselves. */
static size_t plain(const unsigned char *text)
{
    size_t length = 0;
    while (text[length] >= ' ' && text[length] < 0x7f && text[length] != '"' && text[length] != '\\')
        length++;
    return length;
}

static void quoted(FILE *out, const char *value)
{
    putc_unlocked('"', out);
    for (const unsigned char *at = (const unsigned char *)value; *at;) {
        size_t length = plain(at);
        if (length) { /* nearly always all of it */
            fwrite_unlocked(at, 1, length, out);
            at += length;
            continue;
        }
        length = sequence(at);
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < ' ' || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else if (length)
            fwrite_unlocked(at, 1, length, out);
        else
            fputs_unlocked("\\ufffd", out);
        at += length ? length : 1;
    }
    putc_unlocked('"', out);
}

static void begin_line(const struct mnp_json *json)
{
    putc_unlocked('\n', json->out);
    for (unsigned blanks = 2 * json->depth; blanks; blanks--)
        putc_unlocked(' ', json->out);
}

/* What stands before a value: the comma after the last one, the line's beginning, the name. */
static void lead(struct mnp_json *json, const char *name)
{
    if (json->started)
        putc_unlocked(',', json->out);
    if (json->inside_line)
        fputs_unlocked(json->started ? " " : "", json->out);
    else if (json->depth)
        begin_line(json);
    json->started = true;
    if (name) {
        quoted(json->out, name);
        fputs_unlocked(": ", json->out);
    }
}

void results_json_open(struct mnp_json *json, const char *name, char bracket)
{
    lead(json, name);
    putc_unlocked(bracket, json->out);
    json->depth++;
    json->started = false;
}

void results_json_close(struct mnp_json *json, char bracket)
{
    json->depth--;
    if (json->started)
        begin_line(json);
    putc_unlocked(bracket, json->out);
    json->started = true;
    if (!json->depth)
        putc_unlocked('\n', json->out);
}

void results_json_open_inline(struct mnp_json *json, const char *name, char bracket)
{
    lead(json, name);
    putc_unlocked(bracket, json->out);
    json->inside_line++;
    json->started = false;
}

void results_json_close_inline(struct mnp_json *json, char bracket)
{
    putc_unlocked(bracket, json->out);
    json->inside_line--;
    json->started = true;
}

void results_json_number(struct mnp_json *json, const char *name, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    lead(json, name);
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    fwrite_unlocked(digits + at, 1, sizeof digits - at, json->out);
}

void results_json_boolean(struct mnp_json *json, const char *name, bool value)
{
    lead(json, name);
    fputs_unlocked(value ? "true" : "false", json->out);
}

void results_json_text(struct mnp_json *json, const char *name, const char *value)
{
    lead(json, name);
    quoted(json->out, value);
}

void results_json_verbatim(struct mnp_json *json, const char *name, const char *value)
{
    lead(json, name);
    fputs_unlocked(value, json->out);
}
