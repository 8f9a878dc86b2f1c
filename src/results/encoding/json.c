/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/encoding/json.h"

#include "base/text.h"

#include <inttypes.h>
#include <stddef.h>

/* Characters at the start of a text that stand for themselves. */
static size_t plain(const unsigned char *text)
{
    size_t length = 0;
    while (text[length] >= ' ' && text[length] < 0x7f && text[length] != '"' && text[length] != '\\')
        length++;
    return length;
}

/* The character of a sequence of two or three bytes. */
static unsigned code_of(const unsigned char *at, size_t length)
{
    return length == 2 ? (at[0] & 31u) << 6 | (at[1] & 63u) : (at[0] & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
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
        length = mnp_utf8_length((const char *)at);
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < ' ' || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else if (length && mnp_steering_bytes((const char *)at))
            fprintf(out, "\\u%04x", code_of(at, length));
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

/* Text before a value: the comma after the last one, the line's beginning, the name. */
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
