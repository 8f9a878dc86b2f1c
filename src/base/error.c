/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool mnp_fail(struct mnp_error *error, const char *format, ...)
{
    if (error->text[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

bool mnp_fail_at(struct mnp_error *error, const char *file, unsigned long line, const char *format, ...)
{
    if (error->text[0])
        return false;
    int length = line ? snprintf(error->text, sizeof error->text, "%s:%lu: ", file, line)
                      : snprintf(error->text, sizeof error->text, "%s: ", file);
    if (length < 0 || (size_t)length >= sizeof error->text)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, arguments);
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
