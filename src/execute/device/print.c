/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device/print.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

size_t execute_format_width(char *out, size_t size, int32_t width)
{
    if (size < 12)
        return 0;
    width = width > 400 ? 400 : width < -400 ? -400 : width;
    return (size_t)snprintf(out, size, "%d", width);
}

/* The format comes from the program, but only flags, digits and one letter of a known kind reach the library. */
void execute_format_number(char *out, size_t size, const char *prefix, size_t length, char letter, unsigned bytes,
                           uint64_t value, bool real, bool number)
{
    char format[48];
    size_t used = length < 32 ? length : 32;
    memcpy(format, prefix, used);
    if (number && bytes == 8 && letter != 'c') {
        format[used++] = 'l';
        format[used++] = 'l';
    }
    format[used++] = letter;
    format[used] = 0;
    double wide;
    memcpy(&wide, &value, sizeof wide);
    if (real)
        snprintf(out, size, format, wide);
    else if (letter == 'p')
        snprintf(out, size, format, (void *)(uintptr_t)value);
    else if (bytes == 8 && letter != 'c')
        snprintf(out, size, format, (unsigned long long)value);
    else
        snprintf(out, size, format, (unsigned)value);
}
