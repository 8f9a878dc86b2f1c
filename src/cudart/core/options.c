/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/core/options.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Words and numbers of how a run with time is made. False: it is none of them. */
static bool read_run(struct cudart_options *options, const char *key, const char *value)
{
    const struct {
        const char *key;
        uint64_t *to;
    } numbers[] = {{"window", &options->request.window_cycles},
                   {"max-cycles", &options->request.max_cycles},
                   {"sample", &options->request.sample_cycles}};
    const struct {
        const char *key;
        bool *to;
    } flags[] = {{"functional", &options->functional},
                 {"no-skip", &options->request.no_skip},
                 {"hash", &options->hash},
                 {"long", &options->long_text},
                 {"costs", &options->costs}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0)
            return *numbers[i].to = strtoull(value, NULL, 10), true;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(key, flags[i].key) == 0)
            return *flags[i].to = true;
    if (strcmp(key, "executor") == 0)
        options->request.executor = mnp_executor_find(value);
    else if (strcmp(key, "executor-name") == 0)
        options->executor_name = value;
    else if (strcmp(key, "schedule-name") == 0)
        options->schedule_name = value;
    else if (strcmp(key, "threads") == 0)
        options->request.threads = (uint32_t)atoi(value);
    else if (strcmp(key, "chunk") == 0)
        options->request.chunk = (uint32_t)atoi(value);
    else if (strcmp(key, "schedule") == 0)
        options->request.schedule = (enum mnp_schedule)atoi(value);
    else if (strcmp(key, "sample-statistics") == 0)
        options->request.sample_statistics = value;
    else
        return false;
    return options->request.executor != NULL;
}

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
    else if (strcmp(key, "trace") == 0)
        options->trace = value;
    else if (strcmp(key, "program") == 0)
        options->program = value;
    else if (strcmp(key, "process") == 0)
        options->process = (pid_t)atol(value);
    else if (strcmp(key, "plugins") == 0)
        options->plugins = value;
    else if (strcmp(key, "output") == 0)
        options->output = atoi(value);
    else if (strcmp(key, "verbosity") == 0)
        options->verbosity = (enum mnp_verbosity)atoi(value);
    else if (!read_run(options, key, value))
        return mnp_fail(error, "%s: there is no setting %.100s; run the program with `maniple run`",
                        CUDART_OPTIONS_VARIABLE, key);
    return true;
}

bool cudart_options_read(struct cudart_options *options, const char *text, struct mnp_error *error)
{
    *options = (struct cudart_options){.output = 1,
                                       .program = "the program",
                                       .request = {.executor = &mnp_executor_window, .threads = 1},
                                       .executor_name = mnp_executor_window.name,
                                       .schedule_name = "cost"};
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
