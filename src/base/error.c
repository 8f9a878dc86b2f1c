/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include "base/allocate.h"
#include "base/ending.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes the middle of long words. Names of template instantiations would otherwise displace the description of the
 * error behind them. */
static void shorten(char *text)
{
    enum { HEAD = 160, TAIL = 40 };
    char *out = text;
    while (*text) {
        size_t length = strcspn(text, " ");
        length += length == 0; /* a space */
        if (length > HEAD + 3 + TAIL) {
            memmove(out, text, HEAD);
            memcpy(out + HEAD, "...", 3);
            memmove(out + HEAD + 3, text + length - TAIL, TAIL);
            out += HEAD + 3 + TAIL;
        } else {
            memmove(out, text, length);
            out += length;
        }
        text += length;
    }
    *out = 0;
}

/* Appends a formatted text at offset `used`, with user-supplied text escaped. */
static void append(struct mnp_error *error, size_t used, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mnp_allocate(length < 0 ? 1 : (size_t)length + 1, 1);
    text[0] = 0;
    vsnprintf(text, length < 0 ? 1 : (size_t)length + 1, format, arguments);
    if (strlen(text) >= sizeof error->text - used)
        shorten(text);
    mnp_escape(error->text + used, sizeof error->text - used, text);
    free(text);
}

bool mnp_fail(struct mnp_error *error, const char *format, ...)
{
    if (error->text[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    append(error, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool mnp_fail_at(struct mnp_error *error, const char *file, unsigned long line, const char *format, ...)
{
    if (error->text[0])
        return false;
    mnp_escape(error->text, sizeof error->text - 32, file);
    size_t used = strlen(error->text);
    used += (size_t)(line ? sprintf(error->text + used, ":%lu: ", line) : sprintf(error->text + used, ": "));
    va_list arguments;
    va_start(arguments, format);
    append(error, used, format, arguments);
    va_end(arguments);
    return false;
}

void mnp_bug(const char *file, int line, const char *format, ...)
{
    struct mnp_error bug = {{0}};
    va_list arguments;
    va_start(arguments, format);
    append(&bug, 0, format, arguments);
    va_end(arguments);
    fprintf(stderr, "maniple: bug at %s:%d: %s", file, line, bug.text);
    fputs("\nThis is a fault of Maniple's, not of your input. Please report it with the command that led here.\n",
          stderr);
    mnp_end_inside(MNP_EXIT_BUG);
}
