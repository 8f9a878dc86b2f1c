/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/options.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A setting: its key, and where it stands in the options. */
struct setting {
    const char *key;
    enum { TEXT, FLAG, NUMBER, LONG_NUMBER } type; /* const char *, bool, 32 bits, 64 bits */
    size_t offset;
};

#define SETTING(KEY, TYPE, MEMBER)                                                                                     \
    {                                                                                                                  \
        KEY, TYPE, offsetof(struct cudart_options, MEMBER)                                                             \
    }

static const struct setting settings[] = {
    SETTING("machine", TEXT, machine),
    SETTING("devices", NUMBER, devices),
    SETTING("format", NUMBER, format),
    SETTING("folder", TEXT, folder),
    SETTING("trace", TEXT, trace),
    SETTING("trace-warps", FLAG, trace_warps),
    SETTING("kernels", TEXT, sampling.kernels),
    SETTING("plan", TEXT, sampling.plan_file),
    SETTING("snapshot", TEXT, snapshot),
    SETTING("snapshot-at", LONG_NUMBER, snapshot_at),
    SETTING("resume", TEXT, resume),
    SETTING("version", TEXT, version),
    SETTING("share", NUMBER, share.number),
    SETTING("share-count", NUMBER, share.count),
    SETTING("share-first", NUMBER, share.first),
    SETTING("share-last", NUMBER, share.last),
    SETTING("share-launches", NUMBER, share.launches),
    SETTING("share-pipe", NUMBER, share.pipe),
    SETTING("warm", FLAG, sampling.warm),
    SETTING("skip", FLAG, sampling.skip),
    SETTING("bare", FLAG, bare),
    SETTING("program", TEXT, program),
    SETTING("process", NUMBER, process),
    SETTING("plugins", TEXT, plugins),
    SETTING("plugin-files", TEXT, plugin_files),
    SETTING("output", NUMBER, output),
    SETTING("process_group", NUMBER, process_group),
    SETTING("verbosity", NUMBER, verbosity),
    SETTING("code", NUMBER, code),
    SETTING("check", NUMBER, check),
    SETTING("opens", FLAG, opens),
    SETTING("functional", FLAG, functional),
    SETTING("hash", FLAG, hash),
    SETTING("costs", FLAG, costs),
    SETTING("long", FLAG, long_text),
    SETTING("executor-name", TEXT, executor_name),
    SETTING("schedule-name", TEXT, schedule_name),
    SETTING("threads", NUMBER, request.threads),
    SETTING("schedule", NUMBER, request.schedule),
    SETTING("chunk", NUMBER, request.chunk),
    SETTING("assign", TEXT, request.assign),
    SETTING("window", LONG_NUMBER, request.window_cycles),
    SETTING("deadline", LONG_NUMBER, deadline),
    SETTING("max-cycles", LONG_NUMBER, request.max_cycles),
    SETTING("no-skip", FLAG, request.no_skip),
    SETTING("sample", LONG_NUMBER, request.sample_cycles),
    SETTING("timeline", FLAG, request.timeline),
    SETTING("timeline-ctas", FLAG, request.timeline_work),
    SETTING("timeline-from", LONG_NUMBER, request.timeline_from),
    SETTING("timeline-to", LONG_NUMBER, request.timeline_to),
    SETTING("by-instruction", FLAG, request.by_instruction),
    SETTING("sample-statistics", TEXT, request.sample_statistics),
};
enum { SETTINGS = sizeof settings / sizeof *settings };

_Static_assert(sizeof(enum cudart_format) == 4 && sizeof(pid_t) == 4 && sizeof(enum mnp_verbosity) == 4 &&
                   sizeof(enum mnp_schedule) == 4,
               "numbers of 32 bits");

/* ===== writing ===== */

