/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of reports in a terminal: paragraphs behind a label, names that fit a column. */
#include "results/report/layout.h"

#include "base/demangle.h"
#include "base/print.h"
#include "base/text.h"
#include "results/report/queries.h"

#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 40 };

void results_report_paragraph(const char *label, const char *text, FILE *out)
{
    int column = mnp_print_text(out, "%-12s", label), line = mnp_terminal_columns(NARROWEST, RESULTS_REPORT_LINE);
    int indent = column;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column + 1 + word > line && column > indent)
            column = mnp_print_text(out, "\n%*s", indent, "") - 1;
        column += mnp_print_text(out, "%s%.*s", column > indent ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* The end of a text from a whole character on, of at most `room` bytes. */
static const char *tail_of(const char *text, size_t room)
{
    size_t length = strlen(text);
    const char *tail = text + (length > room ? length - room : 0);
    while ((*tail & 0xc0) == 0x80)
        tail++;
    return tail;
}

/* Escapes a text, and cuts it behind `head` bytes if it is longer than `width`. */
static const char *cut(const char *text, char *fitted, size_t width, size_t head)
{
    char escaped[1024];
    mnp_escape(escaped, sizeof escaped, text);
    size_t length = strlen(escaped);
    if (length <= width) {
        memcpy(fitted, escaped, length + 1);
        return fitted;
    }
    size_t tail = width - 2 - head;
    while (head && (escaped[head] & 0xc0) == 0x80)
        head--;
    snprintf(fitted, width + 1, "%.*s..%s", (int)head, escaped, tail_of(escaped, tail));
    return fitted;
}

const char *results_report_fit(const char *text, char *fitted, size_t width)
{
    return cut(text, fitted, width, (width - 2) / 2);
}

const char *results_report_begin(const char *text, char *fitted, size_t width)
{
    return cut(text, fitted, width, width - 2);
}

const char *results_report_fit_name(const char *name, char *fitted, size_t width)
{
    char *plain = mnp_demangle_column(name, width);
    cut(plain, fitted, width, 3 * (width - 2) / 4);
    free(plain);
    return fitted;
}

const char *results_report_fit_where(const char *source, const char *kernel, char *fitted, size_t width)
{
    if (!source || !*source)
        return results_report_fit_name(kernel, fitted, width);
    const char *line = strrchr(source, ':');
    if (!line || (strncmp(source, "module of ", 10) != 0 && strncmp(source, "PTX of ", 7) != 0) ||
        strlen(line) + 4 > width) {
        const char *place = results_report_place(source), *inlined = strstr(place, " (");
        char caller[1024];
        bool whole = !inlined || strlen(place) <= width;
        snprintf(caller, sizeof caller, "%.*s", whole ? (int)sizeof caller - 1 : (int)(inlined - place), place);
        return results_report_fit(caller, fitted, width);
    }
    results_report_fit_name(kernel, fitted, width - strlen(line));
    return strcat(fitted, line);
}

const char *results_report_fit_limit(const char *limit, char *fitted, size_t width)
{
    size_t length = strlen(limit), word = strcspn(limit, " ");
    snprintf(fitted, width + 1, "%.*s", (int)(length > width ? word : length), limit);
    return fitted;
}
