/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/runs_options.h"

#include "base/text.h"
#include "engine/executors/team.h"

enum { MOST = 1000000 };

void cli_runs_number(struct cli_runs_options *options, const char *name, const char *text, uint64_t *value)
{
    const char *problem = mnp_parse_number(text, value);
    if (problem || !*value || *value > MOST)
        mnp_fail(&options->error, "--%s %.100s: %s; state a whole number from 1 to %d", name, text,
                 problem ? problem : "is out of range", MOST);
}

bool cli_runs_option(struct cli_runs_options *options, const char *takes, int key, const char *text)
{
    switch (key) {
    case 'o':
        options->folder = text;
        return true;
    case 'j':
        cli_runs_number(options, "jobs", text, &options->jobs);
        return true;
    case CLI_RUNS_THREADS:
        cli_runs_number(options, "threads", text, &options->threads);
        return true;
    case 'q':
        options->quiet = true;
        return true;
    case ARGP_KEY_ARG:
        if (options->list)
            mnp_fail(&options->error, "%s, not %.100s and %.100s", takes, options->list, text);
        options->list = text;
        return true;
    default:
        return false;
    }
}

uint32_t cli_runs_parallel(const struct cli_runs_options *options)
{
    uint64_t processors = mnp_team_processors(1) / options->threads;
    return (uint32_t)(options->jobs ? options->jobs : processors ? processors : 1);
}