/* A line: backslashes and ends of lines in the value are written as two characters. */
static void write_line(FILE *out, const char *key, const char *value)
{
    fprintf(out, "%s ", key);
    for (; *value; value++) {
        if (*value == '\\' || *value == '\n')
            fputc('\\', out);
        fputc(*value == '\n' ? 'n' : *value, out);
    }
    fputc('\n', out);
}

static void write_setting(FILE *out, const struct setting *setting, const void *at)
{
    switch (setting->type) {
    case TEXT:
        if (*(const char *const *)at)
            write_line(out, setting->key, *(const char *const *)at);
        break;
    case FLAG:
        if (*(const bool *)at)
            fprintf(out, "%s\n", setting->key);
        break;
    case NUMBER:
        fprintf(out, "%s %" PRId32 "\n", setting->key, *(const int32_t *)at);
        break;
    case LONG_NUMBER:
        fprintf(out, "%s %" PRIu64 "\n", setting->key, *(const uint64_t *)at);
        break;
    }
}

void cudart_options_write(const struct cudart_options *options, FILE *out)
{
    fprintf(out, "executor %s\n", options->request.executor->name);
    if (options->request.executor->processes)
        fputs("processes\n", out);
    for (size_t i = 0; i < SETTINGS; i++)
        write_setting(out, &settings[i], (const char *)options + settings[i].offset);
    for (size_t i = 0; i < options->override_count; i++)
        write_line(out, "set", options->overrides[i]);
}

/* ===== reading ===== */

/* Takes the backslashes out of a value, in place. */
static void unescape(char *value)
{
    char *to = value;
    for (; *value; value++) {
        bool escaped = value[0] == '\\' && value[1];
        value += escaped;
        *to++ = escaped && *value == 'n' ? '\n' : *value;
    }
    *to = 0;
}

static void read_setting(const struct setting *setting, void *at, const char *value)
{
    switch (setting->type) {
    case TEXT:
        *(const char **)at = value;
        break;
    case FLAG:
        *(bool *)at = true;
        break;
    case NUMBER:
        *(int32_t *)at = (int32_t)strtoll(value, NULL, 10);
        break;
    case LONG_NUMBER:
        *(uint64_t *)at = strtoull(value, NULL, 10);
        break;
    }
}

long cudart_options_glance(const char *text, const char *key, const char **value)
{
    size_t length = strlen(key);
    for (const char *line = text, *end; line && *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        if ((size_t)(end - line) < length || memcmp(line, key, length) != 0)
            continue;
        if (line + length == end)
            return 1;
        if (line[length] != ' ')
            continue;
        if (!value)
            return strtol(line + length + 1, NULL, 10);
        *value = line + length + 1;
        return (long)(end - *value);
    }
    return 0;
}

static bool read_line(struct cudart_options *options, const char *key, const char *value, struct mnp_error *error)
{
    if (strcmp(key, "set") == 0) {
        options->overrides[options->override_count++] = value;
        return true;
    }
    if (strcmp(key, "processes") == 0)
        return true; /* follows from the executor; for cudart_options_glance */
    if (strcmp(key, "executor") == 0) {
        options->request.executor = mnp_executor_find(value);
        return options->request.executor || mnp_fail(error,
                                                     "%s: there is no executor %.100s; run the program with "
                                                     "`maniple run`",
                                                     CUDART_OPTIONS_VARIABLE, value);
    }
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(key, settings[i].key) == 0) {
            read_setting(&settings[i], (char *)options + settings[i].offset, value);
            return true;
        }
    }
    return mnp_fail(error, "%s: there is no setting %.100s; run the program with `maniple run`",
                    CUDART_OPTIONS_VARIABLE, key);
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
        if (value)
            unescape(value);
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

/* ===== a session of them ===== */

struct mnp_session_options cudart_session_options(const struct cudart_options *options,
                                                  const struct processes *processes)
{
    return (struct mnp_session_options){.request = options->request,
                                        .open_ended = true,
                                        .transport = processes_joined(processes) ? &processes->transport : NULL};
}
