/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple timeline`: a run over time, for Perfetto. */
#include "results/timeline/timeline.h"
#include "results/timeline/gpu_packets.h"

#include "base/file.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "results/database/database.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_CYCLES = 256, OPTION_PACKETS };

struct timeline_options {
    const char *input, *output;
    bool cycles, packets;
    struct mnp_error error;
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct timeline_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = text;
        break;
    case OPTION_CYCLES:
        options->cycles = true;
        break;
    case OPTION_PACKETS:
        options->packets = true;
        break;
    case ARGP_KEY_ARG:
        if (options->input)
            mnp_fail(&options->error, "maniple timeline takes one run, not %.100s and %.100s", options->input, text);
        options->input = text;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct timeline_options *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        {"output", 'o', "FILE", 0, "the trace to write, such as run.perfetto-trace", 0},
        {"cycles", OPTION_CYCLES, NULL, 0, "draw a core cycle as a nanosecond: no fraction is lost", 0},
        {"gpu-packets", OPTION_PACKETS, NULL, 0,
         "also write kernels, copies and counters as Perfetto's packets for GPUs (render stages with grids and blocks, "
         "GPU counters), which tools for traces of GPUs read",
         0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "RUN",
        .doc = "Write a run over time, for Perfetto (https://ui.perfetto.dev opens the file, which does not leave the "
               "browser; so does trace_processor). RUN is a folder that `maniple run -o` wrote, or its "
               "results.sqlite.\v"
               "Of a run of several GPUs each has a track of its own, and arrows join kernels between which data went. "
               "Every run has its streams with kernels and copies. `maniple run --timeline ctas` adds CTAs by SM and "
               "calls of a CUDA program, `--timeline warps:T0-T1` warps and packets of a window of time, `--sample N` "
               "counters. Exit status: 0 done; 2 an error, and nothing is written.",
    };
    *options = (struct timeline_options){0};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->error, "maniple timeline takes nothing after --");
    size_t length = options->output ? strlen(options->output) : 0;
    if (length > 5 && strcmp(options->output + length - 5, ".json") == 0)
        mnp_fail(&options->error,
                 "-o %.200s: a timeline is Perfetto's protobuf, not JSON; name it as in "
                 "run.perfetto-trace",
                 options->output);
    if (!options->input || !options->output)
        mnp_fail(&options->error, "maniple timeline takes a folder that `maniple run -o` wrote, and -o FILE (`maniple "
                                  "timeline --help`)");
}

enum { MOST_DATABASES = 16 };

/* Opens the database of a run, or those of its GPUs, and returns how many there are; 0: an error. */
static uint32_t open_databases(const char *input, sqlite3 *databases[MOST_DATABASES], struct mnp_error *error)
{
    uint32_t count, opened = 0;
    char **folders = results_device_folders(input, &count);
    if (!folders)
        opened = (databases[0] = results_database_open(input, error)) != NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (opened == i && opened < MOST_DATABASES)
            opened += (databases[i] = results_database_open(folders[i], error)) != NULL;
        free(folders[i]);
    }
    free(folders);
    return error->text[0] ? 0 : opened;
}

static bool write_timeline(const struct timeline_options *options, sqlite3 *const *databases, uint32_t count,
                           struct mnp_error *error)
{
    struct mnp_output output = {0};
    bool done = mnp_output_open(&output, options->output, error) &&
                results_write_timeline(databases, count, options->cycles, output.stream, error);
    for (uint32_t i = 0; done && options->packets && i < count; i++)
        done = results_write_gpu_packets(databases[i], i, options->cycles, output.stream, error);
    done = done && mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

int cli_verb_timeline(const struct command_line *line)
{
    struct timeline_options options;
    read_options(&options, line);
    bool done = false;
    if (!options.error.text[0]) {
        sqlite3 *databases[MOST_DATABASES] = {0};
        uint32_t count = open_databases(options.input, databases, &options.error);
        done = count && write_timeline(&options, databases, count, &options.error);
        for (uint32_t i = 0; i < MOST_DATABASES; i++)
            sqlite3_close(databases[i]);
    }
    return done ? MNP_EXIT_DONE : cli_report_error(&options.error);
}
