/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts a text behind the first `used` bytes of an error's. What users wrote stands in it. */
static void append(struct mnp_error *error, size_t used, const char *format, va_list arguments)
{
    char text[sizeof error->text];
    vsnprintf(text, sizeof text, format, arguments);
    mnp_escape(error->text + used, sizeof error->text - used, text);
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
    fprintf(stderr, "maniple: bug at %s:%d: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\nThis is a fault of Maniple's, not of your input. Please report it with the command that led here.\n",
          stderr);
    exit(MNP_EXIT_BUG);
}
