/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include "base/allocate.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERENT_MAX = 100 }; /* limit of different warnings that are kept */

void mnp_log_init(struct mnp_log *log, enum mnp_verbosity verbosity)
{
    *log = (struct mnp_log){.verbosity = verbosity};
}

void mnp_log_release(struct mnp_log *log)
{
    for (uint32_t i = 0; i < log->warning_count; i++)
        free(log->warnings[i].text);
    free(log->warnings);
    *log = (struct mnp_log){0};
}

void mnp_warn(struct mnp_log *log, const char *format, ...)
{
    char plain[1024], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plain, sizeof plain, format, arguments);
    va_end(arguments);
    mnp_escape(text, sizeof text, plain);
    for (uint32_t i = 0; i < log->warning_count; i++)
        if (strcmp(log->warnings[i].text, text) == 0) {
            log->warnings[i].count++;
            return;
        }
    if (log->warning_count == DIFFERENT_MAX) {
        log->dropped++;
        return;
    }
    log->warnings = mnp_reallocate(log->warnings, log->warning_count + 1, sizeof *log->warnings);
    log->warnings[log->warning_count++] = (struct mnp_warning){.text = strdup(text), .count = 1};
}

void mnp_remark(const struct mnp_log *log, const char *format, ...)
{
    if (log->verbosity < MNP_VERBOSE)
        return;
    char plain[1024], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plain, sizeof plain, format, arguments);
    va_end(arguments);
    fprintf(stderr, "maniple: %s\n", mnp_escape(text, sizeof text, plain));
}

void mnp_log_summary(const struct mnp_log *log, FILE *out)
{
    if (log->verbosity <= MNP_SILENT)
        return;
    for (uint32_t i = 0; i < log->warning_count; i++) {
        const struct mnp_warning *warning = &log->warnings[i];
        fprintf(out, "maniple: warning: %s", warning->text);
        if (warning->count > 1)
            fprintf(out, " (%" PRIu64 " times)", warning->count);
        fputc('\n', out);
    }
    if (log->dropped)
        fprintf(out, "maniple: warning: %" PRIu64 " more warnings of other kinds\n", log->dropped);
}
