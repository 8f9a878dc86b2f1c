/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/configure/part_error.h"

#include "base/ending.h"
#include "base/error.h"
#include "base/print.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

void mnp_part_fail(const struct mnp_part *part, const char *format, ...)
{
    char text[512];
    Dl_info file = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool known = dladdr(part, &file) != 0 && file.dli_fname;
    mnp_print_text(stderr, "maniple: error: %s: \"%s\" %s\n", known ? file.dli_fname : "a plug-in", part->name, text);
    mnp_end_inside(MNP_EXIT_USER);
}
