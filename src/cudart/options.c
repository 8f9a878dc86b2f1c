/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/options.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static bool read_line(struct cudart_options *options, const char *key, const char *value, struct mnp_error *error)
{
    if (strcmp(key, "machine") == 0)
        options->machine = value;
    else if (strcmp(key, "set") == 0)
        options->overrides[options->override_count++] = value;
    else if (strcmp(key, "format") == 0)
        options->format = (enum cudart_format)atoi(value);
    else if (strcmp(key, "folder") == 0)
        options->folder = value;
    else if (strcmp(key, "program") == 0)
        options->program = value;
    else if (strcmp(key, "output") == 0)
        options->output = atoi(value);
    else if (strcmp(key, "functional") == 0)
        options->functional = true;
    else if (strcmp(key, "verbosity") == 0)
        options->verbosity = (enum mnp_verbosity)atoi(value);
    else
        return mnp_fail(error, "%s: there is no setting %.100s; run the program with `maniple run`",
                        CUDART_OPTIONS_VARIABLE, key);
    return true;
}

bool cudart_options_read(struct cudart_options *options, const char *text, struct mnp_error *error)
{
    *options = (struct cudart_options){.output = 1, .program = "the program"};
    if (!text)
        return true;
    size_t lines = 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    options->overrides = mnp_allocate(lines, sizeof *options->overrides);
    options->text = mnp_allocate(strlen(text) + 1, 1);
    strcpy(options->text, text);
    char *rest = options->text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, ' ');
        if (!*line)
            continue;
        if (value)
            *value++ = 0;
        if (!read_line(options, line, value ? value : "", error))
            return false;
    }
    return true;
}

void cudart_options_release(struct cudart_options *options)
{
    free(options->text);
    free((void *)options->overrides);
}
